"""Verdicts on the published numbers of a study, each by the cells of ours it belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from nldr.claims.equivalence import (
    Agreement,
    Equivalence,
    Sample,
    compare_with_published,
    margin_of,
    rounding_of,
)
from nldr.claims.evidence import FAILURES
from nldr.claims.jobs import StudyNumbers
from nldr.claims.published.join import PublishedNumbers

if TYPE_CHECKING:
    from pandas import DataFrame

NO_RESULT = "no result"  # the cell was run at full size, and all of its trials failed
CANNOT_TELL = "cannot tell"  # within the margin, which is too wide for that to say anything
NOT_RUN = "not run"
# What counts against the reproduction
DIFFERS = (Agreement.BETTER.value, Agreement.WORSE.value, NO_RESULT)
VERDICTS = (Agreement.REPRODUCED.value, *DIFFERS, CANNOT_TELL, Agreement.UNDECIDED.value, NOT_RUN)
COLUMNS = (
    "number",
    "setting",
    "metric",
    "cell",
    "scale",
    "trials",
    "ours",
    "published",
    "difference",
    "low",
    "high",
    "margin",
    "verdict",
)
HEADER = (
    "| setting | metric | trials | ours | published "
    "| difference (95 % interval) | margin | verdict |"
)
DEFAULT_MARGIN = 0.01
WIDEST_MARGIN = 0.05  # in units of the metric, up to which a number within it is reproduced
Row = dict[str, Any]


def decide(job: StudyNumbers, rows: Sequence[Row], published: Path) -> list[Row]:
    """Return one row per published number and cell of ours: :data:`COLUMNS` and the ``line``.

    ``rows`` are the scored trials of the study's table, ``line`` is that of the file.
    """
    join = PublishedNumbers(job.published, published)
    methods = {*job.methods}
    translated = {*job.published.titles["method"]}
    # Trials by cell
    trials: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        trials.setdefault((row["data_cell"], row["method"], row["method_cell"]), []).append(row)
    decided = []
    for number in join.numbers(rows):
        # Numbers of methods that we have, but not in this study, belong to another one.
        foreign = number.get("method") in translated - methods
        if number["metric"] in job.metrics and not foreign:
            cell = (number["data_cell"], number.get("method", ""), number["method_cell"])
            decided.append(_decide_one(job, number, trials.get(cell, [])))
    return decided


def decide_numbers(job: StudyNumbers, rows: Sequence[Row], file: Path) -> DataFrame:
    """Return the verdicts on published numbers of a file, beside its columns."""
    import pandas as pd

    # Columns of ours go before those of the file
    lines: list[dict[str, Any]] = [
        {**row["line"], **{name: row[name] for name in COLUMNS}} for row in decide(job, rows, file)
    ]
    return pd.DataFrame(lines) if lines else pd.DataFrame(columns=COLUMNS)


def _decide_one(job: StudyNumbers, number: Mapping[str, Any], trials: Sequence[Row]) -> Row:
    """Return the row of one published number."""
    cell, metric = (number["data_cell"], number["method_cell"]), number["metric"]
    column = job.published.values[metric][0]
    is_full = cell in job.full
    row: Row = {
        **dict.fromkeys(COLUMNS),
        "number": f"{number['row']} {column}",
        "setting": _setting(job, number["line"]),
        "metric": metric,
        "cell": "/".join(cell) if all(cell) else None,
        "scale": job.scale if is_full or not all(cell) else f"{job.scale}, reduced",
        "published": number["value"],
        "verdict": NOT_RUN,
        "line": number["line"],
    }
    values = [
        float(trial[metric])
        for trial in trials
        if trial["status"] == "ok" and trial.get(metric) not in (None, "")
    ]
    if trials:
        row["trials"] = len(values)
    if not values:
        if not trials or not is_full:
            return row
        # A run that did not converge may yet have a score.
        has_failed = all(trial["status"] in FAILURES for trial in trials)
        return row | {"verdict": NO_RESULT if has_failed else Agreement.UNDECIDED.value}
    if not all(map(isfinite, values)):  # ∞ is no number to compare
        return row | {"verdict": Agreement.UNDECIDED.value} if is_full else row
    row |= {"ours": fmean(values), "difference": fmean(values) - number["value"]}
    if not is_full:
        return row
    # A cell without random numbers is known exactly from its one trial.
    sd = 0.0 if cell in job.exact else stdev(values) if len(values) > 1 else None
    if sd is None:
        return row | {"verdict": Agreement.UNDECIDED.value}
    n_published = job.published.n_trials
    if isinstance(n_published, str):
        n_published = int(number["line"][n_published])
    floor = job.published.margins.get(metric, DEFAULT_MARGIN)
    rounding = rounding_of(number["line"][column])
    comparison = compare_with_published(
        Sample(row["ours"], sd, len(values)),
        Sample(number["value"], number["sd"], n_published),
        margin_of(number["sd"], sd, floor, n_published, rounding),
        job.metrics[metric],
    )
    is_vague = _is_vague(comparison, n_published)
    verdict = CANNOT_TELL if is_vague else comparison.agreement.value
    return row | {
        "margin": comparison.margin,
        "low": comparison.low,
        "high": comparison.high,
        "verdict": verdict,
    }


def _is_vague(comparison: Equivalence, n_published: int) -> bool:
    """Return whether a number lies within a margin that is too wide to say anything.

    How far a mean of several published trials is away is known from the interval all the same; of
    a single published run, only the margin tells what chance may have done.
    """
    if comparison.agreement is not Agreement.REPRODUCED or comparison.margin <= WIDEST_MARGIN:
        return False
    is_close = comparison.low >= -WIDEST_MARGIN and comparison.high <= WIDEST_MARGIN
    return n_published == 1 or not is_close


def _setting(job: StudyNumbers, line: Mapping[str, str]) -> str:
    """Return the keys of a published number, in the order of its file."""
    return ", ".join(f"{name}={line[name]}" for name in line if name in job.published.keys)


def format_page(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return verdicts as a page of Markdown: their counts, then those that were run."""
    counts = Counter(row["verdict"] for row in rows)
    counted = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    lines = [
        f"{len(rows)} comparisons with published numbers: {counted}.",
        "",
        HEADER,
        f"|{'---|' * (HEADER.count('|') - 1)}",
    ]
    for row in rows:
        if row["ours"] is None and row["verdict"] != NO_RESULT:
            continue
        is_known = row["low"] is not None
        interval = f" ({_number(row['low'])} to {_number(row['high'])})" if is_known else ""
        not_run = row["verdict"] == NOT_RUN
        verdict = f"not run at full size ({row['scale']})" if not_run else row["verdict"]
        cells = (
            row["setting"],
            row["metric"],
            row["trials"],
            _number(row["ours"]),
            _number(row["published"]),
            _number(row["difference"]) + interval,
            _number(row["margin"]),
            verdict,
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
