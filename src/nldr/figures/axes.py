"""Axes of panels: limits, ticks, and the room that numbers and labels need."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter
from numpy.typing import NDArray

from nldr.figures import style

# Ticks and gaps beside the numbers of a vertical axis, and height of a line of its label, mm
NUMBERS, LABEL_LINE = 2.8, 3.0


def set_y(
    axes: Axes, limits: tuple[float, float], log: bool, bounds: Sequence[float | None]
) -> None:
    """Set up the vertical axis."""
    axes.set_yscale("log" if log else "linear")
    axes.set_ylim(limits)
    if log:
        set_log_ticks(axes.yaxis)
    else:
        _set_linear_ticks(axes, bounds)


def set_log_ticks(axis: Axis, multiples: Sequence[int] = (1, 2, 5), max_ticks: int = 3) -> None:
    """Label powers of ten; on short axes also multiples, or at most `max_ticks` round numbers."""
    low, high = axis.get_view_interval()
    if high < 100 * low:
        is_short = high < 4 * low
        axis.set_major_locator(MaxNLocator(max_ticks) if is_short else LogLocator(subs=multiples))
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
    # The axis ends at the bounds; the margin beyond them has room for markers.
    axes.spines.left.set_bounds(floor, ceiling)
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


def number_room(axis: Axis) -> float:
    """Return the width in millimeters of a vertical axis: ticks, numbers, and a gap to the label.

    The axis has its final limits and ticks.
    """
    low, high = sorted(axis.get_view_interval())
    inside = [at for at in axis.get_majorticklocs() if low <= at <= high]
    texts = axis.get_major_formatter().format_ticks(inside)
    is_labeled = axis.get_tick_params().get("labelleft", True)
    widths = [style.text_width(plain(text), style.SMALL) for text in texts if is_labeled]
    return max(widths, default=0.0) + NUMBERS


def side_room(
    limits: tuple[float, float],
    log: bool,
    bounds: Sequence[float | None],
    label: str,
    height: float,
) -> float:
    """Return the width in millimeters that numbers and label of a vertical axis need.

    Parameters
    ----------
    limits, log, bounds
        As in :func:`nldr.figures.panels.draw_panel`.
    label : str
        The axis's label.
    height : float
        Length of the axis in millimeters.
    """
    scratch = Figure(figsize=(4, 2 * height / 25.4))
    axes = style.add_axes(scratch, 20, 2, 20, height)
    set_y(axes, limits, log, bounds)
    lines = style.wrap(label, style.TEXT, height).count("\n") + 1
    return number_room(axes.yaxis) + LABEL_LINE * lines + 1.0


def plain(text: str) -> str:
    r"""Return a tick label without the commands of mathematical text.

    Examples
    --------
    >>> plain(r"$\mathdefault{10^{-2}}$")
    '10−2'
    """
    return re.sub(r"\\mathdefault|[${}^]", "", text).replace("-", "−")


def score_text(value: float, bounds: Sequence[float | None]) -> str:
    """Return a score with three decimals, or with at least three digits if it has no bounds.

    Examples
    --------
    >>> score_text(-0.24, (-1, 1)), score_text(0.98765, (0, 1)), score_text(1512.4, (0, None))
    ('−0.240', '0.988', '1512')
    """
    if not np.isfinite(value):
        return "–"
    if None not in bounds:
        text = f"{value:.3f}"
    else:
        text = f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    return text.replace("-", "−")
