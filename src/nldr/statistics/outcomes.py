"""Three-sided tests, which tell better, worse and practically equal apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

RATE = 0.05  # false discoveries among the settings of a paper that are told to be better, worse …


class Outcome(StrEnum):
    """Outcome of a comparison."""

    BETTER = "better"
    TIE = "tie"
    WORSE = "worse"
    UNCLEAR = "unclear"


class Sides(NamedTuple):
    """One-sided p-values of a difference from its bound; NaN if it could not be tested.

    Attributes
    ----------
    better, worse : float
        Of the difference lying above the bound, and below it.
    not_worse, not_better : float
        Of its lying above the bound minus the negligible difference δ, and below the bound plus δ.
    """

    better: float
    worse: float
    not_worse: float
    not_better: float


@dataclass(frozen=True)
class ThreeSided:
    """P-values of the three statements about a setting.

    Attributes
    ----------
    p_better, p_worse, p_tie : float
        One-sided p-values of better and worse, and the p-value of a tie.
    """

    p_better: float
    p_worse: float
    p_tie: float

    @property
    def p_value(self) -> float:
        """P-value of the strongest statement."""
        return min(2 * min(self.p_better, self.p_worse), self.p_tie, 1.0)

    def outcome(self, level: float) -> Outcome:
        """Return the outcome at a level; a known sign goes before a tie."""
        if 2 * self.p_better <= level:
            return Outcome.BETTER
        if 2 * self.p_worse <= level:
            return Outcome.WORSE
        return Outcome.TIE if self.p_tie <= level else Outcome.UNCLEAR

    def is_small(self, level: float) -> bool:
        """Return whether the difference is known to be negligible."""
        return self.p_tie <= level


def three_sided(sides: Sequence[Sides], need: int | None = None) -> ThreeSided:
    """Test whether one is better than ``need`` of several rivals, worse, or practically equal.

    Better than all: the largest p-value of the comparisons. Worse than one: the smallest, times
    their number. Practically equal: not worse than any by more than δ, and not better than one by
    more than δ. If some rivals may be better, the ordered p-values take the place of the extreme
    ones (partial conjunction). Whatever the true differences, a false outcome is no more probable
    than the level.

    Parameters
    ----------
    sides : sequence of Sides
        The comparisons with each rival.
    need : int, optional
        Number of rivals that must be beaten; all of them by default.

    Returns
    -------
    ThreeSided
        The p-values.

    References
    ----------
    J. J. Goeman, A. Solari, T. Stijnen, Three-sided hypothesis testing: simultaneous testing of
    superiority, equivalence and inferiority, Statistics in Medicine 29 (2010). Y. Benjamini,
    R. Heller, Screening for partial conjunction hypotheses, Biometrics 64 (2008).

    Examples
    --------
    >>> three_sided([Sides(0.001, 0.999, 0.0001, 0.9), Sides(0.02, 0.98, 0.01, 0.8)])
    ThreeSided(p_better=0.02, p_worse=1.0, p_tie=1.0)
    """
    table = np.array(sides, dtype=float)
    table = np.sort(np.where(np.isnan(table), 1.0, table), axis=0)
    n = len(table)
    need = n if need is None else need

    def at_least(side: int, count: int) -> float:
        # P-value of a statement being true of at least `count` of the comparisons (Bonferroni)
        return min(1.0, (n - count + 1) * float(table[count - 1, side]))

    return ThreeSided(
        p_better=at_least(0, need),
        p_worse=at_least(1, n - need + 1),
        p_tie=max(at_least(2, need), at_least(3, n - need + 1)),
    )


def discovery_level(p_values: ArrayLike, rate: float = RATE) -> float:
    """Return the level at which tests are significant, by Benjamini and Hochberg's procedure.

    Parameters
    ----------
    p_values : array_like of shape (n,)
        P-values of all tests of a family.
    rate : float, default=0.05
        Expected share of false ones among those that are significant.

    Returns
    -------
    float
        Level up to which a p-value is significant; 0 if none is.

    References
    ----------
    Y. Benjamini, Y. Hochberg, Controlling the false discovery rate, J. R. Statist. Soc. B 57
    (1995).

    Examples
    --------
    >>> discovery_level([0.01, 0.02, 0.5])
    0.03333333333333333
    """
    p = np.sort(np.asarray(p_values, dtype=float))
    steps = rate * np.arange(1, len(p) + 1) / len(p) if len(p) else p
    passed = np.flatnonzero(p <= steps)
    return float(steps[passed[-1]]) if len(passed) else 0.0
