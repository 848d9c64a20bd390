"""Distances of all pairs of points, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_BLOCK_SIZE = 2**18  # distances in memory at a time: as many as a core's cache takes


def unit(A: NDArray) -> NDArray:
    """Scale by a power of two, which is exact, so that no square overflows.

    Examples
    --------
    >>> unit(np.array([[6.0, -9.0]]))
    array([[ 0.375 , -0.5625]])
    """
    return np.ldexp(A, -np.frexp(np.abs(A).max())[1])


def squared_distances(A: NDArray) -> Iterator[tuple[int, NDArray]]:
    """Yield the squared distances of all pairs of points, up to a common factor.

    The factor is a power of 4 such that no square overflows. The distances come from scalar
    products of centered data: they are off by about 10⁻¹⁶ of the largest.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_columns)
        Points.

    Yields
    ------
    start : int
        The first point of a block.
    squared : ndarray of shape (n_rows, n_samples - start)
        Squared distances from the points of the block to all points from ``start`` on.
        The first n_rows columns hold each pair of the block twice, and zeros.

    Examples
    --------
    >>> [(start, squared.tolist()) for start, squared in squared_distances(np.eye(2))]
    [(0, [[0.0, 0.5], [0.5, 0.0]])]
    """
    if len(A) == 0:
        return
    points = unit(A)
    points -= points[:1].copy()  # a single point becomes 0 exactly
    points -= points.mean(axis=0)
    norms = np.einsum("ij,ij->i", points, points)
    start = 0
    while start < len(points):
        n_rows = max(_BLOCK_SIZE // (len(points) - start), 1)
        block = points[start : start + n_rows]
        squared = (-2.0 * block) @ points[start:].T
        squared += norms[start:]
        squared += norms[start : start + n_rows, None]
        np.fill_diagonal(squared, 0.0)
        yield start, np.maximum(squared, 0.0, out=squared)
        start += n_rows
