"""Scores and costs against a parameter: a grid of panels by dataset, metric or parameters."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nldr.costs import COSTS
from nldr.figures import style
from nldr.figures.axes import LABEL_LINE, axis_limits, side_room
from nldr.figures.curves import (
    axis_label,
    bounds_of,
    explain,
    make_panel,
    parameter_label,
    summarize,
)
from nldr.figures.panels import Legend, Panel, draw_panel, has_bands, line_looks, strip_height
from nldr.figures.results import VALUES, StudyResults

GAP, ABOVE, BELOW, PLOT = 4.5, 5.5, 8.0, 30.0  # gap, margins and height of panels, mm


@style.journal()
def grid(
    results: StudyResults,
    *,
    x: str,
    rows: str = "dataset",
    columns: str = "metric",
    metrics: Sequence[str] | None = None,
    x_label: str | None = None,
    row_label: str | None = None,
    column_label: str | None = None,
) -> Figure:
    """Draw metrics against a parameter, in panels by dataset, metric or other parameters.

    Scores are means over the successful trials, with bars of their 95 % intervals within the
    range of the metric; costs are medians with bars from the first to the third quartile. All
    panels of a metric have the same limits. A metric that is not defined on a dataset has no panel.

    Parameters
    ----------
    x : str
        Column of the parameter on the horizontal axis, ``data.<name>`` or ``method.<name>``.
    rows, columns : str
        Property shared by the panels of a row or column: ``"dataset"``, ``"metric"`` or a
        parameter, ``data.<name>`` or ``method.<name>``. A method without the parameter is in all
        panels.
    metrics : sequence of str, optional
        Metrics of the study, or ``seconds``, ``cpu_seconds``, ``peak_mb``, or attributes of the
        fitted estimator as ``fit.<name>``; by default all metrics of the study.
    x_label : str, optional
        Label of the axis; by default the parameter's name.
    row_label, column_label : str, optional
        Names of the parameters of rows and columns, written before their values; by default those
        of ``rows`` and ``columns``.

    Returns
    -------
    Figure
        The panels.

    Raises
    ------
    ValueError
        If a parameter or metric is unknown, or ``x`` is not numeric on some dataset.
    """
    # Panels by the values of their row and column
    points = _points(results, x, [rows, columns], list(metrics or results.metrics))
    rows, columns = ("row" if axis == "dataset" else axis for axis in (rows, columns))
    headings = [list(dict.fromkeys(points[axis])) for axis in (rows, columns)]
    panels = {
        (i, j): _panel(results, points, x, {rows: row, columns: column})
        for i, row in enumerate(headings[0])
        for j, column in enumerate(headings[1])
    }
    labels = row_label or parameter_label(rows), column_label or parameter_label(columns)
    titles = [
        [_heading(results, axis, value, label) for value in values]
        for axis, label, values in zip((rows, columns), labels, headings, strict=True)
    ]
    # Sizes
    limits = _limits(results, list(panels.values()))
    left, gap, width = _widths(results, panels, limits, titles[0], columns)
    looks, unnamed = line_looks(points, results.looks), _unnamed(panels, len(titles[1]) - 1)
    legend = Legend(list(panels.values()), style.DOUBLE, {line: looks[line] for line in unnamed})
    wrapped = [style.wrap(title, style.TEXT, width + gap - 2) for title in titles[1]]
    above = ABOVE + LABEL_LINE * max(title.count("\n") for title in wrapped)
    n_rows, n_columns = map(len, headings)
    height = above + n_rows * (PLOT + GAP) + BELOW
    note = explain(results, [*panels.values()])
    figure, head = style.titled_figure(style.DOUBLE, height + legend.height, results.title, note)
    _write_headings(figure, titles[0], wrapped, (left, head + above), width, gap)
    # Panels, with axis labels at the left and lower edge of the grid
    along = x_label or parameter_label(x)
    for (i, j), panel in panels.items():
        if panel.points.empty:
            continue
        corner = (left + j * (width + gap), head + above + i * (PLOT + GAP))
        lowest, first = i == n_rows - 1, j == 0 or columns == "metric"
        label = axis_label(results, panel.metric, "label") if first else ""
        draw_panel(
            figure,
            (*corner, width, PLOT),
            panel.points,
            panel.published,
            looks,
            labels=(along if lowest else "", label),
            log=panel.metric in COSTS,
            bounds=bounds_of(results, panel.metric),
            limits=limits[panel.metric],
            named=j == n_columns - 1,
            numbered=(lowest, first),
        )
    legend.draw(figure, head + height)
    return figure


def _write_headings(
    figure: Figure,
    rows: Sequence[str],
    columns: Sequence[str],
    corner: tuple[float, float],
    width: float,
    gap: float,
) -> None:
    """Write the headings of the columns above the panels, and of the rows to their left."""
    left, top = corner
    for j, text in enumerate(columns):
        middle = left + j * (width + gap) + width / 2
        style.add_text(figure, middle, top - 1.5, text, ha="center", va="bottom")
    for i, title in enumerate(rows):
        text = style.wrap(title, style.TEXT, PLOT + GAP)
        middle = top + i * (PLOT + GAP) + PLOT / 2
        style.add_text(figure, 1, middle, text, rotation=90, va="center", multialignment="center")


def _unnamed(panels: Mapping[tuple[int, int], Panel], last: int) -> list[str]:
    """Return the lines of a row that are not in its last panel, which has the names."""
    names = {
        (i, line) for (i, j), panel in panels.items() if j == last for line in panel.points["line"]
    }
    lines = [(i, line) for (i, _), panel in panels.items() for line in panel.points["line"]]
    return list(dict.fromkeys(line for i, line in lines if (i, line) not in names))


def _widths(
    results: StudyResults,
    panels: Mapping[tuple[int, int], Panel],
    limits: Mapping[str, tuple[float, float]],
    rows: Sequence[str],
    columns: str,
) -> tuple[float, float, float]:
    """Return left margin, gap between columns and width of a panel, in millimeters."""
    # Room for the vertical axes, which all columns have if each shows another metric
    facts = {
        metric: (bounds_of(results, metric), axis_label(results, metric, "label"))
        for metric in limits
    }
    height = PLOT - max(strip_height(panel.points) for panel in panels.values())
    rooms = [side_room(ends, m in COSTS, *facts[m], height) for m, ends in limits.items()]
    gap = max(rooms) + 1 if columns == "metric" else GAP
    lines = max(style.wrap(row, style.TEXT, PLOT + GAP).count("\n") + 1 for row in rows)
    left = 2 + LABEL_LINE * lines + max(rooms)
    # Room for the names at the ends of the lines
    names = {line for panel in panels.values() for line in panel.points["line"]}
    margin = max(style.text_width(name, style.TEXT) for name in names) + 4
    n_columns = 1 + max(j for _, j in panels)
    return left, gap, (style.DOUBLE - left - margin - (n_columns - 1) * gap) / n_columns


def _points(
    results: StudyResults, x: str, axes: Sequence[str], metrics: Sequence[str]
) -> pd.DataFrame:
    """Return the points of all panels, with columns for the properties of rows and columns."""
    by = [axis for axis in axes if axis not in ("dataset", "metric")]
    frames = [summarize(results, metric, x, by).assign(metric=metric) for metric in metrics]
    points = pd.concat(frames, ignore_index=True)
    # A metric that is not defined on a dataset has no panel there; failures have crosses.
    defined = points.groupby(["row", "metric"], sort=False)["center"].transform("count") > 0
    return points[defined | (points["n_ok"] == 0)]


def _panel(
    results: StudyResults, points: pd.DataFrame, x: str, position: Mapping[str, Hashable]
) -> Panel:
    """Return the panel whose points have the values in ``position``, by column."""
    rows = points
    for column, value in position.items():
        rows = rows[rows[column] == value]
    if rows.empty:
        return Panel("", "", rows, {})
    first = rows.iloc[0]
    fixed = {column: value for column, value in position.items() if column != "metric"}
    fixed["dataset"] = first["dataset"]
    return make_panel(results, "", first["metric"], x, fixed, rows)


def _heading(results: StudyResults, axis: str, value: Hashable, label: str) -> str:
    """Return the heading of a column or row; for a parameter its ``label`` and value."""
    if axis == "metric" and value in results.metrics:
        return str(results.metrics[str(value)]["title"])
    if axis == "metric":
        return axis_label(results, str(value))
    if axis == "row":
        return str(value)
    text = {"True": "yes", "False": "no"}.get(str(value), VALUES.get(str(value), str(value)))
    return f"{label}: {text.replace('_', ' ')}"


def _limits(results: StudyResults, panels: Sequence[Panel]) -> dict[str, tuple[float, float]]:
    """Return the limits of each metric, over all of its panels."""
    values: dict[str, list[np.ndarray]] = {}
    for panel in panels:
        arrays = values.setdefault(panel.metric, [])
        arrays.append(panel.points[["center", "low", "high"]].to_numpy().ravel())
        arrays += [curve["center"].to_numpy() for curve in panel.published.values()]
        if has_bands(panel.published):
            arrays += [(c["center"] + c["sd"]).to_numpy() for c in panel.published.values()]
            arrays += [(c["center"] - c["sd"]).to_numpy() for c in panel.published.values()]
    return {
        metric: axis_limits(np.concatenate(arrays), metric in COSTS, bounds_of(results, metric))
        for metric, arrays in values.items()
        if metric
    }
