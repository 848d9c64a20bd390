"""The look of a method as a small drawing: a piece of its line with its marker."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from nldr.report.content import Look

WIDTH, HEIGHT, RADIUS = 44, 16, 5.0
# Corners x, y of Matplotlib's filled plus and cross, in units of a sixth of their width
ARMS = {
    "P": ((-1, 1, 1, 3, 3, 1, 1, -1, -1, -3, -3, -1), (-3, -3, -1, -1, 1, 1, 3, 3, 1, 1, -1, -1)),
    "X": (
        (-3, -1.5, 0, 1.5, 3, 1.5, 3, 1.5, 0, -1.5, -3, -1.5),
        (-1.5, -3, -1.5, -3, -1.5, 0, 1.5, 3, 1.5, 3, 1.5, 0),
    ),
}
# Corners of regular polygons: their number, and the angle of the first from the top
POLYGONS = {"^": (3, 0.0), "v": (3, 180.0), "<": (3, -90.0), ">": (3, 90.0), "D": (4, 0.0)}
POLYGONS |= {"s": (4, 45.0), "p": (5, 0.0), "h": (6, 0.0), "H": (6, 30.0), "8": (8, 22.5)}


def draw_swatch(look: Look) -> Markup:
    """Return the look of a method as inline SVG.

    The drawing repeats what stands beside it, and is hidden from screen readers.

    Examples
    --------
    >>> from nldr.report.content import Look
    >>> "stroke-dasharray" in draw_swatch(Look("#D55E00", "o", True, "2 2"))
    True
    """
    dashes = f' stroke-dasharray="{escape(look.dashes)}"' if look.dashes else ""
    color = escape(look.color)
    line = (
        f'<line x1="1" y1="{HEIGHT / 2:g}" x2="{WIDTH - 1}" y2="{HEIGHT / 2:g}" '
        f'stroke="{color}" stroke-width="2"{dashes}/>'
    )
    fill, edge, width = (color, "#fff", 0.8) if look.filled else ("#fff", color, 1.5)
    style = f'fill="{fill}" stroke="{edge}" stroke-width="{width}" stroke-linejoin="round"'
    marker = marker_shape(look.marker)
    shape = f"<{marker} {style}/>" if marker else ""
    return Markup(
        f'<svg class="look" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'aria-hidden="true" focusable="false">{line}{shape}</svg>'
    )


def marker_shape(marker: str) -> str:
    """Return name and coordinates of the SVG element of a filled Matplotlib marker.

    Examples
    --------
    >>> marker_shape("D")
    'polygon points="22,3 27,8 22,13 17,8"'
    >>> marker_shape("")
    ''
    """
    x, y = WIDTH / 2, HEIGHT / 2
    if marker == "o":
        return f'circle cx="{x:g}" cy="{y:g}" r="{0.9 * RADIUS:g}"'
    if marker in ARMS:
        corners = [(RADIUS / 3 * a, RADIUS / 3 * b) for a, b in zip(*ARMS[marker], strict=True)]
    elif marker == "*":
        corners = [_corner(36 * i, RADIUS if i % 2 == 0 else 0.38 * RADIUS) for i in range(10)]
    elif marker in POLYGONS or marker == "d":
        n, start = POLYGONS["D" if marker == "d" else marker]
        corners = [_corner(start + 360 * i / n, RADIUS) for i in range(n)]
        corners = [(0.6 * a, b) for a, b in corners] if marker == "d" else corners
    else:
        return ""
    points = " ".join(f"{x + a:.4g},{y + b:.4g}" for a, b in corners)
    return f'polygon points="{points}"'


def _corner(angle: float, radius: float) -> tuple[float, float]:
    """Return the point at an angle in degrees, clockwise from the top."""
    return radius * sin(pi * angle / 180), -radius * cos(pi * angle / 180)
