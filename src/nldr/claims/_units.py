"""Settings in which contestants are compared, with the values of their trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from nldr.claims.evidence import Evidence
from nldr.claims.words import setting_words, spoken
from nldr.costs import COSTS

if TYPE_CHECKING:
    import pandas as pd

ContestantSpec = str | Mapping[str, Any]  # a method's name, or methods, datasets and where
Better = Literal["higher", "lower"]
COMPONENTS = "method.n_components"
TIMED = {**COSTS, "transform_seconds": "time of new points (s)"}
CLOCK_SD = 0.4  # s.d. of the natural logarithm of a single running time: 0.36 in 689 cells


@dataclass(frozen=True)
class Measure:
    """A metric, recorded number or cost, as the tests of claims use it."""

    # Its column of the table, and for readers its short name, its full name and its unit
    column: str
    label: str
    title: str
    unit: str
    higher: bool  # whether higher values are better
    # Ends of its range, NaN if it has none
    worst: float
    best: float
    is_cost: bool  # whether it differs from run to run even if nothing is random

    @property
    def sign(self) -> float:
        """1 where higher is better, else -1."""
        return 1.0 if self.higher else -1.0


def read_measure(
    evidence: Evidence, metric: str, better: Better | None = None, default: Better | None = None
) -> Measure:
    """Return the measure of a metric, of a recorded number ``fit.<name>``, or of a cost.

    ``better`` overrides the metric's direction, ``default`` is used if it has none.
    """
    if metric not in evidence.table:
        columns = [*evidence.metrics, *(cost for cost in TIMED if cost in evidence.table)]
        raise ValueError(f"metric {metric!r} is not in the study's table: it has {columns}")
    if metric in TIMED:
        label, _, unit = TIMED[metric].removesuffix(")").partition(" (")
        return Measure(metric, label, label, unit, False, np.nan, np.nan, True)
    facts = evidence.metrics.get(metric, {})
    direction = better or facts.get("direction", default)
    if direction not in ("higher", "lower"):
        raise ValueError(f"metric {metric!r} has no better direction: give better: higher or lower")
    higher = direction == "higher"
    low, high = (np.nan if end is None else float(end) for end in facts.get("range", (None, None)))
    worst, best = (low, high) if higher else (high, low)
    label = facts.get("label", metric.removeprefix("fit.").replace("_", " "))
    title = facts.get("title", label)
    return Measure(metric, label, title, label, higher, worst, best, False)


def read_bound(at_least: float | None, at_most: float | None) -> tuple[float, bool]:
    """Return the bound, and whether values must be above it."""
    if at_least is not None and at_most is None:
        return at_least, True
    if at_most is not None and at_least is None:
        return at_most, False
    raise ValueError("give either at_least or at_most")


@dataclass(frozen=True)
class Contestant:
    """Rows of the table that take part in a comparison under one title."""

    title: str
    methods: tuple[str, ...]
    datasets: tuple[str, ...] | None
    where: Mapping[str, Sequence[Any]]

    def rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return its rows of a table."""
        mask = table["method"].isin(self.methods)
        if self.datasets is not None:
            mask &= table["dataset"].isin(self.datasets)
        for column, values in self.where.items():
            mask &= matches(table[column], values)
        return table[mask]

    def fixed(self, table: pd.DataFrame) -> set[str]:
        """Return the columns in which it names a single value."""
        columns = [*self.where, *(["dataset"] if self.datasets is not None else [])]
        rows = self.rows(table)
        return {column for column in columns if rows[column].map(plain).nunique() == 1}


def plain(value: Any) -> Any:
    """Return a value as a number if it is one, None for an empty text, else the text.

    Examples
    --------
    >>> plain("100") == plain(100.0), plain("True") == plain(True), plain(""), plain("auto")
    (True, True, None, 'auto')
    """
    if value is None or value == "" or value != value:
        return None
    if value in ("True", "False"):
        return float(value == "True")
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def matches(column: pd.Series, accepted: Sequence[Any]) -> pd.Series:
    """Return which entries of a parameter's column are among the values, or lack the parameter."""
    plain_values = column.map(plain)
    return plain_values.isin([plain(value) for value in accepted]) | plain_values.isna()


def read_contestant(evidence: Evidence, spec: ContestantSpec) -> Contestant:
    """Return a contestant from its name, or from ``methods``, ``datasets`` and ``where``."""
    choice: dict[str, Any] = {"methods": [spec]} if isinstance(spec, str) else dict(spec)
    unknown = choice.keys() - {"methods", "datasets", "where"}
    if unknown or not choice.get("methods"):
        raise ValueError(f"contestant {spec!r}: give methods, and perhaps datasets and where")
    conditions = (choice.get("where") or {}).items()
    where = {k: v if isinstance(v, list | tuple) else [v] for k, v in conditions}
    for column in where:
        if column not in evidence.table:
            raise ValueError(f"contestant {spec!r}: {column} is not a column of the table")
    for kind, titles in (("methods", evidence.methods), ("datasets", evidence.datasets)):
        # A study may leave out some at a smaller scale, but not all.
        if choice.get(kind) is not None and not set(choice[kind]) & titles.keys():
            none = f"at this scale the study has none of the {kind} {', '.join(choice[kind])}"
            raise ValueError(f"{none}; it has {', '.join(titles)}")
    methods, datasets = tuple(choice["methods"]), choice.get("datasets")
    title = " or ".join(spoken(evidence.methods[m]) for m in methods if m in evidence.methods)
    return Contestant(title, methods, None if datasets is None else tuple(datasets), where)


def read_methods(evidence: Evidence, methods: Sequence[ContestantSpec] | None) -> list[Contestant]:
    """Return contestants from a list, or one for each method of the evidence."""
    if methods is None:
        present = {*evidence.table["method"]}
        methods = [name for name in evidence.methods if name in present]
    return entitle(evidence, [read_contestant(evidence, spec) for spec in methods])


def entitle(evidence: Evidence, contestants: Sequence[Contestant]) -> list[Contestant]:
    """Return contestants with titles that name their settings and the data, if these differ."""
    entitled = []
    for contestant in contestants:
        words = []
        for column, values in contestant.where.items():
            is_own = any(other.where.get(column) != values for other in contestants)
            is_setting = column.startswith("method.") and column != COMPONENTS and len(values) == 1
            if is_own or is_setting:
                # A study may leave out some values at this scale
                present = {*evidence.table[column].map(plain)}
                run = [value for value in values if plain(value) in present]
                words.append(setting_words(column, *(run or values)))
        title = f"{contestant.title} with {', '.join(words)}" if words else contestant.title
        names = [n for n in contestant.datasets or () if n in evidence.datasets]
        if names and any(other.datasets != contestant.datasets for other in contestants):
            title += f" on {evidence.datasets[names[0]]}"
        entitled.append(replace(contestant, title=title))
    return entitled


@dataclass(frozen=True)
class Runs:
    """Runs of one contestant in one unit, in order of their trials."""

    trials: NDArray  # numbers of the trials
    values: NDArray  # values of the measure; NaN where the run failed
    exact: bool  # whether one trial is enough, since neither data nor method are random
    # In which build each trial was run, where that is recorded
    builds: Mapping[int, str] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """Mean of the runs with a value."""
        return float(np.nanmean(self.values))

    @property
    def n_solved(self) -> int:
        """Number of runs with a value."""
        return int(np.isfinite(self.values).sum())

    def at(self, trials: Sequence[int]) -> NDArray:
        """Return the values of some trials, NaN where there is none.

        A run without randomness has the same value in every trial.
        """
        if self.exact and len(self.values):
            return np.full(len(trials), self.values[0])
        value_of_trial = dict(zip(self.trials.tolist(), self.values, strict=True))
        return np.array([value_of_trial.get(trial, np.nan) for trial in trials])


def pair_runs(first: Runs, second: Runs) -> tuple[NDArray, NDArray]:
    """Return the values of two contestants in the trials that both have solved."""
    trials = shared_trials([first, second])
    x, y = first.at(trials), second.at(trials)
    solved = np.isfinite(x) & np.isfinite(y)
    return x[solved], y[solved]


def solved_of(runs: Iterable[Runs]) -> str:
    """Return the number of runs with a value, of all."""
    all_runs = [*runs]
    return f"{sum(r.n_solved for r in all_runs)} of {sum(len(r.values) for r in all_runs)}"


def shared_trials(runs: Iterable[Runs]) -> list[int]:
    """Return the trials that all runs have, leaving out runs without randomness."""
    trials = [set(run.trials.tolist()) for run in runs if not run.exact]
    return sorted(set.intersection(*trials)) if trials else [0]


@dataclass(frozen=True)
class Unit:
    """A setting in which contestants are compared."""

    # Titles of the setting and of its dataset
    title: str
    dataset: str
    params: Mapping[str, Any]  # parameters of the data that identify it
    runs: list[Runs]  # runs of each contestant


def read_units(
    evidence: Evidence,
    measure: Measure,
    contestants: Sequence[Contestant],
    x: str | None = None,
    per: Sequence[str] = (),
) -> list[Unit]:
    """Return the units in which all contestants were run and the measure is known.

    Units differ in the parameters of the data, except those for which a contestant names a single
    value, and in the columns ``x`` and ``per``; ``x`` is not part of titles.
    """
    table = evidence.table
    freed = set().union(*(c.fixed(table) for c in contestants)) - {x}
    if unknown := {*per} - {*table.columns}:
        raise ValueError(f"per: {', '.join(sorted(unknown))} is not a column of the table")
    named = {"dataset", COMPONENTS, x, *per}
    keys = [c for c in table.columns if c.startswith("data.") or c in named]
    keys = [column for column in keys if column not in freed]
    table = table.assign(
        **{column: table[column].map(plain) for column in keys if column != "dataset"},
        value=table[measure.column].where(table["ok"]).astype(float),
    )
    sides = [dict(_group(contestant.rows(table), keys)) for contestant in contestants]
    shared_keys = [key for key in sides[0] if all(key in side for side in sides)]
    everything = dict(_group(table, keys))
    rows = [sides[0][key] for key in shared_keys]
    names = _titles(evidence, keys, shared_keys, rows, {"dataset", x})
    units = []
    for key, (title, dataset) in zip(shared_keys, names, strict=True):
        pairs = zip(sides, contestants, strict=True)
        runs = [_runs(side[key], measure, contestant, title) for side, contestant in pairs]
        if evidence.is_exact:
            runs = [replace(run, exact=True) for run in runs]
        # A metric that successful runs of the setting do not have is not defined there.
        group = everything[key]
        if np.isfinite(group["value"]).any() or not group["ok"].any():
            params = dict(zip(keys, key, strict=True))
            units.append(Unit(title, dataset, params, runs))
    return units


def _group(rows: pd.DataFrame, keys: list[str]) -> Iterator[tuple[tuple[Any, ...], pd.DataFrame]]:
    """Yield the rows of each unit with its key."""
    if not len(rows):
        return
    if not keys:
        yield (), rows
        return
    for key, group in rows.groupby(keys, sort=False, dropna=False):
        yield tuple(None if part != part else part for part in key), group


def _runs(rows: pd.DataFrame, measure: Measure, contestant: Contestant, title: str) -> Runs:
    """Return the runs of one contestant in one unit."""
    trials = rows["trial"].to_numpy()
    order = np.argsort(trials, kind="stable")
    if (np.diff(trials[order]) == 0).any():
        column = "method_cell" if rows["method_cell"].nunique() > 1 else "data_cell"
        several = f"{contestant.title} has several cells in the setting {title!r}"
        raise ValueError(f"{several}: choose one by where, of {sorted({*rows[column]})}")
    random = rows["random"].to_numpy().any() if "random" in rows else len(rows) > 1
    exact = not random and not measure.is_cost
    builds = dict(zip(trials, rows["run"], strict=True)) if "run" in rows else {}
    return Runs(trials[order], rows["value"].to_numpy()[order], exact, builds)


def _titles(
    evidence: Evidence,
    keys: list[str],
    units: Sequence[tuple[Any, ...]],
    rows: list[pd.DataFrame],
    hidden: set[str | None],
) -> list[tuple[str, str]]:
    """Return titles of units and of their datasets, with the parameters that differ within one."""
    datasets = [evidence.datasets[group["dataset"].iloc[0]] for group in rows]
    values: dict[tuple[str, str], set[Any]] = {}
    for key, dataset in zip(units, datasets, strict=True):
        for column, value in zip(keys, key, strict=True):
            values.setdefault((dataset, column), set()).add(value)
    titles = []
    for key, dataset in zip(units, datasets, strict=True):
        differing = [
            setting_words(column, value)
            for column, value in zip(keys, key, strict=True)
            if column not in hidden and value is not None and len(values[dataset, column]) > 1
        ]
        titles.append((", ".join([dataset, *differing]), dataset))
    return titles
