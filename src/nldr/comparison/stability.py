"""Agreement of maps: neighbors that two of them have in common, and alignment."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nldr.metrics.recovery import shared_neighbors

K = 12  # neighbors of a point; fewer of few points


def neighbors_of(n_points: int, k: int = K) -> int:
    """Return a number of neighbors that so many points allow.

    Examples
    --------
    >>> neighbors_of(1000), neighbors_of(20)
    (12, 5)
    """
    return max(min(k, n_points // 4), 1)


def stability(draws: list[tuple[NDArray, NDArray]], n_points: int) -> tuple[float, NDArray]:
    """Return how far maps of different draws agree on neighbors.

    ``draws`` are the rows of each draw with their map. The first number is the mean share of a
    point's neighbors that two maps have in common, among rows of both; the array of shape
    (n_points,) has the same for each row, NaN if no two draws have it.
    """
    totals, counts = np.zeros(n_points), np.zeros(n_points)
    for (rows, Z), (other_rows, other_Z) in combinations(draws, 2):
        shared, i, j = np.intersect1d(rows, other_rows, return_indices=True)
        k = neighbors_of(len(shared))
        if len(shared) < 2 * k:
            continue
        totals[shared] += shared_neighbors(Z[i], other_Z[j], k)
        counts[shared] += 1
    with np.errstate(invalid="ignore"):
        shares = totals / np.where(counts > 0, counts, np.nan)
    return float(np.nanmean(shares)) if counts.any() else float("nan"), shares


def align_maps(A: NDArray, B: NDArray) -> tuple[NDArray, float]:
    """Return a map moved onto another by similarity, and the share of variance that remains."""
    center, other = A.mean(axis=0), B.mean(axis=0)
    left, values, right = np.linalg.svd((B - other).T @ (A - center))
    total, size = ((A - center) ** 2).sum(), ((B - other) ** 2).sum()
    scale = values.sum() / size if size > 0 else 0.0
    aligned = scale * (B - other) @ left @ right + center
    return aligned, float(1 - values.sum() ** 2 / (size * total)) if size * total > 0 else 1.0
