"""Findings of the tests of claims: settings, each with comparisons of effects with a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, isfinite, log
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nldr.claims.words import number, plural, with_interval
from nldr.statistics.location import SAME
from nldr.statistics.outcomes import Outcome, Sides, ThreeSided, three_sided
from nldr.statistics.pairs import SMALLEST_PAIRS, signed_rank_posterior

Quantifier = Literal["every", "most"]
DELTA, DELTA_RATIO = 0.01, 1.1  # differences and ratios up to these are practically none

AT_BOUND = "practically at the bound"
OPPOSITES = {"higher": "lower", "lower": "higher", "better": "worse", "worse": "better"}


class EffectEstimate(Protocol):
    """An effect with its interval and one-sided p-values, such as a mean or a share."""

    @property
    def center(self) -> float:
        """The effect."""

    @property
    def low(self) -> float:
        """Lower end of its 95 % interval."""

    @property
    def high(self) -> float:
        """Upper end of its 95 % interval."""

    @property
    def n(self) -> int:
        """Number of trials, runs or numbers."""

    @property
    def is_exact(self) -> bool:
        """True if it has no uncertainty."""

    def p_above(self, bound: float) -> float:
        """Return the p-value of the effect lying above a bound."""

    def p_below(self, bound: float) -> float:
        """Return the p-value of the effect lying below a bound."""


@dataclass(frozen=True)
class Effect:
    """One effect that is compared with a bound: a row of a claim's forest plot.

    Attributes
    ----------
    label : str
        Description, such as ``"IKD − Isomap, GP, 100 features"``.
    name : str
        What a sentence calls it: the rival, or the method with its setting.
    estimate : EffectEstimate
        The effect; of ratios, their logarithm.
    bound : float
        Value that the effect must exceed, or stay below, as a ratio where the effect is one.
    above : bool
        Whether effects above the bound support the claim, or those below.
    delta : float
        Distance from the bound up to which a difference is practically none.
    solved : str
        Number of runs that succeeded of all, ``"10 of 10"``, for each side.
    ratio : bool
        Whether the effect is a ratio.
    values : ndarray or None
        Values of the trials, for the second opinion.
    timed_apart : bool
        Whether times or memory of builds are compared that may have had other loads.
    or_equal : bool
        Whether an exact effect that equals the bound supports the claim, as "at least" says.
    test, words : str
        Name of the test and the effect in words, if these are not those of a mean of trials.
    """

    label: str
    name: str
    estimate: EffectEstimate
    bound: float
    above: bool
    delta: float
    solved: str = ""
    ratio: bool = False
    values: NDArray | None = None
    or_equal: bool = False
    timed_apart: bool = False
    test: str = ""
    words: str = ""

    @property
    def ends(self) -> tuple[float, float, float]:
        """Effect and ends of its 95 % interval, in the unit of the finding."""
        e = self.estimate
        ends = (e.center, e.low, e.high)
        return tuple(_exp(end) for end in ends) if self.ratio else ends  # type: ignore[return-value]

    @property
    def _bound(self) -> float:
        return log(self.bound) if self.ratio else self.bound

    @cached_property
    def sides(self) -> Sides:
        """One-sided p-values, oriented so that "better" supports the claim."""
        bound, delta = self._bound, self.delta
        above, below = self.estimate.p_above, self.estimate.p_below
        if self.above:
            sides = Sides(above(bound), below(bound), above(bound - delta), below(bound + delta))
        else:
            sides = Sides(below(bound), above(bound), below(bound + delta), above(bound - delta))
        is_equal = self.estimate.is_exact and abs(self.margin) <= SAME * max(1.0, abs(bound))
        return sides._replace(better=0.0) if self.or_equal and is_equal else sides

    @property
    def tests(self) -> ThreeSided:
        """The three-sided test of this comparison alone."""
        return three_sided([self.sides])

    @property
    def margin(self) -> float:
        """Distance from the bound, positive where the effect supports the claim."""
        distance = self.estimate.center - self._bound
        return distance if self.above else -distance

    @property
    def p_value(self) -> float:
        """Two-sided p-value of the effect being apart from its bound."""
        return float(np.minimum(1.0, 2 * np.fmin(self.sides.better, self.sides.worse)))

    def text(self, trials: str, unit: str, inverse: bool, signs: Sequence[str]) -> str:
        """Return effect, interval and number of trials.

        ``inverse`` inverts a ratio; ``signs`` are put after positive and negative differences, in
        place of a sign.
        """
        if self.words or not self.estimate.n:
            return self.words or "no run was solved"
        center, low, high = self.ends
        opposite = ""
        if signs:
            negative = center < 0
            opposite = OPPOSITES.get(signs[negative], "")
            unit = f"{unit} {signs[negative]}".strip() if center else unit
            center, low, high = (-center, -high, -low) if negative else (center, low, high)
        elif inverse:
            center, low, high = 1 / center, 1 / high, 1 / low if low else inf
        n = self.estimate.n
        detail = plural(n, trials)
        if self.estimate.is_exact:
            detail = "no randomness" if n == 1 else f"the same in all {detail}"
        detail += ", measured in different builds" if self.timed_apart else ""
        return with_interval(center, low, high, detail, unit, opposite)


def _exp(value: float) -> float:
    return exp(min(value, 700.0))


@dataclass(frozen=True)
class Setting:
    """A setting of a claim: one dataset with its parameters, and all comparisons made there.

    Attributes
    ----------
    title : str
        Title of dataset and parameters.
    comparisons : tuple of Effect
        The comparisons, one for each rival.
    need : int or None
        Number of comparisons that must support the claim; all of them by default.
    """

    title: str
    comparisons: tuple[Effect, ...]
    need: int | None = None

    @cached_property
    def tests(self) -> ThreeSided:
        """The three-sided test: better than all rivals, worse than one, or practically equal."""
        return three_sided([comparison.sides for comparison in self.comparisons], self.need)

    def key(self, outcome: Outcome) -> Effect:
        """Return the comparison that decides an outcome.

        The rival that is hardest to beat: the one with the largest p-value of being beaten; where
        the setting is worse, the one with the smallest p-value of beating; where it is equal, the
        one that is most surely equal; where it is unclear, the one of which least is known.
        """
        if outcome is Outcome.UNCLEAR:
            return max(self.comparisons, key=lambda c: c.tests.p_value)
        side = "not_better" if outcome is Outcome.TIE else outcome.value
        known = [c for c in self.comparisons if isfinite(getattr(c.sides, side))]
        if not known:
            return self.comparisons[0]
        if outcome is Outcome.BETTER:
            ranked = sorted(known, key=lambda c: (c.sides.better, -c.margin))
            need = self.need or len(self.comparisons)
            return ranked[min(need, len(ranked)) - 1]
        return min(known, key=lambda c: (getattr(c.sides, side), c.margin))


class Statement(NamedTuple):
    """A claim in words."""

    # Its parts: "IKD", "has a higher R²", "does not have a higher R²", "than"
    subject: str
    verb: str
    negation: str
    than: str = ""
    rivals: Sequence[str] = ()  # names of those that it is compared with
    unit: str = ""  # of the effect
    inverse: bool = False  # whether it is about the inverse of the ratio that is tested
    signs: tuple[str, ...] = ()  # words for positive and negative differences
    tie: str = AT_BOUND  # what the effect is where it is practically its bound


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Finding of a test, before the number of statements of the paper is taken into account.

    Attributes
    ----------
    settings : tuple of Setting
        The settings of the claim.
    words : Statement
        The statement of the test in words.
    need : int, "most" or None
        Number of settings in which the statement must hold; None if it is about every setting and
        the verdict tells in how many it holds. Settings of several tests of a claim with None or
        "most" are counted together.
    unit : str
        Unit of the effects, such as ``"R²"`` or ``"×"``.
    is_paired : bool
        Whether the values are differences of paired trials.
    """

    settings: tuple[Setting, ...]
    words: Statement
    need: int | Literal["most"] | None = None
    unit: str = ""
    is_paired: bool = False

    def test(self) -> str:
        """Return the names of the tests that were made, with their numbers of trials."""
        kinds: dict[str, list[int]] = {}
        comparisons = [c for setting in self.settings for c in setting.comparisons]
        complete = {"exact values", "no value", *(c.test for c in comparisons)}
        for comparison in comparisons:
            name = _test_name(comparison, self.is_paired)
            kinds.setdefault(name, []).append(comparison.estimate.n)
        texts = []
        for name, sizes in kinds.items():
            trials = plural(max(sizes), "pair" if self.is_paired else "trial")
            several = f"{min(sizes)} to {trials}" if min(sizes) < max(sizes) else trials
            texts.append(name if name in complete else f"{name} ({several})")
        return ", ".join(texts)


def need_of(quantifier: str) -> Literal["most"] | None:
    """Return the number of settings that a quantifier asks for."""
    if quantifier not in ("every", "most"):
        raise ValueError(f"quantifier {quantifier!r}: must be every or most")
    return "most" if quantifier == "most" else None


def _test_name(comparison: Effect, is_paired: bool) -> str:
    estimate = comparison.estimate
    if not estimate.n:
        return "no value"
    if comparison.test:
        return comparison.test
    if estimate.is_exact:
        return "exact values"
    if not isfinite(estimate.high):
        return "too few trials"
    if getattr(estimate, "freedom", 0.0) == inf:
        return "z-test of single timings"  # only clocks have a spread that is known beforehand
    return "paired t-test" if is_paired else "t-test"


def second_opinion(comparison: Effect) -> str:
    """Return the posterior probabilities of the three outcomes, if there are enough values."""
    values = comparison.values
    if values is None or comparison.estimate.is_exact or len(values) < SMALLEST_PAIRS:
        return ""
    bound = log(comparison.bound) if comparison.ratio else comparison.bound
    rng = np.random.default_rng(0)
    below, tie, above = signed_rank_posterior(values - bound, comparison.delta, rng, 5000)
    better, worse = (above, below) if comparison.above else (below, above)
    return (
        f"second opinion, Bayesian signed rank test: better with probability {better:.2f}, "
        f"practically equal {tie:.2f}, worse {worse:.2f} "
        f"(up to {number(DELTA_RATIO if comparison.ratio else comparison.delta)} counts as equal)"
    )


def delta_of(bound: float, ratio: bool = False) -> float:
    """Return the difference from a bound that is practically none: δ, or half a small bound.

    Examples
    --------
    >>> delta_of(0.0), delta_of(0.0005), round(delta_of(2.0, ratio=True), 4)
    (0.01, 0.00025, 0.0953)
    """
    if ratio:
        return log(DELTA_RATIO)
    return min(DELTA, abs(bound) / 2 or DELTA)
