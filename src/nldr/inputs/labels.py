"""Labels of points: class names as they are, or numbers that only color the points."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nldr.inputs.errors import InputError, Place, row_place

EXACT = 2**53  # up to which floats hold every whole number
MOST_CLASSES = 50  # distinct numbers beyond which numbers are no classes


@dataclass(frozen=True)
class Labels:
    """Labels of points.

    Attributes
    ----------
    name : str
        Name of the column.
    values : ndarray of shape (n,)
        Class names as text, or as integers, or measurements.
    is_numeric : bool
        Whether they are measurements, which color points but are no classes.
    index : list or None
        Names of the rows, where the labels have some.
    """

    name: str
    values: NDArray
    is_numeric: bool = False
    index: list[Any] | None = None

    @property
    def codes(self) -> NDArray | None:
        """Number of the class of each point; None for measurements."""
        return None if self.is_numeric else np.unique(self.values, return_inverse=True)[1]

    def rows(self, chosen: NDArray) -> Labels:
        """Return the labels of some of the points."""
        return Labels(self.name, self.values[chosen], self.is_numeric)


def as_labels(y: Any, n_rows: int, name: str = "y", place: Place = row_place) -> Labels:
    """Return the labels of points.

    Parameters
    ----------
    y : object
        A list, array or column of text or numbers; one column of shape (n, 1) will do.
    n_rows : int
        Number of points.
    name : str
        Its name in messages.
    place : callable
        Words for the place of a row.

    Returns
    -------
    Labels
        Text is kept. Numbers with many different values are measurements.

    Raises
    ------
    InputError
        If there is not one label for each point, or if one is missing.

    Examples
    --------
    >>> as_labels([["b"], ["a"], ["b"]], 3).codes
    array([1, 0, 1])
    """
    import pandas as pd

    if hasattr(y, "to_pandas") and not hasattr(y, "iloc"):  # polars, pyarrow
        method = next(m for m in ("to_list", "to_pylist", "to_numpy") if hasattr(y, m))
        y = getattr(y, method)()
    index = list(y.index) if hasattr(y, "iloc") else None
    if hasattr(y, "detach") and hasattr(y, "cpu"):
        y = y.detach().cpu().numpy()
    if isinstance(y, str | dict | set) or not hasattr(y, "__len__"):
        shown = f"the text '{y}'" if isinstance(y, str) else type(y).__name__
        raise InputError(
            f"{name} is {shown}, not a list of labels: pass one for each row, X['type']"
        )
    mask = np.ma.getmaskarray(y).ravel() if np.ma.isMaskedArray(y) else False
    # Of dates, numpy would count the nanoseconds
    if isinstance(y, np.ndarray) and y.dtype.kind in "mM":
        y = pd.Series(y.ravel())
    array = np.asarray(y, dtype=object)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1 or len(array) != n_rows:
        raise InputError(
            f"{name} must have one label for each of the {n_rows} rows, got shape {array.shape}"
        )
    missing = pd.isna(array) | mask | [isinstance(v, str) and not v.strip() for v in array]
    if missing.any():
        kinds = ", empty, NA or None" if place is not row_place else ""
        raise InputError(
            f"{name} has no label in {place(int(missing.argmax()))} ({missing.sum()} such row(s)"
            f"{kinds}): give these rows a label, such as 'unknown', or leave them out"
        )
    strange = [isinstance(value, complex | date | timedelta | np.datetime64) for value in array]
    if any(strange):
        row = strange.index(True)
        raise InputError(
            f"{name} is {array[row]} in {place(row)}: labels are text or real numbers; turn dates "
            "into numbers, such as days since the first, or text"
        )
    if any(isinstance(value, bytes) for value in array):
        texts = [v.decode(errors="replace") if isinstance(v, bytes) else v for v in array]
        array = np.array(texts, dtype=object)
    if not any(isinstance(value, str | bool | np.bool_) or _is_huge(value) for value in array):
        numbers = pd.to_numeric(pd.Series(array), errors="coerce")
        if np.isinf(numbers).any():
            row = int(np.isinf(numbers).argmax())
            raise InputError(f"{name} is infinite in {place(row)}: correct it or leave out the row")
        if numbers.notna().all():
            return _numeric(numbers.to_numpy(np.float64), name, index)
    return Labels(name, np.array([str(value) for value in array]), False, index)


def _is_huge(value: Any) -> bool:
    """Tell whether a number is whole and too large to differ from its neighbors as a float."""
    return isinstance(value, int | np.integer) and abs(int(value)) >= EXACT


def _numeric(values: NDArray, name: str, index: list[Any] | None) -> Labels:
    """Return numbers as classes if there are few of them, else as measurements."""
    whole = bool(np.all(values == np.round(values)) and np.abs(values).max() < EXACT)
    most = MOST_CLASSES if whole else min(MOST_CLASSES, len(values) // 5)
    is_numeric = len(np.unique(values)) > most
    if whole and not is_numeric:
        values = values.astype(np.int64)
    return Labels(name, values, is_numeric, index)


def check_classes(labels: Labels, index: list[Any] | None = None) -> Labels:
    """Return labels that can separate classes, or measurements.

    Parameters
    ----------
    labels : Labels
        Labels.
    index : list, optional
        Names of the rows.

    Raises
    ------
    InputError
        If all are equal, or if they name or count the rows.

    Examples
    --------
    >>> check_classes(as_labels(["a", "a"], 2, "type"))
    Traceback (most recent call last):
    nldr.inputs.errors.InputError: type is 'a' in all 2 rows and separates nothing: leave it out
    """
    values = labels.values
    n_rows, distinct = len(values), len(np.unique(values))
    if distinct == 1:
        raise InputError(
            f"{labels.name} is '{values[0]}' in all {n_rows} rows and separates nothing: leave it "
            "out"
        )
    numeric = values.dtype.kind in "if"
    counts = numeric and bool(np.all(np.diff(values) == 1) or np.all(np.diff(values) == -1))
    many = not labels.is_numeric and (
        distinct == n_rows or distinct > max(MOST_CLASSES, n_rows // 2)
    )
    if counts or many or values.tolist() == index:
        what = "counts" if counts else "names"
        raise InputError(
            f"{labels.name} has {distinct} different values in {n_rows} rows: it {what} the rows "
            "and is not a class label. Drop it, and use another column"
        )
    return labels
