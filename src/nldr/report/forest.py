"""Forest plots: effects with their intervals on a line, as inline SVG that scales with the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nldr.report.templating import RATIO, number, slug

if TYPE_CHECKING:
    from markupsafe import Markup

    from nldr.report.content import Bar, ClaimContent, EvaluationContent

MARGIN = 5.0  # percent of the width that stay free on each side
LINE = 20  # height of one mark in pixels


@dataclass(frozen=True)
class Mark:
    """One effect with its interval, and how it is drawn."""

    effect: float
    low: float | None
    high: float | None
    decision: str
    hollow: bool = False

    @property
    def ends(self) -> list[float]:
        """Its effect and the ends of its interval."""
        return [end for end in (self.low, self.effect, self.high) if end is not None]


@dataclass(frozen=True)
class Axis:
    """Positions on a line, in percent of its width."""

    # Values at the ends, logarithms on a logarithmic axis
    low: float
    high: float
    log: bool = False  # whether the axis is logarithmic
    mirrored: bool = False  # whether large values lie on the left

    def at(self, value: float) -> float:
        """Return the position of a value; one that lies outside is moved to the end.

        Examples
        --------
        >>> Axis(0.0, 1.0).at(0.5), Axis(0.0, 1.0, mirrored=True).at(0.0)
        (50.0, 95.0)
        """
        if self.log:
            value = math.log(value) if value > 0 else self.low
        share = min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))
        share = 1.0 - share if self.mirrored else share
        return round(MARGIN + (100.0 - 2.0 * MARGIN) * share, 1)

    def ticks(self) -> list[float]:
        """Return round values on the axis.

        Examples
        --------
        >>> Axis(-0.12, 0.31).ticks()
        [-0.1, 0.0, 0.1, 0.2, 0.3]
        >>> [round(tick, 3) for tick in Axis(math.log(0.005), math.log(0.05), log=True).ticks()]
        [0.005, 0.01, 0.02, 0.05]
        """
        if self.log:
            first, last = (math.floor(end / math.log(10)) for end in (self.low, self.high))
            values = [f * 10.0**d for d in range(first, last + 1) for f in (1, 2, 5)]
            values = [value for value in values if self.low <= math.log(value) <= self.high]
            return values if len(values) <= 6 else [v for v in values if f"{v:e}".startswith("1")]
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / 3))
        while (self.high - self.low) / step > 5:
            step *= 2 if f"{step:e}"[0] in "15" else 2.5
        first = math.ceil(self.low / step - 1e-9)
        count = math.floor(self.high / step + 1e-9) - first + 1
        return [round((first + i) * step, 12) for i in range(count)]


def axis_of(values: Iterable[float], log: bool = False) -> Axis:
    """Return an axis that shows all values."""
    log, places = _logs(values, log)
    low, high = min(places), max(places)
    if high == low:
        low, high = low - (abs(low) or 1.0), high + (abs(high) or 1.0)
    return Axis(low, high, log)


def centered_axis(values: Iterable[float], center: float, log: bool, mirrored: bool) -> Axis:
    """Return an axis that shows all values and has a given one in its middle."""
    log, (middle, *places) = _logs([center, *values], log)
    reach = max((abs(place - middle) for place in places), default=0.0) or 1.0
    return Axis(middle - reach, middle + reach, log, mirrored)


def _logs(values: Iterable[float], log: bool) -> tuple[bool, list[float]]:
    """Return whether an axis can be logarithmic, and the places of values on it."""
    numbers = [*values]
    log = log and all(value > 0 for value in numbers)
    return log, [math.log(value) for value in numbers] if log else numbers


def claim_strip(claim: ClaimContent) -> Markup:
    """Return the effects of a claim, as published and under equal tuning, around their bound.

    The bound is in the middle, where the page draws a line through all claims, and effects on its
    right support the claim. Effects with the same unit and bound share an axis.
    """
    evaluations = [e for e in claim.evaluations if e.effect is not None and e.threshold is not None]
    groups: dict[tuple[str, float | None, bool], list[EvaluationContent]] = {}
    for evaluation in evaluations:
        key = (evaluation.unit, evaluation.threshold, evaluation.above)
        groups.setdefault(key, []).append(evaluation)
    axes: dict[int, Axis] = {}
    for (unit, threshold, above), members in groups.items():
        values = [end for member in members for end in _mark(member).ends]
        axis = centered_axis(values, threshold or 0.0, unit == RATIO, not above)
        axes |= {id(member): axis for member in members}
    words = [
        f"{evaluation.basis.replace('_', ' ')}: {evaluation.decision}, effect "
        f"{number(evaluation.effect)} {evaluation.unit}, bound {number(evaluation.threshold)}"
        for evaluation in evaluations
    ]
    return _svg([(_mark(e), axes[id(e)]) for e in evaluations], [], "; ".join(words))


def _mark(evaluation: EvaluationContent) -> Mark:
    """Return the mark of an evaluation; that under equal tuning is hollow."""
    e = evaluation
    assert e.effect is not None
    return Mark(e.effect, e.low, e.high, e.decision, hollow=e.basis != "as_published")


@dataclass(frozen=True)
class Row:
    """One row of a forest plot: a comparison and its drawing."""

    bar: Bar
    strip: Markup | None


@dataclass(frozen=True)
class Forest:
    """Comparisons on a common axis."""

    unit: str  # unit of the axis; empty if it is not known
    threshold: float | None  # the bound that the effects are compared with
    above: bool  # whether effects above the bound support the claim
    rows: list[Row]
    ticks: list[tuple[float, str]]  # position in percent and label of each tick


def forests(bars: Iterable[Bar]) -> list[Forest]:
    """Return forest plots of comparisons, those with the same unit and bound on one axis."""
    groups: dict[tuple[str, float | None, bool], list[Bar]] = {}
    for bar in bars:
        groups.setdefault((bar.unit, bar.threshold, bar.above), []).append(bar)
    return [_forest(members, *key) for key, members in groups.items()]


def _forest(bars: Sequence[Bar], unit: str, threshold: float | None, above: bool) -> Forest:
    """Return the forest plot of comparisons that have the same unit and bound."""
    marks = [None if b.effect is None else Mark(b.effect, b.low, b.high, b.decision) for b in bars]
    values = [end for mark in marks if mark for end in mark.ends]
    if not values:
        return Forest(unit, threshold, above, [Row(bar, None) for bar in bars], [])
    lines = [] if threshold is None else [threshold]
    axis = axis_of(values + lines, unit == RATIO)
    rows = []
    for bar, mark in zip(bars, marks, strict=True):
        at = [axis.at(line) for line in lines]
        rows.append(Row(bar, _svg([(mark, axis)], at) if mark else None))
    ticks = [(axis.at(tick), number(tick)) for tick in axis.ticks()]
    return Forest(unit, threshold, above, rows, ticks)


def _svg(marks: Sequence[tuple[Mark, Axis]], lines: Sequence[float], words: str = "") -> Markup:
    """Return marks one below the other, with vertical lines, as inline SVG.

    Without words, it shows what stands beside it as text.
    """
    from markupsafe import Markup

    height = len(marks) * LINE
    line = Markup('<line class="bound" x1="{x}%" x2="{x}%" y1="0" y2="{h}"/>')
    circle = Markup(
        '<g class="{name}{hollow}"><line class="whisker" x1="{low}%" x2="{high}%" y1="{y}" '
        'y2="{y}"/><circle cx="{x}%" cy="{y}" r="4"/></g>'
    )
    parts = [line.format(x=x, h=height) for x in lines]
    for row, (mark, axis) in enumerate(marks):
        y = LINE * (row + 0.5)
        ends = sorted(axis.at(end) for end in mark.ends)
        attributes = {"name": slug(mark.decision), "hollow": " hollow" if mark.hollow else ""}
        place = {"low": ends[0], "high": ends[-1], "x": axis.at(mark.effect), "y": y}
        parts.append(circle.format(**attributes, **place))
    label = Markup('role="img" aria-label="{}"').format(words) if words else 'aria-hidden="true"'
    start = Markup(f'<svg class="strip" width="100%" height="{height}" {label}>')
    return start + Markup("").join(parts) + Markup("</svg>")
