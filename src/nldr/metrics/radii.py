"""Preservation of local density: radii of the neighborhoods in data and embedding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices, neighbor_counts
from nldr.metrics._distances import centered
from nldr.metrics._sampled import chosen_points, rank_correlation, rounded

_POINTS = 10_000  # largest number of points whose radii are compared


def radii(data: Dataset, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding by its local radii compared with those of ``data.reference``.

    Returns
    -------
    dict of str to float
        ``radius_spearman_k<k>`` for each ``k``, see :func:`radius_spearman`. NaN if there are no
        more than ``k`` points, or if all radii of one side are equal.

    Examples
    --------
    >>> data = Dataset(X=2.0 ** np.arange(9)[:, None])
    >>> radii(data, 3 - data.X, k=[2])
    {'radius_spearman_k2': 1.0}
    """
    correlations = radius_spearman(data.reference, embedding, k)
    return {f"radius_spearman_k{n}": float(r) for n, r in zip(k, correlations, strict=True)}


def radius_spearman(X: NDArray, embedding: NDArray, k: Sequence[int]) -> NDArray:
    """Return the rank correlation of the local radii in data and embedding.

    The local radius of a point is the root mean square of its distances to its k nearest
    neighbors, in each space to its neighbors there: dense regions should stay denser than others.
    Of more than 10 000 points, the radii of a random sample of that size are compared, the same for
    all embeddings; neighbors are among all points.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    ndarray of shape (len(k),)
        Correlations in [-1, 1], 1 is best. NaN where ``k >= n_samples``, or if all radii of one
        side are equal.

    References
    ----------
    A. Narayan, B. Berger & H. Cho, *Assessing single-cell transcriptomic variability through
    density-preserving data visualization*, Nature Biotechnology 39 (2021).

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> radius_spearman(X, np.array([[0.0], [3.0], [4.0], [6.0]]), [1, 2, 4]).round(3)
    array([-0.056,  0.   ,    nan])
    """
    from sklearn.neighbors import NearestNeighbors

    X, embedding = matching_matrices(X, embedding)
    counts = neighbor_counts(k)
    valid = counts < len(X)
    correlations = np.full(len(counts), np.nan)
    if not valid.any():
        return correlations
    # Mean squared distance to the first, the first two, … neighbors
    means = []
    for points in (X, embedding):
        points = centered(points)
        search = NearestNeighbors(n_neighbors=counts[valid].max() + 1).fit(points)
        # The nearest point is the point itself, or a copy of it
        squared = search.kneighbors(points[chosen_points(len(points), _POINTS)])[0][:, 1:] ** 2
        means.append(np.cumsum(squared, axis=1) / np.arange(1, squared.shape[1] + 1))
    for i in valid.nonzero()[0]:
        sides = (rounded(mean[:, counts[i] - 1]) for mean in means)
        correlations[i] = rank_correlation(*sides)
    return correlations
