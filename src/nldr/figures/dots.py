"""Scores as dots, ours and published: one row per method, one block per dataset."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from nldr.costs import COSTS
from nldr.figures import style
from nldr.figures.axes import plain, score_text, set_log_ticks
from nldr.figures.curves import axis_label, bounds_of, summarize
from nldr.figures.results import CELL, NO_BREAK, StudyResults

UNTITLED = "method.n_components"  # left out of titles where a method has one number
# Distance of rows, gap between blocks, room for a line of a heading, under headings, below and for
# the key; gap between columns, and room to the right, mm
PITCH, GAP, LINE, UNDER, BELOW, KEY, BETWEEN, RIGHT = 3.4, 6.5, 3.0, 6.0, 5.5, 5.0, 5.0, 1.5
NARROWEST = 2.0  # column, mm


@style.journal()
def dots(results: StudyResults, *, metrics: Sequence[str] | None = None) -> Figure:
    """Draw each method's mean on each dataset, with a bar of its 95 % interval.

    Costs are medians with bars from the first to the third quartile, on a logarithmic axis.
    Published values are rings; a method that failed has a cross at the left edge, and one for which
    the metric is not defined has no mark. Numbers to the right are ours, and in gray the published
    ones.

    Parameters
    ----------
    metrics : sequence of str, optional
        Metrics of the study, or ``seconds`` (CPU seconds unless each run had no other job of
        the build beside it), ``cpu_seconds``, ``peak_mb``; by default all metrics of the study.

    Returns
    -------
    Figure
        One column per metric, one block of rows per dataset.

    Raises
    ------
    ValueError
        If a metric is unknown, or there are more than fit side by side.
    """
    # Contents and size of the blocks
    metrics = list(metrics or results.metrics)
    points = {m: _titled(summarize(results, m, UNTITLED)) for m in metrics}
    blocks = points[metrics[0]].groupby("row", sort=False)["line"].unique()
    lines = dict.fromkeys(line for block in blocks for line in block)
    left = max(style.text_width(line, style.TEXT) for line in lines) + 5
    published = {m: _published_values(results, m) for m in metrics}
    # Room for numbers, ours and published
    values = {m: [*points[m]["center"].dropna(), *published[m].values()] for m in metrics}
    texts = [score_text(value, bounds_of(results, m)) for m in metrics for value in values[m]]
    digits = max((style.text_width(text, style.SMALL) for text in texts), default=0.0) + 1.5
    number = digits * (2 if any(published.values()) else 1)
    width = (style.DOUBLE - RIGHT - left + BETWEEN) / len(metrics) - BETWEEN - number
    if width < NARROWEST:
        example = ", ".join(metrics[:3])
        problem = f"{len(metrics)} metrics do not fit side by side"
        raise ValueError(f"{problem}: choose some, as by params: {{metrics: [{example}]}}")
    heights = [PITCH * len(block) for block in blocks]
    key = KEY if any(published.values()) else 0.0
    headings = [_heading(results, m, metrics, width + number + 2) for m in metrics]
    above = LINE * max(heading.count("\n") + 1 for heading in headings) + UNDER
    total = above + sum(heights) + GAP * (len(blocks) - 1) + BELOW + key
    note = _note(results, points, any(published.values()))
    figure, head = style.titled_figure(style.DOUBLE, total, results.title, note)
    # One column of axes per metric, which share their horizontal axis
    for j, metric in enumerate(metrics):
        x, top = left + j * (width + number + BETWEEN), head + above
        first: Axes | None = None
        style.add_text(figure, x, head, headings[j])
        for (row, block), height in zip(blocks.items(), heights, strict=True):
            axes = style.add_axes(figure, x, top, width, height)
            if first is not None:
                axes.sharex(first)
            first = first or axes
            frame = points[metric][points[metric]["row"] == row].set_index("line")
            contents = frame.loc[block], published[metric]
            _draw_block(axes, results, *contents)
            _write_numbers(axes, results, metric, *contents, digits / width)
            if j == 0:
                axes.set_yticks(range(len(block)), block)
                style.add_text(figure, 2, top - 4, str(row), weight="bold")
            axes.tick_params(labelbottom=top + height + GAP > head + total - BELOW - key)
            top += height + GAP
        # Scale and ticks
        if first is not None:
            _set_ticks(first, width, log=metric in COSTS)
    if key:
        _key(figure)
    return figure


def _titled(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the number of dimensions ``x`` to the title of a method that has several on a dataset."""
    several = frame.groupby(["row", "line"])["x"].transform("nunique") > 1
    longer = frame["line"] + frame["x"].map(", {:g} dimensions".format)
    return frame.assign(line=frame["line"].where(~several, longer))


def _set_ticks(axes: Axes, width: float, log: bool) -> None:
    """Set as many ticks on a horizontal axis as its numbers have room for, at most four."""
    # Costs may all be zero, such as times that are shorter than the clock can tell
    data = [other.dataLim for other in axes.get_shared_x_axes().get_siblings(axes)]
    log = log and max(box.x1 for box in data) != 0
    axes.set_xscale("log" if log else "linear")
    for n, multiples in ((4, (1, 2, 5)), (3, (1, 3)), (2, (1,)), (1, (1,))):
        axes.xaxis.set_major_locator(LogLocator(numticks=n) if log else MaxNLocator(n))
        if log:
            set_log_ticks(axes.xaxis, multiples, min(n, 3))
        # Places as fractions of the axis; Matplotlib also shows a tick right beyond its ends.
        ticks = np.asarray(axes.get_xticks())
        to_fractions = axes.transScale + axes.transLimits
        places = to_fractions.transform(np.column_stack([ticks, np.ones_like(ticks)]))[:, 0]
        visible = (places > -0.01) & (places < 1.01)
        texts = axes.xaxis.get_major_formatter().format_ticks(ticks[visible].tolist())
        rooms = np.array([style.text_width(plain(text), style.SMALL) + 1.5 for text in texts])
        if (np.diff(places[visible]) * width >= (rooms[1:] + rooms[:-1]) / 2).all():
            return
    # No locator leaves enough room: every other number
    axes.set_xticks(ticks[visible][::2])


def _heading(results: StudyResults, metric: str, names: Sequence[str], width: float) -> str:
    """Return a column's heading with an arrow to better values, in lines of at most ``width`` mm.

    Metrics with the same label get the end of their titles, which differs.
    """
    text = axis_label(results, metric, "label")
    labels = [results.metrics[name]["label"] for name in names if name in results.metrics]
    if metric in results.metrics and labels.count(results.metrics[metric]["label"]) > 1:
        end = results.metrics[metric]["title"].rpartition(", ")[2]
        text = f"{text[:-2]}, {end} {text[-1]}"
    for arrow in "↑↓":
        text = text.replace(f" {arrow}", NO_BREAK + arrow)
    return style.wrap(text, style.TEXT, width)


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
        look = results.looks[point.method]
        published_value = published.get((point.row, point.Index))
        if published_value is not None:
            ring: dict[str, Any] = {"markerfacecolor": "white", "markersize": 6}
            axes.plot(published_value, y, "o", color=look.color, **ring, gid="published")
        # A cross for a failure, else our value with its bar, if the metric is defined
        if not point.n_ok:
            cross: dict[str, Any] = {"markersize": 4, "transform": axes.get_yaxis_transform()}
            axes.plot(0.03, y, "x", color=look.color, **cross, gid="failed")
        if pd.isna(point.center):
            continue
        axes.plot([point.low, point.high], [y, y], color=look.color, linewidth=0.9)
        axes.plot(point.center, y, **_mark(look), gid="ours")


def _mark(look: style.MethodStyle) -> dict[str, Any]:
    """Return the marker of a method; a control has a gray dot."""
    line = look.line()
    larger = {"marker": look.marker or "o", "markersize": 1.2 * line["markersize"]}
    return {**line, **larger, "linestyle": "", "zorder": 3}


def _write_numbers(
    axes: Axes,
    results: StudyResults,
    metric: str,
    frame: pd.DataFrame,
    published: Mapping[tuple[str, str], float],
    column: float,
) -> None:
    """Write our values, and in gray the published ones, in columns to the right of the dots."""
    text: dict[str, Any] = {"size": style.SMALL, "ha": "right", "va": "center_baseline"}
    text["transform"] = axes.get_yaxis_transform()
    for y, point in enumerate(frame.itertuples()):
        published_value = published.get((point.row, point.Index), np.nan)
        colored = ((point.center, "black"), (published_value, style.GRAY))
        for i, (value, color) in enumerate(colored):
            if np.isfinite(value):
                number = score_text(value, bounds_of(results, metric))
                axes.text(1 + column * (i + 1), y, number, color=color, gid="number", **text)


def _published_values(results: StudyResults, metric: str) -> dict[tuple[str, str], float]:
    """Return the published values by the titles of dataset and method."""
    values = results.published_values(metric)
    cells = results.table.assign(
        row=results.data_titles([UNTITLED]),
        line=results.method_titles([UNTITLED]),
        x=pd.to_numeric(results.table[UNTITLED], errors="coerce"),
    )
    cells = _titled(cells)
    keys = cells[CELL].itertuples(index=False, name=None)
    titles = zip(cells["row"], cells["line"], strict=True)
    return {title: values[key] for title, key in zip(titles, keys, strict=True) if key in values}


def _key(figure: Figure) -> None:
    """Draw a legend of dots and rings at the lower edge."""
    look: dict[str, Any] = {"marker": "o", "color": "black"}
    ring: dict[str, Any] = {"markerfacecolor": "white", "markersize": 6, "linestyle": ""}
    ours = Line2D([], [], **look, markersize=3.2, linewidth=0.9, label="ours")
    style.add_key(figure, [ours, Line2D([], [], **look, **ring, label="published")])


def _note(results: StudyResults, points: Mapping[str, pd.DataFrame], published: bool) -> str:
    """Return the sentences that explain dots, bars, numbers and abbreviated metrics."""
    bars = any(frame["low"].notna().any() for frame in points.values())
    scores, costs = (any((m in COSTS) == cost for m in points) for cost in (False, True))
    sentences = [] if bars else ["Dots: single trials, without bars."]
    if bars and scores:
        sentences.append("Scores: mean and 95 % interval, within the metric's range.")
    if bars and costs:
        sentences.append("Costs: median and quartiles (bars).")
    if not results.table["ok"].all():
        sentences.append("✕: failed.")
    sentences += ["Numbers: ours, then published (gray)."] if published else []
    sentences += ["Nothing is published for these cells."] if results.unpublished else []
    # Metrics whose headings are short for something
    facts = [results.metrics[metric] for metric in points if metric in results.metrics]
    names = [(m["label"], m["title"]) for m in facts if m["title"] != m["label"]]
    short = [
        title if _words(label) <= _words(title) else f"{label}: {title}" for label, title in names
    ]
    sentences += [f"Metrics: {'; '.join(dict.fromkeys(short))}."] if short else []
    return " ".join([*sentences, results.clock_note(points)]).strip()


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))
