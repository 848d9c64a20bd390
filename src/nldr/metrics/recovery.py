"""Recovery of the true latent: its neighbors, its distances, and points rightly not trusted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices, neighbor_counts
from nldr.metrics.distances import distance_spearman
from nldr.metrics.pointwise import pointwise_errors

DOUBT = 0.1  # error of a point, between 0 and 1, from which it should not be trusted


def recovery(data: Dataset, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding by the neighbors and distances of ``data.Z`` that it recovers.

    Returns
    -------
    dict of str to float
        ``latent_spearman``, the rank correlation of distances in the latent and the embedding; and
        for each ``k``, ``latent_neighbors_k<k>``, the share of the k nearest neighbors in the
        latent that are among the k nearest in the embedding, and ``doubt_ratio_k<k>``, see
        :func:`doubt_ratio`. NaN if there are no more than ``k`` points, if one side has equal
        distances only, or if all points or none are doubted.

    Examples
    --------
    >>> Z = np.random.default_rng(0).normal(size=(40, 2))
    >>> scores = recovery(Dataset(X=Z, Z=Z), 3 - 2 * Z, k=[5])
    >>> {name: round(score, 12) for name, score in scores.items()}
    {'latent_spearman': 1.0, 'latent_neighbors_k5': 1.0, 'doubt_ratio_k5': nan}
    """
    if data.Z is None:
        raise ValueError("recovery needs the true latent, the dataset has none (Z is None)")
    latent, embedding = matching_matrices(data.Z, embedding, "Z")
    scores = {"latent_spearman": distance_spearman(latent, embedding)}
    for n in neighbor_counts(k):
        shares = shared_neighbors(latent, embedding, int(n))
        scores[f"latent_neighbors_k{n}"] = float(shares.mean())
        scores[f"doubt_ratio_k{n}"] = doubt_ratio(data.reference, embedding, 1 - shares, int(n))
    return scores


def shared_neighbors(A: NDArray, B: NDArray, k: int) -> NDArray:
    """Return for each point the share of its k nearest neighbors that two spaces have in common.

    NaN if there are too few points.

    Examples
    --------
    >>> A = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> shared_neighbors(A, np.array([[0.0], [5.0], [3.0], [9.0]]), 1)
    array([0., 0., 1., 0.])
    """
    if k >= len(A):
        return np.full(len(A), np.nan)
    return overlap(nearest(A, k), nearest(B, k))


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


def doubt_ratio(X: NDArray, embedding: NDArray, errors: NDArray, k: int) -> float:
    """Return the error of points that should not be trusted, divided by that of the others.

    A point should not be trusted if its share in the loss of trustworthiness or continuity, see
    :func:`nldr.metrics.pointwise.pointwise_errors`, exceeds 0.1. This is seen without the latent.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.
    errors : ndarray of shape (n_samples,)
        True error of each point.

    Returns
    -------
    float
        Ratio of the mean errors; NaN if all points or none should be trusted.

    Examples
    --------
    >>> X = np.arange(30.0)[:, None]
    >>> moved = np.where(X == 15, 40.0, X)
    >>> doubt_ratio(X, moved, 1 - shared_neighbors(X, moved, 4), 4) > 5
    True
    """
    (seen,) = pointwise_errors(X, [embedding], k=k)
    worst = np.fmax(seen["trustworthiness"], seen["continuity"])
    doubted = worst > DOUBT
    if np.isnan(worst).all() or doubted.all() or not doubted.any():
        return float("nan")
    trusted = float(errors[~doubted].mean())
    return float(errors[doubted].mean()) / trusted if trusted > 0 else float("inf")
