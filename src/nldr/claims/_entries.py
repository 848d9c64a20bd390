"""Comparisons with a bound, their conjunction, and the finding that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf, isnan, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nldr.claims._words import number, plural, with_interval
from nldr.claims.evidence import Comparison, Decision, Finding
from nldr.statistics.conjunction import count_true
from nldr.statistics.location import SAME, SMALLEST_RANKS, SMALLEST_T, Location, locate
from nldr.statistics.pairs import SMALLEST_PAIRS, signed_rank_posterior

Quantifier = Literal["every", "most", "mean"]
LEVEL = 0.05
ROPE, ROPE_RATIO = 0.01, 1.1  # largest differences, and ratios, that count as none
CONFIRMED = 0.95  # smallest posterior probability with which the second opinion agrees


@dataclass(frozen=True)
class Entry:
    """One comparison with a bound.

    Attributes
    ----------
    label, short : str
        Description for tables, and for a sentence.
    location : Location
        Outcome of the test.
    bound : float
        Value that the center must exceed, or stay below.
    above : bool
        Whether the entry holds above the bound, not below it.
    solved : str
        Numbers of successful runs.
    group : str
        Setting that it belongs to.
    opinion : tuple of (ndarray, float) or None
        For the second opinion: the values minus the bound, and the largest negligible difference.
    """

    label: str
    short: str
    location: Location
    bound: float
    above: bool
    solved: str
    group: str
    opinion: tuple[NDArray, float] | None = None

    @property
    def margin(self) -> float:
        """Distance from the bound, positive where the entry holds; minus infinity if unknown."""
        if not self.location.n:
            return -inf
        distance = self.location.center - self.bound
        if abs(distance) <= SAME * max(1.0, abs(self.location.center)):
            return 0.0
        return distance if self.above else -distance

    @property
    def p_true(self) -> float:
        """One-sided p-value of the entry holding."""
        return self.location.p_above if self.above else self.location.p_below

    @property
    def p_false(self) -> float:
        """One-sided p-value of the entry not holding."""
        return self.location.p_below if self.above else self.location.p_above

    @property
    def is_random(self) -> bool:
        """True if the value is uncertain."""
        return self.location.low < self.location.high

    def comparison(self) -> Comparison:
        """Return the row of the forest plot."""
        decision = decide(self.margin > 0, self.location.p_value)
        effect = (self.location.center, self.location.low, self.location.high, self.location.n)
        unit = ""  # filled in by make_finding
        sides = (self.solved, unit, self.bound, self.above)
        return Comparison(self.label, *effect, decision, *sides)

    def text(
        self, trials: str, unit: str = "", inverse: bool = False, words: Sequence[str] = ()
    ) -> str:
        """Return effect, interval and number of trials.

        ``inverse`` inverts a ratio; ``words`` are put after positive and negative differences, in
        place of a sign.
        """
        location = self.location
        if not location.n:
            return "no run was solved"
        detail = plural(location.n, trials) if self.is_random else "no randomness"
        ends = (location.center, location.low, location.high)
        if words:
            negative = location.center < 0
            unit = f"{unit} {words[negative]}".strip()
            ends = (-location.center, -location.high, -location.low) if negative else ends
        elif inverse:
            high = 1 / location.low if location.low else inf
            ends = (1 / location.center, 1 / location.high, high)
        return with_interval(*ends, detail, unit)


def locate_values(
    values: NDArray, bound: float, exact: bool, sd: float | None = None, rope: float | None = None
) -> tuple[Location, tuple[NDArray, float] | None]:
    """Return the test of some values, and the input of the second opinion."""
    if not len(values):
        return Location.unknown(), None
    opinion = None if rope is None or exact else (values - bound, rope)
    return locate(values, bound, exact, sd), opinion


def locate_ratios(
    logarithms: NDArray, bound: float, exact: bool, sd: float | None
) -> tuple[Location, tuple[NDArray, float] | None]:
    """Return the test of ratios from their logarithms, and the input of the second opinion."""
    location, opinion = locate_values(logarithms, log(bound), exact, sd, log(ROPE_RATIO))
    ends = [exp(min(value, 700.0)) for value in (location.center, location.low, location.high)]
    return replace(location, center=ends[0], low=ends[1], high=ends[2]), opinion


def read_bound(at_least: float | None, at_most: float | None) -> tuple[float, bool]:
    """Return the bound, and whether values must be above it."""
    if at_least is not None and at_most is None:
        return at_least, True
    if at_most is not None and at_least is None:
        return at_most, False
    raise ValueError("give either at_least or at_most")


def decide(supports: bool, p_value: float) -> Decision:
    """Return the decision that a p-value allows."""
    if isnan(p_value) or p_value > LEVEL:
        return Decision.UNDECIDED
    return Decision.HOLDS if supports else Decision.FAILS


@dataclass(frozen=True)
class Conjunction:
    """Outcome of several entries that must hold together.

    Attributes
    ----------
    entries : sequence of Entry
        The entries.
    true, low, high : int
        Number of entries whose center is on the right side of the bound, and the 95 % interval of
        the number that hold.
    need : int
        Number that must hold.
    p_value : float
        As in :class:`nldr.claims.evidence.Finding`.
    key : Entry
        The decisive entry: the one with the smallest margin, or if some fail, the most significant
        of those.
    """

    entries: Sequence[Entry]
    true: int
    low: int
    high: int
    need: int
    p_value: float
    key: Entry

    @property
    def supports(self) -> bool:
        """True if the data speak for the statement."""
        return self.true >= self.need


def combine_entries(entries: Sequence[Entry], quantifier: str = "every") -> Conjunction:
    """Decide whether every entry holds, or most of them."""
    if quantifier not in ("every", "most", "mean"):
        raise ValueError(f"quantifier {quantifier!r}: must be every, most or mean")
    need = len(entries) // 2 + 1 if quantifier == "most" else len(entries)
    count = count_true([e.p_true for e in entries], [e.p_false for e in entries], need)
    false = [entry for entry in entries if entry.margin <= 0]
    supports = len(entries) - len(false) >= need
    if false:
        key = min(false, key=lambda e: (1.0 if isnan(e.p_false) else e.p_false, e.margin))
    else:
        key = min(entries, key=lambda entry: entry.margin)
    p_value = count.p_holds if supports else count.p_fails
    n_true = len(entries) - len(false)
    return Conjunction(entries, n_true, count.low, count.high, need, p_value, key)


def make_finding(
    conjunction: Conjunction, quantifier: str, unit: str, sentence: str, is_paired: bool = False
) -> Finding:
    """Return the finding of several entries."""
    total, key = len(conjunction.entries), conjunction.key.location
    words = _tests(conjunction.entries, is_paired)
    comparisons = tuple(replace(entry.comparison(), unit=unit) for entry in conjunction.entries)
    if quantifier == "most":
        counts = (conjunction.true, conjunction.low, conjunction.high)
        effect, low, high = (n / total for n in counts)
        threshold, unit = 0.5, f"of {plural(total, 'comparison')}"
        words += f"; more than half of {total} must hold (partial conjunction)"
    else:
        effect, low, high, threshold = key.center, key.low, key.high, conjunction.key.bound
        words += f"; all {total} must hold (intersection–union)" if total > 1 else ""
        words += _second_opinion(conjunction.key)
    return Finding(
        decision=decide(conjunction.supports, conjunction.p_value),
        p_value=conjunction.p_value,
        supports=conjunction.supports,
        effect=effect,
        low=low,
        high=high,
        threshold=threshold,
        unit=unit,
        test=words,
        n=key.n,
        sentence=sentence,
        comparisons=comparisons,
        above=quantifier == "most" or conjunction.key.above,
    )


def _tests(entries: Sequence[Entry], is_paired: bool) -> str:
    """Return the names of the tests by which entries were decided, with their numbers of trials."""
    kinds: dict[str, list[int]] = {}
    for entry in entries:
        n = entry.location.n
        if not entry.is_random:
            name = "exact values"
        elif n >= SMALLEST_RANKS:
            name = "Wilcoxon signed rank test"
        elif n >= SMALLEST_T:
            name = "paired t-test" if is_paired else "t-test"
        else:
            # Only clocks have a known spread.
            name = "too few trials" if isnan(entry.location.p_value) else "z-test of single timings"
        kinds.setdefault(name, []).append(n)
    texts = []
    for name, sizes in kinds.items():
        trials = plural(max(sizes), "pair" if is_paired else "trial")
        several = f"{min(sizes)} to {trials}" if min(sizes) < max(sizes) else trials
        texts.append(name if name == "exact values" else f"{name} ({several})")
    return ", ".join(texts)


def _second_opinion(entry: Entry) -> str:
    """Return the posterior probabilities of the entry that decides, if it has enough values."""
    if entry.opinion is None or not entry.is_random or entry.location.n < SMALLEST_PAIRS:
        return ""
    values, rope = entry.opinion
    below, none, above = signed_rank_posterior(values, rope, np.random.default_rng(0), 5000)
    holding, contrary = (above, below) if entry.above else (below, above)
    text = (
        f"; second opinion, Bayesian signed rank test: holds with probability {holding:.2f}, "
        f"practically equal {none:.2f}, contrary {contrary:.2f}"
    )
    if entry.location.p_value <= LEVEL and max(holding, contrary) < CONFIRMED:
        text += f" (a difference up to {number(rope)} counts as none: it does not confirm the test)"
    return text
