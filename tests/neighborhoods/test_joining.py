import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from nldr.neighborhoods.graphs import (
    closed_group_labels,
    closest_pairs,
    component_labels,
    knn_graph,
)
from nldr.neighborhoods.joining import join_nearest, joining_edges, neighbors_to_use, with_edges

RNG = np.random.default_rng(0)
blob = RNG.permutation(np.repeat(np.arange(4), 15))
X = RNG.standard_normal((60, 2)) + 40 * RNG.standard_normal((4, 2))[blob]


def test_bridges_are_a_minimum_spanning_tree_of_the_parts():
    edges = joining_edges(X, blob, "bridges")
    distances = cdist(X, X)
    between = [[distances[np.ix_(blob == a, blob == b)].min() for b in range(4)] for a in range(4)]
    expected = minimum_spanning_tree(np.array(between) * (1 - np.eye(4))).sum()
    assert distances[tuple(edges.T)].sum() == pytest.approx(expected)
    assert component_labels(with_edges(knn_graph(X, 5), edges)).max() == 0


def test_enhanced_edges_are_one_more_than_dimensions_and_share_no_point_of_a_join():
    edges = joining_edges(X, blob, "enhanced")
    assert len(edges) == 3 * 3
    for join in edges.reshape(3, 3, 2):
        assert len(np.unique(join)) == 6
        lengths = np.linalg.norm(X[join[:, 0]] - X[join[:, 1]], axis=1)
        assert np.all(np.diff(lengths) >= 0)
    assert_array_equal(edges[::3], joining_edges(X, blob, "bridges"))
    assert component_labels(with_edges(knn_graph(X, 5), edges)).max() == 0


def test_closest_pairs_are_one_for_each_two_parts():
    assert_array_equal(joining_edges(X, blob, "closest"), closest_pairs(X, blob)[0])


def test_small_parts_and_points_of_none():
    points = np.array([[0.0], [1.0], [2.0], [5.0], [3.0]])
    assert_array_equal(join_nearest(points, np.array([0, 0, 0, 1, -1]), 3), [[2, 3]])


@pytest.mark.parametrize("remedy", ["error", "warn", "more_neighbors"])
def test_other_remedies_add_no_edge(remedy):
    assert joining_edges(X, blob, remedy).shape == (0, 2)


@pytest.mark.parametrize("remedy", ["bridges", "enhanced"])
def test_one_part_needs_no_edge(remedy):
    assert joining_edges(X, np.zeros(60, dtype=int), remedy).shape == (0, 2)


def test_edges_go_both_ways_and_count_once():
    graph = knn_graph(X, 3)
    i, j = graph.nonzero()
    edges = np.array([[i[0], j[0]], [0, 59]])
    expected = graph.toarray()
    expected[edges[:, 0], edges[:, 1]] = expected[edges[:, 1], edges[:, 0]] = 1
    joined = with_edges(graph, edges)
    assert_array_equal(joined.toarray(), expected)
    assert joined.indices.dtype == np.int32


@pytest.mark.parametrize("parts", [component_labels, closed_group_labels])
def test_smallest_number_of_neighbors_that_connects(parts):
    n_neighbors = neighbors_to_use(X, 3, "more_neighbors", parts)
    numbers = [parts(knn_graph(X, k)).max() + 1 for k in range(3, n_neighbors + 1)]
    assert numbers[-1] == 1
    assert min(numbers[:-1]) > 1
    assert neighbors_to_use(X, 3, "enhanced", parts) == 3


def test_enough_neighbors_are_kept():
    assert neighbors_to_use(X, 59, "more_neighbors", component_labels) == 59
    assert neighbors_to_use(X, 70, "more_neighbors", component_labels) == 70
