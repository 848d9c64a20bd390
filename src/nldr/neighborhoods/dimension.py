"""Estimates of the intrinsic dimension, from points or from the eigenvalues of an embedding."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Fraction of the sum of eigenvalues below which an eigenvalue counts as noise.
NOISE_FLOOR = 1e-3


def intrinsic_dimension(X: ArrayLike, n_neighbors: int = 10) -> float:
    r"""Estimate the dimension of the manifold that points lie on, by maximum likelihood.

    With T_j the distance of a point to the j-th of its k nearest neighbors, the estimate is

    .. math:: \hat m = \frac{n (k - 1)}{\sum_i \sum_{j<k} \log (T_k(x_i) / T_j(x_i))}.

    It averages the inverses of the estimates at the single points, as MacKay and Ghahramani
    recommend, where Levina and Bickel average the estimates. Boundaries bias it downward, more so
    in higher dimensions.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points. Duplicates count once.
    n_neighbors : int, default=10
        Number k of neighbors, at least 3; reduced to the number of other distinct points if that
        is lower.

    Returns
    -------
    float
        Estimated dimension; 0 if there are fewer than five distinct points, or if all neighbors
        of each point are at the same distance.

    Raises
    ------
    ValueError
        If `n_neighbors` is below 3.

    References
    ----------
    E. Levina and P. Bickel, "Maximum likelihood estimation of intrinsic dimension", NIPS 2004,
    Eq. 8 for a single point. D. MacKay and Z. Ghahramani, "Comments on 'Maximum likelihood
    estimation of intrinsic dimension'", 2005, for the average.

    Examples
    --------
    >>> angle = np.random.default_rng(0).uniform(0, 6, 1000)
    >>> round(intrinsic_dimension(np.column_stack([np.cos(angle), np.sin(angle)])))
    1
    """
    from sklearn.neighbors import NearestNeighbors

    if n_neighbors < 3:
        raise ValueError(f"n_neighbors={n_neighbors} is too low: it must be at least 3")

    # Distinct points only: a distance of zero has no logarithm.
    points = np.unique(np.asarray(X, dtype=np.float64), axis=0)
    if len(points) < 5:
        return 0.0

    # Sum of log(T_k / T_j) over all points and neighbors
    k = min(n_neighbors, len(points) - 1)
    distances = NearestNeighbors(n_neighbors=k).fit(points).kneighbors()[0]
    total = np.log(distances[:, -1:] / distances[:, :-1]).sum()
    return float(len(points) * (k - 1) / total) if total > 0 else 0.0


def eigengap(eigenvalues: NDArray) -> int:
    """Return the number of eigenvalues before the largest gap.

    The gap is the ratio of an eigenvalue to the next. Eigenvalues below a thousandth of the sum
    are raised to a thousandth first, because approximate solutions have noise of that size.

    Parameters
    ----------
    eigenvalues : ndarray of shape (n_values,)
        Eigenvalues in descending order.

    Returns
    -------
    int
        Number of eigenvalues before the largest gap; 0 if no eigenvalue is positive.

    Examples
    --------
    >>> eigengap(np.array([90.0, 9.0, 0.02, 0.01]))
    2
    """
    if not np.any(eigenvalues > 0):
        return 0

    # Raise noise to the floor; the floor also follows the last eigenvalue.
    raised = np.maximum(eigenvalues, NOISE_FLOOR * np.sum(eigenvalues))
    raised = np.append(raised, NOISE_FLOOR * np.sum(eigenvalues))

    # Position of the largest ratio
    return int(np.argmax(raised[:-1] / raised[1:])) + 1


def share_dimension(eigenvalues: NDArray, share: float) -> int:
    """Return the number of leading eigenvalues that together reach a share of the sum.

    Parameters
    ----------
    eigenvalues : ndarray of shape (n_values,)
        Eigenvalues in descending order, none of them negative.
    share : float
        Share of their sum, in (0, 1].

    Returns
    -------
    int
        Number of eigenvalues, at least 1.

    Examples
    --------
    >>> share_dimension(np.array([90.0, 9.0, 0.5, 0.5]), 0.98)
    2
    """
    reached = np.cumsum(eigenvalues) >= share * np.sum(eigenvalues)
    # Rounding errors may leave the whole sum short of a share of 1
    return int(np.argmax(reached)) + 1 if reached.any() else len(eigenvalues)
