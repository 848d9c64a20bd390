import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import manifold
from sklearn.neighbors import kneighbors_graph

from nldr.methods.spectral.isomap import Isomap
from nldr.methods.spectral.pca import EigenvaluePCA

ignore_disconnected = pytest.mark.filterwarnings(
    "ignore:the neighborhood graph", "ignore:The number of connected components"
)


@ignore_disconnected
@pytest.mark.parametrize(
    ("data", "n_samples", "n_neighbors"),
    [("roll", 400, 12), ("roll", 150, 12), ("three_clusters", 90, 5)],
    ids=["iterative", "dense", "disconnected"],
)
def test_equals_scikit_learn(data, n_samples, n_neighbors, request):
    X = request.getfixturevalue(data)[:n_samples]
    ours = Isomap(3, n_neighbors=n_neighbors).fit(X)
    theirs = manifold.Isomap(n_components=3, n_neighbors=n_neighbors).fit(X)
    assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-12)
    scale = np.abs(theirs.embedding_).max()
    assert_allclose(ours.embedding_, theirs.embedding_, atol=1e-9 * scale)
    queries = X[:7] + 0.1
    assert_allclose(ours.transform(queries), theirs.transform(queries), atol=1e-9 * scale)
    # Bit for bit: of two neighbors, the shortest path is the edge itself.
    graph = kneighbors_graph(X, n_neighbors, mode="distance").tocoo()
    assert_array_equal(ours.dist_matrix_[graph.row, graph.col], graph.data)


@ignore_disconnected
def test_duplicates_have_distance_zero(rng):
    X = np.repeat(rng.standard_normal((8, 2)), 7, axis=0)
    isomap = Isomap(n_neighbors=4).fit(X)
    assert isomap.n_connected_components_ >= 8
    assert_allclose(isomap.dist_matrix_[:7, :7], 0)
    assert np.isfinite(isomap.dist_matrix_).all()


@pytest.mark.parametrize("unit", [1e-3, 1])
def test_all_neighbors_with_eigenvalues_as_scale_give_principal_components(rng, unit):
    # Geodesic distances are Euclidean; the eigenvalues of the small unit are below 1
    X = unit * rng.standard_normal((30, 4)) * [4, 3, 2, 1]
    isomap = Isomap(3, n_neighbors=29, scaling="eigenvalue").fit(X)
    pca = EigenvaluePCA(3).fit(X)
    assert_allclose(np.abs(isomap.embedding_), np.abs(pca.embedding_), atol=1e-9 * unit**2)
    assert_allclose(isomap.transform(X[:5]), isomap.embedding_[:5], atol=1e-9 * unit**2)
