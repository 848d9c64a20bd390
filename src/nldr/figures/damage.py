"""Metrics against the amount of damage: one panel per metric, one curve per kind of damage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nldr.figures import style
from nldr.figures.axes import axis_limits
from nldr.figures.curves import summarize
from nldr.figures.results import StudyResults

PER_LINE, LEFT, GAP, PLOT, ABOVE, BELOW = 4, 12.0, 12.0, 26.0, 10.5, 7.0  # mm


@style.journal()
def damage(results: StudyResults) -> Figure:
    """Draw every metric of a study against the amount of damage.

    Parameters
    ----------
    results : StudyResults
        The study's results on one dataset; its methods damage the true latent by some amount.

    Returns
    -------
    Figure
        One panel per metric: means over the trials with bands of 95 % intervals. The word
        "better" marks one end of the axis.

    Raises
    ------
    ValueError
        If there are several datasets.
    """
    if results.table["data_cell"].nunique() > 1:
        raise ValueError("the figure shows one dataset: leave the others out of the study")
    # Sizes
    metrics = list(results.metrics)
    lines = -(-len(metrics) // PER_LINE)
    width = (style.DOUBLE - LEFT - (PER_LINE - 1) * GAP - 2) / PER_LINE
    pitch = ABOVE + PLOT + BELOW
    body = lines * pitch + 3
    figure, head = style.titled_figure(style.DOUBLE, body + 2, results.title, _note(results))
    # One panel per metric
    for i, metric in enumerate(metrics):
        row, column = divmod(i, PER_LINE)
        left, top = LEFT + column * (width + GAP), head + row * pitch
        title = style.wrap(results.metrics[metric]["title"], style.TEXT, width)
        style.add_text(figure, left, top + ABOVE - 1, title, va="bottom")
        axes = style.add_axes(figure, left, top + ABOVE, width, PLOT)
        _draw_metric(axes, results, metric)
        if i + PER_LINE >= len(metrics):
            axes.set_xlabel("amount of damage", labelpad=2)
    # Legend
    for i, (name, title) in enumerate(results.methods.items()):
        look = results.looks[name]
        style.add_text(figure, 2 + 30 * i, head + body - 1, f"— {title}", color=look.ink)
    return figure


def _draw_metric(axes: Axes, results: StudyResults, metric: str) -> None:
    """Draw one metric: a line and a band for each kind of damage."""
    points = summarize(results, metric, "method.amount")
    bounds: Sequence[float | None] = results.metrics[metric]["range"]
    values = points[["center", "low", "high"]].to_numpy().ravel()
    axes.set_ylim(axis_limits(values, False, bounds))
    for method, curve in points.groupby("method", sort=False):
        look, curve = results.looks[str(method)], curve.sort_values("x")
        band = (curve["x"], curve["low"], curve["high"])
        axes.fill_between(*band, color=look.color, alpha=0.25, lw=0)
        axes.plot(curve["x"], curve["center"], **look.line(), gid=f"ours:{method}")
    # Mark the better end of the axis
    y, va = (1.02, "top") if results.metrics[metric]["direction"] == "higher" else (-0.02, "bottom")
    text: dict[str, Any] = {"size": style.SMALL, "color": style.GRAY, "rotation": 90}
    axes.text(-0.02, y, "better", transform=axes.transAxes, ha="right", va=va, **text)
    axes.tick_params(axis="y", pad=7)
    axes.locator_params(nbins=5)


def _note(results: StudyResults) -> str:
    """Return the dataset and the meaning of lines and bands."""
    (dataset,) = results.datasets.values()
    if results.repeated:
        return f"{dataset}. Lines: mean; bands: its 95 % interval, within the metric's range."
    return f"{dataset}. Lines: a single trial, without bands."
