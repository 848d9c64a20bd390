"""The data of a comparison: a table with perhaps labels, rows of both in one order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nldr.inputs import InputError, Labels, Matrix, align, as_labels, as_matrix, check_classes, read
from nldr.inputs.errors import suggestion

FEWEST_ROWS = 20
FILE_TYPES = (str, Path)


@dataclass(frozen=True)
class Table:
    """Data with labels.

    Attributes
    ----------
    matrix : Matrix
        The numbers.
    labels : Labels or None
        Labels of the rows.
    name : str
        What it is called: a file's name or ``X``.
    """

    matrix: Matrix
    labels: Labels | None
    name: str = "X"

    def __len__(self) -> int:
        return len(self.matrix)


def table_of(
    X: Any,
    y: Any = None,
    *,
    label: str | None = None,
    drop: Sequence[str] = (),
    metric: str = "euclidean",
) -> Table:
    """Return the data of a comparison.

    Parameters
    ----------
    X : object
        A table as :func:`nldr.inputs.as_matrix` takes it, or the path of a file.
    y : object, optional
        Labels.
    label, drop : str, sequence of str
        Columns of a file, or of a frame, that are labels or are left out.
    metric : {"euclidean", "precomputed"}
        Whether X holds points or distances between them.

    Returns
    -------
    Table
        Table and labels, the labels in the order of the rows.

    Examples
    --------
    >>> len(table_of(np.random.default_rng(0).normal(size=(30, 3))))
    30
    """
    name = "X"
    if isinstance(X, FILE_TYPES):
        name = Path(X).name
        matrix, labels = read(X, label, drop)
        if y is not None:
            labels = as_labels(y, len(matrix))
    else:
        X, y = _split(X, y, label, drop)
        matrix = as_matrix(X)
        title = getattr(y, "name", None)
        labels = None
        if y is not None:
            labels = as_labels(y, len(matrix), title if isinstance(title, str) else "y")
        if labels is not None:
            order = align(matrix.index, labels.index, ("X", "y"))
            labels = labels if order is None else labels.rows(order)
    if metric == "precomputed":
        matrix = _points_of_distances(matrix)
    if len(matrix) < FEWEST_ROWS:
        raise InputError(
            f"{name} has {len(matrix)} rows: a map needs at least {FEWEST_ROWS}, one row per point"
            + (" (is the table transposed? pass X.T)" if matrix.values.shape[1] > 50 else "")
        )
    if labels is not None:
        check_classes(labels)
    if matrix.values.shape[1] < 2:
        raise InputError(
            f"{name} has one column ('{matrix.columns[0]}'): draw a histogram, there is nothing "
            "to reduce"
        )
    if not matrix.is_sparse:
        _refuse_useless_rows(matrix, name)
    return Table(matrix, labels, name)


def _split(X: Any, y: Any, label: str | None, drop: Sequence[str]) -> tuple[Any, Any]:
    """Return a frame without the columns of labels, and the labels."""
    names = [*drop, *([label] if label else [])]
    if not names:
        return X, y
    if hasattr(X, "obs") and not drop:
        columns = list(X.obs)
    elif hasattr(X, "columns"):
        columns = list(X.columns)
    else:
        raise InputError("label and drop name columns of a file or frame: pass labels as y")
    for name in names:
        if name not in columns:
            raise InputError(f"X has no column '{name}': {suggestion(name, columns)}")
    if label is not None and y is None:
        y = X.obs[label] if hasattr(X, "obs") else X[label]
    if hasattr(X, "obs"):
        return X, y
    return X.drop(columns=names) if hasattr(X, "iloc") else X.drop(names), y


def _refuse_useless_rows(matrix: Matrix, name: str) -> None:
    values = matrix.values
    empty = np.isnan(values).all(axis=1)
    if empty.any():
        raise InputError(
            f"{name} has no value at all in row {empty.argmax()} ({empty.sum()} such rows): leave "
            "these rows out"
        )
    if np.all((values == values[0]) | (np.isnan(values) & np.isnan(values[0]))):
        raise InputError(f"all {len(values)} rows of {name} are equal: there is nothing to map")


def _points_of_distances(matrix: Matrix) -> Matrix:
    """Return points with given distances, as far as points can have them (classical scaling)."""
    D = matrix.values
    if matrix.is_sparse or D.shape[0] != D.shape[1]:
        raise InputError(
            f"precomputed distances must be a square array, got shape {D.shape}: pass one row and "
            "one column per point"
        )
    if np.isnan(D).any() or (D < 0).any() or not np.allclose(D, D.T):
        i, j = np.argwhere(np.isnan(D) | (D < 0) | ~np.isclose(D, D.T))[0]
        raise InputError(
            f"the distance of points {i} and {j} is {D[i, j]:g} in one direction and {D[j, i]:g} "
            "in the other: distances are symmetric and not negative; use (D + D.T) / 2"
        )
    centered = -0.5 * D**2
    centered = centered - centered.mean(axis=0) - centered.mean(axis=1)[:, None] + centered.mean()
    eigenvalues, vectors = np.linalg.eigh(centered)
    positive = eigenvalues > 1e-9 * max(eigenvalues[-1], 1e-300)
    points = (vectors[:, positive] * np.sqrt(eigenvalues[positive]))[:, ::-1]
    return Matrix(points, [f"axis {j + 1}" for j in range(points.shape[1])], matrix.index)
