import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh
from sklearn import manifold
from sklearn.datasets import make_swiss_roll
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.spectral.laplacian import LaplacianEigenmaps
from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import DisconnectedGraphWarning, knn_graph

RNG = np.random.default_rng(0)
ROLL = make_swiss_roll(300, random_state=0)[0]
BLOBS = RNG.standard_normal((60, 3)) + 30 * np.repeat(np.eye(3)[:2], 30, axis=0)


@pytest.mark.parametrize("n_components", [1, 2, 4])
def test_equals_that_of_scikit_learn(n_components):
    ours = LaplacianEigenmaps(n_components).fit_transform(ROLL)
    theirs = manifold.SpectralEmbedding(
        n_components, n_neighbors=13, affinity="nearest_neighbors", random_state=5
    ).fit_transform(ROLL)
    assert_allclose(ours, theirs, atol=1e-9 * np.abs(theirs).max())


def test_solves_the_eigenproblem():
    graph = knn_graph(ROLL, 12).toarray()
    W = (graph + graph.T) / 2
    D = np.diag(W.sum(axis=1))
    values, vectors = eigh(D - W, D)
    embedding = LaplacianEigenmaps(3).fit_transform(ROLL)
    assert_allclose((D - W) @ embedding, D @ embedding * values[1:4], atol=1e-8)
    assert_allclose(np.abs(vectors[:, 1:4].T @ D @ embedding), np.eye(3), atol=1e-8)


def test_a_ring_becomes_a_circle():
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    embedding = LaplacianEigenmaps(n_neighbors=2).fit_transform(X)
    radius = np.linalg.norm(embedding, axis=1)
    assert_allclose(radius, radius[0])


def test_parts_are_refused_or_told():
    with pytest.raises(ValueError, match=r"2 parts \(of 30, 30 points\): Laplacian eigenmaps"):
        LaplacianEigenmaps().fit(BLOBS)
    maps = LaplacianEigenmaps(1, disconnected="warn")
    with pytest.warns(DisconnectedGraphWarning, match="2 parts"):
        embedding = maps.fit_transform(BLOBS)
    assert maps.n_connected_components_ == 2
    assert_allclose(embedding[:30], embedding[0, 0], atol=1e-6)
    assert_allclose(embedding[30:], embedding[30, 0], atol=1e-6)


@pytest.mark.parametrize("remedy", ["bridges", "enhanced", "more_neighbors"])
def test_remedies_join_in_silence(remedy):
    method = LaplacianEigenmaps(disconnected=remedy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        embedding = method.fit_transform(BLOBS)
    more = remedy == "more_neighbors"
    assert method.n_connected_components_ == (1 if more else 2)
    assert (method.n_neighbors_ > method.n_neighbors) == more
    per_join = {
        "bridges": 1,
        "enhanced": 1 + round(intrinsic_dimension(BLOBS)),
        "more_neighbors": 0,
    }
    assert len(method.added_edges_) == 1 * per_join[remedy]
    assert np.ptp(embedding[:30], axis=0).min() > 0


def test_two_fits_are_identical_and_signs_are_fixed():
    one, other = (LaplacianEigenmaps().fit_transform(ROLL) for _ in range(2))
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


def test_too_many_components_are_an_error():
    with pytest.raises(ValueError, match="n_components=9 is too high for 10 samples"):
        LaplacianEigenmaps(9, n_neighbors=3).fit(ROLL[:10])


@pytest.mark.filterwarnings("ignore:the neighborhood graph", "ignore:Graph is not fully")
@parametrize_with_checks([LaplacianEigenmaps(n_neighbors=5, disconnected="warn")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
