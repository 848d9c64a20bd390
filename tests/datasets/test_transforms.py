"""Transforms change the points and all fields of the dataset consistently."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from nldr.dataset import Dataset
from nldr.datasets.transforms import (
    RANDOM,
    TRANSFORMS,
    dropout,
    gaussian_noise,
    shuffle_rows,
    standardize,
    subset,
    transform,
)


def generator(seed):
    return np.random.default_rng(seed)


@pytest.fixture
def data(rng):
    X = rng.uniform(1, 2, size=(200, 30))
    return Dataset(X=X, Z=X[:, :2].copy(), y=np.repeat([0, 1], [150, 50]), train=X[:, 0] < 1.5)


def test_subsets_are_nested(data, seed):
    small, large = subset(data, 20, generator(seed)), subset(data, 60, generator(seed))
    assert {row.tobytes() for row in small.X} < {row.tobytes() for row in large.X}
    np.testing.assert_array_equal(subset(data, 200, generator(seed)).X, data.X)
    assert subset(Dataset(X=data.X), 7, generator(seed)).X.shape == (7, 30)  # without labels


def test_split_is_stratified(data):
    split = transform(data, {"n_train": 40, "n_test": 20}, entropy=0)
    assert (split.n_samples, split.train.sum()) == (60, 40)
    assert np.bincount(split.y[split.train]).tolist() == [30, 10]
    assert np.bincount(split.y[~split.train]).tolist() == [15, 5]
    np.testing.assert_array_equal(split.X[:, :2], split.Z)
    larger = transform(data, {"n_train": 60, "n_test": 20}, entropy=0)
    rows = [{row.tobytes() for row in each.X[each.train]} for each in (split, larger)]
    assert rows[0] < rows[1]


def test_n_test_larger_than_test_set_keeps_all(data):
    split = transform(data, {"n_train": 150, "n_test": 1000}, entropy=0)
    assert (split.n_samples, split.train.sum()) == (200, 150)
    assert split.train.tolist() == transform(data, {"n_train": 150}, entropy=0).train.tolist()


def test_standardize_uses_training_points_only(data):
    split = transform(data, {"n_train": 100, "standardize": True}, entropy=0)
    np.testing.assert_allclose(split.X[split.train].std(axis=0), 1)
    assert abs(split.X[~split.train].std(axis=0) - 1).max() > 0.01


def test_gaussian_noise_keeps_clean_points(data, seed):
    noisy = gaussian_noise(data, 0.3, generator(seed))
    np.testing.assert_array_equal(noisy.clean, data.X)
    assert (noisy.X - data.X).std() == pytest.approx(0.3, rel=0.03)


def test_dropout_sets_values_to_zero(data, seed):
    lossy = dropout(data, 0.35, generator(seed))
    np.testing.assert_array_equal(lossy.clean, data.X)
    lost = lossy.X == 0
    assert lost.mean() == pytest.approx(0.35, abs=0.02)
    np.testing.assert_array_equal(lossy.X[~lost], data.X[~lost])
    assert (dropout(data, 0.5, generator(seed)).X[lost] == 0).all()


def test_missing_values_are_those_that_dropout_sets_to_zero(data):
    gaps, zeros = (transform(data, {kind: 0.35}, entropy=3) for kind in ("missing", "dropout"))
    np.testing.assert_array_equal(np.isnan(gaps.X), zeros.X == 0)
    np.testing.assert_array_equal(np.nan_to_num(gaps.X), zeros.X)
    np.testing.assert_array_equal(gaps.clean, data.X)


def test_corruptions_compose_and_keep_clean_points(data):
    both = transform(data, {"dropout": 0.2, "gaussian_noise": 0.1}, entropy=3)
    np.testing.assert_array_equal(both.clean, data.X)
    kept = both.X != 0
    noisy = transform(data, {"gaussian_noise": 0.1}, entropy=3)
    np.testing.assert_array_equal(both.X[kept], noisy.X[kept])


def test_standardize_equals_standard_scaler(data, seed):
    noisy = gaussian_noise(Dataset(X=data.X), 0.3, generator(seed))
    result = standardize(noisy, True, generator(seed))
    scaler = StandardScaler().fit(noisy.X)
    np.testing.assert_allclose(result.X, scaler.transform(noisy.X), atol=1e-12)
    np.testing.assert_allclose(result.clean, scaler.transform(noisy.clean), atol=1e-12)
    assert standardize(data, False, generator(seed)) is data


def test_constant_features_become_zero(seed):
    X = np.column_stack([np.full(7, 0.1), np.arange(7.0)])
    assert (standardize(Dataset(X=X), True, generator(seed)).X[:, 0] == 0).all()


def test_shuffled_rows_are_the_same_points_in_another_order(data, seed):
    named = Dataset(X=data.X, y=np.arange(data.n_samples), train=np.arange(data.n_samples) < 9)
    shuffled = shuffle_rows(named, True, generator(seed))
    assert not np.array_equal(shuffled.y, named.y)
    np.testing.assert_array_equal(shuffled.X, named.X[shuffled.y])
    np.testing.assert_array_equal(shuffled.train, shuffled.y < 9)
    np.testing.assert_array_equal(np.sort(shuffled.y), named.y)
    assert shuffle_rows(named, False, generator(seed)) is named


def test_streams_do_not_depend_on_other_transforms(data):
    alone = transform(data, {"subset": 50}, entropy=5)
    with_noise = transform(data, {"gaussian_noise": 0.1, "subset": 50}, entropy=5)
    np.testing.assert_array_equal(with_noise.clean, alone.X)
    assert set(RANDOM) < set(TRANSFORMS)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("subset", 0, "subset must be between 1 and 200, got 0"),
        ("subset", 201, "subset must be between 1 and 200, got 201"),
        ("n_train", 0, "n_train must be between 1 and 199, got 0"),
        ("n_train", 200, "n_train must be between 1 and 199, got 200"),
        ("n_test", 5, "n_test needs a dataset with training points: set n_train too"),
        ("gaussian_noise", -1, "gaussian_noise must be at least 0, got -1"),
        ("dropout", 1.5, "dropout must be a probability between 0 and 1, got 1.5"),
        ("missing", 2, "missing must be a probability between 0 and 1, got 2"),
    ],
)
def test_bad_values_raise(data, name, value, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        transform(Dataset(X=data.X), {name: value}, entropy=0)
