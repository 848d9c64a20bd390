"""Differences that one parameter makes: values minus a reference, paired by trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from scipy.special import stdtrit

from nldr.figures import style
from nldr.figures.results import StudyResults

UNTITLED = "method.n_components"  # left out of titles
# Distance of rows, gap between blocks, room above and below, right margin, gap of columns, mm
PITCH, GAP, ABOVE, BELOW, MARGIN, BETWEEN = 3.0, 6.0, 9.0, 9.0, 4.0, 6.0
CONFIDENCE = 0.95
OVERALL = "Mean over all settings"


@style.journal()
def differences(
    results: StudyResults, *, parameter: str, reference: Any, metrics: Sequence[str] | None = None
) -> Figure:
    """Draw the change of each metric when a parameter differs from a reference value.

    A trial with a value of the parameter is paired with the same trial with the reference value,
    all other parameters being equal: they share data and random numbers. Dots are means over the
    pairs, bars are 95 % confidence intervals by Student's t. The last row is the mean over all
    settings; the note says how many intervals exclude 0.

    Parameters
    ----------
    parameter : str
        Column of the parameter, ``method.<name>`` or ``data.<name>``.
    reference : Any
        Its value to compare with.
    metrics : sequence of str, optional
        Metrics of the study; by default all.

    Returns
    -------
    Figure
        One column per metric, one block of rows per dataset, one row per setting.

    Raises
    ------
    ValueError
        If the study lacks the parameter, or no trial has the reference value or another one.
    """
    metrics = list(results.metrics if metrics is None else metrics)
    frames = [paired(results, m, parameter, reference).assign(metric=m) for m in metrics]
    pairs = pd.concat(frames, ignore_index=True)
    note = _note(pairs, reference)
    pairs = pd.concat([pairs, _overall(pairs)], ignore_index=True)
    values = list(dict.fromkeys(pairs["value"]))
    blocks = pairs.groupby("row", sort=False)["line"].unique()
    # Size of the figure
    texts = [*dict.fromkeys(pairs["line"])]
    left = max(style.text_width(text, style.SMALL) for text in texts) + 5
    width = (style.DOUBLE - left - MARGIN - (len(metrics) - 1) * BETWEEN) / len(metrics)
    heights = [PITCH * len(block) for block in blocks]
    body = ABOVE + sum(heights) + GAP * (len(blocks) - 1) + BELOW
    figure, head = style.titled_figure(style.DOUBLE, body, results.title, note)
    # One column of axes per metric, which share their horizontal axis
    for j, metric in enumerate(metrics):
        x, top = left + j * (width + BETWEEN), head + ABOVE
        facts = results.metrics[metric]
        better = "right" if facts["direction"] == "higher" else "left"
        heading = f"{facts['title']} (better to the {better})"
        style.add_text(figure, x, head, style.wrap(heading, style.TEXT, width))
        first: Axes | None = None
        for i, ((row, block), height) in enumerate(zip(blocks.items(), heights, strict=True)):
            axes = style.add_axes(figure, x, top, width, height)
            if first is not None:
                axes.sharex(first)
            first = first or axes
            subset = pairs[(pairs["metric"] == metric) & (pairs["row"] == row)]
            _draw_block(axes, subset, list(block), values)
            if j == 0:
                axes.set_yticks(range(len(block)), block)
                style.add_text(figure, 2, top - 4, str(row), weight="bold")
            axes.tick_params(labelbottom=i == len(blocks) - 1)
            top += height + GAP
        if first is not None:
            first.xaxis.set_major_locator(MaxNLocator(4))
    if len(values) > 1:
        _draw_key(figure, values, reference)
    return figure


def paired(results: StudyResults, metric: str, parameter: str, reference: Any) -> pd.DataFrame:
    """Return the difference from the reference value for each trial, setting and other value.

    Returns
    -------
    DataFrame
        ``row`` and ``line``, the titles of dataset and setting; ``value`` of the parameter,
        ``trial`` and ``difference``, NaN where one of the two trials has no score.

    Raises
    ------
    ValueError
        If the study lacks the parameter, or no trial has the reference value or another one.
    """
    table = results.table
    if parameter not in table:
        raise ValueError(f"parameter '{parameter}' is not a column of the study's table")
    table = table.assign(
        row=results.data_titles([parameter]),
        line=results.method_titles([parameter, UNTITLED]),
        score=table[metric].where(table["ok"]),
        value=table[parameter],
    )[table[parameter].notna()]
    # With a single method, its name is left out
    if table["method"].nunique() == 1 and len(table):
        table["line"] = table["line"].str.removeprefix(results.methods[table["method"].iloc[0]])
        table["line"] = table["line"].str.removeprefix(", ")
    keys = ["row", "line", "trial"]
    is_reference = table["value"].astype(str) == str(reference)
    others, base = table[~is_reference], table[is_reference]
    if others.empty or base.empty:
        raise ValueError(f"{parameter} = {reference!r} has nothing to be compared with")
    pairs = others.merge(base[[*keys, "score"]], on=keys, how="left", suffixes=("", "_base"))
    pairs["difference"] = pairs["score"] - pairs["score_base"]
    return pairs[[*keys, "value", "difference"]]


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return mean and 95 % confidence interval by Student's t; NaN if there are too few.

    Examples
    --------
    >>> [round(number, 3) for number in interval([1.0, 2.0, 3.0])]
    [2.0, -0.484, 4.484]
    """
    finite = np.asarray(values, float)
    finite = finite[np.isfinite(finite)]
    if len(finite) < 2:
        center = float(finite.mean()) if len(finite) else float("nan")
        return center, float("nan"), float("nan")
    quantile = stdtrit(len(finite) - 1, (1 + CONFIDENCE) / 2)
    half = float(quantile * finite.std(ddof=1) / np.sqrt(len(finite)))
    return float(finite.mean()), float(finite.mean()) - half, float(finite.mean()) + half


def _look(position: int) -> tuple[str, str]:
    """Return color and marker of the value at a position."""
    return style.COLORS[position % len(style.COLORS)], style.MARKERS[position % len(style.MARKERS)]


def _draw_block(
    axes: Axes, pairs: pd.DataFrame, lines: Sequence[str], values: Sequence[Any]
) -> None:
    """Draw the differences of one dataset and metric."""
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.set_yticks(range(len(lines)), [""] * len(lines))
    axes.tick_params(axis="y", length=0)
    axes.axvline(0.0, color=style.GRAY, linewidth=0.6)
    # The values of one setting, one below the other
    offsets = np.linspace(-0.2, 0.2, len(values)) if len(values) > 1 else [0.0]
    for k, (value, offset) in enumerate(zip(values, offsets, strict=True)):
        color, marker = _look(k)
        for y, line in enumerate(lines):
            rows = pairs[(pairs["value"] == value) & (pairs["line"] == line)]
            center, low, high = interval(rows["difference"])
            if not np.isfinite(center):
                cross: dict[str, Any] = {"color": color, "markersize": 3, "gid": "failed"}
                at_edge = axes.get_yaxis_transform()
                axes.plot(0.02, y + offset, "x", transform=at_edge, **cross)
                continue
            axes.plot([low, high], [y + offset] * 2, color=color, linewidth=0.8)
            axes.plot(center, y + offset, marker, color=color, markersize=2.6, gid="difference")


def _draw_key(figure: Figure, values: Sequence[Any], reference: Any) -> None:
    """Draw a legend of the values at the lower edge."""
    marks = []
    for k, value in enumerate(values):
        color, marker = _look(k)
        look: dict[str, Any] = {"color": color, "marker": marker, "markersize": 3, "linewidth": 0.8}
        marks.append(Line2D([], [], **look, label=f"{value} − {reference}"))
    place: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (0.995, 0.0)}
    figure.legend(handles=marks, frameon=False, ncols=len(marks), **place)


def _note(pairs: pd.DataFrame, reference: Any) -> str:
    """Return the sentences that explain the marks, and count the intervals that exclude 0."""
    keys = ["metric", "value", "row", "line"]
    bounds = [interval(group) for _, group in pairs.groupby(keys)["difference"]]
    bounds = [bound for bound in bounds if np.isfinite(bound[1])]
    which = f" ({pairs['value'].iloc[0]} − {reference})" if pairs["value"].nunique() == 1 else ""
    above, below = sum(b[1] > 0 for b in bounds), sum(b[2] < 0 for b in bounds)
    return (
        f"Dots: mean difference over the trials, paired{which}; bars: 95 % confidence interval. "
        f"{above} of {len(bounds)} intervals are above 0, {below} below "
        f"(about {(1 - CONFIDENCE) * len(bounds):.2g} would exclude 0 by chance)."
    )


def _overall(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the mean difference of each trial over all settings.

    The settings of one trial share data and random numbers, so that trials, not settings, are
    independent. Settings that lack a trial are left out.
    """
    frames = []
    for (metric, value), group in pairs.groupby(["metric", "value"], sort=False):
        wide = group.pivot_table(
            index="trial", columns=["row", "line"], values="difference", sort=False, dropna=False
        ).dropna(axis=1)
        if wide.shape[1] > 1:
            means = wide.mean(axis=1).rename("difference").reset_index()
            frames.append(means.assign(row=OVERALL, line="", metric=metric, value=value))
    return pd.concat(frames, ignore_index=True) if frames else pairs.iloc[:0]
