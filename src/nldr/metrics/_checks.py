"""Checks of the arguments that metrics share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset


def finite_matrix(array: NDArray, name: str, n_samples: int | None = None) -> NDArray:
    """Return ``array`` in double precision after checking its shape and values.

    `name` is that of the matrix in error messages, `n_samples` the required number of rows.

    Raises
    ------
    ValueError
        If the array does not have two dimensions, has no column or the wrong number of rows, or
        contains NaN or infinity.

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
            f"{name} contains NaN or infinity in {bad.sum()} of {len(matrix)} rows, "
            f"first in row {bad.argmax()}"
        )
    return matrix


def matching_matrices(X: NDArray, embedding: NDArray, name: str = "X") -> tuple[NDArray, NDArray]:
    """Return data and embedding in double precision after checking that their rows match.

    Examples
    --------
    >>> matching_matrices([[1, 2]], [[3]])
    (array([[1., 2.]]), array([[3.]]))
    """
    X = finite_matrix(X, name)
    return X, finite_matrix(embedding, "embedding", len(X))


def labeled_matrix(y: NDArray, embedding: NDArray) -> tuple[NDArray, NDArray]:
    """Return labels and embedding as arrays after checking that there is one label per row.

    Raises
    ------
    ValueError
        If the labels do not have one dimension, and as :func:`finite_matrix`.

    Examples
    --------
    >>> labeled_matrix([7], [[1, 2]])
    (array([7]), array([[1., 2.]]))
    """
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y must have one dimension, got shape {y.shape}")
    return y, finite_matrix(embedding, "embedding", len(y))


def labels_of(data: Dataset, metric: str) -> NDArray:
    """Return the labels of a dataset; ``metric`` is named in the error message.

    Examples
    --------
    >>> labels_of(Dataset(X=np.eye(2), y=np.array([4, 5])), "within")
    array([4, 5])
    """
    if data.y is None:
        raise ValueError(f"{metric} needs labels, the dataset has none (y is None)")
    return data.y


def neighbor_counts(k: Sequence[int]) -> NDArray:
    """Return ``k`` as an array after checking that it contains positive integers.

    Raises
    ------
    ValueError
        If ``k`` is empty or not a list, or a value is not a positive integer.

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
        raise ValueError(f"k must be a list of positive integers such as [5, 10], got {k!r}")
    return counts
