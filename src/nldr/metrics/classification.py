"""How well the classes of the data can be told apart in an embedding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestNeighbors

from nldr.dataset import Dataset
from nldr.metrics._checks import finite_matrix, neighbor_counts

_FOLDS = 5
_SEED = 0


def classification(data: Dataset, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding by the cross-validated accuracy of k-nearest-neighbor classifiers.

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
        ``knn_accuracy_k<k>`` for each ``k``, see :func:`knn_accuracy`.

    Raises
    ------
    ValueError
        If the data has no labels, and as :func:`knn_accuracy`.

    Examples
    --------
    >>> y = np.arange(60) % 3
    >>> classification(Dataset(X=y[:, None], y=y), y[:, None], k=[5])
    {'knn_accuracy_k5': 1.0}
    """
    if data.y is None:
        raise ValueError("classification needs labels, the dataset has none (y is None)")
    accuracy = knn_accuracy(data.y, embedding, k)
    return {f"knn_accuracy_k{n}": float(a) for n, a in zip(k, accuracy, strict=True)}


def knn_accuracy(y: NDArray, embedding: NDArray, k: Sequence[int]) -> NDArray:
    """5-fold cross-validated accuracy of k-nearest-neighbor classifiers in an embedding.

    The folds are stratified and shuffled with seed 0, so they depend on the labels alone. All
    neighbors have one vote each; among classes with equally many votes the smallest label
    wins. The accuracy is the mean over folds.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class labels.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.
    k : sequence of int
        Numbers of neighbors.

    Returns
    -------
    ndarray of shape (len(k),)
        Accuracies in [0, 1], 1 is best. NaN where ``k`` exceeds the points of a training
        fold; all NaN if there is only one class, or a class with less than 5 members, which
        cannot be in every fold.

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
    Li & Wu, *Inverse Kernel Decomposition*, §3.2.

    Examples
    --------
    >>> y = np.repeat([0, 1], 20)
    >>> embedding = y[:, None] + np.random.default_rng(0).normal(size=(40, 2))
    >>> knn_accuracy(y, embedding, [5, 10, 50])
    array([0.725, 0.7  ,   nan])
    """
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y must have one dimension, got shape {y.shape}")
    embedding = finite_matrix(embedding, "embedding", len(y))
    counts = neighbor_counts(k)
    classes, labels, members = np.unique(y, return_inverse=True, return_counts=True)
    if len(classes) < 2 or members.min() < _FOLDS:
        return np.full(len(counts), np.nan)
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=_SEED).split(embedding, labels)
    return np.mean([_fold_accuracy(labels, embedding, counts, *fold) for fold in folds], axis=0)


def _fold_accuracy(
    labels: NDArray, embedding: NDArray, counts: NDArray, train: NDArray, test: NDArray
) -> NDArray:
    """Accuracy on the test points for each number of neighbors among the training points."""
    largest = min(counts.max(), len(train))
    search = NearestNeighbors(n_neighbors=largest).fit(embedding[train])
    near = labels[train][search.kneighbors(embedding[test], return_distance=False)]
    votes = np.zeros((len(test), labels.max() + 1), dtype=np.int64)
    accuracy = np.full(len(counts), np.nan)
    for n_neighbors in range(1, largest + 1):
        votes[np.arange(len(test)), near[:, n_neighbors - 1]] += 1
        if n_neighbors in counts:
            hits = votes.argmax(axis=1) == labels[test]
            accuracy[counts == n_neighbors] = hits.mean()
    return accuracy
