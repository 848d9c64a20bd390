"""Errors of single points of an embedding: intruders, missing neighbors, local stretching."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from nldr.metrics._checks import finite_matrix, matching_matrices
from nldr.metrics._overlap import Neighbors, compare_rows
from nldr.metrics._space import Space, block_size

K = 12  # number of neighbors
MAX_PAIRS = 10**8  # pairs of points that are compared; beyond that, of a random part of the points
_SEED = 0  # of the random part


def pointwise_errors(
    X: NDArray, embeddings: Sequence[NDArray], *, k: int = K, max_pairs: int = MAX_PAIRS
) -> list[dict[str, NDArray]]:
    r"""Return the errors of each point, for several embeddings of the same data.

    With :math:`V_i` and :math:`U_i` the k nearest neighbors of point i in data and embedding and
    :math:`r(i, j)` the rank of j among the neighbors of i in the data,

    .. math:: e_i = \frac{2}{k(2n - 3k - 1)} \sum_{j \in U_i} \max(0, r(i, j) - k)

    is the share of point i in the loss of trustworthiness, whose mean over all points is
    :math:`1 - T(k)` of :func:`nldr.metrics.ranks.trustworthiness_continuity`: the penalty of its
    *intruders*. That of its *missing* neighbors, for continuity, is the same with data and
    embedding exchanged. The *stretch* compares the radii of the neighborhoods,

    .. math:: s_i = \log_2 \frac{\rho_i(Z)}{\rho_i(X)} - \operatorname{median}_l
        \log_2 \frac{\rho_l(Z)}{\rho_l(X)}, \quad
        \rho_i(A)^2 = \frac{1}{k} \sum_{j \in V_i} \lVert a_i - a_j \rVert^2,

    so that 1 means twice as far from the neighbors in the data as at the median point, and -1
    half as far. Scale and rotation of the embedding have no influence.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    embeddings : sequence of ndarray of shape (n_samples, n_components)
        Embeddings of them.
    k : int, default=12
        Number of neighbors.
    max_pairs : int, default=1e8
        Maximum number of pairs of points that are compared for an embedding. Of more points than
        its root, the errors of a random part are computed, the same for all embeddings.

    Returns
    -------
    list of dict of str to ndarray of shape (n_samples,)
        For each embedding ``trustworthiness`` and ``continuity``, errors in [0, 1], and
        ``distortion``, the stretch, which is infinite where a point coincides with all its
        neighbors in one space. NaN for points without errors, and for all if
        ``k >= n_samples / 2``.

    References
    ----------
    J. Venna & S. Kaski, *Neighborhood Preservation in Nonlinear Projection Methods: An
    Experimental Study*, ICANN 2001. The stretch is the difference of log local radii of
    A. Narayan, B. Berger & H. Cho, *Assessing single-cell transcriptomic variability through
    density-preserving data visualization*, Nature Biotechnology 39 (2021), with the same
    neighbors in both spaces.

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> (errors,) = pointwise_errors(X, [np.abs(X - 2.2)], k=2)
    >>> errors["trustworthiness"].round(2)
    array([0.38, 0.23, 0.  , 0.12, 0.69, 0.54, 0.  , 0.  , 0.  , 0.  ])
    """
    X = finite_matrix(X, "X")
    embeddings = [matching_matrices(X, embedding)[1] for embedding in embeddings]
    n_samples = len(X)
    results = np.full((len(embeddings), 3, n_samples), np.nan)
    if embeddings and k < n_samples / 2:
        # Of many points, a random part, which comes first in the order
        n_rows = min(n_samples, max(max_pairs // n_samples, 1))
        order = np.arange(n_samples)
        if n_rows < n_samples:
            order = np.random.default_rng(_SEED).permutation(n_samples)
        spaces = [Space(A[order]) for A in (X, *embeddings)]
        size = block_size(n_samples)
        for start in range(0, n_rows, size):
            rows = slice(start, min(start + size, n_rows))
            with threadpool_limits(1):
                results[:, :, order[rows]] = _block(spaces, rows, k)
        # Normalize as the metrics, and remove the scale of each embedding
        results[:, :2] *= 2.0 / (k * (2.0 * n_samples - 3.0 * k - 1.0))
        for stretch in results[:, 2]:
            finite = np.isfinite(stretch)
            stretch -= np.median(stretch[finite]) if finite.any() else 0.0
    names = "trustworthiness", "continuity", "distortion"
    return [dict(zip(names, result, strict=True)) for result in results]


def _block(spaces: Sequence[Space], rows: slice, k: int) -> NDArray:
    """Return penalties and log ratios of radii of a block, shape (n_embeddings, 3, n_rows)."""
    data = Neighbors.of(spaces[0], rows, k)
    mask = spaces[0].index_mask
    nearest = data.nearest[:, :-1]
    radii = _squared(nearest, mask).mean(axis=1)
    results = np.empty((len(spaces) - 1, 3, len(radii)))
    for result, space in zip(results, spaces[1:], strict=True):
        embedded = Neighbors.of(space, rows, k)
        result[:2] = compare_rows(data, embedded, np.array([k]))[:2, 0]
        squared = _squared(np.take_along_axis(embedded.keys, nearest & mask, axis=1), mask)
        with np.errstate(divide="ignore", invalid="ignore"):
            result[2] = np.log2(squared.mean(axis=1) / radii) / 2
    return results


def _squared(keys: NDArray, mask: int) -> NDArray:
    """Return the squared distances in keys of pairs of points."""
    return (keys & ~mask).view(np.float64)
