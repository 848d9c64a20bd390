"""How well an embedding preserves distances: correlations, stress, and what a Shepard plot shows.

The metrics compare all pairs of up to 3000 points. Of more points they compare a million random
pairs, the same for all embeddings, which leaves a standard error of about 0.001.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix
from nldr.metrics._distances import squared_distances, unit

_ALL_PAIRS = 3000  # points, at most
_SAMPLE = 1_000_000  # pairs, of more points
_SEED = 0
_DIGITS = 40  # binary ones, below the first of the largest squared distance
_CHUNK_SIZE = 2**18  # coordinates of differences in memory at a time


def distances(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by its distances against those of ``data.reference``.

    Parameters
    ----------
    data : Dataset
        The data; its clean observations are used where they are known.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.

    Returns
    -------
    dict of str to float
        ``distance_pearson``, ``distance_spearman`` and ``stress``, see the functions of these
        names.

    Raises
    ------
    ValueError
        If data and embedding differ in rows or hold NaN or infinity.

    Examples
    --------
    >>> data = Dataset(X=np.random.default_rng(0).normal(size=(50, 3)))
    >>> scores = distances(data, 5 - 2 * data.X)
    >>> {name: round(score, 9) for name, score in scores.items()}
    {'distance_pearson': 1.0, 'distance_spearman': 1.0, 'stress': 0.0}
    """
    ours, theirs = _pairs(data.reference, embedding)
    return {
        "distance_pearson": _correlation(np.sqrt(ours), np.sqrt(theirs)),
        "distance_spearman": _rank_correlation(ours, theirs),
        "stress": _stress(np.sqrt(ours), np.sqrt(theirs)),
    }


def distance_pearson(X: NDArray, embedding: NDArray) -> float:
    """Pearson correlation of the distances in the data with those in the embedding.

    This is not the statistic that G. J. Székely called distance correlation.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    embedding : ndarray of shape (n_samples, n_components)
        Their embedding.

    Returns
    -------
    float
        Correlation in [-1, 1], 1 is best. NaN if all distances of data or embedding are the
        same, for which it is not defined.

    Raises
    ------
    ValueError
        If ``X`` and ``embedding`` differ in rows or hold NaN or infinity.

    Notes
    -----
    Squared distances are rounded to 2⁻⁴⁰ of the largest, so that ties do not hang on the last
    digits of a sum.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> round(distance_pearson(X, X**2), 6)
    0.917663
    """
    ours, theirs = _pairs(X, embedding)
    return _correlation(np.sqrt(ours), np.sqrt(theirs))


def distance_spearman(X: NDArray, embedding: NDArray) -> float:
    """Spearman rank correlation of the distances in the data with those in the embedding.

    Equal distances share the mean of their ranks. Parameters, errors and rounding are those of
    :func:`distance_pearson`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    embedding : ndarray of shape (n_samples, n_components)
        Their embedding.

    Returns
    -------
    float
        Correlation in [-1, 1], 1 is best. NaN if all distances of data or embedding are the
        same, for which it is not defined.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> round(distance_spearman(X, X**2), 12), round(distance_spearman(X, -np.sqrt(X)), 12)
    (1.0, 0.5)
    """
    return _rank_correlation(*_pairs(X, embedding))


def stress(X: NDArray, embedding: NDArray) -> float:
    r"""Return the normalized stress of an embedding at its best scale.

    With :math:`d_{ij}` and :math:`e_{ij}` the distances in data and embedding,

    .. math:: \min_s \sqrt{\frac{\sum_{i<j} (d_{ij} - s e_{ij})^2}{\sum_{i<j} d_{ij}^2}}
        = \sqrt{1 - \frac{(\sum d_{ij} e_{ij})^2}{\sum d_{ij}^2 \sum e_{ij}^2}}.

    It equals Kruskal's stress-1, which divides by the distances of the embedding instead and
    scales those of the data.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    embedding : ndarray of shape (n_samples, n_components)
        Their embedding.

    Returns
    -------
    float
        Stress in [0, 1], 0 is best; 1 for an embedding that is a single point. NaN if the data
        is a single point, for which it is not defined.

    Raises
    ------
    ValueError
        If ``X`` and ``embedding`` differ in rows or hold NaN or infinity.

    References
    ----------
    J. B. Kruskal, *Multidimensional scaling by optimizing goodness of fit to a nonmetric
    hypothesis*, Psychometrika 29 (1964).

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> round(stress(X, 7 - 2 * X), 9), round(stress(X, [[0.0], [3.0], [7.0]]), 6)
    (0.0, 0.107624)
    """
    ours, theirs = _pairs(X, embedding)
    return _stress(np.sqrt(ours), np.sqrt(theirs))


def shepard(
    X: NDArray, embedding: NDArray, *, n_pairs: int = 2000, seed: int = _SEED
) -> tuple[NDArray, NDArray]:
    """Distances of random pairs of points in data and embedding, for a Shepard plot.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    embedding : ndarray of shape (n_samples, n_components)
        Their embedding.
    n_pairs : int, default=2000
        How many pairs; all pairs, each once, if there are no more than that. A pair may come
        twice otherwise.
    seed : int, default=0
        Which pairs: the same for each embedding of the data.

    Returns
    -------
    ours, theirs : ndarray of shape (min(n_pairs, n_samples * (n_samples - 1) / 2),)
        Euclidean distances in the data and in the embedding, in their own units.

    Raises
    ------
    ValueError
        If ``X`` and ``embedding`` differ in rows or hold NaN or infinity.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> shepard(X, X**2)
    (array([1., 3., 2.]), array([1., 9., 8.]))
    """
    X = finite_matrix(X, "X")
    embedding = finite_matrix(embedding, "embedding", len(X))
    if len(X) * (len(X) - 1) // 2 <= n_pairs:
        first, second = np.triu_indices(len(X), 1)
    else:
        first, second = _random_pairs(len(X), n_pairs, seed)
    return np.sqrt(_between(X, first, second)), np.sqrt(_between(embedding, first, second))


def _pairs(X: NDArray, embedding: NDArray) -> tuple[NDArray, NDArray]:
    """Return squared distances in data and embedding as whole numbers, up to a factor each."""
    X = finite_matrix(X, "X")
    spaces = X, finite_matrix(embedding, "embedding", len(X))
    if len(X) <= _ALL_PAIRS:
        ours, theirs = (_rounded(_condensed(A)) for A in spaces)
    else:
        first, second = _random_pairs(len(X), _SAMPLE, _SEED)
        ours, theirs = (_rounded(_between(unit(A), first, second)) for A in spaces)
    return ours, theirs


def _condensed(A: NDArray) -> NDArray:
    """Return the squared distances of all pairs, up to a factor."""
    upper = (
        squared[np.arange(squared.shape[1]) > np.arange(len(squared))[:, None]]
        for _, squared in squared_distances(A)
    )
    return np.concatenate([*upper, np.empty(0)])


def _random_pairs(n_samples: int, n_pairs: int, seed: int) -> tuple[NDArray, NDArray]:
    rng = np.random.default_rng(seed)
    first = np.sort(rng.integers(n_samples, size=n_pairs))  # for access in order
    second = rng.integers(n_samples - 1, size=n_pairs)
    return first, second + (second >= first)


def _between(A: NDArray, first: NDArray, second: NDArray) -> NDArray:
    """Return the squared distances of the given pairs."""
    squared = np.empty(len(first))
    size = max(_CHUNK_SIZE // A.shape[1], 1)
    for start in range(0, len(first), size):
        chunk = slice(start, start + size)
        difference = A[first[chunk]] - A[second[chunk]]
        np.einsum("ij,ij->i", difference, difference, out=squared[chunk])
    return squared


def _rounded(squared: NDArray) -> NDArray:
    largest = squared.max(initial=0.0)
    return np.round(squared * (2.0**_DIGITS / largest)) if largest > 0 else squared


def _correlation(a: NDArray, b: NDArray) -> float:
    if len(a) == 0 or (a == a[0]).all() or (b == b[0]).all():
        return float("nan")
    a, b = a - a.mean(), b - b.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def _rank_correlation(a: NDArray, b: NDArray) -> float:
    from scipy.stats import rankdata

    return _correlation(rankdata(a), rankdata(b))


def _stress(ours: NDArray, theirs: NDArray) -> float:
    size, theirs_size = np.linalg.norm(ours), np.linalg.norm(theirs)
    if size == 0:
        return float("nan")
    if theirs_size == 0:
        return 1.0
    ours, theirs = ours / size, theirs / theirs_size
    return min(float(np.linalg.norm(ours - (ours @ theirs) * theirs)), 1.0)
