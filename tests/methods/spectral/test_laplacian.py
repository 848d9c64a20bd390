import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh
from sklearn import manifold
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.spectral.laplacian import LaplacianEigenmaps
from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import DisconnectedGraphWarning, knn_graph


@pytest.mark.parametrize("n_components", [1, 4])
def test_equals_scikit_learn(n_components, roll):
    ours = LaplacianEigenmaps(n_components).fit_transform(roll)
    theirs = manifold.SpectralEmbedding(
        n_components, n_neighbors=13, affinity="nearest_neighbors", random_state=5
    ).fit_transform(roll)
    # Signs may differ where two entries of a column have nearly the same magnitude.
    signs = np.sign(np.sum(ours * theirs, axis=0))
    assert_allclose(ours, signs * theirs, atol=1e-9 * np.abs(theirs).max())


@pytest.mark.parametrize("weights", ["mean", "union"])
def test_solves_eigenproblem(weights, roll):
    graph = knn_graph(roll, 12).toarray()
    W = (graph + graph.T) / 2 if weights == "mean" else np.maximum(graph, graph.T)
    D = np.diag(W.sum(axis=1))
    values, vectors = eigh(D - W, D)
    embedding = LaplacianEigenmaps(3, weights=weights).fit_transform(roll)
    assert_allclose((D - W) @ embedding, D @ embedding * values[1:4], atol=1e-8)
    assert_allclose(np.abs(vectors[:, 1:4].T @ D @ embedding), np.eye(3), atol=1e-8)


def test_ring_becomes_circle():
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    embedding = LaplacianEigenmaps(n_neighbors=2).fit_transform(X)
    radius = np.linalg.norm(embedding, axis=1)
    assert_allclose(radius, radius[0])


def test_disconnected_graph_raises(two_clusters):
    message = r"2 .* \(of 30, 30 points\): Laplacian eigenmaps collapse .* disconnected='bridges'"
    with pytest.raises(ValueError, match=message):
        LaplacianEigenmaps().fit(two_clusters)


def test_disconnected_graph_collapses_with_warning(two_clusters):
    maps = LaplacianEigenmaps(1, disconnected="warn")
    with pytest.warns(DisconnectedGraphWarning, match="2 connected components") as record:
        embedding = maps.fit(two_clusters).embedding_
    assert record[0].filename == __file__
    assert maps.n_connected_components_ == 2
    assert maps.added_edges_.shape == (0, 2)
    assert_allclose(embedding[:30], embedding[0, 0], atol=1e-6)
    assert_allclose(embedding[30:], embedding[30, 0], atol=1e-6)


@pytest.mark.parametrize("remedy", ["bridges", "enhanced", "more_neighbors"])
def test_remedies_connect_without_warning(remedy, two_clusters):
    method = LaplacianEigenmaps(disconnected=remedy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        embedding = method.fit_transform(two_clusters)
    more = remedy == "more_neighbors"
    assert method.n_connected_components_ == (1 if more else 2)
    assert (method.n_neighbors_ > method.n_neighbors) == more
    n_edges = {
        "bridges": 1,
        "enhanced": 1 + round(intrinsic_dimension(two_clusters)),
        "more_neighbors": 0,
    }
    assert len(method.added_edges_) == n_edges[remedy]
    assert np.ptp(embedding[:30], axis=0).min() > 0


def test_repeated_fits_are_identical_and_signs_are_fixed(roll):
    one, other = (LaplacianEigenmaps().fit_transform(roll) for _ in range(2))
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


def test_too_many_components_raise(roll):
    with pytest.raises(ValueError, match="n_components=9 is too high for 10 samples"):
        LaplacianEigenmaps(9, n_neighbors=3).fit(roll[:10])


@pytest.mark.filterwarnings("ignore:the neighborhood graph", "ignore:Graph is not fully")
@parametrize_with_checks([LaplacianEigenmaps(n_neighbors=5, disconnected="warn")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
