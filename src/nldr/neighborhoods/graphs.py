"""Neighborhood graphs, and what becomes of a method where they fall into parts."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

SIZES_SHOWN = 5


class DisconnectedGraphWarning(UserWarning):
    """A neighborhood graph falls into parts that nothing ties to each other."""


def knn_graph(X: ArrayLike, n_neighbors: int) -> csr_array:
    """Return the directed graph from each row to its nearest others.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    n_neighbors : int
        Number of neighbors, a point itself not counted; less than ``n_samples``.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Ones from each row to its nearest others by Euclidean distance.

    Raises
    ------
    ValueError
        If there are not that many others.

    Examples
    --------
    >>> knn_graph([[0.0], [1.0], [3.0]], 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    from sklearn.neighbors import NearestNeighbors

    nearest = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors(return_distance=False)
    n_samples = len(nearest)
    # 32-bit indices, which scikit-learn's eigensolvers insist on.
    starts = np.arange(n_samples + 1, dtype=np.int32) * np.int32(n_neighbors)
    columns = nearest.ravel().astype(np.int32)
    return csr_array((np.ones(columns.size), columns, starts), shape=(n_samples, n_samples))


def component_labels(graph: csr_array) -> NDArray:
    """Return the connected component of each node, edges taken both ways.

    Parameters
    ----------
    graph : csr_array of shape (n_nodes, n_nodes)
        Adjacency; whatever is stored is an edge, zeros included.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Labels from 0.

    Examples
    --------
    >>> component_labels(knn_graph([[0.0], [1.0], [8.0], [9.0]], 1))
    array([0, 0, 1, 1], dtype=int32)
    """
    return connected_components(graph, directed=False)[1]


def closed_group_labels(graph: csr_array) -> NDArray:
    """Return the closed group of each node of a directed graph: those that no edge leaves.

    A closed group is a strongly connected component without an edge to any other. Reconstructing
    each node from those it points to, as LLE does, leaves one free constant per closed group;
    the other nodes follow.

    Parameters
    ----------
    graph : csr_array of shape (n_nodes, n_nodes)
        Adjacency, edges from row to column.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Labels from 0; −1 for nodes outside all closed groups.

    Examples
    --------
    The point at 5 looks left and right, and neither side looks at it:

    >>> closed_group_labels(knn_graph([[0.0], [1.0], [2.0], [5.2], [8.0], [9.0], [10.0]], 2))
    array([ 0,  0,  0, -1,  1,  1,  1])
    """
    n_components, labels = connected_components(graph, connection="strong")
    edges = graph.tocoo()
    left = labels[edges.row] != labels[edges.col]
    is_open = np.zeros(n_components, dtype=bool)
    is_open[labels[edges.row[left]]] = True
    numbers = np.where(is_open, -1, np.cumsum(~is_open) - 1)
    return numbers[labels]


def check_connected(
    labels: NDArray, disconnected: str, consequence: str, *, stacklevel: int = 4
) -> int:
    """Count the parts of a graph, and complain where there are several and no remedy.

    Parameters
    ----------
    labels : ndarray of shape (n_nodes,)
        Part of each node, from 0; negative for nodes of none.
    disconnected : str
        ``"error"`` or ``"warn"``; with anything else, a remedy, several parts pass in silence.
    consequence : str
        What several parts mean for the embedding; ends the message.
    stacklevel : int, default=4
        Frame that the warning points at: the caller of `fit`, which scikit-learn wraps once.

    Returns
    -------
    int
        Number of parts.

    Raises
    ------
    ValueError
        With ``disconnected="error"``, if there are several.

    Warns
    -----
    DisconnectedGraphWarning
        With ``disconnected="warn"``, if there are several.

    Examples
    --------
    >>> import numpy as np
    >>> check_connected(np.array([0, 0, 0]), "error", "no message")
    1
    >>> check_connected(np.array([0, 0, 1]), "error", "so what")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: the neighborhood graph of 3 points falls into 2 parts (of 2, 1 points): so what...
    """
    sizes = np.sort(np.bincount(labels[labels >= 0]))[::-1]
    n_parts = len(sizes)
    if n_parts > 1:
        shown = ", ".join(map(str, sizes[:SIZES_SHOWN])) + ", …" * (n_parts > SIZES_SHOWN)
        message = (
            f"the neighborhood graph of {len(labels)} points falls into {n_parts} parts "
            f"(of {shown} points): {consequence}. A higher n_neighbors may connect it"
        )
        if disconnected == "error":
            raise ValueError(message)
        if disconnected == "warn":
            warnings.warn(message, DisconnectedGraphWarning, stacklevel=stacklevel)
    return n_parts


def closest_pairs(X: NDArray, labels: NDArray) -> tuple[NDArray, NDArray]:
    """Return the closest pair of points of each two parts.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    labels : ndarray of shape (n_samples,)
        Part of each point.

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2)
        Two row indices for each two parts.
    lengths : ndarray of shape (n_pairs,)
        Their Euclidean distances.

    Examples
    --------
    >>> import numpy as np
    >>> closest_pairs(np.array([[0.0], [1.0], [8.0], [9.0]]), np.array([0, 0, 1, 1]))
    (array([[1, 2]]), array([7.]))
    """
    from sklearn.metrics import pairwise_distances

    members = [np.flatnonzero(labels == part) for part in np.unique(labels)]
    pairs, lengths = [], []
    for one, other in combinations(members, 2):
        distances = pairwise_distances(X[one], X[other])
        i, j = np.unravel_index(distances.argmin(), distances.shape)
        pairs.append((one[i], other[j]))
        lengths.append(distances[i, j])
    return np.array(pairs, dtype=int).reshape(-1, 2), np.array(lengths)
