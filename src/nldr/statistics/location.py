"""Test of a center against a bound, with the interval that agrees with the test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import inf, isnan, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

SMALLEST_T = 3  # values from which Student's t is used
SMALLEST_RANKS = 12  # values from which the signed rank test is used
LARGEST_EXACT = 50  # values up to which the signed rank test is exact
SAME = 1e-12  # relative difference up to which values are equal


@dataclass(frozen=True)
class Location:
    """Outcome of :func:`locate`.

    Attributes
    ----------
    center : float
        The mean, or from 12 values on the median of the means of all pairs of values.
    low, high : float
        95 % interval; equal to the center where the values are exact, infinite where there are too
        few.
    p_above, p_below : float
        One-sided p-values of the center lying above, and below, the bound; NaN where there are too
        few values.
    n : int
        Number of values.
    """

    center: float
    low: float
    high: float
    p_above: float
    p_below: float
    n: int

    @classmethod
    def unknown(cls) -> Location:
        """Return the outcome without any value."""
        return cls(nan, -inf, inf, nan, nan, 0)

    @property
    def p_value(self) -> float:
        """Two-sided p-value."""
        smaller = min(self.p_above, self.p_below)
        return smaller if isnan(smaller) else min(1.0, 2 * smaller)


def locate(
    values: ArrayLike, bound: float = 0.0, exact: bool = False, sd: float | None = None
) -> Location:
    """Test whether the center of some values lies above or below a bound.

    Student's t-test is used for 3 to 11 values and Wilcoxon's signed rank test from 12 values on,
    with the interval that contains the bounds which the test does not reject.

    Parameters
    ----------
    values : array_like of shape (n,)
        One value per trial, such as differences between two methods.
    bound : float, default=0
        Value to compare with.
    exact : bool, default=False
        Whether the values have no randomness, so that one is enough. Three or more equal values
        are always exact.
    sd : float, optional
        Standard deviation of a value, used where there are fewer than 3 of them.

    Returns
    -------
    Location
        Center, interval and p-values.

    Raises
    ------
    ValueError
        If there is no value, or one is not finite.

    References
    ----------
    M. Hollander, D. A. Wolfe, Nonparametric Statistical Methods, Wiley 1999, §3.1–3.3.

    Examples
    --------
    >>> result = locate([0.9, 1.1, 1.0, 1.2])
    >>> [round(x, 3) for x in (result.center, result.low, result.high)], round(result.p_value, 4)
    ([1.05, 0.845, 1.255], 0.0005)
    >>> locate([0.5, 0.5, 0.5], bound=0.4).p_value
    0.0
    """
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or not len(x) or not np.isfinite(x).all():
        raise ValueError(f"values of shape {x.shape}: give one finite number per trial")
    same = np.ptp(x) <= SAME * max(1.0, float(np.abs(x).max()))
    if exact or (same and len(x) >= SMALLEST_T):
        return _certain(float(x.mean()), bound, len(x))
    if len(x) >= SMALLEST_RANKS:
        return _by_ranks(x, bound)
    if len(x) >= SMALLEST_T:
        return _by_mean(x, bound, float(x.std(ddof=1)), len(x) - 1)
    if sd is not None:
        return _by_mean(x, bound, sd, inf)
    return Location(float(x.mean()), -inf, inf, nan, nan, len(x))


def _certain(center: float, bound: float, n: int) -> Location:
    """Return the outcome for values without randomness; the bound itself is not above it."""
    above = center - bound > SAME * max(1.0, abs(center))
    return Location(center, center, center, float(not above), float(above), n)


def _by_mean(x: NDArray, bound: float, sd: float, freedom: float) -> Location:
    """Return the outcome of the t-test."""
    from scipy.special import ndtri, stdtr, stdtrit

    error = sd / sqrt(len(x))
    mean = float(x.mean())
    quantile = ndtri(0.975) if freedom == inf else stdtrit(freedom, 0.975)
    t = (mean - bound) / error
    # Both tails by themselves: 1 − p would lose small ones.
    above, below = (float(stdtr(min(freedom, 1e9), sign * t)) for sign in (-1, 1))
    half = float(quantile) * error
    return Location(mean, mean - half, mean + half, above, below, len(x))


def _by_ranks(x: NDArray, bound: float) -> Location:
    """Return the outcome of the signed rank test, with Hodges and Lehmann's center."""
    i, j = np.triu_indices(len(x))
    means = np.sort((x[i] + x[j]) / 2)
    # Means of pairs below the interval: the test rejects if the statistic is at most that number.
    skip = int(np.searchsorted(_distribution(len(x)), 0.025, side="right")) - 1
    above, below = _signed_rank(x - bound)
    return Location(
        float(np.median(means)), float(means[skip]), float(means[-1 - skip]), above, below, len(x)
    )


def _signed_rank(x: NDArray) -> tuple[float, float]:
    """Return the one-sided p-values of the center being above and below 0, by signed ranks."""
    from scipy.stats import wilcoxon

    size = np.abs(x)
    order = np.argsort(size)
    if size[order[0]] == 0 or (np.diff(size[order]) == 0).any() or len(x) > LARGEST_EXACT:
        # Ties, zeros and large samples are approximated.
        above, below = (float(wilcoxon(x, alternative=side).pvalue) for side in ("greater", "less"))
        return above, below
    positive = int((np.flatnonzero(x[order] > 0) + 1).sum())
    negative = len(x) * (len(x) + 1) // 2 - positive
    cumulative = _distribution(len(x))
    return float(cumulative[negative]), float(cumulative[positive])


@cache
def _distribution(n: int) -> NDArray:
    """Return the probability of each signed rank statistic from 0 on, or a smaller one."""
    probabilities = np.ones(1)
    for rank in range(1, n + 1):
        # Each rank is added or not, with equal probability.
        none = np.zeros(rank)
        probabilities = (np.append(probabilities, none) + np.append(none, probabilities)) / 2
    return np.cumsum(probabilities)
