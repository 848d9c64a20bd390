"""Table of scores, ours and published: one row per method, in blocks by dataset or metric."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nldr.figures import style
from nldr.figures.results import StudyResults

# Width of the names, height of a row and of a heading, gap between blocks, mm
NAMES, LINE, HEAD, BETWEEN = 34.0, 3.6, 4.6, 2.0
THEIRS = 0.34  # fraction of a column that published numbers take
DECIMALS = 3


class Entry(NamedTuple):
    """Contents of one table cell; ``failed`` is empty, or says why there is no mean."""

    mean: float
    spread: float
    published: float
    failed: str


class Layout(NamedTuple):
    """Width of the names, of a column and of its published part, in millimeters.

    ``spread`` tells whether columns have room for standard deviations.
    """

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

    Means are over the successful trials. Where there are none, a ✕ is followed by the most common
    status, or by its initials where columns are narrow. Controls are gray and have no rank.

    Parameters
    ----------
    results : StudyResults
        The study's results.
    metrics : sequence of str, optional
        Metrics of the study, in the order of the columns; by default all.
    blocks : {"dataset", "metric"}, default="dataset"
        ``"dataset"`` makes one block per dataset with one column per metric; ``"metric"`` makes
        one block per metric with one column per dataset, which is shorter for many datasets.
    remark : str, default=""
        Comment on the published numbers, written below the table if there are any.

    Returns
    -------
    Figure
        The table. Published numbers are gray, to the right of ours.

    Raises
    ------
    ValueError
        If ``blocks`` has another value.

    Examples
    --------
    >>> table = pd.DataFrame({
    ...     "dataset": "d", "data_cell": "d", "method": ["a", "b"], "method_cell": ["a", "b"],
    ...     "trial": 0, "ok": True, "status": "ok", "trust": [0.9, 0.75]})
    >>> results = StudyResults(
    ...     title="Scores", methods={"a": "A", "b": "B"}, roles={}, looks={}, datasets={"d": "D"},
    ...     metrics={"trust": {"title": "trust", "range": [0, 1], "direction": "higher"}},
    ...     table=table, timings=table, published=None, panel=None)
    >>> [text.get_text() for text in score_table(results).texts if text.get_gid() == "score"]
    ['0.900', '0.750']
    """
    if blocks not in ("dataset", "metric"):
        raise ValueError(f"blocks={blocks!r} is neither 'dataset' nor 'metric'")
    metrics = list(results.metrics) if metrics is None else list(metrics)
    # Headings of blocks and columns
    table = results.table.assign(row=results.data_titles(), line=results.method_titles())
    cells = dict(table.groupby("data_cell", sort=False)["row"].first())
    titles = {metric: _title(results, metric) for metric in metrics}
    heads, columns = (cells, titles) if blocks == "dataset" else (titles, cells)
    # Contents of each block's columns
    entries = {
        (head, column): _column_entries(
            results, table, *((head, column) if blocks == "dataset" else (column, head))
        )
        for head in heads for column in columns
    }  # fmt: skip
    layout = _layout(table, list(entries.values()), len(columns))
    return _draw(results, table, heads, columns, entries, layout, remark)


def _title(results: StudyResults, metric: str) -> str:
    """Return a metric's title, with an arrow to better values."""
    arrow = "↑" if results.metrics[metric]["direction"] == "higher" else "↓"
    return f"{results.metrics[metric]['title']} {arrow}"


def _column_entries(
    results: StudyResults, table: pd.DataFrame, cell: str, metric: str
) -> dict[str, Entry]:
    """Return the entries of one dataset and metric, by title of the method."""
    here = table[table["data_cell"] == cell]
    published = results.published_values(metric)
    return {
        str(line): _entry(rows, metric, published)
        for line, rows in here.groupby("line", sort=False)
    }


def _layout(table: pd.DataFrame, blocks: Sequence[dict[str, Entry]], n_columns: int) -> Layout:
    """Return the layout in which all titles and numbers have room."""
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
    """Draw the titles of the columns, the blocks, and a note that explains the numbers."""
    lines = {
        head: list(dict.fromkeys(line for column in columns for line in entries[head, column]))
        for head in heads
    }
    # Texts broken into lines, and the heights that they need
    failed = {e.failed for column in entries.values() for e in column.values() if e.failed}
    note = style.wrap(_note(table, failed, layout, remark), style.SMALL, style.DOUBLE - 4)
    heights = [HEAD + LINE * len(block) + BETWEEN for block in lines.values()]
    wrapped = [
        "\n".join(style.wrap(piece, style.SMALL, layout.pitch - 2) for piece in title.split(", "))
        for title in columns.values()
    ]
    above = HEAD + 2.6 * max(title.count("\n") for title in wrapped)
    foot = 2.8 * (note.count("\n") + 1) + 1
    figure, top = style.titled_figure(style.DOUBLE, above + sum(heights) + foot, results.title)
    # Titles of the columns
    for j, title in enumerate(wrapped):
        style.add_text(figure, layout.names + (j + 1) * layout.pitch, top + above - 1, title,
                       size=style.SMALL, ha="right", va="bottom")  # fmt: skip
    top += above
    # Blocks, each below a rule and its heading
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
    """Draw the names and the columns of one block."""
    method = table.groupby("line")["method"].first()
    controls = {line: results.roles.get(method[line]) == "control" for line in lines}
    tops = {line: top + HEAD + i * LINE for i, line in enumerate(lines)}
    for line in lines:
        color = style.GRAY if controls[line] else "black"
        style.add_text(figure, 4, tops[line], line, color=color)
    # Columns, with ranks and decimals of their metric
    for j, (column, metric) in enumerate(zip(columns, metrics, strict=True)):
        shown = list(column.values())
        facts = results.metrics[metric]
        ranks = _ranks(shown, [controls[line] for line in column], facts["direction"])
        decimals = _decimals(shown, facts["range"])
        right = layout.names + (j + 1) * layout.pitch
        for (line, entry), rank in zip(column.items(), ranks, strict=True):
            _draw_entry(figure, entry, right, tops[line], decimals, rank, controls[line], layout)
            if np.isfinite(entry.published):
                style.add_text(figure, right, tops[line], _number(entry.published, decimals),
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
    """Draw mean and standard deviation, right-aligned so that the means line up."""
    # A failure
    right -= layout.theirs
    if entry.failed:
        status = entry.failed if layout.spread else _initials(entry.failed)
        style.add_text(figure, right, top, f"✕ {status}", size=style.SMALL, ha="right",
                       color=style.GRAY, gid="failed")  # fmt: skip
        return
    # Mean, and standard deviation to its right
    text = _number(entry.mean, decimals)
    has_spread = layout.spread and np.isfinite(entry.spread)
    spread = f" ±{_number(entry.spread, decimals)}" if has_spread else ""
    end = right - style.text_width(" ±" + "0" * (decimals + 2), style.SMALL) * bool(spread)
    color = style.GRAY if control else "black"
    weight = "bold" if rank == 0 else "normal"
    style.add_text(figure, end, top, text, ha="right", color=color, weight=weight, gid="score")
    if spread:
        style.add_text(figure, end, top + 0.35, spread, size=style.SMALL, color=style.GRAY)
    if rank == 1:
        _rule(figure, end - style.text_width(text, style.TEXT), end, top + 2.75, "black")


def _entry(
    rows: pd.DataFrame, metric: str, published: Mapping[tuple[str, str, str], float]
) -> Entry:
    """Return a method's scores on a dataset, beside the published one."""
    scores = rows.loc[rows["ok"], metric].dropna()
    failed = ""
    if scores.empty:
        # The most common status; "undefined" where the trials succeeded and have no score
        status = rows["status"].mode()[0]
        succeeded = rows.loc[rows["status"] == status, "ok"].all()
        failed = "undefined" if succeeded else str(status).replace("_", " ")
    cell = rows.iloc[0]
    theirs = published.get((cell["data_cell"], cell["method"], cell["method_cell"]), np.nan)
    return Entry(scores.mean(), scores.std(), theirs, failed)


def _ranks(entries: Sequence[Entry], controls: Sequence[bool], direction: str) -> list[int]:
    """Return each entry's rank from 0; equal means share a rank, controls and failures are last."""
    sign = -1.0 if direction == "higher" else 1.0
    values = np.array([
        np.inf if control or entry.failed else sign * entry.mean
        for entry, control in zip(entries, controls, strict=True)
    ])  # fmt: skip
    last = len(entries)
    return [int((values < value).sum()) if np.isfinite(value) else last for value in values]


def _decimals(entries: Sequence[Entry], bounds: Sequence[float | None]) -> int:
    """Return the number of decimals that gives the smallest mean three digits."""
    means = [abs(entry.mean) for entry in entries if not entry.failed and entry.mean != 0]
    if None not in bounds or not means:
        return DECIMALS
    return int(np.clip(2 - np.floor(np.log10(min(means))), 0, 6))


def _number(value: float, decimals: int) -> str:
    """Return a number as text."""
    return f"{value:.{decimals}f}"


def _rule(figure: Figure, left: float, right: float, top: float, color: str) -> None:
    """Draw a horizontal line; measures in millimeters."""
    width, height = figure.get_size_inches() * 25.4
    y = 1 - top / height
    look: dict[str, Any] = {"color": color, "linewidth": 0.5}
    figure.add_artist(Line2D([left / width, right / width], [y, y], **look))


def _initials(status: str) -> str:
    """Return the first letter of each word."""
    return "".join(word[0] for word in status.split())


def _note(table: pd.DataFrame, failed: Collection[str], layout: Layout, remark: str) -> str:
    """Return the sentences that explain the numbers."""
    trials = table.groupby(["data_cell", "method_cell"])["trial"].nunique()
    most = trials.max()
    number = str(most) if trials.min() == most else f"{trials.min()} to {most}"
    spread = " ± s.d." if layout.spread else ""
    sentences = ["A single trial." if most == 1 else f"Mean{spread} of {number} trials."]
    sentences += ["Bold: best; underlined: second. ↑ higher, ↓ lower is better."]
    if failed and not layout.spread:
        initials = ", ".join(f"{_initials(text)}: {text}" for text in sorted(failed))
        sentences.append(f"✕ {initials}.")
    sentences += ["Gray, right: published.", remark] if layout.theirs else []
    return " ".join(sentences).strip()
