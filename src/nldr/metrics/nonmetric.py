"""Stress that only asks for the order of the distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices
from nldr.metrics._sampled import all_or_random_pairs, squared_between

_PAIRS = 1_000_000  # the largest number of pairs used; about 1400 points have as many


def nonmetric(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by its non-metric stress against ``data.reference``.

    Returns
    -------
    dict of str to float
        ``nonmetric_stress``, see :func:`nonmetric_stress`. NaN if all points of the data or of the
        embedding coincide.

    Examples
    --------
    >>> data = Dataset(X=np.random.default_rng(0).normal(size=(50, 3)))
    >>> nonmetric(data, 5 - 2 * data.X)
    {'nonmetric_stress': 0.0}
    """
    return {"nonmetric_stress": nonmetric_stress(data.reference, embedding)}


def nonmetric_stress(X: NDArray, embedding: NDArray) -> float:
    r"""Return Kruskal's non-metric stress of an embedding.

    With :math:`e_{ij}` the distances in the embedding, and :math:`\hat d_{ij}` the values nearest
    to them that grow with the distances in the data (isotonic regression),

    .. math:: \sqrt{\frac{\sum_{i<j} (e_{ij} - \hat d_{ij})^2}{\sum_{i<j} e_{ij}^2}}.

    Of more than a million pairs of points, a million random ones are used, the same for all
    embeddings.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    float
        Stress in [0, 1], 0 is best. NaN if all points of the embedding or of the data coincide.

    References
    ----------
    J. B. Kruskal, *Multidimensional scaling by optimizing goodness of fit to a nonmetric
    hypothesis*, Psychometrika 29 (1964); tied distances get one value (the secondary approach).

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> nonmetric_stress(X, X**2), round(nonmetric_stress(X, np.sqrt(X)), 6)
    (0.0, 0.088962)
    """
    from sklearn.isotonic import isotonic_regression

    X, embedding = matching_matrices(X, embedding)
    pairs = all_or_random_pairs(len(X), _PAIRS)
    if len(pairs[0]) == 0:
        return float("nan")
    original, embedded = (squared_between(A, *pairs) for A in (X, embedding))
    if original.max() == 0 or embedded.max() == 0:
        return float("nan")
    embedded = np.sqrt(embedded)
    # Pairs at the same distance in the data share the mean of their distances in the embedding
    _, group, sizes = np.unique(original, return_inverse=True, return_counts=True)
    means = np.bincount(group, embedded) / sizes
    fitted = isotonic_regression(means, sample_weight=sizes.astype(np.float64))
    return float(np.linalg.norm(embedded - fitted[group]) / np.linalg.norm(embedded))
