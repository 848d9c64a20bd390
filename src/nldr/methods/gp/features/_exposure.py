"""Exposures: factors of the rates of all counts of a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from nldr.methods._rows import TrainingRows

LEAST_TOTAL = 0.5  # of a row of zeros


class Totals:
    """The sum of a row, divided by what the training rows have in its observed features.

    Examples
    --------
    >>> exposure = Totals(np.array([[1.0, 2.0], [3.0, 6.0]]))
    >>> exposure.training, exposure(np.array([[np.nan, 4.0]]))
    (array([0.5, 1.5]), array([1.]))
    """

    def __init__(self, data: NDArray) -> None:
        self.means = np.nanmean(data, axis=0)
        self.training = self(data)

    def __call__(self, data: NDArray) -> NDArray:
        """Return the exposures of rows."""
        expected: NDArray = ~np.isnan(data) @ self.means
        return np.maximum(np.nansum(data, axis=1), LEAST_TOTAL) / np.maximum(expected, LEAST_TOTAL)


class Stated:
    """Exposures of the training rows, divided by their mean; 1 for other rows.

    A ValueError is raised if there is not one positive number for each row.

    Examples
    --------
    >>> exposure = Stated(np.array([[1.0, 2.0], [3.0, 6.0]]), [10, 30])
    >>> exposure(np.array([[3.0, 6.0], [3.0, 7.0]]))
    array([1.5, 1. ])
    """

    def __init__(self, data: NDArray, values: ArrayLike) -> None:
        exposure: NDArray = check_array(values, ensure_2d=False, dtype=np.float64)
        if exposure.shape != (len(data),) or exposure.min() <= 0:
            raise ValueError(
                f"exposure must have one positive number for each of the {len(data)} rows, got "
                f"shape {exposure.shape} with minimum {exposure.min():g}"
            )
        self.training, self.rows = exposure / exposure.mean(), TrainingRows(data)

    def __call__(self, data: NDArray) -> NDArray:
        """Return the exposures of rows."""
        rows = self.rows.positions(data)
        return np.where(rows < 0, 1.0, self.training[rows])
