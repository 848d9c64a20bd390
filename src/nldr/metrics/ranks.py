"""Preservation of neighborhoods: trustworthiness, continuity and neighborhood agreement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices, neighbor_counts
from nldr.metrics._large import sample_first
from nldr.metrics._overlap import Neighbors, compare_rows
from nldr.metrics._space import Space, over_blocks


def ranks(
    data: Dataset, embedding: NDArray, *, k: Sequence[int], n_jobs: int = 1
) -> dict[str, float]:
    """Score an embedding by its neighborhoods compared with those of ``data.reference``.

    All metrics are computed for all ``k`` in one pass over the pairs of points.

    Returns
    -------
    dict of str to float
        For each ``k``, ``trustworthiness_k<k>`` and ``continuity_k<k>`` (see
        :func:`trustworthiness_continuity`), ``q_nx_k<k>`` (see :func:`q_nx`) and the local
        continuity meta-criterion ``lcmc_k<k>``, which is Q_NX minus ``k / (n_samples - 1)``, its
        mean for a random embedding; and ``nn_preservation``, which is Q_NX for k = 1. NaN if ``k``
        is not less than half of the number of points (trustworthiness, continuity), or than the
        number of others (Q_NX, LCMC).

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
    O(n² (n_features + max k)) time and O(n n_features) memory. Of more than 20 000 points i, a
    random sample of at most 10 000 is used, the same for all embeddings; ranks are among all
    points.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    trustworthiness, continuity : ndarray of shape (len(k),)
        Values in [0, 1], 1 is best; NaN where ``k >= n_samples / 2``.

    Notes
    -----
    A point is never its own neighbor. Where points are tied, at the same distance from a point, the
    scores are expected values over random orders of the tied points, drawn independently for the
    data and the embedding: an embedding that is a single point scores what a random one scores on
    average, and one equal to data with ties may score less than 1. Squared distances are rounded to
    34 binary digits (fewer beyond 2¹⁸ points), so that ties do not depend on rounding errors. In
    more than 10 dimensions they come from inner products of centered data, where distances below
    about 1e-7 of the diameter of the data are rounding errors.

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

    A random embedding scores ``k / (n_samples - 1)`` on average. Time, memory, samples of large
    data, ties and rounding are as in :func:`trustworthiness_continuity`.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    ndarray of shape (len(k),)
        Values in [0, 1], 1 is best; NaN where ``k >= n_samples - 1``.

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
    """Return rank penalties, of shape (2, len(counts)), and shared neighbors over all points.

    The penalties are the excess over k of the ranks in the data of the neighbors in the embedding,
    and the same with data and embedding exchanged; the shared neighbors are the number of pairs
    that are neighbors in both. All are expected values if there are ties.
    """
    n_samples = len(X)
    totals = np.zeros((3, len(counts)))
    valid = counts < n_samples - 1
    if not valid.any():
        return totals[:2], totals[2]
    # Undefined sizes contribute nothing
    sizes = np.where(valid, counts, 0)
    (X, embedding), n_rows = sample_first(X, embedding)
    spaces = Space(X), Space(embedding)

    def compare(rows: slice) -> NDArray:
        data, embedded = (Neighbors.of(space, rows, sizes.max()) for space in spaces)
        return compare_rows(data, embedded, sizes).sum(axis=2)

    for total in over_blocks(compare, n_rows, n_jobs):
        totals += total
    totals *= n_samples / n_rows
    return totals[:2], totals[2]


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
