"""Costs and scores against the size of the data, with exponents of growth and others' times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nldr.costs import COSTS
from nldr.figures import style
from nldr.figures.curves import draw_rows, panels_by_row, parameter_label
from nldr.figures.panels import Panel
from nldr.figures.results import NO_BREAK, StudyResults
from nldr.statistics.power_law import FEWEST, PowerLaw, fit_power_law

LINE, ABOVE, GAP = 3.8, 5.0, 7.0  # heights in the table, gap between columns, mm
FIT_LINE = (0, (1, 1.2))
NOTHING, OFFSET = "–", "offset points"


class Foreign(NamedTuple):
    """A time that others published: who, for how many points, and how long it took."""

    label: str
    x: float
    seconds: float


@style.journal()
def scaling(
    results: StudyResults,
    *,
    x: str = "data.n_samples",
    metrics: Sequence[str] = ("seconds", "peak_mb"),
    x_label: str | None = None,
    fit_from: Mapping[str, float] | float = 0.0,
) -> Figure:
    """Draw metrics and costs against the size, and fit a power law to each cost.

    Below the panels, a table has the exponents of the costs, with 95 % intervals if they are from
    five sizes or more, and the values of the other metrics at the largest size that a method
    reached. Dotted lines are the fits, by least squares of logarithms. Times that others published
    for methods that are not in the study are numbered diamonds, explained below the figure.

    Parameters
    ----------
    x : str
        Column of the size on the horizontal axis.
    metrics : sequence of str
        One panel each, as in :func:`nldr.figures.curves.curves`.
    x_label : str, optional
        Label of the axis; by default the parameter's name.
    fit_from : float or mapping of str to float, default=0
        Smallest size of the fits, for all costs or by cost.

    Returns
    -------
    Figure
        One row of panels per dataset, and the table.

    Raises
    ------
    ValueError
        If ``x`` or a metric is unknown, or ``x`` is not numeric on some dataset.
    """
    rows = panels_by_row(results, x, metrics)
    lines = max(panel.points["line"].nunique() for row in rows for panel in row)
    height = ABOVE + len(rows) * LINE * (lines + 3)
    along = x_label or parameter_label(x)
    drawing = draw_rows(results, rows, along, below=height)

    # Fits of the costs, and times of others
    start = fit_from if isinstance(fit_from, Mapping) else dict.fromkeys(metrics, fit_from)
    fits = [_draw_fits(panel, axes, start.get(panel.metric, 0.0)) for panel, axes in drawing.plots]
    others = foreign_times(results, x)
    for panel, axes in drawing.plots:
        if panel.metric == "seconds":
            _draw_foreign(axes, others)

    # Table below the panels, one block per dataset
    top = drawing.bottom + ABOVE
    for i, row in enumerate(rows):
        part = slice(i * len(metrics), (i + 1) * len(metrics))
        top = _draw_block(drawing.figure, top, row, fits[part], drawing.plots[part])
    style.add_note(drawing.figure, _explain(others, start, results.table[x].max()))
    return drawing.figure


def foreign_times(results: StudyResults, x: str) -> list[Foreign]:
    """Return the published times of methods that the study does not have."""
    if results.published is None or x not in results.published:
        return []
    rows = results.published[results.published["metric"] == "seconds"]
    rows = rows[~rows["method"].isin(results.methods)]
    return [Foreign(str(r["method"]), float(r[x]), float(r["value"])) for _, r in rows.iterrows()]


def _draw_fits(panel: Panel, axes: Axes, start: float) -> dict[str, PowerLaw]:
    """Draw the power law of each line of a cost, and return them."""
    if panel.metric not in COSTS:
        return {}
    laws = {}
    for name, curve in panel.points.groupby("line", sort=False):
        law = fit_power_law(curve["x"], curve["center"], start)
        if law is not None:
            laws[str(name)] = law
            ends = [law.start, law.end]
            axes.plot(ends, law.at(ends), color=style.GRAY, lw=0.8, ls=FIT_LINE, gid=f"fit:{name}")
    return laws


def _draw_foreign(axes: Axes, others: Sequence[Foreign]) -> None:
    """Draw the times of others that are within the range of sizes, numbered."""
    low, high = axes.get_xlim()
    for number, other in enumerate(others, 1):
        if not low <= other.x <= high:
            continue
        bottom, top = axes.get_ylim()
        axes.set_ylim(min(bottom, other.seconds / 1.5), max(top, 1.5 * other.seconds))
        mark: dict[str, Any] = {"marker": "D", "ms": 4, "mfc": "white", "mec": style.GRAY, "ls": ""}
        axes.plot(other.x, other.seconds, **mark, gid=f"foreign:{other.label}")
        text: dict[str, Any] = {"size": style.SMALL, "color": style.GRAY, "textcoords": OFFSET}
        place = (other.x, other.seconds), (-4, 0)
        axes.annotate(f"{number}", *place, ha="right", va="center", **text)


def _draw_block(
    figure: Figure,
    top: float,
    row: Sequence[Panel],
    fits: Sequence[Mapping[str, PowerLaw]],
    plots: Sequence[tuple[Panel, Axes]],
) -> float:
    """Draw the table of one dataset, and return the position of its end."""
    # Columns of equal width beside the names
    names = [str(name) for name in row[0].points["line"].unique()]
    left = max(style.text_width(name, style.SMALL) for name in [row[0].title, *names]) + 2 + GAP
    pitch = (figure.get_figwidth() * 25.4 - left) / len(plots)
    # Headings of two lines: contents of each panel
    style.add_text(figure, 2, top + LINE, row[0].title, size=style.SMALL, weight="bold")
    for column, (panel, axes) in enumerate(plots):
        label = axes.get_ylabel().replace("\n", " ").rstrip(" ↑↓")
        what = "exponent" if panel.metric in COSTS else "at the largest size"
        head = f"{label}:\n{what}"
        style.add_text(figure, left + column * pitch, top, head, size=style.SMALL)
    top += LINE
    # One line per method
    for name in names:
        top += LINE
        style.add_text(figure, 2, top, name, size=style.SMALL)
        for column, (panel, laws) in enumerate(zip(row, fits, strict=True)):
            text = _entry(panel, name, laws)
            style.add_text(figure, left + column * pitch, top, text, size=style.SMALL)
    return top + 2 * LINE


def _entry(panel: Panel, name: str, laws: Mapping[str, PowerLaw]) -> str:
    """Return an exponent, with its interval if there is one, or the value at the largest size."""
    if panel.metric in COSTS:
        law = laws.get(name)
        if law is None:
            return NOTHING
        interval = "" if isnan(law.low) else f" ({law.low:.2f} to {law.high:.2f})"
        return f"{law.exponent:.2f}{interval}".replace("-", "−")
    points = panel.points[panel.points["line"] == name].dropna(subset="center")
    if points.empty:
        return NOTHING
    last = points.loc[points["x"].idxmax()]
    return f"{last['center']:.2g} (n = {last['x']:.0f})".replace(" = ", f"{NO_BREAK}={NO_BREAK}")


def _explain(others: Sequence[Foreign], start: Mapping[str, float], largest: float) -> str:
    """Return the sentences about fits and times of others."""
    words = [
        "Dotted: power laws, fitted to logarithms by least squares. In the table, exponents from "
        f"{FEWEST} sizes or more have 95 % intervals."
    ]
    sizes = sorted({f"{size:g}" for size in start.values() if size > 0}, key=float)
    if sizes:
        words.append(f"Sizes from {' or '.join(sizes)} on are fitted.")
    if others:
        times = "; ".join(
            f"{i if other.x <= largest else '(not shown)'} {other.label}, "
            f"{other.x:.0f} points in {other.seconds:.0f} s"
            for i, other in enumerate(others, 1)
        )
        words.append(f"Published by others, on other machines and data: {times}.")
    return " ".join(words)
