"""Agreement of labels among neighbors in an embedding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import labeled_matrix, labels_of, neighbor_counts


def neighbors(data: Dataset, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding by the labels of the nearest neighbors of each point.

    Parameters
    ----------
    data : Dataset
        Dataset with labels ``y``.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.
    k : sequence of int
        Numbers of neighbors.

    Returns
    -------
    dict of str to float
        For each ``k``, ``neighborhood_hit_k<k>``, and ``neighborhood_hit_self_k<k>`` in which
        each point counts as its own neighbor (see :func:`neighborhood_hit`); and
        ``nn_label_error``, the share of points whose nearest neighbor has a different label.

    Raises
    ------
    ValueError
        If the dataset has no labels, and as :func:`neighborhood_hit`.

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
    y, counts = labels_of(data, "neighbors"), neighbor_counts(k)
    # One neighbor search for all metrics
    hits = _hit_rates(y, embedding, counts.max())
    scores = {f"neighborhood_hit_k{n}": float(hits[:n].mean()) for n in counts}
    scores |= {f"neighborhood_hit_self_k{n}": _with_self(hits, n) for n in counts}
    return scores | {"nn_label_error": float(1.0 - hits[0])}


def neighborhood_hit(
    y: NDArray, embedding: NDArray, k: Sequence[int], *, include_self: bool = False
) -> NDArray:
    """Return the share of the k nearest neighbors in an embedding that have the point's label.

    A point with a unique label scores 0.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class labels.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.
    k : sequence of int
        Numbers of neighbors.
    include_self : bool, default=False
        Count each point as the first of its own k neighbors. If h is the share for the
        ``k - 1`` true neighbors, the score is ``(1 + (k - 1) h) / k``. The values printed in the
        reference were computed in this way.

    Returns
    -------
    ndarray of shape (len(k),)
        Values in [0, 1], 1 is best. NaN where a point has fewer than ``k`` neighbors; all NaN if
        the labels are all equal or all different, since every embedding would score the same.

    Raises
    ------
    ValueError
        If ``y`` does not have one dimension, if the embedding has a different number of rows or
        contains NaN or infinity, or if ``k`` is not a list of positive integers.

    Notes
    -----
    Ties in distance are broken by scikit-learn's search, in the same way in every run.

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
    hits = _hit_rates(y, embedding, counts.max())
    if include_self:
        return np.array([_with_self(hits, n) for n in counts])
    return np.array([hits[:n].mean() for n in counts])


def _with_self(hits: NDArray, k: int) -> float:
    """Return the neighborhood hit of each point itself and its ``k - 1`` nearest neighbors."""
    return float((1.0 + hits[: k - 1].sum()) / k)


def _hit_rates(y: NDArray, embedding: NDArray, largest: int) -> NDArray:
    """Return the share of points whose j-th nearest neighbor has the same label, for each j.

    The array has shape (largest,); NaN where there is no j-th neighbor.
    """
    from sklearn.neighbors import NearestNeighbors

    y, embedding = labeled_matrix(y, embedding)
    hits = np.full(largest, np.nan)
    n_classes = len(np.unique(y))
    n_neighbors = min(largest, len(y) - 1)
    # Undefined where every embedding would score the same
    if 1 < n_classes < len(y):
        search = NearestNeighbors(n_neighbors=n_neighbors).fit(embedding)
        near = search.kneighbors(return_distance=False)
        hits[:n_neighbors] = (y[near] == y[:, None]).mean(axis=0)
    return hits
