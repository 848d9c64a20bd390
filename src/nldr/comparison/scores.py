"""Scores of a map: neighborhoods, distances, labels, new points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.stability import neighbors_of
from nldr.metrics.distances import distance_spearman
from nldr.metrics.neighbors import neighborhood_hit
from nldr.metrics.ranks import trustworthiness_continuity
from nldr.metrics.recovery import nearest, overlap
from nldr.neighborhoods.patches import barycentric_weights

K_LABELS = 7  # neighbors whose labels are compared
BLOCK = 5000  # new points that are placed at a time
MOST_NEW = 500  # new points that are placed to judge a map


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


def place(points: NDArray, Z: NDArray, new: NDArray) -> NDArray:
    """Return coordinates of new points, means of those of their nearest points.

    The weights are those that best reconstruct the new point from its neighbors, as in locally
    linear embedding.
    """
    k = neighbors_of(len(points), 10)
    coordinates = np.empty((len(new), Z.shape[1]))
    # Block by block, since the differences from all neighbors are in memory
    for start in range(0, len(new), BLOCK):
        block = new[start : start + BLOCK]
        lists = nearest(points, k, block)
        coordinates[start : start + BLOCK] = barycentric_weights(points, list(lists), block) @ Z
    return coordinates


def score_new(points: NDArray, Z: NDArray, new: NDArray) -> float:
    """Return the share of the neighbors of new points that stay neighbors once they are placed."""
    new = new[:MOST_NEW]
    k = neighbors_of(len(points))
    if not len(new):
        return float("nan")
    return float(overlap(nearest(points, k, new), nearest(Z, k, place(points, Z, new))).mean())
