"""Comparisons of all methods of a study on each of its datasets: who is best, and who worst."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from statistics import fmean
from typing import Any

from nldr.claims.findings import DELTA
from nldr.engine.files.status import Status
from nldr.report.content import Study
from nldr.statistics.location import locate
from nldr.statistics.outcomes import RATE, Outcome, Sides, ThreeSided, discovery_level, three_sided

SMALLEST = 3  # methods from which a comparison has a best and a worst one
SAME = 1e-9  # relative difference of means that counts as none
COMPONENTS = "method.n_components"
SHARING = ("draw", "repeat")  # parameters of studies of noise, which compare no methods
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Entrant:
    """A method in one setting, in its best cell.

    Attributes
    ----------
    method : str
        Name in the catalog.
    values : dict of int to float
        Value of the metric in each trial, larger where better.
    exact : bool
        Whether it has no randomness, so that its one trial tells all.
    """

    method: str
    values: dict[int, float]
    exact: bool

    @property
    def mean(self) -> float:
        """Mean over the trials."""
        return fmean(self.values.values())

    def at(self, trials: Iterable[int]) -> dict[int, float]:
        """Return the values by trial; without randomness all trials have that of the first."""
        first = next(iter(self.values.values()))
        return dict.fromkeys(trials, first) | self.values if self.exact else self.values


@dataclass(frozen=True)
class Place:
    """First or last place of a setting.

    Attributes
    ----------
    methods : list of str
        Those that share it.
    next : str
        The method next to it.
    tests : ThreeSided
        Test of their being better than all others (worse, for the last place).
    """

    methods: list[str]
    next: str
    tests: ThreeSided


@dataclass(frozen=True)
class Setting:
    """All methods of a study on one dataset, in one number of dimensions.

    Attributes
    ----------
    study, metric, dataset, label : str
        Names of the study, of its metric and of the dataset, and what tells the setting apart from
        others of the same dataset.
    key : (str, str)
        Cell of the dataset, and number of dimensions.
    ranking : list of Entrant
        Methods that solved all trials, the best first.
    failed : dict of str to str
        Methods that did not, with the most frequent status and the number of trials.
    level : float
        Level of the tests of places.
    """

    study: str
    metric: str
    dataset: str
    label: str
    key: tuple[str, str]
    ranking: list[Entrant] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    level: float = RATE

    def outcome(self, place: Place) -> Outcome:
        """Return whether a place is held by better methods, by practically equal ones, or unclear.

        The level is that of all settings, see :func:`set_level`.
        """
        return place.tests.outcome(self.level)

    @property
    def methods(self) -> set[str]:
        """All methods that compete."""
        return {c.method for c in self.ranking} | {*self.failed}

    @cached_property
    def trials(self) -> int:
        """Number of trials, 0 where nothing is random."""
        return max((len(c.values) for c in self.ranking if not c.exact), default=0)

    def value(self, method: str) -> float:
        """Mean of a method, larger where better."""
        return next(c.mean for c in self.ranking if c.method == method)

    @cached_property
    def first(self) -> Place | None:
        """The best method, None where there are too few of them or half of them are equal."""
        return _place(self.ranking, 1)

    @cached_property
    def last(self) -> Place | None:
        """The worst method, likewise."""
        return _place(self.ranking[::-1], -1)


def _place(ranking: Sequence[Entrant], sign: int) -> Place | None:
    if len(ranking) < SMALLEST:
        return None
    top = ranking[0]
    tied = [c for c in ranking if abs(c.mean - top.mean) <= SAME * max(1.0, abs(top.mean))]
    others = [c for c in ranking if c not in tied]
    if 2 * len(tied) > len(ranking):
        return None
    tests = three_sided([_sides(top, other, sign) for other in others])
    return Place([c.method for c in tied], others[0].method, tests)


def _sides(one: Entrant, other: Entrant, sign: int) -> Sides:
    """Return the tests of one being better than another (worse for a sign of −1)."""
    trials = sorted({*one.values} | {*other.values})
    first, second = one.at(trials), other.at(trials)
    differences = [sign * (first[t] - second[t]) for t in trials if t in first and t in second]
    mean = locate(differences, exact=one.exact and other.exact)
    return Sides(mean.p_above(), mean.p_below(), mean.p_above(-DELTA), mean.p_below(DELTA))


def set_level(settings: Iterable[Setting]) -> list[Setting]:
    """Return settings with the level of their tests: 5 % of the places told apart are not."""
    settings = [*settings]
    places = [place for s in settings for place in (s.first, s.last) if place is not None]
    level = discovery_level([place.tests.p_value for place in places])
    return [replace(setting, level=level) for setting in settings]


# --- reading ------------------------------------------------------------------------------------


def read_settings(study: Study, rows: Sequence[Row], competing: Iterable[str]) -> list[Setting]:
    """Return the settings of a study in which methods compete.

    Parameters
    ----------
    study : Study
        What it compares.
    rows : sequence of mapping
        The scored trials of its table; of a tuned method those of its best cell.
    competing : iterable of str
        Methods that compete; others, such as controls, are left out.

    Returns
    -------
    list of Setting
        In the order of the table.
    """
    competing, metric = {*competing}, next(iter(study.metrics))
    rows_of_setting: dict[tuple[str, str], dict[str, dict[str, list[Row]]]] = {}
    for row in rows:
        # The best of several methods counts for the one that it is.
        method = row["method_cell"].partition("@")[0]
        if method in competing and not {*_params(row)} & {*SHARING}:
            here = rows_of_setting.setdefault((row["data_cell"], row.get(COMPONENTS, "")), {})
            here.setdefault(method, {}).setdefault(row["method_cell"], []).append(row)
    examples = {
        key: next(iter(next(iter(methods.values())).values()))[0]
        for key, methods in rows_of_setting.items()
    }
    settings = []
    for key, methods in rows_of_setting.items():
        dataset = examples[key]["dataset"]
        rivals = [row for row in examples.values() if row["dataset"] == dataset]
        setting = Setting(study.name, metric, dataset, _label(examples[key], rivals), key)
        for method, cells in methods.items():
            _enter(setting, study, method, list(cells.values()))
        setting.ranking.sort(key=lambda contestant: -contestant.mean)
        settings.append(setting)
    return settings


def drop_repeated(settings: Iterable[Setting]) -> list[Setting]:
    """Return the settings without those of which another has the same methods, or more."""
    kept: list[Setting] = []
    for setting in sorted(settings, key=lambda setting: -len(setting.methods)):
        larger = (s for s in kept if (s.key, s.metric) == (setting.key, setting.metric))
        if not any(setting.methods <= other.methods for other in larger):
            kept.append(setting)
    return kept


def _enter(setting: Setting, study: Study, method: str, cells: list[list[Row]]) -> None:
    """Enter a method into a setting by its best cell without a failed trial."""
    metric = setting.metric
    sign = 1 if study.metrics[metric]["direction"] == "higher" else -1
    exact = {*study.exact}
    solved = []
    for trials in cells:
        values = {
            int(row["trial"]): sign * float(row[metric] or "nan")
            for row in trials
            if Status(row["status"]).is_ok
        }
        if len(values) == len(trials) and all(isfinite(value) for value in values.values()):
            cell = (trials[0]["data_cell"], trials[0]["method_cell"])
            solved.append(Entrant(method, values, cell in exact))
    if solved:
        setting.ranking.append(max(solved, key=lambda contestant: contestant.mean))
        return
    # Of several cells the one with the fewest failed trials tells how the method failed.
    best = max(cells, key=lambda trials: sum(Status(row["status"]).is_ok for row in trials))
    counts = Counter(
        "no score" if Status(row["status"]).is_ok else row["status"]
        for row in best
        if not (Status(row["status"]).is_ok and row[metric])
    )
    (status, _), *_ = counts.most_common(1)
    setting.failed[method] = (
        f"{status.replace('_', ' ')}, {counts.total()} of {len(best)} "
        f"{'trial' if len(best) == 1 else 'trials'}"
    )


def _label(row: Row, rivals: Sequence[Row]) -> str:
    """Return the parameters that tell a setting apart from others of the same dataset.

    Examples
    --------
    >>> rows = [{"data_cell": cell, "data.noise": noise, "method.n_components": "2"}
    ...         for cell, noise in (("roll", "0.0"), ("roll@noise=0.1", "0.1"))]
    >>> [_label(row, rows) for row in rows]
    ['noise 0.0', 'noise 0.1']
    """
    named = dict.fromkeys(name for rival in rivals for name in _params(rival))
    parts = [
        f"{name} {row[f'data.{name}'].lower()}"
        for name in named
        if len({rival.get(f"data.{name}") for rival in rivals}) > 1 and row.get(f"data.{name}")
    ]
    if len({rival.get(COMPONENTS) for rival in rivals}) > 1:
        parts.append(f"{row[COMPONENTS]} dimensions")
    return ", ".join(parts)


def _params(row: Row) -> list[str]:
    """Return the parameters in the name of a dataset cell: those that differ from the default."""
    return [part.partition("=")[0] for part in row["data_cell"].split("@")[1:]]
