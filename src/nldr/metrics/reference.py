"""Scores of all methods of the record on a dataset, to put one of your own beside them."""

from __future__ import annotations

import csv
import io
import json
import lzma
from functools import cache
from math import dist, isfinite, sqrt
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from pandas import DataFrame

SHIPPED = "reference.csv.xz"  # in an installed package, made from the record by setup.py
COLUMNS = ("dataset", "method", "metric", "mean", "sd", "trials")
CELLS = "results/archive/cells"


def reference(dataset: str, *, metric: str | None = None) -> DataFrame:
    """Return the scores of all methods of the record on a dataset.

    The record is what the project has run at the published sizes. It is part of the package:
    nothing is computed or downloaded.

    Parameters
    ----------
    dataset : str
        Name in the catalog, for all sizes and parameters that were run, or one cell of it, such as
        ``"gp@n_features=20"``.
    metric : str, optional
        A metric, such as ``"r2_affine"``; scores of test points end in ``@test``. All by default.

    Returns
    -------
    DataFrame
        One row for each cell and metric: ``dataset`` and ``method`` with the parameters that differ
        from the catalog, ``metric``, ``mean`` and ``sd`` over the ``trials``. With a `metric`, the
        best methods come first.

    Raises
    ------
    ValueError
        If the record has no such dataset, or not that metric of it.

    Examples
    --------
    >>> import nldr
    >>> table = nldr.reference("gp@n_features=20", metric="r2_affine")
    >>> bool(table["mean"].is_monotonic_decreasing)
    True
    """
    import pandas as pd

    from nldr.metrics.evaluation import find_metric

    table = pd.DataFrame(_rows(), columns=list(COLUMNS))
    names = table["dataset"]
    rows = table[(names == dataset) | names.str.startswith(f"{dataset}@")]
    if rows.empty:
        recorded = {name.partition("@")[0] for name in names}
        hint = _close(dataset.partition("@")[0], recorded) or "."
        raise ValueError(
            f"the record has no results of '{dataset}'{hint} It has results of "
            f"{', '.join(sorted(recorded))}"
        )
    if metric is not None:
        metrics = set(rows["metric"])
        rows = rows[rows["metric"] == metric]
        if rows.empty:
            raise ValueError(
                f"the record has no '{metric}' of '{dataset}'{_close(metric, metrics)}; to see all "
                "metrics of it, leave out the metric"
            )
        lower = find_metric(metric.partition("@")[0]).direction == "lower"
        rows = rows.sort_values("mean", ascending=lower, kind="stable")
    readable = rows.assign(**{key: rows[key].map(_readable) for key in ("dataset", "method")})
    return readable.reset_index(drop=True)


def _close(word: str, names: set[str]) -> str:
    """Return a few names that are similar to a word, as a question."""
    from nldr.inputs.errors import nearest

    close = nearest(word, sorted(names), n=3)
    return f": did you mean {', '.join(close)}?" if close else ""


def _readable(cell: str) -> str:
    """Return a cell's name with its parameters as text.

    Examples
    --------
    >>> _readable("mlp@hidden=~5B16~2C8~5D@n_components=2")
    'mlp@hidden=[16,8]@n_components=2'
    """
    return unquote(cell.replace("~", "%"))


@cache
def _rows() -> list[tuple[str, str, str, float, float | None, int]]:
    from nldr.shipped import root

    file = root() / SHIPPED
    if file.is_file():
        text = lzma.decompress(file.read_bytes()).decode()
    else:
        text = summarize(root() / CELLS)
    return [
        (data, method, metric, float(mean), float(sd) if sd else None, int(trials))
        for data, method, metric, mean, sd, trials in csv.reader(io.StringIO(text))
    ]


def summarize(cells: Path) -> str:
    """Return the table as CSV without a header, from the folder of the record's cells."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for file in sorted(cells.glob("*.json.xz")):
        methods = json.loads(lzma.decompress(file.read_bytes()))["methods"]
        data = file.name.removesuffix(".json.xz")
        for method, cell in methods.items():
            for scoring, trials in cell["scores"].items():
                rows = scoring.partition("@rows=")[2]
                for metric, values in _values(trials["rows"]).items():
                    n, mean = len(values), fmean(values)
                    sd = f"{dist(values, [mean] * n) / sqrt(n - 1):.2g}" if n > 1 else ""
                    name = f"{metric}@{rows}" if rows else metric
                    writer.writerow([data, method, name, f"{mean:.5g}", sd, n])
    return text.getvalue()


def _values(rows: list[dict[str, dict[str, float | None]]]) -> dict[str, list[float]]:
    """Return the scores of all trials by metric."""
    values: dict[str, list[float]] = {}
    for row in rows:
        for metric, value in (row.get("values") or {}).items():
            if value is not None and isfinite(value):
                values.setdefault(metric, []).append(value)
    return values
