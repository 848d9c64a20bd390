"""Tests of how many of several statements hold, from the p-value of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class Count:
    """Outcome of :func:`count_true`.

    Attributes
    ----------
    low, high : int
        95 % interval of the number of statements that hold.
    p_holds, p_fails : float
        Two-sided p-values of at least ``need`` of them holding, and of fewer doing so; NaN where
        none of the statements could be tested.
    """

    low: int
    high: int
    p_holds: float
    p_fails: float


def count_true(p_true: ArrayLike, p_false: ArrayLike, need: int) -> Count:
    """Test whether at least ``need`` of several statements hold.

    The p-value of at least u of n statements being true is the smallest, for i from u to n, of the
    i-th smallest p-value times (n − u + 1) / (i − u + 1) (Simes). It is valid if the p-values are
    independent or positively dependent, as those of comparisons with one method are. For u = n it
    is the largest p-value. The interval has the largest u that is significant.

    Parameters
    ----------
    p_true, p_false : array_like of shape (n,)
        One-sided p-values of each statement being true, and being false; NaN where it could not be
        tested.
    need : int
        Number of statements, from 1 to n.

    Returns
    -------
    Count
        Interval of their number, and p-values of the two decisions.

    References
    ----------
    Y. Benjamini, R. Heller, Screening for partial conjunction hypotheses, Biometrics 64 (2008).

    Examples
    --------
    >>> result = count_true([0.001, 0.004, 0.6], [0.999, 0.996, 0.4], need=2)
    >>> result.low, result.high, round(result.p_holds, 3)
    (2, 3, 0.016)
    """
    true, false = (np.asarray(p, dtype=float) for p in (p_true, p_false))
    if not len(true) == len(false) >= need >= 1:
        raise ValueError(f"need = {need} of {len(true)} statements: must be from 1 to their number")
    if np.isnan(true).all():
        return Count(0, len(true), np.nan, np.nan)
    holds, fails = _at_least(true), _at_least(false)
    return Count(
        low=_most(holds),
        high=len(true) - _most(fails),
        p_holds=float(holds[need - 1]),
        p_fails=float(fails[len(true) - need]),
    )


def _at_least(p_values: NDArray) -> NDArray:
    """Return the two-sided p-values of at least 1, 2, … n of the statements."""
    p = np.sort(np.where(np.isnan(p_values), 1.0, p_values))
    n = len(p)
    smallest = [min((n - u) / (i - u + 1) * p[i] for i in range(u, n)) for u in range(n)]
    return np.minimum(2 * np.array(smallest), 1.0)


def _most(p_values: NDArray) -> int:
    """Return the largest number of statements that is significant, given those p-values."""
    return int(np.flatnonzero(np.append(0.0, p_values) <= 0.05).max())
