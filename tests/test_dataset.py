"""The dataset container: checks of its arrays, selection of rows, storage."""

import re

import numpy as np
import pytest

from nldr.dataset import Dataset

X = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"X": X[0]}, "X must have 2 dimensions, got shape (4,)"),
        ({"Z": X[:, 0]}, "Z must have 2 dimension(s) and 3 rows, got shape (3,)"),
        ({"y": np.arange(2)}, "y must have 1 dimension(s) and 3 rows, got shape (2,)"),
        ({"X": X * np.nan}, "X contains NaN or infinity"),
        ({"Z": X + np.inf}, "Z contains NaN or infinity"),
        ({"clean": X[:, :2]}, "clean must have the shape of X, (3, 4), got (3, 2)"),
        ({"image_shape": (2, 3)}, "image_shape (2, 3) does not match 4 features"),
    ],
)
def test_bad_fields_raise(fields, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Dataset(**{"X": X, **fields})


def test_only_observations_with_clean_ones_beside_them_may_be_missing():
    assert np.isnan(Dataset(X=X * np.nan, clean=X).X).all()
    with pytest.raises(ValueError, match="X contains NaN or infinity"):
        Dataset(X=X + np.inf, clean=X)
    with pytest.raises(ValueError, match="clean contains NaN or infinity"):
        Dataset(X=X, clean=X * np.nan)


def test_reference_is_clean_if_known():
    assert Dataset(X=X).reference is X
    assert Dataset(X=X + 1, clean=X).reference is X


@pytest.mark.parametrize("chosen", [np.array([2, 0]), np.array([True, False, True])])
def test_rows_selects_every_array(chosen):
    train = np.array([True, False, False])
    data = Dataset(X=X, Z=X[:, :2], y=np.arange(3), clean=-X, image_shape=(2, 2), train=train)
    some = data.rows(chosen)
    for name in ("X", "Z", "y", "clean", "train"):
        np.testing.assert_array_equal(getattr(some, name), getattr(data, name)[chosen])
    assert some.image_shape == (2, 2)


def test_arrays_round_trip():
    data = Dataset(X=X, y=np.arange(3), image_shape=(2, 2))
    assert set(data.arrays()) == {"X", "y", "image_shape"}
    again = Dataset.from_arrays(data.arrays() | {"unknown": np.zeros(1)})
    np.testing.assert_array_equal(again.X, X)
    np.testing.assert_array_equal(again.y, data.y)
    assert again.image_shape == (2, 2)
    assert again.Z is None
