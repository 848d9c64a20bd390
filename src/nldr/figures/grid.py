"""Scores and costs against a parameter: a grid of panels by dataset, metric or parameters."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nldr.costs import COSTS
from nldr.figures import style
from nldr.figures.curves import Footer, Panel, make_panel, parameter_label, summarize
from nldr.figures.panels import axis_limits, draw_panel, has_bands
from nldr.figures.results import StudyResults

LEFT, GAP, ABOVE, BELOW, PLOT = 21.0, 3.5, 9.0, 8.0, 30.0  # margins, gap and height of panels, mm
AXIS = 13.0  # gap between columns with different vertical axes, mm


@style.journal()
def grid(
    results: StudyResults,
    *,
    x: str,
    rows: str = "dataset",
    columns: str = "metric",
    metrics: Sequence[str] | None = None,
    x_label: str | None = None,
) -> Figure:
    """Draw metrics against a parameter, in panels by dataset, metric or other parameters.

    Scores are means over the successful trials, with bars of one standard deviation; costs are
    medians with bars from the first to the third quartile. All panels of a metric have the same
    limits.

    Parameters
    ----------
    results : StudyResults
        The study's results.
    x : str
        Column of the parameter on the horizontal axis, ``data.<name>`` or ``method.<name>``.
    rows, columns : str
        Property shared by the panels of a row or column: ``"dataset"``, ``"metric"`` or a
        parameter, ``data.<name>`` or ``method.<name>``. A method without the parameter is in all
        panels.
    metrics : sequence of str, optional
        Metrics of the study, or ``seconds``, ``cpu_seconds``, ``peak_mb``; by default all metrics
        of the study.
    x_label : str, optional
        Label of the axis; by default the parameter's name.

    Returns
    -------
    Figure
        The panels.

    Raises
    ------
    ValueError
        If a parameter or metric is unknown, or ``x`` is not numeric on some dataset.

    Examples
    --------
    >>> table = pd.DataFrame({
    ...     "dataset": "d", "data_cell": ["a", "b"] * 2, "method": "m",
    ...     "method_cell": ["c", "c", "d", "d"], "trial": 0, "ok": True,
    ...     "data.n_features": [10, 100] * 2, "method.kernel": ["se", "se", "rq", "rq"],
    ...     "r2": [0.5, 0.9, 0.4, 0.8]})
    >>> results = StudyResults(
    ...     title="Mismatch", methods={"m": "Method"}, roles={"m": "method"},
    ...     looks={"m": style.look("#D55E00", "o")}, datasets={"d": "Data"},
    ...     metrics={"r2": {"label": "R²", "range": [0, 1], "direction": "higher"}},
    ...     table=table, timings=table, published=None, panel=None)
    >>> figure = grid(results, x="data.n_features", columns="method.kernel")
    >>> [axes.lines[0].get_ydata().tolist() for axes in figure.axes]
    [[0.5, 0.9], [0.4, 0.8]]
    """
    # Panels by the values of their row and column
    points = _points(results, x, [rows, columns], list(metrics or results.metrics))
    rows, columns = ("row" if axis == "dataset" else axis for axis in (rows, columns))
    headings = [list(dict.fromkeys(points[axis])) for axis in (rows, columns)]
    panels = {
        (i, j): _panel(results, points, x, {rows: row, columns: column})
        for i, row in enumerate(headings[0]) for j, column in enumerate(headings[1])
    }  # fmt: skip
    # Sizes
    names = dict.fromkeys(points["line"])
    margin = max(style.text_width(name, style.TEXT) for name in names) + 4
    n_rows, n_columns = map(len, headings)
    gap = AXIS if columns == "metric" else GAP
    width = (style.DOUBLE - LEFT - margin - (n_columns - 1) * gap) / n_columns
    footer = Footer(list(panels.values()), style.DOUBLE)
    height = ABOVE + n_rows * (PLOT + GAP) + BELOW
    figure, head = style.titled_figure(style.DOUBLE, height + footer.height, results.title)
    # Headings of columns and rows
    for j, column in enumerate(headings[1]):
        text = style.wrap(_heading(results, columns, column), style.TEXT, width + gap - 2)
        left = LEFT + j * (width + gap) + width / 2
        style.add_text(figure, left, head + ABOVE - 1.5, text, ha="center", va="bottom")
    for i, row in enumerate(headings[0]):
        text = style.wrap(_heading(results, rows, row), style.TEXT, PLOT + GAP)
        middle = head + ABOVE + i * (PLOT + GAP) + PLOT / 2
        style.add_text(figure, 1, middle, text, rotation=90, va="center", multialignment="center")
    # Panels, with axis labels at the left and lower edge of the grid
    limits = _limits(results, list(panels.values()))
    along = x_label or parameter_label(x)
    for (i, j), panel in panels.items():
        if panel.points.empty:
            continue
        corner = (LEFT + j * (width + gap), head + ABOVE + i * (PLOT + GAP))
        lowest, first = i == n_rows - 1, j == 0 or columns == "metric"
        draw_panel(
            figure, (*corner, width, PLOT), panel.points, panel.published, results.looks,
            labels=(along if lowest else "", _short_label(results, panel.metric) if first else ""),
            log=panel.metric in COSTS, bounds=_bounds(results, panel.metric),
            limits=limits[panel.metric], named=j == n_columns - 1, numbered=(lowest, first),
        )  # fmt: skip
    footer.draw(figure, head + height)
    return figure


def _points(
    results: StudyResults, x: str, axes: Sequence[str], metrics: Sequence[str]
) -> pd.DataFrame:
    """Return the points of all panels, with columns for the properties of rows and columns."""
    by = [axis for axis in axes if axis not in ("dataset", "metric")]
    frames = [summarize(results, metric, x, by).assign(metric=metric) for metric in metrics]
    return pd.concat(frames, ignore_index=True)


def _panel(
    results: StudyResults,
    points: pd.DataFrame,
    x: str,
    position: Mapping[str, Hashable],
) -> Panel:
    """Return the panel whose points have the values in ``position``, by column."""
    shown = points
    for column, value in position.items():
        shown = shown[shown[column] == value]
    if shown.empty:
        return Panel("", "", shown, {})
    first = shown.iloc[0]
    fixed = {column: value for column, value in position.items() if column != "metric"}
    fixed["dataset"] = first["dataset"]
    return make_panel(results, "", first["metric"], x, fixed, shown)


def _heading(results: StudyResults, axis: str, value: Hashable) -> str:
    """Return the heading of a column or row."""
    if axis == "metric":
        return COSTS.get(str(value)) or results.metrics[str(value)]["title"]
    if str(value) in ("True", "False"):
        return f"{parameter_label(axis)}: {'yes' if str(value) == 'True' else 'no'}"
    return str(value).replace("_", " ")


def _short_label(results: StudyResults, metric: str) -> str:
    """Return the short label of a vertical axis, with an arrow to better values."""
    if metric in COSTS:
        return COSTS[metric]
    arrow = "↑" if results.metrics[metric]["direction"] == "higher" else "↓"
    return f"{results.metrics[metric]['label']} {arrow}"


def _bounds(results: StudyResults, metric: str) -> Sequence[float | None]:
    """Return the lowest and highest value that a metric or cost can have."""
    return results.metrics.get(metric, {"range": (0, None)})["range"]


def _limits(results: StudyResults, panels: Sequence[Panel]) -> dict[str, tuple[float, float]]:
    """Return the limits of each metric, over all of its panels."""
    values: dict[str, list[np.ndarray]] = {}
    for panel in panels:
        known = values.setdefault(panel.metric, [])
        known.append(panel.points[["center", "low", "high"]].to_numpy().ravel())
        known += [curve["center"].to_numpy() for curve in panel.published.values()]
        if has_bands(panel.published):
            known += [(c["center"] + c["sd"]).to_numpy() for c in panel.published.values()]
            known += [(c["center"] - c["sd"]).to_numpy() for c in panel.published.values()]
    return {
        metric: axis_limits(np.concatenate(known), metric in COSTS, _bounds(results, metric))
        for metric, known in values.items() if metric
    }  # fmt: skip
