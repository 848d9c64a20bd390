"""The join of published numbers with ours: the one place that decides which belong together.

Numbers agree by value (1.0 is 1 and not 10, 100 is "100.0"), names by their letters and digits
("t-SNE" is "tsne"); a file may name a dataset or method as we do, by its title, or by a name that
the study translates.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nldr.claims.jobs import PublishedJoin
from nldr.tables import read_csv

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
    >>> normal_form(None) == normal_form(float("nan")) == normal_form("")
    True
    """
    if isinstance(value, list | tuple):
        return tuple(normal_form(item) for item in value)
    is_missing = value is None or value != value  # NaN differs from itself
    text = "" if is_missing else str(value).strip()
    try:
        return float(text)
    except ValueError:
        pass
    if text.startswith("[") and text.endswith("]"):
        return tuple(normal_form(item) for item in text[1:-1].split(","))
    return re.sub(r"[\W_]", "", text).lower()


class PublishedValue(NamedTuple):
    """A published mean, with its standard deviation where one is published."""

    value: float
    sd: float | None


class _Setting(NamedTuple):
    """A setting of ours for which a line of the file has numbers."""

    ours: dict[str, Any]  # values of our columns
    line: Mapping[str, str]
    position: int  # of the line, from 1
    values: dict[str, PublishedValue]  # by metric


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
        # Our names by the forms of names and titles. Names go before titles, which may be shared.
        self._names: dict[str, dict[Any, str]] = {}
        for column, titles in join.titles.items():
            forms = [(normal_form(name), name) for name in titles]
            forms += [(normal_form(title), name) for name, title in titles.items()]
            self._names[column] = dict(reversed(forms))
        self._settings: dict[Key, _Setting] = {}
        for position, line in enumerate(read_csv(file), start=1):
            try:
                for ours in self._rows_of(line):
                    self._add(ours, line, position)
            except ValueError as error:
                raise ValueError(f"{file}: {error}") from None

    def _rows_of(self, line: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        """Yield our columns of a line; a published name may stand for several of ours, or none."""
        columns = []
        for theirs, ours in self._join.keys.items():
            printed = self._join.names.get(line[theirs], line[theirs])
            names = [printed] if isinstance(printed, str) else printed
            translations = self._names.get(ours, {})
            columns.append([(ours, translations.get(normal_form(name), name)) for name in names])
        yield from map(dict, itertools.product(*columns))

    def _add(self, ours: dict[str, Any], line: Mapping[str, str], position: int) -> None:
        key = self._key(ours)
        if key in self._settings:
            other = self._settings[key].line
            setting = ", ".join(f"{column} {line[column]}" for column in self._join.keys)
            same = ", ".join(f"{column} {other[column]}" for column in self._join.keys)
            raise ValueError(
                f"'{setting}' would be compared with the cells of '{same}': give published.names "
                f"an empty list for one of them, or published.keys a column that tells them apart"
            )
        values = {}
        for metric, columns in self._join.values.items():
            value, *sd = [float(line[column]) if line[column] else None for column in columns]
            if value is not None:
                values[metric] = PublishedValue(value, sd[0] if sd else None)
        self._settings[key] = _Setting(ours, line, position, values)

    def _key(self, row: Mapping[str, Any]) -> Key:
        return tuple(normal_form(row.get(column)) for column in self._join.keys.values())

    def columns(self, metric: str) -> list[str]:
        """Return the columns of the file that hold a metric: its mean and perhaps its s.d."""
        return self._join.values.get(metric, [])

    def of(self, row: Mapping[str, Any]) -> dict[str, PublishedValue]:
        """Return the published values that belong to a row of ours, by metric."""
        for column, value in self._join.where.items():
            if normal_form(row.get(column)) != normal_form(value):
                return {}
        setting = self._settings.get(self._key(row))
        return setting.values if setting else {}

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
        for key, setting in self._settings.items():
            for row in [*cells.get(key, {}).values()] or [NO_CELL]:
                cell = {name: row[name] for name in NO_CELL if name in row}
                ours = {**implied, **setting.ours, **cell}
                place = {"line": setting.line, "row": setting.position}
                for metric, published in setting.values.items():
                    numbers.append({**ours, "metric": metric, **published._asdict(), **place})
        return numbers
