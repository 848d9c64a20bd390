"""Small maps of points for the cards of methods and datasets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup, escape

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIDE, MARGIN = 96, 3  # of the drawing, in its own units; a dot is as wide as the margin
MOST = 240  # points that are drawn


@dataclass(frozen=True)
class Thumbnail:
    """A small map of points."""

    points: NDArray  # positions, of shape (n, 2)
    colors: list[str]  # color of each point, ``#rrggbb``
    words: str  # what it shows


def chosen_rows(n: int) -> NDArray:
    """Return the rows that are drawn of n, evenly spaced.

    Examples
    --------
    >>> chosen_rows(3), len(chosen_rows(10_000))
    (array([0, 1, 2]), 240)
    """
    return np.linspace(0, n - 1, min(n, MOST)).astype(int)


def draw_thumbnail(thumbnail: Thumbnail) -> Markup:
    """Return a small map as inline SVG.

    Both axes have the same unit. Points of one color are one path, each after the one before it, in
    whole units, which compresses to some three bytes per point.

    Examples
    --------
    >>> corners = Thumbnail(np.array([[0.0, 0.0], [2.0, 1.0]]), ["#0072B2"] * 2, "Two points")
    >>> 'd="m3 70h0m90 -44h0"' in draw_thumbnail(corners)
    True
    """
    # The middle of the points is that of the drawing, and the second axis points up
    points = thumbnail.points
    low, high = points.min(axis=0), points.max(axis=0)
    unit = (SIDE - 2 * MARGIN) / ((high - low).max() or 1.0)
    places = np.rint((points - (low + high) / 2) * unit * [1, -1] + SIDE / 2).astype(int)
    of_color: dict[str, set[tuple[int, int]]] = {}
    for color, (x, y) in zip(thumbnail.colors, places.tolist(), strict=True):
        of_color.setdefault(color, set()).add((x, y))
    paths = "".join(
        f'<path stroke="{escape(color)}" d="{_steps(sorted(of_color[color]))}"/>'
        for color in sorted(of_color)
    )
    return Markup(
        f'<svg class="thumbnail" viewBox="0 0 {SIDE} {SIDE}" role="img" '
        f'aria-label="{escape(thumbnail.words)}">{paths}</svg>'
    )


def _steps(places: list[tuple[int, int]]) -> str:
    """Return a path with a dot, a line of no length, at each place."""
    steps = np.diff(places, axis=0, prepend=[(0, 0)]).tolist()
    return "".join(f"m{x} {y}h0" for x, y in steps)
