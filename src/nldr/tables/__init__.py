"""Tables: read from CSV files, and shown in terminals."""

from __future__ import annotations

import csv
import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO


def open_table(path: str | Path) -> TextIO:
    """Open a table, which may begin with a byte order mark; the archive keeps it compressed."""
    opened = lzma.open if str(path).endswith(".xz") else open
    return opened(path, "rt", newline="", encoding="utf-8-sig")


def read_csv(path: str | Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, all values as text."""
    with open_table(path) as file:
        return list(csv.DictReader(file))


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
