"""A panel of curves: named lines, published curves in the background, failures below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from nldr.figures import style
from nldr.figures.style import MethodStyle

LANE, LEADER = 2.8, 2.2  # height of a row of failures; distance of names from the axes, mm
PUBLISHED_LINE = (0, (3, 1.5))
MAX_BANDS = 6  # more bands than this hide each other
MM = 72 / 25.4  # points per millimeter


@dataclass(frozen=True)
class End:
    """The last point of a line, beside which its name is written."""

    line: str
    look: MethodStyle
    x: float
    y: float


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
) -> None:
    """Draw the curves of one metric on one dataset.

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
        Method to its look.
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
    failed = points[points["n_ok"] < points["n_trials"]]
    below = LANE * failed["line"].nunique()
    axes = style.add_axes(figure, left, top, width, height - below)
    line_looks = _line_looks(points, looks)
    # Published curves, and all values that the vertical axis must include
    values = [points[["center", "low", "high"]].to_numpy().ravel()]
    for method, curve in published.items():
        _draw_published(axes, method, curve, looks[method], band=has_bands(published))
        values += [curve["center"], curve["center"] - curve["sd"], curve["center"] + curve["sd"]]
    # Axes, lines and names
    axes.set_yscale("log" if log else "linear")
    axes.set_ylim(limits or axis_limits(np.concatenate(values), log, bounds))
    if log:
        set_log_ticks(axes.yaxis)
    else:
        _set_linear_ticks(axes, bounds)
    _set_x(axes, points["x"], width)
    ends = [_draw_line(axes, line, curve, line_looks[line]) for line, curve in _by_line(points)]
    axes.tick_params(labelleft=numbered[1])
    if named:
        label_ends(axes, [end for end in ends if end is not None], width, height - below)
    axes.set_ylabel(style.wrap(labels[1], style.TEXT, height))
    axes.yaxis.set_label_coords(-9 / width, 0.5)
    # Failures
    lowest = axes
    if below:
        axes.tick_params(labelbottom=False)
        lowest = style.add_axes(figure, left, top + height - below, width, below)
        _set_x(lowest, points["x"], width)
        _draw_failures(lowest, failed, line_looks, width, named)
    lowest.tick_params(labelbottom=numbered[0])
    lowest.set_xlabel(labels[0], labelpad=2)


def has_bands(published: Mapping[str, pd.DataFrame]) -> bool:
    """Tell whether a panel's published curves have bands of one standard deviation.

    Examples
    --------
    >>> has_bands({"a": pd.DataFrame({"sd": [0.1]})}), has_bands({})
    (True, False)
    """
    known = any(curve["sd"].notna().any() for curve in published.values())
    return known and len(published) <= MAX_BANDS


def spread(wanted: ArrayLike, gap: float, low: float, high: float) -> NDArray:
    """Return the positions closest to ``wanted``, in least squares, that are ``gap`` apart.

    The order is kept, and all positions are in [low, high]; the gap is smaller where there are too
    many positions for it.

    Examples
    --------
    >>> spread([0.5, 0.5, 0.1], 0.2, 0, 1).tolist()
    [0.4, 0.6, 0.1]
    """
    wanted = np.asarray(wanted, float)
    order = np.argsort(wanted, kind="stable")
    # With the gaps subtracted, the constraint is that positions do not decrease.
    slots = np.arange(len(wanted)) * min(gap, (high - low) / max(len(wanted) - 1, 1))
    free = isotonic_regression(wanted[order] - slots).x
    result = np.empty_like(wanted)
    result[order] = np.clip(free, low, high - slots[-1]) + slots
    return result


def _by_line(points: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the title and the points of each line."""
    return [(str(line), curve) for line, curve in points.groupby("line", sort=False)]


def _line_looks(points: pd.DataFrame, looks: Mapping[str, MethodStyle]) -> dict[str, MethodStyle]:
    """Return the look of each line: that of its method, with another marker after the first."""
    line_looks: dict[str, MethodStyle] = {}
    for method, lines in points.groupby("method", sort=False)["line"]:
        look = looks[str(method)]
        markers = [look.marker, *(m for m in style.MARKERS if m != look.marker)]
        for i, line in enumerate(lines.unique()):
            marker = markers[i % len(markers)] if look.marker else ""
            line_looks[line] = replace(look, marker=marker)
    return line_looks


def _draw_published(
    axes: Axes, method: str, curve: pd.DataFrame, look: MethodStyle, band: bool
) -> None:
    """Draw a pale dashed published curve, with a band of one standard deviation if ``band``."""
    x, center, sd = curve["x"], curve["center"], curve["sd"]
    if band:
        axes.fill_between(x, center - sd, center + sd, color=look.pale, alpha=0.2, lw=0, zorder=1)
    axes.plot(x, center, color=look.pale, lw=1.0, ls=PUBLISHED_LINE, zorder=1.5,
              gid=f"published:{method}")  # fmt: skip


def _draw_line(axes: Axes, line: str, curve: pd.DataFrame, look: MethodStyle) -> End | None:
    """Draw a line with its bars, and gaps where there is no value; return its end."""
    curve = curve.sort_values("x")
    order = 2 if look.control else 3
    axes.plot(curve["x"], curve["center"], **look.line(), zorder=order, gid=f"ours:{line}")
    axes.vlines(
        curve["x"], curve["low"], curve["high"], color=look.color, lw=0.7, alpha=0.7,
        zorder=order, gid=f"bars:{line}",
    )  # fmt: skip
    drawn = curve.dropna(subset="center")
    if drawn.empty:
        return None
    return End(line, look, drawn["x"].iloc[-1], drawn["center"].iloc[-1])


def label_ends(axes: Axes, ends: Sequence[End], width: float, height: float) -> None:
    """Write each line's name to the right of its end, without overlap.

    Parameters
    ----------
    axes : Axes
        Axes with their final limits.
    ends : sequence of End
        The ends of the lines, in the units of the axes.
    width, height : float
        Size of the axes in millimeters.
    """
    if not ends:
        return
    # Heights of the names as fractions of the axes
    unit = axes.transScale + axes.transLimits
    wanted = [unit.transform((end.x, end.y))[1] for end in ends]
    heights = spread(wanted, 1.12 * style.TEXT / MM / height, 0, 1)
    for end, level in zip(ends, heights, strict=True):
        axes.annotate(
            end.line, (end.x, end.y), (1 + LEADER / width, level), textcoords="axes fraction",
            va="center", color=end.look.ink, annotation_clip=False, gid=f"name:{end.line}",
            arrowprops={"arrowstyle": "-", "color": end.look.color, "lw": 0.4, "alpha": 0.7,
                        "shrinkA": 0.5, "shrinkB": 2.5, "relpos": (0, 0.5)},
        )  # fmt: skip


def _draw_failures(
    strip: Axes, failed: pd.DataFrame, looks: Mapping[str, MethodStyle], width: float, named: bool
) -> None:
    """Draw one row per line: ✕ where all trials failed, k/n where k of n failed."""
    lanes = _by_line(failed)
    strip.set_ylim(len(lanes) - 0.4, -0.6)
    strip.yaxis.set_major_locator(NullLocator())
    strip.spines["left"].set_visible(False)
    strip.text(-0.02, 0.5, "failed", transform=strip.transAxes, va="center", ha="right",
               size=style.SMALL, color=style.GRAY)  # fmt: skip
    for lane, (line, cells) in enumerate(lanes):
        look = looks[line]
        # Crosses where all trials failed
        none = cells[cells["n_ok"] == 0]
        strip.plot(none["x"], np.full(len(none), lane), ls="none", marker="x", ms=3.6, mew=1.1,
                   color=look.color, clip_on=False, gid=f"failed:{line}")  # fmt: skip
        # Counts where some trials failed
        for cell in cells[cells["n_ok"] > 0].itertuples():
            count = f"{cell.n_trials - cell.n_ok}/{cell.n_trials}"
            strip.text(cell.x, lane, count, size=style.SMALL - 1, color=look.ink, ha="center",
                       va="center_baseline", gid=f"some failed:{line}")  # fmt: skip
        if named:
            strip.annotate(
                line, (1 + LEADER / width, lane), xycoords=("axes fraction", "data"), va="center",
                size=style.SMALL, color=look.ink, annotation_clip=False,
            )  # fmt: skip


def _set_x(axes: Axes, values: pd.Series, width: float) -> None:
    """Set up the horizontal axis: a tick at every value, labeled where there is room."""
    ticks = np.unique(values)
    log = ticks[0] > 0 and ticks[-1] >= 8 * ticks[0]
    at = np.log10(ticks) if log else ticks
    margin = 0.05 * (at[-1] - at[0]) or 0.5
    low, high = at[0] - margin, at[-1] + margin
    axes.set_xscale("log" if log else "linear")
    axes.set_xlim((10**low, 10**high) if log else (low, high))
    # Tick labels from left to right, without overlap
    texts, free = [], -np.inf
    for value, middle in zip(ticks, width * (at - low) / (high - low), strict=True):
        text = f"{value:.6g}"
        half = style.text_width(text, style.SMALL) / 2
        shown = middle - half > free
        texts.append(text if shown else "")
        free = middle + half + 1 if shown else free
    axes.set_xticks(ticks, texts)
    axes.xaxis.set_minor_locator(NullLocator())


def set_log_ticks(axis: Axis) -> None:
    """Label powers of ten; on short axes also their multiples by 2 and 5, or any numbers."""
    low, high = axis.get_view_interval()
    if high < 100 * low:
        few = high < 4 * low
        axis.set_major_locator(MaxNLocator(3) if few else LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(lambda value, position: f"{value:g}")
    axis.set_minor_formatter(NullFormatter())


def _set_linear_ticks(axes: Axes, bounds: Sequence[float | None]) -> None:
    """Set short tick labels on the vertical axis, none of them beyond the bounds of the metric."""
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.ticklabel_format(axis="y", scilimits=(-3, 5))
    low, high = axes.get_ylim()
    floor = low if bounds[0] is None else max(low, bounds[0])
    ceiling = high if bounds[1] is None else min(high, bounds[1])
    rounding = 1e-9 * (high - low)
    ticks = axes.get_yticks()
    axes.set_yticks(ticks[(ticks >= floor - rounding) & (ticks <= ceiling + rounding)])


def axis_limits(values: NDArray, log: bool, bounds: Sequence[float | None]) -> tuple[float, float]:
    """Return limits of a vertical axis around ``values``, with a small margin beyond ``bounds``.

    Examples
    --------
    >>> low, high = axis_limits(np.array([0.0, 0.5, 1.0]), False, (0, 1))
    >>> float(low), float(high)
    (-0.025, 1.025)
    """
    # Values that the axis can show, and bounds as numbers
    values = values[np.isfinite(values) & ((values > 0) | (not log))]
    floor, ceiling = (
        sign * np.inf if b is None else b for sign, b in zip((-1, 1), bounds, strict=True)
    )
    if not len(values):
        return (0.1, 10.0) if log else (0.0, 1.0)
    # A logarithmic axis covers at least a decade.
    if log:
        low, high = np.log10([values.min(), values.max()])
        if high - low < 1:
            return 10 ** (np.floor(low - 0.05) - 0.1), 10 ** (np.ceil(high + 0.05) + 0.1)
        margin = 0.06 * (high - low)
        return 10 ** (low - margin), 10 ** (high + margin)
    # A linear axis
    low, high = values.min(), values.max()
    margin = max(0.05 * (high - low), 0.002 * max(abs(low), abs(high))) or 0.05
    return max(low - margin, floor - margin / 2), min(high + margin, ceiling + margin / 2)
