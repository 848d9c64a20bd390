"""Mean relative rank errors: how far the ranks of neighbors differ between data and embedding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices, neighbor_counts
from nldr.metrics._sampled import SEED
from nldr.metrics._space import Space, over_blocks

_POINTS = 10_000  # largest number of points whose neighbors are compared


def relative_ranks(
    data: Dataset, embedding: NDArray, *, k: Sequence[int], n_jobs: int = 1
) -> dict[str, float]:
    """Score an embedding by the ranks of its neighbors compared with those of ``data.reference``.

    Returns
    -------
    dict of str to float
        For each ``k``, ``mrre_false_k<k>`` over the neighbors in the embedding, which false
        neighbors raise, and ``mrre_missing_k<k>`` over those in the data, which missing neighbors
        raise; see :func:`mean_relative_rank_errors`. NaN if ``k`` is not less than half of the
        number of points.

    Examples
    --------
    >>> data = Dataset(X=2.0 ** np.arange(9)[:, None])
    >>> relative_ranks(data, data.X, k=[2])
    {'mrre_false_k2': 0.0, 'mrre_missing_k2': 0.0}
    """
    false, missing = mean_relative_rank_errors(data.reference, embedding, k, n_jobs=n_jobs)
    scores = {f"mrre_false_k{n}": float(error) for n, error in zip(k, false, strict=True)}
    return scores | {f"mrre_missing_k{n}": float(e) for n, e in zip(k, missing, strict=True)}


def mean_relative_rank_errors(
    X: NDArray, embedding: NDArray, k: Sequence[int], *, n_jobs: int = 1
) -> tuple[NDArray, NDArray]:
    r"""Return the mean relative rank errors of an embedding, for several numbers of neighbors.

    With :math:`r(i, j)` the rank of point j among the neighbors of i in the data,
    :math:`\rho(i, j)` that in the embedding, and :math:`U_i^k` the k nearest neighbors of i in
    the embedding,

    .. math:: \frac{1}{C} \sum_i \sum_{j \in U_i^k} \frac{|r(i, j) - \rho(i, j)|}{\rho(i, j)},
        \qquad C = n \sum_{m=1}^k \frac{|n - 2m + 1|}{m}.

    The second error is the same with data and embedding exchanged. Of more than 10 000 points i,
    a random sample of that size is used, the same for all embeddings; ranks are among all points.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    false, missing : ndarray of shape (len(k),)
        Errors, 0 is best; NaN where ``k >= n_samples / 2``.

    Notes
    -----
    Points at the same distance are put in a random order, the same in data and embedding. An
    embedding that is a single point therefore has, on average, the errors of a random one.

    References
    ----------
    J. A. Lee & M. Verleysen, *Nonlinear Dimensionality Reduction*, Springer (2007). The
    normalization is that of the code released with M. Moor, M. Horn, B. Rieck & K. Borgwardt,
    *Topological Autoencoders*, ICML 2020.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.2], [3.6], [5.2], [7.0]])
    >>> false, missing = mean_relative_rank_errors(X, np.abs(X - 3.0), [1, 2])
    >>> false.round(3), missing.round(3)
    (array([0.467, 0.487]), array([0.267, 0.346]))
    """
    X, embedding = matching_matrices(X, embedding)
    counts, n_samples = neighbor_counts(k), len(X)
    valid = counts < n_samples / 2
    totals = np.full((2, len(counts)), np.nan)
    if not valid.any():
        return totals[0], totals[1]
    # In a random order of all points, the first ones are a random sample, and ties, which the
    # index decides, are broken at random
    order = np.random.default_rng(SEED).permutation(n_samples)
    spaces = Space(X[order]), Space(embedding[order])
    largest = counts[valid].max()

    n_rows = min(n_samples, _POINTS)

    def errors(rows: slice) -> NDArray:
        rows = slice(rows.start, min(rows.stop, n_rows))
        if rows.start >= n_rows:
            return np.zeros((2, largest), dtype=np.int64)
        keys = [space.keys(rows) for space in spaces]
        nearest = [
            s.nearest(block, largest) & s.index_mask for s, block in zip(spaces, keys, strict=True)
        ]
        return np.stack(
            [
                _rank_differences(keys[0], nearest[1]).sum(axis=0),
                _rank_differences(keys[1], nearest[0]).sum(axis=0),
            ]
        )

    rank = np.arange(1, largest + 1)
    differences = sum(over_blocks(errors, n_samples, n_jobs)) / rank
    worst = n_rows * np.abs(n_samples - 2 * rank + 1) / rank
    errors_of_all = np.cumsum(differences, axis=1) / np.cumsum(worst)
    totals[:, valid] = errors_of_all[:, counts[valid] - 1]
    return totals[0], totals[1]


def _rank_differences(keys: NDArray, neighbors: NDArray) -> NDArray:
    """Return how far the ranks of the m-th neighbors are from m, shape (n_rows, n_neighbors).

    `keys` are those of a block of points in one space, and `neighbors` their neighbors in the other
    space, nearest first.
    """
    targets = np.take_along_axis(keys, neighbors, axis=1)
    differences = np.empty_like(neighbors)
    for column in range(neighbors.shape[1]):
        n_nearer = np.count_nonzero(keys < targets[:, column, None], axis=1)
        differences[:, column] = np.abs(n_nearer - column)
    return differences
