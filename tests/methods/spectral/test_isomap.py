import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn import manifold
from sklearn.datasets import make_swiss_roll
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.spectral.isomap import Isomap
from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

RNG = np.random.default_rng(0)
ROLL = make_swiss_roll(400, random_state=0)[0]
BLOBS = RNG.standard_normal((90, 3)) + 30 * np.repeat(np.eye(3), 30, axis=0)
JOINED = pytest.mark.filterwarnings(
    "ignore:the neighborhood graph", "ignore:The number of connected components"
)


@JOINED
@pytest.mark.parametrize("X", [ROLL, ROLL[:150], BLOBS], ids=["iterative", "dense", "joined"])
@pytest.mark.parametrize("n_neighbors", [5, 12])
def test_equals_that_of_scikit_learn(X, n_neighbors):
    ours = Isomap(3, n_neighbors=n_neighbors).fit(X)
    theirs = manifold.Isomap(n_components=3, n_neighbors=n_neighbors).fit(X)
    assert_allclose(ours.dist_matrix_, theirs.dist_matrix_, rtol=1e-12)
    scale = np.abs(theirs.embedding_).max()
    assert_allclose(ours.embedding_, theirs.embedding_, atol=1e-9 * scale)
    queries = X[:7] + 0.1
    assert_allclose(ours.transform(queries), theirs.transform(queries), atol=1e-9 * scale)


def test_neighbors_without_end_give_classical_scaling():
    X = RNG.standard_normal((50, 3))
    embedding = Isomap(3, n_neighbors=49).fit_transform(X)
    assert_allclose(pdist(embedding), pdist(X), atol=1e-9)


def test_connected_graph_gets_no_edges():
    isomap = Isomap(n_neighbors=12, disconnected="error").fit(ROLL)
    assert isomap.n_connected_components_ == 1
    assert isomap.added_edges_.shape == (0, 2)


def test_parts_are_joined_on_record():
    with pytest.warns(
        DisconnectedGraphWarning, match=r"3 parts .* added edges .* the longest of 3\d\."
    ):
        isomap = Isomap().fit(BLOBS)
    assert isomap.n_connected_components_ == 3
    assert_array_equal(np.sort(isomap.added_edges_ // 30), [[0, 1], [0, 2], [1, 2]])
    i, j = isomap.added_edges_.T
    lengths = np.linalg.norm(BLOBS[i] - BLOBS[j], axis=1)
    assert_allclose(isomap.dist_matrix_[i, j], lengths)


def test_parts_are_refused_on_demand():
    with pytest.raises(ValueError, match=r"falls into 3 parts \(of 30, 30, 30 points\)"):
        Isomap(disconnected="error").fit(BLOBS)


@JOINED
def test_duplicates_have_no_distance():
    X = np.repeat(RNG.standard_normal((8, 2)), 7, axis=0)
    isomap = Isomap(n_neighbors=4).fit(X)
    assert isomap.n_connected_components_ >= 8
    assert_allclose(isomap.dist_matrix_[:7, :7], 0)
    assert np.isfinite(isomap.dist_matrix_).all()


@pytest.mark.parametrize("remedy", ["bridges", "enhanced", "more_neighbors"])
def test_remedies_join_in_silence(remedy):
    method = Isomap(disconnected=remedy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        embedding = method.fit_transform(BLOBS)
    more = remedy == "more_neighbors"
    assert method.n_connected_components_ == (1 if more else 3)
    assert (method.n_neighbors_ > method.n_neighbors) == more
    per_join = {
        "bridges": 1,
        "enhanced": 1 + round(intrinsic_dimension(BLOBS)),
        "more_neighbors": 0,
    }
    assert len(method.added_edges_) == 2 * per_join[remedy]
    assert np.ptp(embedding[:30], axis=0).min() > 0


@pytest.mark.parametrize("n_samples", [150, 400])
def test_two_fits_are_identical_and_signs_are_fixed(n_samples):
    one, other = (Isomap(n_neighbors=12).fit_transform(ROLL[:n_samples]) for _ in range(2))
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


def test_too_few_rows_are_an_error():
    with pytest.raises(ValueError, match="n_neighbors"):
        Isomap(n_neighbors=10).fit(ROLL[:10])


@JOINED
@parametrize_with_checks([Isomap(), Isomap(1, n_neighbors=3)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
