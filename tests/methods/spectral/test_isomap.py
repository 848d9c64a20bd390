import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn import manifold
from sklearn.neighbors import kneighbors_graph
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.spectral.isomap import Isomap
from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

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


def test_lengths_of_edges_are_those_of_scikit_learn(roll):
    # Bit for bit: of two neighbors, the shortest path is the edge itself.
    isomap = Isomap(n_neighbors=12).fit(roll)
    graph = kneighbors_graph(roll, 12, mode="distance").tocoo()
    assert_array_equal(isomap.dist_matrix_[graph.row, graph.col], graph.data)


def test_complete_graph_gives_classical_scaling(rng):
    X = rng.standard_normal((50, 3))
    embedding = Isomap(3, n_neighbors=49).fit_transform(X)
    assert_allclose(pdist(embedding), pdist(X), atol=1e-9)


def test_connected_graph_gets_no_edges(roll):
    isomap = Isomap(n_neighbors=12, disconnected="error").fit(roll)
    assert isomap.n_connected_components_ == 1
    assert isomap.added_edges_.shape == (0, 2)


def test_disconnected_graph_is_joined_with_warning(three_clusters):
    with pytest.warns(DisconnectedGraphWarning, match="3 connected components") as record:
        isomap = Isomap(n_neighbors=7).fit(three_clusters)
    assert record[0].filename == __file__
    assert isomap.n_connected_components_ == 3
    assert_array_equal(np.sort(isomap.added_edges_ // 30), [[0, 1], [0, 2], [1, 2]])
    i, j = isomap.added_edges_.T
    lengths = np.linalg.norm(three_clusters[i] - three_clusters[j], axis=1)
    assert_allclose(isomap.dist_matrix_[i, j], lengths)
    message = str(record[0].message)
    assert (
        f"depend on edges added between their closest points, the longest of length "
        f"{lengths.max():.3g}. A higher" in message
    )


def test_disconnected_graph_raises_on_request(three_clusters):
    message = r"3 connected components \(of 30, 30, 30 points\): no geodesic distances exist"
    with pytest.raises(ValueError, match=message):
        Isomap(n_neighbors=7, disconnected="error").fit(three_clusters)


@ignore_disconnected
def test_duplicates_have_distance_zero(rng):
    X = np.repeat(rng.standard_normal((8, 2)), 7, axis=0)
    isomap = Isomap(n_neighbors=4).fit(X)
    assert isomap.n_connected_components_ >= 8
    assert_allclose(isomap.dist_matrix_[:7, :7], 0)
    assert np.isfinite(isomap.dist_matrix_).all()


@pytest.mark.parametrize("remedy", ["bridges", "enhanced", "more_neighbors"])
def test_remedies_connect_without_warning(remedy, three_clusters):
    method = Isomap(n_neighbors=7, disconnected=remedy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        embedding = method.fit_transform(three_clusters)
    more = remedy == "more_neighbors"
    assert method.n_connected_components_ == (1 if more else 3)
    assert (method.n_neighbors_ > method.n_neighbors) == more
    edges_per_join = {
        "bridges": 1,
        "enhanced": 1 + round(intrinsic_dimension(three_clusters)),
        "more_neighbors": 0,
    }
    assert len(method.added_edges_) == 2 * edges_per_join[remedy]
    assert np.ptp(embedding[:30], axis=0).min() > 0


@pytest.mark.parametrize("n_samples", [150, 400])  # dense and iterative eigensolver
def test_repeated_fits_are_identical_and_signs_are_fixed(n_samples, roll):
    one, other = (Isomap(n_neighbors=12).fit_transform(roll[:n_samples]) for _ in range(2))
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


def test_too_few_rows_raise(roll):
    with pytest.raises(ValueError, match="n_neighbors"):
        Isomap(n_neighbors=10).fit(roll[:10])


@ignore_disconnected
@parametrize_with_checks([Isomap()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
