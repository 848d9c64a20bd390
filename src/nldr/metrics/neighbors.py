"""Agreement of labels among neighbors in an embedding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import labeled_matrix, labels_of, neighbor_counts
from nldr.metrics._space import Space, has_ties, rounded, runs

_TIED = 2**18 - 1  # rounds distances to 34 binary digits, as the rank metrics do


def neighbors(data: Dataset, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding by the labels of the nearest neighbors of each point.

    Returns
    -------
    dict of str to float
        For each ``k``, ``neighborhood_hit_k<k>``, and ``neighborhood_hit_self_k<k>`` in which each
        point counts as its own neighbor (see :func:`neighborhood_hit`); and ``nn_label_error``, the
        share of points whose nearest neighbor has a different label. NaN if there are no more than
        ``k`` points, or if the labels are all equal or all different.

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
    hits, hits_with_self = _hit_rates(y, embedding, counts.max())
    scores = {f"neighborhood_hit_k{n}": float(hits[:n].mean()) for n in counts}
    scores |= {f"neighborhood_hit_self_k{n}": float(hits_with_self[:n].mean()) for n in counts}
    return scores | {"nn_label_error": float(1.0 - hits[0])}


def neighborhood_hit(
    y: NDArray, embedding: NDArray, k: Sequence[int], *, include_self: bool = False
) -> NDArray:
    """Return the share of the k nearest neighbors in an embedding that have the point's label.

    A point with a unique label scores 0.

    Parameters
    ----------
    y, embedding : ndarray of shape (n_samples,) and (n_samples, n_components)
        Class labels and embedding.
    include_self : bool, default=False
        Count each point as one of its own k neighbors, as in the values of the reference. If h is
        the share for the ``k - 1`` true neighbors, the score is ``(1 + (k - 1) h) / k``, unless
        other points have the same coordinates.

    Returns
    -------
    ndarray of shape (len(k),)
        Values in [0, 1], 1 is best. NaN where a point has fewer than ``k`` neighbors; all NaN if
        the labels are all equal or all different.

    Notes
    -----
    Where points are tied, at the same distance from a point up to a relative 1e-10, the score is
    the expected value over random orders of the tied points. An embedding that is a single point
    scores what a random embedding scores on average.

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
    hits = _hit_rates(y, embedding, counts.max())[int(include_self)]
    return np.array([hits[:n].mean() for n in counts])


def _hit_rates(y: NDArray, embedding: NDArray, largest: int) -> tuple[NDArray, NDArray]:
    """Return the share of points whose j-th nearest neighbor has the same label, for each j.

    The first array leaves each point out of its own neighbors, the second includes it. They have
    shape (largest,); NaN where there is no j-th neighbor.
    """
    from sklearn.neighbors import NearestNeighbors

    y, embedding = labeled_matrix(y, embedding)
    rates, rates_with_self = np.full((2, largest), np.nan)
    n_classes = len(np.unique(y))
    n_neighbors = min(largest, len(y) - 1)
    # Undefined where every embedding would score the same
    if not 1 < n_classes < len(y):
        return rates, rates_with_self
    # One neighbor more, if there is one, shows whether a tie crosses the border
    search = NearestNeighbors(n_neighbors=min(n_neighbors + 1, len(y) - 1)).fit(embedding)
    distance, nearest = search.kneighbors()
    keys = rounded(distance.view(np.int64), _TIED)
    hits = _mean_over_ties(y[nearest] == y[:, None], keys, _TIED)[:, :n_neighbors]
    n_copies = (keys == 0).sum(axis=1)  # other points with the same coordinates
    # Where it does, order all points
    if n_neighbors < len(y) - 1:
        space = Space(embedding)
        for i in has_ties(keys[:, -2:], 0).nonzero()[0]:
            in_order = space.sorted(space.keys(slice(i, i + 1)))
            same_label = y[in_order & space.index_mask] == y[i]
            hits[i] = _mean_over_ties(same_label, in_order, space.index_mask)[:, :n_neighbors]
            n_copies[i] = (in_order <= space.index_mask).sum()
    rates[:n_neighbors] = hits.mean(axis=0)
    # The point itself, which has its own label, is first or tied with its copies
    with_self = np.hstack([np.ones((len(y), 1)), hits])
    among_copies = np.arange(n_neighbors + 1) <= n_copies[:, None]
    share = (1 + n_copies * hits[:, 0]) / (1 + n_copies)
    with_self = np.where(among_copies, share[:, None], with_self)[:, :largest]
    rates_with_self[: n_neighbors + 1] = with_self.mean(axis=0)
    return rates, rates_with_self


def _mean_over_ties(hits: NDArray, keys: NDArray, mask: int) -> NDArray:
    """Return hits, replaced by their mean over the points that are tied according to the keys."""
    nearer, tied = runs(keys, mask)
    total = np.zeros((len(hits), hits.shape[1] + 1))
    np.cumsum(hits, axis=1, out=total[:, 1:])
    # Sum over a run of ties: difference of the cumulative sums at its ends
    ends = np.take_along_axis(total, nearer + tied, axis=1)
    return (ends - np.take_along_axis(total, nearer, axis=1)) / tied
