"""Decide the published numbers of a study, each by the cells of ours that it belongs to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from nldr.claims.equivalence import (
    Agreement,
    Equivalence,
    Sample,
    compare_with_published,
    margin_of,
    rounding_of,
)
from nldr.engine.files.status import Status
from nldr.engine.files.store import atomic, write_csv
from nldr.engine.jobs.report_specs import VerdictJob
from nldr.engine.stages.published import PublishedNumbers
from nldr.tables import read_csv

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


def decide_published(
    job: VerdictJob,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, str],
    begin: Callable[[], None],
) -> None:
    """Write one row per published number of a study, with its verdict.

    ``inputs`` has the study's ``table`` and the file of ``published`` numbers; of the files to
    write, ``verdicts`` has the columns :data:`COLUMNS`: ``number`` names row and column of the
    published file, ``low`` and ``high`` are the 95 % interval of the difference, ``margin`` is the
    largest difference that counts as none; ``page`` is the same in Markdown, without numbers that
    were not run.
    """
    begin()
    (table,), (published,) = inputs["table"], inputs["published"]
    rows = decide(job, read_rows(Path(table)), Path(published))
    # A file of times only has nothing to decide.
    scores = set(job.published.values) & set(job.metrics)
    if job.scale == "paper" and scores and not any(row["cell"] for row in rows):
        raise ValueError(
            f"{published}: no number belongs to a cell of the study: correct "
            "published.keys or published.names"
        )
    write_verdicts(outputs["verdicts"], rows)
    with atomic(outputs["page"]) as temporary:
        temporary.write_text(format_page(rows), encoding="utf-8")


def write_verdicts(path: str | Path, rows: Iterable[Row]) -> None:
    """Write the columns :data:`COLUMNS` of decided numbers."""
    write_csv(path, COLUMNS, ([row[name] for name in COLUMNS] for row in rows))


def read_rows(table: Path) -> list[Row]:
    """Return the scored trials of a study's table: those of the best cell of a tuned method."""
    rows = read_csv(table)
    return [r for r in rows if not r.get("best_of") and r.get("selecting", "0") == "0"]


def decide(job: VerdictJob, rows: Sequence[Row], published: Path) -> list[Row]:
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


def _decide_one(job: VerdictJob, number: Mapping[str, Any], trials: Sequence[Row]) -> Row:
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
        if Status(trial["status"]).is_ok and trial.get(metric) not in (None, "")
    ]
    if trials:
        row["trials"] = len(values)
    if not values:
        if not trials or not is_full:
            return row
        # A run that did not converge may yet have a score.
        has_failed = all(Status(trial["status"]).failed for trial in trials)
        return row | {"verdict": NO_RESULT if has_failed else Agreement.UNDECIDED.value}
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


def _setting(job: VerdictJob, line: Mapping[str, str]) -> str:
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
