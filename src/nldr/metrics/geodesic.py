"""Preservation of distances along the manifold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices, neighbor_counts
from nldr.metrics._distances import scaled_by_power_of_two
from nldr.metrics._sampled import chosen_points, rank_correlation, rounded

_ALL_PAIRS = 1000  # largest number of points of which all pairs are used
_SOURCES, _TARGETS = 1000, 3000  # numbers of points between which paths are taken for more points
_BLOCK = 100  # number of sources whose paths to all points are in memory at a time


def geodesic(data: Dataset, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding by its distances compared with those along ``data.reference``.

    Returns
    -------
    dict of str to float
        ``geodesic_spearman_k<k>`` for each ``k``, see :func:`geodesic_spearman`. NaN if there are
        no more than ``k`` points, or if all distances of one side are equal.

    Examples
    --------
    >>> angle = np.linspace(0, 6, 50)[:, None]
    >>> data = Dataset(X=np.hstack([np.cos(angle), np.sin(angle)]))
    >>> round(geodesic(data, angle, k=[2])["geodesic_spearman_k2"], 3)
    1.0
    """
    correlations = geodesic_spearman(data.reference, embedding, k)
    return {f"geodesic_spearman_k{n}": float(r) for n, r in zip(k, correlations, strict=True)}


def geodesic_spearman(X: NDArray, embedding: NDArray, k: Sequence[int]) -> NDArray:
    """Return the rank correlation of distances along the data with those in the embedding.

    The distance along the data is the length of the shortest path in the graph that joins each
    point with its k nearest neighbors. Points that no path joins count as farther apart than all
    others. The distances in the embedding are Euclidean. All pairs of up to 1000 points are used;
    of more points, those of 1000 random points with at most 3000, the same for all embeddings.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    ndarray of shape (len(k),)
        Correlations in [-1, 1], 1 is best. NaN where ``k >= n_samples``, or if all distances of
        one side are equal.

    References
    ----------
    K. R. Moon et al., *Visualizing structure and transitions in high-dimensional biological
    data*, Nature Biotechnology 37 (2019), the denoised embedding manifold preservation (DEMaP).

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.1, 1.0], [1.1, 0.0]])
    >>> geodesic_spearman(X, np.array([[0.0], [1.0], [2.1], [3.1]]), [1, 2]).round(3)
    array([0.853, 0.739])
    """
    X, embedding = matching_matrices(X, embedding)
    counts, n_samples = neighbor_counts(k), len(X)
    few = n_samples <= _ALL_PAIRS
    sources = chosen_points(n_samples, n_samples if few else _SOURCES)
    targets = chosen_points(n_samples, n_samples if few else _TARGETS)
    # Each pair once; of sampled points, a pair of two sources counts twice
    pairs = sources[:, None] < targets if few else sources[:, None] != targets
    embedded = _euclidean(embedding, sources, targets)[pairs]
    return np.array(
        [
            rank_correlation(_along(X, n, sources, targets)[pairs], embedded)
            if n < n_samples
            else float("nan")
            for n in counts
        ]
    )


def _along(X: NDArray, n_neighbors: int, sources: NDArray, targets: NDArray) -> NDArray:
    """Return the lengths of the shortest paths in the neighborhood graph, infinity without one."""
    from scipy.sparse.csgraph import dijkstra
    from sklearn.neighbors import kneighbors_graph

    # An edge joins two points if one of them is a neighbor of the other
    graph = kneighbors_graph(scaled_by_power_of_two(X), n_neighbors, mode="distance")
    blocks = [sources[start : start + _BLOCK] for start in range(0, len(sources), _BLOCK)]
    rows = [dijkstra(graph, directed=False, indices=block)[:, targets] for block in blocks]
    return rounded(np.concatenate(rows))


def _euclidean(embedding: NDArray, sources: NDArray, targets: NDArray) -> NDArray:
    from scipy.spatial.distance import cdist

    points = scaled_by_power_of_two(embedding)
    return rounded(cdist(points[sources], points[targets]))
