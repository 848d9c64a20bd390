"""Small curves in rows and columns: a panel for each pair of parameters or metrics."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from string import ascii_lowercase

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nldr.figures import style
from nldr.figures.curves import COSTS, Footer, Panel, axis_label, make_panel, summarise
from nldr.figures.panels import axis_limits, draw_panel, has_bands
from nldr.figures.results import StudyResults

LEFT, GAP, ABOVE, BELOW, PLOT = 13.0, 3.5, 4.5, 3.5, 30.0  # parts of a panel, mm
AXIS = 9.0  # room for the numbers and the name of an axis, mm


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
    """Draw metrics against a parameter, in panels by data set, metric or further parameters.

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
        If a parameter or metric is unknown, or ``x`` is no number on some data set.

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
    ...     metrics={"r2": {"title": "R²", "range": [0, 1], "direction": "higher"}})
    >>> figure = grid(results, x="data.n_features", columns="method.kernel")
    >>> [axes.lines[0].get_ydata().tolist() for axes in figure.axes]
    [[0.5, 0.9], [0.4, 0.8]]
    """
    points = _points(results, x, [rows, columns], list(metrics or results.metrics))
    rows, columns = ("row" if axis == "dataset" else axis for axis in (rows, columns))
    titles = [list(dict.fromkeys(points[axis])) for axis in (rows, columns)]
    names = dict.fromkeys(points["line"])
    margin = max(style.text_width(name, style.TEXT) for name in names) + 4
    own_axis = AXIS if columns == "metric" else 0.0
    n_columns = len(titles[1])
    width = (style.DOUBLE - LEFT - margin - (n_columns - 1) * (GAP + own_axis)) / n_columns
    pitch = ABOVE + PLOT + BELOW
    panels = {
        (i, j): _panel(results, points, x, {rows: row, columns: column})
        for i, row in enumerate(titles[0]) for j, column in enumerate(titles[1])
    }  # fmt: skip
    footer = Footer(list(panels.values()), style.DOUBLE)
    height = pitch * len(titles[0]) + 6
    figure, head = style.titled_figure(style.DOUBLE, height + footer.height, results.title)
    limits = _limits(results, list(panels.values()))
    styles = style.method_styles(results.methods, results.roles)
    along = x_label or x.partition(".")[2].replace("n_", "number of ", 1).replace("_", " ")
    for (i, j), panel in panels.items():
        if panel.points.empty:
            continue
        left, top = LEFT + j * (width + GAP + own_axis), head + i * pitch
        letter = ascii_lowercase[i * n_columns + j] if len(panels) <= len(ascii_lowercase) else ""
        style.add_text(figure, left, top, letter, weight="bold")
        style.add_text(figure, left + 3, top, panel.title)
        last, first = i == len(titles[0]) - 1, j == 0 or columns == "metric"
        axis = axis_label(results, panel.metric) if first else ""
        draw_panel(
            figure, (left, top + ABOVE, width, PLOT), panel.points, panel.published, styles,
            labels=(along if last else "", axis), log=panel.metric in COSTS,
            bounds=_bounds(results, panel.metric), limits=limits[panel.metric],
            named=j == n_columns - 1, numbered=first,
        )  # fmt: skip
    footer.draw(figure, head + height)
    return figure


def _points(
    results: StudyResults, x: str, axes: Sequence[str], metrics: Sequence[str]
) -> pd.DataFrame:
    """Return the points of all panels, with the columns that tell these apart."""
    by = [axis for axis in axes if axis not in ("dataset", "metric")]
    frames = [summarise(results, metric, x, by).assign(metric=metric) for metric in metrics]
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
    title = ", ".join(str(value).replace("_", " ") for value in told.values())
    told["dataset"] = first["dataset"]
    return make_panel(results, title, first["metric"], x, told, shown)


def _bounds(results: StudyResults, metric: str) -> Sequence[float | None]:
    return results.metrics.get(metric, {"range": (0, None)})["range"]


def _limits(results: StudyResults, panels: Sequence[Panel]) -> dict[str, tuple[float, float]]:
    """Return the limits that all panels of a metric share."""
    values: dict[str, list[np.ndarray]] = {}
    for panel in panels:
        known = values.setdefault(panel.metric, [])
        known.append(panel.points[["centre", "low", "high"]].to_numpy().ravel())
        known += [curve["centre"].to_numpy() for curve in panel.published.values()]
        if has_bands(panel.published):
            known += [(c["centre"] + c["sd"]).to_numpy() for c in panel.published.values()]
            known += [(c["centre"] - c["sd"]).to_numpy() for c in panel.published.values()]
    return {
        metric: axis_limits(np.concatenate(known), metric in COSTS, _bounds(results, metric))
        for metric, known in values.items() if metric
    }  # fmt: skip
