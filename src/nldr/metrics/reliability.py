"""Steadiness and cohesiveness: whether random groups of one space are groups in the other."""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices
from nldr.metrics._sampled import SEED
from nldr.metrics._space import Space, over_blocks

_POINTS = 3000  # largest number of points used
_WALKS = 150  # number of random groups, for each of the two scores
_VISITS = 0.3  # visits of a walk, as a share of the number of points
_SMALLEST = 5  # points of the smallest part of a group that is no single point
_OFFSET = 0.1  # added to similarities, so that their inverses are finite
_BLOCK = 256  # rows of similarities in memory at a time


def reliability(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by random groups of points compared with ``data.reference``.

    Returns
    -------
    dict of str to float
        ``steadiness`` and ``cohesiveness``, see :func:`steadiness_cohesiveness`. NaN if there are
        fewer than three points, or if all points of one side coincide.

    Examples
    --------
    >>> data = Dataset(X=np.random.default_rng(0).normal(size=(50, 3)))
    >>> reliability(data, 5 - 2 * data.X)
    {'steadiness': 1.0, 'cohesiveness': 1.0}
    """
    steadiness, cohesiveness = steadiness_cohesiveness(data.reference, embedding)
    return {"steadiness": steadiness, "cohesiveness": cohesiveness}


def steadiness_cohesiveness(X: NDArray, embedding: NDArray) -> tuple[float, float]:
    r"""Return whether groups of the embedding are groups of the data, and the reverse.

    The similarity :math:`s` of two points is the weighted number of neighbors that they share,
    among the :math:`\lfloor\sqrt n\rfloor` nearest of each, divided by the largest of all pairs;
    their distance is :math:`1 / (s + 0.1)`. A random walk in the embedding, which steps to a
    neighbor with the probability :math:`s`, finds a group, and HDBSCAN divides the group by the
    distances in the data. Parts i have :math:`m_i` points, and distances :math:`d_{ij}` in the data
    and :math:`\delta_{ij}` in the embedding that come from their mean similarity. Steadiness is

    .. math:: 1 - \frac{\sum m_i m_j (d_{ij} - \delta_{ij})}{\max(d - \delta) \sum m_i m_j},

    with the sums over the pairs of parts of 150 groups that are nearer in the embedding,
    :math:`\delta_{ij} < d_{ij}`, and the maximum over all pairs of points. Clusters that are merged
    lower it. Cohesiveness is the same with data and embedding exchanged; clusters that are torn
    lower it.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    steadiness, cohesiveness : float
        Values in [0, 1], 1 is best, also if no parts are nearer than in the other space. NaN for
        fewer than three points, if all points of one side coincide, or if no neighbors of the side
        in which groups are searched share a neighbor.

    Notes
    -----
    Groups are random, with the same seed for all embeddings. Of more than 3000 points, a random
    sample of that size is used, so that neighbors are farther away than among all points. Other
    pairs of parts have no weight: the scores say how grave the faults are, not how many there are.
    HDBSCAN takes points for one part if none of them share neighbors.

    References
    ----------
    H. Jeon, H.-K. Ko, J. Jo, Y. Kim & J. Seo, *Measuring and Explaining the Inter-Cluster
    Reliability of Multidimensional Projections*, IEEE TVCG 28 (2022), with the parameters and
    weights of the released code.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> steadiness, cohesiveness = steadiness_cohesiveness(X, X + [9, 0] * (X[:, :1] > 0))
    >>> steadiness > cohesiveness
    True
    """
    X, embedding = matching_matrices(X, embedding)
    # In a random order of all points, the first ones are a random sample, and ties, which the
    # index decides, are broken at random
    rows = np.random.default_rng(SEED).permutation(len(X))[:_POINTS]
    sides = [points[rows] for points in (X, embedding)]
    if len(rows) < 3 or any((points == points[0]).all() for points in sides):
        return float("nan"), float("nan")
    data, image = map(_SharedNeighbors, sides)
    # Largest differences of the distances of two points
    compressed = stretched = 0.0
    for here, there in zip(data.blocks(), image.blocks(), strict=True):
        difference = data.distances(here) - image.distances(there)
        compressed = max(compressed, difference.max())
        stretched = max(stretched, -difference.min())
    return _score(image, data, compressed), _score(data, image, stretched)


def _score(grouped: _SharedNeighbors, divided: _SharedNeighbors, largest: float) -> float:
    """Return one minus the mean distortion of random groups of one space that the other divides."""
    starts = np.flatnonzero(grouped.similarities.any(axis=1))
    if len(starts) == 0:
        return float("nan")
    rng = np.random.default_rng(SEED)
    groups = [_walk(grouped, rng.choice(starts), rng) for _ in range(_WALKS)]
    faults = np.array(
        [_faults(grouped, divided, members) for members in groups if len(members) > 1]
    )
    distortion, weight = faults.reshape(-1, 2).sum(axis=0)
    return float(1 - distortion / (weight * largest)) if weight > 0 else 1.0


def _walk(space: _SharedNeighbors, start: int, rng: np.random.Generator) -> NDArray:
    """Return the points that a random walk visits, ascending."""
    reached = np.array([start])
    visited, remaining = [reached], max(int(_VISITS * len(space.neighbors)), 1)
    while len(reached) and remaining > 0:
        chance = space.similarities[reached]
        steps = rng.random(chance.shape) < chance
        # Stop behind the point that makes the last visits
        steps[1 + np.searchsorted(np.cumsum(steps.sum(axis=1)), remaining) :] = False
        reached = space.neighbors[reached][steps]
        visited.append(reached)
        remaining -= len(reached)
    return np.unique(np.concatenate(visited))


def _faults(
    grouped: _SharedNeighbors, divided: _SharedNeighbors, members: NDArray
) -> tuple[float, float]:
    """Return the weighted sum of the distortions of a group, and the sum of the weights."""
    labels = _parts(divided, members)
    # Members sorted by part, so that those of a part are successive
    members, sizes = members[np.argsort(labels, kind="stable")], np.bincount(labels)
    farther = divided.between(members, sizes) - grouped.between(members, sizes)
    weights = np.triu(np.outer(sizes, sizes)) * (farther > 0)
    return float(np.sum(weights * farther)), float(np.sum(weights))


def _parts(space: _SharedNeighbors, members: NDArray) -> NDArray:
    """Return a label from 0 on for each point: clusters of HDBSCAN, and the rest one by one."""
    from sklearn.cluster import HDBSCAN

    distances = space.distances(space.among(members))
    np.fill_diagonal(distances, 0.0)
    clustering = HDBSCAN(
        min_cluster_size=_SMALLEST,
        min_samples=min(_SMALLEST + 1, len(members)),  # with the point itself
        metric="precomputed",
        allow_single_cluster=True,
        copy=False,
    )
    labels = clustering.fit_predict(distances)
    rest = (labels < 0).nonzero()[0]
    labels[rest] = labels.max() + 1 + np.arange(len(rest))
    return labels


class _SharedNeighbors:
    """Similarities of points by the neighbors that they share: whole numbers, exact.

    Attributes
    ----------
    neighbors : ndarray of int of shape (n_samples, k)
        The nearest other points of each point, nearest first.
    similarities : ndarray of shape (n_samples, k)
        Similarities of each point to these, divided by the largest of all pairs.
    """

    def __init__(self, points: NDArray) -> None:
        from scipy.sparse import csr_array

        n_samples, k = len(points), isqrt(len(points))
        space = Space(points)

        def nearest(rows: slice) -> NDArray:
            return space.nearest(space.keys(rows), k) & space.index_mask

        self.neighbors = np.concatenate(list(over_blocks(nearest, n_samples, 1)))
        # Weights k + 1, …, 2 of the nearest to the farthest neighbor
        weights = np.tile(np.arange(k + 1.0, 1.0, -1.0), n_samples)
        ends = np.arange(0, n_samples * k + 1, k)
        shape = n_samples, n_samples
        self._weights = csr_array((weights, self.neighbors.ravel(), ends), shape=shape)
        # Similarities to the neighbors, and the largest of all
        self.similarities, self._largest = np.empty((n_samples, k)), 1.0
        for i, block in enumerate(self.blocks()):
            rows = slice(i * _BLOCK, (i + 1) * _BLOCK)
            self.similarities[rows] = np.take_along_axis(block, self.neighbors[rows], axis=1)
            self._largest = max(self._largest, block.max())
        self.similarities /= self._largest

    def blocks(self) -> Iterator[NDArray]:
        """Yield the similarities of successive points to all points, zero to themselves."""
        transposed = self._weights.T.tocsr()
        for start in range(0, len(self.neighbors), _BLOCK):
            block = (self._weights[start : start + _BLOCK] @ transposed).toarray()
            diagonal = np.arange(len(block))
            block[diagonal, start + diagonal] = 0.0
            yield block

    def among(self, members: NDArray) -> NDArray:
        """Return the similarities of points to each other."""
        weights = self._weights[members]
        return (weights @ weights.T).toarray()

    def between(self, members: NDArray, sizes: NDArray) -> NDArray:
        """Return the distances of all pairs of parts, whose members are successive, 0 to itself."""
        starts = np.cumsum(sizes) - sizes
        sums = np.add.reduceat(self.among(members), starts, axis=0)
        sums = np.add.reduceat(sums, starts, axis=1)
        distances = self.distances(sums, np.outer(sizes, sizes))
        np.fill_diagonal(distances, 0.0)
        return distances

    def distances(self, similarities: NDArray, n_pairs: NDArray | int = 1) -> NDArray:
        """Return the distances for sums of similarities of pairs of points."""
        return 1 / (similarities / (n_pairs * self._largest) + _OFFSET)
