"""Recovery of a class that encloses all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix, labels_of

ROUNDING = 1e-9  # rounding error of angles


def enclosure(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score a two-dimensional embedding by whether the outer class encloses the other classes.

    The outer class is the one whose points are all farther from their mean than any other point
    is, in ``data.reference``.

    Returns
    -------
    dict of str to float
        ``outer_outside``: share of points of the outer class outside the convex hull of each other
        class. ``enclosure``: the smaller of the share of the outer class outside the convex hull of
        all other points, and of the others inside the hull of the outer class. Both are 1 if the
        outer class is a ring around all others. NaN if the data have no outer class, or if the
        embedding does not have two dimensions.

    Examples
    --------
    Two pairs of points inside a square, whose corners are the outer class:

    >>> square = np.array([[-9.0, -9.0], [-9.0, 9.0], [9.0, -9.0], [9.0, 9.0]])
    >>> X = np.concatenate([[[1.0, 0.0], [2.0, 0.0], [-1.0, 0.0], [-2.0, 0.0]], square])
    >>> data = Dataset(X=X, y=np.array([0, 0, 1, 1, 2, 2, 2, 2]))
    >>> enclosure(data, X)
    {'outer_outside': 1.0, 'enclosure': 1.0}
    """
    y = labels_of(data, "enclosure")
    embedding = finite_matrix(embedding, "embedding", len(y))
    label = _outer_class(data.reference, y)
    if label is None or embedding.shape[1] != 2:
        return {"outer_outside": float("nan"), "enclosure": float("nan")}
    outer, inner = embedding[y == label], embedding[y != label]
    # Outside each class on its own, and outside all of them together
    outside = np.ones(len(outer), dtype=bool)
    for other in np.unique(y[y != label]):
        outside &= ~in_hull(outer, embedding[y == other])
    beyond = 1.0 - in_hull(outer, inner).mean()
    return {
        "outer_outside": float(outside.mean()),
        "enclosure": float(min(beyond, in_hull(inner, outer).mean())),
    }


def _outer_class(X: NDArray, y: NDArray) -> int | None:
    """Return the label of the class that encloses the others, or None if there is none."""
    for label in np.unique(y):
        members = y == label
        squared = np.square(X - X[members].mean(axis=0)).sum(axis=1)
        if not members.all() and squared[members].min() > squared[~members].max():
            return int(label)
    return None


def in_hull(points: NDArray, corners: NDArray) -> NDArray:
    """Return which points of the plane are in the convex hull of others, its border included.

    A point is outside if all others are seen from it within an angle of less than 180 degrees.
    This also holds for others on a line or at one point. Takes O(n m log m) time.

    Examples
    --------
    >>> triangle = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])
    >>> in_hull(np.array([[0.5, 0.5], [1.0, 1.0], [2.0, 2.0]]), triangle)
    array([ True,  True, False])
    """
    inside = np.empty(len(points), dtype=bool)
    for i, point in enumerate(points):
        steps = corners - point
        angles = np.sort(np.arctan2(steps[:, 1], steps[:, 0]))
        # The largest gap between directions, the one across ±180 degrees included
        gap = max(np.diff(angles).max(initial=0.0), 2 * np.pi - (angles[-1] - angles[0]))
        inside[i] = gap <= np.pi + ROUNDING or not steps.any(axis=1).all()
    return inside
