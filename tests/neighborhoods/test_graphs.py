import numpy as np
import pytest
from numpy.testing import assert_array_equal
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


def test_knn_graph_equals_brute_force_and_scikit_learn(rng):
    X = rng.standard_normal((60, 4))
    distances = cdist(X, X) + np.diag(np.full(60, np.inf))
    expected = np.zeros((60, 60))
    np.put_along_axis(expected, distances.argsort(axis=1)[:, :7], 1, axis=1)
    graph = knn_graph(X, 7)
    assert_array_equal(graph.toarray(), expected)
    assert_array_equal(graph.toarray(), kneighbors_graph(X, 7).toarray())
    assert graph.indices.dtype == graph.indptr.dtype == np.int32


def test_duplicates_are_neighbors_of_each_other_but_not_of_themselves():
    graph = knn_graph(np.repeat([[0.0], [1.0]], 4, axis=0), 3).toarray()
    assert_array_equal(graph, np.kron(np.eye(2), 1 - np.eye(4)))


def test_too_few_points_raise():
    with pytest.raises(ValueError, match="n_neighbors"):
        knn_graph(np.zeros((5, 1)), 5)


def test_explicit_zeros_are_edges():
    graph = csr_array((np.zeros(1), [1], [0, 1, 1]), shape=(2, 2))
    assert_array_equal(component_labels(graph), [0, 0])


def test_closed_groups_are_mutually_reachable_and_reach_nothing_else(rng):
    for _ in range(20):
        dense = rng.random((12, 12)) < 0.12
        reach = np.linalg.matrix_power(dense + np.eye(12), 12) > 0
        closed = [i for i in range(12) if all(reach[j, i] for j in np.flatnonzero(reach[i]))]
        labels = closed_group_labels(csr_array(dense.astype(float)))
        assert_array_equal(np.flatnonzero(labels >= 0), closed)
        for i in closed:
            assert_array_equal(labels == labels[i], reach[i])


def test_number_of_closed_groups_is_dimension_of_harmonic_functions(rng):
    # Functions that equal their mean over the neighbors of each point: one per closed group.
    walk = knn_graph(rng.standard_normal((150, 2)), 3)
    n_closed = closed_group_labels(walk).max() + 1
    assert n_closed > connected_components(walk, directed=False)[0]
    singular_values = np.linalg.svd(np.eye(150) - walk.toarray() / 3, compute_uv=False)
    assert np.count_nonzero(singular_values < 1e-10) == n_closed


def test_message_lists_largest_components():
    labels = np.repeat(np.arange(-1, 6), [3, 1, 2, 9, 4, 5, 6])
    message = (
        r"^the neighborhood graph of 30 points has 6 connected components "
        r"\(of 9, 6, 5, 4, 2, … points\): too bad\. A higher n_neighbors may connect it$"
    )
    with pytest.warns(DisconnectedGraphWarning, match=message):
        assert check_connected(labels, "warn", "too bad") == 6
    with pytest.raises(ValueError, match=message):
        check_connected(labels, "error", "too bad")


def test_closest_pairs_are_closest_for_each_pair_of_components(rng):
    labels = rng.permutation(np.repeat([0, 1, 2, 3], 10))
    X = rng.standard_normal((40, 3))
    pairs, lengths = closest_pairs(X, labels)
    assert len(pairs) == 6
    distances = cdist(X, X)
    for (i, j), length in zip(pairs, lengths, strict=True):
        block = distances[np.ix_(labels == labels[i], labels == labels[j])]
        assert length == pytest.approx(block.min()) == pytest.approx(distances[i, j])
    assert {frozenset(labels[pair]) for pair in pairs} == {
        frozenset({a, b}) for a in range(4) for b in range(a)
    }


def test_single_component_has_no_closest_pairs():
    pairs, lengths = closest_pairs(np.zeros((3, 1)), np.zeros(3, dtype=int))
    assert pairs.shape == (0, 2)
    assert lengths.shape == (0,)
