"""Preservation of neighborhoods: trustworthiness, continuity and neighborhood agreement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices, neighbor_counts
from nldr.metrics._space import Space, has_ties, over_blocks, runs


def ranks(
    data: Dataset, embedding: NDArray, *, k: Sequence[int], n_jobs: int = 1
) -> dict[str, float]:
    """Score an embedding by its neighborhoods compared with those of ``data.reference``.

    All metrics are computed for all ``k`` in one pass over the pairs of points.

    Parameters
    ----------
    data : Dataset
        The dataset; its clean observations are used if known.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.
    k : sequence of int
        Numbers of neighbors.
    n_jobs : int, default=1
        Number of threads; the scores do not depend on it.

    Returns
    -------
    dict of str to float
        For each ``k``, ``trustworthiness_k<k>`` and ``continuity_k<k>`` (see
        :func:`trustworthiness_continuity`), ``q_nx_k<k>`` (see :func:`q_nx`) and the local
        continuity meta-criterion ``lcmc_k<k>``, which is Q_NX minus ``k / (n_samples - 1)``, its
        mean for a random embedding; and ``nn_preservation``, which is Q_NX for k = 1.

    Raises
    ------
    ValueError
        See :func:`trustworthiness_continuity`.

    References
    ----------
    Costa, *Maximum Variance Unfolding on Disjoint Manifolds*, describes ``nn_preservation``
    as the 1-NN error. L. Chen & A. Buja, *Local Multidimensional Scaling for
    Nonlinear Dimension Reduction, Graph Drawing, and Proximity Analysis*, JASA 104 (2009),
    define the LCMC.

    Examples
    --------
    >>> data = Dataset(X=2.0 ** np.arange(9)[:, None])
    >>> ranks(data, data.X, k=[2])  # doctest: +NORMALIZE_WHITESPACE
    {'trustworthiness_k2': 1.0, 'continuity_k2': 1.0, 'q_nx_k2': 1.0, 'lcmc_k2': 0.75,
     'nn_preservation': 1.0}
    """
    X, embedding, counts = _check_arguments(data.reference, embedding, k)
    counts = np.append(counts, 1)  # for nn_preservation
    penalties, shared = _compare_neighborhoods(X, embedding, counts, n_jobs)
    trustworthiness, continuity = _trustworthiness(penalties, counts, len(X))
    agreement = _agreement(shared, counts, len(X))
    columns = {
        "trustworthiness": trustworthiness,
        "continuity": continuity,
        "q_nx": agreement,
        "lcmc": agreement - counts / max(len(X) - 1, 1),
    }
    scores = {
        f"{name}_k{n}": float(value)
        for name, values in columns.items()
        for n, value in zip(k, values, strict=False)  # without the last, k = 1
    }
    return scores | {"nn_preservation": float(agreement[-1])}


def trustworthiness_continuity(
    X: NDArray, embedding: NDArray, k: Sequence[int]
) -> tuple[NDArray, NDArray]:
    r"""Return trustworthiness and continuity for several numbers of neighbors.

    With :math:`r(i, j)` the rank of point j among the neighbors of i in the data (the nearest
    has rank 1) and :math:`U_i^k` the k nearest neighbors of i in the embedding,

    .. math:: T(k) = 1 - \frac{2}{nk(2n - 3k - 1)} \sum_i \sum_{j \in U_i^k} \max(0, r(i, j) - k).

    Continuity is the same with data and embedding exchanged. Computing both takes
    O(n² (n_features + max k)) time and O(n n_features) memory.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    embedding : ndarray of shape (n_samples, n_components)
        Their embedding.
    k : sequence of int
        Numbers of neighbors.

    Returns
    -------
    trustworthiness, continuity : ndarray of shape (len(k),)
        Values in [0, 1], 1 is best; NaN where ``k >= n_samples / 2``, where the normalization
        is not valid.

    Raises
    ------
    ValueError
        If ``X`` and ``embedding`` differ in their number of rows or contain NaN or infinity, or
        if ``k`` is not a list of positive integers.

    Notes
    -----
    A point is never its own neighbor. Where points are tied, at the same distance from a point, the
    scores are expected values over random orders of the tied points, drawn independently for the
    data and the embedding: the mean over infinitesimal random shifts of all points. They do not
    depend on the order of the rows, an embedding gains nothing from ties, and one that is a single
    point scores what a random embedding scores on average. An embedding equal to data with ties
    may score less than 1. Squared distances are rounded to 34 binary digits (fewer beyond 2¹⁸
    points), so that ties do not depend on rounding errors. In up to 10 dimensions distances are
    sums of squared differences; in more dimensions they come from inner products of centered
    data, where distances below about 1e-7 of the diameter of the data are rounding errors.

    References
    ----------
    J. Venna & S. Kaski, *Neighborhood Preservation in Nonlinear Projection Methods: An
    Experimental Study*, ICANN 2001. Costa, *Maximum Variance Unfolding on Disjoint Manifolds*,
    Eqs. 49 and 50.

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> folded = np.abs(X - 4.6)
    >>> trustworthiness, continuity = trustworthiness_continuity(X, folded, [1, 2])
    >>> trustworthiness.round(3), continuity.round(3)
    (array([0.35 , 0.392]), array([0.756, 0.808]))
    """
    X, embedding, counts = _check_arguments(X, embedding, k)
    penalties, _ = _compare_neighborhoods(X, embedding, counts)
    trustworthiness, continuity = _trustworthiness(penalties, counts, len(X))
    return trustworthiness, continuity


def q_nx(X: NDArray, embedding: NDArray, k: Sequence[int]) -> NDArray:
    r"""Return the share of the k nearest neighbors in the data that remain so in the embedding.

    With :math:`V_i^k` and :math:`U_i^k` the k nearest neighbors of point i in the data and in
    the embedding,

    .. math:: Q_{NX}(k) = \frac{1}{nk} \sum_i |V_i^k \cap U_i^k|.

    A random embedding scores ``k / (n_samples - 1)`` on average. Time, memory, ties and rounding
    are as in :func:`trustworthiness_continuity`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    embedding : ndarray of shape (n_samples, n_components)
        Their embedding.
    k : sequence of int
        Numbers of neighbors.

    Returns
    -------
    ndarray of shape (len(k),)
        Values in [0, 1], 1 is best; NaN where ``k >= n_samples - 1``, where all other points are
        neighbors in any embedding.

    Raises
    ------
    ValueError
        As :func:`trustworthiness_continuity`.

    References
    ----------
    J. A. Lee & M. Verleysen, *Quality assessment of dimensionality reduction: Rank-based
    criteria*, Neurocomputing 72 (2009).

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> q_nx(X, np.abs(X - 4.6), [1, 2, 9])
    array([0.1, 0.2, nan])
    """
    X, embedding, counts = _check_arguments(X, embedding, k)
    _, shared = _compare_neighborhoods(X, embedding, counts)
    return _agreement(shared, counts, len(X))


def _check_arguments(
    X: NDArray, embedding: NDArray, k: Sequence[int]
) -> tuple[NDArray, NDArray, NDArray]:
    """Return data, embedding and numbers of neighbors as checked arrays."""
    return *matching_matrices(X, embedding), neighbor_counts(k)


def _compare_neighborhoods(
    X: NDArray, embedding: NDArray, counts: NDArray, n_jobs: int = 1
) -> tuple[NDArray, NDArray]:
    """Sum rank penalties and shared neighbors over all points, for each number of neighbors.

    Returns
    -------
    penalties : ndarray of shape (2, len(counts))
        Excess over k of the ranks in the data of the neighbors in the embedding, and the same
        with data and embedding exchanged. Both results are expected values if there are ties.
    shared : ndarray of shape (len(counts),)
        Number of pairs of points that are neighbors in both.
    """
    n_samples = len(X)
    totals = np.zeros((3, len(counts)))
    valid = counts < n_samples - 1
    if not valid.any():
        return totals[:2], totals[2]
    # Undefined sizes contribute nothing
    sizes = np.where(valid, counts, 0)
    spaces = Space(X), Space(embedding)
    mask = spaces[0].index_mask

    def compare(rows: slice) -> NDArray:
        # Neighbors in each space, and one point more to see whether a tie crosses the border
        keys = [space.keys(rows) for space in spaces]
        near = [space.nearest(k, sizes.max() + 1) for space, k in zip(spaces, keys, strict=True)]
        crossed = np.any([has_ties(ordered[:, -2:], mask) for ordered in near], axis=0)
        apart = ~crossed if crossed.any() else slice(None)
        # Ranks of the neighbors in their own space and in the other one
        near = [ordered[apart, :-1] for ordered in near]
        own = [runs(ordered, mask) for ordered in near]
        found = [
            space.ranks_of(others & mask, k[apart])
            for space, k, others in zip(spaces, keys, reversed(near), strict=True)
        ]
        total = _overlap((own[1], own[0]), found, sizes)
        # If tied points cross the border, each may be a neighbor: ranks of all points
        if crossed.any():
            whole = [space.all_ranks(k[crossed]) for space, k in zip(spaces, keys, strict=True)]
            total += _overlap((whole[1], whole[0]), whole, sizes)
        return total

    for total in over_blocks(compare, n_samples, n_jobs):
        totals += total
    return totals[:2], totals[2]


def _overlap(
    own: Sequence[tuple[NDArray, NDArray]], other: Sequence[tuple[NDArray, NDArray]], sizes: NDArray
) -> NDArray:
    """Return the expected penalties and numbers of shared neighbors of some points.

    The ties of the two spaces are broken independently, so the expected value of a product is
    the product of expected values.

    Parameters
    ----------
    own : two pairs of ndarray of int
        Ranks of candidates in the embedding, as :meth:`Space.ranks_of`, and ranks of other
        candidates in the data. All points that may be among the largest number of neighbors
        are candidates.
    other : two pairs of ndarray of int
        Ranks of the former candidates in the data, and of the latter in the embedding.
    sizes : ndarray of int
        Numbers of neighbors.

    Returns
    -------
    ndarray of shape (3, len(sizes))
        Excess of the ranks in the data of the neighbors in the embedding, the same with the
        spaces exchanged, and the number of neighbors in both.
    """
    totals = np.zeros((3, len(sizes)))
    for penalty, own_ranks, other_ranks in zip(totals, own, other, strict=False):
        # Points that may be neighbors
        possible = own_ranks[0] < sizes.max()
        here, there = np.array(own_ranks)[:, possible], np.array(other_ranks)[:, possible]
        for i, size in enumerate(sizes):
            weight = 1.0 - _beyond(here[0], here[1], size)[0]
            outside, excess = _beyond(there[0], there[1], size)
            penalty[i], totals[2, i] = weight @ excess, weight @ (1.0 - outside)
    return totals


def _beyond(nearer: NDArray, tied: NDArray, k: int) -> tuple[NDArray, NDArray]:
    """Return P(rank > k) and E[max(0, rank - k)] of ranks in nearer + 1, ..., nearer + tied."""
    # Excess of the last of the tied ranks, and the number of tied ranks beyond k
    last = nearer + tied - float(k)
    n_beyond = np.minimum(np.maximum(last, 0.0), tied)
    # Sum of the arithmetic series last, last - 1, ... of n_beyond terms
    return n_beyond / tied, n_beyond * (2.0 * last - n_beyond + 1.0) / (2.0 * tied)


def _trustworthiness(penalties: NDArray, counts: NDArray, n_samples: int) -> NDArray:
    """Return one minus the normalized penalties, NaN where undefined."""
    weight = np.full(len(counts), np.nan)
    valid = counts < n_samples / 2
    n = counts[valid]
    weight[valid] = 2.0 / (n_samples * n * (2.0 * n_samples - 3.0 * n - 1.0))
    return 1.0 - weight * penalties


def _agreement(shared: NDArray, counts: NDArray, n_samples: int) -> NDArray:
    """Return Q_NX from the numbers of shared neighbors, NaN where undefined."""
    return np.where(counts < n_samples - 1, shared / (max(n_samples, 1) * counts), np.nan)
