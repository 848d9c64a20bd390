"""Nearest-neighbor order and ranks of points, computed in blocks of rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

T = TypeVar("T")

_BLOCK = 32  # rows of distances in memory at a time
_STRIPES = 32  # number of segments of a row of distances; a multiple of 8, see rank_of
_INDEX_BITS = 18  # minimum number of bits of a key for the index of a point; the rest is distance
_DIRECT = 10  # up to this many dimensions, distances are summed coordinate by coordinate
_FAR = np.iinfo(np.int64).max  # larger than the key of any pair


def over_blocks(function: Callable[[slice], T], n_samples: int, n_jobs: int) -> Iterator[T]:
    """Apply a function to blocks of rows in several threads; yield the results in order.

    Each block is processed by one thread, so the results do not depend on ``n_jobs``.
    """
    starts = range(0, n_samples, _BLOCK)
    rows = [slice(start, min(start + _BLOCK, n_samples)) for start in starts]
    with threadpool_limits(1), ThreadPoolExecutor(n_jobs) as pool:
        yield from pool.map(function, rows)


class Space:
    """Points with an integer key for each pair, such that keys are ordered like distances.

    The bits of a nonnegative float, read as an integer, have the same order as the float. The key
    of points i and j is the squared distance in this form, with its last bits rounded away and
    replaced by the index j: no two keys of a row are equal, and each key tells its point. The
    rows of keys are padded to a multiple of ``_STRIPES`` with infinitely distant points.

    Parameters
    ----------
    A : ndarray of shape (n_samples, n_columns)
        The points.
    """

    def __init__(self, A: NDArray) -> None:
        self.n_samples = len(A)
        n_padded = -(-len(A) // _STRIPES) * _STRIPES
        self.index_mask = (1 << max(_INDEX_BITS, (n_padded - 1).bit_length())) - 1
        # Scale by a power of two: exact, and no square overflows
        self.points = np.zeros((n_padded, A.shape[1]), order="F")
        inside = self.points[: len(A)]
        exponent = np.frexp(max(A.max(), -A.min()))[1]
        np.ldexp(A, -exponent, out=inside)
        # Inner products lose digits far from the origin
        if A.shape[1] > _DIRECT:
            inside -= inside.mean(axis=0)
        self.norms = np.einsum("ij,ij->i", self.points, self.points)
        self._buffers = threading.local()  # reused, since fresh memory costs more than the sums

    def keys(self, rows: slice) -> NDArray:
        """Return the keys of a block of points with all points, shape (n_rows, n_padded).

        The next call in the same thread overwrites them.
        """
        keys = self._squared_distances(rows).view(np.int64)
        # Round the distance and put the index of the second point in the last bits
        keys += (self.index_mask + 1) // 2
        keys &= _FAR ^ self.index_mask
        keys |= np.arange(len(self.points))
        # Padding and the point itself come last
        keys[:, self.n_samples :] = _FAR
        keys[np.arange(len(keys)), np.arange(rows.start, rows.stop)] = _FAR
        return keys

    def order(self, rows: slice) -> NDArray:
        """Return all other points, nearest first, shape (n_rows, n_samples - 1)."""
        keys = self.keys(rows)
        keys.sort(axis=1)
        return keys[:, : self.n_samples - 1] & self.index_mask

    def nearest(self, keys: NDArray, k: int) -> NDArray:
        """Return the indices of the k nearest points, nearest first, shape (n_rows, k).

        With a row of keys cut into stripes that are stacked, the k smallest keys lie in the k
        columns that have the smallest minima, so only these columns are searched.
        """
        stripes = keys.reshape(len(keys), _STRIPES, -1)
        if stripes.shape[2] > k:
            column = np.argpartition(stripes.min(axis=1), k - 1, axis=1)[:, None, :k]
            keys = np.take_along_axis(stripes, column, axis=2).reshape(len(keys), -1)
        return np.sort(np.partition(keys, k - 1, axis=1)[:, :k], axis=1) & self.index_mask

    def _squared_distances(self, rows: slice) -> NDArray:
        """Return the squared distances of a block of points to all points."""
        block = self.points[rows]
        squared = self._buffer("squared")[: len(block)]
        # Many dimensions: |a - b|² = |a|² + |b|² - 2 a·b
        if block.shape[1] > _DIRECT:
            np.matmul(-2.0 * block, self.points.T, out=squared)
            squared += self.norms
            squared += self.norms[rows, None]
            return np.maximum(squared, 0.0, out=squared)
        # Few dimensions: sum of squared differences, without cancellation
        squared[:] = 0.0
        difference = self._buffer("difference")[: len(block)]
        for a, b in zip(block.T, self.points.T, strict=True):
            np.subtract.outer(a, b, out=difference)
            squared += np.square(difference, out=difference)
        return squared

    def _buffer(self, name: str) -> NDArray:
        """Return this thread's array of that name for one block of distances."""
        if not hasattr(self._buffers, name):
            setattr(self._buffers, name, np.empty((_BLOCK, len(self.points))))
        return getattr(self._buffers, name)


def rank_of(points: NDArray, keys: NDArray) -> NDArray:
    """Return the rank of the given points in each row of keys, 1 for the nearest.

    Parameters
    ----------
    points : ndarray of int of shape (n_rows, n_points)
        Indices of the points in each row.
    keys : ndarray of int64 of shape (n_rows, n_padded)
        Keys of :meth:`Space.keys`.

    Returns
    -------
    ndarray of int64 of shape (n_rows, n_points)
        One plus the number of smaller keys in the row.
    """
    wanted = np.take_along_axis(keys, points, axis=1)
    rank = np.empty(points.shape, dtype=np.int64)
    nearer = np.empty(keys.shape, dtype=bool)
    for column in range(points.shape[1]):
        np.less(keys, wanted[:, column, None], out=nearer)
        # Count eight flags at a time: each is a byte of a 64-bit word
        flags = nearer.view(np.uint64)
        rank[:, column] = 1 + np.bitwise_count(flags).sum(axis=1, dtype=np.int64)
    return rank
