"""Scores as a table: a row a method, blocks and columns datasets and metrics, published beside."""

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
THEIRS = 0.34  # share of a column that published numbers take
DECIMALS = 3


class Entry(NamedTuple):
    """What stands in one place of the table."""

    mean: float
    spread: float
    published: float
    failed: str


class Layout(NamedTuple):
    """Where columns begin and how wide they are, in millimeters, and what they have room for."""

    names: float
    pitch: float
    theirs: float
    spread: bool


@style.journal()
def score_table(
    results: StudyResults,
    *,
    metrics: Sequence[str] | None = None,
    blocks: str = "dataset",
    remark: str = "",
) -> Figure:
    """Draw the mean score of each method on each dataset, the best bold, the second underlined.

    Means are over the trials whose status is ``ok``; where there are none, the commonest status
    stands with a ✕, by its initials where columns are narrow. Controls are gray and have no rank.

    Parameters
    ----------
    results : StudyResults
        The study's results.
    metrics : sequence of str, optional
        Metrics of the study, in the order of the columns; by default all.
    blocks : {"dataset", "metric"}, default="dataset"
        Whether each dataset has a block with a column a metric, or each metric a block with a
        column a dataset, which is shorter where datasets are many.
    remark : str, default=""
        What is to be known of the published numbers; written below where there are any.

    Returns
    -------
    Figure
        The table. Published numbers stand in gray to the right of ours.

    Raises
    ------
    ValueError
        If there are no such blocks.

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
    if blocks not in ("dataset", "metric"):
        raise ValueError(f"blocks={blocks!r} is neither 'dataset' nor 'metric'")
    metrics = list(results.metrics) if metrics is None else list(metrics)
    table = results.table.assign(row=results.data_titles(), line=results.method_titles())
    cells = dict(table.groupby("data_cell", sort=False)["row"].first())
    titles = {metric: _title(results, metric) for metric in metrics}
    heads, columns = (cells, titles) if blocks == "dataset" else (titles, cells)
    entries = {
        (head, column): _entries(
            results, table, *((head, column) if blocks == "dataset" else (column, head))
        )
        for head in heads for column in columns
    }  # fmt: skip
    layout = _layout(table, list(entries.values()), len(columns))
    return _draw(results, table, heads, columns, entries, layout, remark)


def _title(results: StudyResults, metric: str) -> str:
    arrow = "↑" if results.metrics[metric]["direction"] == "higher" else "↓"
    return f"{results.metrics[metric]['title']} {arrow}"


def _entries(
    results: StudyResults, table: pd.DataFrame, cell: str, metric: str
) -> dict[str, Entry]:
    """Return what stands at each method's line for one dataset and metric."""
    here = table[table["data_cell"] == cell]
    return {
        str(line): _entry(results, rows, metric) for line, rows in here.groupby("line", sort=False)
    }


def _layout(table: pd.DataFrame, blocks: Sequence[dict[str, Entry]], n_columns: int) -> Layout:
    names = max(style.text_width(line, style.TEXT) for line in table["line"].unique()) + 6
    names = max(NAMES, names)
    pitch = (style.DOUBLE - names - 2) / n_columns
    shown = [entry for block in blocks for entry in block.values()]
    theirs = THEIRS * pitch * any(np.isfinite(entry.published) for entry in shown)
    return Layout(names, pitch, theirs, pitch > style.text_width("0.000 ±0.000 ", style.TEXT))


def _draw(
    results: StudyResults,
    table: pd.DataFrame,
    heads: Mapping[str, str],
    columns: Mapping[str, str],
    entries: Mapping[tuple[str, str], dict[str, Entry]],
    layout: Layout,
    remark: str,
) -> Figure:
    """Draw the columns' titles, the blocks, and a note of what the numbers are."""
    lines = {
        head: list(dict.fromkeys(line for column in columns for line in entries[head, column]))
        for head in heads
    }
    note = style.wrap(_note(table, layout, remark), style.SMALL, style.DOUBLE - 4)
    heights = [HEAD + LINE * len(block) + BETWEEN for block in lines.values()]
    wrapped = [
        "\n".join(style.wrap(part, style.SMALL, layout.pitch - 2) for part in title.split(", "))
        for title in columns.values()
    ]
    above = HEAD + 2.6 * max(title.count("\n") for title in wrapped)
    foot = 2.8 * (note.count("\n") + 1) + 1
    figure, top = style.titled_figure(style.DOUBLE, above + sum(heights) + foot, results.title)
    for j, title in enumerate(wrapped):
        style.add_text(figure, layout.names + (j + 1) * layout.pitch, top + above - 1, title,
                       size=style.SMALL, ha="right", va="bottom")  # fmt: skip
    top += above
    for (head, title), height in zip(heads.items(), heights, strict=True):
        _rule(figure, 2, style.DOUBLE - 2, top, style.LIGHT)
        style.add_text(figure, 2, top + 0.9, title, weight="bold")
        blocks = [entries[head, column] for column in columns]
        metrics = [column if column in results.metrics else head for column in columns]
        _draw_block(figure, results, table, lines[head], blocks, metrics, top, layout)
        top += height
    style.add_text(figure, 2, top, note, size=style.SMALL, color=style.GRAY)
    return figure


def _draw_block(
    figure: Figure,
    results: StudyResults,
    table: pd.DataFrame,
    lines: Sequence[str],
    columns: Sequence[dict[str, Entry]],
    metrics: Sequence[str],
    top: float,
    layout: Layout,
) -> None:
    """Draw the rows of one block."""
    method = table.groupby("line")["method"].first()
    controls = {line: results.roles.get(method[line]) == "control" for line in lines}
    place = {line: top + HEAD + i * LINE for i, line in enumerate(lines)}
    for line in lines:
        color = style.GRAY if controls[line] else "black"
        style.add_text(figure, 4, place[line], line, color=color)
    for j, (column, metric) in enumerate(zip(columns, metrics, strict=True)):
        shown = list(column.values())
        facts = results.metrics[metric]
        ranks = _ranks(shown, [controls[line] for line in column], facts["direction"])
        decimals = _decimals(shown, facts["range"])
        right = layout.names + (j + 1) * layout.pitch
        for (line, entry), rank in zip(column.items(), ranks, strict=True):
            _draw_entry(figure, entry, right, place[line], decimals, rank, controls[line], layout)
            if np.isfinite(entry.published):
                style.add_text(figure, right, place[line], _number(entry.published, decimals),
                               color=style.GRAY, ha="right", gid="published")  # fmt: skip


def _draw_entry(
    figure: Figure,
    entry: Entry,
    right: float,
    top: float,
    decimals: int,
    rank: int,
    control: bool,
    layout: Layout,
) -> None:
    """Draw mean and standard deviation, with the end of the mean where the eye compares."""
    right -= layout.theirs
    if entry.failed:
        status = entry.failed if layout.spread else _initials(entry.failed)
        style.add_text(figure, right, top, f"✕ {status}", size=style.SMALL, ha="right",
                       color=style.GRAY, gid="failed")  # fmt: skip
        return
    text = _number(entry.mean, decimals)
    told = layout.spread and np.isfinite(entry.spread)
    spread = f" ±{_number(entry.spread, decimals)}" if told else ""
    end = right - style.text_width(" ±" + "0" * (decimals + 2), style.SMALL) * bool(spread)
    color = style.GRAY if control else "black"
    weight = "bold" if rank == 0 else "normal"
    style.add_text(figure, end, top, text, ha="right", color=color, weight=weight, gid="score")
    if spread:
        style.add_text(figure, end, top + 0.35, spread, size=style.SMALL, color=style.GRAY)
    if rank == 1:
        _rule(figure, end - style.text_width(text, style.TEXT), end, top + 2.75, "black")


def _entry(results: StudyResults, rows: pd.DataFrame, metric: str) -> Entry:
    """Return a method's scores on a dataset, and what is published of them."""
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
    """Draw a horizontal line, measures in millimeters."""
    width, height = figure.get_size_inches() * 25.4
    y = 1 - top / height
    look: dict[str, Any] = {"color": color, "linewidth": 0.5}
    figure.add_artist(Line2D([left / width, right / width], [y, y], **look))


def _initials(status: str) -> str:
    return "".join(word[0] for word in status.split())


def _note(table: pd.DataFrame, layout: Layout, remark: str) -> str:
    """Return what the numbers are."""
    trials = table.groupby(["data_cell", "method_cell"])["trial"].nunique()
    most = trials.max()
    number = str(most) if trials.min() == most else f"{trials.min()} to {most}"
    spread = " ± s.d." if layout.spread else ""
    parts = ["A single trial." if most == 1 else f"Mean{spread} of {number} trials."]
    parts += ["Bold: best; underlined: second. ↑ higher, ↓ lower is better."]
    failed = sorted({status.replace("_", " ") for status in table["status"]} - {"ok"})
    if failed and not layout.spread:
        parts.append("✕ " + ", ".join(f"{_initials(text)}: {text}" for text in failed) + ".")
    parts += ["Gray, right: published.", remark] if layout.theirs else []
    return " ".join(parts).strip()
