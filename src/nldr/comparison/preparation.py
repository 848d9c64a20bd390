"""Preparation of a table before it is embedded: steps that are fitted, applied, saved and written.

Each step is fitted to the rows of a comparison and applied to new rows in the same way. Its arrays
are all that it remembers, so that a map can be saved without pickle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, issparse

Arrays = dict[str, NDArray]
N_NEIGHBORS = 5  # rows that fill in a missing value
MANY_ROWS = 5000  # beyond them, medians fill in
N_COMPONENTS = 50  # principal components that are kept of many columns


class Kind(NamedTuple):
    """A kind of step."""

    fit: Callable[[Any], Arrays]  # returns what the step remembers of the rows
    apply: Callable[[Any, Arrays], Any]  # returns prepared rows
    words: str  # what was done, for readers
    # The same as lines of Python on an array ``X``; ``{name}`` is a value that the step remembers
    code: str


def _fit_fill(X: NDArray) -> Arrays:
    return {"rows": X} if len(X) <= MANY_ROWS else {"medians": np.nanmedian(X, axis=0)}


def _fill(X: NDArray, arrays: Arrays) -> NDArray:
    if "medians" in arrays:
        return np.where(np.isnan(X), arrays["medians"], X)
    if not np.isnan(X).any():
        return X
    from sklearn.impute import KNNImputer

    imputer = KNNImputer(n_neighbors=N_NEIGHBORS, keep_empty_features=True).fit(arrays["rows"])
    filled: NDArray = imputer.transform(X)
    return filled


def _fit_scale(X: NDArray) -> Arrays:
    deviation = np.nanstd(X, axis=0)
    return {"mean": np.nanmean(X, axis=0), "deviation": np.where(deviation > 0, deviation, 1.0)}


def _fit_components(X: Any) -> Arrays:
    from sklearn.decomposition import PCA, TruncatedSVD

    if issparse(X):
        model = TruncatedSVD(min(N_COMPONENTS, *X.shape), random_state=0).fit(X)
        return {"axes": model.components_}
    model = PCA(min(N_COMPONENTS, min(X.shape) - 1), svd_solver="randomized", random_state=0).fit(X)
    return {"axes": model.components_, "mean": model.mean_}


def _project(X: Any, arrays: Arrays) -> NDArray:
    axes = arrays["axes"].T
    # In the order of operations of scikit-learn, so that not even the last digit differs
    projected = np.asarray(X @ axes)
    return projected - arrays["mean"] @ axes if "mean" in arrays else projected


def _row_totals(X: Any) -> NDArray:
    sums = X.sum(axis=1) if issparse(X) else np.nansum(X, axis=1)
    totals = np.asarray(sums, float).ravel()
    return np.where(totals > 0, totals, 1.0)


def _divide(X: Any, arrays: Arrays) -> Any:
    factors = float(arrays["total"]) / _row_totals(X)
    return csr_array(diags_array(factors) @ X) if issparse(X) else X * factors[:, None]


KINDS: dict[str, Kind] = {
    "columns": Kind(
        lambda X: {"kept": np.arange(X.shape[1]), "dropped": np.arange(0)},
        # As in the code below: the order in memory decides the last digits of means
        lambda X, a: np.delete(X, a["dropped"], axis=1),
        "columns were left out",
        "X = np.delete(X, {dropped}, axis=1)",
    ),
    "totals": Kind(
        lambda X: {"total": np.array(np.median(_row_totals(X)))},
        _divide,
        "each row was scaled to the same total",
        "X = X * ({total} / np.where(totals > 0, totals, 1))[:, np.newaxis]",
    ),
    "log": Kind(
        lambda X: {},
        lambda X, a: X.log1p() if issparse(X) else np.log1p(np.maximum(X, 0)),
        "counts were replaced by log(1 + count)",
        "X = np.log1p(X)",
    ),
    "root": Kind(
        lambda X: {},
        lambda X, a: np.sqrt(np.maximum(X, 0)),
        "shares were replaced by their square roots",
        "X = np.sqrt(X)",
    ),
    "scale": Kind(
        _fit_scale,
        lambda X, a: (X - a["mean"]) / a["deviation"],
        "each column was scaled to mean 0 and standard deviation 1",
        "X = (X - np.nanmean(X, axis=0)) / np.where(np.nanstd(X, axis=0) > 0, "
        "np.nanstd(X, axis=0), 1)",
    ),
    "fill": Kind(
        _fit_fill,
        _fill,
        f"missing values were filled in from the {N_NEIGHBORS} most similar rows",
        f"X = sklearn.impute.KNNImputer(n_neighbors={N_NEIGHBORS}).fit_transform(X)",
    ),
    "components": Kind(
        _fit_components,
        _project,
        f"the columns were reduced to {N_COMPONENTS} principal components",
        "",
    ),
}
ORDER = tuple(KINDS)


@dataclass
class Preparation:
    """Steps that prepare rows, in order.

    Parameters
    ----------
    kinds : tuple of str
        Names of the steps: ``columns``, ``totals``, ``log``, ``root``, ``scale``, ``fill``,
        ``components``.
    kept : ndarray of int, optional
        Columns that are kept, if not all are.
    indicators : ndarray of bool, optional
        True for columns that stand for categories. They are not scaled: rows of different
        categories have the squared distance 2, the mean of a scaled column.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0]])
    >>> Preparation(("scale",)).fit(X).apply(X)
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    kinds: tuple[str, ...] = ()
    kept: NDArray | None = None
    indicators: NDArray | None = None
    arrays: list[Arrays] = field(default_factory=list)

    def fit(self, X: Any) -> Preparation:
        """Fit the steps to rows, each to the result of those before.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_columns)
            Rows; NaN where a value is missing.

        Returns
        -------
        Preparation
            The fitted steps.
        """
        self.arrays = []
        self.kinds = tuple(sorted(self.kinds, key=ORDER.index))
        for kind in self.kinds:
            arrays = KINDS[kind].fit(X)
            if kind == "columns" and self.kept is not None:
                dropped = np.setdiff1d(arrays["kept"], self.kept)
                arrays = {"kept": self.kept, "dropped": dropped}
            if kind == "scale" and self.indicators is not None and self.indicators.any():
                plain = self.indicators if self.kept is None else self.indicators[self.kept]
                arrays["mean"][plain], arrays["deviation"][plain] = 0.0, 1.0
                arrays["plain"] = np.flatnonzero(plain)
            self.arrays.append(arrays)
            X = KINDS[kind].apply(X, self.arrays[-1])
        return self

    def apply(self, X: Any) -> NDArray:
        """Return prepared rows.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_columns)
            Rows with the columns of ``fit``.

        Returns
        -------
        ndarray
            Rows without missing values.
        """
        for kind, arrays in zip(self.kinds, self.arrays, strict=True):
            X = KINDS[kind].apply(X, arrays)
        # In one order in memory, which decides the last digits of sums
        return np.ascontiguousarray(X.toarray() if issparse(X) else X, dtype=np.float64)

    @property
    def words(self) -> list[str]:
        """The steps in words, one sentence each."""
        sentences = []
        for kind, arrays in zip(self.kinds, self.arrays, strict=True):
            if kind == "fill" and "medians" in arrays:
                sentences.append("missing values were filled in by the median of their column")
            elif kind == "scale" and "plain" in arrays:
                sentences.append(f"{KINDS[kind].words}, except columns of categories")
            elif kind == "components":
                count = len(arrays["axes"])
                sentences.append(f"the columns were reduced to {count} principal components")
            else:
                sentences.append(KINDS[kind].words)
        return sentences

    def code(self) -> list[str]:
        """Return the steps as lines of Python on an array ``X``."""
        lines = []
        # Only sparse matrices get components without a mean
        sparse = "components" in self.kinds and "mean" not in self.arrays[-1]
        for kind, arrays in zip(self.kinds, self.arrays, strict=True):
            if kind == "totals":
                lines.append(f"totals = {'X.sum(axis=1)' if sparse else 'np.nansum(X, axis=1)'}")
            if kind == "components":
                name = "TruncatedSVD" if sparse else "PCA"
                solver = "" if sparse else 'svd_solver="randomized", '
                lines.append(
                    f"X = sklearn.decomposition.{name}({len(arrays['axes'])}, {solver}"
                    "random_state=0).fit(X).transform(X)"
                )
            elif kind == "fill" and "medians" in arrays:
                lines.append("X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)")
            elif kind == "scale" and "plain" in arrays:
                lines.append("mean, deviation = np.nanmean(X, axis=0), np.nanstd(X, axis=0)")
                columns = arrays["plain"].tolist()
                lines.append(f"mean[{columns}], deviation[{columns}] = 0, 1  # categories")
                lines.append("X = (X - mean) / np.where(deviation > 0, deviation, 1)")
            else:
                values = {name: array.tolist() for name, array in arrays.items()}
                lines.append(KINDS[kind].code.format(**values))
        return lines
