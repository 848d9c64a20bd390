import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import manifold
from sklearn.manifold._locally_linear import barycenter_weights
from sklearn.neighbors import kneighbors_graph

from nldr.methods.spectral.lle import LLE
from nldr.neighborhoods.graphs import DisconnectedGraphWarning, component_labels, knn_graph

GRID = np.indices((15, 20, 1)).reshape(3, -1).T


@pytest.mark.parametrize("eigen_solver", ["arpack", "dense"])
@pytest.mark.parametrize(("method", "k"), [("standard", 12), ("ltsa", 12), ("hessian", 6)])
def test_equals_scikit_learn(method, k, eigen_solver, rng):
    # Hessian variants agree for the fewest possible neighbors, 6 in two dimensions.
    X = GRID + rng.uniform(0, 0.8, GRID.shape)
    ours = LLE(n_neighbors=k, method=method, eigen_solver=eigen_solver).fit(X)
    theirs = manifold.LocallyLinearEmbedding(
        n_neighbors=k, method=method, eigen_solver=eigen_solver, random_state=5
    ).fit(X)
    signs = np.sign(np.sum(ours.embedding_ * theirs.embedding_, axis=0))
    assert_allclose(ours.embedding_, signs * theirs.embedding_, atol=1e-5)
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error_, rel=1e-4)
    assert ours.n_connected_components_ == 1


def test_closed_groups_are_components_although_graph_is_connected():
    # The neighbors of the middle point lie on both sides, but it is a neighbor of no other point.
    line = np.array([0.0, 1.0, 2.1, 5.2, 8.0, 9.0, 10.1])
    X = np.column_stack([line, np.zeros(7)])
    assert component_labels(knn_graph(X, 2)).max() == 0
    lle = LLE(1, n_neighbors=2, eigen_solver="dense", disconnected="warn")
    with pytest.warns(DisconnectedGraphWarning, match=r"2 connected components \(of 3, 3 points\)"):
        lle.fit(X)
    # Two components leave one vector besides the constant one in the null space.
    assert abs(lle.reconstruction_error_) < 1e-12


def test_ends_of_bridges_are_neighbors_of_each_other_alone(two_clusters):
    X = two_clusters
    lle = LLE(1, n_neighbors=12, eigen_solver="dense", disconnected="bridges").fit(X)
    graph = kneighbors_graph(X, 12).toarray()
    i, j = lle.added_edges_.T
    graph[i, j] = graph[j, i] = 1
    W = np.zeros((60, 60))
    for i, row in enumerate(graph):
        neighbors = np.flatnonzero(row)
        W[i, neighbors] = barycenter_weights(X[[i]], X, neighbors[np.newaxis])[0]
    values = np.linalg.eigvalsh((np.eye(60) - W).T @ (np.eye(60) - W))
    assert lle.reconstruction_error_ == pytest.approx(values[1], rel=1e-6)


@pytest.mark.parametrize("method", ["hessian", "ltsa"])
def test_point_that_is_no_neighbor_is_component_of_variants(method, roll):
    X = np.vstack([roll, [[100.0, 0, 0]]])
    assert kneighbors_graph(X, 12).toarray()[:, -1].sum() == 0
    lle = LLE(1, method=method, eigen_solver="dense", disconnected="warn")
    message = r"400, 1 points.* 1 points belong to no patch"
    with pytest.warns(DisconnectedGraphWarning, match=message):
        embedding = lle.fit(X).embedding_[:, 0]
    # The constants and the indicator of that point span the null space.
    assert np.ptp(embedding[:-1]) < 1e-6
