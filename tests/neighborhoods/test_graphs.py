import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph

from nldr.neighborhoods.graphs import (
    DisconnectedGraphWarning,
    check_connected,
    closed_group_labels,
    closest_pairs,
    component_labels,
    knn_graph,
)

RNG = np.random.default_rng(0)


def test_knn_graph_equals_brute_force_and_scikit_learn():
    X = RNG.standard_normal((60, 4))
    distances = cdist(X, X) + np.diag(np.full(60, np.inf))
    expected = np.zeros((60, 60))
    np.put_along_axis(expected, distances.argsort(axis=1)[:, :7], 1, axis=1)
    graph = knn_graph(X, 7)
    assert_array_equal(graph.toarray(), expected)
    assert_array_equal(graph.toarray(), kneighbors_graph(X, 7).toarray())
    assert graph.indices.dtype == graph.indptr.dtype == np.int32


def test_duplicates_are_neighbors_of_each_other_not_of_themselves():
    graph = knn_graph(np.repeat([[0.0], [1.0]], 4, axis=0), 3).toarray()
    assert_array_equal(graph, np.kron(np.eye(2), 1 - np.eye(4)))


def test_too_few_points_are_an_error():
    with pytest.raises(ValueError, match="n_neighbors"):
        knn_graph(np.zeros((5, 1)), 5)


@pytest.mark.parametrize("n_blobs", [1, 2, 5])
def test_components_are_the_blobs(n_blobs):
    blob = np.repeat(np.arange(n_blobs), 12)
    order = RNG.permutation(len(blob))
    X = RNG.standard_normal((len(blob), 3)) + 100 * blob[:, np.newaxis]
    labels = component_labels(knn_graph(X[order], 6))
    assert len(set(zip(labels, blob[order], strict=True))) == n_blobs == labels.max() + 1


def test_edges_of_length_zero_connect():
    graph = csr_array((np.zeros(1), [1], [0, 1, 1]), shape=(2, 2))
    assert_array_equal(component_labels(graph), [0, 0])


def test_closed_groups_are_what_can_be_reached_from_everywhere_in_them():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        dense = rng.random((12, 12)) < 0.12
        reach = np.linalg.matrix_power(dense + np.eye(12), 12) > 0
        closed = [i for i in range(12) if all(reach[j, i] for j in np.flatnonzero(reach[i]))]
        labels = closed_group_labels(csr_array(dense.astype(float)))
        assert_array_equal(np.flatnonzero(labels >= 0), closed)
        for i in closed:
            assert_array_equal(labels == labels[i], reach[i])


def test_closed_groups_count_the_harmonic_functions():
    # Of a random walk as many functions are their own mean as there are closed groups.
    X = RNG.standard_normal((150, 2))
    walk = knn_graph(X, 3)
    n_closed = closed_group_labels(walk).max() + 1
    assert n_closed > connected_components(walk)[0]
    values = np.linalg.svd(np.eye(150) - walk.toarray() / 3, compute_uv=False)
    assert np.count_nonzero(values < 1e-10) == n_closed


def test_one_part_passes_in_silence():
    assert check_connected(np.array([0, -1, 0]), "error", "") == 1


def test_parts_are_told_by_size():
    labels = np.repeat(np.arange(-1, 6), [3, 1, 2, 9, 4, 5, 6])
    text = r"of 30 points falls into 6 parts \(of 9, 6, 5, 4, 2, … points\): a pity\. A higher"
    with pytest.warns(DisconnectedGraphWarning, match=text):
        assert check_connected(labels, "warn", "a pity") == 6
    with pytest.raises(ValueError, match=text):
        check_connected(labels, "error", "a pity")


def test_closest_pairs_join_each_two_parts():
    labels = RNG.permutation(np.repeat([0, 1, 2, 3], 10))
    X = RNG.standard_normal((40, 3))
    pairs, lengths = closest_pairs(X, labels)
    assert len(pairs) == 6
    distances = cdist(X, X)
    for (i, j), length in zip(pairs, lengths, strict=True):
        block = distances[np.ix_(labels == labels[i], labels == labels[j])]
        assert length == pytest.approx(block.min()) == pytest.approx(distances[i, j])
    assert {frozenset(labels[pair]) for pair in pairs} == {
        frozenset({a, b}) for a in range(4) for b in range(a)
    }


def test_one_part_needs_no_pairs():
    pairs, lengths = closest_pairs(np.zeros((3, 1)), np.zeros(3, dtype=int))
    assert pairs.shape == (0, 2)
    assert_allclose(lengths, [])
