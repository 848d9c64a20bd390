"""Accuracy of k-nearest-neighbor classifiers in an embedding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestNeighbors

from nldr.dataset import Dataset
from nldr.metrics._checks import labeled_matrix, labels_of, neighbor_counts

_FOLDS = 5
_SEED = 0


def classification(
    data: Dataset, embedding: NDArray, *, k: Sequence[int], shuffle: bool = True
) -> dict[str, float]:
    """Score an embedding by the cross-validated accuracy of k-nearest-neighbor classifiers.

    Parameters
    ----------
    shuffle : bool, default=True
        Whether the rows are shuffled before they are assigned to folds.

    Returns
    -------
    dict of str to float
        ``knn_accuracy_k<k>`` for each ``k``, or ``knn_accuracy_file_order_k<k>`` if the rows are
        not shuffled, see :func:`knn_accuracy`. NaN if there is only one class or a class with fewer
        than 5 members, or if ``k`` exceeds the size of a training set.

    Examples
    --------
    >>> y = np.arange(60) % 3
    >>> classification(Dataset(X=y[:, None], y=y), y[:, None], k=[5])
    {'knn_accuracy_k5': 1.0}
    """
    accuracy = knn_accuracy(labels_of(data, "classification"), embedding, k, shuffle)
    name = "knn_accuracy" if shuffle else "knn_accuracy_file_order"
    return {f"{name}_k{n}": float(a) for n, a in zip(k, accuracy, strict=True)}


def knn_accuracy(y: NDArray, embedding: NDArray, k: Sequence[int], shuffle: bool = True) -> NDArray:
    """Return the 5-fold cross-validated accuracy of k-nearest-neighbor classifiers.

    The folds are stratified and depend only on the labels. Each neighbor has one vote, and ties go
    to the smallest label. The accuracy is the mean over the folds.

    Parameters
    ----------
    y, embedding : ndarray of shape (n_samples,) and (n_samples, n_components)
        Class labels and embedding.
    shuffle : bool, default=True
        Whether the rows of each class are assigned to folds at random, with seed 0. Otherwise each
        fold is a run of successive rows of the class, as in the paper's released code; these are
        often alike, so this accuracy is lower.

    Returns
    -------
    ndarray of shape (len(k),)
        Accuracies in [0, 1], 1 is best. NaN where ``k`` exceeds the size of a training set; all
        NaN if there is only one class, or a class with fewer than 5 members.

    References
    ----------
    Li & Wu, *Inverse Kernel Decomposition*, §3.2.

    Examples
    --------
    >>> y = np.repeat([0, 1], 20)
    >>> embedding = y[:, None] + np.random.default_rng(0).normal(size=(40, 2))
    >>> knn_accuracy(y, embedding, [5, 10, 50])
    array([0.725, 0.7  ,   nan])
    """
    y, embedding = labeled_matrix(y, embedding)
    counts = neighbor_counts(k)
    # Every class needs a member in every fold
    classes, labels, members = np.unique(y, return_inverse=True, return_counts=True)
    if len(classes) < 2 or members.min() < _FOLDS:
        return np.full(len(counts), np.nan)
    folds = StratifiedKFold(_FOLDS, shuffle=shuffle, random_state=_SEED if shuffle else None)
    accuracies = [
        _fold_accuracy(labels, embedding, counts, *fold) for fold in folds.split(embedding, labels)
    ]
    return np.mean(accuracies, axis=0)


def _fold_accuracy(
    labels: NDArray, embedding: NDArray, counts: NDArray, train: NDArray, test: NDArray
) -> NDArray:
    """Return the accuracy on the test points, for each number of training neighbors."""
    largest = min(counts.max(), len(train))
    search = NearestNeighbors(n_neighbors=largest).fit(embedding[train])
    neighbor_labels = labels[train][search.kneighbors(embedding[test], return_distance=False)]
    # Add the neighbors' votes one by one; score at the requested numbers of neighbors
    votes = np.zeros((len(test), labels.max() + 1), dtype=np.int64)
    accuracy = np.full(len(counts), np.nan)
    for n_neighbors in range(1, largest + 1):
        votes[np.arange(len(test)), neighbor_labels[:, n_neighbors - 1]] += 1
        if n_neighbors in counts:
            hits = votes.argmax(axis=1) == labels[test]
            accuracy[counts == n_neighbors] = hits.mean()
    return accuracy
