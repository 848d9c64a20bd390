"""Blockwise IKD (Sec. 2.4): embed cliques of similar points, and merge them by rigid motions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from nldr.kernels import Kernel
from nldr.methods.ikd._components import embed_distances

RELIABLE_RANGE = (0.15, 0.85)  # similarities from which the authors estimate the length scale
MIN_GAIN = 0.05  # in R², by which the reference embedding must be better to be used


def released_threshold(n_features: int) -> float:
    """Return the threshold s₀ of the authors' released experiments.

    It is 0.3 up to 100 features, 0.1 from 1000 features on, and 0.7 − 0.2 log₁₀ N in between.

    Examples
    --------
    >>> [round(released_threshold(n), 2) for n in (10, 100, 300, 1000, 5000)]
    [0.3, 0.3, 0.2, 0.1, 0.1]
    """
    return float(np.clip(0.7 - 0.2 * np.log10(n_features), 0.1, 0.3))


def maximal_cliques(adjacency: NDArray, max_cliques: int) -> list[NDArray]:
    """Return maximal cliques of a graph by the Bron–Kerbosch algorithm with pivoting.

    The diagonal of the symmetric adjacency matrix is ignored, and the points of a clique ascend.
    The search stops after `max_cliques` cliques, but not where they cover all points, as Sec. 2.4
    suggests, because the first cliques overlap too little to be merged reliably.

    Examples
    --------
    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    >>> maximal_cliques(path, 10)
    [array([0, 1]), array([1, 2])]
    """
    # Sets of points are integers: bit i is set if point i is in the set.
    n_points = len(adjacency)
    packed = np.packbits(adjacency, axis=1, bitorder="little")
    neighbors = [
        int.from_bytes(row.tobytes(), "little") & ~(1 << i) for i, row in enumerate(packed)
    ]
    all_points = (1 << n_points) - 1
    cliques: list[NDArray] = []
    # Stack of branches: the clique so far, the points that may extend it, and the points that
    # would extend it but whose cliques have been listed (P, R and X of the algorithm)
    branches = [(0, all_points, 0)]
    while branches and len(cliques) < max_cliques:
        clique, candidates, excluded = branches.pop()
        if not candidates:
            if not excluded:  # nothing extends the clique: it is maximal
                cliques.append(np.array(list(_bit_indices(clique))))
            continue
        # Only the pivot or one of its non-neighbors needs to be added next.
        pivot = max(
            _bit_indices(candidates | excluded),
            key=lambda v: (candidates & neighbors[v]).bit_count(),
        )
        children = []
        for v in _bit_indices(candidates & ~neighbors[pivot]):
            children.append((clique | 1 << v, candidates & neighbors[v], excluded & neighbors[v]))
            candidates &= ~(1 << v)
            excluded |= 1 << v
        branches.extend(reversed(children))
    return cliques


def _bit_indices(number: int) -> Iterator[int]:
    """Yield the indices of the bits that are set, ascending."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def merge_blocks(
    similarity: NDArray,
    kernel: Kernel,
    n_components: int,
    threshold: float,
    max_cliques: int,
    reference: str,
) -> tuple[NDArray, list[tuple[NDArray, NDArray]], float]:
    """Embed the points of one connected component block by block.

    The blocks are maximal cliques of the graph of similarities above the threshold s₀, and the
    neighborhoods of the points that no clique contains (all are, if `max_cliques` is 0). The
    largest block is embedded first. The next block is always the one whose motion is determined
    best by the points already embedded: the one with the largest spread of these points, in the
    direction of their smallest spread, times the fraction of the block that they make up. Points
    shared with earlier blocks move to the mean of both coordinates.

    Returns
    -------
    embedding : ndarray of shape (n_points, n_components)
        Coordinates of the points.
    blocks : list of (ndarray, ndarray)
        Points of each block in the order of merging, and their coordinates in the block.
    explained_share : float
        Mean explained share of the blocks, weighted by their numbers of points.
    """
    adjacency = similarity > threshold
    np.fill_diagonal(adjacency, True)
    members, centers = _candidate_blocks(adjacency, max_cliques)
    sizes = members.sum(axis=1)
    done = np.zeros(len(similarity), dtype=bool)
    embedding = np.zeros((len(similarity), n_components))
    # Per candidate block: sums of 1, z and z zᵀ over its points that are embedded already
    moments = np.zeros((len(members), 1 + n_components + n_components**2))
    blocks: list[tuple[NDArray, NDArray]] = []
    shares: list[float] = []
    while not done.all():
        # Next block: the largest, then always the one whose motion is determined best. Skip
        # blocks without new points, and neighborhoods of points that are embedded already.
        open_ = (sizes > moments[:, 0]) & ~((centers >= 0) & done[centers])
        quality = _overlap_quality(moments, sizes, n_components) if blocks else sizes
        points = np.flatnonzero(members[np.where(open_, quality, -np.inf).argmax()])
        if blocks:
            points = _ensure_overlap(points, done, similarity, n_components)
        # Embed the block by Alg. 1, about its own reference point
        block = embed_distances(
            kernel.inverse(similarity[np.ix_(points, points)]), n_components, reference
        )
        blocks.append((points, block.embedding))
        shares.append(block.explained_share)
        # Glue it to the points embedded so far: rigid motion, mean of shared points
        shared, new = done[points], points[~done[points]]
        aligned = align_rigidly(block.embedding, shared, embedding[points[shared]])
        embedding[new] = aligned[~shared]
        embedding[points[shared]] = (embedding[points[shared]] + aligned[shared]) / 2
        done[new] = True
        moments += members[:, new] @ _moment_terms(embedding[new])
    weights = [len(points) for points, _ in blocks]
    return embedding, blocks, float(np.average(shares, weights=weights))


def _candidate_blocks(adjacency: NDArray, max_cliques: int) -> tuple[NDArray, NDArray]:
    """Return the 0/1 membership matrix (n_blocks, n_points), and the centers of neighborhoods.

    The center of a clique is −1.
    """
    cliques = maximal_cliques(adjacency, max_cliques)
    members = np.zeros((len(cliques), len(adjacency)))
    for row, clique in zip(members, cliques, strict=True):
        row[clique] = 1.0
    missed = np.flatnonzero(~members.any(axis=0))
    centers = np.concatenate([np.full(len(cliques), -1), missed])
    return np.concatenate([members, adjacency[missed]]), centers


def _moment_terms(points: NDArray) -> NDArray:
    """Return 1, z and z zᵀ of each point z, flattened to one row per point."""
    squares = points[:, :, np.newaxis] * points[:, np.newaxis]
    return np.hstack([np.ones((len(points), 1)), points, squares.reshape(len(points), -1)])


def _overlap_quality(moments: NDArray, sizes: NDArray, n_components: int) -> NDArray:
    """Rate how well the shared points of each block determine its motion.

    The rating is negative if no more than n_components points are shared: Sec. 2.4 requires more
    for the motion to be unique.
    """
    # Scatter matrix of the shared points of each block
    n_shared = np.maximum(moments[:, 0], 1)
    means = moments[:, 1 : 1 + n_components] / n_shared[:, np.newaxis]
    squares = moments[:, 1 + n_components :].reshape(-1, n_components, n_components)
    scatter = squares - n_shared[:, None, None] * means[:, :, None] * means[:, None, :]
    # Spread in the direction of smallest spread, times the fraction of the block that is shared
    smallest = np.maximum(np.linalg.eigvalsh(scatter)[:, 0], 0.0)
    enough = moments[:, 0] > n_components
    return np.where(enough, smallest * moments[:, 0] / sizes, moments[:, 0] - n_components - 1)


def _ensure_overlap(
    points: NDArray, done: NDArray, similarity: NDArray, n_components: int
) -> NDArray:
    """Add the most similar embedded points to a block that shares too few points with them."""
    if done[points].sum() > n_components:
        return points
    closeness = np.where(done, similarity[points].max(axis=0), -np.inf)
    n_added = min(n_components + 3, int(done.sum()))
    return np.union1d(points, np.argsort(-closeness, kind="stable")[:n_added])


def align_rigidly(points: NDArray, shared: NDArray, target: NDArray) -> NDArray:
    """Apply the rigid motion that brings the shared points closest to their targets."""
    if not shared.any():
        return points
    # Orthogonal Procrustes problem: rotation or reflection V of Eq. 6 from one SVD
    mean, target_mean = points[shared].mean(axis=0), target.mean(axis=0)
    left, _, right = np.linalg.svd((points[shared] - mean).T @ (target - target_mean))
    return (points - mean) @ (left @ right) + target_mean


def align_to_reference(
    embedding: NDArray,
    blocks: list[tuple[NDArray, NDArray]],
    reference: NDArray,
    similarity: NDArray,
    kernel: Kernel,
) -> tuple[NDArray, bool]:
    """Align the blocks to a reference embedding if that explains the similarities better.

    This is the fallback of the authors' released experiments: if the similarities predicted from
    the reference have an R² that is higher by at least 0.05 than that of the similarities
    predicted from `embedding`, each block is mapped affinely onto the reference, and each point
    gets the mean over its blocks. The second result is whether that was done.
    """
    lengths = np.sqrt(kernel.inverse(similarity))
    scores = [_prediction_r2(y, similarity, lengths, kernel) for y in (embedding, reference)]
    if scores[1] - scores[0] < MIN_GAIN:
        return embedding, False
    total, count = np.zeros_like(embedding), np.zeros((len(embedding), 1))
    for points, coordinates in blocks:
        design = np.hstack([np.ones((len(points), 1)), coordinates])
        total[points] += design @ np.linalg.lstsq(design, reference[points])[0]
        count[points] += 1
    return total / count, True


def _prediction_r2(
    embedding: NDArray, similarity: NDArray, lengths: NDArray, kernel: Kernel
) -> float:
    """Return the R² of the similarities predicted from an embedding at its best length scale."""
    distances = cdist(embedding, embedding)
    # Length scale: regression of distances on lengths, where similarities are reliable
    reliable = (similarity > RELIABLE_RANGE[0]) & (similarity < RELIABLE_RANGE[1])
    scale = np.vdot(distances[reliable], lengths[reliable])
    if not scale > 0:
        return -np.inf
    scale /= np.vdot(lengths[reliable], lengths[reliable])
    errors = similarity - kernel(np.square(distances / scale))
    return float(1 - np.vdot(errors, errors) / np.square(similarity - similarity.mean()).sum())
