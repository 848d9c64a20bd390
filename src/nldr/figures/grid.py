"""Small curves in rows and columns: a panel for each pair of parameters or metrics."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nldr.figures import style
from nldr.figures.curves import COSTS, Footer, Panel, make_panel, summarize
from nldr.figures.panels import axis_limits, draw_panel, has_bands
from nldr.figures.results import StudyResults

LEFT, GAP, ABOVE, BELOW, PLOT = 21.0, 3.5, 9.0, 8.0, 30.0  # parts of the figure, mm
AXIS = 13.0  # between panels with axes of their own, mm


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
    """Draw metrics against a parameter, in panels by dataset, metric or further parameters.

    Scores are means over the trials whose status is ``ok``, with bars of one standard deviation;
    costs are medians with bars between the quartiles. All panels of a metric share their axis.

    Parameters
    ----------
    results : StudyResults
        The study's results.
    x : str
        Column of the parameter along the axis, ``data.<name>`` or ``method.<name>``.
    rows, columns : str
        What the panels of a row, or column, have in common: ``"dataset"``, ``"metric"`` or a
        parameter, ``data.<name>`` or ``method.<name>``. A method without the parameter stands in
        all panels.
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
        If a parameter or metric is unknown, or ``x`` is no number on some dataset.

    Examples
    --------
    >>> table = pd.DataFrame({
    ...     "dataset": "gp", "data_cell": ["a", "b"] * 2, "method": "ikd",
    ...     "method_cell": ["c", "c", "d", "d"], "trial": 0, "status": "ok",
    ...     "data.n_features": [10, 100] * 2, "method.kernel": ["se", "se", "rq", "rq"],
    ...     "r2": [0.5, 0.9, 0.4, 0.8]})
    >>> results = StudyResults(
    ...     title="Mismatch", methods={"ikd": "IKD"}, roles={"ikd": "method"},
    ...     datasets={"gp": "GP"}, table=table, timings=table, published=None, panel=None,
    ...     metrics={"r2": {"label": "R²", "range": [0, 1], "direction": "higher"}})
    >>> figure = grid(results, x="data.n_features", columns="method.kernel")
    >>> [axes.lines[0].get_ydata().tolist() for axes in figure.axes]
    [[0.5, 0.9], [0.4, 0.8]]
    """
    points = _points(results, x, [rows, columns], list(metrics or results.metrics))
    rows, columns = ("row" if axis == "dataset" else axis for axis in (rows, columns))
    headings = [list(dict.fromkeys(points[axis])) for axis in (rows, columns)]
    panels = {
        (i, j): _panel(results, points, x, {rows: row, columns: column})
        for i, row in enumerate(headings[0]) for j, column in enumerate(headings[1])
    }  # fmt: skip
    names = dict.fromkeys(points["line"])
    margin = max(style.text_width(name, style.TEXT) for name in names) + 4
    n_rows, n_columns = map(len, headings)
    gap = AXIS if columns == "metric" else GAP
    width = (style.DOUBLE - LEFT - margin - (n_columns - 1) * gap) / n_columns
    footer = Footer(list(panels.values()), style.DOUBLE)
    height = ABOVE + n_rows * (PLOT + GAP) + BELOW
    figure, head = style.titled_figure(style.DOUBLE, height + footer.height, results.title)
    for j, column in enumerate(headings[1]):
        text = style.wrap(_heading(results, columns, column), style.TEXT, width + gap - 2)
        left = LEFT + j * (width + gap) + width / 2
        style.add_text(figure, left, head + ABOVE - 1.5, text, ha="center", va="bottom")
    for i, row in enumerate(headings[0]):
        text = style.wrap(_heading(results, rows, row), style.TEXT, PLOT + GAP)
        middle = head + ABOVE + i * (PLOT + GAP) + PLOT / 2
        style.add_text(figure, 1, middle, text, rotation=90, va="center", multialignment="center")
    limits = _limits(results, list(panels.values()))
    styles = style.method_styles(results.methods, results.roles)
    along = x_label or x.partition(".")[2].replace("n_", "number of ", 1).replace("_", " ")
    for (i, j), panel in panels.items():
        if panel.points.empty:
            continue
        corner = (LEFT + j * (width + gap), head + ABOVE + i * (PLOT + GAP))
        lowest, first = i == n_rows - 1, j == 0 or columns == "metric"
        draw_panel(
            figure, (*corner, width, PLOT), panel.points, panel.published, styles,
            labels=(along if lowest else "", _axis(results, panel.metric) if first else ""),
            log=panel.metric in COSTS, bounds=_bounds(results, panel.metric),
            limits=limits[panel.metric], named=j == n_columns - 1, numbered=(lowest, first),
        )  # fmt: skip
    footer.draw(figure, head + height)
    return figure


def _points(
    results: StudyResults, x: str, axes: Sequence[str], metrics: Sequence[str]
) -> pd.DataFrame:
    """Return the points of all panels, with the columns that tell these apart."""
    by = [axis for axis in axes if axis not in ("dataset", "metric")]
    frames = [summarize(results, metric, x, by).assign(metric=metric) for metric in metrics]
    return pd.concat(frames, ignore_index=True)


def _panel(
    results: StudyResults,
    points: pd.DataFrame,
    x: str,
    place: Mapping[str, Hashable],
) -> Panel:
    """Return what stands at a place: its points, its title and the published curves."""
    shown = points
    for column, value in place.items():
        shown = shown[shown[column] == value]
    if shown.empty:
        return Panel("", "", shown, {})
    first = shown.iloc[0]
    told = {column: value for column, value in place.items() if column != "metric"}
    told["dataset"] = first["dataset"]
    return make_panel(results, "", first["metric"], x, told, shown)


def _heading(results: StudyResults, axis: str, value: Hashable) -> str:
    """Return what stands above a column or beside a row."""
    if axis == "metric":
        return COSTS.get(str(value)) or results.metrics[str(value)]["title"]
    return str(value).replace("_", " ")


def _axis(results: StudyResults, metric: str) -> str:
    """Return what a vertical axis is called, in few words."""
    if metric in COSTS:
        return COSTS[metric]
    arrow = "↑" if results.metrics[metric]["direction"] == "higher" else "↓"
    return f"{results.metrics[metric]['label']} {arrow}"


def _bounds(results: StudyResults, metric: str) -> Sequence[float | None]:
    return results.metrics.get(metric, {"range": (0, None)})["range"]


def _limits(results: StudyResults, panels: Sequence[Panel]) -> dict[str, tuple[float, float]]:
    """Return the limits that all panels of a metric share."""
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
