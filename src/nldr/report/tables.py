"""Tables for readers: formatted cells, links to cards, and intervals as small bars."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from nldr.report.content import Column
from nldr.report.templating import MINUS, SPACE, fixed, href, is_number, number

if TYPE_CHECKING:
    from nldr.report.content import Look, Report, TableContent

MOST = 100  # rows of a table that are on the page
# Kinds of columns that are made here: a bar, and the ends of its interval, which are hidden
INTERVAL, END = "interval", "end"
DOTS = "dots"  # a number with its dot and interval
# Columns of verdicts on published numbers, which become one bar
DIFFERENCE, LOW, HIGH, LIMIT = "difference", "low", "high", "margin"


@dataclass(frozen=True)
class TableCell:
    """One cell of a table."""

    text: str  # for readers
    # Value for sorting and downloads, of four digits, if the text has fewer; otherwise empty
    value: str = ""
    href: str = ""  # link to a card; empty if there is none
    look: Look | None = None  # of a method
    dots: Dots | None = None  # a number with its interval


@dataclass(frozen=True)
class Dots:
    """A number with its interval on a line: positions in percent."""

    low: float
    at: float  # the number, between the ends of its interval
    high: float
    words: str  # the same for readers who do not see it
    levels: Sequence[tuple[str, float]] = ()  # levels to compare it with, by name
    # Ends of the band in which a difference counts as none
    band: tuple[float, float] = (50.0, 50.0)


@dataclass(frozen=True)
class TableView:
    """A table as it is shown."""

    name: str  # of the file that readers download
    title: str
    file: str  # where the whole table lies
    columns: list[Column]
    rows: list[list[TableCell]]
    total: int  # number of rows of the whole table


@dataclass(frozen=True)
class Links:
    """Titles, looks and pages of what tables name."""

    # Titles by kind and name in the catalog, of all that have a card
    titles: dict[tuple[str, str], str] = field(default_factory=dict)
    looks: dict[str, Look] = field(default_factory=dict)  # of the methods


def links_of(report: Report) -> Links:
    """Return the titles and looks of a report."""
    return Links({(card.kind, card.name): card.title for card in report.cards}, report.looks)


def table_view(table: TableContent, links: Links, name: str) -> TableView:
    """Return a table as it is shown.

    Columns without any value are left out. Where a table has the columns ``difference``, ``low``
    and ``high``, a bar shows the interval in place of its ends, and rows with one come first. Of a
    long table with a file, the first :data:`MOST` rows are shown.

    Examples
    --------
    >>> from nldr.report.content import TableContent
    >>> table = TableContent("Scores", [Column("a", "A", "number")], [{"a": 0.123456}])
    >>> view = table_view(table, Links(), "scores")
    >>> view.rows[0][0].text, view.rows[0][0].value
    ('0.1235', '')
    """
    columns = [c for c in table.columns if any(has_value(row.get(c.key)) for row in table.rows)]
    keys = [column.key for column in columns]
    at = keys.index(HIGH) + 1 if {DIFFERENCE, LOW, HIGH} <= {*keys} else None
    if at is not None:
        help_ = "The difference with its interval. The line is 0, the band is the margin."
        columns.insert(at, Column(INTERVAL, "Interval", INTERVAL, help_))
        columns = [replace(c, kind=END) if c.key in (LOW, HIGH) else c for c in columns]
    reach = _reach(table.rows) if at is not None else 1.0
    # Rows that are compared go before the others.
    ordered = sorted(table.rows, key=lambda row: at is not None and row.get(DIFFERENCE) is None)
    places = {c.key: _places(row.get(c.key) for row in table.rows) for c in columns}
    first = ordered[: MOST if table.file else None]
    rows = [[_cell(row, c, links, reach, places[c.key]) for c in columns] for row in first]
    return TableView(name, table.title, table.file, columns, rows, len(ordered))


def has_value(value: Any) -> bool:
    """Return whether there is something to show."""
    return value is not None and value != "" and value == value


def _cell(
    row: Mapping[str, Any], column: Column, links: Links, reach: float, places: int
) -> TableCell:
    """Return the cell of a row."""
    value = row.get(column.key)
    if column.kind == INTERVAL:
        return TableCell("", dots=_bar(row, reach))
    if not has_value(value):
        return TableCell("")
    if column.kind in ("method", "dataset"):
        return _named(row, column.kind, str(value), links)
    if is_number(value):
        # Numbers that would be rounded to zero keep two digits.
        vanishes = value and abs(value) < 10.0**-places
        text, exact = number(value, 2) if vanishes else fixed(value, places), f"{value:.4g}"
        plain = text.replace(MINUS, "-").replace(SPACE, "")
        return TableCell(text, exact if f"{float(plain):.4g}" != exact else "")
    return TableCell(str(value))


def _places(values: Iterable[Any]) -> int:
    """Return the decimal places of a column: four digits of its largest number."""
    numbers = [value for value in values if is_number(value)]
    largest = max((abs(value) for value in numbers), default=0.0)
    if not largest or all(value == round(value) for value in numbers):
        return 0
    return min(6, max(0, 3 - math.floor(math.log10(largest))))


def _named(row: Mapping[str, Any], kind: str, value: str, links: Links) -> TableCell:
    """Return the cell of a method or dataset, with its look and a link to its card.

    The value is its name in the catalog, or a title beside the name of its cell.
    """
    cell = str(row.get("method_cell" if kind == "method" else "data_cell") or value)
    name = cell.partition("@")[0]
    look = links.looks.get(name) if kind == "method" else None
    title = links.titles.get((kind, name))
    if title is None:
        return TableCell(value, look=look)
    return TableCell(title if value == name else value, "", href(kind, name), look)


def _reach(rows: Sequence[Mapping[str, Any]]) -> float:
    """Return the largest distance from 0 of differences without a margin."""
    values = [row.get(key) for row in rows if not row.get(LIMIT) for key in (DIFFERENCE, LOW, HIGH)]
    return max((abs(value) for value in values if is_number(value)), default=0.0) or 1.0


def _bar(row: Mapping[str, Any], reach: float) -> Dots | None:
    """Return an interval as a bar: relative to the margin, or to the largest of the table."""
    if not is_number(row.get(DIFFERENCE)):
        return None
    margin = row.get(LIMIT)
    unit = 3.0 * margin if is_number(margin) and margin else reach

    def at(key: str) -> float:
        value = row[key] if is_number(row.get(key)) else row[DIFFERENCE]
        return round(50.0 + 48.0 * min(1.0, max(-1.0, value / unit)), 1)

    half = 16.0 if unit is not reach else 0.0
    words = f"{number(row[DIFFERENCE])}, {number(row.get(LOW))} to {number(row.get(HIGH))}"
    return Dots(at(LOW), at(DIFFERENCE), at(HIGH), words, band=(50.0 - half, 50.0 + half))
