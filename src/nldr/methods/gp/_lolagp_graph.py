"""LolaGP's neighborhood graph, Sec. 3.3 of Watanabe et al., Eqs. 17 to 19."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, diags_array

FLOOR = 1e-7  # added to probabilities before their logarithm, because most of them are zero
SMALLEST = 1e-10  # similarities below this are dropped
LEAST_WEIGHT = 1e-8  # entries of W below this are dropped
FARTHEST = np.log(LEAST_WEIGHT) ** 2  # squared distance of features with that weight
ROUNDING = 1e-13  # rounding error of squared distances, relative to the squared norms
NEGLIGIBLE = 1e-11  # probabilities below this are dropped during a sparse diffusion
DENSE = 0.1  # fraction of nonzero probabilities above which the diffusion is dense
PROBES = 100  # number of points whose diffusion estimates that fraction
LARGEST = 8000  # largest order of matrices that are raised to a power as dense ones
CACHE_SIZE = 2**19  # numbers that fit into the cache of one core
BLOCK_SIZE = 2**22  # numbers held in memory at a time


def averaging_matrix(
    X: NDArray,
    *,
    n_neighbors: int,
    decay: float,
    n_steps: int,
    n_edges: int,
    normalization: str = "random_walk",
) -> csr_array:
    """Return the normalized adjacency matrix P of LolaGP's neighborhood graph.

    Eq. 17: similarities S of points by the α-decay kernel, with the distance to the k-th neighbor
    as scale. Eq. 18: t steps of diffusion, U = (D_S⁻¹ S)^t. Eq. 19: weights
    W_ij = exp(−‖log u_i − log u_j‖), with 1e-7 added to each probability. P is D⁻¹W or
    D^(−½) W D^(−½).

    W is computed for pairs in which one point is among the `n_edges` nearest neighbors of the
    other, and kept where it is at least 1e-8. The dropped weights are negligible as long as the
    weights of each point vanish within that many neighbors.

    Time is O(n_samples² n_features) for the neighbors and
    O(n_samples n_reached (n_steps n_similar + n_edges)) for the diffusion, with n_similar the mean
    number of similarities above 1e-10 per point and n_reached that of probabilities above 1e-11.
    Memory is O(n_samples (n_similar + n_edges)), plus n_samples n_reached if that is below a tenth
    of n_samples².

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
        Number of neighbors of each point for which W is computed.
    normalization : {"random_walk", "symmetric"}, default="random_walk"
        ``"random_walk"`` is P = D⁻¹W, ``"symmetric"`` is P = D^(−½) W D^(−½).

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        P.

    Examples
    --------
    Two pairs of points that are far from each other:

    >>> X = np.array([[0.0], [1.0], [50.0], [51.0]])
    >>> P = averaging_matrix(X, n_neighbors=1, decay=2.0, n_steps=1, n_edges=3)
    >>> P.toarray().round(2)
    array([[0.8, 0.2, 0. , 0. ],
           [0.2, 0.8, 0. , 0. ],
           [0. , 0. , 0.8, 0.2],
           [0. , 0. , 0.2, 0.8]])
    """
    # Similarities, Eq. 17, and random walk R = D_S⁻¹ S
    similarity, pairs = _similarities(X, n_neighbors, decay, min(n_edges, len(X) - 1))
    degrees = similarity.sum(axis=1)
    walk = csr_array(diags_array(1.0 / degrees) @ similarity)

    # Weights W of the pairs, Eq. 19, and of each point with itself
    weights = np.exp(-np.sqrt(_feature_distances(walk, n_steps, pairs)))
    kept = weights >= LEAST_WEIGHT
    i, j, weights = pairs[0][kept], pairs[1][kept], weights[kept]
    diagonal = np.arange(len(X))
    rows, columns = np.concatenate([i, j, diagonal]), np.concatenate([j, i, diagonal])
    values = np.concatenate([weights, weights, np.ones(len(X))])
    W = csr_array(coo_array((values, (rows, columns)), shape=(len(X), len(X))))

    # Normalization
    degrees = W.sum(axis=1)
    if normalization == "symmetric":
        half = diags_array(1.0 / np.sqrt(degrees))
        return csr_array(half @ W @ half)
    return csr_array(diags_array(1.0 / degrees) @ W)


def _similarities(
    X: NDArray, n_neighbors: int, decay: float, n_edges: int
) -> tuple[csr_array, tuple[NDArray, NDArray]]:
    """Return S of Eq. 17, and the pairs i < j for which W is computed."""
    n_samples, last = len(X), max(n_neighbors, n_edges)
    centered = X - X.mean(axis=0)
    norms = np.square(centered).sum(axis=1)
    # Squared distance, in units of the scale, beyond which similarities are dropped
    reach, tiny = np.log(0.5 / SMALLEST) ** (2 / decay), np.finfo(float).tiny
    rows, columns, values, near = [], [], [], []
    step = max(BLOCK_SIZE // n_samples, 1)
    for start in range(0, n_samples, step):
        # Squared distances of a block of rows to all points
        block = slice(start, min(start + step, n_samples))
        lengths = norms[block, None] + norms
        squared = lengths - 2 * centered[block] @ centered.T
        squared[squared < ROUNDING * lengths] = 0.0
        local = np.arange(squared.shape[0])
        squared[local, local + start] = -1.0  # each point is its own first neighbor
        # Scale ε_k: distance to the k-th neighbor
        nearest = np.argpartition(squared, last, axis=1)[:, : last + 1]
        near_squared = np.take_along_axis(squared, nearest, axis=1)
        scale = np.maximum(np.partition(near_squared, n_neighbors, axis=1)[:, n_neighbors], tiny)
        # One term of Eq. 17, ½ exp(−(‖x − x'‖ / ε_k(x))^α)
        i, j = np.nonzero(squared <= (reach * scale)[:, None])
        rows.append(i + start)
        columns.append(j)
        scaled = np.maximum(squared[i, j], 0.0) / scale[i]
        values.append(0.5 * np.exp(-(scaled ** (decay / 2))))
        # Nearest neighbors of each point, the candidates for W
        ranks = np.argsort(near_squared, axis=1, kind="stable")
        nearest = np.take_along_axis(nearest, ranks[:, 1 : n_edges + 1], axis=1)
        near.append((np.repeat(local + start, n_edges), nearest.ravel()))
    # Sum of both terms of Eq. 17, and each candidate pair once, as i < j
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
    """Return the squared distances of pairs of rows of log(R^t + 1e-7)."""
    # Estimate from a few points whether R^t is sparse
    if walk.nnz > DENSE * walk.shape[0] ** 2:
        return _dense_distances(walk, n_steps, pairs)
    probes = walk[:: max(walk.shape[0] // PROBES, 1)]
    if _diffused(probes, walk, n_steps).nnz > DENSE * np.prod(probes.shape):
        return _dense_distances(walk, n_steps, pairs)
    # Features log(u + 1e-7) − log 1e-7, which vanish where u does
    reached = _diffused(walk, walk, n_steps)
    logs = np.log1p(reached.data / FLOOR)
    features = csr_array((logs, reached.indices, reached.indptr), shape=reached.shape)
    # ‖a − b‖² = ‖a‖² + ‖b‖² − 2aᵀb, some pairs at a time
    i, j = pairs
    norms = features.power(2).sum(axis=1)
    total = norms[i] + norms[j]
    chunk = max(BLOCK_SIZE * len(norms) // features.nnz, 1)
    for first in range(0, len(i), chunk):
        batch = slice(first, first + chunk)
        total[batch] -= 2 * features[i[batch]].multiply(features[j[batch]]).sum(axis=1)
    return np.maximum(total, 0.0)


def _diffused(rows: csr_array, walk: csr_array, n_steps: int) -> csr_array:
    """Return the rows of R^t for given rows of R, Eq. 18, without negligible probabilities."""
    for _ in range(n_steps - 1):
        rows = csr_array(rows @ walk)
        rows.data[rows.data < NEGLIGIBLE] = 0.0
        rows.eliminate_zeros()
    return rows


def _dense_distances(walk: csr_array, n_steps: int, pairs: tuple[NDArray, NDArray]) -> NDArray:
    """Return the distances of :func:`_feature_distances` by dense blocks of columns.

    A pair is left out of further blocks once its distance exceeds ``FARTHEST``.
    """
    n_samples = walk.shape[0]
    i, j = pairs
    total = np.zeros(len(i))
    near = np.arange(len(i))
    # R^t as a whole, if R is dense and small enough
    power = None
    if walk.nnz > DENSE * n_samples**2 and n_samples <= LARGEST:
        power = np.linalg.matrix_power(walk.toarray(), n_steps)
    step = max(CACHE_SIZE // n_samples, 1)
    for start in range(0, n_samples, step):
        # Eq. 18: some columns of R^t
        if power is not None:
            reached = power[:, start : start + step]
        else:
            reached = walk[:, start : start + step].toarray()
            for _ in range(n_steps - 1):
                reached = walk @ reached
        # Their contributions to the distances of Eq. 19
        features = np.log(reached + FLOOR)
        chunk = max(BLOCK_SIZE // features.shape[1], 1)
        for first in range(0, len(near), chunk):
            batch = near[first : first + chunk]
            steps = features[i[batch]] - features[j[batch]]
            total[batch] += np.einsum("pf,pf->p", steps, steps)
        near = near[total[near] <= FARTHEST]
    return total
