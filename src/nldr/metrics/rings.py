"""Recovery of the rings that rotating objects form in an embedding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix

LONGEST = 0.25  # longest step between consecutive poses, in diameters of the object's ring
FEWEST = 13  # with fewer poses, even the steps of a perfect circle are longer


def rings(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding of rotating objects by the share of objects whose ring is not torn.

    The latent is the pose of an object on the unit circle. The labels distinguish the objects;
    without labels, there is one object.

    Returns
    -------
    dict of str to float
        ``rings_closed``: the share of objects for which :func:`is_torn` is false. NaN if the
        latent is unknown or not on the unit circle, or if an object has fewer than 13 poses.

    Examples
    --------
    Two objects, one of which is embedded on half a circle:

    >>> angle = np.tile(np.linspace(0, 2 * np.pi, 40, endpoint=False), 2)
    >>> Z = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> data = Dataset(X=Z, Z=Z, y=np.repeat([0, 1], 40))
    >>> shown = np.concatenate([angle[:40], angle[:40] / 2])
    >>> rings(data, np.column_stack([np.cos(shown), np.sin(shown)]))
    {'rings_closed': 0.5}
    """
    embedding = finite_matrix(embedding, "embedding", data.n_samples)
    undefined = {"rings_closed": float("nan")}
    if data.Z is None or data.Z.shape[1] != 2:
        return undefined
    if not np.allclose(np.square(data.Z).sum(axis=1), 1.0):
        return undefined
    # Each object on its own, in the order of its poses
    y = np.zeros(data.n_samples) if data.y is None else data.y
    angles = np.arctan2(data.Z[:, 1], data.Z[:, 0])
    torn = []
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        if len(rows) < FEWEST:
            return undefined
        torn.append(is_torn(embedding[rows[np.argsort(angles[rows], kind="stable")]]))
    return {"rings_closed": 1.0 - float(np.mean(torn))}


def is_torn(ring: NDArray) -> bool:
    """Return whether a closed sequence of points, the poses of one object, has too long a step.

    A step from a point to the next one, or from the last to the first, is too long if it exceeds
    a quarter of the largest distance between two points. Points that all coincide are torn too.
    A ring that is folded flat is not: the steps of a path there and back are short.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    >>> is_torn(square)
    True
    """
    from scipy.spatial.distance import pdist

    diameter = pdist(ring).max(initial=0.0)
    steps = np.linalg.norm(ring - np.roll(ring, -1, axis=0), axis=1)
    return bool(diameter == 0.0 or steps.max() > LONGEST * diameter)
