"""Distances of chosen pairs of points, rounded so that ties do not depend on rounding errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.metrics._distances import scaled_by_power_of_two

SEED = 0  # of all samples, so that embeddings of the same data are compared on the same points
_DIGITS = 40  # binary digits kept, counted from the largest value
_CHUNK_SIZE = 2**18  # coordinate differences in memory at a time


def all_or_random_pairs(n_samples: int, n_pairs: int) -> tuple[NDArray, NDArray]:
    """Return the indices of all pairs of points, or of random ones if there are more.

    Examples
    --------
    >>> [indices.tolist() for indices in all_or_random_pairs(3, 10)]
    [[0, 0, 1], [1, 2, 2]]
    >>> [len(indices) for indices in all_or_random_pairs(100, 10)]
    [10, 10]
    """
    if n_samples * (n_samples - 1) // 2 <= n_pairs:
        first, second = np.triu_indices(n_samples, 1)
        return first, second
    rng = np.random.default_rng(SEED)
    first = np.sort(rng.integers(n_samples, size=n_pairs))  # sorted for contiguous access
    second = rng.integers(n_samples - 1, size=n_pairs)
    # Skip the first point itself
    return first, second + (second >= first)


def chosen_points(n_samples: int, n_chosen: int) -> NDArray:
    """Return the indices of all points, or of random ones, ascending, if there are more.

    Examples
    --------
    >>> chosen_points(3, 10)
    array([0, 1, 2])
    >>> len(chosen_points(100, 10))
    10
    """
    if n_samples <= n_chosen:
        return np.arange(n_samples)
    return np.sort(np.random.default_rng(SEED).choice(n_samples, n_chosen, replace=False))


def squared_between(A: NDArray, first: NDArray, second: NDArray) -> NDArray:
    """Return the squared distances of pairs of points, up to a common factor, rounded.

    Examples
    --------
    >>> squared = squared_between(np.array([[0.0], [0.1], [0.3]]), np.array([0, 1]), [1, 2])
    >>> 4 * squared[0] == squared[1]
    np.True_
    """
    points, squared = scaled_by_power_of_two(A), np.empty(len(first))
    size = max(_CHUNK_SIZE // A.shape[1], 1)
    for start in range(0, len(first), size):
        chunk = slice(start, start + size)
        difference = points[first[chunk]] - points[second[chunk]]
        np.einsum("ij,ij->i", difference, difference, out=squared[chunk])
    return rounded(squared)


def rounded(values: NDArray) -> NDArray:
    """Round nonnegative values to integers, in units of 2⁻⁴⁰ of the largest finite one.

    Examples
    --------
    >>> a, b, c = rounded(np.array([0.1 + 0.2, 0.3, np.inf]))
    >>> a == b, c
    (np.True_, np.float64(inf))
    """
    largest = values.max(initial=0.0, where=np.isfinite(values))
    return np.round(values * (2.0**_DIGITS / largest)) if largest > 0 else values


def rank_correlation(a: NDArray, b: NDArray) -> float:
    """Return the Spearman correlation of two samples, NaN if one is constant.

    Examples
    --------
    >>> rank_correlation(np.array([1.0, 2.0, 5.0]), np.array([3.0, 4.0, 4.5]))
    1.0
    """
    from scipy.stats import rankdata

    ranks = [rankdata(values) for values in (a, b)]
    if any(len(r) == 0 or (r == r[0]).all() for r in ranks):
        return float("nan")
    x, y = (r - r.mean() for r in ranks)
    return float(np.clip(x @ y / np.sqrt((x @ x) * (y @ y)), -1.0, 1.0))
