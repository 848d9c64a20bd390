"""How often neighbors in an embedding have the same label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix, neighbor_counts


def neighbors(data: Dataset, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding by the labels of the nearest neighbors of each point.

    Parameters
    ----------
    data : Dataset
        Data whose labels are known.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.
    k : sequence of int
        Numbers of neighbors.

    Returns
    -------
    dict of str to float
        For each ``k``, ``neighborhood_hit_k<k>`` and, with the point itself among the ``k``,
        ``neighborhood_hit_self_k<k>`` (see :func:`neighborhood_hit`); and ``nn_label_error``,
        the share of points whose nearest neighbor has another label.

    Raises
    ------
    ValueError
        If the data has no labels, and as :func:`neighborhood_hit`.

    References
    ----------
    ``nn_label_error``, the leave-one-out error of a 1-NN classifier: L. van der Maaten,
    E. Postma & J. van den Herik, *Dimensionality Reduction: A Comparative Review*, 2009.

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1, 0])
    >>> embedding = np.array([[0.0], [1.0], [5.0], [7.0], [10.0]])
    >>> scores = neighbors(Dataset(X=embedding, y=y), embedding, k=[2])
    >>> {name: round(score, 12) for name, score in scores.items()}
    {'neighborhood_hit_k2': 0.4, 'neighborhood_hit_self_k2': 0.9, 'nn_label_error': 0.2}
    """
    if data.y is None:
        raise ValueError("neighbors needs labels, the dataset has none (y is None)")
    counts = neighbor_counts(k)
    hits = _hits(data.y, embedding, counts.max())
    scores = {f"neighborhood_hit_k{n}": float(hits[:n].mean()) for n in counts}
    scores |= {f"neighborhood_hit_self_k{n}": _with_self(hits, n) for n in counts}
    return scores | {"nn_label_error": float(1.0 - hits[0])}


def neighborhood_hit(
    y: NDArray, embedding: NDArray, k: Sequence[int], *, include_self: bool = False
) -> NDArray:
    """Share of the k nearest neighbors in an embedding that have the label of the point.

    A point whose label no other has is never hit.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class labels.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.
    k : sequence of int
        Numbers of neighbors.
    include_self : bool, default=False
        Count the point itself as the first of its k neighbors, which it always hits. With h
        the hit of ``k - 1`` true neighbors the score is ``(1 + (k - 1) h) / k``; this is how
        the numbers printed in the reference were made.

    Returns
    -------
    ndarray of shape (len(k),)
        Values in [0, 1], 1 is best. NaN where a point has less than ``k`` neighbors; all NaN
        if the labels are all the same or all different, for which every embedding would score
        the same.

    Raises
    ------
    ValueError
        If ``y`` has more than one dimension, if the embedding has another number of rows or
        holds NaN or infinity, or if ``k`` is not a list of positive whole numbers.

    Notes
    -----
    Which of several points at the same distance is the k-th neighbor is up to scikit-learn's
    search, and the same from run to run.

    References
    ----------
    Lai et al., *Parametric Dimension Reduction by Preserving Local Structure*, §4.2.

    Examples
    --------
    >>> y = np.array([0, 0, 1, 1, 0])
    >>> embedding = np.array([[0.0], [1.0], [5.0], [7.0], [10.0]])
    >>> neighborhood_hit(y, embedding, [1, 2, 5])
    array([0.8, 0.4, nan])
    >>> neighborhood_hit(y, embedding, [2], include_self=True)
    array([0.9])
    """
    counts = neighbor_counts(k)
    hits = _hits(y, embedding, counts.max())
    if include_self:
        return np.array([_with_self(hits, n) for n in counts])
    return np.array([hits[:n].mean() for n in counts])


def _with_self(hits: NDArray, k: int) -> float:
    """Return the hit of a point itself and its ``k - 1`` nearest neighbors."""
    return float((1.0 + hits[: k - 1].sum()) / k)


def _hits(y: NDArray, embedding: NDArray, largest: int) -> NDArray:
    """For each of the nearest neighbors, the first to the last, the share of points it hits.

    The array has shape (largest,); NaN where there is no such neighbor.
    """
    from sklearn.neighbors import NearestNeighbors

    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y must have one dimension, got shape {y.shape}")
    embedding = finite_matrix(embedding, "embedding", len(y))
    hits = np.full(largest, np.nan)
    n_classes = len(np.unique(y))
    n_neighbors = min(largest, len(y) - 1)
    if 1 < n_classes < len(y):
        search = NearestNeighbors(n_neighbors=n_neighbors).fit(embedding)
        near = search.kneighbors(return_distance=False)
        hits[:n_neighbors] = (y[near] == y[:, None]).mean(axis=0)
    return hits
