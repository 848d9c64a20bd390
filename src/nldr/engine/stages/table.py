"""Assemble one study's tables from scores and provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from statistics import median, stdev
from typing import Any

from nldr.claims.published.join import PublishedNumbers
from nldr.costs import COLUMNS
from nldr.engine.files.status import Status
from nldr.engine.files.store import read_manifest, write_csv
from nldr.engine.jobs.report_specs import TableJob
from nldr.engine.stages.trials import (
    CELL,
    PARAMETERS,
    SCORE_FAILURES,
    STAGE,
    TRIAL,
    Row,
    add_best,
    cell_rows,
    group_by,
    mean,
    ok_values,
    selecting_metrics,
)

BASELINE = "pca"  # the method to whose time others are compared
CLOCK_COLUMNS = ("seconds", "cpu_seconds")
SUMMARY_COLUMNS = (
    "data_cell",
    "method",
    "method_cell",
    "n_ok",
    *CLOCK_COLUMNS,
    *(f"{clock}_ratio" for clock in CLOCK_COLUMNS),
    "published_seconds",
    "exclusive",
    "cores",
    "machine",
)
FAILURE = ("stage", "data_cell", "method_cell", "scorer", "trial", "status", "message")


def make_tables(
    job: TableJob,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, str],
    begin: Callable[[], None],
) -> None:
    """Assemble one study's tables.

    ``inputs`` has the manifests of ``scores`` and ``embeddings`` of each cell, in order, and the
    file of ``published`` numbers, if any. ``table`` and ``timings`` have one row per trial; the
    clocks are the only numbers that differ from run to run. ``summary`` and ``costs`` have one row
    per cell, and ``failures`` one for each trial that failed at any stage.
    """
    begin()
    metrics = list(job.metrics)
    selecting = selecting_metrics(job.groups)
    files = zip(job.cells, inputs["scores"], inputs["embeddings"], strict=True)
    rows = [
        row
        for cell, *manifests in files
        for row in cell_rows(cell, *(read_manifest(file)["trials"] for file in manifests))
    ]
    _write(outputs["failures"], FAILURE, _list_failures(rows))
    rows = add_best(rows, job.groups)

    # One row per trial; costs are kept apart.
    keys = (*CELL, "best_of") if job.groups else CELL
    # Trials that only select a setting have a mark where there are any.
    marks = ["selecting"] if any(row["selecting"] for row in rows) else []
    parameters = list(dict.fromkeys(k for r in rows for k in r if k.startswith(PARAMETERS)))
    numbers = metrics + selecting
    numbers += list(dict.fromkeys(k for r in rows for k in r if k.startswith("fit.")))
    _write(outputs["table"], [*keys, *TRIAL, *marks, *parameters, *numbers], rows)
    _write(outputs["timings"], [*keys, "trial", "status", *marks, *parameters, *COLUMNS], rows)

    # One row per cell, published numbers beside ours.
    scored = (row for row in rows if not row["selecting"])
    cells = group_by(scored, "data_cell", "method", "method_cell", "best_of")
    summaries = [_summarize(trials, numbers, [*keys, *parameters]) for trials in cells]
    published = None
    if job.published:
        published = PublishedNumbers(job.published, Path(inputs["published"][0]))
        _add_published(summaries, metrics, published)
    _write(outputs["summary"], dict.fromkeys(k for row in summaries for k in row), summaries)
    seconds = [published.of(row).get("seconds") if published else None for row in summaries]
    costs = summarize_costs(cells, [number.value if number else None for number in seconds])
    _write(outputs["costs"], SUMMARY_COLUMNS, costs)


def _list_failures(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield one row per failed dataset, embedding or score."""
    for row in rows:
        if not Status(row["status"]).is_ok:
            yield row | {"stage": row[STAGE], "scorer": None}
        for failure in row[SCORE_FAILURES]:
            yield row | {"stage": "score", **failure}


def _write(path: str, header: Iterable[str], rows: Iterable[Row]) -> None:
    header = list(header)
    write_csv(path, header, ([row.get(name) for name in header] for row in rows))


def _summarize(trials: Sequence[Row], numbers: Sequence[str], columns: Iterable[str]) -> Row:
    """Return counts, means and standard deviations over the trials of one cell."""
    summary = {name: trials[0].get(name) for name in columns}
    n_ok = sum(Status(row["status"]).is_ok for row in trials)
    summary |= {"n_trials": len(trials), "n_ok": n_ok}
    for name in numbers:
        values = ok_values(trials, name)
        summary[f"{name}_mean"] = mean(trials, name)
        has_sd = len(values) > 1 and all(map(isfinite, values))
        summary[f"{name}_sd"] = stdev(values) if has_sd else None
    return summary


def _add_published(
    summaries: Sequence[Row], metrics: Sequence[str], published: PublishedNumbers
) -> None:
    """Add published means and s.d., and the differences from ours in published s.d."""
    for row in summaries:
        numbers_of_row = published.of(row)
        for name in metrics:
            # Every row has the columns that the study declares, empty where nothing is published.
            columns = (f"{name}_published", f"{name}_published_sd")
            number = numbers_of_row.get(name)
            numbers = (number.value, number.sd) if number else (None, None)
            row.update(zip(columns[: len(published.columns(name))], numbers, strict=False))
            ours = row[f"{name}_mean"]
            if number and number.sd and ours is not None:
                row[f"{name}_difference_sd"] = (ours - number.value) / number.sd


def summarize_costs(
    cells: Sequence[Sequence[Row]], published: Sequence[float | None]
) -> Iterator[dict[str, Any]]:
    """Yield one row per cell with the medians of its clocks, the columns :data:`SUMMARY_COLUMNS`.

    ``seconds`` is the wall time of a fit and ``cpu_seconds`` its CPU time; the ratios are those to
    PCA on the same dataset in as many dimensions, None where the study has none. Wall times of runs
    that were not ``exclusive`` were measured beside other jobs: there, CPU times are the ones to
    compare.
    """
    medians = [{clock: _median(trials, clock) for clock in CLOCK_COLUMNS} for trials in cells]
    # The clocks of the baseline, by dataset and number of dimensions
    baselines = {
        _setting(trials): clocks
        for trials, clocks in zip(cells, medians, strict=True)
        if trials[0]["method"] == BASELINE
    }
    for trials, clocks, seconds in zip(cells, medians, published, strict=True):
        first, baseline = trials[0], baselines.get(_setting(trials), {})
        ratios = {f"{c}_ratio": _ratio(clocks[c], baseline.get(c)) for c in CLOCK_COLUMNS}
        yield {
            **{name: first.get(name) for name in SUMMARY_COLUMNS},
            "n_ok": sum(Status(row["status"]).is_ok for row in trials),
            **clocks,
            **ratios,
            "published_seconds": seconds,
            "machine": first.get("cpu"),
        }


def _setting(trials: Sequence[Row]) -> tuple[Any, Any]:
    return trials[0]["data_cell"], trials[0].get("method.n_components")


def _median(trials: Sequence[Row], clock: str) -> float | None:
    values = [row[clock] for row in trials if Status(row["status"]).is_ok and row[clock]]
    return median(values) if values else None


def _ratio(ours: float | None, baseline: float | None) -> float | None:
    return ours / baseline if ours and baseline else None
