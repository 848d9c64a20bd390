"""Tables for terminals."""

from __future__ import annotations

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[object]]) -> list[str]:
    """Return the lines of a table, names to the left and numbers to the right.

    Examples
    --------
    >>> columns([("study", "jobs"), ("gallery", 12)])
    ['study    jobs', 'gallery    12']
    """
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    lines = []
    for name, *numbers in texts:
        aligned = [text.rjust(w) for text, w in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *aligned]))
    return lines
