"""The measures of the released runs of disjoint MVU, rounding errors included."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import labels_of


def released_measures(data: Dataset, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding as the released code of disjoint MVU did at the time of its runs.

    All distances are roots of differences of dot products, so that their rounding errors are about
    1e-8 times the norms of the points: nearer points are at distance zero or in an arbitrary order.
    Where an embedding nearly collapses, as on a disconnected graph, these scores say little. Use
    those of :mod:`nldr.metrics.ranks` and :mod:`nldr.metrics.neighbors`.

    Returns
    -------
    dict of str to float
        ``released_nn_error``, the 1-NN error of the labels; and for each ``k``
        ``released_trustworthiness_k<k>`` and ``released_continuity_k<k>``. NaN if ``k`` is not less
        than half of the number of points.

    References
    ----------
    The code that the author of Costa, Maximum Variance Unfolding on Disjoint Manifolds, released.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [6.0], [10.0], [15.0], [21.0]])
    >>> data = Dataset(X=X, y=np.array([0, 0, 0, 0, 1, 1, 1]))
    >>> released_measures(data, X, k=[2])["released_trustworthiness_k2"]
    1.0
    >>> released_measures(data, X, k=[2])["released_nn_error"].__round__(3)
    0.143
    """
    y = labels_of(data, "released_measures")
    nearest_in_data, ranks_in_data = _order(np.asarray(data.X))
    nearest, ranks = _order(np.asarray(embedding))
    scores = {"released_nn_error": float(np.mean(y[nearest[:, 0]] != y))}
    for n in k:
        scores[f"released_trustworthiness_k{n}"] = _score(
            nearest, nearest_in_data, ranks_in_data, n
        )
        scores[f"released_continuity_k{n}"] = _score(nearest_in_data, nearest, ranks, n)
    return scores


def _order(X: NDArray) -> tuple[NDArray, NDArray]:
    """Return the other points by distance from each point, and the rank of each point for it."""
    from sklearn.neighbors import NearestNeighbors

    n = len(X)
    search = NearestNeighbors(n_neighbors=n, algorithm="brute").fit(X)
    lengths, points = search.kneighbors(X)
    distances = np.empty((n, n))
    np.put_along_axis(distances, points, lengths, axis=1)
    # Ranks count the point itself, which need not come first where points coincide
    order = np.argsort(distances, axis=1)
    ranks = np.argsort(order, axis=1)
    others = order[order != np.arange(n)[:, np.newaxis]].reshape(n, n - 1)
    return others, ranks


def _score(nearest: NDArray, expected: NDArray, ranks: NDArray, k: int) -> float:
    """Return 1 minus the scaled excess of the ranks of neighbors that are not the expected ones."""
    n = len(nearest)
    if 2 * k >= n:
        return np.nan
    # Sum the ranks beyond k of the neighbors that are not expected (Venna and Kaski)
    rows = np.arange(n)[:, np.newaxis]
    is_expected = np.zeros((n, n), bool)
    is_expected[rows, expected[:, :k]] = True
    found = nearest[:, :k]
    excess = np.where(is_expected[rows, found], 0, ranks[rows, found] - k)
    return float(1 - 2 / (n * k * (2 * n - 3 * k - 1)) * excess.sum())
