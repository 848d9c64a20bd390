"""What every metric asks of its arguments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def finite_matrix(array: NDArray, name: str, n_samples: int | None = None) -> NDArray:
    """Return ``array`` in double precision after checking shape and values.

    Parameters
    ----------
    array : array-like of shape (n_samples, n_columns)
        What to check.
    name : str
        What error messages call it.
    n_samples : int, optional
        The number of rows that it must have.

    Raises
    ------
    ValueError
        If it has not two dimensions, no column, the wrong number of rows, or holds NaN or
        infinity.

    Examples
    --------
    >>> finite_matrix([[1, 2]], "embedding")
    array([[1., 2.]])
    """
    matrix = np.asarray(array, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError(
            f"{name} must have shape (n_samples, n_columns) with at least one column, "
            f"got {matrix.shape}"
        )
    if n_samples is not None and len(matrix) != n_samples:
        raise ValueError(
            f"{name} has {len(matrix)} rows, the data has {n_samples}: "
            "they must describe the same points in the same order"
        )
    bad = ~np.isfinite(matrix).all(axis=1)
    if bad.any():
        raise ValueError(
            f"{name} holds NaN or infinity in {bad.sum()} of {len(matrix)} rows, "
            f"the first is row {bad.argmax()}"
        )
    return matrix


def neighbor_counts(k: Sequence[int]) -> NDArray:
    """Return ``k`` as an array after checking that it holds positive whole numbers.

    Raises
    ------
    ValueError
        If ``k`` is empty or no list, or a value is not a positive whole number.

    Examples
    --------
    >>> neighbor_counts([3, 12])
    array([ 3, 12])
    """
    counts = np.asarray(k)
    if (
        counts.ndim != 1
        or counts.size == 0
        or not np.issubdtype(counts.dtype, np.integer)
        or (counts < 1).any()
    ):
        raise ValueError(f"k must be a list of positive whole numbers such as [5, 10], got {k!r}")
    return counts
