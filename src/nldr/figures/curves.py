"""Scores and costs against a parameter: one row of panels per dataset, one panel per metric."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import stdtrit

from nldr.costs import COSTS
from nldr.figures import style
from nldr.figures.axes import axis_limits
from nldr.figures.panels import (
    MAX_BANDS,
    Legend,
    Panel,
    draw_panel,
    has_bands,
    height_of_failures,
    line_looks,
)
from nldr.figures.results import StudyResults

PER_LINE, NARROWEST = 3, 32.0  # largest number of panels per line, smallest width of a plot, mm
RECORDED = {"lost_error": "relative error of lost entries ↓"}  # titles that differ from the names
LEFT, ABOVE, PLOT, PITCH = 14.0, 5.0, 48.0, 64.0  # margins, height and pitch of panels, mm


@style.journal()
def curves(
    results: StudyResults,
    *,
    x: str = "data.n_features",
    metrics: Sequence[str] = ("r2_affine", "seconds"),
    x_label: str | None = None,
    apart: bool = False,
) -> Figure:
    """Draw metrics and costs against a parameter.

    Scores are means over the successful trials, with bars of their 95 % intervals within the
    range of the metric; costs are medians with bars from the first to the third quartile. Where all
    trials of a cell failed, the line has a gap and there is a ✕ below the plot; where some failed,
    their percentage is given there.

    Parameters
    ----------
    x : str
        Column of the parameter on the horizontal axis, ``data.<name>`` or ``method.<name>``. A
        method without the parameter is drawn as constant.
    metrics : sequence of str
        One panel each: metrics of the study, ``seconds`` (CPU seconds unless each run was alone on
        the machine), ``cpu_seconds``, ``peak_mb``, or attributes of the fitted estimator as
        ``fit.<name>``.
    x_label : str, optional
        Label of the axis; by default the parameter's name.
    apart : bool
        Whether methods of one family have colors and markers of their own.

    Returns
    -------
    Figure
        One row of panels per dataset.

    Raises
    ------
    ValueError
        If ``x`` or a metric is unknown, or ``x`` is not numeric on some dataset.

    Examples
    --------
    >>> table = pd.DataFrame({
    ...     "dataset": "d", "data_cell": ["a", "b"], "method": "m", "method_cell": "m",
    ...     "trial": 0, "ok": True, "data.n_features": [10, 100], "r2": [0.5, 0.9]})
    >>> results = StudyResults(
    ...     title="Recovery", methods={"m": "Method"}, roles={"m": "method"},
    ...     looks={"m": style.look("#000000", "o")}, datasets={"d": "Data"},
    ...     metrics={"r2": {"title": "R²", "range": [0, 1], "direction": "higher"}},
    ...     table=table, timings=table, published=None, panel=None)
    >>> figure = curves(results, metrics=["r2"])
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [0.5, 0.9]
    """
    rows = panels_by_row(results, x, metrics)
    results = replace(results, looks=style.set_apart(results.looks)) if apart else results
    return draw_rows(results, rows, x_label or parameter_label(x)).figure


class DrawnPanels(NamedTuple):
    """A figure with its plots, by panel, and the distance of the area below from its edge, mm."""

    figure: Figure
    plots: list[tuple[Panel, Axes]]
    bottom: float


def draw_rows(
    results: StudyResults, rows: Sequence[Sequence[Panel]], along: str, below: float = 0.0
) -> DrawnPanels:
    """Draw rows of panels of the same metrics, with a legend.

    Parameters
    ----------
    rows : sequence of sequence of Panel
        From :func:`panels_by_row`.
    along : str
        Label of the horizontal axes.
    below : float
        Height of an area to leave empty below the legend, in millimeters.
    """
    # Room for the names at the lines' ends decides how many panels fit on a line.
    names = {line for row in rows for panel in row for line in panel.points["line"]}
    margin = max(style.text_width(name, style.TEXT) for name in names) + 4
    n_metrics = len(rows[0])
    room = int(style.DOUBLE / (LEFT + NARROWEST + margin))
    per_line = min(n_metrics, PER_LINE, max(room, 1))
    lines = -(-n_metrics // per_line)
    # Figure with room for all panels and the footer
    width = style.SINGLE if n_metrics == 1 else style.DOUBLE
    panels = [panel for row in rows for panel in row]
    more = max(height_of_failures(panel.points) for panel in panels)
    pitch, plot = PITCH + more, PLOT + more
    height = pitch * lines * len(rows)
    legend = Legend(panels, width)
    note = explain(results, panels)
    figure, head = style.titled_figure(width, height + legend.height + below, results.title, note)
    looks = line_looks(pd.concat([panel.points for panel in panels]), results.looks)
    letters = iter(ascii_lowercase if len(panels) > 1 else "")
    plots = []
    # Panels, each with its letter, and a title per row
    for i, row in enumerate(rows):
        for j, panel in enumerate(row):
            left = j % per_line * width / per_line
            top = head + (i * lines + j // per_line) * pitch
            box = (left + LEFT, top + ABOVE, width / per_line - LEFT - margin, plot)
            letter = next(letters, "")
            style.add_text(figure, left + 2, top, letter, size=style.TITLE, weight="bold")
            if j == 0:  # the others of the row show the same dataset
                style.add_text(figure, left + LEFT, top, panel.title)
            axes = draw_panel(
                figure,
                box,
                panel.points,
                panel.published,
                looks,
                labels=(along, axis_label(results, panel.metric)),
                log=_is_log(panel),
                bounds=results.metrics.get(panel.metric, {"range": (None, None)})["range"],
                limits=_limits_of_fit(panel),
            )
            plots.append((panel, axes))
    legend.draw(figure, head + height)
    return DrawnPanels(figure, plots, head + height + legend.height)


def panels_by_row(results: StudyResults, x: str, metrics: Sequence[str]) -> list[list[Panel]]:
    """Return the panels of each dataset."""
    points = [summarize(results, metric, x) for metric in metrics]
    rows = points[0][["dataset", "row"]].drop_duplicates().itertuples(index=False)
    return [
        [
            make_panel(results, row, metric, x, {"dataset": dataset}, frame[frame["row"] == row])
            for metric, frame in zip(metrics, points, strict=True)
        ]
        for dataset, row in rows
    ]


def make_panel(
    results: StudyResults,
    title: str,
    metric: str,
    x: str,
    fixed: Mapping[str, Any],
    points: pd.DataFrame,
) -> Panel:
    """Return a panel of these points, with the published curves over the range of ours.

    ``fixed`` holds the panel's ``"dataset"`` and the parameters that all its points share.
    """
    published = results.published_curves(metric, x, fixed, points["method"])
    low, high = points["x"].min(), points["x"].max()
    inside = {name: curve[curve["x"].between(low, high)] for name, curve in published.items()}
    return Panel(title, metric, points, {name: c for name, c in inside.items() if len(c)})


def summarize(results: StudyResults, metric: str, x: str, by: Sequence[str] = ()) -> pd.DataFrame:
    """Return one row per point of a curve.

    Parameters
    ----------
    metric : str
        A metric of the study, a cost (``nldr.costs.COSTS``), or ``fit.<name>``.
    x : str
        Column of the parameter on the horizontal axis.
    by : sequence of str
        Columns of parameters that have separate panels, and are left out of titles. A method
        without the parameter is in all of these panels.

    Returns
    -------
    DataFrame
        ``dataset``, ``row`` (title of the dataset), ``method``, ``line`` (title of the method),
        those of ``by``, ``x``, ``center``, ``low``, ``high`` (NaN below two trials), ``n_ok`` and
        ``n_trials``.

    Raises
    ------
    ValueError
        If ``x`` or the metric is unknown, or ``x`` is not numeric on some dataset.
    """
    table = results.table
    for column in (x, *by):
        if column not in table:
            parameters = [c for c in table.columns if c.startswith(("data.", "method."))]
            raise ValueError(f"'{column}': no such column; choose from {', '.join(parameters)}")
    # One row per trial: titles without the parameters on axes, values of successful trials only
    on_axes = [x, *by]
    frame = table[["dataset", "method", *by, "ok"]].assign(
        row=results.data_titles(on_axes),
        line=results.method_titles(on_axes),
        x=pd.to_numeric(table[x], errors="coerce"),
        value=_values(results, metric),
    )
    frame["value"] = frame["value"].where(frame["ok"])
    # Methods without a parameter are repeated at each of its values.
    for column in by:
        frame = _repeat_constant(frame, column)
    keys = ["dataset", "row", "method", "line", *by, "x"]
    groups = _repeat_at_every_x(frame, x).groupby(keys, sort=False)
    # Center and bar of each point
    points = groups["ok"].agg(n_ok="sum", n_trials="size")
    value = groups["value"]
    if metric in COSTS:
        points["center"] = value.median()
        points["low"], points["high"] = value.quantile(0.25), value.quantile(0.75)
    else:
        points["center"] = value.mean()
        half = stdtrit(value.count() - 1, 0.975) * value.std() / np.sqrt(value.count())
        points["low"], points["high"] = value.mean() - half, value.mean() + half
    points.loc[value.count() < 2, ["low", "high"]] = np.nan
    # Bars end where the metric's range does
    if metric in results.metrics:
        points[["low", "high"]] = points[["low", "high"]].clip(*results.metrics[metric]["range"])
    return points.reset_index()


def _values(results: StudyResults, metric: str) -> NDArray:
    """Return a metric, cost or fitted attribute of each row of the study's table."""
    fits = [column for column in results.table if column.startswith("fit.")]
    if metric in [*results.metrics, *fits]:
        return results.table[metric].to_numpy(float)
    if metric not in COSTS:
        choices = ", ".join([*results.metrics, *COSTS, *fits])
        raise ValueError(f"metrics: '{metric}' is neither in the study nor a cost: {choices}")
    # Costs are matched by cell and trial, as the two tables may be in different order.
    keys = ["data_cell", "method_cell", "trial"]
    clock = results.clock(metric)
    costs = results.timings[[*keys, clock]]
    return results.table[keys].merge(costs, how="left", on=keys, validate="1:1")[clock].to_numpy()


def _repeat_at_every_x(frame: pd.DataFrame, x: str) -> pd.DataFrame:
    """Repeat methods without the parameter ``x`` at each of its values on the same dataset."""
    rows = set(frame["row"]) - set(frame.loc[frame["x"].notna(), "row"])
    if rows:
        names = ", ".join(sorted(rows))
        remedy = "leave the dataset out of the study, or choose another x"
        raise ValueError(f"x = '{x}' is not numeric on {names}: {remedy}")
    return _repeat_constant(frame, "x")


def _repeat_constant(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Repeat rows without a value in ``column`` at each of its values on the same dataset."""
    lacks_value = frame[column].isna() | (frame[column].astype("string") == "")
    values = frame.loc[~lacks_value, ["row", column]].drop_duplicates()
    constant = frame[lacks_value].drop(columns=column).merge(values, on="row")
    return pd.concat([frame[~lacks_value], constant]) if lacks_value.any() else frame


def parameter_label(column: str) -> str:
    """Return the label of a parameter's axis.

    Examples
    --------
    >>> parameter_label("data.n_features")
    'number of features'
    >>> parameter_label("data.mean_sd")
    'mean sd'
    """
    return re.sub("^n_", "number of ", column.partition(".")[2]).replace("_", " ")


def axis_label(results: StudyResults, metric: str, name: str = "title") -> str:
    """Return the label of a metric's or cost's axis, with an arrow to better values.

    ``name`` is ``"title"``, or ``"label"`` for the short name of a metric.
    """
    if metric in COSTS:
        return results.cost_label(metric)
    if metric not in results.metrics:
        attribute = metric.removeprefix("fit.")
        return RECORDED.get(attribute, attribute.replace("_", " "))
    facts = results.metrics[metric]
    return f"{facts[name]} {'↑' if facts['direction'] == 'higher' else '↓'}"


def bounds_of(results: StudyResults, metric: str) -> Sequence[float | None]:
    """Return the lowest and highest value that a metric or cost can have."""
    return results.metrics.get(metric, {"range": (0, None)})["range"]


def _limits_of_fit(panel: Panel) -> tuple[float, float] | None:
    """Return limits that include zero, for fitted attributes on a linear axis."""
    if _is_log(panel) or not panel.metric.startswith("fit."):
        return None
    values = panel.points[["center", "low", "high"]].to_numpy().ravel()
    return axis_limits(np.append(values, 0.0), False, (None, None))


def _is_log(panel: Panel) -> bool:
    """Return whether the vertical axis is logarithmic: costs, and attributes of a wide range."""
    center = panel.points["center"].dropna()
    wide = center.min() > 0 and center.max() > 30 * center.min()
    return panel.metric in COSTS or (panel.metric.startswith("fit.") and bool(wide))


def explain(results: StudyResults, panels: Sequence[Panel]) -> str:
    """Return the sentences that explain points, bars and bands, if the panels contain these."""
    contents = [panel for panel in panels if len(panel.points)]
    scores = any(panel.metric not in COSTS for panel in contents)
    costs = any(panel.metric in COSTS for panel in contents)
    bars = any(panel.points["low"].notna().any() for panel in contents)
    sentences = []
    if not bars:
        sentences.append("Points: single trials, without bars.")
    elif scores:
        sentences.append("Scores: mean and its 95 % interval (bars), within the metric's range.")
    if bars and costs:
        sentences.append("Costs: median and quartiles (bars).")
    # Published curves
    if any(has_bands(panel.published) for panel in contents):
        sentences.append("Published: mean and ±1 s.d. (bands), within the metric's range.")
    elif any(panel.published for panel in contents):
        has_sd = any(c["sd"].notna().any() for panel in contents for c in panel.published.values())
        bands = f", without bands, as there are more than {MAX_BANDS}" if has_sd else ""
        sentences.append(f"Published: dashed, with open markers{bands}.")
    elif results.unpublished:
        sentences.append("Nothing is published for these cells.")
    if any(panel.published and panel.metric in COSTS for panel in contents):
        sentences.append("Published times: wall clock of another machine.")
    # Failures
    cells = pd.concat([panel.points for panel in panels])
    if (cells["n_ok"] == 0).any():
        sentences.append("✕: all trials failed.")
    if cells["n_ok"].between(1, cells["n_trials"] - 1).any():
        sentences.append("Numbers: % that failed.")
    if any(panel.metric in results.metrics for panel in contents):
        sentences.append("↑ higher, ↓ lower is better.")
    return " ".join([*sentences, results.clock_note([panel.metric for panel in contents])]).strip()
