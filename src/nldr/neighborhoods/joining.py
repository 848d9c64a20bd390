"""Remedies for neighborhood graphs with several connected components."""

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

# Values of the parameter `disconnected` of methods that use a neighborhood graph, see `repair`.
REMEDIES = {"error", "warn", "bridges", "enhanced", "more_neighbors"}


def joining_edges(X: NDArray, labels: NDArray, disconnected: str) -> NDArray:
    """Return the edges that a remedy adds to join the components of a graph.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    labels : ndarray of shape (n_samples,)
        Component of each point; negative for points outside all components, which get no edge.
    disconnected : str
        Remedy; values other than these three add no edges.

        - ``"bridges"``: the shortest edges that join all components, a minimum spanning tree
          between them.
        - ``"enhanced"``: the enhanced neighborhood graph of Fan et al. The same pairs of components
          are joined as with ``"bridges"``, each by d + 1 edges that share no point (see
          :func:`join_nearest`), where d is the estimate of
          :func:`nldr.neighborhoods.intrinsic_dimension`, rounded and at least 1. That many points
          on each side fix the relative position of two components of dimension d.
        - ``"closest"``: the closest pair of points of each pair of components, as in
          scikit-learn's Isomap.

    Returns
    -------
    ndarray of shape (n_added, 2)
        Pairs of row indices.

    References
    ----------
    J. Fan, T. Chow, M. Zhao and J. Ho, "Nonlinear dimensionality reduction for data with
    disconnected neighborhood graph", Neural Processing Letters 47, 2018; the construction follows
    the description in Costa, "Maximum Variance Unfolding on Disjoint Manifolds", §3.

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
    """Return edges that join the two nearest components, then the next two, until one is left.

    Two components are joined by their closest pair of points, then by the closest pair of the
    points not used yet, and so on.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    labels : ndarray of shape (n_samples,)
        Component of each point; negative for points outside all components, which get no edge.
    n_edges : int
        Number of edges per join; fewer if one side has fewer points.

    Returns
    -------
    ndarray of shape (n_added, 2)
        Pairs of row indices; for ``n_edges=1``, a minimum spanning tree of the components.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [8.0], [9.5]])
    >>> join_nearest(X, np.array([0, 0, 1, 1]), 2)
    array([[1, 2],
           [0, 3]])
    """
    # Closest pairs of all pairs of components
    members = np.flatnonzero(labels >= 0)
    pairs, lengths = closest_pairs(X[members], labels[members])

    # Kruskal's algorithm: shortest first, skip pairs whose components are joined already
    group = labels.copy()
    edges = [np.empty((0, 2), dtype=int)]
    for i, j in members[pairs[np.argsort(lengths, kind="stable")]]:
        if group[i] != group[j]:
            one, other = np.flatnonzero(group == group[i]), np.flatnonzero(group == group[j])
            edges.append(_closest_disjoint_pairs(X, one, other, n_edges))
            group[other] = group[i]
    return np.concatenate(edges)


def _closest_disjoint_pairs(X: NDArray, one: NDArray, other: NDArray, n_edges: int) -> NDArray:
    """Return the closest pairs between two groups of points, each point used at most once."""
    from sklearn.metrics import pairwise_distances

    distances = pairwise_distances(X[one], X[other])
    edges = []
    for _ in range(min(n_edges, len(one), len(other))):
        i, j = np.unravel_index(distances.argmin(), distances.shape)
        edges.append((one[i], other[j]))
        # Exclude both points from further pairs
        distances[i], distances[:, j] = np.inf, np.inf
    return np.array(edges)


def with_edges(graph: csr_array, edges: NDArray) -> csr_array:
    """Return a directed graph with added edges in both directions.

    Parameters
    ----------
    graph : csr_array of shape (n_nodes, n_nodes)
        Ones for edges from row to column.
    edges : ndarray of shape (n_edges, 2)
        Pairs of nodes.

    Returns
    -------
    csr_array of shape (n_nodes, n_nodes)
        Ones for edges, column indices sorted; the input itself if there are no edges to add.

    Examples
    --------
    >>> with_edges(knn_graph(np.array([[0.0], [1.0], [3.0]]), 1), np.array([[0, 2]])).toarray()
    array([[0., 1., 1.],
           [1., 0., 0.],
           [1., 1., 0.]])
    """
    if len(edges) == 0:
        return graph

    # Append the edges in both directions; 32-bit indices as in knn_graph
    coo = graph.tocoo()
    rows = np.concatenate([coo.row, edges[:, 0], edges[:, 1]]).astype(np.int32)
    columns = np.concatenate([coo.col, edges[:, 1], edges[:, 0]]).astype(np.int32)
    union = coo_array((np.ones(len(rows)), (rows, columns)), shape=graph.shape).tocsr()

    # Edges that existed already count once
    union.sum_duplicates()
    union.data[:] = 1
    return union


def neighbors_to_use(
    X: NDArray, n_neighbors: int, disconnected: str, labels_of: Callable[[csr_array], NDArray]
) -> int:
    """Return the number of neighbors that a remedy uses.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    n_neighbors : int
        Minimum number of neighbors.
    disconnected : str
        ``"more_neighbors"`` for the smallest number of neighbors, at least `n_neighbors`, for
        which the graph has one component; any other value for `n_neighbors` itself.
    labels_of : callable
        Returns the component of each node of a graph, negative for nodes outside all components.

    Returns
    -------
    int
        Number of neighbors, at most ``n_samples - 1`` unless `n_neighbors` exceeds that.

    Examples
    --------
    >>> from nldr.neighborhoods.graphs import component_labels
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> neighbors_to_use(X, 1, "more_neighbors", component_labels)
    2
    """
    if disconnected != "more_neighbors":
        return n_neighbors

    # Bisection: adding neighbors never increases the number of components
    low, high = n_neighbors, max(n_neighbors, len(X) - 1)
    while low < high:
        middle = (low + high) // 2
        if labels_of(knn_graph(X, middle)).max() > 0:
            low = middle + 1
        else:
            high = middle
    return low


@dataclass(frozen=True)
class RepairedGraph:
    """Graph of nearest neighbors after a remedy for several connected components.

    Attributes
    ----------
    graph : csr_array of shape (n_samples, n_samples)
        Ones from each row to its neighbors, including added edges in both directions.
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
    """Build the graph of nearest neighbors and apply a remedy if it is disconnected.

    Call it directly from ``fit``: a warning then points at the caller of ``fit``, provided that
    scikit-learn's ``_fit_context`` wraps ``fit`` once.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    n_neighbors : int
        Number of neighbors of a point, not counting the point itself.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}
        Raise an error, warn, add edges (see :func:`joining_edges`), or use the smallest number of
        neighbors that connects the graph.
    consequence : str or callable
        Consequence of several components for the embedding, part of the error or warning. A
        callable is given the graph without added edges and the added edges, and returns the text.
    labels_of : callable, default=component_labels
        Returns the component of each node of a graph, negative for nodes outside all components.
    join_after_warning : bool, default=False
        With ``"warn"``, join each pair of components at its closest pair of points.

    Returns
    -------
    RepairedGraph
        The graph, its number of components before, and the changes.

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
    # Graph and its components
    n_neighbors = neighbors_to_use(X, n_neighbors, disconnected, labels_of)
    graph = knn_graph(X, n_neighbors)
    labels = labels_of(graph)

    # Edges that join the components
    remedy = "closest" if join_after_warning and disconnected == "warn" else disconnected
    added = joining_edges(X, labels, remedy)

    # Error or warning; one stack level more than in a direct call from fit
    message = consequence if isinstance(consequence, str) else consequence(graph, added)
    n_components = check_connected(labels, disconnected, message, stacklevel=7)
    return RepairedGraph(with_edges(graph, added), n_neighbors, n_components, added)
