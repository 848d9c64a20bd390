"""The job that assembles one study's tables."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from nldr.engine.layout import EMBEDDING, SCORES
from nldr.engine.store import read_meta, write_csv

CELL = ("dataset", "data_cell", "method", "method_cell")
TRIAL = ("trial", "status", "message")
CLOCKS = ("seconds", "cpu_seconds", "transform_seconds")
COSTS = (*CLOCKS, "peak_mb", "fitted_rows", "threads", "exclusive")
Row = dict[str, Any]


def make_tables(
    job: Mapping[str, Any], published: Path | None, table: Path, summary: Path, timings: Path
) -> None:
    """Assemble one study's tables from scores and provenance.

    Parameters
    ----------
    job : mapping
        ``pairs`` (dataset and method cells with their parameters and number of trials),
        ``metrics`` (metric name to scorer), ``best_of`` (names that stand for the best of several
        methods) and ``published`` (which published numbers stand beside ours, or None).
    published : Path or None
        The file of published numbers.
    table : Path
        Gets a row a trial.
    summary : Path
        Gets a row a cell: mean and standard deviation over the trials whose status is ``ok``, and
        the published value with the difference in published standard deviations.
    timings : Path
        Gets the clocks, the only numbers that differ from run to run.
    """
    metrics = list(job["metrics"])
    rows = [row for pair in job["pairs"] for row in _rows(pair, job["metrics"])]
    for name, group in job["best_of"].items():
        members = [row | {"best_of": name} for row in rows if row["method"] in group["methods"]]
        rows = [row for row in rows if row["method"] not in group["methods"]] + members
        rows += _best(name, members, group)
    cell = (*CELL, "best_of") if job["best_of"] else CELL
    parameters = list(dict.fromkeys(k for r in rows for k in r if k.startswith(_PARAMETER)))
    numbers = metrics + list(dict.fromkeys(k for r in rows for k in r if k.startswith("fit.")))
    _write(table, [*cell, *TRIAL, *parameters, *numbers], rows)
    _write(timings, [*cell, "trial", "status", *parameters, *COSTS], rows)

    cells = _grouped(rows, "data_cell", "method", "method_cell")
    summaries = [_summary(trials, numbers, [*cell, *parameters]) for trials in cells]
    if job["published"] and published:
        _set_published(summaries, metrics, job["published"], published)
    _write(summary, dict.fromkeys(k for row in summaries for k in row), summaries)


_PARAMETER = ("data.", "method.")


def _rows(pair: Mapping[str, Any], metrics: Mapping[str, str]) -> Iterable[Row]:
    """Yield the rows of one dataset under one method, a row a trial."""
    where = {"data": pair["data_cell"], "method": pair["method_cell"]}
    scores = {
        scorer: _read_scores(SCORES.format(**where, scorer=scorer, trials=pair["trials"]))
        for scorer in set(metrics.values())
    }
    for trial in range(pair["trials"]):
        meta = read_meta(EMBEDDING.format(**where, trial=trial))
        yield {
            **{key: pair[key] for key in CELL},
            "trial": trial,
            "status": meta["status"],
            "message": meta["message"],
            **{f"data.{k}": v for k, v in pair["data_params"].items()},
            **{f"method.{k}": v for k, v in pair["method_params"].items()},
            **{name: scores[scorer][trial].get(name) for name, scorer in metrics.items()},
            **{f"fit.{name}": value for name, value in meta.get("fit", {}).items()},
            **{name: meta.get(name) for name in COSTS},
            **{name: meta["job"].get(name) for name in ("threads", "exclusive")},
        }


def _grouped(rows: Iterable[Row], *keys: str) -> list[list[Row]]:
    """Return the rows in groups that share the values under ``keys``, in order."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return list(groups.values())


def _best(name: str, members: Sequence[Row], group: Mapping[str, Any]) -> Iterable[Row]:
    """Yield, per number of components, the rows of the members with the best mean as ``name``.

    With ``one_setting`` these are the rows of the member whose mean over the datasets is best;
    else the winner may be another on each dataset, and clocks are the sums over all members: the
    price of the choice.
    """
    sign = 1 if group["direction"] == "higher" else -1

    def merit(cells: Iterable[Sequence[Row]]) -> float:
        means = [_mean(trials, group["metric"]) for trials in cells]
        return float("-inf") if None in means else sign * fmean(m for m in means if m is not None)

    for rivals in _grouped(members, "method.n_components"):
        places = _grouped(rivals, "data_cell")
        if group["one_setting"]:
            settings = [_grouped(rows, "data_cell") for rows in _grouped(rivals, "method_cell")]
            best = max((s for s in settings if len(s) == len(places)), key=merit, default=[])
            chosen = [(trials, [trials]) for trials in best]
        else:
            cells = [_grouped(rows, "method_cell") for rows in places]
            chosen = [(max(c, key=lambda trials: merit([trials])), c) for c in cells]
        for trials, payers in chosen:
            for position, row in enumerate(trials):
                yield row | {"method": name, "best_of": ""} | _clocks(position, payers)


def _clocks(position: int, payers: Iterable[Sequence[Row]]) -> Row:
    """Return the sums of the clocks of one trial over several cells."""
    peers = [trials[min(position, len(trials) - 1)] for trials in payers]
    return {clock: sum(p[clock] for p in peers if p[clock]) or None for clock in CLOCKS}


def _read_scores(path: str) -> list[dict[str, float]]:
    """Return the scores of each trial; a score that is missing has no key."""
    with open(path, newline="", encoding="utf-8") as file:
        return [{k: float(v) for k, v in row.items() if v} for row in csv.DictReader(file)]


def _write(path: Path, header: Iterable[str], rows: Iterable[Row]) -> None:
    header = list(header)
    write_csv(path, header, ([row.get(name) for name in header] for row in rows))


def _summary(trials: Sequence[Row], numbers: Sequence[str], columns: Iterable[str]) -> Row:
    """Return counts, means and standard deviations over the trials of one cell."""
    summary = {name: trials[0].get(name) for name in columns}
    summary |= {"n_trials": len(trials), "n_ok": sum(row["status"] == "ok" for row in trials)}
    for name in numbers:
        values = _values(trials, name)
        summary[f"{name}_mean"] = _mean(trials, name)
        summary[f"{name}_sd"] = stdev(values) if len(values) > 1 else None
    return summary


def _values(trials: Iterable[Row], metric: str) -> list[float]:
    """Return the scores of the trials that went well."""
    return [r[metric] for r in trials if r["status"] == "ok" and r.get(metric) is not None]


def _mean(trials: Iterable[Row], metric: str) -> float | None:
    values = _values(trials, metric)
    return fmean(values) if values else None


def _set_published(
    summaries: Sequence[Row], metrics: Sequence[str], published: Mapping[str, Any], file: Path
) -> None:
    """Set the published mean and s.d. beside ours, and the difference in published s.d.s."""
    names = published["names"]
    with file.open(newline="", encoding="utf-8") as lines:
        theirs = {
            tuple(same_name(names.get(row[k], row[k])) for k in published["keys"]): row
            for row in csv.DictReader(lines)
        }
    for row in summaries:
        known = all(row.get(key) == value for key, value in published["where"].items())
        key = tuple(same_name(row.get(column)) for column in published["keys"].values())
        found = theirs.get(key, {}) if known else {}
        for name in metrics:
            columns = published["values"].get(name, [])
            numbers = [float(found[c]) if found.get(c) else None for c in columns]
            row.update(zip((f"{name}_published", f"{name}_published_sd"), numbers, strict=False))
            ours = row[f"{name}_mean"]
            if len(numbers) == 2 and None not in (ours, *numbers):
                row[f"{name}_difference_sd"] = (ours - numbers[0]) / numbers[1]


def same_name(value: Any) -> str:
    """Return a name or number as both sides of a comparison can spell it.

    Examples
    --------
    >>> same_name("t-SNE") == same_name("tsne"), same_name("100") == same_name(100)
    (True, True)
    """
    return re.sub(r"[^\w.]|_", "", str(value)).lower()
