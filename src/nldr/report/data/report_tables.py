"""Tables of a study as the report shows them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nldr.figures.results import cell_titles
from nldr.report.content import Column, StudyContent, TableContent
from nldr.tables import read_csv

Row = dict[str, Any]
Titles = list[tuple[str, str]]  # of dataset and method, one per row
CELL = ("data_cell", "method_cell")
FEW = 12  # metrics whose standard deviations are shown


def result_table(
    study: StudyContent, summary: str, titles: Titles, verdicts: Sequence[Mapping[str, str]]
) -> TableContent:
    """Return one row per cell: means with standard deviations, published values and verdicts.

    With many metrics, standard deviations are in the table's file only.
    """
    rows = read_csv(summary)
    decided = {(row["cell"], row["metric"]): row["verdict"] for row in verdicts}
    metrics = [name for name in study.metrics if any(f"{name}_mean" in row for row in rows)]
    columns = [
        Column("dataset", "Dataset", "dataset"),
        Column("method", "Method", "method"),
        Column("n_ok", "Trials", "number", "trials with a score"),
    ]
    labels = _labels(study)
    for name in metrics:
        metric, few = study.metrics[name] | {"label": labels[name]}, len(metrics) <= FEW
        columns += _metric_columns(name, metric, rows, decided, with_sd=few)
    shown = []
    for row, (dataset, method) in zip(rows, titles, strict=True):
        cell = f"{row['data_cell']}/{row['method_cell']}"
        shown_row: Row = {"dataset": dataset, "method": method, "n_ok": number(row["n_ok"])}
        for name in metrics:
            keys = [f"{name}_{end}" for end in ("mean", "sd", "published")]
            shown_row |= {key: number(row.get(key)) for key in keys}
            shown_row[f"{name}_verdict"] = decided.get((cell, name))
        shown.append(shown_row | {key: row[key] for key in CELL})
    return TableContent("Results, one row per cell", columns, shown, summary)


def _labels(study: StudyContent) -> dict[str, str]:
    """Return the label of each metric, or its name where several metrics have this label."""
    labels = {name: str(metric["label"]) for name, metric in study.metrics.items()}
    counts = Counter(labels.values())
    return {name: label if counts[label] == 1 else name for name, label in labels.items()}


def _metric_columns(
    name: str,
    metric: Mapping[str, Any],
    rows: Sequence[Mapping[str, str]],
    decided: Mapping[tuple[str, str], str],
    with_sd: bool,
) -> list[Column]:
    """Return the columns of a metric, those with published values only where there are any."""
    column = partial(Column, metric=name)
    better = f"{metric['title']}; {metric['direction']} is better"
    help_ = f"{better}; mean over the trials"
    columns = [column(f"{name}_mean", metric["label"], "number", help_)]
    if with_sd:
        help_ = "standard deviation over the trials"
        columns.append(column(f"{name}_sd", "s.d.", "number", help_))
    if any(row.get(f"{name}_published") for row in rows):
        columns.append(column(f"{name}_published", "published", "number", "value in the paper"))
    if any(metric == name for _, metric in decided):
        columns.append(
            column(f"{name}_verdict", "verdict", "verdict", "verdict on the published value")
        )
    return columns


def published_table(
    study: StudyContent, verdicts: Sequence[Mapping[str, str]], file: str
) -> TableContent:
    """Return one row per published number with its verdict."""
    labels = _labels(study)
    columns = [
        Column("setting", "Setting", "text"),
        Column("metric", "Metric", "text"),
        Column("ours", "Ours", "number", "mean over the trials"),
        Column("published", "Published", "number"),
        Column("difference", "Difference", "number", "ours minus published"),
        Column("low", "from", "number", "lower end of the 95 % interval of the difference"),
        Column("high", "to", "number", "upper end of the 95 % interval of the difference"),
        Column("margin", "Margin", "number", "largest difference that counts as equal"),
        Column("trials", "Trials", "number"),
        Column("verdict", "Verdict", "verdict"),
    ]
    numeric = {column.key for column in columns if column.kind == "number"}
    rows = [
        {
            column.key: number(row[column.key]) if column.key in numeric else row[column.key]
            for column in columns
        }
        | {"metric": labels.get(row["metric"], row["metric"]), "cell": row["cell"]}
        for row in verdicts
    ]
    return TableContent("Published numbers", columns, rows, file)


def cost_table(costs: str, titles: Titles) -> TableContent:
    """Return one row per cell: median times, and how they compare."""
    rows = read_csv(costs)
    columns = [
        Column("dataset", "Dataset", "dataset"),
        Column("method", "Method", "method"),
        Column("cpu_seconds", "CPU s", "number", "median CPU time of a fit"),
        Column("cpu_seconds_ratio", "× PCA", "number", "ratio to the CPU time of PCA"),
        Column("seconds", "Wall s", "number", "median wall time of a fit"),
        Column("clock", "Measured", "text", "while other jobs ran, or exclusively"),
        Column("published_seconds", "Published s", "number", "seconds in the paper"),
    ]
    if not any(row["published_seconds"] for row in rows):
        columns.pop()
    shown = [
        {
            "dataset": dataset,
            "method": method,
            "clock": "exclusively" if row["exclusive"] == "True" else "beside other jobs",
        }
        | {key: row[key] for key in CELL}
        | {column.key: number(row[column.key]) for column in columns if column.kind == "number"}
        for row, (dataset, method) in zip(rows, titles, strict=True)
    ]
    return TableContent("Costs", columns, shown, costs)


def number(text: str | None) -> float | None:
    """Return a finite number, or None.

    Examples
    --------
    >>> number("0.5"), number(""), number("nan")
    (0.5, None, None)
    """
    value = float(text) if text else math.nan
    return value if math.isfinite(value) else None


def titles_of(study: StudyContent, summary: str) -> Titles:
    """Return the titles of dataset and method of each cell, with the parameters that differ."""
    import pandas as pd

    table = pd.read_csv(summary, keep_default_na=False)
    datasets = cell_titles(table, "data.", study.datasets, ["dataset"], ())
    methods = cell_titles(table, "method.", study.methods, ["method", "data_cell"], ())
    return list(zip(datasets, methods, strict=True))
