"""How many dimensions a cloud of points, or an unfolded one, has of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FLOOR = 1e-3  # share of the variance below which an eigenvalue is taken for noise


def intrinsic_dimension(X: ArrayLike, n_neighbors: int = 10) -> float:
    r"""Estimate the dimension of the manifold that points lie on, by maximum likelihood.

    With T_j the distance of a point to its j-th nearest other of k,

    .. math:: \hat m = \frac{n (k - 1)}{\sum_i \sum_{j<k} \log (T_k(x_i) / T_j(x_i))},

    that is, inverse estimates of the points are averaged, as MacKay & Ghahramani advise. At a
    boundary it is too low, the more so the higher the dimension.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points. Repeated ones count once.
    n_neighbors : int, default=10
        Number k of neighbors, at least 3; fewer are taken where there are fewer points.

    Returns
    -------
    float
        The estimate; 0 for less than five distinct points.

    Raises
    ------
    ValueError
        If `n_neighbors` is below 3.

    References
    ----------
    E. Levina and P. Bickel, "Maximum likelihood estimation of intrinsic dimension", NIPS 2004.

    Examples
    --------
    >>> angle = np.random.default_rng(0).uniform(0, 6, 1000)
    >>> round(intrinsic_dimension(np.column_stack([np.cos(angle), np.sin(angle)])))
    1
    """
    from sklearn.neighbors import NearestNeighbors

    if n_neighbors < 3:
        raise ValueError(f"n_neighbors={n_neighbors} is too low: it must be at least 3")
    points = np.unique(np.asarray(X, dtype=np.float64), axis=0)
    if len(points) < 5:
        return 0.0
    k = min(n_neighbors, len(points) - 1)
    distances = NearestNeighbors(n_neighbors=k).fit(points).kneighbors()[0]
    total = np.log(distances[:, -1:] / distances[:, :-1]).sum()
    return float(len(points) * (k - 1) / total) if total > 0 else 0.0


def eigengap(eigenvalues: NDArray) -> int:
    """Return the number of leading eigenvalues before the greatest fall.

    The fall is the ratio of an eigenvalue to the next; those below a thousandth of the sum, where
    a solution by approximation has noise, are taken for a thousandth.

    Parameters
    ----------
    eigenvalues : ndarray of shape (n_values,)
        Eigenvalues, greatest first.

    Returns
    -------
    int
        The number; 0 where all are zero.

    Examples
    --------
    >>> eigengap(np.array([90.0, 9.0, 0.02, 0.01]))
    2
    """
    if not np.any(eigenvalues > 0):
        return 0
    raised = np.maximum(eigenvalues, FLOOR * np.sum(eigenvalues))
    raised = np.append(raised, FLOOR * np.sum(eigenvalues))
    return int(np.argmax(raised[:-1] / raised[1:])) + 1
