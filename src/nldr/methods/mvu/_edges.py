"""Edges of the neighborhood graph, whose lengths maximum variance unfolding constrains."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array

from nldr.validation import Interval

EUCLIDEAN = 1e-8  # negative eigenvalue of a Gram matrix, relative to the largest, that is rounding
DIMENSION = 1e-13  # relative eigenvalue of a Gram matrix that counts as zero

# Parameters of every estimator of this family
UNFOLDING_CONSTRAINTS: dict = {
    "n_components": [Interval(Integral, 1, None, closed="left")],
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
}


def edges_and_squared_lengths(graph: csr_array, X: NDArray) -> tuple[NDArray, NDArray]:
    """Return the undirected edges of a graph and their squared lengths in the data.

    Two rows are joined if there is an edge in either direction. Edges have the smaller row first,
    and are in lexicographic order.

    Examples
    --------
    >>> graph = csr_array(np.array([[0, 0, 1], [1, 0, 0], [1, 0, 0]]))
    >>> edges, squared = edges_and_squared_lengths(graph, np.array([[0.0], [1.0], [3.0]]))
    >>> edges.tolist(), squared.tolist()
    ([[0, 1], [0, 2]], [1.0, 9.0])
    """
    pairs = np.column_stack(graph.nonzero()).astype(np.int64)
    edges = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]]), axis=0)
    steps = X[edges[:, 0]] - X[edges[:, 1]]
    # einsum needs no second array of n_edges × n_features, which matters for images.
    return edges, np.einsum("ef,ef->e", steps, steps)


def squared_lengths(coordinates: NDArray, edges: NDArray) -> NDArray:
    """Return the squared lengths of edges between embedded points.

    Examples
    --------
    >>> squared_lengths(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([[0, 1]]))
    array([25.])
    """
    return np.square(coordinates[edges[:, 0]] - coordinates[edges[:, 1]]).sum(axis=1)


def unbounded_variance_message(graph: csr_array, added_edges: NDArray) -> str:
    """Return the end of the message about a disconnected graph, whether edges were added or not."""
    message = "the variance is unbounded unless the components are joined"
    if len(added_edges):
        return message + "; each pair was joined at its closest points"
    return message + ", as disconnected='bridges' does"


def points_of_distances(distances: NDArray) -> NDArray:
    """Return centered points with given distances (classical scaling).

    Raises
    ------
    ValueError
        If the matrix is not square and symmetric, or no points have these distances.

    Examples
    --------
    >>> points = points_of_distances(np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> np.abs(points).ravel().round(6).tolist()
    [1.0, 1.0]
    """
    if distances.shape[0] != distances.shape[1] or not np.allclose(distances, distances.T):
        raise ValueError("metric='precomputed' requires a square symmetric matrix of distances")

    # Centered Gram matrix of the points
    gram = -np.square((distances + distances.T) / 2) / 2
    gram -= gram.mean(axis=0)
    gram -= gram.mean(axis=1)[:, np.newaxis]
    values, vectors = eigh(gram)
    if values[0] < -EUCLIDEAN * max(values[-1], 0.0) or np.diag(distances).any():
        raise ValueError(
            "metric='precomputed' requires Euclidean distances, but no points have the given "
            "ones: pass coordinates instead, for example those of an embedding of the distances"
        )
    kept = values > DIMENSION * values[-1] if values[-1] > 0 else values == values[-1]
    return vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0.0))


def adjacency(graph: ArrayLike, n_samples: int) -> csr_array:
    """Return the edges of a given graph: its nonzero entries or, if it is sparse, its stored ones.

    They are ones in a csr_array. A ValueError is raised if the shape is wrong.

    Examples
    --------
    >>> adjacency([[0, 2.5], [0, 0]], 2).toarray().tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    edges = csr_array(graph, dtype=np.float64)
    if edges.shape != (n_samples, n_samples):
        raise ValueError(
            f"graph has the shape {edges.shape}, but the data have {n_samples} rows: it must have "
            "as many rows and columns"
        )
    edges.data[:] = 1.0
    return edges
