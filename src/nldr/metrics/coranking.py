"""How well an embedding preserves neighborhoods of all sizes: the co-ranking matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix
from nldr.metrics._space import Space, over_blocks


def coranking(data: Dataset, embedding: NDArray, *, n_jobs: int = 1) -> dict[str, float]:
    """Score an embedding by the area under its R_NX curve against ``data.reference``.

    It ranks all pairs of points: see :func:`q_nx_curve` for what that costs.

    Parameters
    ----------
    data : Dataset
        The data; its clean observations are used where they are known.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.
    n_jobs : int, default=1
        Number of threads; the score does not depend on it.

    Returns
    -------
    dict of str to float
        ``r_nx_auc``, see :func:`r_nx_auc`.

    Raises
    ------
    ValueError
        See :func:`q_nx_curve`.

    Examples
    --------
    >>> data = Dataset(X=np.random.default_rng(0).normal(size=(50, 3)))
    >>> coranking(data, data.X)
    {'r_nx_auc': 1.0}
    """
    return {"r_nx_auc": r_nx_auc(data.reference, embedding, n_jobs=n_jobs)}


def r_nx_auc(X: NDArray, embedding: NDArray, *, n_jobs: int = 1) -> float:
    r"""Neighborhood agreement beyond chance, averaged over all numbers of neighbors.

    With n points and Q_NX as in :func:`nldr.metrics.ranks.q_nx`,

    .. math:: R_{NX}(k) = \frac{(n - 1) Q_{NX}(k) - k}{n - 1 - k}, \qquad
        AUC = \frac{\sum_{k=1}^{n-2} R_{NX}(k) / k}{\sum_{k=1}^{n-2} 1 / k},

    the area under the curve over a logarithmic axis of k, on which small neighborhoods weigh
    as much as large ones.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    embedding : ndarray of shape (n_samples, n_components)
        Their embedding.
    n_jobs : int, default=1
        Number of threads.

    Returns
    -------
    float
        Value in [-1, 1]: 1 is best, a random embedding has 0 on average. NaN for less than 3
        points, for which it is not defined.

    Raises
    ------
    ValueError
        As :func:`q_nx_curve`.

    References
    ----------
    J. A. Lee, D. H. Peluffo-Ordóñez & M. Verleysen, *Multi-scale similarities in stochastic
    neighbor embedding*, Neurocomputing 169 (2015).

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> round(r_nx_auc(X, np.abs(X - 4.6)), 3)
    0.049
    """
    agreement = q_nx_curve(X, embedding, n_jobs=n_jobs)
    if len(agreement) == 0:
        return float("nan")
    k = np.arange(1, len(agreement) + 1)
    others = len(agreement) + 1
    beyond_chance = (others * agreement - k) / (others - k)
    return float(np.average(beyond_chance, weights=1 / k))


def q_nx_curve(X: NDArray, embedding: NDArray, *, n_jobs: int = 1) -> NDArray:
    r"""Q_NX, see :func:`nldr.metrics.ranks.q_nx`, for all numbers of neighbors.

    A pair of points counts from the k on that is the larger of its ranks in data and embedding,
    so a histogram of these gives all of Q_NX. It takes O(n² (n_features + log n)) time and
    O(n n_features) memory; no n × n matrix is kept.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    embedding : ndarray of shape (n_samples, n_components)
        Their embedding.
    n_jobs : int, default=1
        Number of threads.

    Returns
    -------
    ndarray of shape (max(n_samples - 2, 0),)
        Q_NX(k) for k from 1 to ``n_samples - 2``, in [0, 1], 1 is best.

    Raises
    ------
    ValueError
        If ``X`` and ``embedding`` differ in rows or hold NaN or infinity.

    Notes
    -----
    Ties and rounding are as for :func:`nldr.metrics.ranks.trustworthiness_continuity`.

    References
    ----------
    J. A. Lee & M. Verleysen, *Quality assessment of dimensionality reduction: Rank-based
    criteria*, Neurocomputing 72 (2009).

    Examples
    --------
    >>> X = np.arange(5.0)[:, None]
    >>> q_nx_curve(X, np.abs(X - 2.1)).round(3)
    array([0.   , 0.4  , 0.733])
    """
    X = finite_matrix(X, "X")
    n_samples = len(X)
    embedding = finite_matrix(embedding, "embedding", n_samples)
    if n_samples < 3:
        return np.empty(0)
    space, embedded = Space(X), Space(embedding)
    places = np.arange(n_samples - 1)  # ranks from 0

    def larger_ranks(rows: slice) -> NDArray:
        place = np.empty(n_samples, dtype=np.int64)
        larger = np.empty((rows.stop - rows.start, n_samples - 1), dtype=np.int64)
        for row, near, embedded_near in zip(
            larger, space.order(rows), embedded.order(rows), strict=True
        ):
            place[embedded_near] = places
            np.maximum(place[near], places, out=row)
        return np.bincount(larger.ravel(), minlength=n_samples - 1)

    largest_rank = sum(over_blocks(larger_ranks, n_samples, n_jobs))
    k = np.arange(1, n_samples - 1)
    return np.cumsum(largest_rank)[:-1] / (n_samples * k)
