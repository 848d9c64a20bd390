"""Preservation of pairwise distances: correlations, stress and the pairs of a Shepard plot.

The metrics use all pairs of up to 3000 points. For more points they use a sample of one million
pairs, the same for all embeddings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices
from nldr.metrics._distances import scaled_by_power_of_two, squared_distances

_ALL_PAIRS = 3000  # largest number of points of which all pairs are used
_SAMPLE = 1_000_000  # number of random pairs for more points
_SEED = 0  # of the random pairs
_DIGITS = 40  # binary digits kept, counted from the largest squared distance
_CHUNK_SIZE = 2**18  # coordinate differences in memory at a time


def distances(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by its distances compared with those of ``data.reference``.

    Returns
    -------
    dict of str to float
        ``distance_pearson``, ``distance_spearman`` and ``stress``, see :func:`distance_pearson`,
        :func:`distance_spearman` and :func:`stress`. NaN if all distances in the data, or all in
        the embedding, are equal.

    Examples
    --------
    >>> data = Dataset(X=np.random.default_rng(0).normal(size=(50, 3)))
    >>> scores = distances(data, 5 - 2 * data.X)
    >>> {name: round(score, 9) for name, score in scores.items()}
    {'distance_pearson': 1.0, 'distance_spearman': 1.0, 'stress': 0.0}
    """
    original, embedded = _squared_pairs(data.reference, embedding)
    return {
        "distance_pearson": _correlation(np.sqrt(original), np.sqrt(embedded)),
        "distance_spearman": _rank_correlation(original, embedded),
        "stress": _stress(np.sqrt(original), np.sqrt(embedded)),
    }


def distance_pearson(X: NDArray, embedding: NDArray) -> float:
    """Return the Pearson correlation of the distances in data and embedding.

    This is not the distance correlation of G. J. Székely. Squared distances are rounded to
    multiples of 2⁻⁴⁰ of the largest, so that ties do not depend on rounding errors.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    float
        Correlation in [-1, 1], 1 is best. NaN if all distances in the data, or all in the
        embedding, are equal.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> round(distance_pearson(X, X**2), 6)
    0.917663
    """
    original, embedded = _squared_pairs(X, embedding)
    return _correlation(np.sqrt(original), np.sqrt(embedded))


def distance_spearman(X: NDArray, embedding: NDArray) -> float:
    """Return the Spearman rank correlation of the distances in data and embedding.

    Tied distances share their mean rank. Errors and rounding are as in :func:`distance_pearson`.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    float
        Correlation in [-1, 1], 1 is best. NaN if all distances in the data, or all in the
        embedding, are equal.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> round(distance_spearman(X, X**2), 12), round(distance_spearman(X, -np.sqrt(X)), 12)
    (1.0, 0.5)
    """
    return _rank_correlation(*_squared_pairs(X, embedding))


def stress(X: NDArray, embedding: NDArray) -> float:
    r"""Return the normalized stress of an embedding at its optimal scale.

    With :math:`d_{ij}` and :math:`e_{ij}` the distances in the data and in the embedding,

    .. math:: \min_s \sqrt{\frac{\sum_{i<j} (d_{ij} - s e_{ij})^2}{\sum_{i<j} d_{ij}^2}}
        = \sqrt{1 - \frac{(\sum d_{ij} e_{ij})^2}{\sum d_{ij}^2 \sum e_{ij}^2}}.

    With the best scale s, the size of the embedding has no influence, and the value equals
    Kruskal's stress-1 of metric scaling.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    float
        Stress in [0, 1], 0 is best; 1 if all points of the embedding coincide. NaN if all points
        of the data coincide.

    References
    ----------
    K. Smelser, J. Miller & S. Kobourov, *"Normalized Stress" Is Not Normalized: How to Interpret
    Stress Correctly*, BELIV 2024, the scale-normalized stress. J. B. Kruskal, *Multidimensional
    scaling by optimizing goodness of fit to a nonmetric hypothesis*, Psychometrika 29 (1964),
    stress-1.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> round(stress(X, 7 - 2 * X), 9), round(stress(X, [[0.0], [3.0], [7.0]]), 6)
    (0.0, 0.107624)
    """
    original, embedded = _squared_pairs(X, embedding)
    return _stress(np.sqrt(original), np.sqrt(embedded))


def shepard(
    X: NDArray, embedding: NDArray, *, n_pairs: int = 2000, seed: int = _SEED
) -> tuple[NDArray, NDArray]:
    """Return distances of random pairs of points in data and embedding, for a Shepard plot.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.
    n_pairs : int, default=2000
        Number of pairs. If there are no more pairs than that, each is used once; otherwise pairs
        are drawn with replacement.
    seed : int, default=0
        Seed of the random pairs, which are the same for every embedding of the data.

    Returns
    -------
    original, embedded : ndarray of shape (min(n_pairs, n_samples * (n_samples - 1) / 2),)
        Euclidean distances in the data and in the embedding.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> shepard(X, X**2)
    (array([1., 3., 2.]), array([1., 9., 8.]))
    """
    X, embedding = matching_matrices(X, embedding)
    if len(X) * (len(X) - 1) // 2 <= n_pairs:
        first, second = np.triu_indices(len(X), 1)
    else:
        first, second = _random_pairs(len(X), n_pairs, seed)
    return (
        np.sqrt(_squared_between(X, first, second)),
        np.sqrt(_squared_between(embedding, first, second)),
    )


def _squared_pairs(X: NDArray, embedding: NDArray) -> tuple[NDArray, NDArray]:
    """Return rounded squared distances in data and embedding, each up to a factor."""
    spaces = matching_matrices(X, embedding)
    if len(X) <= _ALL_PAIRS:
        original, embedded = (_rounded(_squared_all(A)) for A in spaces)
        return original, embedded
    first, second = _random_pairs(len(X), _SAMPLE, _SEED)
    original, embedded = (
        _rounded(_squared_between(scaled_by_power_of_two(A), first, second)) for A in spaces
    )
    return original, embedded


def _squared_all(A: NDArray) -> NDArray:
    """Return the squared distances of all pairs of points, up to a factor."""
    upper = (
        squared[np.arange(squared.shape[1]) > np.arange(len(squared))[:, None]]
        for _, squared in squared_distances(A)
    )
    return np.concatenate([*upper, np.empty(0)])


def _random_pairs(n_samples: int, n_pairs: int, seed: int) -> tuple[NDArray, NDArray]:
    """Return the indices of random pairs of two different points."""
    rng = np.random.default_rng(seed)
    first = np.sort(rng.integers(n_samples, size=n_pairs))  # sorted for contiguous access
    second = rng.integers(n_samples - 1, size=n_pairs)
    # Skip the first point itself
    return first, second + (second >= first)


def _squared_between(A: NDArray, first: NDArray, second: NDArray) -> NDArray:
    """Return the squared distances of the given pairs of points."""
    squared = np.empty(len(first))
    size = max(_CHUNK_SIZE // A.shape[1], 1)
    for start in range(0, len(first), size):
        chunk = slice(start, start + size)
        difference = A[first[chunk]] - A[second[chunk]]
        np.einsum("ij,ij->i", difference, difference, out=squared[chunk])
    return squared


def _rounded(squared: NDArray) -> NDArray:
    """Round squared distances to integers, in units of 2⁻⁴⁰ of the largest."""
    largest = squared.max(initial=0.0)
    return np.round(squared * (2.0**_DIGITS / largest)) if largest > 0 else squared


def _correlation(a: NDArray, b: NDArray) -> float:
    """Return the Pearson correlation, NaN where one side is constant."""
    if len(a) == 0 or (a == a[0]).all() or (b == b[0]).all():
        return float("nan")
    a, b = a - a.mean(), b - b.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def _rank_correlation(a: NDArray, b: NDArray) -> float:
    """Return the Spearman correlation, NaN where one side is constant."""
    from scipy.stats import rankdata

    return _correlation(rankdata(a), rankdata(b))


def _stress(original: NDArray, embedded: NDArray) -> float:
    """Return the normalized stress from the distances in data and embedding."""
    original_norm, embedded_norm = np.linalg.norm(original), np.linalg.norm(embedded)
    if original_norm == 0:
        return float("nan")
    if embedded_norm == 0:
        return 1.0
    # Residual of the unit vector of original distances, projected on that of embedded ones
    original, embedded = original / original_norm, embedded / embedded_norm
    return min(float(np.linalg.norm(original - (original @ embedded) * embedded)), 1.0)
