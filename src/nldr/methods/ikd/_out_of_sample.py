"""Coordinates of new points: path lengths to the fitted points, and trilateration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.kernels import Kernel

N_FIRST_EDGES = 32  # shortest edges of a new point that a path may start with


def extend_paths(lengths: NDArray, paths: NDArray) -> NDArray:
    """Return the lengths of the shortest paths from new points to fitted points.

    A path is a single edge, or starts with one of the 32 shortest edges of the new point. `lengths`
    are those of the edges, infinite where there is none; `paths` are those between fitted points.

    Examples
    --------
    >>> extend_paths(np.array([[1.0, np.inf]]), np.array([[0.0, 2.0], [2.0, 0.0]]))
    array([[1., 3.]])
    """
    n_first = min(N_FIRST_EDGES, lengths.shape[1])
    nearest = np.argpartition(lengths, n_first - 1, axis=1)[:, :n_first]
    shortest = lengths.copy()
    for via in nearest.T:
        first = np.take_along_axis(lengths, via[:, np.newaxis], axis=1)
        np.minimum(shortest, paths[via] + first, out=shortest)
    return shortest


def trilaterate(
    similarity: NDArray, coordinates: NDArray, labels: NDArray, kernel: Kernel, threshold: float
) -> NDArray:
    """Return the coordinates of new points from their distances to similar fitted points.

    Each new point uses its anchors: fitted points of the component of the most similar one, whose
    similarity exceeds the threshold, and in any case the n_components + 2 most similar ones. With m
    the mean of the anchors, y their coordinates relative to m, and d the squared distances to them,
    the coordinates are z = m + (Σ y yᵀ)⁺ Σ y (‖y‖² − d) / 2. This is Gower's formula for the
    anchors, and exact if the distances are. `similarity` has the shape (n_points, n_fitted).
    """
    n_components = coordinates.shape[1]
    # Anchors of each new point, as a 0/1 matrix
    same_component = labels == labels[similarity.argmax(axis=1)][:, np.newaxis]
    bounded = np.where(same_component, similarity, 0.0)
    n_kept = min(n_components + 2, bounded.shape[1])
    least = np.partition(bounded, -n_kept, axis=1)[:, [-n_kept]]
    anchors = ((bounded >= np.minimum(least, threshold)) & same_component).astype(float)
    # Sums over the anchors of 1, y and y yᵀ, with y relative to the common center of all points
    center = coordinates.mean(axis=0)
    y = coordinates - center
    squares = y[:, :, np.newaxis] * y[:, np.newaxis]
    half = (anchors * (np.square(y).sum(axis=1) - kernel.inverse(similarity))) / 2
    count = anchors.sum(axis=1)[:, np.newaxis]
    mean = anchors @ y / count
    scatter = (anchors @ squares.reshape(len(y), -1)).reshape(-1, n_components, n_components)
    scatter -= count[:, :, np.newaxis] * mean[:, :, np.newaxis] * mean[:, np.newaxis]
    sums = half @ y - mean * half.sum(axis=1, keepdims=True)
    # ‖y − m‖² = ‖y‖² − 2 yᵀm + ‖m‖²; the constant cancels because the y − m sum to zero.
    sums -= np.einsum("nij,nj->ni", scatter, mean)
    # Least squares, by the pseudoinverse if the anchors do not span the space
    inverse = np.linalg.pinv(scatter, rcond=1e-10, hermitian=True)
    return center + mean + np.einsum("nij,nj->ni", inverse, sums)
