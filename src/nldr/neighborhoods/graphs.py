"""Graphs of nearest neighbors and their connected components."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

# Number of component sizes listed in a message; the rest is abbreviated.
SIZES_SHOWN = 5


class DisconnectedGraphWarning(UserWarning):
    """A neighborhood graph has more than one connected component."""


def knn_graph(X: ArrayLike, n_neighbors: int) -> csr_array:
    """Return the directed graph from each point to its nearest neighbors.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    n_neighbors : int
        Number of neighbors, not counting the point itself; less than ``n_samples``.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Ones from each row to its nearest neighbors in Euclidean distance.

    Raises
    ------
    ValueError
        If `n_neighbors` is not less than ``n_samples``.

    Examples
    --------
    >>> knn_graph([[0.0], [1.0], [3.0]], 1).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    from sklearn.neighbors import NearestNeighbors

    nearest = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors(return_distance=False)

    # Assemble the CSR arrays; scikit-learn's eigensolvers require 32-bit indices.
    n_samples = len(nearest)
    starts = np.arange(n_samples + 1, dtype=np.int32) * np.int32(n_neighbors)
    columns = nearest.ravel().astype(np.int32)
    return csr_array((np.ones(columns.size), columns, starts), shape=(n_samples, n_samples))


def component_labels(graph: csr_array) -> NDArray:
    """Return the connected component of each node, ignoring the direction of edges.

    Parameters
    ----------
    graph : csr_array of shape (n_nodes, n_nodes)
        Adjacency matrix; every stored entry is an edge, even an explicit zero.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Component labels, starting at 0.

    Examples
    --------
    >>> component_labels(knn_graph([[0.0], [1.0], [8.0], [9.0]], 1))
    array([0, 0, 1, 1], dtype=int32)
    """
    return connected_components(graph, directed=False)[1]


def closed_group_labels(graph: csr_array) -> NDArray:
    """Return the closed group of each node of a directed graph.

    A closed group is a strongly connected component that no edge leaves. LLE reconstructs each
    node from the nodes that it points to; the solution has one free constant per closed group,
    and these constants determine the nodes outside all closed groups.

    Parameters
    ----------
    graph : csr_array of shape (n_nodes, n_nodes)
        Adjacency matrix, edges from row to column.

    Returns
    -------
    ndarray of shape (n_nodes,)
        Group labels, starting at 0; −1 for nodes outside all closed groups.

    Examples
    --------
    The neighbors of the point at 5.2 lie on both sides of it, but it is a neighbor of neither:

    >>> closed_group_labels(knn_graph([[0.0], [1.0], [2.0], [5.2], [8.0], [9.0], [10.0]], 2))
    array([ 0,  0,  0, -1,  1,  1,  1])
    """
    # Find the strongly connected components that some edge leaves
    n_components, labels = connected_components(graph, connection="strong")
    edges = graph.tocoo()
    leaves = labels[edges.row] != labels[edges.col]
    is_open = np.zeros(n_components, dtype=bool)
    is_open[labels[edges.row[leaves]]] = True

    # Number the others consecutively
    numbers = np.where(is_open, -1, np.cumsum(~is_open) - 1)
    return numbers[labels]


def check_connected(
    labels: NDArray, disconnected: str, consequence: str, *, stacklevel: int = 5
) -> int:
    """Count the connected components of a graph; raise or warn if there are several.

    Parameters
    ----------
    labels : ndarray of shape (n_nodes,)
        Component of each node, starting at 0; negative for nodes outside all components.
    disconnected : str
        ``"error"`` raises and ``"warn"`` warns if there are several components; any other value
        is a remedy, and does neither.
    consequence : str
        Consequence of several components for the embedding, part of the message.
    stacklevel : int, default=5
        Stack level of the warning. The default points at the caller of an estimator's ``fit``
        that calls this function directly and is wrapped once by scikit-learn.

    Returns
    -------
    int
        Number of components.

    Raises
    ------
    ValueError
        If there are several components and `disconnected` is ``"error"``.

    Warns
    -----
    DisconnectedGraphWarning
        If there are several components and `disconnected` is ``"warn"``.

    Examples
    --------
    >>> import numpy as np
    >>> check_connected(np.array([0, 0, 0]), "error", "no path connects them")
    1
    >>> check_connected(np.array([0, 0, 1]), "error", "no path connects them")
    Traceback (most recent call last):
    ValueError: the neighborhood graph of 3 points has 2 connected components (of 2, 1 points): \
no path connects them. A higher n_neighbors may connect it
    """
    sizes = np.sort(np.bincount(labels[labels >= 0]))[::-1]
    n_components = len(sizes)
    if n_components > 1:
        # List the largest components
        listed = ", ".join(map(str, sizes[:SIZES_SHOWN])) + ", …" * (n_components > SIZES_SHOWN)
        message = (
            f"the neighborhood graph of {len(labels)} points has {n_components} connected "
            f"components (of {listed} points): {consequence}. A higher n_neighbors may connect it"
        )
        if disconnected == "error":
            raise ValueError(message)
        if disconnected == "warn":
            warnings.warn(message, DisconnectedGraphWarning, stacklevel=stacklevel)
    return n_components


def closest_pairs(X: NDArray, labels: NDArray) -> tuple[NDArray, NDArray]:
    """Return the closest pair of points of each pair of components.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    labels : ndarray of shape (n_samples,)
        Component of each point.

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2)
        Row indices of the two points, one row per pair of components.
    lengths : ndarray of shape (n_pairs,)
        Euclidean distances between the two points.

    Examples
    --------
    >>> import numpy as np
    >>> closest_pairs(np.array([[0.0], [1.0], [8.0], [9.0]]), np.array([0, 0, 1, 1]))
    (array([[1, 2]]), array([7.]))
    """
    from sklearn.metrics import pairwise_distances

    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    pairs, lengths = [], []
    for one, other in combinations(members, 2):
        # Smallest entry of the block of distances between the two components
        distances = pairwise_distances(X[one], X[other])
        i, j = np.unravel_index(distances.argmin(), distances.shape)
        pairs.append((one[i], other[j]))
        lengths.append(distances[i, j])
    return np.array(pairs, dtype=int).reshape(-1, 2), np.array(lengths)
