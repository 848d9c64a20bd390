"""A look at the data before any method: what would spoil a map, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from nldr.comparison import columns as of_columns
from nldr.comparison import neighbors as of_neighbors
from nldr.comparison.findings import DataFinding
from nldr.comparison.preparation import Preparation
from nldr.comparison.tables import Table, table_of
from nldr.inputs import InputError, Matrix

MANY_POINTS = 5000  # beyond them, neighbors are examined on a sample
MANY_COLUMNS = 500  # beyond them, principal components are used
NEEDED = ("empty columns", "missing values", "sparse matrix")  # what no method takes


@dataclass(frozen=True)
class Findings:
    """Findings of :func:`doctor` about some data.

    Attributes
    ----------
    findings : list of DataFinding
        Findings, the most important first.
    preparation : Preparation
        The steps that it recommends, fitted to the data.
    notes : list of str
        How the data were read.
    """

    findings: list[DataFinding]
    preparation: Preparation
    n_rows: int
    n_columns: int
    notes: list[str]
    is_of_distances: bool = False  # whether the columns are coordinates that stand for distances

    def __iter__(self) -> Iterator[DataFinding]:
        return iter(self.findings)

    def __str__(self) -> str:
        head = f"{self.n_rows} rows, {self.n_columns} columns"
        if self.is_of_distances:
            head = f"distances of {self.n_rows} points, which need {self.n_columns} coordinates"
        lines = [f"{f.mark} {f.title}: {f.text}\n    → {f.remedy}" for f in self.findings]
        return "\n".join([head, *lines, *(f"note: {note}" for note in self.notes)])

    __repr__ = __str__


def doctor(
    X: Any,
    y: Any = None,
    *,
    label: str | None = None,
    drop: Sequence[str] = (),
    categories: Sequence[str] = (),
    metric: str = "euclidean",
) -> Findings:
    """Look for what would spoil a map of the data, and say what to do about it.

    Parameters
    ----------
    X : array, frame, sparse matrix, AnnData, or path of a file
        The data, one row per point; NaN where a value is missing.
    y : array-like of shape (n_rows,), optional
        Labels, to see whether the rows are sorted by them.
    label, drop, categories : str, sequences of str, optional
        Columns of labels, to leave out, and of categories, as in :func:`compare`.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        ``"precomputed"`` if `X` holds distances, as in :func:`compare`.

    Returns
    -------
    Findings
        Missing values, constant and repeated columns, repeated rows, scales that differ, a column
        that decides the distances, counts and shares, outliers, rows in order, hubs, parts
        without connection, and the intrinsic dimension; each with a remedy. ``preparation`` holds
        the remedies that :func:`compare` applies.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> findings = doctor(X, y)
    >>> findings.preparation.kinds
    ('scale',)
    """
    return examine(table_of(X, y, label=label, drop=drop, categories=categories, metric=metric))


def examine(table: Table, prepare: bool = True) -> Findings:
    """Return what there is to say about a table, and the fitted steps that prepare it.

    Unless ``prepare``, the data are taken as they are, but for missing values and sparse matrices,
    which no method takes; points that have given distances always are.
    """
    values = table.matrix.values
    if table.matrix.is_sparse:
        findings, preparation = _examine_sparse(values)
    else:
        findings, preparation = _examine_columns(table.matrix)
    findings += of_columns.look_for_names(table.matrix)
    if not prepare or table.is_of_distances:
        preparation = _needed(values, preparation)
        findings = [f if f.title in NEEDED else f.as_advice() for f in findings]
    preparation.fit(values)
    points = preparation.apply(values)
    if points.shape[1] < 2:
        raise InputError(
            f"fewer than two columns of {table.name} are left, since the others are constant, "
            "repeat another or number the rows: draw a histogram, there is nothing to reduce"
        )
    findings += _examine_rows(points, table)
    findings.sort(key=lambda finding: finding.rank)
    size = len(table), table.matrix.n_columns
    return Findings(findings, preparation, *size, table.notes, table.is_of_distances)


def _needed(values: Any, preparation: Preparation) -> Preparation:
    """Return the steps without which no method takes the data."""
    if issparse(values):
        return Preparation(("components",))
    kept = np.flatnonzero(~np.isnan(values).all(axis=0))
    kinds = ["columns"] if len(kept) < values.shape[1] else []
    kinds += ["fill"] if np.isnan(values[:, kept]).any() else []
    return Preparation(tuple(kinds), kept, preparation.indicators)


def _examine_sparse(values: Any) -> tuple[list[DataFinding], Preparation]:
    """Return findings on the columns of a sparse matrix."""
    share = values.nnz / np.prod(values.shape)
    kinds = ["components"]
    findings = [
        DataFinding(
            "mended",
            "sparse matrix",
            f"{100 * share:.1f} % of the entries are nonzero",
            "reduced by a truncated SVD, which most methods need",
        )
    ]
    if counts := of_columns.look_for_counts(values.data, values):
        findings += counts.findings
        kinds += counts.kinds
    return findings, Preparation(tuple(kinds))


def _examine_columns(matrix: Matrix) -> tuple[list[DataFinding], Preparation]:
    """Return findings on the columns of a table."""
    values, names, indicators = matrix.values, matrix.columns, matrix.indicators
    dropped = of_columns.look_for_useless(values, names)
    kept = np.setdiff1d(np.arange(values.shape[1]), dropped.columns)
    rest, rest_names = values[:, kept], [names[j] for j in kept]
    measured = np.flatnonzero(~indicators[kept])
    parts = [
        dropped,
        of_columns.look_for_missing(rest, rest_names, matrix.categories),
        of_columns.look_for_codes(rest[:, measured], [rest_names[j] for j in measured]),
        of_columns.look_for_ids(rest[:, measured], [rest_names[j] for j in measured]),
        of_columns.look_for_classes(rest[:, measured], [rest_names[j] for j in measured]),
    ]
    finite = rest[~np.isnan(rest)]
    if matrix.unit:
        parts.append(of_columns.look_at_unit(matrix.unit))
    elif indicators[kept].any():
        parts.append(of_columns.look_for_categories(matrix.categories, rest_names))
    elif transformed := of_columns.look_for_counts(finite, rest) or of_columns.look_for_shares(
        rest
    ):
        parts.append(transformed)
    else:
        parts.append(of_columns.look_for_scales(rest, rest_names))
    findings = [finding for part in parts for finding in part.findings]
    findings += of_columns.look_for_missing_categories(matrix)
    kinds = [kind for part in parts for kind in part.kinds]
    if len(kept) > MANY_COLUMNS:
        kinds.append("components")
        findings.append(
            DataFinding(
                "mended",
                "many columns",
                f"there are {len(kept)}",
                "reduced to principal components, which preserves neighbors and saves time",
            )
        )
    return findings, Preparation(tuple(kinds), kept, indicators)


def _examine_rows(points: NDArray, table: Table) -> list[DataFinding]:
    """Return findings on rows and their neighbors, of prepared points."""
    rows = np.sort(np.random.default_rng(0).permutation(len(points))[:MANY_POINTS])
    index = table.matrix.index
    names = np.arange(len(points)) if index is None else np.fromiter(index, object)
    findings = of_neighbors.look_at_neighbors(points[rows], names[rows])
    if len(rows) < len(points):
        part = f"in a random part of {len(rows)} rows: "
        findings = [replace(finding, text=part + finding.text) for finding in findings]
    return [
        *of_neighbors.look_for_order(points, table.labels),
        *of_neighbors.look_for_repetitions(points, names),
        *findings,
    ]
