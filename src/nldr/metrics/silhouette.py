"""Compactness of the classes in an embedding and their distance from each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import silhouette_score

from nldr.dataset import Dataset
from nldr.metrics._checks import labeled_matrix, labels_of
from nldr.metrics._large import MAX_EXACT
from nldr.metrics._sampled import chosen_points


def silhouette(data: Dataset, embedding: NDArray) -> dict[str, float]:
    r"""Score an embedding by how well the classes are separated.

    The silhouette of a point is :math:`(b - a) / \max(a, b)`, where :math:`a` is its mean distance
    from the other points of its class, and :math:`b` the smallest of its mean distances from the
    other classes. A point that is alone in its class has silhouette 0. More than 20 000 points are
    replaced by a random sample of that size, the same for all embeddings.

    Returns
    -------
    dict of str to float
        ``silhouette``: mean over all points, in [-1, 1]; 1 if each class is a single point, and the
        points of the classes differ. NaN if the labels are all equal or all different.

    References
    ----------
    P. J. Rousseeuw, Silhouettes: a graphical aid to the interpretation and validation of cluster
    analysis, J. Comput. Appl. Math. 20 (1987).

    Examples
    --------
    >>> data = Dataset(X=np.eye(4), y=np.array([0, 0, 1, 1]))
    >>> round(silhouette(data, np.array([[0.0], [1.0], [4.0], [5.0]]))["silhouette"], 3)
    0.746
    """
    y, embedding = labeled_matrix(labels_of(data, "silhouette"), embedding)
    rows = chosen_points(len(y), MAX_EXACT)
    y, embedding = y[rows], embedding[rows]
    if not 1 < len(np.unique(y)) < len(y):
        return {"silhouette": float("nan")}
    # Distances are computed from squares, which a large offset would make inexact.
    centered = embedding - embedding.mean(axis=0)
    return {"silhouette": float(silhouette_score(centered, y))}
