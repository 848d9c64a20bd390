"""The data of a comparison: a table with perhaps labels, rows of both in one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.distances import (
    looks_like_distances,
    points_of_distances,
    words_on_distances,
    words_on_graph,
)
from nldr.inputs import (
    InputError,
    Labels,
    Matrix,
    align,
    as_labels,
    as_matrix,
    check_classes,
    read,
    words_on_order,
    words_on_position,
)
from nldr.inputs.errors import Place, listed, refuse_named_twice, suggestion
from nldr.inputs.files import place_of
from nldr.inputs.matrix import computed

FEWEST_ROWS = 20
FILE_TYPES = (str, Path)
DISTANCES = (
    "{name} is symmetric with zeros on its diagonal: if it holds distances between the rows, pass "
    '--distances (metric="precomputed"), otherwise they are treated as features'
)
METRICS = ("euclidean", "precomputed")
TEXT = (
    "pass it as y, name it in categories=['{column}'], make it the index if it names the rows: "
    "X.set_index('{column}'), or leave it out: drop=['{column}']"
)


@dataclass(frozen=True)
class Table:
    """Data with labels."""

    matrix: Matrix  # the numbers
    labels: Labels | None  # of the rows
    name: str = "X"  # what it is called: a file's name or ``X``
    # What was done to them before they were examined
    notes: list[str] = field(default_factory=list)
    is_of_distances: bool = False  # whether the numbers are points that have given distances
    rows: list[Any] | None = None  # as :func:`rows_of` returns them

    def __len__(self) -> int:
        return len(self.matrix)


def table_of(
    X: Any,
    y: Any = None,
    *,
    label: str | None = None,
    drop: Sequence[str] = (),
    categories: Sequence[str] = (),
    metric: str = "euclidean",
) -> Table:
    """Return the data of a comparison.

    ``X`` is a table as :func:`nldr.inputs.as_matrix` takes it, or the path of a file, and ``y`` are
    labels. ``label``, ``drop`` and ``categories`` are columns of a file, or of a frame, that are
    labels, are left out, or hold categories. ``metric`` is ``"precomputed"`` if ``X`` holds
    distances. The labels are in the order of the rows.

    Examples
    --------
    >>> len(table_of(np.random.default_rng(0).normal(size=(30, 3))))
    30
    """
    if metric not in METRICS:
        raise InputError(f"unknown metric '{metric}': {suggestion(metric, METRICS)}")
    if label is not None and y is not None:
        raise InputError("labels are given twice, as label and as y: give one of them")
    drop, categories = as_names(drop), as_names(categories)
    name, place = "X", place_of(Path())
    if isinstance(X, FILE_TYPES):
        name, place = Path(X).name, place_of(Path(X))
        matrix, labels = read(X, label, drop, categories)
    else:
        refuse_named_twice([*drop, *categories, *([] if label is None else [label])])
        X, y = _split(X, y, label, drop)
        matrix, labels = as_matrix(X, remedy=TEXT, categories=categories), None
        if hasattr(X, "obs_names"):
            matrix = matrix.without(drop, name)
    rows, notes = rows_of(X, matrix), _words_on_categories(X, categories)
    if y is not None:
        labels, order = _labels_of(y, matrix, is_file=isinstance(X, FILE_TYPES))
        if order is None:
            notes += words_on_position(rows, labels.index, (name, "y"))
        else:
            notes += words_on_order(rows, labels.index, (name, "y"))
            labels = labels.rows(order)
    is_of_distances = metric == "precomputed"
    if is_of_distances:
        distances, matrix = matrix, points_of_distances(matrix)
        if distances.is_sparse:
            notes.append(words_on_graph(distances.values, matrix.values))
        else:
            notes += words_on_distances(distances.values, matrix.values)
    elif looks_like_distances(matrix.values):
        notes.append(DISTANCES.format(name=name))
    if len(matrix) < FEWEST_ROWS:
        raise InputError(
            f"{name} has {len(matrix)} row(s): a map needs at least {FEWEST_ROWS}, one row per "
            "point"
            + (" (is the table transposed? pass X.T)" if matrix.values.shape[1] > 50 else "")
        )
    if labels is not None:
        check_classes(labels, matrix.index)
    if matrix.values.shape[1] < 2:
        what = f"one column ('{matrix.columns[0]}')"
        what = "distances of points on a line" if is_of_distances else what
        raise InputError(f"{name} has {what}: draw a histogram, there is nothing to reduce")
    _refuse_useless_rows(matrix, name, place)
    return Table(matrix, labels, name, notes, is_of_distances, rows)


def _words_on_categories(X: Any, categories: Sequence[str]) -> list[str]:
    """Say which columns of a data frame are of type category and are used as numbers."""
    if not hasattr(X, "iloc"):
        return []
    named = {str(name) for name in categories}
    types = {str(name): str(kind) for name, kind in X.dtypes.items()}
    used = [name for name, kind in types.items() if kind == "category" and name not in named]
    if not used:
        return []
    return [
        f"columns of type category are used as numbers: {listed(used)}; if the numbers stand for "
        f"categories, name them in categories="
    ]


def rows_of(source: Any, matrix: Matrix) -> list[Any] | None:
    """Return names of rows, their numbers in a file without names, or None for an array."""
    if matrix.index is None and isinstance(source, FILE_TYPES):
        return list(range(len(matrix)))
    return matrix.index


def _labels_of(y: Any, matrix: Matrix, is_file: bool) -> tuple[Labels, NDArray | None]:
    """Return labels, and their positions in the order of the rows of a table if it is another."""
    title = next(iter(getattr(y, "columns", [getattr(y, "name", None)])), None)
    labels = as_labels(y, len(matrix), title if isinstance(title, str) else "y")
    # Labels of a file that are only numbered from 0 are taken by position
    if is_file and labels.index == list(range(len(matrix))):
        return labels, None
    return labels, align(matrix.index, labels.index, ("X", "y"))


def as_names(names: Sequence[str] | str) -> list[str]:
    """Return names of columns or methods, of which there may be only one.

    Examples
    --------
    >>> as_names("id"), as_names(["a", "b"])
    (['id'], ['a', 'b'])
    """
    return [names] if isinstance(names, str | int) else list(names)


def _split(X: Any, y: Any, label: str | None, drop: Sequence[str]) -> tuple[Any, Any]:
    """Return a frame without the columns of labels, and the labels."""
    names = [str(name) for name in (*drop, *([label] if label is not None else []))]
    if not names:
        return X, y
    X = computed(X)
    if hasattr(X, "obs_names"):
        if label is not None and label not in X.obs:
            raise InputError(f"X has no obs column '{label}': {suggestion(label, X.obs)}")
        return X, y if label is None else X.obs[label]
    if not hasattr(X, "columns"):
        raise InputError("label and drop name columns of a file or frame: pass labels as y")
    # Names may be numbers
    columns = {str(column): column for column in X.columns}
    for name in names:
        if name not in columns:
            raise InputError(f"X has no column '{name}': {suggestion(name, columns)}")
    if label is not None:
        y = X[columns[str(label)]]
    rest = [columns[name] for name in names]
    return X.drop(columns=rest) if hasattr(X, "iloc") else X.drop(rest), y


def _refuse_useless_rows(matrix: Matrix, name: str, place: Place) -> None:
    if not matrix.is_sparse and (empty := np.isnan(matrix.values).all(axis=1)).any():
        raise InputError(
            f"{name} has no value at all in {place(int(empty.argmax()))} ({empty.sum()} such "
            "rows): leave these rows out"
        )
    varying = _varying(matrix)
    if not varying:
        raise InputError(f"all {len(matrix)} rows of {name} are equal: there is nothing to map")
    if len(varying) == 1:
        raise InputError(
            f"{name} has one column that varies ('{varying[0]}'): draw a histogram, there is "
            "nothing to reduce"
        )


def _varying(matrix: Matrix) -> list[str]:
    """Return the names of the columns that are not constant."""
    values, columns = matrix.values, matrix.columns
    if matrix.is_sparse:
        extent = (values.max(axis=0) - values.min(axis=0)).toarray().ravel()
        return [columns[j] for j in np.flatnonzero(extent)]
    return [
        column
        for column, numbers in zip(columns, values.T, strict=True)
        if len(np.unique(numbers[~np.isnan(numbers)])) > 1
    ]
