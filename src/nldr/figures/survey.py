"""Methods by several metrics at once: means over many datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nldr.figures import style
from nldr.figures.differences import interval
from nldr.figures.results import StudyResults

# Distance of rows, room above and below a panel, right margin, gap of panels, mm
PITCH, ABOVE, BELOW, MARGIN, BETWEEN = 4.0, 10.0, 7.0, 3.0, 4.5


@style.journal()
def survey(results: StudyResults, *, metrics: Sequence[str]) -> Figure:
    """Draw the mean of each method over all datasets, one panel per metric.

    Bars are 95 % confidence intervals by Student's t, of differences from the mean of a dataset
    over all methods: they say how much a method differs from the others, not how much datasets do.
    On a dataset on which a method failed in all trials, it counts as differing from that mean as it
    does on the others; the number of failed trials stands beside the name. Controls are below the
    line.

    Parameters
    ----------
    metrics : sequence of str
        Metrics of the study; the first one orders the methods.

    Returns
    -------
    Figure
        One row per method, one panel per metric.
    """
    shown = [metric for metric in metrics if metric in results.metrics]
    means = {metric: means_of(results, metric) for metric in shown}
    order = _order(results, means[shown[0]], str(results.metrics[shown[0]]["direction"]))
    titles = [f"{results.methods[name]}{_failures(results, name)}" for name in order]
    left = max(style.text_width(title, style.SMALL) for title in titles) + 5
    width = (style.DOUBLE - left - MARGIN - (len(shown) - 1) * BETWEEN) / len(shown)
    height = PITCH * len(order)
    note = _note(means, any(_failures(results, name) for name in order))
    figure, head = style.titled_figure(style.DOUBLE, ABOVE + height + BELOW, results.title, note)
    controls = sum(results.roles[name] == "control" for name in order)
    for j, metric in enumerate(shown):
        x = left + j * (width + BETWEEN)
        arrow = "→" if results.metrics[metric]["direction"] == "higher" else "←"
        heading = style.wrap(f"{results.metrics[metric]['label']} {arrow}", style.SMALL, width)
        style.add_text(figure, x, head, heading, size=style.SMALL, weight="bold")
        axes = style.add_axes(figure, x, head + ABOVE, width, height)
        _draw_panel(axes, results, means[metric], order)
        if controls:
            axes.axhline(len(order) - controls - 0.5, color=style.LIGHT, linewidth=0.8)
        axes.set_yticks(range(len(order)), titles if j == 0 else [""] * len(order))
    return figure


def _note(means: Mapping[str, pd.DataFrame], failed: bool) -> str:
    """Return what explains the marks that are drawn."""
    n = len(next(iter(means.values())))
    note = f"Dots: mean over {n} datasets" if n > 1 else "Dots: means on one dataset"
    if any((values.notna().sum() > 1).any() for values in means.values()):
        note += (
            "; bars: 95 % confidence interval of the difference from the mean of all methods on a "
            "dataset"
        )
    note += ". Arrows point to better values."
    return f"{note} In parentheses: failed trials." if failed else note


def means_of(results: StudyResults, metric: str) -> pd.DataFrame:
    """Return the mean over trials of a metric, one row per dataset and one column per method."""
    rows = results.table[results.table["ok"]]
    means = rows.groupby(["data_cell", "method"], sort=False)[metric].mean().unstack("method")
    return means.reindex(columns=[name for name in results.methods if name in means.columns])


def _order(results: StudyResults, means: pd.DataFrame, direction: str) -> list[str]:
    """Return the methods by their mean, the best first, and controls at the end."""
    center = _center(results, means)
    differences = means.sub(center, axis=0).mean()
    ordered = differences.sort_values(ascending=direction == "lower", kind="stable").index
    return sorted(ordered, key=lambda name: results.roles[name] == "control")


def _center(results: StudyResults, means: pd.DataFrame) -> pd.Series:
    """Return the mean of each dataset over all methods."""
    return means[[name for name in means if results.roles[name] != "control"]].mean(axis=1)


def _failures(results: StudyResults, name: str) -> str:
    rows = results.table[results.table["method"] == name]
    failed = int((~rows["ok"].astype(bool)).sum())
    return f" ({failed} of {len(rows)})" if failed else ""


def _draw_panel(
    axes: Axes, results: StudyResults, means: pd.DataFrame, order: Sequence[str]
) -> None:
    """Draw the mean of each method, with the interval of its differences from all methods."""
    center = _center(results, means)
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    for y, name in enumerate(order):
        if name not in means or means[name].isna().all():
            continue
        differences = (means[name] - center).dropna()
        mean, *ends = np.array(interval(differences.tolist())) + center.mean()
        look = results.looks[name]
        if np.isfinite(ends[0]):
            axes.plot(ends, [y, y], color=look.color, linewidth=0.9)
        axes.plot(mean, y, look.marker or "o", color=look.color, markersize=3, gid="mean")
