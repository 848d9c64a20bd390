"""How well an embedding preserves neighborhoods: trustworthiness, continuity, agreement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix, neighbor_counts
from nldr.metrics._space import Space, over_blocks, rank_of


def ranks(
    data: Dataset, embedding: NDArray, *, k: Sequence[int], n_jobs: int = 1
) -> dict[str, float]:
    """Score an embedding by its neighborhoods against those of ``data.reference``.

    All metrics for all ``k`` come from one pass over the pairs of points.

    Parameters
    ----------
    data : Dataset
        The data; its clean observations are used where they are known.
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
        continuity meta-criterion ``lcmc_k<k>``, which is Q_NX less ``k / (n_samples - 1)``,
        what a random embedding has on average; and ``nn_preservation``, which is Q_NX of the
        single nearest neighbor.

    Raises
    ------
    ValueError
        See :func:`trustworthiness_continuity`.

    References
    ----------
    Costa, *Maximum Variance Unfolding on Disjoint Manifolds*, describes ``nn_preservation``
    under the name of 1-NN error. L. Chen & A. Buja, *Local Multidimensional Scaling for
    Nonlinear Dimension Reduction, Graph Drawing, and Proximity Analysis*, JASA 104 (2009),
    define the LCMC.

    Examples
    --------
    >>> data = Dataset(X=np.arange(9.0)[:, None])
    >>> ranks(data, data.X, k=[2])  # doctest: +NORMALIZE_WHITESPACE
    {'trustworthiness_k2': 1.0, 'continuity_k2': 1.0, 'q_nx_k2': 1.0, 'lcmc_k2': 0.75,
     'nn_preservation': 1.0}
    """
    X, embedding, counts = _checked(data.reference, embedding, k)
    counts = np.append(counts, 1)
    penalties, shared = _compare(X, embedding, counts, n_jobs)
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
        for n, value in zip(k, values, strict=False)  # the last value is that of k = 1
    }
    return scores | {"nn_preservation": float(agreement[-1])}


def trustworthiness_continuity(
    X: NDArray, embedding: NDArray, k: Sequence[int]
) -> tuple[NDArray, NDArray]:
    r"""Trustworthiness and continuity for several numbers of neighbors in one pass.

    With :math:`r(i, j)` the rank of point j among the neighbors of i in the data (the nearest
    has rank 1) and :math:`U_i^k` the k nearest neighbors of i in the embedding,

    .. math:: T(k) = 1 - \frac{2}{nk(2n - 3k - 1)} \sum_i \sum_{j \in U_i^k} \max(0, r(i, j) - k).

    Continuity is the same with data and embedding exchanged. Both cost
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
        Values in [0, 1], 1 is best; NaN where ``k >= n_samples / 2``, for which the formula
        does not hold.

    Raises
    ------
    ValueError
        If ``X`` and ``embedding`` differ in rows or hold NaN or infinity, or if ``k`` is not
        a list of positive whole numbers.

    Notes
    -----
    A point is never its own neighbor. Among points at the same distance the one that comes
    first in the data is nearer. Squared distances are the same when they round to the same 34
    binary digits (less beyond 2¹⁸ points), so that ties do not hang on the last digits of a
    sum. In up to 10 dimensions distances are exact but for that; above, they come from scalar
    products of centered data, where distances below about 10⁻⁷ of the data's diameter are noise.

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
    (array([0.35 , 0.392]), array([0.788, 0.808]))
    """
    X, embedding, counts = _checked(X, embedding, k)
    trustworthiness, continuity = _trustworthiness(
        _compare(X, embedding, counts)[0], counts, len(X)
    )
    return trustworthiness, continuity


def q_nx(X: NDArray, embedding: NDArray, k: Sequence[int]) -> NDArray:
    r"""Share of the k nearest neighbors in the data that are also such in the embedding.

    With :math:`V_i^k` and :math:`U_i^k` the k nearest neighbors of point i in the data and in
    the embedding,

    .. math:: Q_{NX}(k) = \frac{1}{nk} \sum_i |V_i^k \cap U_i^k|.

    A random embedding has ``k / (n_samples - 1)`` on average. Time, memory, ties and rounding
    are as for :func:`trustworthiness_continuity`.

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
        Values in [0, 1], 1 is best; NaN where ``k >= n_samples - 1``, for which all other
        points are neighbors whatever the embedding.

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
    X, embedding, counts = _checked(X, embedding, k)
    return _agreement(_compare(X, embedding, counts)[1], counts, len(X))


def _checked(X: NDArray, embedding: NDArray, k: Sequence[int]) -> tuple[NDArray, NDArray, NDArray]:
    X = finite_matrix(X, "X")
    return X, finite_matrix(embedding, "embedding", len(X)), neighbor_counts(k)


def _compare(
    X: NDArray, embedding: NDArray, counts: NDArray, n_jobs: int = 1
) -> tuple[NDArray, NDArray]:
    """Sum over all points what their neighborhoods of each size have in common and not.

    Returns
    -------
    penalties : ndarray of shape (2, len(counts))
        How much the ranks in the data of the neighbors in the embedding exceed k, and the
        same with data and embedding exchanged.
    shared : ndarray of shape (len(counts),)
        How many points are neighbors in both.
    """
    n_samples = len(X)
    penalties, shared = np.zeros((2, len(counts))), np.zeros(len(counts))
    valid = counts < n_samples - 1
    if not valid.any():
        return penalties, shared
    sizes = np.where(valid, counts, 0)
    spaces = Space(X), Space(embedding)

    def compare(rows: slice) -> tuple[NDArray, NDArray]:
        keys = [space.keys(rows) for space in spaces]
        near = [space.nearest(own, sizes.max()) for space, own in zip(spaces, keys, strict=True)]
        found = [rank_of(others, own) for own, others in zip(keys, reversed(near), strict=True)]
        beyond = [[np.maximum(rank[:, :n] - n, 0).sum() for n in sizes] for rank in found]
        return np.array(beyond), np.array([(found[1][:, :n] <= n).sum() for n in sizes])

    for beyond, common in over_blocks(compare, n_samples, n_jobs):
        penalties += beyond
        shared += common
    return penalties, shared


def _trustworthiness(penalties: NDArray, counts: NDArray, n_samples: int) -> NDArray:
    weight = np.full(len(counts), np.nan)
    valid = counts < n_samples / 2
    n = counts[valid]
    weight[valid] = 2.0 / (n_samples * n * (2.0 * n_samples - 3.0 * n - 1.0))
    return 1.0 - weight * penalties


def _agreement(shared: NDArray, counts: NDArray, n_samples: int) -> NDArray:
    return np.where(counts < n_samples - 1, shared / (max(n_samples, 1) * counts), np.nan)
