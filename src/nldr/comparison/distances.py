"""Distances in place of points: points that have them, as far as points can."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nldr.inputs import InputError, Matrix


def points_of_distances(matrix: Matrix) -> Matrix:
    """Return points with given distances, as far as points can have them (classical scaling).

    Parameters
    ----------
    matrix : Matrix
        Square table of the distances between all points.

    Returns
    -------
    Matrix
        Points, whose columns are the axes of classical scaling.

    Raises
    ------
    InputError
        If these are no distances.

    Examples
    --------
    >>> D = np.abs(np.subtract.outer([0.0, 1.0, 3.0], [0.0, 1.0, 3.0]))
    >>> points_of_distances(Matrix(D, ["a", "b", "c"])).values.ravel().round(2)
    array([ 1.33,  0.33, -1.67])
    """
    D = matrix.values
    if D.shape[0] != D.shape[1]:
        raise InputError(
            f"precomputed distances must be a square array, got shape {D.shape}: pass one row and "
            "one column per point"
        )
    _check(D)
    centered = -0.5 * D**2
    centered = centered - centered.mean(axis=0) - centered.mean(axis=1)[:, None] + centered.mean()
    eigenvalues, vectors = np.linalg.eigh(centered)
    positive = eigenvalues > 1e-9 * max(eigenvalues[-1], 1e-300)
    points = (vectors[:, positive] * np.sqrt(eigenvalues[positive]))[:, ::-1]
    return Matrix(points, [f"axis {j + 1}" for j in range(points.shape[1])], matrix.index)


def _check(D: Any) -> None:
    """Refuse what are no distances."""
    wrong: NDArray = np.isnan(D) | (D < 0) | ~np.isclose(D, D.T)
    if np.diag(D).any():
        row = int(np.flatnonzero(np.diag(D))[0])
        raise InputError(
            f"the distance of point {row} from itself is {D[row, row]:g}, not 0: are these "
            "similarities (pass 1 - S), or rows and columns in different orders?"
        )
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        raise InputError(
            f"the distance of points {i} and {j} is {D[i, j]:g} in one direction and {D[j, i]:g} "
            "in the other: distances are symmetric and not negative; use (D + D.T) / 2"
        )
    if not D.any():
        raise InputError("all distances are 0: there is nothing to map")
