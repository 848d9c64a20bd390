"""Table of scores, ours and published: one row per method, in blocks by dataset or metric."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from nldr.figures import style
from nldr.figures.curves import axis_label
from nldr.figures.results import NO_BREAK, StudyResults

# Width of the names, height of a row and of a heading, gaps between blocks and between numbers, mm
NAMES, LINE, HEAD, BETWEEN, APART = 34.0, 3.6, 4.6, 2.0, 1.5
BOLD = 1.1  # width of bold digits, relative to others
SPARE = 8.0  # most that a column is wider than it must be, mm
DECIMALS = 3
UNDEFINED, NONE = "undefined", "–"  # no score of some method, or of any


class TableEntry(NamedTuple):
    """Contents of one table cell; ``failed`` is empty, or says why there is no mean."""

    mean: float
    spread: float
    published: float
    failed: str
    n_trials: int


class TableLayout(NamedTuple):
    """Width of the table; right edge and width of each column and of its published part, in mm.

    ``spread``: whether columns have room for standard deviations.
    """

    width: float
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

    Means are over the successful trials, and ranked by the digits that are shown; single trials are
    not ranked. Where no trial succeeded, a ✕ is followed by the most common status, or by its
    initials where columns are narrow. A dash is a metric that is not defined on the dataset.
    Controls are gray and have no rank.

    Parameters
    ----------
    metrics : sequence of str, optional
        Metrics of the study, in the order of the columns; by default all.
    blocks : {"dataset", "metric"}, default="dataset"
        ``"dataset"`` makes one block per dataset with one column per metric; ``"metric"`` makes
        one block per metric with one column per dataset, which is shorter for many datasets. Blocks
        of a single column become columns of one block.
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
    """
    if blocks not in ("dataset", "metric"):
        raise ValueError(f"blocks={blocks!r} is neither 'dataset' nor 'metric'")
    metrics = list(results.metrics) if metrics is None else list(metrics)
    # Headings of blocks and columns
    table = results.table.assign(row=results.data_titles(), line=results.method_titles())
    cells = dict(table.groupby("data_cell", sort=False)["row"].first())
    titles = {metric: axis_label(results, metric) for metric in metrics}
    if len(titles if blocks == "dataset" else cells) == 1:
        blocks = "metric" if blocks == "dataset" else "dataset"
    heads, columns = (cells, titles) if blocks == "dataset" else (titles, cells)
    # Contents of each block's columns
    entries = {}
    for head, column in product(heads, columns):
        cell, metric = (head, column) if blocks == "dataset" else (column, head)
        entries[head, column] = _column_entries(results, table, cell, metric)
    layout = _layout(results, table, heads, columns, entries)
    return _draw(results, table, heads, columns, entries, layout, remark)


def _column_entries(
    results: StudyResults, table: pd.DataFrame, cell: str, metric: str
) -> dict[str, TableEntry]:
    """Return the entries of one dataset and metric, by title of the method."""
    lines = table[table["data_cell"] == cell].groupby("line", sort=False)
    published = results.published_values(metric)
    entries = {str(line): _entry(rows, metric, published) for line, rows in lines}
    # A metric without a score of any method does not suit the dataset
    if all(entry.failed == UNDEFINED for entry in entries.values()):
        return {line: entry._replace(failed=NONE) for line, entry in entries.items()}
    return entries


def _layout(
    results: StudyResults,
    table: pd.DataFrame,
    heads: Mapping[str, str],
    columns: Mapping[str, str],
    entries: Mapping[tuple[str, str], dict[str, TableEntry]],
) -> TableLayout:
    """Return the layout in which all titles and numbers have room, standard deviations if they fit.

    The table is as wide as it must be, but no narrower than a column of text.
    """
    names = max(style.text_width(line, style.TEXT) for line in table["line"].unique()) + 6
    names = max(NAMES, names)
    room = style.DOUBLE - names - 2
    # Longest number of each column, and room for published ones
    numbers, theirs = [], []
    for column in columns:
        longest, has_published = "0.000", False
        for head in heads:
            group = list(entries[head, column].values())
            metric = column if column in results.metrics else head
            decimals = _decimals(group, results.metrics[metric]["range"])
            texts = [f"{entry.mean:.{decimals}f}" for entry in group if not entry.failed]
            longest = max([longest, *texts], key=len)
            has_published |= any(np.isfinite(entry.published) for entry in group)
        numbers.append(longest)
        theirs.append((style.text_width(longest, style.TEXT) + APART) * has_published)
    # Widths that the columns need, with standard deviations and without
    means = [BOLD * style.text_width(number, style.TEXT) for number in numbers]
    narrow = [mean + part + APART for mean, part in zip(means, theirs, strict=True)]
    spreads = [style.text_width(f"{NO_BREAK}±{number}", style.SMALL) for number in numbers]
    wide = [width + sd for width, sd in zip(narrow, spreads, strict=True)]
    spread = sum(wide) <= room
    minimum = wide if spread else narrow
    # Room for the longest word of each title, and some space if there is any
    splits = [title.split() for title in columns.values()]
    words = [max(style.text_width(word, style.SMALL) for word in split) + 2 for split in splits]
    titled = [max(pair) for pair in zip(minimum, words, strict=True)]
    minimum = titled if sum(titled) <= room else minimum
    widths = [width + min((room - sum(minimum)) / len(minimum), SPARE) for width in minimum]
    total = max(style.SINGLE, names + sum(widths) + 2)
    edges = total - 2 - sum(widths) + np.cumsum(widths)
    return TableLayout(total, edges.tolist(), widths, theirs, spread)


def _draw(
    results: StudyResults,
    table: pd.DataFrame,
    heads: Mapping[str, str],
    columns: Mapping[str, str],
    entries: Mapping[tuple[str, str], dict[str, TableEntry]],
    layout: TableLayout,
    remark: str,
) -> Figure:
    """Draw the titles of the columns, the blocks, and a note that explains the numbers."""
    lines = {
        head: list(dict.fromkeys(line for column in columns for line in entries[head, column]))
        for head in heads
    }
    # Texts broken into lines, and the heights that they need
    statuses = {e.failed for column in entries.values() for e in column.values()} - {"", NONE}
    ranked = max(e.n_trials for column in entries.values() for e in column.values()) > 1
    note = _note(results, statuses, layout, ranked, remark)
    heights = [HEAD + LINE * len(block) + BETWEEN for block in lines.values()]
    wrapped = [
        "\n".join(style.wrap(piece, style.SMALL, width - 2) for piece in title.split(", "))
        for title, width in zip(columns.values(), layout.widths, strict=True)
    ]
    above = HEAD + 2.6 * max(title.count("\n") for title in wrapped)
    figure, top = style.titled_figure(layout.width, above + sum(heights), results.title, note)
    # Titles of the columns
    corner: dict[str, Any] = {"size": style.SMALL, "ha": "right", "va": "bottom"}
    for right, title in zip(layout.rights, wrapped, strict=True):
        style.add_text(figure, right, top + above - 1, title, **corner)
    top += above
    # Blocks, each below a rule and its heading
    for (head, title), height in zip(heads.items(), heights, strict=True):
        add_rule(figure, 2, layout.width - 2, top, style.LIGHT)
        style.add_text(figure, 2, top + 0.9, title, weight="bold")
        blocks = [entries[head, column] for column in columns]
        metrics = [column if column in results.metrics else head for column in columns]
        _draw_block(figure, results, table, lines[head], blocks, metrics, top, layout)
        top += height
    return figure


def _draw_block(
    figure: Figure,
    results: StudyResults,
    table: pd.DataFrame,
    lines: Sequence[str],
    columns: Sequence[dict[str, TableEntry]],
    metrics: Sequence[str],
    top: float,
    layout: TableLayout,
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
        group = list(column.values())
        facts = results.metrics[metric]
        decimals = _decimals(group, facts["range"])
        unranked = [controls[line] for line in column]
        ranks = _ranks(group, unranked, facts["direction"], decimals)
        right = layout.rights[j]
        ours = right - layout.theirs[j]
        for (line, entry), rank in zip(column.items(), ranks, strict=True):
            control = controls[line]
            _draw_entry(figure, entry, ours, tops[line], decimals, rank, control, layout.spread)
            if np.isfinite(entry.published):
                text = f"{entry.published:.{decimals}f}"
                look = {"color": style.GRAY, "ha": "right", "gid": "published"}
                style.add_text(figure, right, tops[line], text, **look)


def _draw_entry(
    figure: Figure,
    entry: TableEntry,
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
        look = {"size": style.SMALL, "color": style.GRAY, "gid": "failed"}
        style.add_text(figure, right, top, text, ha="right", **look)
        return
    # Mean, and standard deviation to its right
    text = f"{entry.mean:.{decimals}f}"
    has_spread = spreads and np.isfinite(entry.spread)
    spread = f"{NO_BREAK}±{entry.spread:.{decimals}f}" if has_spread else ""
    room = style.text_width(NO_BREAK + "±" + "0" * (decimals + 2), style.SMALL)
    end = right - room * bool(spread)
    color = style.GRAY if control else "black"
    weight = "bold" if rank == 0 else "normal"
    style.add_text(figure, end, top, text, ha="right", color=color, weight=weight, gid="score")
    if spread:
        style.add_text(figure, end, top + 0.35, spread, size=style.SMALL, color=style.GRAY)
    if rank == 1:
        add_rule(figure, end - style.text_width(text, style.TEXT), end, top + 2.75, "black")


def _entry(
    rows: pd.DataFrame, metric: str, published: Mapping[tuple[str, str, str], float]
) -> TableEntry:
    """Return a method's scores on a dataset, beside the published one."""
    scores = rows.loc[rows["ok"], metric].dropna()
    reason = ""
    if scores.empty:
        # The most common status; "undefined" where the trials succeeded and have no score
        status = rows["status"].mode()[0]
        succeeded = rows.loc[rows["status"] == status, "ok"].all()
        reason = UNDEFINED if succeeded else str(status).replace("_", " ")
    cell = rows.iloc[0]
    value = published.get((cell["data_cell"], cell["method"], cell["method_cell"]), np.nan)
    return TableEntry(scores.mean(), scores.std(), value, reason, len(rows))


def _ranks(
    entries: Sequence[TableEntry], controls: Sequence[bool], direction: str, decimals: int
) -> list[int]:
    """Return each entry's rank from 0; means that look equal share one, and a few have none.

    Controls, failures and all of single trials have no rank, which is the number of entries.
    """
    unranked = len(entries)
    if max(entry.n_trials for entry in entries) < 2:
        return [unranked] * unranked
    sign = -1.0 if direction == "higher" else 1.0
    values = np.array([sign * round(entry.mean, decimals) for entry in entries])
    values[[c or bool(e.failed) for e, c in zip(entries, controls, strict=True)]] = np.inf
    return [int((values < value).sum()) if np.isfinite(value) else unranked for value in values]


def _decimals(entries: Sequence[TableEntry], bounds: Sequence[float | None]) -> int:
    """Return the number of decimals that gives the smallest mean three digits."""
    means = [abs(entry.mean) for entry in entries if not entry.failed and entry.mean != 0]
    if None not in bounds or not means:
        return DECIMALS
    return int(np.clip(2 - np.floor(np.log10(min(means))), 0, 6))


def add_rule(figure: Figure, left: float, right: float, top: float, color: str) -> None:
    """Add a thin horizontal line; distances from the figure's edges in millimeters."""
    width, height = figure.get_size_inches() * 25.4
    ends, y = [left / width, right / width], 1 - top / height
    figure.add_artist(Line2D(ends, [y, y], color=color, linewidth=0.5))


def _initials(status: str) -> str:
    """Return the first letter of each word."""
    return "".join(word[0] for word in status.split())


def _note(
    results: StudyResults, statuses: Collection[str], layout: TableLayout, ranked: bool, remark: str
) -> str:
    """Return the sentences that explain the numbers."""
    if results.repeated:
        sentences = [f"Numbers: mean{' ± s.d.' if layout.spread else ''} of the trials."]
    else:
        sentences = ["Numbers: a single trial, not ranked."]
    sentences += ["Bold: best; underlined: second, by the digits shown."] if ranked else []
    sentences.append("↑ higher, ↓ lower is better.")
    if statuses and not layout.spread:
        initials = ", ".join(f"{_initials(text)}: {text}" for text in sorted(statuses))
        sentences.append(f"✕ {initials}.")
    sentences += ["Gray, right: published.", remark] if any(layout.theirs) else []
    sentences += ["Nothing is published for these cells."] if results.unpublished else []
    return " ".join(sentences).strip()
