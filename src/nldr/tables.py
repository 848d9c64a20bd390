"""The job that assembles one study's tables."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nldr.cells import EMBEDDING, SCORES
from nldr.store import read_meta, write_csv

KEYS = ("dataset", "data_cell", "method", "method_cell", "trial", "status")
COSTS = ("seconds", "cpu_seconds", "peak_mb", "exclusive", "threads")


def make_tables(
    job: Mapping[str, Any], published: Path | None, table: Path, summary: Path, timings: Path
) -> None:
    """Assemble one study's tables from scores and provenance.

    ``table`` has a row a trial, ``summary`` a row a cell with mean and standard deviation over
    the trials that went well and the published value beside them, ``timings`` the clocks (the
    only numbers that differ from run to run).
    """
    import pandas as pd

    rows = [row for pair in job["pairs"] for row in _rows(pair, job["metrics"])]
    frame = pd.DataFrame(rows)
    metrics = list(job["metrics"])
    parameters = [c for c in frame.columns if c.startswith(("data.", "method."))]
    keys = [*KEYS, "message", *parameters]
    _write(frame[[*keys, *metrics]], table)
    _write(frame[[*KEYS, *parameters, *COSTS]], timings)
    _write(_summary(frame, metrics, parameters, job["published"], published), summary)


def _rows(pair: Mapping[str, Any], metrics: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the rows of one data set under one method, a row a trial."""
    where = {"data": pair["data"], "method": pair["method_cell"]}
    scores = {
        scorer: _read_scores(SCORES.format(**where, scorer=scorer, trials=pair["trials"]))
        for scorer in set(metrics.values())
    }
    rows = []
    for trial in range(pair["trials"]):
        meta = read_meta(EMBEDDING.format(**where, trial=trial))
        rows.append(
            {
                "dataset": pair["dataset"],
                "data_cell": pair["data"],
                "method": pair["method"],
                "method_cell": pair["method_cell"],
                "trial": trial,
                "status": meta["status"],
                "message": meta["message"],
                **{f"data.{k}": _plain(v) for k, v in pair["data_params"].items()},
                **{f"method.{k}": _plain(v) for k, v in pair["method_params"].items()},
                **{name: scores[scorer][trial].get(name) for name, scorer in metrics.items()},
                **{name: meta.get(name) for name in COSTS},
            }
        )
    return rows


def _read_scores(path: str) -> list[dict[str, float]]:
    """Return the scores of each trial; a score that is missing has no key."""
    with open(path, newline="", encoding="utf-8") as file:
        return [{k: float(v) for k, v in row.items() if v} for row in csv.DictReader(file)]


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str) else str(value)


def _write(frame: Any, path: Path) -> None:
    write_csv(path, frame.columns, frame.itertuples(index=False, name=None))


def _summary(
    frame: Any,
    metrics: list[str],
    parameters: list[str],
    published: Mapping[str, Any] | None,
    file: Path | None,
) -> Any:
    """Return mean and standard deviation by cell, and the published value beside them."""
    import pandas as pd

    keys = ["dataset", "data_cell", "method", "method_cell"]
    groups = frame.groupby(["data_cell", "method_cell"], sort=False)
    summary = groups[[*keys, *parameters]].first().reset_index(drop=True)
    summary["n_trials"] = groups.size().to_numpy()
    well = frame.assign(_ok=frame["status"] == "ok")
    summary["n_ok"] = well.groupby(["data_cell", "method_cell"], sort=False)["_ok"].sum().to_numpy()
    scores = frame[metrics].apply(pd.to_numeric).where(well["_ok"])
    by_cell = scores.groupby([frame["data_cell"], frame["method_cell"]], sort=False)
    for name in metrics:
        summary[f"{name}_mean"] = by_cell[name].mean().to_numpy()
        summary[f"{name}_sd"] = by_cell[name].std(ddof=1).to_numpy()
    if published is None or file is None:
        return summary
    return _with_published(summary, metrics, published, pd.read_csv(file))


def _with_published(summary: Any, metrics: list[str], published: Mapping[str, Any], theirs: Any) -> Any:
    """Set the published mean and s.d. beside ours, and the difference in published s.d.s."""
    def same(name: str) -> str:
        return re.sub(r"\W", "", str(name)).lower()

    keys = published["keys"]
    theirs = theirs.assign(**{k: theirs[k].map(same) for k in ("dataset", "method")})
    index = list(keys.values())
    theirs = theirs.set_index(list(keys))
    lookup = [tuple(same(row[c]) if c in ("dataset", "method") else row[c] for c in index)
              for row in summary[index].to_dict("records")]  # fmt: skip
    found = theirs.reindex(lookup)
    for name in metrics:
        columns = published["values"].get(name)
        if columns is None:
            continue
        summary[f"{name}_published"] = found[columns[0]].to_numpy()
        if len(columns) == 2:
            summary[f"{name}_published_sd"] = found[columns[1]].to_numpy()
            difference = summary[f"{name}_mean"] - summary[f"{name}_published"]
            summary[f"{name}_difference_sd"] = difference / summary[f"{name}_published_sd"]
    return summary
