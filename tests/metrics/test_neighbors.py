"""Neighborhood hit and 1-NN error: against scikit-learn and counting; undefined cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

from nldr.dataset import Dataset
from nldr.metrics.neighbors import neighborhood_hit, neighbors

seeds = st.integers(0, 2**32 - 1)


def counted(y, embedding, k):
    """Return the neighborhood hit from all distances, without ties."""
    distance = ((embedding[:, None] - embedding) ** 2).sum(axis=-1)
    np.fill_diagonal(distance, np.inf)
    near = np.argsort(distance, axis=1)[:, :k]
    return float((y[near] == y[:, None]).mean())


@given(seed=seeds, n_components=st.sampled_from([1, 2, 20]), n_classes=st.integers(2, 5))
def test_equals_counting(seed, n_components, n_classes):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(40) % n_classes)
    embedding = rng.normal(size=(40, n_components)) + 0.5 * y[:, None]
    k = [7, 1, 39]
    expected = [counted(y, embedding, n) for n in k]
    np.testing.assert_allclose(neighborhood_hit(y, embedding, k), expected, atol=1e-14)


def test_hit_with_self_equals_search_including_self(rng):
    y, embedding = rng.integers(0, 4, 300), rng.normal(size=(300, 2))
    near = NearestNeighbors(n_neighbors=7).fit(embedding).kneighbors(embedding)[1]
    published = (y[near] == y[:, None]).mean()
    scores = neighbors(Dataset(X=embedding, y=y), embedding, k=[7])
    assert scores["neighborhood_hit_self_k7"] == pytest.approx(published, abs=1e-14)
    six = neighborhood_hit(y, embedding, [6])[0]
    assert (1 + 6 * six) / 7 == pytest.approx(published, abs=1e-14)
    assert neighborhood_hit(y, embedding, [1], include_self=True) == [1]


def test_nn_error_equals_leave_one_out_classifier(rng):
    y = rng.integers(0, 3, 80)
    embedding = rng.normal(size=(80, 2)) + y[:, None]
    accuracy = cross_val_score(KNeighborsClassifier(1), embedding, y, cv=LeaveOneOut()).mean()
    scores = neighbors(Dataset(X=embedding, y=y), embedding, k=[7])
    assert scores["nn_label_error"] == pytest.approx(1 - accuracy, abs=1e-14)


@given(seed=seeds, log_scale=st.floats(-100, 100), offset=st.floats(-10, 10))
def test_invariant_to_order_names_and_similarity(seed, log_scale, offset):
    rng = np.random.default_rng(seed)
    y, embedding, order = np.arange(30) % 3, rng.normal(size=(30, 2)), rng.permutation(30)
    rotation = np.linalg.qr(rng.normal(size=(2, 2)))[0]
    moved = (embedding @ rotation + offset) * 10**log_scale
    names = np.array(["a", "c", "b"])[y]
    np.testing.assert_array_equal(
        neighborhood_hit(names[order], moved[order], [1, 7]), neighborhood_hit(y, embedding, [1, 7])
    )


def test_duplicates_are_neighbors_but_not_the_point_itself():
    y = np.repeat([0, 1, 0, 2], 4)
    embedding = np.repeat([[0.0], [10.0], [20.0], [30.0]], 4, axis=0)
    assert neighborhood_hit(y, embedding, [3]) == [1]
    pairs = np.repeat(np.arange(10.0), 2)[:, None]
    assert neighborhood_hit(np.arange(20) % 2, pairs, [1]) == [0]


@pytest.mark.parametrize("y", [np.zeros(12), np.arange(12), np.zeros(1), np.zeros(0)])
def test_nan_if_every_embedding_scores_the_same(y, rng):
    embedding = rng.normal(size=(len(y), 2))
    for include_self in (False, True):
        scores = neighborhood_hit(y, embedding, [2, 7], include_self=include_self)
        assert np.isnan(scores).all()


def test_nan_for_more_neighbors_than_points(rng):
    y, embedding = np.arange(8) % 2, rng.normal(size=(8, 2))
    assert np.isnan(neighborhood_hit(y, embedding, [7, 8])).tolist() == [False, True]
    with_self = neighborhood_hit(y, embedding, [8, 9], include_self=True)
    assert with_self[0] == 4 / 8
    assert np.isnan(with_self[1])
