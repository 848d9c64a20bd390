"""Rows made ready to be compared: centred, and the constant ones named."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray


def centred_rows(X: NDArray) -> tuple[NDArray, NDArray]:
    """Rows less their own mean over the features, and their norms; exactly 0 where constant."""
    rows = X - X.mean(axis=1, keepdims=True)
    rows[X.max(axis=1) == X.min(axis=1)] = 0.0
    return rows, np.linalg.norm(rows, axis=1)


def warn_of_constant_rows(X: NDArray) -> None:
    """Name the rows that are constant over the features, to the caller of `fit` or `transform`."""
    constant = np.flatnonzero(X.max(axis=1) == X.min(axis=1))
    if constant.size:
        shown = ", ".join(map(str, constant[:10])) + (", ..." if constant.size > 10 else "")
        warnings.warn(
            f"{constant.size} of {len(X)} rows of X are constant over the features and so similar "
            f"to no other (row {shown}). Leave them out.",
            UserWarning,
            stacklevel=4,
        )
