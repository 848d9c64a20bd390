"""Comparison of a value that was computed again with the value before."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import isfinite, isnan
from statistics import stdev

TOLERANCE = 1e-4  # relative, and absolute below 1: what rounding does to most methods
MARGIN = 0.01  # the same, up to which verdicts on published numbers do not distinguish
SPREADS = 3.0  # standard deviations over the trials of a cell, where rounding decides more


class Match(StrEnum):
    """Outcome of comparing values that were computed again with those before."""

    SAME = "same"  # within the tolerance
    CLOSE = "within the margin of verdicts"
    SPREAD = "within the spread of the trials"
    ROUNDING = "decided by rounding: a change of the data by 1e-10 moves it as well"
    DIFFERENT = "different"
    UNAVAILABLE = "not computed: the dataset is not here"


def match_values(
    before: float, after: float | None, trials: Sequence[float]
) -> tuple[Match, float]:
    """Return how two values compare, and their difference.

    Parameters
    ----------
    before, after : float and (float or None)
        The values; None where none could be computed again.
    trials : sequence of float
        The values before of all trials of the cell, whose spread is allowed for.

    Examples
    --------
    >>> match_values(0.5, 0.53, [0.48, 0.5, 0.52])
    (<Match.SPREAD: 'within the spread of the trials'>, 0.03...)
    """
    if after is None:
        return Match.DIFFERENT, float("inf")
    if before == after or (isnan(before) and isnan(after)):
        return Match.SAME, 0.0
    error = abs(after - before)
    if not isfinite(error):
        return Match.DIFFERENT, float("inf")
    unit = max(1.0, abs(before))
    if error <= MARGIN * unit:
        return (Match.SAME if error <= TOLERANCE * unit else Match.CLOSE), error
    finite = [value for value in trials if isfinite(value)]
    spread = stdev(finite) if len(finite) > 1 else 0.0
    return (Match.SPREAD if error <= SPREADS * spread else Match.DIFFERENT), error
