"""Clusters of clusters: Gaussians whose centers are Gaussian around centers of a higher level."""

from __future__ import annotations

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_positive


def hierarchical_gaussians(
    *,
    n_samples: int,
    n_features: int,
    n_children: int,
    n_levels: int,
    ratio: float,
    label_level: int,
    rng: np.random.Generator,
) -> Dataset:
    """Sample Gaussian clusters that form larger clusters, which form larger ones.

    The points of a cluster have standard deviation 1 in each coordinate. The centers of the
    clusters of the lowest level have standard deviation ``ratio`` around a center of the level
    above, these ``ratio**2`` around one of the next, and so on; the top is the origin.

    Parameters
    ----------
    n_children : int
        Number of clusters in each cluster of the level above.
    n_levels : int
        Number of levels; there are ``n_children**n_levels`` clusters at the lowest, with equally
        many points up to one.
    ratio : float
        Ratio of the sizes of clusters of successive levels.
    label_level : int
        Level whose clusters are the labels, from 1, the largest, to ``n_levels``, the smallest.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features), cluster by cluster, and labels ``y``.

    References
    ----------
    Wang et al., Understanding How Dimension Reduction Tools Work, have such data of three levels.

    Examples
    --------
    >>> data = hierarchical_gaussians(n_samples=90, n_features=10, n_children=3, n_levels=2,
    ...                               ratio=4.0, label_level=1, rng=np.random.default_rng(0))
    >>> data.X.shape, np.bincount(data.y).tolist()
    ((90, 10), [30, 30, 30])
    """
    check_positive(n_samples=n_samples, n_features=n_features, n_children=n_children, ratio=ratio)
    if not 1 <= label_level <= n_levels:
        raise ValueError(f"label_level must be from 1 to n_levels={n_levels}, got {label_level}")
    # Centers, level by level from the top
    centers = np.zeros((1, n_features))
    for level in range(n_levels):
        centers = np.repeat(centers, n_children, axis=0)
        centers += ratio ** (n_levels - level) * rng.standard_normal(centers.shape)
    cluster = np.arange(n_samples) * len(centers) // n_samples
    X = centers[cluster] + rng.standard_normal((n_samples, n_features))
    return Dataset(X=X, y=cluster // n_children ** (n_levels - label_level))
