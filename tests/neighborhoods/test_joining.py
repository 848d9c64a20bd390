import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import (
    DisconnectedGraphWarning,
    closed_group_labels,
    closest_pairs,
    component_labels,
    knn_graph,
)
from nldr.neighborhoods.joining import (
    join_nearest,
    joining_edges,
    neighbors_to_use,
    repair,
    with_edges,
)

CORNERS = np.array([[0.0, 0.0], [30.0, 0.0], [0.0, 40.0], [70.0, 60.0]])


@pytest.fixture
def cluster(rng):
    """Labels of four clusters of 15 points."""
    return rng.permutation(np.repeat(np.arange(4), 15))


@pytest.fixture
def X(rng, cluster):
    """Points of the four clusters: standard deviation 1, at least 30 apart."""
    return rng.standard_normal((60, 2)) + CORNERS[cluster]


def test_bridges_are_minimum_spanning_tree_of_components(X, cluster):
    edges = joining_edges(X, cluster, "bridges")
    distances = cdist(X, X)
    between = np.array(
        [[distances[np.ix_(cluster == a, cluster == b)].min() for b in range(4)] for a in range(4)]
    )
    expected = minimum_spanning_tree(between * (1 - np.eye(4))).sum()
    assert distances[tuple(edges.T)].sum() == pytest.approx(expected)
    assert component_labels(with_edges(knn_graph(X, 7), edges)).max() == 0


def test_enhanced_edges_are_disjoint_and_one_more_than_dimension(X, cluster):
    edges = joining_edges(X, cluster, "enhanced")
    n_edges = 1 + round(intrinsic_dimension(X))
    assert len(edges) == 3 * n_edges
    for join in edges.reshape(3, n_edges, 2):
        assert len(np.unique(join)) == 2 * n_edges
        lengths = np.linalg.norm(X[join[:, 0]] - X[join[:, 1]], axis=1)
        assert np.all(np.diff(lengths) >= 0)
    assert_array_equal(edges[::n_edges], joining_edges(X, cluster, "bridges"))


def test_closest_adds_one_edge_per_pair_of_components(X, cluster):
    assert_array_equal(joining_edges(X, cluster, "closest"), closest_pairs(X, cluster)[0])


def test_small_component_limits_edges_and_unlabeled_points_get_none():
    points = np.array([[0.0], [1.0], [2.0], [5.0], [3.0]])
    assert_array_equal(join_nearest(points, np.array([0, 0, 0, 1, -1]), 3), [[2, 3]])


@pytest.mark.parametrize("remedy", ["bridges", "enhanced", "closest"])
def test_single_component_gets_no_edges(X, remedy):
    assert joining_edges(X, np.zeros(60, dtype=int), remedy).shape == (0, 2)


def test_added_edges_are_symmetric_and_not_counted_twice(X):
    graph = knn_graph(X, 3)
    i, j = graph.nonzero()
    edges = np.array([[i[0], j[0]], [0, 59]])
    expected = graph.toarray()
    expected[edges[:, 0], edges[:, 1]] = expected[edges[:, 1], edges[:, 0]] = 1
    joined = with_edges(graph, edges)
    assert_array_equal(joined.toarray(), expected)
    assert joined.indices.dtype == np.int32


@pytest.mark.parametrize("labels_of", [component_labels, closed_group_labels])
def test_more_neighbors_is_smallest_number_that_connects(X, labels_of):
    n_neighbors = neighbors_to_use(X, 3, "more_neighbors", labels_of)
    n_components = [labels_of(knn_graph(X, k)).max() + 1 for k in range(3, n_neighbors + 1)]
    assert n_components[-1] == 1
    assert min(n_components[:-1]) > 1


@pytest.mark.parametrize(
    ("n_neighbors", "remedy"), [(3, "enhanced"), (59, "more_neighbors"), (70, "more_neighbors")]
)
def test_number_of_neighbors_is_kept(X, n_neighbors, remedy):
    assert neighbors_to_use(X, n_neighbors, remedy, component_labels) == n_neighbors


@pytest.mark.parametrize("disconnected", ["error", "warn", "bridges", "enhanced", "more_neighbors"])
def test_repair_leaves_connected_graph_unchanged(rng, disconnected):
    X = rng.standard_normal((20, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        repaired = repair(X, 12, disconnected, "", join_after_warning=True)
    assert_array_equal(repaired.graph.toarray(), knn_graph(X, 12).toarray())
    assert repaired.n_neighbors == 12
    assert repaired.n_connected_components == 1
    assert repaired.added_edges.shape == (0, 2)


def test_repair_raises(X):
    message = (
        r"^the neighborhood graph of 60 points has 4 connected components "
        r"\(of 15, 15, 15, 15 points\): too bad\. A higher n_neighbors may connect it$"
    )
    with pytest.raises(ValueError, match=message):
        repair(X, 7, "error", "too bad")


def test_repair_counts_and_joins_components_of_given_labels():
    # The graph is connected, but both sides of the point at 5.2 form a closed group.
    line = np.array([[0.0], [1.0], [2.0], [5.2], [8.0], [9.0], [10.0]])
    assert repair(line, 2, "error", "").n_connected_components == 1
    repaired = repair(line, 2, "bridges", "", labels_of=closed_group_labels)
    assert repaired.n_connected_components == 2
    assert_array_equal(repaired.added_edges, [[2, 4]])
    assert closed_group_labels(repaired.graph).max() == 0


def test_repair_passes_graph_and_added_edges_to_consequence(X):
    def consequence(graph, added_edges):
        assert_array_equal(graph.toarray(), knn_graph(X, 7).toarray())
        return f"{len(added_edges)} edges were added"

    with pytest.warns(DisconnectedGraphWarning, match=r"points\): 6 edges were added\. A higher"):
        repair(X, 7, "warn", consequence, join_after_warning=True)
