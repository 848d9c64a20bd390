"""Points ordered by their distance from each point, a block of rows at a time."""

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
_STRIPES = 32  # parts into which a row of distances is cut; a multiple of 8, for whole words
_INDEX_BITS = 18  # of a key, at least; the others hold a distance
_DIRECT = 10  # up to this many dimensions, distances are summed coordinate by coordinate
_FAR = np.iinfo(np.int64).max  # larger than the key of any pair


def over_blocks(function: Callable[[slice], T], n_samples: int, n_jobs: int) -> Iterator[T]:
    """Apply a function to blocks of rows that :meth:`Space.keys` takes; yield the results in order.

    Each block is the work of one thread, so that results do not depend on ``n_jobs``.
    """
    starts = range(0, n_samples, _BLOCK)
    rows = [slice(start, min(start + _BLOCK, n_samples)) for start in starts]
    with threadpool_limits(1), ThreadPoolExecutor(n_jobs) as pool:
        yield from pool.map(function, rows)


class Space:
    """Points, and for each pair of them a whole number, its key, ordered as the distances.

    A squared distance read as an integer keeps its order. Its last digits are rounded away and
    hold the index of the second point instead: no two keys of a row are the same, and a key
    tells its point. Points infinitely far from all fill up to a multiple of the stripes.
    """

    def __init__(self, A: NDArray) -> None:
        self.n_samples = len(A)
        n_padded = -(-len(A) // _STRIPES) * _STRIPES
        self.index_mask = (1 << max(_INDEX_BITS, (n_padded - 1).bit_length())) - 1
        self.points = np.zeros((n_padded, A.shape[1]), order="F")
        inside = self.points[: len(A)]
        exponent = np.frexp(max(A.max(), -A.min()))[1]
        np.ldexp(A, -exponent, out=inside)  # exact, and no square overflows
        if A.shape[1] > _DIRECT:  # where squares may cancel
            inside -= inside.mean(axis=0)
        self.norms = np.einsum("ij,ij->i", self.points, self.points)
        self._kept = threading.local()  # fresh memory costs more than sums

    def keys(self, rows: slice) -> NDArray:
        """Return the keys of a block of points with all points, shape (n_rows, n_padded).

        The next call in the same thread overwrites them.
        """
        keys = self._squared_distances(rows).view(np.int64)
        keys += (self.index_mask + 1) // 2
        keys &= _FAR ^ self.index_mask
        keys |= np.arange(len(self.points))
        keys[:, self.n_samples :] = _FAR
        keys[np.arange(len(keys)), np.arange(rows.start, rows.stop)] = _FAR  # no own neighbor
        return keys

    def order(self, rows: slice) -> NDArray:
        """Return all other points, nearest first, shape (n_rows, n_samples - 1)."""
        keys = self.keys(rows)
        keys.sort(axis=1)
        return keys[:, : self.n_samples - 1] & self.index_mask

    def _squared_distances(self, rows: slice) -> NDArray:
        block = self.points[rows]
        squared = self._memory("squared")[: len(block)]
        if block.shape[1] > _DIRECT:
            np.matmul(-2.0 * block, self.points.T, out=squared)
            squared += self.norms
            squared += self.norms[rows, None]
            return np.maximum(squared, 0.0, out=squared)
        squared[:] = 0.0
        difference = self._memory("difference")[: len(block)]
        for a, b in zip(block.T, self.points.T, strict=True):
            np.subtract.outer(a, b, out=difference)
            squared += np.square(difference, out=difference)
        return squared

    def _memory(self, name: str) -> NDArray:
        """Return this thread's memory of a block of distances."""
        if not hasattr(self._kept, name):
            setattr(self._kept, name, np.empty((_BLOCK, len(self.points))))
        return getattr(self._kept, name)

    def nearest(self, keys: NDArray, k: int) -> NDArray:
        """Return the indices of the k nearest points, nearest first, shape (n_rows, k).

        They lie in the k columns (across stripes) that have the smallest minima.
        """
        stripes = keys.reshape(len(keys), _STRIPES, -1)
        if stripes.shape[2] > k:
            column = np.argpartition(stripes.min(axis=1), k - 1, axis=1)[:, None, :k]
            keys = np.take_along_axis(stripes, column, axis=2).reshape(len(keys), -1)
        return np.sort(np.partition(keys, k - 1, axis=1)[:, :k], axis=1) & self.index_mask


def rank_of(points: NDArray, keys: NDArray) -> NDArray:
    """Return the rank of the given points in each row of keys, 1 for the nearest."""
    wanted = np.take_along_axis(keys, points, axis=1)
    rank = np.empty(points.shape, dtype=np.int64)
    nearer = np.empty(keys.shape, dtype=bool)
    for column in range(points.shape[1]):
        np.less(keys, wanted[:, column, None], out=nearer)
        flags = nearer.view(np.uint64)  # eight at a time
        rank[:, column] = 1 + np.bitwise_count(flags).sum(axis=1, dtype=np.int64)
    return rank
