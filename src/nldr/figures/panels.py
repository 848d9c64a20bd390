"""A panel of curves: named lines, published curves in the background, failures below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator
from matplotlib.transforms import ScaledTranslation
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from nldr.figures import style
from nldr.figures.axes import axis_limits, number_room, set_y
from nldr.figures.style import MethodStyle

LANE, LEADER = 3.2, 2.2  # height of a row of failures; distance of names from the axes, mm
LANES = 4  # rows of failures for which a panel has room
PUBLISHED_LINE = (0, (3, 1.5))
MAX_BANDS = 6  # more bands than this hide each other
FEWEST = 3  # values of x that a line joins; fewer are dots, side by side
MM = 72 / 25.4  # points per millimeter
AXES = "axes fraction"  # coordinates of names
SHADES = (("white", 0.0), ("black", 0.45), ("white", 0.45), ("black", 0.7))  # of a method's lines


class Panel(NamedTuple):
    """Contents of one panel."""

    title: str
    metric: str
    points: pd.DataFrame
    published: dict[str, pd.DataFrame]


@dataclass(frozen=True)
class End:
    """The last point of a line, beside which its name is written."""

    line: str
    look: MethodStyle
    x: float
    y: float


def strip_height(points: pd.DataFrame) -> float:
    """Return the height in millimeters of the strip of failures below a panel."""
    return LANE * points.loc[points["n_ok"] < points["n_trials"], "line"].nunique()


def draw_panel(
    figure: Figure,
    box: tuple[float, float, float, float],
    points: pd.DataFrame,
    published: Mapping[str, pd.DataFrame],
    looks: Mapping[str, MethodStyle],
    *,
    labels: tuple[str, str],
    log: bool,
    bounds: Sequence[float | None],
    limits: tuple[float, float] | None = None,
    named: bool = True,
    numbered: tuple[bool, bool] = (True, True),
) -> Axes:
    """Draw the curves of one metric on one dataset, and return the axes.

    Parameters
    ----------
    figure : Figure
        The figure to draw into.
    box : tuple of float
        Left, top, width and height in millimeters; names of lines are to the right of this box,
        tick labels to the left and below.
    points : DataFrame
        One row per point: ``line``, ``method``, ``x``, ``center``, ``low``, ``high``, ``n_ok`` and
        ``n_trials``, in the order of drawing.
    published : mapping of str to DataFrame
        Method to ``x``, ``center`` and ``sd`` of its published curve.
    looks : mapping of str to MethodStyle
        Look of each line, and of each method with a published curve: see :func:`line_looks`.
    labels : tuple of str
        Labels of the horizontal and the vertical axis.
    log : bool
        Whether the vertical axis is logarithmic.
    bounds : sequence of float or None
        Lowest and highest value that the metric can have; None for no bound.
    limits : tuple of float, optional
        Limits of the vertical axis; by default they fit the contents.
    named : bool
        Whether names are written at the ends of the lines and beside failures.
    numbered : tuple of bool
        Whether the horizontal and the vertical axis have tick labels.
    """
    # A strip below the plot has room for one row of failures per line.
    left, top, width, height = box
    below = strip_height(points)
    axes = style.add_axes(figure, left, top, width, height - below)
    # Published curves, and all values that the vertical axis must include
    values = [points[["center", "low", "high"]].to_numpy().ravel()]
    for method, curve in published.items():
        _draw_published(axes, method, curve, looks[method], bounds, band=has_bands(published))
        values += [curve["center"], curve["center"] - curve["sd"], curve["center"] + curve["sd"]]
    # Axes, lines and names
    set_y(axes, limits or axis_limits(np.concatenate(values), log, bounds), log, bounds)
    _set_x(axes, points["x"], width)
    lines = _by_line(points)
    shifts = _shifts(points, len(lines), width)
    ends = [
        _draw_line(axes, line, curve, looks[line], shift)
        for (line, curve), shift in zip(lines, shifts, strict=True)
    ]
    axes.tick_params(labelleft=numbered[1])
    if named:
        # Names leave room for those of the failures below.
        lowest_name = 0.6 * style.TEXT / MM / (height - below) if below else 0.0
        drawn = [end for end in ends if end is not None]
        label_ends(axes, drawn, width, height - below, lowest_name)
    # The label is left of the widest number.
    label = style.wrap(labels[1], style.TEXT, height - below)
    axes.set_ylabel(label, va="bottom", rotation_mode="anchor")
    axes.yaxis.set_label_coords(-number_room(axes.yaxis) / width, 0.5)
    # Failures
    lowest = axes
    if below:
        axes.tick_params(labelbottom=False)
        lowest = style.add_axes(figure, left, top + height - below, width, below)
        _set_x(lowest, points["x"], width)
        failures = points[points["n_ok"] < points["n_trials"]]
        _draw_failures(lowest, failures, looks, width, named)
    lowest.tick_params(labelbottom=numbered[0])
    lowest.set_xlabel(labels[0], labelpad=2)
    return axes


def has_bands(published: Mapping[str, pd.DataFrame]) -> bool:
    """Return whether a panel's published curves have bands of one standard deviation.

    Examples
    --------
    >>> has_bands({"a": pd.DataFrame({"sd": [0.1]})}), has_bands({})
    (True, False)
    """
    has_sd = any(curve["sd"].notna().any() for curve in published.values())
    return has_sd and len(published) <= MAX_BANDS


def spread(positions: ArrayLike, gap: float, low: float, high: float) -> NDArray:
    """Return the positions closest to these, in least squares, that are ``gap`` apart.

    The order is kept, and all positions are in [low, high]; the gap is smaller if there are too
    many positions for it.

    Examples
    --------
    >>> spread([0.5, 0.5, 0.1], 0.2, 0, 1).tolist()
    [0.4, 0.6, 0.1]
    """
    positions = np.asarray(positions, float)
    order = np.argsort(positions, kind="stable")
    # With the gaps subtracted, the constraint is that positions do not decrease.
    slots = np.arange(len(positions)) * min(gap, (high - low) / max(len(positions) - 1, 1))
    fitted = isotonic_regression(positions[order] - slots).x
    result = np.empty_like(positions)
    result[order] = np.clip(fitted, low, high - slots[-1]) + slots
    return result


def _by_line(points: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the title and the points of each line."""
    return [(str(line), curve) for line, curve in points.groupby("line", sort=False)]


def line_looks(points: pd.DataFrame, looks: Mapping[str, MethodStyle]) -> dict[str, MethodStyle]:
    """Return the look of each line and of each method.

    The first line of a method has its look. Further ones, with other parameters, have its color
    darkened or lightened, another line style and another marker.

    Parameters
    ----------
    points : DataFrame
        The points of all panels of a figure: ``line`` and ``method``.
    looks : mapping of str to MethodStyle
        Method to its look.

    Examples
    --------
    >>> points = pd.DataFrame({"line": ["A, k = 1", "A, k = 2"], "method": "a"})
    >>> found = line_looks(points, {"a": style.look("#D55E00", "o")})
    >>> [(look.color, look.marker) for look in found.values()]
    [('#D55E00', 'o'), ('#D55E00', 'o'), ('#753400', 's')]
    """
    look_of_line = dict(looks)
    for method, lines in points.groupby("method", sort=False)["line"]:
        look = looks[str(method)]
        markers = [look.marker, *(m for m in style.MARKERS if m != look.marker)]
        styles = [look.linestyle, *(ls for ls in style.VARIANT_LINES if ls != look.linestyle)]
        for i, line in enumerate(lines.unique()):
            other, amount = SHADES[i % len(SHADES)]
            look_of_line[line] = replace(
                look,
                color=style.mixed(look.color, other, amount) if amount else look.color,
                marker=markers[i % len(markers)] if look.marker else "",
                linestyle=styles[i % len(styles)],
            )
    return look_of_line


def _draw_published(
    axes: Axes,
    method: str,
    curve: pd.DataFrame,
    look: MethodStyle,
    bounds: Sequence[float | None],
    band: bool,
) -> None:
    """Draw a dashed published curve with the method's markers, open and pale.

    With ``band`` it has a band of one standard deviation, within the bounds of the metric.
    """
    x, center, sd = curve["x"], curve["center"], curve["sd"]
    if band:
        floor, ceiling = bounds
        low, high = (np.clip(edge, floor, ceiling) for edge in (center - sd, center + sd))
        axes.fill_between(x, low, high, color=look.pale, alpha=0.2, lw=0, zorder=1)
    stroke: dict[str, Any] = {"color": look.pale, "lw": 1.0, "ls": PUBLISHED_LINE, "zorder": 1.5}
    size = 2.6 * style.MARKER_SIZES.get(look.marker, 1.0)
    mark: dict[str, Any] = {"marker": look.marker, "ms": size, "mec": look.pale, "mew": 0.6}
    if len(x) < FEWEST:
        stroke["ls"] = "none"
    axes.plot(x, center, **stroke, **mark, mfc="white", gid=f"published:{method}")


def _shifts(points: pd.DataFrame, n_lines: int, width: float) -> NDArray:
    """Return how far each line is moved to the right, in points: dots do not overlap."""
    n_values = points["x"].nunique()
    if n_values >= FEWEST:
        return np.zeros(n_lines)
    room = 0.5 * width / n_values * MM
    step = min(4.0, room / n_lines)
    return step * (np.arange(n_lines) - (n_lines - 1) / 2)


def _draw_line(
    axes: Axes, line: str, curve: pd.DataFrame, look: MethodStyle, shift: float
) -> End | None:
    """Draw a line with its bars, and gaps where there is no value; return its end.

    Fewer than three values are dots, moved to the right by a number of points.
    """
    curve = curve.sort_values("x")
    order = 2 if look.control else 3
    mark = look.line()
    moved = axes.transData
    if curve["x"].nunique() < FEWEST:
        mark |= {"linestyle": "none", "marker": look.marker or "o"}
        moved = moved + ScaledTranslation(shift / 72, 0, axes.figure.dpi_scale_trans)
    place: dict[str, Any] = {"zorder": order, "transform": moved}
    axes.plot(curve["x"], curve["center"], **mark, **place, gid=f"ours:{line}")
    bar: dict[str, Any] = {"color": look.color, "lw": 0.7, "alpha": 0.7, **place}
    axes.vlines(curve["x"], curve["low"], curve["high"], **bar, gid=f"bars:{line}")
    solved = curve.dropna(subset="center")
    if solved.empty:
        return None
    return End(line, look, solved["x"].iloc[-1], solved["center"].iloc[-1])


def label_ends(
    axes: Axes, ends: Sequence[End], width: float, height: float, lowest: float = 0.0
) -> None:
    """Write each line's name to the right of its end, without overlap.

    Parameters
    ----------
    axes : Axes
        Axes with their final limits.
    ends : sequence of End
        The ends of the lines, in the units of the axes.
    width, height : float
        Size of the axes in millimeters.
    lowest : float
        Lowest position of a name, as a fraction of the axes.
    """
    if not ends:
        return
    # Heights of the names as fractions of the axes
    unit = axes.transScale + axes.transLimits
    positions = [unit.transform((end.x, end.y))[1] for end in ends]
    heights = spread(positions, 1.12 * style.TEXT / MM / height, lowest, 1)
    arrow: dict[str, Any] = {"arrowstyle": "-", "lw": 0.4, "alpha": 0.7, "shrinkA": 0.5}
    arrow |= {"shrinkB": 2.5, "relpos": (0, 0.5)}
    text: dict[str, Any] = {"va": "center", "annotation_clip": False, "textcoords": AXES}
    for end, level in zip(ends, heights, strict=True):
        text |= {"color": end.look.ink, "arrowprops": {"color": end.look.color, **arrow}}
        place = (end.x, end.y), (1 + LEADER / width, level)
        axes.annotate(end.line, *place, **text, gid=f"name:{end.line}")


def height_of_failures(points: pd.DataFrame) -> float:
    """Return by how much a panel is higher for its rows of failures, in millimeters."""
    return max(0.0, strip_height(points) - LANE * LANES)


def _draw_failures(
    strip: Axes, failures: pd.DataFrame, looks: Mapping[str, MethodStyle], width: float, named: bool
) -> None:
    """Draw one row per line: ✕ where all trials failed, a percentage where some did."""
    lanes = _by_line(failures)
    strip.set_ylim(len(lanes) - 0.4, -0.6)
    strip.yaxis.set_major_locator(NullLocator())
    strip.spines["left"].set_visible(False)
    start = 0.0  # left end of the leftmost percentage
    unit = strip.transScale + strip.transLimits
    for lane, (line, cells) in enumerate(lanes):
        look = looks[line]
        # Crosses where all trials failed
        none = cells[cells["n_ok"] == 0]
        cross: dict[str, Any] = {"ls": "none", "marker": "x", "ms": 3.6, "mew": 1.1}
        cross |= {"color": look.color, "clip_on": False, "gid": f"failed:{line}"}
        strip.plot(none["x"], np.full(len(none), lane), **cross)
        # Percentages where some trials failed, beside each other if their x are close
        text: dict[str, Any] = {"size": style.SMALL, "color": look.ink, "ha": "center"}
        text |= {"va": "center_baseline", "transform": strip.get_yaxis_transform()}
        some = cells[cells["n_ok"] > 0]
        if len(some):
            middles = unit.transform([(x, 0) for x in some["x"]])[:, 0]
            two_digits = style.text_width("00", style.SMALL)
            middles = spread(middles, (two_digits + 0.7) / width, 0, 1)
            start = min(start, width * middles.min() - two_digits / 2)
            for middle, share in zip(middles, 1 - some["n_ok"] / some["n_trials"], strict=True):
                strip.text(middle, lane, f"{100 * share:.0f}", **text, gid=f"some failed:{line}")
        if named:
            name: dict[str, Any] = {"size": style.SMALL, "color": look.ink, "va": "center"}
            name |= {"xycoords": (AXES, "data"), "annotation_clip": False}
            strip.annotate(line, (1 + LEADER / width, lane), **name)
    heading = "failed, %" if failures["n_ok"].any() else "failed"
    head: dict[str, Any] = {"size": style.SMALL, "color": style.GRAY, "ha": "right", "va": "center"}
    strip.text(start / width - 0.02, 0.38, heading, transform=strip.transAxes, **head)


def _set_x(axes: Axes, values: pd.Series, width: float) -> None:
    """Set up the horizontal axis: a tick at every value, labeled if there is room."""
    ticks = np.unique(values)
    log = ticks[0] > 0 and ticks[-1] >= 8 * ticks[0]
    at = np.log10(ticks) if log else ticks
    margin = (0.05 if len(ticks) >= FEWEST else 0.5) * (at[-1] - at[0]) or 0.5
    low, high = at[0] - margin, at[-1] + margin
    axes.set_xscale("log" if log else "linear")
    axes.set_xlim((10**low, 10**high) if log else (low, high))
    # Tick labels from left to right, without overlap
    texts, end = [], -np.inf
    for value, middle in zip(ticks, width * (at - low) / (high - low), strict=True):
        text = f"{value:.6g}"
        half = style.text_width(text, style.SMALL) / 2
        fits = middle - half > end
        texts.append(text if fits else "")
        end = middle + half + 1 if fits else end
    axes.set_xticks(ticks, texts)
    axes.xaxis.set_minor_locator(NullLocator())


class Legend:
    """Legend of lines and marks below the panels; measures in millimeters."""

    def __init__(
        self,
        panels: Sequence[Panel],
        width: float,
        unnamed: Mapping[str, MethodStyle] | None = None,
    ) -> None:
        # Lines whose names are not at their ends
        looks = (unnamed or {}).items()
        self.handles = [Line2D([], [], **look.line(), label=line) for line, look in looks]
        self.has_names = bool(self.handles)
        if any(panel.published for panel in panels):
            gray: dict[str, Any] = {"color": style.GRAY, "lw": 1.1, "ms": 3.5, "mew": 1.1}
            pale = {"color": style.LIGHT, "ls": PUBLISHED_LINE, "marker": "o", "mfc": "white"}
            self.handles.append(Line2D([], [], **gray, marker="o", label="ours"))
            self.handles.append(Line2D([], [], **(gray | pale), label="published"))
        self.ncols = 4 if width > style.SINGLE else 2
        self.height = 3.8 * -(-len(self.handles) // self.ncols) + 0.7 * bool(self.handles)

    def draw(self, figure: Figure, top: float) -> None:
        """Draw the legend at a distance from the figure's upper edge."""
        if not self.handles:
            return
        height = figure.get_size_inches()[1] * 25.4
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0, 1 - top / height)}
        look: dict[str, Any] = {"frameon": False, "handlelength": 2.6, "borderaxespad": 0.3}
        legend = figure.legend(handles=self.handles, ncols=self.ncols, **place, **look)
        legend.set_gid("names" if self.has_names else None)
