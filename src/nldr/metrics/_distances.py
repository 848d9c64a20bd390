"""Pairwise distances, computed in blocks of rows, and scaling that avoids overflow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_BLOCK_SIZE = 2**18  # distances in memory at a time; about the cache of one core


def scaled_by_power_of_two(A: NDArray) -> NDArray:
    """Scale a matrix by a power of two, which is exact, so that no square overflows.

    Examples
    --------
    >>> scaled_by_power_of_two(np.array([[6.0, -9.0]]))
    array([[ 0.375 , -0.5625]])
    """
    return np.ldexp(A, -np.frexp(np.abs(A).max())[1])


def centered(A: NDArray) -> NDArray:
    """Scale a matrix by a power of two and subtract the column means.

    If all rows are equal, the result is exactly zero.

    Examples
    --------
    >>> centered(np.array([[0.1], [0.1]])).tolist()
    [[0.0], [0.0]]
    """
    points = scaled_by_power_of_two(A)
    points -= points[:1].copy()  # equal rows become exactly zero
    points -= points.mean(axis=0)
    return points


def squared_distances(A: NDArray) -> Iterator[tuple[int, NDArray]]:
    """Yield the squared distances of all pairs of points, up to a common factor.

    The factor is a power of 4, chosen so that no square overflows. The distances come from
    inner products of centered data, with errors of about 1e-16 of the largest distance. Each block
    comes with the index `start` of its first point, and has the shape (n_rows, n_samples - start):
    the first n_rows columns contain each pair of the block twice, and a zero diagonal.

    Examples
    --------
    >>> [(start, squared.tolist()) for start, squared in squared_distances(np.eye(2))]
    [(0, [[0.0, 0.5], [0.5, 0.0]])]
    """
    if len(A) == 0:
        return
    points = centered(A)
    norms = np.einsum("ij,ij->i", points, points)
    start = 0
    while start < len(points):
        # Rows get shorter as start grows, so later blocks have more of them
        n_rows = max(_BLOCK_SIZE // (len(points) - start), 1)
        # |a - b|² = |a|² + |b|² - 2 a·b
        block = points[start : start + n_rows]
        squared = (-2.0 * block) @ points[start:].T
        squared += norms[start:]
        squared += norms[start : start + n_rows, None]
        # Rounding must not leave negative or nonzero self-distances
        np.fill_diagonal(squared, 0.0)
        yield start, np.maximum(squared, 0.0, out=squared)
        start += n_rows
