"""Equivalence of our mean with a published one: reproduced, better, worse, or undecided."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import copysign, inf, sqrt
from typing import Literal

OF_A_MEAN = sqrt(2)  # margin in s.d. of a trial, if the published value is a mean of several
OF_A_RUN = 2.0  # the same, if it is a single run


class Agreement(StrEnum):
    """Agreement of one of our means with a published one."""

    REPRODUCED = "reproduced"
    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Sample:
    """Known facts about the trials of one side.

    Attributes
    ----------
    mean : float
        Their mean.
    sd : float or None
        Their standard deviation, with ``n - 1`` in the denominator; None where it is not known.
    n : int
        Number of trials.
    """

    mean: float
    sd: float | None
    n: int


@dataclass(frozen=True)
class Equivalence:
    """Outcome of :func:`compare_with_published`.

    Attributes
    ----------
    agreement : Agreement
        The decision.
    difference : float
        Our mean minus the published one.
    low, high : float
        Confidence interval of the difference; infinite where no spread is known.
    margin : float
        Largest negligible difference.
    """

    agreement: Agreement
    difference: float
    low: float
    high: float
    margin: float


def compare_with_published(
    ours: Sample,
    published: Sample,
    margin: float,
    better: Literal["higher", "lower"] = "higher",
    level: float = 0.95,
) -> Equivalence:
    """Decide whether a published mean is reproduced, by the interval of the difference.

    The interval is Welch's. The number is reproduced if the whole interval lies within ``margin``
    of zero, better or worse if the whole interval lies beyond, and undecided otherwise: more trials
    are needed. Each wrong decision has a probability of at most ``(1 - level) / 2``: the first is
    the test of two one-sided hypotheses, stricter than its usual form with an interval of 90 %.

    A single published run is compared as it was printed: the interval is that of our mean, and the
    chance in the printed run is allowed for by the margin, see :func:`margin_of`.

    Parameters
    ----------
    ours, published : Sample
        The trials of both sides. A mean without a standard deviation has that of the other side.
    margin : float
        Largest negligible difference, at least 0, in units of the metric.
    better : {"higher", "lower"}, default="higher"
        Direction of the metric.
    level : float, default=0.95
        Confidence level of the interval.

    Returns
    -------
    Equivalence
        Decision, difference and interval.

    Raises
    ------
    ValueError
        If ``margin`` is negative, or a side has no trial.

    References
    ----------
    B. L. Welch, The generalization of Student's problem when several different population variances
    are involved, Biometrika 34 (1947). D. J. Schuirmann, A comparison of the two one-sided tests
    procedure and the power approach, J. Pharmacokin. Biopharm. 15 (1987).

    Examples
    --------
    >>> result = compare_with_published(Sample(0.91, 0.01, 10), Sample(0.90, 0.02, 50), margin=0.03)
    >>> str(result.agreement), round(result.low, 3), round(result.high, 3)
    ('reproduced', 0.001, 0.019)
    """
    if margin < 0:
        raise ValueError(f"margin = {margin}: must be at least 0")
    if min(ours.n, published.n) < 1:
        raise ValueError(f"{ours.n} trials of ours and {published.n} published: give at least one")
    difference = ours.mean - published.mean
    half = _half_width(ours, published, level)
    low, high = difference - half, difference + half
    # The interval within the margin, beyond it, or across its border
    if -margin <= low and high <= margin:
        agreement = Agreement.REPRODUCED
    elif low > margin or high < -margin:
        is_better = copysign(1, difference) == (1 if better == "higher" else -1)
        agreement = Agreement.BETTER if is_better else Agreement.WORSE
    else:
        agreement = Agreement.UNDECIDED
    return Equivalence(agreement, difference, low, high, margin)


def margin_of(
    published_sd: float | None,
    our_sd: float | None,
    floor: float,
    n_published: int = 1,
    rounding: float = 0.0,
) -> float:
    """Return the largest negligible difference from a published value.

    - A published mean with its standard deviation: √2 of these, the difference that two single
      trials of the same experiment typically have (root mean square). A mean of several trials
      without a standard deviation has ours.
    - A single published run: two of our standard deviations, the distance from the mean within
      which 95 % of single runs lie.
    - A result without randomness has no such spread: the floor decides.

    The margin is never below ``floor``, and half a unit of the last printed digit is added.

    Simulated with normal trials of one spread, equal means are reproduced with 5, 10, 20 or 50 of
    our trials in 44, 90, 99.6 and 100 % of the cases against 50 published ones, and in 48, 75, 85
    and 91 % against a single run; they are called better or worse in less than 0.1 %, and in 4 % or
    less. A published value moved by 2 s.d. is reproduced in less than 0.3 %, and in 12 to 39 %; one
    moved by 5 s.d. is called better or worse in more than 99.9 %, and in 89 % or more.

    Parameters
    ----------
    published_sd, our_sd : float or None
        Standard deviations of single trials; None where they are not known.
    floor : float
        Smallest margin, in units of the metric.
    n_published : int, default=1
        Trials behind the published value, where it has no standard deviation.
    rounding : float, default=0
        Half a unit of the last printed digit, from :func:`rounding_of`.

    Returns
    -------
    float
        The margin, in units of the metric.

    Raises
    ------
    ValueError
        If ``floor`` or ``rounding`` is negative.

    Examples
    --------
    >>> round(margin_of(0.02, 0.01, floor=0.01), 4), round(margin_of(None, 0.01, floor=0.01), 4)
    (0.0283, 0.02)
    >>> round(margin_of(None, 0.0, floor=0.01, rounding=rounding_of("0.98")), 4)
    0.015
    """
    if floor < 0 or rounding < 0:
        raise ValueError(f"floor = {floor}, rounding = {rounding}: must be at least 0")
    if published_sd is not None:
        spread = OF_A_MEAN * published_sd
    else:
        spread = (OF_A_MEAN if n_published > 1 else OF_A_RUN) * (our_sd or 0.0)
    return max(floor, spread) + rounding


def rounding_of(printed: str) -> float:
    """Return half a unit of the last digit of a printed number.

    Examples
    --------
    >>> rounding_of("0.98"), rounding_of("12"), rounding_of("1.5e-3")
    (0.005, 0.5, 5e-05)
    """
    digits, _, exponent = printed.strip().lower().partition("e")
    decimals = len(digits.partition(".")[2])
    return float(f"0.5e{int(exponent or 0) - decimals}")


def _half_width(ours: Sample, published: Sample, level: float) -> float:
    """Return half the width of Welch's interval of the difference of two means."""
    from scipy.special import stdtrit

    # A result without randomness is known exactly from one trial.
    sides = [s for s in (ours, published) if s.sd == 0 or (s.sd is not None and s.n > 1)]
    if not sides:
        return inf
    parts = []
    for side in (ours, published):
        if side is published and side.n == 1:
            continue
        # A mean whose spread is not known borrows that of the other side, and adds no freedom.
        source = side if side in sides else sides[0]
        parts.append(((source.sd or 0.0) ** 2 / side.n, source.n - 1))
    variance = sum(part for part, _ in parts)
    if variance == 0:
        return 0.0
    if len(sides) == 1 or len(parts) == 1:
        freedom = float(sides[0].n - 1)
    else:
        # Welch–Satterthwaite
        freedom = variance**2 / sum(part**2 / dof for part, dof in parts if part)
    return float(stdtrit(freedom, (1 + level) / 2)) * sqrt(variance)
