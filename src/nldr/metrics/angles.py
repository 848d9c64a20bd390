"""Angles at which a point sees two points of another class, in data and embedding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import labeled_matrix, labels_of, matching_matrices
from nldr.metrics._distances import centered
from nldr.metrics._sampled import SEED

_TRIPLETS = 250_000  # number of random triplets


def angles(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by the angles between classes compared with ``data.reference``.

    Returns
    -------
    dict of str to float
        ``class_angular_distortion``, see :func:`class_angular_distortion`. NaN if there are fewer
        than two classes, or no class with two points.

    Examples
    --------
    >>> data = Dataset(X=np.random.default_rng(0).normal(size=(50, 3)), y=np.arange(50) % 5)
    >>> round(angles(data, 5 - 2 * data.X)["class_angular_distortion"], 12)
    0.0
    """
    y = labels_of(data, "angles")
    return {"class_angular_distortion": class_angular_distortion(data.reference, embedding, y)}


def class_angular_distortion(X: NDArray, embedding: NDArray, y: NDArray) -> float:
    """Return the class angular distortion index (CADI).

    From a random point, two random points of another class are seen at an angle. The index is the
    mean squared difference of its cosines in data and embedding, divided by 4, over 250 000
    triplets, the same for all embeddings. Both classes are drawn with equal probabilities; the
    one with two points must have as many.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.
    y : ndarray of shape (n_samples,)
        Class labels.

    Returns
    -------
    float
        Index in [0, 1], 0 is best. A cosine is 0 where a point coincides with the first. NaN
        for fewer than two classes, or if each class has one point.

    References
    ----------
    K. Gunaratne, S. Kobourov & J. Miller, *Class Angular Distortion Index for Dimensionality
    Reduction*, EuroVis 2026.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    >>> round(class_angular_distortion(X, X[:, :1], np.array([0, 1, 1])), 6)
    0.021447
    """
    X, embedding = matching_matrices(X, embedding)
    labels = np.unique(labeled_matrix(y, embedding)[0], return_inverse=True)[1]
    sizes = np.bincount(labels)
    if len(sizes) < 2 or sizes.max() < 2:
        return float("nan")
    triplets = _triplets(labels, sizes)
    one, other = (_cosines(centered(points), *triplets) for points in (X, embedding))
    return float(np.mean((one - other) ** 2) / 4)


def _triplets(labels: NDArray, sizes: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return the points that look, and the two different points of another class that they see."""
    rng = np.random.default_rng(SEED)
    large = np.flatnonzero(sizes > 1)
    seen = large[rng.integers(len(large), size=_TRIPLETS)]
    seeing = rng.integers(len(sizes) - 1, size=_TRIPLETS)
    seeing += seeing >= seen
    # Members: rows sorted by class, so that those of a class are successive
    rows, starts = np.argsort(labels, kind="stable"), np.cumsum(sizes) - sizes
    first, second = rng.integers(sizes[seen]), rng.integers(sizes[seen] - 1)
    second += second >= first
    looking = starts[seeing] + rng.integers(sizes[seeing])
    return rows[looking], rows[starts[seen] + first], rows[starts[seen] + second]


def _cosines(points: NDArray, looking: NDArray, first: NDArray, second: NDArray) -> NDArray:
    """Return the cosines of the angles at which points see two others, 0 where undefined."""
    cosines = np.empty(len(looking))
    size = max(2**18 // points.shape[1], 1)
    for start in range(0, len(looking), size):
        chunk = slice(start, start + size)
        apex = points[looking[chunk]]
        sides = points[first[chunk]] - apex, points[second[chunk]] - apex
        lengths = [np.linalg.norm(side, axis=1) for side in sides]
        product = np.einsum("ij,ij->i", *sides)
        length = lengths[0] * lengths[1]
        cosines[chunk] = np.divide(product, length, out=np.zeros_like(product), where=length > 0)
    return np.clip(cosines, -1.0, 1.0)
