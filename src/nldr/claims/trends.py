"""Claims that a metric rises or falls with a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log, log10, sqrt
from typing import Any, Literal

import numpy as np

from nldr.claims._units import (
    CLOCK_SD,
    Contestant,
    ContestantSpec,
    Measure,
    Unit,
    read_measure,
    read_methods,
    read_units,
    shared_trials,
    solved_of,
)
from nldr.claims.evidence import Evidence
from nldr.claims.findings import (
    AT_BOUND,
    DELTA,
    DELTA_RATIO,
    Effect,
    Finding,
    Quantifier,
    Setting,
    Statement,
    need_of,
)
from nldr.claims.words import listed, name_of, number
from nldr.statistics.location import locate


def trend(
    evidence: Evidence,
    methods: Sequence[ContestantSpec] | None = None,
    *,
    metric: str,
    x: str,
    by: float = 0.0,
    direction: Literal["rising", "falling"] = "rising",
    log_x: bool = True,
    log_y: bool = False,
    quantifier: Quantifier = "every",
) -> Finding:
    """Decide whether a metric rises, or falls, with a parameter.

    Settings that differ in the parameter only make a line. Each trial has a slope, by least
    squares, and the mean slope is tested by Student's t. Slopes are practically none up to a change
    of .01, or by 1.1 times with ``log_y``, over the whole range of the parameter. Values
    of the parameter at which no run was solved are left out, and so are trials that were not solved
    at all others.

    Parameters
    ----------
    methods : sequence of (str or mapping), optional
        Contestants, as in :func:`nldr.claims.compare`; by default all methods of the evidence.
    metric : str
        A metric, ``fit.<name>``, or a cost.
    x : str
        Column of the parameter, ``data.<name>`` or ``method.<name>``.
    by : float, default=0
        Smallest steepness with which the statement holds, positive in both directions. A
        negative one is a bound on the opposite direction: ``falling`` by -1.2 says that the metric
        rises by less than 1.2.
    direction : {"rising", "falling"}, default="rising"
        Direction of the metric when the parameter grows.
    log_x : bool, default=True
        Whether the slope is the change when the parameter becomes ten times as large.
    log_y : bool, default=False
        Whether to use the logarithm of the metric: with ``log_x``, the slope is the exponent.
    quantifier : {"every", "most"}, default="every"
        Whether the statement is about every line, or about more than half of them.

    Returns
    -------
    Finding
        One setting for each line, of which the effect is the slope.

    Raises
    ------
    ValueError
        If no line has two values of ``x``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "roll", "data_cell": ["a", "a", "a", "b", "b", "b"], "method": "mvu",
    ...     "method_cell": "mvu", "trial": [0, 1, 2, 0, 1, 2], "ok": True, "status": "ok",
    ...     "data.n_samples": [100, 100, 100, 1000, 1000, 1000],
    ...     "seconds": [0.1, 0.11, 0.12, 95.0, 109.0, 130.0]})
    >>> evidence = Evidence(
    ...     table=table, methods={"mvu": "MVU"}, datasets={"roll": "Swiss roll"}, metrics={})
    >>> finding = trend(evidence, ["mvu"], metric="seconds", x="data.n_samples", log_y=True, by=2)
    >>> round(finding.settings[0].comparisons[0].estimate.center, 2), finding.unit
    (3.0, 'exponent')
    """
    measure = read_measure(evidence, metric, default="higher")
    if x not in evidence.table:
        raise ValueError(f"x = {x!r} is not a column: give data.<name> or method.<name>")
    if direction not in ("rising", "falling"):
        raise ValueError(f"direction {direction!r}: must be rising or falling")
    rising = direction == "rising"
    bound = by if rising else -by
    contestants = read_methods(evidence, methods)
    lines = [
        _Line(contestant, units, measure, x, log_x, log_y)
        for contestant in contestants
        for units in _in_lines(read_units(evidence, measure, [contestant], x), x)
    ]
    settings = tuple(line.setting(bound, rising) for line in lines if line.has_slope)
    if not settings:
        raise ValueError(f"no setting was solved at two values of {x}: select more of them")
    per = f"{'tenfold' if log_x else 'unit of'} {name_of(x)}"
    has_exponent = log_x and log_y
    # Below 0, the bound is one on the opposite direction
    verb = "rise" if rising == (by >= 0) else "fall"
    much = f" by {'more' if by > 0 else 'less'} than {number(abs(by))} per {per}" if by else ""
    if has_exponent:
        much = f" with an exponent {'above' if by >= 0 else 'below'} {number(abs(by))}"
    words = Statement(
        subject=f"the {measure.label} of {listed([c.title for c in contestants])}",
        verb=f"{verb}s with the {name_of(x)}{much}",
        negation=f"does not {verb} with the {name_of(x)}{much}",
        unit="" if has_exponent else f"per {per}",
        tie=AT_BOUND if by else "practically constant",
    )
    unit = "exponent" if has_exponent else f"{measure.unit} per {per}"
    return Finding(settings=settings, words=words, need=need_of(quantifier), unit=unit)


def _in_lines(units: Sequence[Unit], x: str) -> Iterator[list[Unit]]:
    """Yield the units that differ in ``x`` only."""
    lines: dict[tuple[Any, ...], list[Unit]] = {}
    for unit in units:
        if unit.params[x] is not None:
            key = tuple(value for column, value in unit.params.items() if column != x)
            lines.setdefault(key, []).append(unit)
    yield from lines.values()


class _Line:
    """Slope of each trial in the units that differ in one parameter only."""

    def __init__(
        self,
        contestant: Contestant,
        units: Sequence[Unit],
        measure: Measure,
        x: str,
        log_x: bool,
        log_y: bool,
    ) -> None:
        self.place = units[0].title
        self.title = f"{contestant.title} on {self.place}"
        runs = [unit.runs[0] for unit in units]
        self.solved = solved_of(runs)
        self.exact = all(run.exact for run in runs)
        # Values of the parameter that some trial solved
        pairs = [(u.params[x], r) for u, r in zip(units, runs, strict=True) if r.n_solved]
        self.has_slope = len(pairs) > 1
        if not self.has_slope:
            return
        at = np.array([value for value, _ in pairs], dtype=float)
        if log_x and (at <= 0).any():
            raise ValueError(f"{x} has values that are not positive: use log_x: false")
        at = np.log10(at) if log_x else at
        self.delta = (log10(DELTA_RATIO) if log_y else DELTA) / float(np.ptp(at))
        at = at - at.mean()
        # Trials that solved all of these
        trials = shared_trials(run for _, run in pairs)
        y = np.array([run.at(trials) for _, run in pairs])
        y = y[:, np.isfinite(y).all(axis=0)]
        if log_y and (y <= 0).any():
            raise ValueError(f"{measure.column} has values that are not positive: use log_y: false")
        y = np.log10(y) if log_y else y
        self.slopes = at @ y / (at @ at)
        # A single timing has the spread that timings have.
        is_clock = log_y and measure.is_cost
        self.sd = CLOCK_SD / log(10) / sqrt(at @ at) if is_clock else None

    def setting(self, bound: float, rising: bool) -> Setting:
        """Return the setting in which the slopes are compared with a bound."""
        comparison = Effect(
            label=self.title,
            name=self.title,
            estimate=locate(self.slopes, self.exact, self.sd),
            bound=bound,
            above=rising,
            delta=self.delta,
            solved=self.solved,
        )
        return Setting(self.place, (comparison,))
