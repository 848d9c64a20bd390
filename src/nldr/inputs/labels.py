"""Labels of points: class names as they are, or numbers that only color the points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nldr.inputs.errors import InputError, Place, row_place

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

    if hasattr(y, "to_pandas") and not hasattr(y, "iloc"):  # polars
        y = y.to_list()
    index = list(y.index) if hasattr(y, "iloc") else None
    if hasattr(y, "detach"):
        y = y.detach().cpu().numpy()
    if np.ma.isMaskedArray(y):
        y = np.ma.asarray(y, dtype=object).filled(np.nan)
    array = np.asarray(y, dtype=object)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1 or len(array) != n_rows:
        raise InputError(
            f"{name} must have one label for each of the {n_rows} rows of X, "
            f"got shape {array.shape}"
        )
    missing = pd.isna(array)
    if missing.any():
        raise InputError(
            f"{name} has no label in {place(int(missing.argmax()))} ({missing.sum()} such rows): "
            "give them a name of their own, such as 'unknown', or leave them out"
        )
    if not any(isinstance(value, str) for value in array):
        numbers = pd.to_numeric(pd.Series(array), errors="coerce")
        if numbers.notna().all():
            return _numeric(numbers.to_numpy(np.float64), name, index)
    return Labels(name, np.array([str(value) for value in array]), False, index)


def _numeric(values: NDArray, name: str, index: list[Any] | None) -> Labels:
    """Return numbers as classes if there are few of them, else as measurements."""
    whole = bool(np.all(values == np.round(values)))
    most = MOST_CLASSES if whole else min(MOST_CLASSES, len(values) // 5)
    is_numeric = len(np.unique(values)) > most
    if whole and not is_numeric:
        values = values.astype(np.int64)
    return Labels(name, values, is_numeric, index)


def check_classes(labels: Labels) -> Labels:
    """Return labels that can separate classes.

    Raises
    ------
    InputError
        If all are equal, or if nearly each point has its own.

    Examples
    --------
    >>> check_classes(as_labels(["a", "a"], 2, "type"))
    Traceback (most recent call last):
    nldr.inputs.errors.InputError: type is 'a' in all 2 rows and separates nothing: leave it out
    """
    n_rows, distinct = len(labels.values), len(np.unique(labels.values))
    if distinct == 1:
        raise InputError(
            f"{labels.name} is '{labels.values[0]}' in all {n_rows} rows and separates nothing: "
            "leave it out"
        )
    if not labels.is_numeric and distinct > max(MOST_CLASSES, n_rows // 2):
        raise InputError(
            f"{labels.name} has {distinct} different values in {n_rows} rows: it names the rows "
            "and is no label of classes. Drop it, and use another column"
        )
    return labels
