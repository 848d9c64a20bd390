import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.utils.validation import validate_data

from nldr.methods._base import Embedder, fix_signs


class FirstColumns(Embedder):
    """Embed each row by its first `n_components` features."""

    def __init__(self, n_components=1):
        self.n_components = n_components

    def fit(self, X, y=None):
        self.y_ = y
        self.embedding_ = validate_data(self, X, dtype=np.float64)[:, : self.n_components].copy()
        return self


@pytest.fixture
def X(rng):
    return rng.standard_normal((10, 3))


def test_fit_transform_returns_embedding_of_fit(X):
    estimator = FirstColumns(2)
    embedding = estimator.fit_transform(X)
    assert embedding is estimator.embedding_
    assert_array_equal(embedding, X[:, :2])


def test_fit_transform_passes_target_to_fit(X):
    estimator = FirstColumns()
    target = np.arange(10)
    estimator.fit_transform(X, target)
    assert estimator.y_ is target


def test_names_of_output_features(X):
    names = FirstColumns(2).fit(X).get_feature_names_out()
    assert names.tolist() == ["firstcolumns0", "firstcolumns1"]


def test_names_of_input_features_are_stored(X):
    pandas = pytest.importorskip("pandas")
    estimator = FirstColumns().fit(pandas.DataFrame(X, columns=["a", "b", "c"]))
    assert estimator.n_features_in_ == 3
    assert estimator.feature_names_in_.tolist() == ["a", "b", "c"]
    assert not hasattr(FirstColumns().fit(X), "feature_names_in_")


def test_output_can_be_data_frame(X):
    pytest.importorskip("pandas")
    frame = FirstColumns(2).set_output(transform="pandas").fit_transform(X)
    assert frame.columns.tolist() == ["firstcolumns0", "firstcolumns1"]


def test_signs_make_largest_entries_positive(X):
    fixed = fix_signs(X.copy())
    assert_array_equal(np.abs(fixed), np.abs(X))
    assert_array_equal(fixed.max(axis=0), np.abs(X).max(axis=0))
    assert_array_equal(np.abs(np.sum(fixed * X, axis=0)), np.sum(X**2, axis=0))


def test_signs_do_not_depend_on_signs_of_input(X):
    assert_array_equal(fix_signs(X * [1, -1, -1]), fix_signs(X.copy()))


def test_signs_of_no_columns():
    assert fix_signs(np.empty((4, 0))).shape == (4, 0)
