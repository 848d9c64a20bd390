"""Blockwise IKD: cliques of similar points, each solved on its own and joined by rigid motions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from nldr.kernels import Kernel
from nldr.methods.ikd._components import solve

WELL_KNOWN = (0.15, 0.85)  # similarities from which the authors take the length scale
MARGIN = 0.05  # of R², by which the reference embedding has to be better


def default_threshold(n_features: int) -> float:
    """Threshold s₀ of the authors' released experiments: 0.3 up to 100 features, 0.1 from 1000.

    Examples
    --------
    >>> [round(default_threshold(n), 2) for n in (10, 100, 300, 1000, 5000)]
    [0.3, 0.3, 0.2, 0.1, 0.1]
    """
    return float(np.clip(0.7 - 0.2 * np.log10(n_features), 0.1, 0.3))


def maximal_cliques(adjacency: NDArray, max_cliques: int) -> list[NDArray]:
    """Maximal cliques of a graph by the Bron-Kerbosch algorithm with pivoting, on bit sets.

    The search ends at `max_cliques`. It does not end once the cliques cover all points, as Sec. 2.4
    suggests: those found first overlap too little to be joined safely. On the easy latent of Fig. 2
    (10 000 features, 10 trials) the blocks then recover it to R² = .970, against .999.

    Parameters
    ----------
    adjacency : ndarray of shape (n_points, n_points) of bool
        Symmetric; the diagonal does not count.
    max_cliques : int
        Largest number of cliques.

    Returns
    -------
    list of ndarray
        Points of each clique, ascending.

    References
    ----------
    C. Bron and J. Kerbosch, "Algorithm 457", Communications of the ACM 16, 1973.

    Examples
    --------
    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    >>> maximal_cliques(path, 10)
    [array([0, 1]), array([1, 2])]
    """
    n_points = len(adjacency)
    packed = np.packbits(adjacency, axis=1, bitorder="little")
    neighbors = [
        int.from_bytes(row.tobytes(), "little") & ~(1 << i) for i, row in enumerate(packed)
    ]
    everyone = (1 << n_points) - 1
    cliques: list[NDArray] = []
    # A branch: the clique so far, the points that may extend it, those already done with.
    branches = [(0, everyone, 0)]
    while branches and len(cliques) < max_cliques:
        clique, candidates, done = branches.pop()
        if not candidates:
            if not done:
                cliques.append(np.array(list(_bits(clique))))
            continue
        pivot = max(_bits(candidates | done), key=lambda v: (candidates & neighbors[v]).bit_count())
        children = []
        for v in _bits(candidates & ~neighbors[pivot]):
            children.append((clique | 1 << v, candidates & neighbors[v], done & neighbors[v]))
            candidates &= ~(1 << v)
            done |= 1 << v
        branches.extend(reversed(children))
    return cliques


def _bits(number: int) -> Iterator[int]:
    """Yield the places of the ones."""
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
    """Embed connected points block by block.

    Blocks are maximal cliques of the graph of similarities above the threshold, and for each
    point that the search for cliques did not reach, its neighborhood. The largest block comes
    first. Next comes always that whose points already placed spread most in the direction of
    their smallest spread, times their share of the block: they fix its motion best. Points that
    a block shares with those before move to the mean of both places.

    Parameters
    ----------
    similarity : ndarray of shape (n_points, n_points)
        Similarities in (0, 1].
    kernel : Kernel
        Kernel f.
    n_components : int
        Dimension of the embedding.
    threshold : float
        Threshold s₀.
    max_cliques : int
        Number of cliques after which the search ends; 0 takes neighborhoods alone.
    reference : {"min_max", "min_mean", "center"}
        Origin of each block.

    Returns
    -------
    embedding : ndarray of shape (n_points, n_components)
        Places of the points.
    blocks : list of (ndarray, ndarray)
        Points of each block used, and their own embedding.
    share : float
        Mean explained share of the blocks, weighted by their points.
    """
    adjacency = similarity > threshold
    np.fill_diagonal(adjacency, True)
    members, centers = _candidate_blocks(adjacency, max_cliques)
    sizes = members.sum(axis=1)
    placed = np.zeros(len(similarity), dtype=bool)
    embedding = np.zeros((len(similarity), n_components))
    moments = np.zeros((len(members), 1 + n_components + n_components**2))
    blocks: list[tuple[NDArray, NDArray]] = []
    shares: list[float] = []
    while not placed.all():
        open_ = (sizes > moments[:, 0]) & ~((centers >= 0) & placed[centers])
        score = np.where(open_, _hold(moments, sizes, n_components) if blocks else sizes, -np.inf)
        points = np.flatnonzero(members[score.argmax()])
        if blocks:
            points = _with_enough_shared(points, placed, similarity, n_components)
        part = solve(kernel.inverse(similarity[np.ix_(points, points)]), n_components, reference)
        blocks.append((points, part.embedding))
        shares.append(part.share)
        known, new = placed[points], points[~placed[points]]
        moved = _moved(part.embedding, known, embedding[points[known]])
        embedding[new] = moved[~known]
        embedding[points[known]] = (embedding[points[known]] + moved[known]) / 2
        placed[new] = True
        moments += members[:, new] @ _moment_terms(embedding[new])
    weights = [len(points) for points, _ in blocks]
    return embedding, blocks, float(np.average(shares, weights=weights))


def _candidate_blocks(adjacency: NDArray, max_cliques: int) -> tuple[NDArray, NDArray]:
    """Return membership (n_blocks, n_points) and the centers of neighborhoods, −1 of cliques."""
    cliques = maximal_cliques(adjacency, max_cliques)
    members = np.zeros((len(cliques), len(adjacency)))
    for row, clique in zip(members, cliques, strict=True):
        row[clique] = 1.0
    missed = np.flatnonzero(~members.any(axis=0))
    centers = np.concatenate([np.full(len(cliques), -1), missed])
    return np.concatenate([members, adjacency[missed]]), centers


def _moment_terms(points: NDArray) -> NDArray:
    """Terms 1, z and z zᵀ of each point, flat."""
    squares = points[:, :, np.newaxis] * points[:, np.newaxis]
    return np.hstack([np.ones((len(points), 1)), points, squares.reshape(len(points), -1)])


def _hold(moments: NDArray, sizes: NDArray, n_components: int) -> NDArray:
    """How well the shared points of each block fix its motion; negative if they are too few."""
    n_shared = np.maximum(moments[:, 0], 1)
    means = moments[:, 1 : 1 + n_components] / n_shared[:, np.newaxis]
    squares = moments[:, 1 + n_components :].reshape(-1, n_components, n_components)
    scatter = squares - n_shared[:, None, None] * means[:, :, None] * means[:, None, :]
    smallest = np.maximum(np.linalg.eigvalsh(scatter)[:, 0], 0.0)
    enough = moments[:, 0] > n_components
    return np.where(enough, smallest * moments[:, 0] / sizes, moments[:, 0] - n_components - 1)


def _with_enough_shared(
    points: NDArray, placed: NDArray, similarity: NDArray, n_components: int
) -> NDArray:
    """Add to a block the placed points most similar to one of its, if it shares too few."""
    if placed[points].sum() > n_components:
        return points
    closeness = np.where(placed, similarity[points].max(axis=0), -np.inf)
    n_added = min(n_components + 3, int(placed.sum()))
    return np.union1d(points, np.argsort(-closeness, kind="stable")[:n_added])


def _moved(points: NDArray, shared: NDArray, target: NDArray) -> NDArray:
    """Move points rigidly so that the shared ones come nearest their targets."""
    if not shared.any():
        return points
    mean, target_mean = points[shared].mean(axis=0), target.mean(axis=0)
    left, _, right = np.linalg.svd((points[shared] - mean).T @ (target - target_mean))
    return (points - mean) @ (left @ right) + target_mean


def isomap_embedding(data: NDArray, n_components: int) -> NDArray:
    """Return scikit-learn's Isomap of 5 neighbors, the authors' reference embedding.

    The dense eigensolver is deterministic; the default one starts from a random vector.
    """
    from sklearn.manifold import Isomap

    n_neighbors = min(5, len(data) - 1)
    isomap = Isomap(n_components=n_components, n_neighbors=n_neighbors, eigen_solver="dense")
    return isomap.fit_transform(data)


def align_to_reference(
    embedding: NDArray,
    blocks: list[tuple[NDArray, NDArray]],
    reference: NDArray,
    similarity: NDArray,
    kernel: Kernel,
) -> tuple[NDArray, bool]:
    """Align the blocks with a reference embedding where it explains the similarities better.

    The fallback of the authors' released experiments: if the similarities rebuilt from the
    reference are better by 0.05 in R² than those rebuilt from `embedding`, each block is mapped
    affinely on the reference, and points take the mean over their blocks.

    Parameters
    ----------
    embedding : ndarray of shape (n_points, n_components)
        The merged blocks.
    blocks : list of (ndarray, ndarray)
        Points of each block and their own embedding.
    reference : ndarray of shape (n_points, n_components)
        Another embedding.
    similarity : ndarray of shape (n_points, n_points)
        Similarities in (0, 1].
    kernel : Kernel
        Kernel f.

    Returns
    -------
    embedding : ndarray of shape (n_points, n_components)
        As given, or aligned with the reference.
    acted : bool
        Whether it was aligned.
    """
    lengths = np.sqrt(kernel.inverse(similarity))
    scores = [_rebuilt_r2(y, similarity, lengths, kernel) for y in (embedding, reference)]
    if scores[1] - scores[0] < MARGIN:
        return embedding, False
    total, count = np.zeros_like(embedding), np.zeros((len(embedding), 1))
    for points, own in blocks:
        design = np.hstack([np.ones((len(points), 1)), own])
        total[points] += design @ np.linalg.lstsq(design, reference[points])[0]
        count[points] += 1
    return total / count, True


def _rebuilt_r2(embedding: NDArray, similarity: NDArray, lengths: NDArray, kernel: Kernel) -> float:
    """R² of the similarities rebuilt from an embedding at its best length scale."""
    distances = cdist(embedding, embedding)
    known = (similarity > WELL_KNOWN[0]) & (similarity < WELL_KNOWN[1])
    scale = np.vdot(distances[known], lengths[known])
    if not scale > 0:
        return -np.inf
    scale /= np.vdot(lengths[known], lengths[known])
    errors = similarity - kernel(np.square(distances / scale))
    return float(1 - np.vdot(errors, errors) / np.square(similarity - similarity.mean()).sum())
