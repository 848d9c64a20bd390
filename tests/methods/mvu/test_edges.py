import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from nldr.methods.mvu._edges import (
    edges_and_squared_lengths,
    squared_lengths,
    unbounded_variance_message,
)
from nldr.neighborhoods.graphs import knn_graph


def test_edges_of_both_directions_are_listed_once(rng):
    X = rng.standard_normal((30, 3))
    graph = knn_graph(X, 4)
    edges, squared = edges_and_squared_lengths(graph, X)
    assert_array_equal(edges, np.argwhere(np.triu((graph + graph.T).toarray())))
    assert_allclose(squared, np.linalg.norm(X[edges[:, 0]] - X[edges[:, 1]], axis=1) ** 2)
    assert_allclose(squared_lengths(X, edges), squared)


def test_message_mentions_joining_only_if_edges_were_added():
    graph = knn_graph(np.array([[0.0], [1.0]]), 1)
    assert "was joined" not in unbounded_variance_message(graph, np.empty((0, 2), dtype=int))
    assert "was joined" in unbounded_variance_message(graph, np.array([[0, 1]]))
