"""Gather which method keeps what, from the studies in which all methods are tuned alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from nldr.claims import DELTA, Effect
from nldr.claims.words import spoken
from nldr.engine.files.status import Status
from nldr.engine.stages.verdicts import read_rows
from nldr.report.aims import AIMS, Aim, Contest, Estimate, Family, Guide, Profile
from nldr.report.content import Card, StudyContent
from nldr.report.data.report_tables import number
from nldr.report.data.standings import listed
from nldr.statistics.location import locate
from nldr.statistics.outcomes import Outcome, ThreeSided, discovery_level
from nldr.tables import read_csv

if TYPE_CHECKING:
    from pandas import DataFrame

SURVEYS = ("survey", "survey_groups")
SCALING = "method_scaling"  # the study of time and memory against the number of points
SIZES, MEMORY_SIZE = (1000, 10_000, 100_000), 10_000
# Families whose names in the studies would not tell a reader what the data are
FAMILY_TITLES = {
    "maps": "smooth functions of a latent",
    "encoding": "neural encoding models",
    "trees": "branching curves",
    "counts": "tables of counts",
    "holes": "shapes with holes",
    "groups": "clusters of clusters",
    "spheres": "spheres inside a sphere",
}


def gather_guide(
    studies: Mapping[str, StudyContent],
    tables: Mapping[str, str],
    timings: Mapping[str, str],
    cards: Sequence[Card],
    families: Mapping[str, str],
) -> Guide | None:
    """Return which method keeps what.

    The score of a method on a dataset is its mean over the scored trials. Its interval is that of
    the differences from the mean of all methods on a dataset, so that it says how much methods
    differ, and not how much datasets do.

    ``tables`` and ``timings`` are files of those studies that are built, by their names: tables
    with one row per trial, of scores and of clocks. ``families`` has the family of each dataset.
    Returns None if neither of :data:`SURVEYS` is built.
    """
    built = [name for name in SURVEYS if name in tables]
    if not built:
        return None
    rows = _read_scores(tables[name] for name in built)
    by_name = {card.name: card for card in cards if card.kind in ("method", "dataset")}
    names = [name for name in dict.fromkeys(rows["method"]) if name in by_name]
    competing = [name for name in names if by_name[name].competes]
    metrics = {key: facts for name in built for key, facts in studies[name].metrics.items()}
    means = {
        aim.name: table
        for aim in AIMS
        if aim.metric in rows and len(table := _means(rows, aim, metrics[aim.metric], names))
    }
    ranges = {aim.name: metrics[aim.metric]["range"] for aim in AIMS if aim.name in means}
    scores = {aim: _estimates(means[aim], competing, ranges[aim]) for aim in means}
    ranks = {aim: _mean_ranks(means[aim], rows, competing) for aim in means}
    costs = _costs(timings[name] for name in built if name in timings)
    times, memory = _scaling(timings.get(SCALING))
    profiles = [
        Profile(
            method=name,
            title=spoken(by_name[name].title),
            control=name not in competing,
            scores={aim: scores[aim][name] for aim in means if name in scores[aim]},
            ranks={aim: ranks[aim][name] for aim in means if name in ranks[aim]},
            new_points=_can(by_name[name], "New points"),
            missing=_can(by_name[name], "Missing values"),
            **costs.get(name, {"cpu_seconds": None, "failed": 0, "fits": 0}),
            times=times.get(name, {}),
            memory_mb=memory.get(name),
        )
        for name in names
    ]
    sizes = sorted({size for name in built for size in studies[name].n_samples}) or [0]
    return Guide(
        studies=built,
        n_datasets=rows["data_cell"].nunique(),
        profiles=sorted(profiles, key=lambda profile: _place(profile, [*means])),
        families=_families(means, rows, competing, by_name, families),
        points=(sizes[0], sizes[-1]),
    )


def _can(card: Card, fact: str) -> bool:
    """Return whether a fact of a card does not say no."""
    return not card.facts.get(fact, "no").startswith("no")


def _place(profile: Profile, aims: Sequence[str]) -> tuple[bool, float]:
    """Return what profiles are ordered by: methods before controls, the best for an aim first."""
    means = [profile.scores[aim].mean for aim in aims if aim in profile.scores]
    return profile.control, -means[0] if means else np.inf


# --- scores -------------------------------------------------------------------------------------


def _read_scores(files: Iterable[str]) -> DataFrame:
    """Return the scored trials of several studies; those that two of them share count once."""
    import pandas as pd

    rows = pd.DataFrame([row for file in files for row in read_rows(Path(file))])
    rows["ok"] = [Status(status).is_ok for status in rows["status"]]
    # Such a trial has scores in both of them, or in either
    return rows.groupby(["data_cell", "method", "trial"], sort=False, as_index=False).first()


def _means(
    rows: DataFrame, aim: Aim, facts: Mapping[str, object], names: Sequence[str]
) -> DataFrame:
    """Return the mean over trials, one row per dataset and one column per method; higher is better.

    Datasets for which the metric is not defined are left out; a method that failed has NaN.
    """
    import pandas as pd

    assert facts["direction"] == "higher", "all aims are measured so that more is better"
    values = pd.to_numeric(rows[aim.metric], errors="coerce").where(rows["ok"])
    cells = rows.assign(value=values).groupby(["data_cell", "method"], sort=False)["value"]
    table = cells.mean().unstack("method").reindex(columns=[*names])
    return table.dropna(how="all")


def _estimates(
    means: DataFrame, competing: Sequence[str], limits: tuple[float | None, float | None]
) -> dict[str, Estimate]:
    """Return the mean of each method over the datasets, with the interval of paired differences."""
    center = means[[*competing]].mean(axis=1)
    result = {}
    for name in means:
        differences = (means[name] - center).dropna()
        if len(differences):
            result[str(name)] = _estimate(differences, float(center.mean()), *limits)
    return result


def _mean_ranks(means: DataFrame, rows: DataFrame, competing: Sequence[str]) -> dict[str, Estimate]:
    """Return the mean rank of each method; on a dataset on which it failed, it is the last."""
    tried = rows.groupby(["data_cell", "method"]).size().unstack("method")
    tried = tried.reindex(index=means.index, columns=[*competing]).notna()
    table = means[[*competing]].fillna(-np.inf).where(tried)
    ranks = table.rank(axis=1, ascending=False)
    last = float(ranks.count(axis=1).max())
    return {
        str(name): _estimate(column.dropna(), 0.0, 1.0, last)
        for name, column in ranks.items()
        if column.notna().any()
    }


def _estimate(
    values: Iterable[float], shift: float, lowest: float | None, highest: float | None
) -> Estimate:
    """Return the mean of values plus a shift, with its interval inside the limits."""
    place = locate([*values])
    low = high = None
    if np.isfinite(place.error):
        ends = np.clip([place.low + shift, place.high + shift], lowest, highest)
        low, high = (float(end) for end in ends)
    return Estimate(place.center + shift, low, high, place.n)


# --- costs --------------------------------------------------------------------------------------


def _costs(files: Iterable[str]) -> dict[str, dict]:
    """Return the median CPU time of a fit and the number of failed ones, over all settings."""
    fits = {
        (row["data_cell"], row["method_cell"], row["trial"]): row
        for file in files
        for row in _fits(read_csv(file))
    }
    rows_of_method: dict[str, list[Mapping[str, str]]] = {}
    for row in fits.values():
        rows_of_method.setdefault(row["method_cell"].partition("@")[0], []).append(row)
    result = {}
    for name, rows in rows_of_method.items():
        solved = [row for row in rows if Status(row["status"]).is_ok]
        seconds = [value for row in solved if (value := number(row["cpu_seconds"])) is not None]
        result[name] = {
            "cpu_seconds": median(seconds) if seconds else None,
            "failed": len(rows) - len(solved),
            "fits": len(rows),
        }
    return result


def _fits(rows: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Return the rows of single fits: those of the best setting have the clock of the search."""
    tuned = {row["best_of"] for row in rows if row.get("best_of")}
    return [row for row in rows if row.get("best_of") or row["method"] not in tuned]


def _scaling(file: str | None) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Return median CPU seconds by method and number of points, and memory at 10 000 points."""
    seconds: dict[tuple[str, int], list[float]] = {}
    memory: dict[str, list[float]] = {}
    for row in _fits(read_csv(file)) if file else []:
        size, name = int(row["data.n_samples"] or 0), row["method_cell"].partition("@")[0]
        if Status(row["status"]).is_ok and size in SIZES and row["cpu_seconds"]:
            seconds.setdefault((name, size), []).append(float(row["cpu_seconds"]))
            if size == MEMORY_SIZE and row["peak_mb"]:
                memory.setdefault(name, []).append(float(row["peak_mb"]))
    times: dict[str, dict[str, float]] = {}
    for (name, size), values in sorted(seconds.items()):
        times.setdefault(name, {})[str(size)] = median(values)
    return times, {name: median(values) for name, values in memory.items()}


# --- families -----------------------------------------------------------------------------------


def _families(
    means: Mapping[str, DataFrame],
    rows: DataFrame,
    competing: Sequence[str],
    cards: Mapping[str, Card],
    families: Mapping[str, str],
) -> list[Family]:
    """Return the families of the datasets, with the best methods for each aim."""
    first = rows.drop_duplicates("data_cell")
    family_of = {
        cell: FAMILY_TITLES.get(families[name], families[name])
        for cell, name in zip(first["data_cell"], first["dataset"], strict=True)
        if name in families
    }
    tests = {
        (family, aim): _compare_with_best(table[members][[*competing]])
        for family in dict.fromkeys(family_of.values())
        for aim, table in means.items()
        if (members := table.index.map(family_of.get) == family).any()
    }
    # Over all families and aims, 5 % of the methods that are told to be worse or equal are not
    level = discovery_level([p.p_value for _, *rivals in tests.values() for _, p in rivals])
    result = []
    for family in dict.fromkeys(name for name, _ in tests):
        contests = {}
        for aim in (aim for name, aim in tests if name == family):
            (best, _), *rivals = tests[family, aim]
            members = means[aim][means[aim].index.map(family_of.get) == family]
            outcomes = {name: p.outcome(level) for name, p in rivals}
            short_list = [best, *(n for n in outcomes if outcomes[n] is not Outcome.WORSE)]
            ties = [name for name in outcomes if outcomes[name] is Outcome.TIE]
            mean = float(members[best].mean())
            contests[aim] = Contest(best, mean, short_list, ties, len(members))
        members = first[first["data_cell"].map(family_of.get) == family]["dataset"]
        titles = [cards[name].title for name in members.unique() if name in cards]
        sentence = _sentence(family, len(members), contests, cards)
        result.append(Family(family, titles, len(members), contests, sentence))
    return result


def _compare_with_best(means: DataFrame) -> list[tuple[str, ThreeSided]]:
    """Return the methods in order of their means, with three-sided tests against the best.

    The tests are of paired differences over the datasets, by Student's t; they tell nothing of the
    best method, and of any where there are too few datasets. Methods that failed on a dataset are
    left out where others did not.
    """
    solved = means.dropna(axis=1)
    solved = solved if solved.shape[1] else means.fillna(means.min(axis=None))
    order = solved.mean().sort_values(ascending=False, kind="stable").index
    result = []
    for name in order:
        gap = locate(solved[name] - solved[order[0]])
        tests = Effect("", str(name), gap, bound=0.0, above=True, delta=DELTA).tests
        result.append((str(name), tests))
    return result


def _sentence(
    family: str, count: int, contests: Mapping[str, Contest], cards: Mapping[str, Card]
) -> str:
    """Return the best method for each aim, and the methods that are on most short lists."""
    words = {aim.name: aim.title.lower() for aim in AIMS}
    aims_of_best: dict[str, list[str]] = {}
    for aim, contest in contests.items():
        aims_of_best.setdefault(contest.best, []).append(words[aim])
    best = "; ".join(
        f"{spoken(cards[m].title)} for {listed(aims)}" for m, aims in aims_of_best.items()
    )
    noun = "dataset" if count == 1 else "datasets"
    text = f"Best on {family} ({count} {noun}): {best}."
    # A single dataset does not tell methods apart
    lists = [contest.short_list for contest in contests.values() if contest.n_datasets > 1]
    if not lists:
        return f"{text} With one dataset, no method can be shown to be worse."
    counts = Counter(name for short_list in lists for name in short_list)
    most = max(counts.values())
    names = listed([spoken(cards[name].title) for name in counts if counts[name] == most])
    if most == len(lists):
        return f"{text} On the short list of every aim: {names}."
    if most == 1:
        return f"{text} No method is on more than one short list."
    return f"{text} On {most} of {len(lists)} short lists, more than any other method: {names}."
