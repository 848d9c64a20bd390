"""Cross-validated k-NN accuracy: against scikit-learn, and cases where it is undefined."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from nldr.dataset import Dataset
from nldr.metrics.classification import classification, knn_accuracy


def cross_validated(y, embedding, k):
    """Return the accuracy computed by scikit-learn."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_score(KNeighborsClassifier(k), embedding, y, cv=folds).mean()


@settings(max_examples=15)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 6),
    n_components=st.sampled_from([1, 2, 3, 20]),
)
def test_equals_scikit_learn(seed, n_classes, n_components):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(n_classes), rng.integers(5, 40, n_classes)))
    embedding = rng.normal(size=(len(y), n_components)) + 0.8 * y[:, None]
    k = [7, 4, 1, 4]  # in any order; even numbers of votes tie
    expected = {n: cross_validated(y, embedding, n) for n in {*k}}
    assert knn_accuracy(y, embedding, k).tolist() == [expected[n] for n in k]


@pytest.mark.parametrize("in_order", [False, True])
def test_folds_in_file_order_equal_those_of_cross_val_score(in_order, rng):
    y = rng.integers(3, 7, 200)
    y = np.sort(y) if in_order else y
    embedding = rng.normal(size=(200, 2)) + y[:, None]
    expected = [cross_val_score(KNeighborsClassifier(n), embedding, y, cv=5).mean() for n in (3, 8)]
    scores = classification(Dataset(X=embedding, y=y), embedding, k=[3, 8], shuffle=False)
    assert [*scores.values()] == expected


def test_collapsed_embedding_is_deterministic(rng):
    y = rng.integers(0, 3, 200)
    first, second = (knn_accuracy(y, np.zeros((200, 2)), [5, 10]) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert (first < 0.6).all()
