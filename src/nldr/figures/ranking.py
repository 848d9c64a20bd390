"""Rankings of methods over datasets: matrix of all comparisons, and critical differences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from nldr.figures import style
from nldr.figures.results import StudyResults, left_out
from nldr.statistics.ranking import (
    SMALLEST_BLOCKS,
    Pairwise,
    Ranking,
    compare_all,
    groups_of_equals,
    rank_methods,
    smallest_p,
)

LEVEL = 0.05
BETTER, WORSE, TINT = "#0072B2", "#D55E00", 0.5  # colors of differences, and the strongest tint
# Matrix: height of a cell, of its lines, and of the heads of columns, mm
CELL, LINE, TOP = 9.0, 2.6, 14.0
# Diagram: distances of lines, room above the axis, gap between panels, mm
PITCH, BAR, AXIS, GAP = 4.2, 1.7, 6.0, 3.0


class Line(NamedTuple):
    """One line of a cell: its text, place from the top (share of the cell), size and id."""

    text: str
    height: float
    size: float
    gid: str | None = None


class Scores(NamedTuple):
    """Means of all methods on all datasets, arrays of shape (n_datasets, n_methods).

    Where a run failed, ``penalized`` has the worst value, ``unpenalized`` has NaN.
    ``solved`` is the number of datasets on which all runs of a method succeeded, in words.
    """

    methods: list[str]
    solved: list[str]
    penalized: NDArray
    unpenalized: NDArray
    direction: str


@style.journal()
def comparison_matrix(results: StudyResults, *, metric: str | None = None) -> Figure:
    """Draw the difference between each pair of methods over the datasets.

    Methods are ordered by their mean. A cell has the mean difference, the method of the row minus
    that of the column, the numbers of datasets on which it wins, ties and loses, and the p-value of
    Wilcoxon's signed rank test, corrected by Holm's procedure. Above the diagonal, a failed run has
    the worst value of the metric's range, or where there is none the worst on its dataset; below,
    only datasets count on which all runs of both methods succeeded. Controls are left out. Where
    many methods leave no room for them, columns are headed by numbers and cells lack p-values.

    Parameters
    ----------
    metric : str, optional
        A metric of the study; by default the first.

    Returns
    -------
    Figure
        The matrix; a sentence in its place if there are fewer than 2 methods or 2 datasets with
        scores.

    References
    ----------
    A. Ismail-Fawaz et al., An approach to multiple comparison benchmark evaluations that is stable
    under manipulation of the comparate set, arXiv 2305.11921 (2023).
    """
    metric = metric or next(iter(results.metrics))
    try:
        scores = read_scores(results, metric)
    except ValueError as error:
        return _refused(results.title, f"{error}.")
    # Above the diagonal failed runs are penalized, below they are left out.
    higher = scores.direction == "higher"
    above, below = (compare_all(s, higher) for s in (scores.penalized, scores.unpenalized))
    n = len(scores.methods)
    names = heads = scores.methods
    is_narrow = _column_width(names) < style.text_width("p = 0.000", style.SMALL)
    if is_narrow:
        heads = [str(i) for i in range(1, n + 1)]
        names = [f"{head}  {name}" for head, name in zip(heads, names, strict=True)]
    width = _column_width(names)
    start = style.DOUBLE - 2 - width * n
    heads = [style.wrap(text, style.SMALL, width - 1) for text in heads]
    top = 3 + LINE * max(head.count("\n") + 1 for head in heads)
    note = _matrix_note(results, metric, scores, is_narrow)
    figure, head = style.titled_figure(style.DOUBLE, top + CELL * n + 1, results.title, note)
    axes = style.add_axes(figure, start, head + top, width * n, CELL * n)
    axes.set(xlim=(0, n), ylim=(n, 0))
    axes.axis("off")
    # Heads of rows and columns
    for i, name in enumerate(names):
        y = head + top + i * CELL + 0.6
        style.add_text(figure, 2, y, name)
        mean = f"mean {np.nanmean(scores.penalized[:, i]):.3f}\nsolved {scores.solved[i]}"
        style.add_text(figure, 2, y + 2.9, mean, size=style.SMALL, color=style.GRAY)
        x, look = start + (i + 0.5) * width, {"size": style.SMALL, "ha": "center", "va": "bottom"}
        style.add_text(figure, x, head + top - 1, heads[i], **look)
    # Cells, tinted by the size of the difference
    sizes = np.abs(np.stack([above.difference, below.difference]))
    largest = np.max(sizes, initial=0.0, where=np.isfinite(sizes))
    for i in range(n):
        for j in range(n):
            if i == j:
                axes.add_patch(Rectangle((j, i), 1, 1, facecolor="#E6E6E6", linewidth=0))
            else:
                pairs = above if j > i else below
                lines = _narrow_lines(pairs, i, j) if is_narrow else _lines(pairs, i, j)
                _draw_cell(axes, pairs, (i, j), lines, largest, higher)
    return figure


def read_scores(results: StudyResults, metric: str) -> Scores:
    """Return the means of all methods but controls, in order of their penalized means.

    Raises
    ------
    ValueError
        If there are fewer than 2 methods or 2 datasets with scores.
    """
    facts = results.metrics[metric]
    higher = facts["direction"] == "higher"
    table = results.table.assign(line=results.method_titles(["method.n_components"]))
    table = table[table["method"].map(lambda name: results.roles.get(name) != "control")]
    table = table.assign(value=table[metric].where(table["ok"]))
    n_scores = table.groupby("data_cell")["value"].transform("count")
    table = table[n_scores > 0]
    if table["data_cell"].nunique() < 2 or table["line"].nunique() < 2:
        raise ValueError(
            "Methods cannot be compared: this needs at least 2 datasets and 2 methods, and "
            f"{facts['title']} is known for {table['data_cell'].nunique()} and "
            f"{table['line'].nunique()} of them"
        )
    # Penalty of a failed run
    end = facts["range"][0 if higher else 1]
    worst = table.groupby("data_cell")["value"].transform("min" if higher else "max")
    table = table.assign(penalized=table["value"].fillna(worst if end is None else end))
    cells = table.groupby(["data_cell", "line"], sort=False)
    penalized = cells["penalized"].mean().unstack()
    solved = cells["value"].mean().where(cells["value"].count() == cells.size()).unstack()
    order = penalized.mean().sort_values(ascending=not higher, kind="stable").index
    counts = [f"{solved[m].notna().sum()} of {penalized[m].notna().sum()}" for m in order]
    return Scores(
        [*order], counts, penalized[order].to_numpy(), solved[order].to_numpy(), facts["direction"]
    )


def _refused(title: str, reason: str) -> Figure:
    """Return a figure that says why there is nothing to draw."""
    text = style.wrap(reason, style.TEXT, style.DOUBLE - 4)
    height = 3.4 * (text.count("\n") + 1) + 2
    figure, top = style.titled_figure(style.DOUBLE, height, title, "Nothing is compared.")
    style.add_text(figure, 2, top, text)
    return figure


def _column_width(names: Sequence[str]) -> float:
    """Return the width that the names of the rows leave to each column, mm."""
    longest = max(style.text_width(name, style.TEXT) for name in names)
    longest = max(longest, style.text_width("solved 00 of 00", style.SMALL))
    return (style.DOUBLE - longest - 7) / len(names)


def _lines(pairs: Pairwise, i: int, j: int) -> list[Line]:
    """Return the difference, wins and p-value of a comparison."""
    wins = f"{pairs.wins[i, j]}/{pairs.ties[i, j]}/{pairs.losses[i, j]}"
    return [
        Line(_signed(pairs.difference[i, j]), 0.22, style.TEXT, "difference"),
        Line(wins, 0.51, style.SMALL),
        Line(_p_text(pairs.p_values[i, j]), 0.80, style.SMALL),
    ]


def _narrow_lines(pairs: Pairwise, i: int, j: int) -> list[Line]:
    """Return the difference without the zero before its point, and wins and losses."""
    difference = re.sub(r"(?<=\W)0\.", ".", _signed(pairs.difference[i, j]))
    return [
        Line(difference, 0.33, style.SMALL, "difference"),
        Line(f"{pairs.wins[i, j]}/{pairs.losses[i, j]}", 0.67, style.SMALL),
    ]


def _draw_cell(
    axes: Axes,
    pairs: Pairwise,
    place: tuple[int, int],
    lines: Sequence[Line],
    largest: float,
    higher: bool,
) -> None:
    """Draw one comparison, bold if it is significant."""
    i, j = place
    difference = pairs.difference[place]
    look: dict[str, Any] = {"ha": "center", "va": "center"}
    if not np.isfinite(difference):
        axes.text(j + 0.5, i + 0.5, "none", **look, size=style.SMALL, color=style.GRAY)
        return
    is_better = (difference > 0) == higher
    amount = TINT * abs(difference) / largest if largest else 0.0
    color = 1 - amount * (1 - np.array(to_rgb(BETTER if is_better else WORSE)))
    axes.add_patch(Rectangle((j, i), 1, 1, facecolor=color, edgecolor="white", linewidth=0.8))
    look["weight"] = "bold" if pairs.p_values[place] <= LEVEL else "normal"
    for line in lines:
        axes.text(j + 0.5, i + line.height, line.text, **look, size=line.size, gid=line.gid)


def _signed(value: float) -> str:
    """Return a difference with its sign."""
    return f"{value:+.3f}".replace("-", "−")


def _p_text(p: float) -> str:
    """Return a p-value."""
    if not np.isfinite(p):
        return "p –"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.0995 else f"p = {p:.2f}"


def _matrix_note(results: StudyResults, metric: str, scores: Scores, is_narrow: bool) -> str:
    """Return the sentences that explain the matrix."""
    n_datasets, n = scores.penalized.shape
    title = results.metrics[metric]["title"]
    controls = [t for name, t in results.methods.items() if results.roles.get(name) == "control"]
    test = "Wilcoxon's signed rank test with Holm's correction"
    if is_narrow:
        cells = f"wins/loses; bold: p ≤ {LEVEL} by {test}"
    elif n_datasets < SMALLEST_BLOCKS:
        cells = f"wins/ties/loses; no p-values below {SMALLEST_BLOCKS} datasets"
    else:
        cells = f"wins/ties/loses; p-value of {test}, bold up to {LEVEL}, a dash below 6 datasets"
    sentences = [
        f"{title[0].upper()}{title[1:]} ({scores.direction} is better), "
        f"{n_datasets} datasets. Cells: mean difference, row minus column; datasets that "
        f"the row {cells}. Blue: the row is better; "
        "orange: worse. Above the diagonal, and in the means, a failed run has the "
        f"{_penalty(results, metric)}; below it, only datasets that both methods solved count.",
        left_out(controls, "controls"),
    ]
    return " ".join(filter(None, [*sentences, *_too_few(n_datasets, n)]))


def _penalty(results: StudyResults, metric: str) -> str:
    """Return the value that a failed run has, in words."""
    facts = results.metrics[metric]
    end = facts["range"][0 if facts["direction"] == "higher" else 1]
    return "worst value on its dataset" if end is None else f"worst value ({end:g})"


def _too_few(n_datasets: int, n_methods: int) -> list[str]:
    """Return a warning if no difference can be significant."""
    smallest = smallest_p(n_datasets, n_methods * (n_methods - 1) // 2)
    if smallest <= LEVEL:
        return []
    return [
        f"No difference between {n_methods} methods can be significant with {n_datasets} "
        f"datasets: the smallest possible p-value is {smallest:.2g}."
    ]


@style.journal()
def critical_difference(results: StudyResults, *, metric: str | None = None) -> Figure:
    """Draw the mean ranks of the methods, with bars that join those that do not differ.

    A bar joins methods of which no pair differs by Wilcoxon's signed rank test, corrected by Holm's
    procedure. The upper diagram ranks over all datasets, on which a failed run has the worst value;
    the lower one over those that all methods solved, or says why there is none. Controls are left
    out.

    Parameters
    ----------
    metric : str, optional
        A metric of the study; by default the first.

    Returns
    -------
    Figure
        Two diagrams; a sentence in the place of one that has fewer than 3 methods or 6 datasets.

    References
    ----------
    J. Demšar, Statistical comparisons of classifiers over multiple data sets, JMLR 7 (2006).
    """
    metric = metric or next(iter(results.metrics))
    try:
        scores = read_scores(results, metric)
    except ValueError as error:
        return _refused(results.title, f"{error}.")
    n_datasets, n = scores.penalized.shape
    everywhere = np.isfinite(scores.penalized).all(axis=1)
    solved = np.isfinite(scores.unpenalized).all(axis=1)
    title = f"All {n_datasets} datasets, failed runs have the {_penalty(results, metric)}"
    panels = [
        (title, scores.penalized[everywhere]),
        (f"The {solved.sum()} datasets that all methods solved", scores.unpenalized[solved]),
    ]
    rankings = [_rank(table, scores.direction == "higher") for _, table in panels]
    heights = [2.0 if isinstance(r, str) else _height(r, n) for r in rankings]
    note = (
        f"Metric: {results.metrics[metric]['title']} ({scores.direction} is better). Mean rank of "
        "each method, 1 is best. Bars join methods that do not differ significantly (Wilcoxon's "
        f"signed rank test, Holm's correction, level {LEVEL}). " + " ".join(_too_few(n_datasets, n))
    ).strip()
    total = sum(heights) + len(panels) * (GAP + 3)
    figure, top = style.titled_figure(style.DOUBLE, total, results.title, note)
    for (title, _), ranking, height in zip(panels, rankings, heights, strict=True):
        if isinstance(ranking, str):
            style.add_text(figure, 2, top, f"{title}: {ranking}")
        else:
            p = _p_text(ranking.p_value)
            style.add_text(figure, 2, top, f"{title}; Friedman's test that all are equal: {p}")
            axes = style.add_axes(figure, 45, top + 3 + AXIS, style.DOUBLE - 90, height - AXIS)
            _draw_ranks(axes, ranking, scores.methods, height - AXIS)
        top += height + GAP + 3
    return figure


def _rank(scores: NDArray, higher: bool) -> Ranking | str:
    """Return the ranking of the methods, or why there is none."""
    try:
        return rank_methods(scores, higher)
    except ValueError:
        needs = f"at least {SMALLEST_BLOCKS} datasets and 3 methods"
        return f"no ranking, as Friedman's test needs {needs}."


def _height(ranking: Ranking, n: int) -> float:
    """Return the height of a diagram: axis, bars, and the names on both sides."""
    n_bars = len(groups_of_equals(ranking.ranks, ranking.p_pairs))
    return AXIS + BAR * n_bars + 3 + PITCH * -(-n // 2)


def _draw_ranks(axes: Axes, ranking: Ranking, methods: Sequence[str], height: float) -> None:
    """Draw the axis of ranks, bars of methods that do not differ, and names on both sides."""
    n = len(methods)
    axes.set(xlim=(1, n), ylim=(height, 0))
    axes.spines[["left", "bottom", "right"]].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.xaxis.tick_top()
    axes.set(xticks=range(1, n + 1), yticks=[])
    # Bars below the axis, then one level for each name
    groups = groups_of_equals(ranking.ranks, ranking.p_pairs)
    for k, group in enumerate(groups):
        ends = ranking.ranks[group[0]], ranking.ranks[group[-1]]
        bar: dict[str, Any] = {"color": "black", "linewidth": 2.2, "solid_capstyle": "butt"}
        axes.plot(ends, [BAR * (k + 0.9)] * 2, **bar, gid="group")
    order = np.argsort(ranking.ranks, kind="stable")
    half = -(-n // 2)
    for place, i in enumerate(order):
        on_left = place < half
        row = place if on_left else n - 1 - place
        y = BAR * len(groups) + 3 + PITCH * row
        rank, end = ranking.ranks[i], 1.0 if on_left else float(n)
        axes.plot([rank, rank, end], [0, y, y], color=style.GRAY, linewidth=0.6, clip_on=False)
        text = f"{methods[i]}  {rank:.2f}" if on_left else f"{rank:.2f}  {methods[i]}"
        dx, align = (-3, "right") if on_left else (3, "left")
        look: dict[str, Any] = {"textcoords": "offset points", "va": "center", "ha": align}
        axes.annotate(text, (end, y), xytext=(dx, 0), gid="method", **look)
