"""LolaGP's neighborhood graph: α-decay kernel, diffusion, log-features, P (Sec. 3.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, diags_array

FLOOR = 1e-7  # added to probabilities before their logarithm, most of them being zero
SMALLEST = 1e-10  # similarities below are dropped
LEAST_WEIGHT = 1e-8  # and entries of W
FARTHEST = np.log(LEAST_WEIGHT) ** 2  # the squared distance of features that gives that weight
ROUNDING = 1e-13  # of squared distances, as a share of the squared lengths
NEGLIGIBLE = 1e-11  # probabilities below are dropped on the way, where most are
DENSE = 0.1  # share of probabilities that are not, above which none is dropped
PROBES = 100  # points from which the diffusion is followed to tell that share
LARGEST = 8000  # order of matrices that are raised to a power as dense ones
CACHE_SIZE = 2**19  # numbers that a core's cache holds
BLOCK_SIZE = 2**22  # numbers in memory at a time


def averaging_matrix(
    X: NDArray,
    *,
    n_neighbors: int,
    decay: float,
    n_steps: int,
    n_edges: int,
    normalization: str = "random_walk",
) -> csr_array:
    """Return P, which averages over the neighbors that a diffusion from each point tells.

    Eq. 17: similarities S of points with the distance to the k-th neighbor as scale; Eq. 18:
    U = (D_S⁻¹ S)^t; Eq. 19: W_ij = exp(−‖log u_i − log u_j‖), for which 1e-7 is added to
    each probability. P is D⁻¹ W or D^(−½) W D^(−½).

    W is kept for pairs of which one is among the `n_edges` nearest others of the other, where it
    is at least 1e-8: what is dropped has no weight to speak of, as long as a point's weights have
    died out within that many neighbors. Time O(n_samples² n_features), and for the diffusion
    O(n_samples n_reached (n_steps n_similar + n_edges)) with n_similar the mean number of
    similarities above 1e-10 and n_reached that of probabilities above 1e-11; memory
    O(n_samples (n_similar + n_edges)), and n_samples n_reached where that is below a tenth of
    n_samples².

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    n_neighbors : int
        k of Eq. 17, less than ``n_samples``.
    decay : float
        α of Eq. 17.
    n_steps : int
        t of Eq. 18.
    n_edges : int
        Number of others of each point for which W is computed.
    normalization : {"random_walk", "symmetric"}, default="random_walk"
        P = D⁻¹W, or D^(−½) W D^(−½).

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        P.

    Examples
    --------
    Two pairs of points far from each other:

    >>> X = np.array([[0.0], [1.0], [50.0], [51.0]])
    >>> P = averaging_matrix(X, n_neighbors=1, decay=2.0, n_steps=1, n_edges=3)
    >>> P.toarray().round(2)
    array([[0.8, 0.2, 0. , 0. ],
           [0.2, 0.8, 0. , 0. ],
           [0. , 0. , 0.8, 0.2],
           [0. , 0. , 0.2, 0.8]])
    """
    similarity, pairs = _similarities(X, n_neighbors, decay, min(n_edges, len(X) - 1))
    degrees = similarity.sum(axis=1)
    walk = csr_array(diags_array(1.0 / degrees) @ similarity)
    weights = np.exp(-np.sqrt(_feature_distances(walk, n_steps, pairs)))
    kept = weights >= LEAST_WEIGHT
    i, j, weights = pairs[0][kept], pairs[1][kept], weights[kept]
    each = np.arange(len(X))
    rows, columns = np.concatenate([i, j, each]), np.concatenate([j, i, each])
    values = np.concatenate([weights, weights, np.ones(len(X))])
    W = csr_array(coo_array((values, (rows, columns)), shape=(len(X), len(X))))
    degrees = W.sum(axis=1)
    if normalization == "symmetric":
        half = diags_array(1.0 / np.sqrt(degrees))
        return csr_array(half @ W @ half)
    return csr_array(diags_array(1.0 / degrees) @ W)


def _similarities(
    X: NDArray, n_neighbors: int, decay: float, n_edges: int
) -> tuple[csr_array, tuple[NDArray, NDArray]]:
    """Return S of Eq. 17, and the pairs i < j of which one is near the other."""
    n_samples, last = len(X), max(n_neighbors, n_edges)
    centered = X - X.mean(axis=0)
    norms = np.square(centered).sum(axis=1)
    reach, tiny = np.log(0.5 / SMALLEST) ** (2 / decay), np.finfo(float).tiny
    rows, columns, values, near = [], [], [], []
    step = max(BLOCK_SIZE // n_samples, 1)
    for start in range(0, n_samples, step):
        block = slice(start, min(start + step, n_samples))
        lengths = norms[block, None] + norms
        squared = lengths - 2 * centered[block] @ centered.T
        squared[squared < ROUNDING * lengths] = 0.0
        own = np.arange(squared.shape[0])
        squared[own, own + start] = -1.0  # each point comes first among its own neighbors
        nearest = np.argpartition(squared, last, axis=1)[:, : last + 1]
        near_squared = np.take_along_axis(squared, nearest, axis=1)
        scale = np.maximum(np.partition(near_squared, n_neighbors, axis=1)[:, n_neighbors], tiny)
        i, j = np.nonzero(squared <= (reach * scale)[:, None])
        rows.append(i + start)
        columns.append(j)
        share = np.maximum(squared[i, j], 0.0) / scale[i]
        values.append(0.5 * np.exp(-(share ** (decay / 2))))
        ranks = np.argsort(near_squared, axis=1, kind="stable")
        nearest = np.take_along_axis(nearest, ranks[:, 1 : n_edges + 1], axis=1)
        near.append((np.repeat(own + start, n_edges), nearest.ravel()))
    one_sided = csr_array(
        coo_array(
            (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
            shape=(n_samples, n_samples),
        )
    )
    i, j = (np.concatenate(ends) for ends in zip(*near, strict=True))
    codes = np.unique(np.minimum(i, j) * n_samples + np.maximum(i, j))
    return csr_array(one_sided + one_sided.T), np.divmod(codes, n_samples)


def _feature_distances(walk: csr_array, n_steps: int, pairs: tuple[NDArray, NDArray]) -> NDArray:
    """Return squared distances of rows of log(R^t + 1e-7)."""
    if walk.nnz > DENSE * walk.shape[0] ** 2:
        return _dense_distances(walk, n_steps, pairs)
    probes = walk[:: max(walk.shape[0] // PROBES, 1)]
    if _diffused(probes, walk, n_steps).nnz > DENSE * np.prod(probes.shape):
        return _dense_distances(walk, n_steps, pairs)
    reached = _diffused(walk, walk, n_steps)
    logs = np.log1p(reached.data / FLOOR)  # less log 1e-7 everywhere
    features = csr_array((logs, reached.indices, reached.indptr), shape=reached.shape)
    i, j = pairs
    norms = features.power(2).sum(axis=1)
    total = norms[i] + norms[j]
    chunk = max(BLOCK_SIZE * len(norms) // features.nnz, 1)
    for first in range(0, len(i), chunk):
        some = slice(first, first + chunk)
        total[some] -= 2 * features[i[some]].multiply(features[j[some]]).sum(axis=1)
    return np.maximum(total, 0.0)


def _diffused(rows: csr_array, walk: csr_array, n_steps: int) -> csr_array:
    """Return rows of R as they are in R^t, without negligible probabilities."""
    for _ in range(n_steps - 1):
        rows = csr_array(rows @ walk)
        rows.data[rows.data < NEGLIGIBLE] = 0.0
        rows.eliminate_zeros()
    return rows


def _dense_distances(walk: csr_array, n_steps: int, pairs: tuple[NDArray, NDArray]) -> NDArray:
    """Return the same, some columns at a time; beyond ``FARTHEST`` distances stop to grow."""
    n_samples = walk.shape[0]
    i, j = pairs
    total = np.zeros(len(i))
    near = np.arange(len(i))
    power = None
    if walk.nnz > DENSE * n_samples**2 and n_samples <= LARGEST:
        power = np.linalg.matrix_power(walk.toarray(), n_steps)
    step = max(CACHE_SIZE // n_samples, 1)
    for start in range(0, n_samples, step):
        if power is not None:
            reached = power[:, start : start + step]
        else:
            reached = walk[:, start : start + step].toarray()
            for _ in range(n_steps - 1):
                reached = walk @ reached
        features = np.log(reached + FLOOR)
        chunk = max(BLOCK_SIZE // features.shape[1], 1)
        for first in range(0, len(near), chunk):
            some = near[first : first + chunk]
            steps = features[i[some]] - features[j[some]]
            total[some] += np.einsum("pf,pf->p", steps, steps)
        near = near[total[near] <= FARTHEST]
    return total
