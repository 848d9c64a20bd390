"""What to do about a neighborhood graph that falls into parts: join them by edges, or others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from nldr.neighborhoods.dimension import intrinsic_dimension
from nldr.neighborhoods.graphs import (
    check_connected,
    closest_pairs,
    component_labels,
    knn_graph,
)

REMEDIES = {"error", "warn", "bridges", "enhanced", "more_neighbors"}


def joining_edges(X: NDArray, labels: NDArray, disconnected: str) -> NDArray:
    """Return the edges by which a remedy makes one part of several.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    labels : ndarray of shape (n_samples,)
        Part of each point; negative for points of none, which get no edge.
    disconnected : str
        ``"bridges"``: the shortest edges that join all parts, a minimum spanning tree between
        them. ``"enhanced"``: the enhanced neighborhood graph of Fan et al., see
        :func:`join_nearest`, with one more edge between two parts than the data have
        dimensions, by :func:`nldr.neighborhoods.intrinsic_dimension`: enough points on
        both sides to span a space of that dimension. ``"closest"``: the closest pair of
        each two components, as
        scikit-learn's Isomap does. Any other remedy adds none.

    Returns
    -------
    ndarray of shape (n_added, 2)
        Pairs of row indices.

    References
    ----------
    J. Fan, T. Chow, M. Zhao and J. Ho, "Nonlinear dimensionality reduction for data with
    disconnected neighborhood graph", Neural Processing Letters 47, 2018, as told in Costa, Maximum
    Variance Unfolding on Disjoint Manifolds, §3.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [8.0], [9.5]])
    >>> joining_edges(X, np.array([0, 0, 1, 1]), "bridges")
    array([[1, 2]])
    """
    if disconnected == "closest":
        return closest_pairs(X, labels)[0]
    if disconnected == "bridges":
        return join_nearest(X, labels, 1)
    if disconnected == "enhanced" and labels.max() > 0:
        return join_nearest(X, labels, 1 + max(round(intrinsic_dimension(X)), 1))
    return np.empty((0, 2), dtype=int)


def join_nearest(X: NDArray, labels: NDArray, n_edges: int) -> NDArray:
    """Return edges that join the nearest two parts, then the nearest two of what is left.

    Parts are joined by their closest pair of points, then by the closest pair of which neither
    point has been taken, and so on.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    labels : ndarray of shape (n_samples,)
        Part of each point; negative for points of none, which get no edge.
    n_edges : int
        Number of edges between two parts, fewer where one has fewer points.

    Returns
    -------
    ndarray of shape (n_added, 2)
        Pairs of row indices; with one edge each, a minimum spanning tree of the parts.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [8.0], [9.5]])
    >>> join_nearest(X, np.array([0, 0, 1, 1]), 2)
    array([[1, 2],
           [0, 3]])
    """
    known = np.flatnonzero(labels >= 0)
    pairs, lengths = closest_pairs(X[known], labels[known])
    group = labels.copy()
    edges = [np.empty((0, 2), dtype=int)]
    for i, j in known[pairs[np.argsort(lengths, kind="stable")]]:
        if group[i] != group[j]:
            one, other = np.flatnonzero(group == group[i]), np.flatnonzero(group == group[j])
            edges.append(_closest_apart(X, one, other, n_edges))
            group[other] = group[i]
    return np.concatenate(edges)


def _closest_apart(X: NDArray, one: NDArray, other: NDArray, n_edges: int) -> NDArray:
    """Return the closest pairs of two groups, no point twice."""
    from sklearn.metrics import pairwise_distances

    distances = pairwise_distances(X[one], X[other])
    edges = []
    for _ in range(min(n_edges, len(one), len(other))):
        i, j = np.unravel_index(distances.argmin(), distances.shape)
        edges.append((one[i], other[j]))
        distances[i], distances[:, j] = np.inf, np.inf
    return np.array(edges)


def with_edges(graph: csr_array, edges: NDArray) -> csr_array:
    """Return a directed graph with further edges, both ways.

    Parameters
    ----------
    graph : csr_array of shape (n_nodes, n_nodes)
        Ones from row to column.
    edges : ndarray of shape (n_edges, 2)
        Pairs of nodes.

    Returns
    -------
    csr_array of shape (n_nodes, n_nodes)
        Ones, columns of each row ascending; the graph itself if there are no edges.

    Examples
    --------
    >>> with_edges(knn_graph(np.array([[0.0], [1.0], [3.0]]), 1), np.array([[0, 2]])).toarray()
    array([[0., 1., 1.],
           [1., 0., 0.],
           [1., 1., 0.]])
    """
    if len(edges) == 0:
        return graph
    known = graph.tocoo()
    rows = np.concatenate([known.row, edges[:, 0], edges[:, 1]]).astype(np.int32)
    columns = np.concatenate([known.col, edges[:, 1], edges[:, 0]]).astype(np.int32)
    joined = coo_array((np.ones(len(rows)), (rows, columns)), shape=graph.shape).tocsr()
    joined.sum_duplicates()
    joined.data[:] = 1
    return joined


def neighbors_to_use(
    X: NDArray, n_neighbors: int, disconnected: str, parts: Callable[[csr_array], NDArray]
) -> int:
    """Return the number of neighbors that a remedy asks for.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    n_neighbors : int
        The fewest.
    disconnected : str
        With ``"more_neighbors"``, the smallest number not below `n_neighbors` at which there is one
        part, found by bisection: more neighbors never make more parts. Else `n_neighbors`.
    parts : callable
        Returns the part of each node of a graph, negative for nodes of none.

    Returns
    -------
    int
        The number, at most ``n_samples - 1`` unless that is less than `n_neighbors`.

    Examples
    --------
    >>> from nldr.neighborhoods.graphs import component_labels
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> neighbors_to_use(X, 1, "more_neighbors", component_labels)
    2
    """
    if disconnected != "more_neighbors":
        return n_neighbors

    low, high = n_neighbors, max(n_neighbors, len(X) - 1)
    while low < high:
        middle = (low + high) // 2
        if parts(knn_graph(X, middle)).max() > 0:
            low = middle + 1
        else:
            high = middle
    return low


@dataclass(frozen=True)
class RepairedGraph:
    """A graph of nearest neighbors after the remedy for several connected components.

    Attributes
    ----------
    graph : csr_array of shape (n_samples, n_samples)
        Ones from each row to its neighbors, added edges included in both directions.
    n_neighbors : int
        Number of neighbors used.
    n_connected_components : int
        Number of connected components before edges were added.
    added_edges : ndarray of shape (n_added, 2)
        Pairs of row indices that were joined.
    """

    graph: csr_array
    n_neighbors: int
    n_connected_components: int
    added_edges: NDArray


def repair(
    X: NDArray,
    n_neighbors: int,
    disconnected: str,
    consequence: str | Callable[[csr_array, NDArray], str],
    *,
    labels_of: Callable[[csr_array], NDArray] = component_labels,
    join_after_warning: bool = False,
) -> RepairedGraph:
    """Return the graph of nearest neighbors, repaired as asked where it is disconnected.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    n_neighbors : int
        Number of neighbors of a point, itself not counted.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}
        Raise, warn, add edges (see :func:`joining_edges`), or take the smallest number of
        neighbors that connects the graph.
    consequence : str or callable
        What several components mean for the embedding; ends the message of the error or warning.
        A callable is given the graph before the repair and the added edges.
    labels_of : callable, default=component_labels
        Returns the component of each node of a graph, negative for nodes outside all components.
    join_after_warning : bool, default=False
        With ``"warn"``, join each two components by their closest pair of points.

    Returns
    -------
    RepairedGraph
        The graph and what was done to it.

    Raises
    ------
    ValueError
        With ``"error"``, if there are several components.

    Warns
    -----
    DisconnectedGraphWarning
        With ``"warn"``, if there are several components.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [8.0], [9.5]])
    >>> repair(X, 1, "bridges", "").added_edges
    array([[1, 2]])
    """
    n_neighbors = neighbors_to_use(X, n_neighbors, disconnected, labels_of)
    graph = knn_graph(X, n_neighbors)
    labels = labels_of(graph)
    remedy = "closest" if join_after_warning and disconnected == "warn" else disconnected
    added = joining_edges(X, labels, remedy)
    message = consequence if isinstance(consequence, str) else consequence(graph, added)
    n_components = check_connected(labels, disconnected, message, stacklevel=5)
    return RepairedGraph(with_edges(graph, added), n_neighbors, n_components, added)
