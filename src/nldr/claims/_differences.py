"""Differences between two contestants, setting by setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from nldr.claims._entries import ROPE, Entry, locate_ratios, locate_values
from nldr.claims._units import (
    CLOCK_SD,
    COMPONENTS,
    Contestant,
    ContestantSpec,
    Measure,
    Runs,
    Unit,
    entitle,
    read_contestant,
    shared_trials,
    solved_of,
)
from nldr.claims._words import plural
from nldr.claims.evidence import Evidence


def read_contestants(
    evidence: Evidence,
    first: ContestantSpec,
    second: ContestantSpec | Sequence[ContestantSpec] | None,
) -> list[Contestant]:
    """Return the contestants; rivals given by name are under the conditions of the first."""
    contestant = read_contestant(evidence, first)
    specs: Sequence[ContestantSpec]
    if second is None:
        specs = [name for name in evidence.methods if name not in contestant.methods]
    else:
        specs = [second] if isinstance(second, str | Mapping) else second
    where = {k: v for k, v in contestant.where.items() if k.startswith("data.") or k == COMPONENTS}
    conditions = {"where": where, "datasets": contestant.datasets}
    choices = [{"methods": [s], **conditions} if isinstance(s, str) else s for s in specs]
    rivals = [read_contestant(evidence, choice) for choice in choices]
    return entitle(evidence, [contestant, *rivals])


class Difference:
    """Differences between two contestants in one setting, positive where the first is better."""

    def __init__(
        self,
        first: Contestant,
        rival: Contestant,
        unit: Unit,
        measure: Measure,
        missing: str,
        ratio: bool,
    ) -> None:
        self.first, self.rival, self.unit, self.ratio = first.title, rival.title, unit, ratio
        self.sd = CLOCK_SD * sqrt(2) if measure.is_cost and ratio else None
        self.solved = "; ".join(solved_of([run]) for run in unit.runs)
        # Values of the trials that both have, and of these the ones that count
        trials = np.array(shared_trials(unit.runs))
        sides = [run.at(trials.tolist()) for run in unit.runs]
        solved = [np.isfinite(side) for side in sides]
        keep = solved[0] & solved[1] if missing == "intersect" else solved[0] | solved[1]
        x, y = (np.where(np.isfinite(side), side, unit.worst)[keep] for side in sides)
        if ratio and (np.concatenate([x, y]) <= 0).any():
            values = f"{measure.column} has values that are not positive in {unit.title!r}"
            raise ValueError(f"{values}: use scale: difference")
        values = measure.sign * (np.log(x / y) if ratio else x - y)
        self.runs = Runs(trials[keep], values, all(run.exact for run in unit.runs))

    def entry(self, bound: float) -> Entry:
        """Return the comparison in this setting."""
        return _entry(self, self.runs.values, self.runs.exact, bound, self.unit.title, self.sd)


def _entry(
    difference: Difference, values: NDArray, exact: bool, bound: float, where: str, sd: float | None
) -> Entry:
    """Return the comparison of two contestants by some differences."""
    location, opinion = (
        locate_ratios(values, bound, exact, sd)
        if difference.ratio
        else locate_values(values, bound, exact, rope=min(ROPE, abs(bound) / 2 or ROPE))
    )
    label = f"{difference.first} {'/' if difference.ratio else '−'} {difference.rival}, {where}"
    return Entry(label, difference.rival, location, bound, True, difference.solved, where, opinion)


def mean_entry(differences: Sequence[Difference], bound: float) -> Entry:
    """Return the comparison by the means over all settings, one for each trial."""
    solved = [d for d in differences if len(d.runs.values)] or differences[:1]
    first, runs = solved[0], [d.runs for d in solved]
    values = np.mean([run.at(shared_trials(runs)) for run in runs], axis=0)
    values = values[np.isfinite(values)]
    sd = None if first.sd is None else first.sd / sqrt(len(solved))
    where = f"mean of {plural(len(solved), 'setting')}"
    entry = _entry(first, values, all(run.exact for run in runs), bound, where, sd)
    sides = zip(*(d.unit.runs for d in differences), strict=True)
    return replace(entry, solved="; ".join(solved_of(side) for side in sides))
