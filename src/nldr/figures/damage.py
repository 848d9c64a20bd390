"""How metrics respond to graded damage: a small panel a metric, a curve a kind of damage."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nldr.figures import style
from nldr.figures.curves import summarize
from nldr.figures.panels import axis_limits
from nldr.figures.results import StudyResults

PER_LINE, LEFT, GAP, PLOT, ABOVE, BELOW = 4, 12.0, 12.0, 26.0, 10.5, 7.0  # mm


@style.journal()
def damage(results: StudyResults, *, x: str = "method.amount") -> Figure:
    """Draw every metric of a study against the amount of damage.

    Parameters
    ----------
    results : StudyResults
        The study's results: methods that damage the true latent, by an amount.
    x : str
        Column of the amount.

    Returns
    -------
    Figure
        A panel a metric: means over the trials with bands of one standard deviation. The side of
        the axis that is better is marked, and the range of the metric is shaded beyond its ends.

    Raises
    ------
    ValueError
        If there are several datasets.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "roll", "data_cell": "roll", "method": "noise", "method_cell": ["a", "b"],
    ...     "trial": 0, "status": "ok", "method.amount": [0.0, 1.0], "r2": [1.0, 0.1]})
    >>> results = StudyResults(
    ...     title="Damage", methods={"noise": "noise"}, roles={}, datasets={"roll": "Roll"},
    ...     metrics={"r2": {"title": "R²", "range": [0, 1], "direction": "higher"}},
    ...     table=table, timings=table, published=None, panel=None)
    >>> damage(results).axes[0].lines[0].get_ydata().tolist()
    [1.0, 0.1]
    """
    if results.table["data_cell"].nunique() > 1:
        raise ValueError("the figure shows one dataset: leave the others out")
    metrics = list(results.metrics)
    lines = -(-len(metrics) // PER_LINE)
    width = (style.DOUBLE - LEFT - (PER_LINE - 1) * GAP - 2) / PER_LINE
    pitch = ABOVE + PLOT + BELOW
    note = style.wrap(_note(results), style.SMALL, style.DOUBLE - 4)
    body = lines * pitch + 3
    height = body + 3 * (note.count("\n") + 2)
    figure, head = style.titled_figure(style.DOUBLE, height, results.title)
    styles = style.method_styles(results.methods, results.roles)
    for i, metric in enumerate(metrics):
        row, column = divmod(i, PER_LINE)
        left, top = LEFT + column * (width + GAP), head + row * pitch
        title = style.wrap(results.metrics[metric]["title"], style.TEXT, width)
        style.add_text(figure, left, top + ABOVE - 1, title, va="bottom")
        axes = style.add_axes(figure, left, top + ABOVE, width, PLOT)
        _draw(axes, results, metric, x, styles)
        if i + PER_LINE >= len(metrics):
            axes.set_xlabel(x.partition(".")[2] + " of damage", labelpad=2)
    for i, (name, title) in enumerate(results.methods.items()):
        look = styles[name]
        style.add_text(figure, 2 + 30 * i, head + body - 1, f"— {title}", color=look.ink)
    style.add_text(figure, 2, head + body + 3, note, size=style.SMALL, color=style.GRAY)
    return figure


def _draw(
    axes: Axes,
    results: StudyResults,
    metric: str,
    x: str,
    styles: dict[str, style.MethodStyle],
) -> None:
    """Draw one metric: a line and a band for each kind of damage."""
    points = summarize(results, metric, x)
    bounds: Sequence[float | None] = results.metrics[metric]["range"]
    values = points[["center", "low", "high"]].to_numpy().ravel()
    axes.set_ylim(axis_limits(values, False, bounds))
    for method, curve in points.groupby("method", sort=False):
        look, curve = styles[str(method)], curve.sort_values("x")
        axes.fill_between(curve["x"], curve["low"], curve["high"], color=look.color, alpha=0.25,
                          lw=0)  # fmt: skip
        axes.plot(curve["x"], curve["center"], **look.line(), gid=f"ours:{method}")
    higher = results.metrics[metric]["direction"] == "higher"
    axes.text(-0.02, 1.02 if higher else -0.02, "better", transform=axes.transAxes, rotation=90,
              ha="right", va="top" if higher else "bottom", size=style.SMALL - 1,
              color=style.GRAY)  # fmt: skip
    axes.tick_params(axis="y", pad=7)
    axes.locator_params(nbins=5)


def _note(results: StudyResults) -> str:
    trials = results.table.groupby(["data_cell", "method_cell"]).size().max()
    (dataset,) = results.datasets.values()
    return f"{dataset}. Mean and ±1 s.d. (band) of {trials} trials."
