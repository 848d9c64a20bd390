"""Recovery of each component of the data, and of the distances between components.

The components are the sets of points with the same label.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix, labels_of
from nldr.metrics._sampled import SEED, rank_correlation, squared_between
from nldr.metrics.alignment import procrustes, r2_affine

_ALL_PAIRS = 3000  # largest number of points of which all pairs are used, as for all distances
_SAMPLE = 1_000_000  # number of random pairs of more points


def within(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by the component whose latent it recovers worst.

    Latent dimensions that are constant on a component are ignored there.

    Returns
    -------
    dict of str to float
        ``r2_within``, the smallest :func:`nldr.metrics.alignment.r2_affine` of a component, and
        ``procrustes_within``, the largest :func:`nldr.metrics.alignment.procrustes`. NaN if the
        latent is unknown, or if it is constant on a component.

    Examples
    --------
    >>> Z = np.random.default_rng(0).normal(size=(20, 2))
    >>> data = Dataset(X=Z, Z=Z, y=np.repeat([0, 1], 10))
    >>> embedding = np.concatenate([Z[:10], 50 - 2 * Z[10:]])
    >>> {name: round(score, 12) for name, score in within(data, embedding).items()}
    {'r2_within': 1.0, 'procrustes_within': 0.0}
    """
    y = labels_of(data, "within")
    embedding = finite_matrix(embedding, "embedding", len(y))
    if data.Z is None:
        return {"r2_within": float("nan"), "procrustes_within": float("nan")}
    r2, residual = [], []
    # Align each component on its own, without latent dimensions that are constant on it
    for label in np.unique(y):
        rows = y == label
        latent = data.Z[rows][:, np.ptp(data.Z[rows], axis=0) > 0]
        r2.append(r2_affine(latent, embedding[rows]) if latent.size else float("nan"))
        residual.append(procrustes(latent, embedding[rows]) if latent.size else float("nan"))
    # The worst component counts; NaN propagates
    return {"r2_within": float(np.min(r2)), "procrustes_within": float(np.max(residual))}


def between(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by the distances of points with different labels.

    Returns
    -------
    dict of str to float
        ``between_spearman``: Spearman correlation of the distances in the embedding with those in
        ``data.reference``, over all pairs of points with different labels, or over a million random
        ones of more than 3000 points, the same for all embeddings; and ``centers_spearman``, that
        of the distances between the means of the labels. NaN if there are no such pairs, or if all
        their distances are equal.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [7.0]])
    >>> between(Dataset(X=X, y=np.array([0, 0, 1, 1])), 3 * X)
    {'between_spearman': 1.0, 'centers_spearman': nan}
    """
    from scipy.spatial.distance import pdist

    y = labels_of(data, "between")
    embedding = finite_matrix(embedding, "embedding", len(y))
    means = [
        pdist(np.stack([points[y == label].mean(axis=0) for label in np.unique(y)]))
        for points in (embedding, data.reference)
    ]
    return {
        "between_spearman": _pairs_spearman(y, embedding, data.reference),
        "centers_spearman": _spearman(*means),
    }


def _pairs_spearman(y: NDArray, embedding: NDArray, X: NDArray) -> float:
    """Return the Spearman correlation of the distances of points with different labels."""
    from scipy.spatial.distance import cdist

    classes = np.unique(y)
    if len(y) > _ALL_PAIRS and len(classes) > 1:
        pairs = _random_pairs(y)
        return rank_correlation(*(squared_between(A, *pairs) for A in (embedding, X)))
    # All pairs of few points, each once
    embedded, original = [np.empty(0)], [np.empty(0)]
    for label in classes[:-1]:
        rows, others = y == label, y > label
        embedded.append(cdist(embedding[rows], embedding[others]).ravel())
        original.append(cdist(X[rows], X[others]).ravel())
    return _spearman(np.concatenate(embedded), np.concatenate(original))


def _random_pairs(y: NDArray) -> tuple[NDArray, NDArray]:
    """Return random pairs of points with different labels, all such pairs equally likely."""
    rng = np.random.default_rng(SEED)
    _, labels, sizes = np.unique(y, return_inverse=True, return_counts=True)
    # Rows sorted by label, so that those of a label are successive
    rows, starts = np.argsort(labels, kind="stable"), np.cumsum(sizes) - sizes
    # The first point by its number of partners, the second any of them
    partners = len(y) - sizes[labels]
    first = np.searchsorted(
        np.cumsum(partners), rng.integers(partners.sum(), size=_SAMPLE), "right"
    )
    first.sort()  # for contiguous access
    second = rng.integers(partners[first])
    second += (second >= starts[labels[first]]) * sizes[labels[first]]
    return first, rows[second]


def _spearman(one: NDArray, other: NDArray) -> float:
    """Return the Pearson correlation of the ranks; NaN if one has no two different values."""
    from scipy.stats import rankdata

    ranks = [rankdata(values) for values in (one, other)]
    if any(len(r) == 0 or np.ptp(r) == 0 for r in ranks):
        return float("nan")
    return float(np.clip(np.corrcoef(ranks)[0, 1], -1.0, 1.0))
