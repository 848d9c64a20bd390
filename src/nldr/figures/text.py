"""Widths of texts, and texts in lines."""

import re

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path


def text_width(text: str, size: float) -> float:
    """Return the width in millimeters of a text with a font size of ``size`` points.

    Examples
    --------
    >>> 5 < text_width("Distance", 7.0) < 15
    True
    """
    font = FontProperties(family="DejaVu Sans", size=size)
    return text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72 * 25.4


def wrap(text: str, size: float, width: float) -> str:
    r"""Break a text with a font size of ``size`` points into lines of at most ``width`` mm.

    Lines do not break at spaces that say so (U+00A0).

    Examples
    --------
    >>> wrap("one two three", 7.0, 12.0)
    'one two\nthree'
    """
    lines = [""]
    for word in filter(None, re.split(r"[ \n]+", text)):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)
