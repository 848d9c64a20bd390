"""Edges and path lengths of the metric geodesic variant of IKD."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from nldr.kernels import Kernel

MIN_SIMILARITY = 1e-3


def edge_lengths(
    similarity: NDArray,
    kernel: Kernel,
    n_features: int,
    *,
    threshold: float | None = None,
    n_neighbors: int = 5,
) -> NDArray:
    """Lengths √f⁻¹(s) of the edges of rows to training rows, infinite where there is none.

    Parameters
    ----------
    similarity : ndarray of shape (n_rows, n_train)
        Correlations.
    kernel : Kernel
        Kernel f.
    n_features : int
        Number of features N that the correlations are taken over.
    threshold : float or None, default=None
        Pairs of higher similarity are edges; by default it falls from 0.9 at N = 10 to 0.6.
    n_neighbors : int, default=5
        Number of nearest rows that are edges in any case.

    Returns
    -------
    ndarray of shape (n_rows, n_train)
        Lengths in units of the length scale.

    Examples
    --------
    >>> from nldr.kernels import SquaredExponential
    >>> edge_lengths(np.exp([[-0.5, -8.0]]), SquaredExponential(), 1000, n_neighbors=0)
    array([[ 1., inf]])
    """
    if threshold is None:
        threshold = float(np.clip(1.1 - 0.2 * np.log10(n_features), 0.6, 0.9))
    bounded = np.clip(similarity, MIN_SIMILARITY, 1.0)
    kept = min(n_neighbors + 1, bounded.shape[1])
    nearest = np.partition(bounded, -kept, axis=1)[:, [-kept]]
    is_edge = bounded >= np.minimum(nearest, threshold)
    return np.where(is_edge, np.sqrt(kernel.inverse(bounded)), np.inf)


def metric_distances(
    similarity: NDArray,
    kernel: Kernel,
    n_features: int,
    *,
    threshold: float | None = None,
    n_neighbors: int = 5,
) -> NDArray:
    """Squared lengths of the shortest paths along :func:`edge_lengths`.

    Parameters
    ----------
    similarity : ndarray of shape (n_samples, n_samples)
        Correlations of the training rows.
    kernel, n_features, threshold, n_neighbors
        As in :func:`edge_lengths`.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        Squared lengths, infinite between components.
    """
    lengths = edge_lengths(
        similarity, kernel, n_features, threshold=threshold, n_neighbors=n_neighbors
    )
    rows, columns = np.nonzero(np.isfinite(lengths))
    graph = csr_array((lengths[rows, columns], (rows, columns)), shape=lengths.shape)
    return shortest_path(graph, method="D", directed=False) ** 2
