"""Comparisons of all methods of a study on each of its datasets: who is best, and who worst."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from nldr.claims import COMPONENTS, DELTA, Effect, Runs, Setting, pair_runs, setting_words
from nldr.engine.files.status import Status
from nldr.report.content import StudyContent
from nldr.statistics.location import locate
from nldr.statistics.outcomes import RATE, Outcome, ThreeSided, discovery_level

SMALLEST = 3  # methods from which a comparison has a best and a worst one
SAME = 1e-9  # relative difference of means that counts as none
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Place:
    """First or last place of a race."""

    methods: list[str]  # those that share it
    next: str  # the method next to it
    tests: ThreeSided  # test of their being better than all others (worse, for the last place)


@dataclass(frozen=True)
class Race:
    """All methods of a study on one dataset, in one number of dimensions.

    Outcomes are those of claims: means of paired trials, of which those that a method did not
    solve are left out.
    """

    study: str
    metric: str  # of the study
    dataset: str
    label: str  # what tells the race apart from others on the same dataset
    key: tuple[str, str]  # cell of the dataset, and number of dimensions
    sign: int  # 1 if higher is better, else −1
    # Methods that solved a trial, each with its best cell, the best first
    ranking: dict[str, Runs] = field(default_factory=dict)
    # Methods that did not solve all, with the most frequent status and the number of trials
    failed: dict[str, str] = field(default_factory=dict)
    level: float = RATE  # of the tests of places

    def outcome(self, place: Place) -> Outcome:
        """Return whether a place is held by better methods, by practically equal ones, or unclear.

        The level is that of all races, see :func:`set_level`.
        """
        return place.tests.outcome(self.level)

    @property
    def methods(self) -> set[str]:
        """All methods that compete."""
        return {*self.ranking, *self.failed}

    @cached_property
    def trials(self) -> int:
        """Number of trials, 0 where nothing is random."""
        return max(
            (len(runs.values) for runs in self.ranking.values() if not runs.exact), default=0
        )

    @cached_property
    def first(self) -> Place | None:
        """The best method, None where there are too few of them or half of them are equal."""
        return _place([*self.ranking.items()], self.sign)

    @cached_property
    def last(self) -> Place | None:
        """The worst method, likewise."""
        return _place([*self.ranking.items()][::-1], -self.sign)


def _place(ranking: Sequence[tuple[str, Runs]], sign: int) -> Place | None:
    if len(ranking) < SMALLEST:
        return None
    top = ranking[0][1]
    same = SAME * max(1.0, abs(top.mean))
    tied = [method for method, runs in ranking if abs(runs.mean - top.mean) <= same]
    others = [(method, runs) for method, runs in ranking if method not in tied]
    if 2 * len(tied) > len(ranking):
        return None
    comparisons = [_compare(top, method, runs, sign) for method, runs in others]
    return Place(tied, others[0][0], Setting("", tuple(comparisons)).tests)


def _compare(first: Runs, rival: str, runs: Runs, sign: int) -> Effect:
    """Return the comparison of two methods, positive if the first is better (worse for a last)."""
    x, y = pair_runs(first, runs)
    mean = locate(sign * (x - y), exact=first.exact and runs.exact)
    return Effect(rival, rival, mean, bound=0.0, above=True, delta=DELTA)


def set_level(races: Iterable[Race]) -> list[Race]:
    """Return races with the level of their tests: 5 % of the places told apart are not."""
    races = [*races]
    places = [place for c in races for place in (c.first, c.last) if place is not None]
    level = discovery_level([place.tests.p_value for place in places])
    return [replace(race, level=level) for race in races]


# --- reading ------------------------------------------------------------------------------------


def read_races(study: StudyContent, rows: Sequence[Row], competing: Iterable[str]) -> list[Race]:
    """Return the races of a study.

    ``rows`` are the scored trials of its table, of a tuned method those of its best cell. Methods
    that are not among those ``competing``, such as controls, are left out.
    """
    competing, exact, metric = {*competing}, {*study.exact}, next(iter(study.metrics))
    sign = 1 if study.metrics[metric]["direction"] == "higher" else -1
    rows_of_race: dict[tuple[str, str], dict[str, dict[str, list[Row]]]] = {}
    for row in rows:
        # The best of several methods counts for the one that it is.
        method = row["method_cell"].partition("@")[0]
        if method in competing:
            here = rows_of_race.setdefault((row["data_cell"], row.get(COMPONENTS, "")), {})
            here.setdefault(method, {}).setdefault(row["method_cell"], []).append(row)
    examples = {
        key: next(iter(next(iter(methods.values())).values()))[0]
        for key, methods in rows_of_race.items()
    }
    races = []
    for key, methods in rows_of_race.items():
        dataset = examples[key]["dataset"]
        rivals = [row for row in examples.values() if row["dataset"] == dataset]
        ranking, failed = {}, {}
        for method, cells in methods.items():
            trials, runs = _best_cell(cells, metric, sign, exact)
            if runs.n_solved:
                ranking[method] = runs
            if runs.n_solved < len(trials):
                failed[method] = _describe_failure(trials, runs)
        ranking = dict(sorted(ranking.items(), key=lambda item: -sign * item[1].mean))
        label = _label(examples[key], rivals)
        races.append(Race(study.name, metric, dataset, label, key, sign, ranking, failed))
    return races


def drop_repeated(races: Iterable[Race]) -> list[Race]:
    """Return the races without those of which another has the same methods, or more."""
    kept: list[Race] = []
    for race in sorted(races, key=lambda race: -len(race.methods)):
        larger = (c for c in kept if (c.key, c.metric) == (race.key, race.metric))
        if not any(race.methods <= other.methods for other in larger):
            kept.append(race)
    return kept


def _best_cell(
    cells: Mapping[str, Sequence[Row]], metric: str, sign: int, exact: Set[tuple[str, str]]
) -> tuple[Sequence[Row], Runs]:
    """Return the cell with the fewest failed trials, the best one of several, and its runs."""
    candidates = []
    for method_cell, rows in cells.items():
        ok = [Status(row["status"]).is_ok for row in rows]
        scores = [row[metric] if solved else "" for row, solved in zip(rows, ok, strict=True)]
        values = np.array([float(score or "nan") for score in scores])
        trials = np.array([int(row["trial"]) for row in rows])
        values[~np.isfinite(values)] = np.nan
        runs = Runs(trials, values, (rows[0]["data_cell"], method_cell) in exact)
        # A cell that solved nothing tells at most how the method failed
        n = runs.n_solved
        candidates.append(((n > 0, n - len(rows), n and sign * runs.mean), rows, runs))
    _, rows, runs = max(candidates, key=lambda candidate: candidate[0])
    return rows, runs


def _describe_failure(trials: Sequence[Row], runs: Runs) -> str:
    """Return the most frequent status of failed trials, and how many there are."""
    counts = Counter(
        "no score" if Status(row["status"]).is_ok else row["status"]
        for row, value in zip(trials, runs.values, strict=True)
        if not np.isfinite(value)
    )
    (status, _), *_ = counts.most_common(1)
    noun = "trial" if len(trials) == 1 else "trials"
    return f"{status.replace('_', ' ')}, {counts.total()} of {len(trials)} {noun}"


def _label(row: Row, rivals: Sequence[Row]) -> str:
    """Return the parameters that tell a race apart from others on the same dataset.

    Examples
    --------
    >>> rows = [{"data_cell": cell, "data.noise": noise, "method.n_components": "2"}
    ...         for cell, noise in (("roll", "0.0"), ("roll@noise=0.1", "0.1"))]
    >>> [_label(row, rows) for row in rows]
    ['noise = 0.0', 'noise = 0.1']
    """
    named = dict.fromkeys(name for rival in rivals for name in _params(rival))
    columns = [*(f"data.{name}" for name in named), COMPONENTS]
    return ", ".join(
        setting_words(column, row[column].lower())
        for column in columns
        if row.get(column) and len({rival.get(column) for rival in rivals}) > 1
    )


def _params(row: Row) -> list[str]:
    """Return the parameters in the name of a dataset cell: those that differ from the default."""
    return [part.partition("=")[0] for part in row["data_cell"].split("@")[1:]]
