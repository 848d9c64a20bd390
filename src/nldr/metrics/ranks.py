"""Trustworthiness and continuity: how well an embedding preserves neighbourhoods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import DataSet
from nldr.metrics._checks import finite_matrix, neighbour_counts

_BLOCK = 32  # rows of distances in memory at a time
_STRIPES = 32  # parts into which a row of distances is cut; a multiple of 8, for whole words
_INDEX_BITS = 18  # of a key, at least; the others hold a distance
_DIRECT = 10  # up to this many dimensions, distances are summed coordinate by coordinate
_FAR = np.iinfo(np.int64).max  # larger than the key of any pair


def ranks(data: DataSet, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding by trustworthiness and continuity against ``data.reference``.

    Parameters
    ----------
    data : DataSet
        The data; its clean observations are used where they are known.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.
    k : sequence of int
        Numbers of neighbours.

    Returns
    -------
    dict of str to float
        ``trustworthiness_k<k>`` and ``continuity_k<k>`` for each ``k``; NaN where
        ``k >= n_samples / 2``.

    Raises
    ------
    ValueError
        See :func:`trustworthiness_continuity`.

    Examples
    --------
    >>> data = DataSet(X=np.random.default_rng(0).normal(size=(50, 3)))
    >>> ranks(data, data.X, k=[5])
    {'trustworthiness_k5': 1.0, 'continuity_k5': 1.0}
    """
    trustworthiness, continuity = trustworthiness_continuity(data.reference, embedding, k)
    scores = {f"trustworthiness_k{n}": float(t) for n, t in zip(k, trustworthiness, strict=True)}
    return scores | {f"continuity_k{n}": float(c) for n, c in zip(k, continuity, strict=True)}


def trustworthiness_continuity(
    X: NDArray, embedding: NDArray, k: Sequence[int]
) -> tuple[NDArray, NDArray]:
    r"""Trustworthiness and continuity for several numbers of neighbours in one pass.

    With :math:`r(i, j)` the rank of point j among the neighbours of i in the data (the nearest
    has rank 1) and :math:`U_i^k` the k nearest neighbours of i in the embedding,

    .. math:: T(k) = 1 - \frac{2}{nk(2n - 3k - 1)} \sum_i \sum_{j \in U_i^k} \max(0, r(i, j) - k).

    Continuity is the same with data and embedding exchanged. Both cost
    O(n² (n_features + max k)) time and O(n n_features) memory.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    embedding : ndarray of shape (n_samples, n_components)
        Their embedding.
    k : sequence of int
        Numbers of neighbours.

    Returns
    -------
    trustworthiness, continuity : ndarray of shape (len(k),)
        Values in [0, 1], 1 is best; NaN where ``k >= n_samples / 2``, for which the formula
        does not hold.

    Raises
    ------
    ValueError
        If ``X`` and ``embedding`` differ in rows or hold NaN or infinity, or if ``k`` is not
        a list of positive whole numbers.

    Notes
    -----
    A point is never its own neighbour. Among points at the same distance the one that comes
    first in the data is nearer. Squared distances are the same when they round to the same 34
    binary digits (less beyond 2¹⁸ points), so that ties do not hang on the last digits of a
    sum. In up to 10 dimensions distances are exact but for that; above, they come from scalar
    products of centred data, where distances below about 10⁻⁷ of the data's diameter are noise.

    References
    ----------
    J. Venna & S. Kaski, *Neighborhood Preservation in Nonlinear Projection Methods: An
    Experimental Study*, ICANN 2001. Costa, *Maximum Variance Unfolding on Disjoint Manifolds*,
    Eqs. 49 and 50.

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> folded = np.abs(X - 4.6)
    >>> trustworthiness, continuity = trustworthiness_continuity(X, folded, [1, 2])
    >>> trustworthiness.round(3), continuity.round(3)
    (array([0.35 , 0.392]), array([0.788, 0.808]))
    """
    X = finite_matrix(X, "X")
    n_samples = len(X)
    embedding = finite_matrix(embedding, "embedding", n_samples)
    counts = neighbour_counts(k)
    valid = counts < n_samples / 2
    if not valid.any():
        return np.full(len(counts), np.nan), np.full(len(counts), np.nan)

    largest = int(counts[valid].max())
    spaces = _Space(X), _Space(embedding)
    penalties = np.zeros((2, len(counts)))
    for start in range(0, n_samples, _BLOCK):
        rows = slice(start, min(start + _BLOCK, n_samples))
        keys = [space.keys(rows) for space in spaces]
        near = [space.nearest(own, largest) for space, own in zip(spaces, keys, strict=True)]
        for sums, own, others in zip(penalties, keys, reversed(near), strict=True):
            rank = _rank(own, others)
            sums += [np.maximum(rank[:, :n] - n, 0).sum() for n in counts]
    weight = np.full(len(counts), np.nan)
    n = counts[valid]
    weight[valid] = 2.0 / (n_samples * n * (2.0 * n_samples - 3.0 * n - 1.0))
    trustworthiness, continuity = 1.0 - weight * penalties
    return trustworthiness, continuity


class _Space:
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
        self.points[: len(A)] = _scaled(A)
        self.norms = np.square(self.points).sum(axis=1)
        self._squared = np.empty((_BLOCK, n_padded))  # kept: fresh memory costs more than sums
        self._difference = np.empty((_BLOCK, n_padded))

    def keys(self, rows: slice) -> NDArray:
        """Return the keys of a block of points with all points, shape (n_rows, n_padded).

        The next call overwrites them.
        """
        keys = self._squared_distances(rows).view(np.int64)
        keys += (self.index_mask + 1) // 2
        keys &= _FAR ^ self.index_mask
        keys |= np.arange(len(self.points))
        keys[:, self.n_samples :] = _FAR
        keys[np.arange(len(keys)), np.arange(rows.start, rows.stop)] = _FAR  # no own neighbour
        return keys

    def _squared_distances(self, rows: slice) -> NDArray:
        block = self.points[rows]
        squared = self._squared[: len(block)]
        if block.shape[1] > _DIRECT:
            np.matmul(-2.0 * block, self.points.T, out=squared)
            squared += self.norms
            squared += self.norms[rows, None]
            return np.maximum(squared, 0.0, out=squared)
        squared[:] = 0.0
        difference = self._difference[: len(block)]
        for a, b in zip(block.T, self.points.T, strict=True):
            np.subtract.outer(a, b, out=difference)
            squared += np.square(difference, out=difference)
        return squared

    def nearest(self, keys: NDArray, k: int) -> NDArray:
        """Return the indices of the k nearest points, nearest first, shape (n_rows, k).

        They lie in the k columns (across stripes) that have the smallest minima.
        """
        stripes = keys.reshape(len(keys), _STRIPES, -1)
        if stripes.shape[2] > k:
            column = np.argpartition(stripes.min(axis=1), k - 1, axis=1)[:, None, :k]
            keys = np.take_along_axis(stripes, column, axis=2).reshape(len(keys), -1)
        return np.sort(np.partition(keys, k - 1, axis=1)[:, :k], axis=1) & self.index_mask


def _scaled(A: NDArray) -> NDArray:
    """Scale by a power of two, so that no square overflows; centre where squares may cancel."""
    scaled = np.ldexp(A, -np.frexp(np.abs(A).max())[1])
    return scaled if A.shape[1] <= _DIRECT else scaled - scaled.mean(axis=0)


def _rank(keys: NDArray, points: NDArray) -> NDArray:
    """Return the rank of the given points in each row of keys, 1 for the nearest."""
    wanted = np.take_along_axis(keys, points, axis=1)
    rank = np.empty(points.shape, dtype=np.int64)
    nearer = np.empty(keys.shape, dtype=bool)
    for column in range(points.shape[1]):
        np.less(keys, wanted[:, column, None], out=nearer)
        flags = nearer.view(np.uint64)  # eight at a time
        rank[:, column] = 1 + np.bitwise_count(flags).sum(axis=1, dtype=np.int64)
    return rank
