"""Separation of the classes by their means, in the embedding and compared with the data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import labeled_matrix, labels_of, matching_matrices
from nldr.metrics._distances import scaled_by_power_of_two


def consistency(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by how the means of the classes separate the points.

    Returns
    -------
    dict of str to float
        ``distance_consistency``, see :func:`distance_consistency`; ``label_trustworthiness`` and
        ``label_continuity``, see :func:`label_trustworthiness_continuity`. NaN if there are fewer
        than two classes.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [7.0]])
    >>> consistency(Dataset(X=X, y=np.array([0, 0, 1, 1])), X[[0, 2, 1, 3]])
    {'distance_consistency': 0.5, 'label_trustworthiness': 0.5, 'label_continuity': 1.0}
    """
    y = labels_of(data, "consistency")
    trustworthiness, continuity = label_trustworthiness_continuity(data.reference, embedding, y)
    return {
        "distance_consistency": distance_consistency(y, embedding),
        "label_trustworthiness": trustworthiness,
        "label_continuity": continuity,
    }


def distance_consistency(y: NDArray, embedding: NDArray) -> float:
    """Return the share of points that are nearer to the mean of their class than to all others.

    Parameters
    ----------
    y, embedding : ndarray of shape (n_samples,) and (n_samples, n_components)
        Class labels and embedding.

    Returns
    -------
    float
        Share in [0, 1], 1 is best. A point at the same distance from several nearest means counts
        for the share of its own. NaN for fewer than two classes.

    References
    ----------
    M. Sips, B. Neubert, J. P. Lewis & P. Hanrahan, *Selecting good views of high-dimensional data
    using class consistency*, Computer Graphics Forum 28 (2009).

    Examples
    --------
    >>> distance_consistency(np.array([0, 0, 1, 1]), np.array([[0.0], [4.0], [3.0], [9.0]]))
    0.625
    """
    y, embedding = labeled_matrix(y, embedding)
    labels, squared = _to_means(y, embedding)
    if squared.shape[1] < 2:
        return float("nan")
    nearest = squared == squared.min(axis=1, keepdims=True)
    is_own = nearest[np.arange(len(labels)), labels]
    return float(np.mean(is_own / nearest.sum(axis=1)))


def label_trustworthiness_continuity(
    X: NDArray, embedding: NDArray, y: NDArray
) -> tuple[float, float]:
    """Return how much less, and how much more, classes are separated than in the data.

    The separation of two classes is the :func:`distance_consistency` of their points. Label
    trustworthiness is one minus the mean loss of separation over all pairs of classes, label
    continuity one minus the mean gain: classes that are mixed in the data should not look
    separated.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.
    y : ndarray of shape (n_samples,)
        Class labels.

    Returns
    -------
    trustworthiness, continuity : float
        Values in [0, 1], 1 is best. NaN for fewer than two classes.

    References
    ----------
    H. Jeon, Y.-H. Kuo, M. Aupetit, K.-L. Ma & J. Seo, *Classes are not clusters: Improving
    label-based evaluation of dimensionality reduction*, IEEE TVCG 30 (2024), with the distance
    consistency as measure of separation.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [5.0], [7.0]]), np.array([0, 0, 1, 1])
    >>> label_trustworthiness_continuity(X, X[[0, 2, 1, 3]], y)
    (0.5, 1.0)
    """
    X, embedding = matching_matrices(X, embedding)
    separations = [_separations(*labeled_matrix(y, points)) for points in (X, embedding)]
    if len(separations[0]) == 0:
        return float("nan"), float("nan")
    loss = separations[0] - separations[1]
    return float(1 - np.maximum(loss, 0).mean()), float(1 - np.maximum(-loss, 0).mean())


def _separations(y: NDArray, points: NDArray) -> NDArray:
    """Return the distance consistency of each pair of classes."""
    labels, squared = _to_means(y, points)
    sizes = np.bincount(labels)
    # Number of points of each class (row) that are nearer to their mean than to another (column)
    n_nearer = np.empty((len(sizes), len(sizes)))
    for label, row in enumerate(n_nearer):
        members = squared[labels == label]
        row[:] = (0.5 * (1 + np.sign(members - members[:, label, None]))).sum(axis=0)
    one, other = np.triu_indices(len(sizes), 1)
    return (n_nearer + n_nearer.T)[one, other] / (sizes[one] + sizes[other])


def _to_means(y: NDArray, points: NDArray) -> tuple[NDArray, NDArray]:
    """Return labels from 0 on, and squared distances of all points to the means of all classes."""
    from scipy.spatial.distance import cdist

    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) == 0:
        return labels, np.empty((0, 0))
    points = scaled_by_power_of_two(points)
    means = np.stack([points[labels == label].mean(axis=0) for label in range(len(classes))])
    return labels, cdist(points, means, "sqeuclidean")
