"""Order of the distances from a point to two others: random triplets, and those of centroids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix, labels_of, matching_matrices
from nldr.metrics._sampled import SEED, squared_between

_TRIPLETS = 250_000  # the largest number of triplets compared; about 80 points have as many


def random_triplets(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by the triplets of points of ``data.reference`` whose order it keeps.

    Returns
    -------
    dict of str to float
        ``random_triplet_accuracy``, see :func:`triplet_accuracy`. NaN if there are fewer than 3
        points.

    Examples
    --------
    >>> data = Dataset(X=np.random.default_rng(0).normal(size=(50, 3)))
    >>> random_triplets(data, 5 - 2 * data.X)
    {'random_triplet_accuracy': 1.0}
    """
    return {"random_triplet_accuracy": triplet_accuracy(data.reference, embedding)}


def centroid_triplets(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by the triplets of class means whose order it keeps.

    Returns
    -------
    dict of str to float
        ``centroid_triplet_accuracy``: :func:`triplet_accuracy` of the means of the classes, in
        ``data.reference`` and in the embedding. NaN if there are fewer than three classes.

    References
    ----------
    Y. Wang, H. Huang, C. Rudin & Y. Shaposhnik, *Understanding How Dimension Reduction Tools
    Work*, JMLR 22 (2021); their code compares all pairs of distances between centroids instead.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [7.0], [20.0]])
    >>> data = Dataset(X=X, y=np.array([0, 0, 1, 1, 2]))
    >>> centroid_triplets(data, 3 * X), centroid_triplets(data, np.array([0, 0, 9, 9, 5])[:, None])
    ({'centroid_triplet_accuracy': 1.0}, {'centroid_triplet_accuracy': 0.3333333333333333})
    """
    y = labels_of(data, "centroid_triplets")
    embedding = finite_matrix(embedding, "embedding", len(y))
    means = [
        np.stack([points[y == label].mean(axis=0) for label in np.unique(y)])
        for points in (data.reference, embedding)
    ]
    return {"centroid_triplet_accuracy": triplet_accuracy(*means)}


def triplet_accuracy(X: NDArray, embedding: NDArray) -> float:
    """Return the share of triplets whose order of distances is the same in the embedding.

    A triplet is a point with two others; the question is which of the two is nearer. All triplets
    of few points are compared, and 250 000 random ones of more, the same for all embeddings.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    float
        Share in [0, 1], 1 is best; a random embedding has one half. If the two distances of a
        triplet are equal in the data or in the embedding, it counts one half. NaN for fewer than
        three points.

    References
    ----------
    Y. Wang, H. Huang, C. Rudin & Y. Shaposhnik, *Understanding How Dimension Reduction Tools
    Work*, JMLR 22 (2021).

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> round(triplet_accuracy(X, np.array([[0.0], [2.0], [3.0]])), 3)
    0.667
    """
    X, embedding = matching_matrices(X, embedding)
    if len(X) < 3:
        return float("nan")
    anchor, one, other = _triplets(len(X))
    signs = []
    for points in (X, embedding):
        squared = squared_between(points, np.tile(anchor, 2), np.concatenate([one, other]))
        nearer, farther = np.split(squared, 2)
        signs.append(np.sign(nearer - farther))
    return float(np.mean(1 + signs[0] * signs[1]) / 2)


def _triplets(n_samples: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return anchors and the two other points of all triplets, or of random ones."""
    # Few points: each with all pairs of others
    if n_samples * (n_samples - 1) * (n_samples - 2) // 2 <= _TRIPLETS:
        one, other = np.triu_indices(n_samples, 1)
        anchor = np.repeat(np.arange(n_samples), len(one))
        one, other = np.tile(one, n_samples), np.tile(other, n_samples)
        distinct = (anchor != one) & (anchor != other)
        return anchor[distinct], one[distinct], other[distinct]
    # Many: three distinct points, each drawn from those that are not yet chosen
    rng = np.random.default_rng(SEED)
    anchor = np.sort(rng.integers(n_samples, size=_TRIPLETS))
    one = rng.integers(n_samples - 1, size=_TRIPLETS)
    one += one >= anchor
    other = rng.integers(n_samples - 2, size=_TRIPLETS)
    other += other >= np.minimum(anchor, one)
    other += other >= np.maximum(anchor, one)
    return anchor, one, other
