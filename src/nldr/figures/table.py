"""Scores as a table: a block a data set, a row a method, published numbers beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nldr.figures import style
from nldr.figures.results import StudyResults

NAMES, LINE, HEAD, BETWEEN = 34.0, 3.6, 4.6, 2.0  # names' column, line, heading, gap, mm
THEIRS = 0.34  # share of a metric's column that published numbers take
DECIMALS = 3


class Entry(NamedTuple):
    """What stands in one place of the table."""

    mean: float
    spread: float
    published: float
    failed: str


@style.journal()
def score_table(
    results: StudyResults, *, metrics: Sequence[str] | None = None, remark: str = ""
) -> Figure:
    """Draw the mean score of each method on each data set, the best bold, the second underlined.

    Means are over the trials whose status is ``ok``; where there are none, the commonest status
    stands with a ✕. Controls are grey and have no rank.

    Parameters
    ----------
    results : StudyResults
        The study's results.
    metrics : sequence of str, optional
        Metrics of the study, in the order of the columns; by default all.
    remark : str, default=""
        What is to be known of the published numbers; written below where there are any.

    Returns
    -------
    Figure
        The table. Published numbers stand in grey to the right of ours.

    Examples
    --------
    >>> table = pd.DataFrame({
    ...     "dataset": "gp", "data_cell": "gp", "method": ["pca", "mvu"],
    ...     "method_cell": ["pca", "mvu"], "trial": 0, "status": "ok", "trust": [0.9, 0.75]})
    >>> results = StudyResults(
    ...     title="Scores", methods={"pca": "PCA", "mvu": "MVU"}, roles={}, datasets={"gp": "GP"},
    ...     metrics={"trust": {"title": "trust", "range": [0, 1], "direction": "higher"}},
    ...     table=table, timings=table, published=None, panel=None)
    >>> [text.get_text() for text in score_table(results).texts if text.get_gid() == "score"]
    ['0.900', '0.750']
    """
    metrics = list(results.metrics) if metrics is None else list(metrics)
    table = results.table.assign(row=results.data_titles(), line=results.method_titles())
    blocks = [block for _, block in table.groupby("data_cell", sort=False)]
    theirs = any(
        np.isfinite(_published(results, row, metric))
        for metric in metrics for _, row in table.iterrows()
    )  # fmt: skip
    note = style.wrap(_note(table, theirs, remark), style.SMALL, style.DOUBLE - 4)
    heights = [HEAD + LINE * block["line"].nunique() + BETWEEN for block in blocks]
    foot = 2.8 * (note.count("\n") + 1) + 1
    figure, top = style.titled_figure(style.DOUBLE, HEAD + sum(heights) + foot, results.title)
    pitch = (style.DOUBLE - NAMES - 2) / len(metrics)
    for j, metric in enumerate(metrics):
        arrow = "↑" if results.metrics[metric]["direction"] == "higher" else "↓"
        parts = f"{results.metrics[metric]['title']} {arrow}".split(", ")
        title = "\n".join(style.wrap(part, style.SMALL, pitch - 2) for part in parts)
        style.add_text(figure, NAMES + (j + 1) * pitch, top + HEAD - 1, title, size=style.SMALL,
                       ha="right", va="bottom")  # fmt: skip
    top += HEAD
    for block, height in zip(blocks, heights, strict=True):
        _draw_block(figure, results, block, metrics, top, pitch, theirs)
        top += height
    style.add_text(figure, 2, top, note, size=style.SMALL, color=style.GREY)
    return figure


def _draw_block(
    figure: Figure,
    results: StudyResults,
    block: pd.DataFrame,
    metrics: Sequence[str],
    top: float,
    pitch: float,
    theirs: bool,
) -> None:
    """Draw the rows of one data set."""
    _rule(figure, 2, style.DOUBLE - 2, top, style.LIGHT)
    style.add_text(figure, 2, top + 0.9, block["row"].iloc[0], weight="bold")
    rows = [rows for _, rows in block.groupby("line", sort=False)]
    controls = [results.roles.get(r["method"].iloc[0]) == "control" for r in rows]
    for i, (row, control) in enumerate(zip(rows, controls, strict=True)):
        style.add_text(figure, 4, top + HEAD + i * LINE, row["line"].iloc[0],
                       color=style.GREY if control else "black")  # fmt: skip
    for j, metric in enumerate(metrics):
        entries = [_entry(results, row, metric) for row in rows]
        ranks = _ranks(entries, controls, results.metrics[metric]["direction"])
        right = NAMES + (j + 1) * pitch
        ours = right - (THEIRS * pitch if theirs else 0.0)
        decimals = _decimals(entries, results.metrics[metric]["range"])
        for i, entry in enumerate(entries):
            place = top + HEAD + i * LINE
            _draw_entry(figure, entry, ours, place, decimals, ranks[i], controls[i])
            if np.isfinite(entry.published):
                style.add_text(figure, right, place, _number(entry.published, decimals),
                               color=style.GREY, ha="right", gid="published")  # fmt: skip


def _draw_entry(
    figure: Figure, entry: Entry, right: float, top: float, decimals: int, rank: int, control: bool
) -> None:
    """Draw mean and standard deviation, with the end of the mean where the eye compares."""
    if entry.failed:
        style.add_text(figure, right, top, f"✕ {entry.failed}", size=style.SMALL, ha="right",
                       color=style.GREY, gid="failed")  # fmt: skip
        return
    text = _number(entry.mean, decimals)
    spread = f" ±{_number(entry.spread, decimals)}" if np.isfinite(entry.spread) else ""
    end = right - style.text_width(" ±" + "0" * (decimals + 2), style.SMALL) * bool(spread)
    color = style.GREY if control else "black"
    weight = "bold" if rank == 0 else "normal"
    style.add_text(figure, end, top, text, ha="right", color=color, weight=weight, gid="score")
    if spread:
        style.add_text(figure, end, top + 0.35, spread, size=style.SMALL, color=style.GREY)
    if rank == 1:
        _rule(figure, end - style.text_width(text, style.TEXT), end, top + 2.75, "black")


def _entry(results: StudyResults, rows: pd.DataFrame, metric: str) -> Entry:
    """Return a method's scores on a data set, and what is published of them."""
    fine = rows.loc[rows["status"] == "ok", metric].dropna()
    failed = ""
    if fine.empty:
        failed = str(rows["status"].mode()[0]).replace("_", " ").replace("ok", "undefined")
    return Entry(fine.mean(), fine.std(), _published(results, rows.iloc[0], metric), failed)


def _published(results: StudyResults, row: pd.Series, metric: str) -> float:
    """Return the published value of a row of the study's table, NaN where there is none."""
    theirs = results.published
    if theirs is None or metric not in theirs.values:
        return np.nan
    fits = pd.Series(True, index=theirs.table.index)
    for column, ours in theirs.keys.items():
        titles: Mapping[str, str] = {"dataset": results.datasets, "method": results.methods}.get(
            ours, {}
        )
        value = row.get(ours)
        names = {style.canonical(value), style.canonical(titles.get(str(value), value))}
        fits &= theirs.table[column].map(style.canonical).isin(names)
    found = theirs.table.loc[fits, theirs.values[metric][0]]
    return float(found.iloc[0]) if len(found) else np.nan


def _ranks(entries: Sequence[Entry], controls: Sequence[bool], direction: str) -> list[int]:
    """Return each entry's rank from 0, equal means sharing one; those without are last."""
    sign = -1.0 if direction == "higher" else 1.0
    values = np.array([
        np.inf if control or entry.failed else sign * entry.mean
        for entry, control in zip(entries, controls, strict=True)
    ])  # fmt: skip
    last = len(entries)
    return [int((values < value).sum()) if np.isfinite(value) else last for value in values]


def _decimals(entries: Sequence[Entry], bounds: Sequence[float | None]) -> int:
    """Return as many decimals as leave the smallest mean three digits."""
    means = [abs(entry.mean) for entry in entries if not entry.failed and entry.mean != 0]
    if None not in bounds or not means:
        return DECIMALS
    return int(np.clip(2 - np.floor(np.log10(min(means))), 0, 6))


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}"


def _rule(figure: Figure, left: float, right: float, top: float, color: str) -> None:
    """Draw a horizontal line, measures in millimetres."""
    width, height = figure.get_size_inches() * 25.4
    y = 1 - top / height
    look: dict[str, Any] = {"color": color, "linewidth": 0.5}
    figure.add_artist(Line2D([left / width, right / width], [y, y], **look))


def _note(table: pd.DataFrame, theirs: bool, remark: str) -> str:
    """Return what the numbers are."""
    trials = table.groupby(["data_cell", "method_cell"])["trial"].nunique()
    most = trials.max()
    number = str(most) if trials.min() == most else f"{trials.min()} to {most}"
    parts = ["A single trial." if most == 1 else f"Mean ± s.d. of {number} trials."]
    parts += ["Bold: best; underlined: second. ↑ higher, ↓ lower is better."]
    parts += ["Grey, right: published.", remark] if theirs else []
    return " ".join(parts).strip()
