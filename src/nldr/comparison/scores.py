"""Scores of a map: neighborhoods, distances, labels, new points; and how much maps agree."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from nldr.metrics import (
    distance_spearman,
    neighborhood_hit,
    pointwise_errors,
    trustworthiness_continuity,
)

K = 12  # neighbors of a point; fewer of few points
K_LABELS = 7  # neighbors whose labels are compared
DOUBT = 0.1  # error of a point, between 0 and 1, from which it should not be trusted
MOST_NEW = 500  # new points that are placed to judge a map


def neighbors_of(n_points: int, k: int = K) -> int:
    """Return a number of neighbors that so many points allow.

    Examples
    --------
    >>> neighbors_of(1000), neighbors_of(20)
    (12, 5)
    """
    return max(min(k, n_points // 4), 1)


def score_neighborhoods(points: NDArray, Z: NDArray) -> dict[str, float]:
    """Return trustworthiness, continuity, and their mean as ``neighborhoods``.

    The mean picks the best of several maps more reliably than either alone.
    """
    k = neighbors_of(len(points))
    (trust,), (continuity,) = trustworthiness_continuity(points, Z, [k])
    return {
        "neighborhoods": float(trust + continuity) / 2,
        "trustworthiness": float(trust),
        "continuity": float(continuity),
    }


def score(points: NDArray, Z: NDArray, codes: NDArray | None) -> dict[str, float]:
    """Return all scores of a map of some points.

    Parameters
    ----------
    points : ndarray of shape (n, n_features)
        Prepared rows.
    Z : ndarray of shape (n, 2)
        Their map.
    codes : ndarray of int of shape (n,), optional
        Classes.

    Returns
    -------
    dict of str to float
        ``neighborhoods``, ``trustworthiness``, ``continuity``, ``distances`` (rank correlation
        with the distances in the data) and, with classes, ``labels``: the share of a point's
        neighbors that have its label.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> {name: round(value, 6) for name, value in score(X, 3 - X, None).items()}
    {'neighborhoods': 1.0, 'trustworthiness': 1.0, 'continuity': 1.0, 'distances': 1.0}
    """
    scores = score_neighborhoods(points, Z)
    scores["distances"] = distance_spearman(points, Z)
    if codes is not None:
        k = neighbors_of(len(points), K_LABELS)
        scores["labels"] = float(neighborhood_hit(codes, Z, [k])[0])
    return scores


def errors_of_points(points: NDArray, maps: list[NDArray]) -> list[dict[str, NDArray]]:
    """Return the errors of each point in several maps, and which points should not be trusted.

    Returns
    -------
    list of dict of str to ndarray of shape (n,)
        ``trustworthiness`` and ``continuity``: errors by intruders and by missing neighbors;
        ``distortion``; and ``doubt``, 1 where one of the first two exceeds 0.1, else 0.
    """
    errors = pointwise_errors(points, maps, k=neighbors_of(len(points)))
    for values in errors:
        worst = np.fmax(values["trustworthiness"], values["continuity"])
        values["doubt"] = np.where(np.isnan(worst), np.nan, worst > DOUBT).astype(float)
    return errors


def nearest(points: NDArray, k: int, queries: NDArray | None = None) -> NDArray:
    """Return the nearest points of each point, or of others, as indices."""
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=k).fit(points)
    result: NDArray = search.kneighbors(queries, return_distance=False)
    return result


def overlap(first: NDArray, second: NDArray) -> NDArray:
    """Return the share of neighbors that two lists of each point have in common.

    Examples
    --------
    >>> overlap(np.array([[1, 2], [0, 2]]), np.array([[2, 3], [0, 2]]))
    array([0.5, 1. ])
    """
    same = first[:, :, None] == second[:, None, :]
    return same.any(axis=2).mean(axis=1)


def stability(draws: list[tuple[NDArray, NDArray]], n_points: int) -> tuple[float, NDArray]:
    """Return how far maps of different draws agree on neighbors.

    Parameters
    ----------
    draws : list of (ndarray of int, ndarray)
        Rows of each draw and their map.
    n_points : int
        Number of all rows.

    Returns
    -------
    float
        Mean share of a point's neighbors that two maps have in common, among rows of both.
    ndarray of shape (n_points,)
        The same for each row; NaN if no two draws have it.
    """
    totals, counts = np.zeros(n_points), np.zeros(n_points)
    for (rows, Z), (other_rows, other_Z) in combinations(draws, 2):
        shared, i, j = np.intersect1d(rows, other_rows, return_indices=True)
        k = neighbors_of(len(shared))
        if len(shared) < 2 * k:
            continue
        totals[shared] += overlap(nearest(Z[i], k), nearest(other_Z[j], k))
        counts[shared] += 1
    with np.errstate(invalid="ignore"):
        shares = totals / np.where(counts > 0, counts, np.nan)
    return float(np.nanmean(shares)) if counts.any() else float("nan"), shares


def place(points: NDArray, Z: NDArray, new: NDArray) -> NDArray:
    """Return coordinates of new points, means of those of their nearest points.

    The weights are those that best reconstruct the new point from its neighbors, as in locally
    linear embedding.
    """
    from nldr.neighborhoods import barycentric_weights

    lists = nearest(points, neighbors_of(len(points), 10), new)
    return np.asarray(barycentric_weights(points, list(lists), new) @ Z)


def score_new(points: NDArray, Z: NDArray, new: NDArray) -> float:
    """Return the share of the neighbors of new points that stay neighbors once they are placed."""
    new = new[:MOST_NEW]
    k = neighbors_of(len(points))
    if not len(new):
        return float("nan")
    return float(overlap(nearest(points, k, new), nearest(Z, k, place(points, Z, new))).mean())
