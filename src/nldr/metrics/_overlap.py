"""Neighborhoods of the same points in two spaces compared: rank penalties, shared neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nldr.metrics._space import Space, has_ties, runs


@dataclass(frozen=True)
class Neighbors:
    """The nearest points of a block of points.

    Attributes
    ----------
    space : Space
        All points.
    keys : ndarray of int64 of shape (n_rows, n_padded)
        Keys of the block, see :class:`Space`; the next block of the space overwrites them.
    nearest : ndarray of int64 of shape (n_rows, k + 1)
        Keys of the nearest points, nearest first, and of one more.
    """

    space: Space
    keys: NDArray
    nearest: NDArray

    @classmethod
    def of(cls, space: Space, rows: slice, k: int) -> Neighbors:
        """Return the k nearest points of a block, and one more to see whether it is tied."""
        keys = space.keys(rows)
        return cls(space, keys, space.nearest(keys, k + 1))


def compare_rows(data: Neighbors, embedded: Neighbors, sizes: NDArray) -> NDArray:
    """Return rank penalties and numbers of shared neighbors, shape (3, len(sizes), n_rows).

    They are the excess over k of the ranks in the data of the neighbors in the embedding, the same
    with the spaces exchanged, and the number of neighbors in both. Expected values if there are
    ties. `sizes` are at most the k of :meth:`Neighbors.of`.
    """
    sides = data, embedded
    mask = data.space.index_mask
    result = np.empty((3, len(sizes), len(data.keys)))
    # Rows in which a tie crosses the border of the neighborhood
    crossed = np.any([has_ties(side.nearest[:, -2:], mask) for side in sides], axis=0)
    uncrossed = ~crossed if crossed.any() else slice(None)
    # Ranks of the neighbors in their own space and in the other one
    nearest = [side.nearest[uncrossed, :-1] for side in sides]
    own_ranks = [runs(ordered, mask) for ordered in nearest]
    ranks = [
        side.space.ranks_of(opposite & mask, side.keys[uncrossed])
        for side, opposite in zip(sides, reversed(nearest), strict=True)
    ]
    result[:, :, uncrossed] = _overlap((own_ranks[1], own_ranks[0]), ranks, sizes)
    # If tied points cross the border, each may be a neighbor: ranks of all points
    if crossed.any():
        all_ranks = [side.space.all_ranks(side.keys[crossed]) for side in sides]
        result[:, :, crossed] = _overlap((all_ranks[1], all_ranks[0]), all_ranks, sizes)
    return result


def _overlap(
    ranks: Sequence[tuple[NDArray, NDArray]],
    opposite: Sequence[tuple[NDArray, NDArray]],
    sizes: NDArray,
) -> NDArray:
    """Return the expected penalties and numbers of shared neighbors, as :func:`compare_rows`.

    `ranks` are those of candidates in the embedding and of other candidates in the data, and
    `opposite` those of the former in the data, and of the latter in the embedding. The ties of the
    two spaces are broken independently, so the expected value of a product is the product of
    expected values.
    """
    n_rows = len(ranks[0][0])
    totals = np.zeros((3, len(sizes), n_rows))
    for penalty, pair, opposite_pair in zip(totals, ranks, opposite, strict=False):
        possible = pair[0] < sizes.max()
        row = possible.nonzero()[0]
        rank, opposite_rank = (np.array(side)[:, possible] for side in (pair, opposite_pair))
        for i, size in enumerate(sizes):
            weight = 1.0 - _beyond(rank[0], rank[1], size)[0]
            outside, excess = _beyond(opposite_rank[0], opposite_rank[1], size)
            penalty[i] = np.bincount(row, weight * excess, n_rows)
            totals[2, i] = np.bincount(row, weight * (1.0 - outside), n_rows)
    return totals


def _beyond(nearer: NDArray, tied: NDArray, k: int) -> tuple[NDArray, NDArray]:
    """Return P(rank > k) and E[max(0, rank - k)] of ranks in nearer + 1, ..., nearer + tied."""
    # Excess of the last of the tied ranks, and the number of tied ranks beyond k
    last = nearer + tied - float(k)
    n_beyond = np.minimum(np.maximum(last, 0.0), tied)
    # Sum of the arithmetic series last, last - 1, ... of n_beyond terms
    return n_beyond / tied, n_beyond * (2.0 * last - n_beyond + 1.0) / (2.0 * tied)
