"""How well each component of the data is recovered, and how they lie to each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix
from nldr.metrics.alignment import procrustes, r2_affine


def within(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by the component, one a label, whose latent it recovers worst.

    Parameters
    ----------
    data : Dataset
        Data whose labels are known. Latent dimensions that are constant on a component do not
        count there.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.

    Returns
    -------
    dict of str to float
        ``r2_within``, the least :func:`nldr.metrics.alignment.r2_affine` of a component, and
        ``procrustes_within``, the greatest :func:`nldr.metrics.alignment.procrustes`. NaN
        where the latent is not known, or a component is a single point of it.

    Raises
    ------
    ValueError
        If the data has no labels, or the embedding's rows are not the data's or not finite.

    Examples
    --------
    >>> Z = np.random.default_rng(0).normal(size=(20, 2))
    >>> data = Dataset(X=Z, Z=Z, y=np.repeat([0, 1], 10))
    >>> embedding = np.concatenate([Z[:10], 50 - 2 * Z[10:]])
    >>> {name: round(score, 12) for name, score in within(data, embedding).items()}
    {'r2_within': 1.0, 'procrustes_within': 0.0}
    """
    if data.y is None:
        raise ValueError("within needs labels, the dataset has none (y is None)")
    embedding = finite_matrix(embedding, "embedding", len(data.y))
    if data.Z is None:
        return {"r2_within": float("nan"), "procrustes_within": float("nan")}
    r2, residual = [], []
    for label in np.unique(data.y):
        rows = data.y == label
        latent = data.Z[rows][:, np.ptp(data.Z[rows], axis=0) > 0]
        r2.append(r2_affine(latent, embedding[rows]) if latent.size else float("nan"))
        residual.append(procrustes(latent, embedding[rows]) if latent.size else float("nan"))
    return {"r2_within": float(np.min(r2)), "procrustes_within": float(np.max(residual))}


def between(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by the distances of points with different labels.

    Parameters
    ----------
    data : Dataset
        Data whose labels are known.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.

    Returns
    -------
    dict of str to float
        ``between_spearman``: rank correlation of distances in the embedding with those in the
        data (without its noise, where that is known), over pairs of points with different
        labels. NaN if there are none, or distances do not differ.

    Raises
    ------
    ValueError
        If the data has no labels, or the embedding's rows are not the data's or not finite.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [7.0]])
    >>> between(Dataset(X=X, y=np.array([0, 0, 1, 1])), 3 * X)
    {'between_spearman': 1.0}
    """
    from scipy.spatial.distance import cdist
    from scipy.stats import rankdata

    if data.y is None:
        raise ValueError("between needs labels, the dataset has none (y is None)")
    embedding = finite_matrix(embedding, "embedding", len(data.y))
    points = data.X if data.clean is None else data.clean
    ours, theirs = [np.empty(0)], [np.empty(0)]
    for label in np.unique(data.y)[:-1]:
        rows, others = data.y == label, data.y > label
        ours.append(cdist(embedding[rows], embedding[others]).ravel())
        theirs.append(cdist(points[rows], points[others]).ravel())
    ranks = [rankdata(np.concatenate(distances)) for distances in (ours, theirs)]
    if any(len(r) == 0 or np.ptp(r) == 0 for r in ranks):
        return {"between_spearman": float("nan")}
    return {"between_spearman": float(min(np.corrcoef(ranks)[0, 1], 1.0))}
