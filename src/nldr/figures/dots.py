"""Scores as dots, ours and published: one row per method, one block per dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from nldr.costs import COSTS
from nldr.figures import style
from nldr.figures.curves import axis_label, summarize
from nldr.figures.panels import set_log_ticks
from nldr.figures.results import CELL, StudyResults

UNTITLED = "method.n_components"  # left out of titles
# Distance of rows, gap between blocks, room above, below and for the key; right margin, gap between
# columns, mm
PITCH, GAP, ABOVE, BELOW, KEY, MARGIN, BETWEEN = 3.4, 6.5, 9.0, 5.5, 5.0, 4.0, 6.5


@style.journal()
def dots(results: StudyResults, *, metrics: Sequence[str] | None = None) -> Figure:
    """Draw each method's mean on each dataset, with bars of one standard deviation.

    Costs are medians with bars from the first to the third quartile, on a logarithmic axis.
    Published values are open circles; a method that failed has a cross at the left edge.

    Parameters
    ----------
    results : StudyResults
        The study's results.
    metrics : sequence of str, optional
        Metrics of the study, or ``seconds``, ``cpu_seconds``, ``peak_mb``; by default all metrics
        of the study.

    Returns
    -------
    Figure
        One column per metric, one block of rows per dataset.

    Raises
    ------
    ValueError
        If a metric is unknown.

    Examples
    --------
    >>> table = pd.DataFrame({
    ...     "dataset": "d", "data_cell": "d", "method": ["a", "b"], "method_cell": ["a", "b"],
    ...     "trial": 0, "ok": True, "r2": [0.9, 0.8], "method.n_components": 2})
    >>> results = StudyResults(
    ...     title="A table", methods={"a": "A", "b": "B"}, datasets={"d": "D"}, roles={},
    ...     looks={"a": style.look("#D55E00", "o"), "b": style.look("#000000", "v")},
    ...     metrics={"r2": {"label": "R²", "title": "R²", "range": [0, 1], "direction": "higher"}},
    ...     table=table, timings=table, published=None, panel=None)
    >>> axes = dots(results).axes[0]
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['A', 'B']
    """
    # Contents and size of the blocks
    metrics = list(metrics or results.metrics)
    points = {m: summarize(results, m, UNTITLED) for m in metrics}
    blocks = points[metrics[0]].groupby("row", sort=False)["line"].unique()
    lines = dict.fromkeys(line for block in blocks for line in block)
    left = max(style.text_width(line, style.TEXT) for line in lines) + 5
    width = (style.DOUBLE - left - MARGIN - (len(metrics) - 1) * BETWEEN) / len(metrics)
    heights = [PITCH * len(block) for block in blocks]
    total = ABOVE + sum(heights) + GAP * (len(blocks) - 1) + BELOW + KEY
    figure, head = style.titled_figure(style.DOUBLE, total, results.title)
    # One column of axes per metric, which share their horizontal axis
    for j, metric in enumerate(metrics):
        x, top = left + j * (width + BETWEEN), head + ABOVE
        first: Axes | None = None
        style.add_text(figure, x, head, _heading(results, metric, metrics))
        published = _published_values(results, metric)
        for (row, block), height in zip(blocks.items(), heights, strict=True):
            axes = style.add_axes(figure, x, top, width, height)
            if first is not None:
                axes.sharex(first)
            first = first or axes
            frame = points[metric][points[metric]["row"] == row].set_index("line")
            _draw_block(axes, results, frame.loc[block], published)
            if j == 0:
                axes.set_yticks(range(len(block)), block)
                style.add_text(figure, 2, top - 4, str(row), weight="bold")
            axes.tick_params(labelbottom=top + height + GAP > head + total - BELOW - KEY)
            top += height + GAP
        # Scale and ticks
        if metric in COSTS and first is not None:
            first.set_xscale("log")
            first.xaxis.set_major_locator(LogLocator(numticks=4))
            set_log_ticks(first.xaxis)
        elif first is not None:
            first.xaxis.set_major_locator(MaxNLocator(3))
    _key(figure, results, head + total)
    return figure


def _heading(results: StudyResults, metric: str, shown: Sequence[str]) -> str:
    """Return a column's heading, with an arrow to better values.

    Shown metrics with the same label get the end of their titles, which tells them apart.
    """
    label = axis_label(results, metric)
    if metric not in results.metrics:
        return label
    own = results.metrics[metric]
    labels = [results.metrics[name]["label"] for name in shown if name in results.metrics]
    if labels.count(own["label"]) > 1:
        return f"{own['label']}, {own['title'].rpartition(', ')[2]} {label[-1]}"
    return f"{own['label']} {label[-1]}"


def _draw_block(
    axes: Axes,
    results: StudyResults,
    frame: pd.DataFrame,
    published: Mapping[tuple[str, str], float],
) -> None:
    """Draw the dots of one dataset and metric."""
    # One labeled grid line per method
    axes.set_ylim(len(frame) - 0.4, -0.6)
    axes.set_yticks(range(len(frame)), [""] * len(frame))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", linewidth=0.3, color=style.GRAY, alpha=0.5)
    for y, point in enumerate(frame.itertuples()):
        # Published value
        color = results.looks[point.method].color
        theirs = published.get((point.row, point.Index))
        if theirs is not None:
            axes.plot(theirs, y, "o", color=color, markerfacecolor="white", markersize=5)
        # A cross for a failure, else our value with its bar
        if pd.isna(point.center):
            left_edge = axes.get_yaxis_transform()
            axes.plot(0.03, y, "x", color=color, transform=left_edge, markersize=4)
            continue
        axes.plot([point.low, point.high], [y, y], color=color, linewidth=0.9)
        axes.plot(point.center, y, "o", color=color, markersize=3.2)


def _published_values(results: StudyResults, metric: str) -> dict[tuple[str, str], float]:
    """Return the published values by the titles of dataset and method."""
    values = results.published_values(metric)
    cells = results.table.assign(
        row=results.data_titles([UNTITLED]), line=results.method_titles([UNTITLED])
    )
    keys = cells[CELL].itertuples(index=False, name=None)
    titles = zip(cells["row"], cells["line"], strict=True)
    return {title: values[key] for title, key in zip(titles, keys, strict=True) if key in values}


def _key(figure: Figure, results: StudyResults, bottom: float) -> None:
    """Draw a legend of dots, circles and crosses."""
    marks = [Line2D([], [], marker="o", color="black", markersize=3.2, linewidth=0.9, label="ours")]
    faces = [line.get_markerfacecolor() for axes in figure.axes for line in axes.lines]
    if "white" in faces:
        marks.append(
            Line2D([], [], marker="o", color="black", markerfacecolor="white", markersize=5,
                   linestyle="", label="published")
        )  # fmt: skip
    if not results.table["ok"].all():
        marks.append(
            Line2D([], [], marker="x", color="black", markersize=4, linestyle="", label="failed")
        )
    # Legend at the lower edge
    height = figure.get_size_inches()[1] * 25.4
    figure.legend(
        handles=marks, loc="lower left", bbox_to_anchor=(0.005, (height - bottom + 0.5) / height),
        ncols=3, frameon=False,
    )  # fmt: skip
