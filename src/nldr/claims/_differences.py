"""Differences between two contestants, setting by setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

import numpy as np

from nldr.claims._units import (
    CLOCK_SD,
    COMPONENTS,
    Contestant,
    ContestantSpec,
    Measure,
    Unit,
    entitle,
    pair_runs,
    read_contestant,
    shared_trials,
    solved_of,
)
from nldr.claims.evidence import Evidence
from nldr.claims.findings import Effect, Setting, delta_of
from nldr.statistics.location import locate


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


def compare_in(
    unit: Unit, first: Contestant, rival: Contestant, measure: Measure, bound: float, ratio: bool
) -> Effect:
    """Return the comparison of two contestants in one setting, positive if the first is better.

    Trials are paired; those that one of the two did not solve are left out.
    """
    sd = CLOCK_SD * sqrt(2) if measure.is_cost and ratio else None
    trials = shared_trials(unit.runs)
    x, y = pair_runs(*unit.runs)
    if ratio and (np.concatenate([x, y]) <= 0).any():
        values = f"{measure.column} has values that are not positive in {unit.title!r}"
        raise ValueError(f"{values}: use scale: difference")
    values = measure.sign * (np.log(x / y) if ratio else x - y)
    return Effect(
        label=f"{first.title} {'/' if ratio else '−'} {rival.title}, {unit.title}",
        name=rival.title,
        estimate=locate(values, all(run.exact for run in unit.runs), sd),
        bound=bound,
        above=True,
        delta=delta_of(bound, ratio),
        solved="; ".join(solved_of([run]) for run in unit.runs),
        ratio=ratio,
        values=values,
        or_equal=not ratio and bound < 0,  # "at most this much worse"
        timed_apart=measure.is_cost
        and any(len({run.builds.get(trial) for run in unit.runs}) > 1 for trial in trials),
    )


def settings_of(
    comparisons: Iterable[tuple[str, Effect]], n_better: int = 0
) -> tuple[Setting, ...]:
    """Return the settings of comparisons, each given with the title of its setting.

    A rival that solved no run in a setting is left out there, unless it is the only one.
    ``n_better`` rivals may be better.
    """
    groups: dict[str, list[Effect]] = {}
    for title, comparison in comparisons:
        groups.setdefault(title, []).append(comparison)
    settings = []
    for title, members in groups.items():
        run = [comparison for comparison in members if comparison.estimate.n] or members
        settings.append(Setting(title, tuple(run), max(len(run) - n_better, 1)))
    return tuple(settings)
