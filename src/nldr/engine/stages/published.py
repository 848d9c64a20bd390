"""The join of published numbers with ours: the one place that decides which belong together.

Numbers agree by value (1.0 is 1 and not 10, 100 is "100.0"), names by their letters and digits
("t-SNE" is "tsne"); a file may name a dataset or method as we do, by its title, or by a name that
the study translates.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nldr.engine.jobs.report_specs import PublishedJoin

Key = tuple[Any, ...]
NO_CELL: dict[str, Any] = {"data_cell": None, "method_cell": None}


def normal_form(value: Any) -> Any:
    """Return the form in which two spellings of one value are equal.

    Examples
    --------
    >>> normal_form(100) == normal_form("100.0"), normal_form(1.0) == normal_form("10")
    (True, False)
    >>> normal_form("t-SNE") == normal_form("tsne"), normal_form("[2, 1]") == normal_form([2, 1])
    (True, True)
    """
    if isinstance(value, list | tuple):
        return tuple(normal_form(item) for item in value)
    text = "" if value is None else str(value).strip()
    try:
        return float(text)
    except ValueError:
        pass
    if text.startswith("[") and text.endswith("]"):
        return tuple(normal_form(item) for item in text[1:-1].split(","))
    return re.sub(r"[\W_]", "", text).lower()


@dataclass(frozen=True)
class PublishedValue:
    """A published mean, with its standard deviation where one is published."""

    value: float
    sd: float | None


class PublishedNumbers:
    r"""Published numbers of one file, found by the rows of a study's table.

    Raises ValueError if two rows of the file belong to the same cells of ours.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "published.csv"
    >>> _ = file.write_text("method,n,r2\nt-SNE,10.0,0.7\n")
    >>> join = PublishedJoin(
    ...     keys={"method": "method", "n": "data.n"}, names={}, where={}, values={"r2": ["r2"]},
    ...     titles={"method": {"tsne": "t-SNE"}})
    >>> PublishedNumbers(join, file).of({"method": "tsne", "data.n": 10})["r2"].value
    0.7
    """

    def __init__(self, join: PublishedJoin, file: Path) -> None:
        self._join = join
        self._columns = list(join.keys.values())
        self._rows: dict[Key, dict[str, Any]] = {}
        self._values: dict[Key, dict[str, PublishedValue]] = {}
        self._lines: dict[Key, Mapping[str, str]] = {}
        self._positions: dict[Key, int] = {}
        with file.open(newline="", encoding="utf-8") as lines:
            for position, line in enumerate(csv.DictReader(lines), start=1):
                try:
                    self._add(line, position)
                except ValueError as error:
                    raise ValueError(f"{file}: {error}") from None

    def _add(self, line: Mapping[str, str], position: int) -> None:
        # A published name may stand for several of ours, or for none.
        columns = [
            [(ours, self._translate(ours, name)) for name in self._names(line[theirs])]
            for theirs, ours in self._join.keys.items()
        ]
        for row in itertools.product(*columns):
            self._add_row(dict(row), line, position)

    def _names(self, theirs: str) -> list[str]:
        """Return the names for which a published one stands."""
        names = self._join.names.get(theirs, theirs)
        return [names] if isinstance(names, str) else names

    def _add_row(self, row: dict[str, Any], line: Mapping[str, str], position: int) -> None:
        key = self._key(row)
        if key in self._rows:
            setting = ", ".join(f"{column} {line[column]}" for column in self._join.keys)
            same = ", ".join(f"{column} {self._lines[key][column]}" for column in self._join.keys)
            raise ValueError(
                f"'{setting}' would be compared with the cells of '{same}': give published.names "
                f"an empty list for one of them, or published.keys a column that tells them apart"
            )
        self._rows[key], self._lines[key], self._positions[key] = row, line, position
        self._values[key] = {}
        for metric, columns in self._join.values.items():
            numbers = [float(line[column]) if line[column] else None for column in columns]
            if numbers[0] is not None:
                sd = numbers[1] if len(numbers) > 1 else None
                self._values[key][metric] = PublishedValue(numbers[0], sd)

    def _translate(self, column: str, name: str) -> Any:
        """Return our name of a dataset or method, or the value as it is printed."""
        form = normal_form(name)
        # Names go before titles, which may be shared.
        titles = self._join.titles.get(column, {})
        for ours in titles:
            if form == normal_form(ours):
                return ours
        for ours, title in titles.items():
            if form == normal_form(title):
                return ours
        return name

    def _key(self, row: Mapping[str, Any]) -> Key:
        return tuple(normal_form(row.get(column)) for column in self._columns)

    def columns(self, metric: str) -> list[str]:
        """Return the columns of the file that hold a metric: its mean and perhaps its s.d."""
        return self._join.values.get(metric, [])

    def of(self, row: Mapping[str, Any]) -> dict[str, PublishedValue]:
        """Return the published values that belong to a row of ours, by metric."""
        for column, value in self._join.where.items():
            if normal_form(row.get(column)) != normal_form(value):
                return {}
        return self._values.get(self._key(row), {})

    def records(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return every published number as :meth:`numbers`, if any row is one that they are about.

        The list is empty where no row has the values of ``where``; the lines of the file and their
        positions are left out.
        """
        rows = list(rows)
        if not all(
            any(normal_form(row.get(column)) == normal_form(value) for row in rows)
            for column, value in self._join.where.items()
        ):
            return []
        return [
            {k: v for k, v in number.items() if k not in ("line", "row")}
            for number in self.numbers(rows)
        ]

    def numbers(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return every published number, with the cell of ours that it belongs to, if any.

        A number has ``dataset``, ``method`` and parameters by column, ``metric``, ``value``,
        ``sd``, ``data_cell`` and ``method_cell``, the latter None where we have no such cell, and
        ``line``, the whole line of the file, and ``row``, its position from 1. A number that
        belongs to several cells of ours is returned once for each.
        """
        rows = list(rows)
        # A study of one dataset or method does not name it in the keys.
        only = {name: {row[name] for row in rows} for name in ("dataset", "method")}
        implied = {column: names.pop() for column, names in only.items() if len(names) == 1}

        # The cells of ours that share a key: several where they differ in other parameters.
        cells: dict[Key, dict[tuple[str, str, str], Mapping[str, Any]]] = {}
        for row in rows:
            if self.of(row):
                identity = (row["data_cell"], row["method"], row["method_cell"])
                cells.setdefault(self._key(row), {})[identity] = row
        numbers = []
        for key, values in self._values.items():
            for row in [*cells.get(key, {}).values()] or [NO_CELL]:
                ours = {
                    **implied,
                    **self._rows[key],
                    **{name: row[name] for name in NO_CELL if name in row},
                }
                for metric, published in values.items():
                    number = {"metric": metric, "value": published.value, "sd": published.sd}
                    place = {"line": self._lines[key], "row": self._positions[key]}
                    numbers.append({**ours, **number, **place})
        return numbers
