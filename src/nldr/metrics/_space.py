"""Nearest-neighbor order and ranks of points, computed in blocks of rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray
from threadpoolctl import threadpool_limits

T = TypeVar("T")

_ROWS = 64  # rows of distances in memory at a time; more if a row is short,
_BLOCK = 2**16  # so that there are at least this many distances
_STRIPES = 32  # number of segments of a row of distances; a multiple of 8, see _counted
_INDEX_BITS = 18  # minimum number of bits of a key for the index of a point; the rest is distance
_DIRECT = 10  # up to this many dimensions, distances are summed coordinate by coordinate
_FAR = np.iinfo(np.int64).max  # larger than the key of any pair


def over_blocks(function: Callable[[slice], T], n_samples: int, n_jobs: int) -> Iterator[T]:
    """Apply a function to blocks of rows in several threads; yield the results in order.

    Each block is processed by one thread, so the results do not depend on ``n_jobs``.
    """
    size = block_size(n_samples)
    starts = range(0, n_samples, size)
    rows = [slice(start, min(start + size, n_samples)) for start in starts]
    with threadpool_limits(1), ThreadPoolExecutor(n_jobs) as pool:
        yield from pool.map(function, rows)


def block_size(n_samples: int) -> int:
    """Return the number of rows of a block."""
    return max(_ROWS, _BLOCK // max(n_samples, 1))


class Space:
    """Points with an integer key for each pair, such that keys are ordered like distances.

    The bits of a nonnegative float, read as an integer, have the same order as the float. The key
    of points i and j is the squared distance in this form, with its last bits rounded away and
    replaced by the index j, so that no two keys of a row are equal. Keys that differ in the index
    only belong to points at the same distance, a tie. The rows of keys are padded to a multiple of
    ``_STRIPES`` with infinitely distant points.
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
        keys = rounded(keys, self.index_mask)
        keys |= np.arange(len(self.points))
        # Padding and the point itself come last
        keys[:, self.n_samples :] = _FAR
        keys[np.arange(len(keys)), np.arange(rows.start, rows.stop)] = _FAR
        return keys

    def sorted(self, keys: NDArray) -> NDArray:
        """Return the keys of all other points, nearest first, shape (n_rows, n_samples - 1)."""
        return np.sort(keys, axis=1)[:, : self.n_samples - 1]

    def nearest(self, keys: NDArray, k: int) -> NDArray:
        """Return the keys of the k nearest points, nearest first, shape (n_rows, k).

        With a row of keys cut into stripes that are stacked, the k smallest keys lie in the k
        columns that have the smallest minima, so only these columns are searched.
        """
        stripes = keys.reshape(len(keys), _STRIPES, -1)
        if stripes.shape[2] > k:
            column = np.argpartition(stripes.min(axis=1), k - 1, axis=1)[:, None, :k]
            keys = np.take_along_axis(stripes, column, axis=2).reshape(len(keys), -1)
        return np.sort(np.partition(keys, k - 1, axis=1)[:, :k], axis=1)

    def ranks_of(self, points: NDArray, keys: NDArray) -> tuple[NDArray, NDArray]:
        """Return the ranks of the given points in each row of keys, as two numbers of points.

        They are the numbers of points that are nearer, and of points at the same distance, the
        point itself included: its rank lies between ``nearer + 1`` and ``nearer + tied``.
        """
        targets = np.take_along_axis(keys, points, axis=1)
        nearer, tied = np.empty_like(points), np.ones_like(points)
        flags = self._buffer("flags", np.bool_)[: len(keys)]
        words, is_equal = flags.view(np.uint64), self._buffer("is_equal", np.bool_)[: len(keys)]
        is_equal[:] = False
        # The upper halves of the keys decide most comparisons, in half the time
        upper = self._buffer("upper", np.int32)[: len(keys)]
        np.right_shift(keys, 32, out=upper, casting="unsafe")
        target_upper = (targets >> 32).astype(np.int32)
        for column in range(points.shape[1]):
            target = target_upper[:, column, None]
            np.less(upper, target, out=flags)
            nearer[:, column] = _counted(words)
            np.equal(upper, target, out=flags)
            is_equal |= flags
        # Rows in which they do not separate all points need whole keys
        is_ambiguous = has_ties(np.sort(target_upper, axis=1), 0)
        rows = (is_ambiguous | (_counted(is_equal.view(np.uint64)) > points.shape[1])).nonzero()[0]
        whole_keys = keys[rows]
        for column in range(points.shape[1]) if len(rows) else ():
            target = targets[rows, column, None] | self.index_mask
            nearer[rows, column] = _counted((whole_keys < target - self.index_mask).view(np.uint64))
            n_within = _counted((whole_keys <= target).view(np.uint64))
            tied[rows, column] = n_within - nearer[rows, column]
        return nearer, tied

    def all_ranks(self, keys: NDArray) -> tuple[NDArray, NDArray]:
        """Return the ranks of all points in each row of keys, as :meth:`ranks_of`.

        The point itself gets the last rank, behind all other points.
        """
        in_order = self.sorted(keys)
        nearer = np.full((len(keys), self.n_samples), self.n_samples - 1)
        tied = np.ones_like(nearer)
        for values, ordered in zip((nearer, tied), runs(in_order, self.index_mask), strict=True):
            np.put_along_axis(values, in_order & self.index_mask, ordered, axis=1)
        return nearer, tied

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

    def _buffer(self, name: str, dtype: DTypeLike = np.float64) -> NDArray:
        """Return this thread's array of that name for one block of distances."""
        if not hasattr(self._buffers, name):
            shape = block_size(self.n_samples), len(self.points)
            setattr(self._buffers, name, np.empty(shape, dtype))
        return getattr(self._buffers, name)


def rounded(distances: NDArray, mask: int) -> NDArray:
    """Round the bits of nonnegative floats in place to multiples of ``mask + 1``.

    Examples
    --------
    >>> bits = np.array([1.0, np.nextafter(1.0, 2)]).view(np.int64)
    >>> np.ptp(bits), np.ptp(rounded(bits, 2**18 - 1))
    (np.int64(1), np.int64(0))
    """
    distances += (mask + 1) // 2
    distances &= _FAR ^ mask
    return distances


def has_ties(keys: NDArray, mask: int) -> NDArray:
    """Return for each row of sorted keys whether two points are tied.

    Examples
    --------
    >>> has_ties(np.array([[3, 5, 5], [3, 5, 8]]), 0)
    array([ True, False])
    """
    return ((keys[:, 1:] ^ keys[:, :-1]) <= mask).any(axis=1)


def runs(keys: NDArray, mask: int) -> tuple[NDArray, NDArray]:
    """Return the numbers of nearer and of tied points in each row of sorted keys.

    The keys of tied points may differ in the bits of `mask`; a point is tied with itself.

    Examples
    --------
    >>> nearer, tied = runs(np.array([[3, 5, 5, 8]]), 0)
    >>> nearer.tolist(), tied.tolist()
    ([[0, 1, 1, 3]], [[1, 2, 2, 1]])
    """
    n_points = keys.shape[1]
    position = np.arange(n_points)
    first, last = np.ones((2, *keys.shape), dtype=bool)
    first[:, 1:] = last[:, :-1] = (keys[:, 1:] ^ keys[:, :-1]) > mask
    # Start and end of the run in which each key lies
    start = np.maximum.accumulate(np.where(first, position, 0), axis=1)
    end = np.where(last, position + 1, n_points)[:, ::-1]
    return start, np.minimum.accumulate(end, axis=1)[:, ::-1] - start


def _counted(words: NDArray) -> NDArray:
    """Return the number of true flags in each row; each word of 64 bits contains eight flags."""
    # Add the words: each of their eight bytes counts on its own, up to 255
    starts = np.arange(0, words.shape[1], 255)
    sums = np.add.reduceat(words, starts, axis=1)
    return sums.view(np.uint8).sum(axis=1, dtype=np.int64)
