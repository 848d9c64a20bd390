"""LolaGP's neighborhood graph, Sec. 3.3 of Watanabe et al., Eqs. 17 to 19."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.csgraph import reverse_cuthill_mckee
from sklearn.neighbors import NearestNeighbors

FLOOR = 1e-7  # added to probabilities before their logarithm, because most of them are zero
SMALLEST = 1e-10  # similarities below this are dropped
LEAST_WEIGHT = 1e-8  # entries of W below this are dropped
FARTHEST = np.log(LEAST_WEIGHT) ** 2  # squared distance of features with that weight
ROUNDING = 1e-13  # rounding error of squared distances, relative to the squared norms
NEGLIGIBLE = 1e-11  # probabilities below this are dropped during a sparse diffusion
COARSE = 1e-9  # the same above MANY points
MANY = 5000  # number of points above which neighbors and columns are approximate
EXACT_SEARCH = 20_000  # number of points up to which all pairs are searched for neighbors
FEW_FEATURES = 4  # number of features up to which a tree finds exact neighbors
CLUSTER_SIZE = 125  # mean size of the clusters in which neighbors are searched above EXACT_SEARCH
N_SEARCHED = 32  # number of clusters that are searched for each point
N_COLUMNS = 1024  # columns of R^t that estimate distances of features if n_reached is large
N_REACHED = 700  # mean number of probabilities per point up to which all of many points are kept
DENSE = 0.1  # fraction of nonzero probabilities above which the diffusion is dense
PROBES, FEW_PROBES = 100, 30  # points whose diffusion estimates that fraction, few above MANY
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
    """Return the normalized adjacency matrix P of LolaGP's neighborhood graph, a sparse matrix.

    Eq. 17: similarities S of points by the α-decay kernel, with the distance to the k-th neighbor
    as scale. Eq. 18: t steps of diffusion, U = (D_S⁻¹ S)^t. Eq. 19: weights
    W_ij = exp(−‖log u_i − log u_j‖), with 1e-7 added to each probability.

    W is computed for pairs in which one point is among the `n_edges` nearest neighbors of the
    other, and kept where it is at least 1e-8. Above 5000 points, approximations bound the cost:

    - S is zero beyond the `n_edges` nearest neighbors.
    - Probabilities below 1e-9 are dropped after each step.
    - Above 20 000 points of more than four features, neighbors of a point come from the 32 k-means
      clusters that are nearest to its own, of 125 points on average.
    - If a point reaches more than 700 others in t steps on average, the squared distances of
      Eq. 19 are estimated from 1024 random columns, with a relative standard error of about
      √(n_samples / (512 n_reached)).

    Time is O(n_samples n_reached (n_steps n_similar + n_edges)) for the diffusion, with the mean
    numbers of similarities and of probabilities per point that are not negligible, plus that for
    the neighbors: O(n_samples² n_features) up to 20 000 points, about O(n_samples n_features)
    above.

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
    if n_samples > MANY:
        return _near_similarities(X, n_neighbors, decay, n_edges)
    centered = X - X.mean(axis=0)
    norms = np.square(centered).sum(axis=1)
    # Squared distance, in units of the scale, beyond which similarities are dropped
    reach, tiny = np.log(0.5 / SMALLEST) ** (2 / decay), np.finfo(float).tiny
    rows, columns, values, near = [], [], [], []
    step = max(BLOCK_SIZE // n_samples, 1)
    for start in range(0, n_samples, step):
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
        ranks = np.argsort(near_squared, axis=1, kind="stable")
        nearest = np.take_along_axis(nearest, ranks[:, 1 : n_edges + 1], axis=1)
        near.append((np.repeat(local + start, n_edges), nearest.ravel()))
    ends = np.concatenate(rows), np.concatenate(columns)
    i, j = (np.concatenate(points) for points in zip(*near, strict=True))
    return _both_sides(np.concatenate(values), ends, i, j, n_samples)


def _near_similarities(
    X: NDArray, n_neighbors: int, decay: float, n_edges: int
) -> tuple[csr_array, tuple[NDArray, NDArray]]:
    """Return what :func:`_similarities` does, from the nearest neighbors only."""
    n_samples = len(X)
    nearest, distances = _nearest(X, max(n_neighbors, n_edges))
    scale = np.maximum(distances[:, [n_neighbors - 1]], np.finfo(float).tiny)
    scaled, reach = distances / scale, np.log(0.5 / SMALLEST) ** (1 / decay)
    points, kept = np.arange(n_samples), scaled <= reach
    rows = np.repeat(points, kept.sum(axis=1))
    ends = np.concatenate([rows, points]), np.concatenate([nearest[kept], points])
    values = np.concatenate([0.5 * np.exp(-(scaled[kept] ** decay)), np.full(n_samples, 0.5)])
    rows = np.repeat(points, n_edges)
    return _both_sides(values, ends, rows, nearest[:, :n_edges].ravel(), n_samples)


def _nearest(X: NDArray, count: int) -> tuple[NDArray, NDArray]:
    """Return the nearest other points in ascending order, and their distances."""
    if len(X) > EXACT_SEARCH and X.shape[1] > FEW_FEATURES:
        return _nearest_in_clusters(X, count)
    algorithm = "kd_tree" if X.shape[1] <= FEW_FEATURES else "brute"
    search = NearestNeighbors(n_neighbors=count, algorithm=algorithm).fit(X)
    distances, nearest = search.kneighbors()
    return nearest, distances


def _nearest_in_clusters(X: NDArray, count: int) -> tuple[NDArray, NDArray]:
    """Return the nearest other points in clusters near that of each point, and their distances."""
    from sklearn.cluster import MiniBatchKMeans

    # Clusters of a sample, and the cluster of each point
    single = (X - X.mean(axis=0)).astype(np.float32)
    n_samples, n_clusters = len(X), max(len(X) // CLUSTER_SIZE, 1)
    sample = np.random.default_rng(0).permutation(n_samples)[: 20 * n_clusters]
    clusters = MiniBatchKMeans(
        n_clusters, init="random", n_init=1, max_iter=10, batch_size=4096, random_state=0
    ).fit(single[sample])
    labels, centers = clusters.predict(single), clusters.cluster_centers_
    members = np.split(
        np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels, minlength=n_clusters))
    )
    between = np.square(centers).sum(axis=1) - 2 * centers @ centers.T  # but for row constants

    norms = np.square(single).sum(axis=1)
    nearest, distances = np.empty((n_samples, count), int), np.empty((n_samples, count))
    for points, gaps in zip(members[:-1], between, strict=True):
        if not len(points):
            continue
        order, enough = np.argsort(gaps), N_SEARCHED
        while sum(len(members[k]) for k in order[:enough]) <= count:
            enough *= 2
        others = np.concatenate([members[k] for k in order[:enough]])
        for some in np.array_split(points, len(points) * len(others) // BLOCK_SIZE + 1):
            squared = norms[others] - 2 * single[some] @ single[others].T
            squared[some[:, None] == others] = np.inf
            closest = others[np.argpartition(squared, count - 1, axis=1)[:, :count]]
            # Distances of the neighbors in double precision, row by row to save memory
            pairs = zip(some, closest, strict=True)
            exact = np.array([np.square(X[j] - X[i]).sum(axis=1) for i, j in pairs])
            ranks = np.argsort(exact, axis=1, kind="stable")
            nearest[some] = np.take_along_axis(closest, ranks, axis=1)
            distances[some] = np.sqrt(np.take_along_axis(exact, ranks, axis=1))
    return nearest, distances


def _both_sides(
    values: NDArray, ends: tuple[NDArray, NDArray], i: NDArray, j: NDArray, n_samples: int
) -> tuple[csr_array, tuple[NDArray, NDArray]]:
    """Return the sum of both terms of Eq. 17, and each candidate pair once, as i < j."""
    one_sided = csr_array(coo_array((values, ends), shape=(n_samples, n_samples)))
    codes = np.unique(np.minimum(i, j) * n_samples + np.maximum(i, j))
    return csr_array(one_sided + one_sided.T), np.divmod(codes, n_samples)


def _feature_distances(walk: csr_array, n_steps: int, pairs: tuple[NDArray, NDArray]) -> NDArray:
    """Return the squared distances of pairs of rows of log(R^t + 1e-7)."""
    # Estimate from a few points how many probabilities of R^t differ from zero
    n_samples = walk.shape[0]
    if n_samples <= MANY and walk.nnz > DENSE * n_samples**2:
        return _dense_distances(walk, n_steps, pairs)
    probes = walk[:: max(n_samples // (FEW_PROBES if n_samples > MANY else PROBES), 1)]
    n_reached = _diffused(probes, walk, n_steps).nnz / probes.shape[0]
    if n_samples <= MANY and n_reached > DENSE * n_samples:
        return _dense_distances(walk, n_steps, pairs)
    columns = np.random.default_rng(0).permutation(n_samples)[:N_COLUMNS]
    if n_samples > MANY and n_reached > N_REACHED:
        return _estimated_distances(walk, n_steps, pairs, columns)

    # Features log(u + 1e-7) − log 1e-7, which vanish where u does
    reached = _diffused(walk, walk, n_steps)
    logs = np.log1p(reached.data / FLOOR)
    features = csr_array((logs, reached.indices, reached.indptr), shape=reached.shape)
    # Leave out pairs that are far apart in some of the columns already
    total = np.full(len(pairs[0]), np.inf)
    near = np.arange(len(total))
    if n_samples > MANY:
        near = near[_sparse_distances(csr_array(features[:, columns]), *pairs) <= FARTHEST]
    total[near] = _sparse_distances(features, pairs[0][near], pairs[1][near])
    return total


def _sparse_distances(features: csr_array, i: NDArray, j: NDArray) -> NDArray:
    """Return the squared distances of pairs of rows, some pairs at a time."""
    # ‖a − b‖² = ‖a‖² + ‖b‖² − 2aᵀb
    norms = features.power(2).sum(axis=1)
    total = norms[i] + norms[j]
    chunk = max(BLOCK_SIZE * len(norms) // max(features.nnz, 1), 1)
    for first in range(0, len(i), chunk):
        batch = slice(first, first + chunk)
        total[batch] -= 2 * features[i[batch]].multiply(features[j[batch]]).sum(axis=1)
    return np.maximum(total, 0.0)


def _estimated_distances(
    walk: csr_array, n_steps: int, pairs: tuple[NDArray, NDArray], columns: NDArray
) -> NDArray:
    """Return estimates of the distances of :func:`_feature_distances` from some columns."""
    n_samples, n_columns = walk.shape[0], len(columns)
    # Neighbors close to each other in memory
    order = reverse_cuthill_mckee(walk, symmetric_mode=True)
    places = np.argsort(order)
    single = csr_array(walk[order][:, order].astype(np.float32))
    single.sort_indices()
    pairs, columns = (places[pairs[0]], places[pairs[1]]), places[columns]
    total = np.zeros(len(pairs[0]))
    near = np.arange(len(total))
    step = 64
    for start in range(0, n_columns, step):
        # Eq. 18 for a block of columns, in single precision
        reached = single[:, columns[start : start + step]].toarray()
        for _ in range(n_steps - 1):
            reached = single @ reached
        features = np.log(reached + np.float32(FLOOR))
        chunk = max(CACHE_SIZE // step, 1)
        for first in range(0, len(near), chunk):
            batch = near[first : first + chunk]
            steps = features[pairs[0][batch]] - features[pairs[1][batch]]
            total[batch] += np.einsum("pf,pf->p", steps, steps)
        # Partial sums never decrease
        near = near[total[near] * (n_samples / n_columns) <= FARTHEST]
    return total * (n_samples / n_columns)


def _diffused(rows: csr_array, walk: csr_array, n_steps: int) -> csr_array:
    """Return the rows of R^t for given rows of R, Eq. 18, without negligible probabilities."""
    negligible = COARSE if walk.shape[0] > MANY else NEGLIGIBLE
    for _ in range(n_steps - 1):
        rows = csr_array(rows @ walk)
        rows.data[rows.data < negligible] = 0.0
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
