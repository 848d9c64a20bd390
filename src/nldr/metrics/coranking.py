"""Preservation of neighborhoods of all sizes, from the co-ranking matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices
from nldr.metrics._large import sample_first
from nldr.metrics._space import Space, has_ties, over_blocks, runs


def coranking(data: Dataset, embedding: NDArray, *, n_jobs: int = 1) -> dict[str, float]:
    """Score an embedding by the area under its R_NX curve against ``data.reference``.

    Distances of points from all others are ranked; see :func:`q_nx_curve` for the cost.

    Returns
    -------
    dict of str to float
        ``r_nx_auc``, see :func:`r_nx_auc`. NaN if there are fewer than 3 points.

    Examples
    --------
    >>> data = Dataset(X=np.random.default_rng(0).normal(size=(50, 3)))
    >>> coranking(data, data.X)
    {'r_nx_auc': 1.0}
    """
    return {"r_nx_auc": r_nx_auc(data.reference, embedding, n_jobs=n_jobs)}


def r_nx_auc(X: NDArray, embedding: NDArray, *, n_jobs: int = 1) -> float:
    r"""Return the neighborhood agreement beyond chance, averaged over all numbers of neighbors.

    With n points and Q_NX as in :func:`nldr.metrics.ranks.q_nx`,

    .. math:: R_{NX}(k) = \frac{(n - 1) Q_{NX}(k) - k}{n - 1 - k}, \qquad
        AUC = \frac{\sum_{k=1}^{n-2} R_{NX}(k) / k}{\sum_{k=1}^{n-2} 1 / k},

    the area under the curve over a logarithmic axis of k, which gives small and large
    neighborhoods the same weight.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    float
        Value in [-1, 1]: 1 is best, a random embedding scores 0 on average. NaN for fewer than 3
        points.

    References
    ----------
    J. A. Lee, D. H. Peluffo-Ordóñez & M. Verleysen, *Multi-scale similarities in stochastic
    neighbor embedding*, Neurocomputing 169 (2015).

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> round(r_nx_auc(X, np.abs(X - 4.6)), 3)
    0.046
    """
    agreement = q_nx_curve(X, embedding, n_jobs=n_jobs)
    if len(agreement) == 0:
        return float("nan")
    k = np.arange(1, len(agreement) + 1)
    others = len(agreement) + 1  # n - 1
    # Rescale so that chance is 0, then average with weights 1 / k
    beyond_chance = (others * agreement - k) / (others - k)
    return float(np.average(beyond_chance, weights=1 / k))


def q_nx_curve(X: NDArray, embedding: NDArray, *, n_jobs: int = 1) -> NDArray:
    r"""Return Q_NX of :func:`nldr.metrics.ranks.q_nx` for all numbers of neighbors.

    A histogram of the larger of the two ranks of each pair of points gives the whole curve, in
    O(n² (n_features + log n)) time and O(n n_features) memory. Large data are sampled, and ties and
    rounding handled, as in :func:`nldr.metrics.ranks.trustworthiness_continuity`.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    ndarray of shape (max(n_samples - 2, 0),)
        Q_NX(k) for k from 1 to ``n_samples - 2``, in [0, 1], 1 is best.

    References
    ----------
    J. A. Lee & M. Verleysen, *Quality assessment of dimensionality reduction: Rank-based
    criteria*, Neurocomputing 72 (2009).

    Examples
    --------
    >>> X = np.arange(5.0)[:, None]
    >>> q_nx_curve(X, np.abs(X - 2.1)).round(3)
    array([0.1  , 0.4  , 0.767])
    """
    X, embedding = matching_matrices(X, embedding)
    n_samples = len(X)
    if n_samples < 3:
        return np.empty(0)
    (X, embedding), n_rows = sample_first(X, embedding)
    spaces = Space(X), Space(embedding)
    mask = spaces[0].index_mask
    ranks = np.arange(n_samples - 1)  # the nearest neighbor has rank 0 here

    def count_shared(rows: slice) -> tuple[NDArray, NDArray]:
        in_order = [space.sorted(space.keys(rows)) for space in spaces]
        tied = np.any([has_ties(keys, mask) for keys in in_order], axis=0)
        # Larger of the two ranks of each pair of points in the block
        embedded_rank = np.empty(n_samples, dtype=np.int64)
        larger = np.empty((np.sum(~tied), n_samples - 1), dtype=np.int64)
        for row, i in zip(larger, (~tied).nonzero()[0], strict=True):
            nearest, embedded_nearest = (keys[i] & mask for keys in in_order)
            embedded_rank[embedded_nearest] = ranks
            np.maximum(embedded_rank[nearest], ranks, out=row)
        # Rows with ties add their expected numbers of shared neighbors
        expected = np.zeros(n_samples - 1)
        for i in tied.nonzero()[0]:
            expected += _expected_shared(in_order[0][i], in_order[1][i], mask)
        return np.bincount(larger.ravel(), minlength=n_samples - 1), expected

    # Histogram over all pairs; its cumulative sum counts the pairs shared at each k
    histogram, shared = np.zeros(n_samples - 1, dtype=np.int64), np.zeros(n_samples - 1)
    for counts, expected in over_blocks(count_shared, n_rows, n_jobs):
        histogram += counts
        shared += expected
    shared += np.cumsum(histogram)
    return shared[:-1] / (n_rows * np.arange(1, n_samples - 1))


def _expected_shared(keys: NDArray, embedded_keys: NDArray, mask: int) -> NDArray:
    """Return the expected numbers of points among the k nearest of both spaces, for each k from 1.

    The arguments are one point's ascending keys of all others in data and embedding, and the bits
    of the keys that contain the index of a point.
    """
    n_points = len(keys)
    position = np.arange(n_points)  # k - 1
    members = []
    for sorted_keys in (keys, embedded_keys):
        nearer, tied = (values[0] for values in runs(sorted_keys[None], mask))
        # First possible and first sure position of each point by index; none for the point itself
        possible, sure = np.full((2, n_points + 1), n_points)
        possible[sorted_keys & mask], sure[sorted_keys & mask] = nearer, nearer + tied - 1
        share = (position + 1 - nearer) / tied
        members.append([(sure, np.full_like(sure, n_points), 1.0), (possible, sure, share)])
    # Points in both neighborhoods, surely or possibly, times the probabilities
    expected = np.zeros(n_points)
    for start, stop, share in members[0]:
        for other_start, other_stop, other_share in members[1]:
            first, last = np.maximum(start, other_start), np.minimum(stop, other_stop)
            present = first < last
            changes = np.bincount(first[present], minlength=n_points + 1)
            changes -= np.bincount(last[present], minlength=n_points + 1)
            expected += np.cumsum(changes)[:-1] * share * other_share
    return expected
