"""Names for the best of several cells: `best_of` of several methods, `tune` of several settings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from nldr.engine.jobs.specs import MethodGroup
from nldr.engine.planning.expand import MethodCell
from nldr.engine.reading.entries import MetricEntry
from nldr.engine.reading.parsing import PlanError, require
from nldr.engine.reading.specs import BestOf, Study, Tune

Candidates = Iterable[tuple[str, MethodCell]]


def make_groups(
    study: Study, candidates: Candidates, metrics: Mapping[str, MetricEntry], where: str
) -> dict[str, MethodGroup]:
    """Return a study's groups of candidates by name: those of ``best_of``, then tuned methods.

    ``candidates`` are method cells with the names of their dataset cells, ``where`` names the study
    in mistakes.
    """
    candidates = list(candidates)
    present = {method.name for _, method in candidates}

    def group(members: list[str], spec: BestOf | Tune, key: str) -> MethodGroup:
        metric = spec.metric or next(iter(metrics))
        problem = f"{where}: {key}.metric = '{metric}': the study has no such metric"
        require(metric, metrics, problem)
        return MethodGroup(members, metric, metrics[metric].direction, spec.one_setting)

    # `best_of`: several methods, as far as this scale has them, compete under a new name.
    groups = {}
    for name, best in study.best_of.items():
        if members := [method for method in best.methods if method in present]:
            groups[name] = group(members, best, f"best_of.{name}")
    # `tune`: the settings of one method compete under its own name.
    tune = study.tune
    if tune is not None:
        tuned = group([], tune, "tune")
        grouped = {method for members in groups.values() for method in members.methods}
        for name, n_settings in count_settings(candidates).items():
            if n_settings > 1 and name not in grouped:
                groups[name] = replace(tuned, methods=[name])
        groups = {k: replace(g, selected_on=tune.selection) for k, g in groups.items()}
        if tune.settings:
            _check_equal(tune, groups, candidates, f"{where}: tune")
    return groups


def _check_equal(
    tune: Tune, groups: Mapping[str, MethodGroup], candidates: Candidates, where: str
) -> None:
    """Raise if a method has more or fewer settings than the others, on any dataset."""
    members = {method: name for name, group in groups.items() for method in group.methods}
    counts = defaultdict(set)
    for data, method in candidates:
        if method.entry.role != "control":
            name = members.get(method.name, method.name)
            counts[name, data, method.params["n_components"]].add(method.cell)
    for (name, data, _), cells in counts.items():
        number, remedy = tune.settings, "give it as many, or name it in tune.untuned"
        if name in tune.untuned:
            number, remedy = 1, "remove it from tune.untuned"
        if len(cells) != number:
            problem = f"'{name}' has {len(cells)} on {data}, not {number}: {remedy}"
            raise PlanError(f"{where}.settings = {tune.settings}: {problem}")


def count_settings(candidates: Candidates) -> dict[str, int]:
    """Return the most cells that each method has on one dataset in one number of dimensions."""
    cells = defaultdict(set)
    for data, method in candidates:
        cells[method.name, data, method.params["n_components"]].add(method.cell)
    counts = Counter[str]()
    for (name, _, _), members in cells.items():
        counts[name] = max(counts[name], len(members))
    return counts
