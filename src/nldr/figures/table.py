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

# Width of the names, height of a row and of a heading, gaps between blocks and between numbers, mm
NAMES, LINE, HEAD, BETWEEN, APART = 34.0, 3.6, 4.6, 2.0, 1.5
BOLD = 1.1  # width of bold digits, relative to others
DECIMALS = 3
UNDEFINED, NONE = "undefined", "–"  # no score of some method, or of any


class Entry(NamedTuple):
    """Contents of one table cell; ``failed`` is empty, or says why there is no mean."""

    mean: float
    spread: float
    published: float
    failed: str


class Layout(NamedTuple):
    """Right edge and width of each column and width of its published part, in millimeters.

    ``spread`` tells whether columns have room for standard deviations.
    """

    rights: list[float]
    widths: list[float]
    theirs: list[float]
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
    status, or by its initials where columns are narrow. A dash is a metric that is not defined on
    the dataset. Controls are gray and have no rank.

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
    layout = _layout(results, table, heads, columns, entries)
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
    entries = {
        str(line): _entry(rows, metric, published)
        for line, rows in here.groupby("line", sort=False)
    }
    # A metric without a score of any method does not suit the dataset
    if all(entry.failed == UNDEFINED for entry in entries.values()):
        return {line: entry._replace(failed=NONE) for line, entry in entries.items()}
    return entries


def _layout(
    results: StudyResults,
    table: pd.DataFrame,
    heads: Mapping[str, str],
    columns: Mapping[str, str],
    entries: Mapping[tuple[str, str], dict[str, Entry]],
) -> Layout:
    """Return the layout in which all titles and numbers have room, standard deviations if they fit.

    What is left of the width is shared evenly by the columns.
    """
    names = max(style.text_width(line, style.TEXT) for line in table["line"].unique()) + 6
    free = style.DOUBLE - max(NAMES, names) - 2
    # Longest number of each column, and room for published ones
    numbers, theirs = [], []
    for column in columns:
        longest, has_published = "0.000", False
        for head in heads:
            shown = list(entries[head, column].values())
            metric = column if column in results.metrics else head
            decimals = _decimals(shown, results.metrics[metric]["range"])
            texts = [_number(entry.mean, decimals) for entry in shown if not entry.failed]
            longest = max([longest, *texts], key=len)
            has_published |= any(np.isfinite(entry.published) for entry in shown)
        numbers.append(longest)
        theirs.append((style.text_width(longest, style.TEXT) + APART) * has_published)
    # Widths that the columns need, with standard deviations and without
    plain = [
        BOLD * style.text_width(number, style.TEXT) + part + APART
        for number, part in zip(numbers, theirs, strict=True)
    ]
    wide = [
        width + style.text_width(f" ±{number}", style.SMALL)
        for number, width in zip(numbers, plain, strict=True)
    ]
    spread = sum(wide) <= free
    needed = wide if spread else plain
    widths = [width + (free - sum(needed)) / len(needed) for width in needed]
    edges = style.DOUBLE - 2 - sum(widths) + np.cumsum(widths)
    return Layout(edges.tolist(), widths, theirs, spread)


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
    failed = {e.failed for column in entries.values() for e in column.values()} - {"", NONE}
    note = style.wrap(_note(table, failed, layout, remark), style.SMALL, style.DOUBLE - 4)
    heights = [HEAD + LINE * len(block) + BETWEEN for block in lines.values()]
    wrapped = [
        "\n".join(style.wrap(piece, style.SMALL, width - 2) for piece in title.split(", "))
        for title, width in zip(columns.values(), layout.widths, strict=True)
    ]
    above = HEAD + 2.6 * max(title.count("\n") for title in wrapped)
    foot = 2.8 * (note.count("\n") + 1) + 1
    figure, top = style.titled_figure(style.DOUBLE, above + sum(heights) + foot, results.title)
    # Titles of the columns
    for right, title in zip(layout.rights, wrapped, strict=True):
        style.add_text(figure, right, top + above - 1, title,
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
        right = layout.rights[j]
        ours = right - layout.theirs[j]
        for (line, entry), rank in zip(column.items(), ranks, strict=True):
            control = controls[line]
            _draw_entry(figure, entry, ours, tops[line], decimals, rank, control, layout.spread)
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
    spreads: bool,
) -> None:
    """Draw mean and standard deviation, right-aligned so that the means line up."""
    # A failure
    if entry.failed:
        status = entry.failed if spreads else _initials(entry.failed)
        text = NONE if entry.failed == NONE else f"✕ {status}"
        style.add_text(figure, right, top, text, size=style.SMALL, ha="right",
                       color=style.GRAY, gid="failed")  # fmt: skip
        return
    # Mean, and standard deviation to its right
    text = _number(entry.mean, decimals)
    has_spread = spreads and np.isfinite(entry.spread)
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
        failed = UNDEFINED if succeeded else str(status).replace("_", " ")
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
    sentences += ["Gray, right: published.", remark] if any(layout.theirs) else []
    return " ".join(sentences).strip()
