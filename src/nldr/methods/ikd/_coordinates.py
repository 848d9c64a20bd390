"""Places of new points against fitted ones: along paths, or from distances to a few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.kernels import Kernel

VIA = 32


def shortest_through(lengths: NDArray, paths: NDArray) -> NDArray:
    """Shortest paths from new points: along an edge alone, or one of the 32 shortest edges first.

    Parameters
    ----------
    lengths : ndarray of shape (n_points, n_fitted)
        Lengths of the edges to fitted points, infinite where there is none.
    paths : ndarray of shape (n_fitted, n_fitted)
        Lengths of the shortest paths between the fitted points.

    Returns
    -------
    ndarray of shape (n_points, n_fitted)
        Lengths.

    Examples
    --------
    >>> shortest_through(np.array([[1.0, np.inf]]), np.array([[0.0, 2.0], [2.0, 0.0]]))
    array([[1., 3.]])
    """
    n_via = min(VIA, lengths.shape[1])
    nearest = np.argpartition(lengths, n_via - 1, axis=1)[:, :n_via]
    shortest = lengths.copy()
    for via in nearest.T:
        first = np.take_along_axis(lengths, via[:, np.newaxis], axis=1)
        np.minimum(shortest, paths[via] + first, out=shortest)
    return shortest


def trilaterate(
    similarity: NDArray, places: NDArray, labels: NDArray, kernel: Kernel, threshold: float
) -> NDArray:
    """Place new points by their distances to the fitted points tied to them.

    With y the fitted places less the mean m of those tied to a point, and d its squared distances
    to them, z = m + (Σ y yᵀ)⁺ Σ y (‖y‖² − d) / 2: Gower's formula for these points, exact where
    the distances are.

    Parameters
    ----------
    similarity : ndarray of shape (n_points, n_fitted)
        Similarities in (0, 1].
    places : ndarray of shape (n_fitted, n_components)
        Places of the fitted points.
    labels : ndarray of shape (n_fitted,)
        Part of each fitted point; a new one is tied within the part of the most similar one.
    kernel : Kernel
        Kernel f.
    threshold : float
        Points of higher similarity are tied, and in any case the n_components + 2 most similar.

    Returns
    -------
    ndarray of shape (n_points, n_components)
        Their places.
    """
    n_components = places.shape[1]
    same_part = labels == labels[similarity.argmax(axis=1)][:, np.newaxis]
    bounded = np.where(same_part, similarity, 0.0)
    kept = min(n_components + 2, bounded.shape[1])
    least = np.partition(bounded, -kept, axis=1)[:, [-kept]]
    tied = ((bounded >= np.minimum(least, threshold)) & same_part).astype(float)
    center = places.mean(axis=0)
    y = places - center
    squares = y[:, :, np.newaxis] * y[:, np.newaxis]
    half = (tied * (np.square(y).sum(axis=1) - kernel.inverse(similarity))) / 2
    count = tied.sum(axis=1)[:, np.newaxis]
    mean = tied @ y / count
    scatter = (tied @ squares.reshape(len(y), -1)).reshape(-1, n_components, n_components)
    scatter -= count[:, :, np.newaxis] * mean[:, :, np.newaxis] * mean[:, np.newaxis]
    sums = half @ y - mean * half.sum(axis=1, keepdims=True)
    # ‖y − m‖² differs from ‖y‖² by −2 y·m and a constant, which the sum of y − m takes away.
    sums -= np.einsum("nij,nj->ni", scatter, mean)
    inverse = np.linalg.pinv(scatter, rcond=1e-10, hermitian=True)
    return center + mean + np.einsum("nij,nj->ni", inverse, sums)
