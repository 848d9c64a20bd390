import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor

from nldr.dataset import Dataset
from nldr.metrics.reconstruction import reconstruction


@pytest.mark.parametrize("k", [1, 4])
def test_error_is_that_of_leave_one_out_regression(k, rng):
    embedding, clean = rng.standard_normal((25, 2)), rng.standard_normal((25, 6))
    clean[:, 0] = embedding[:, 0]
    predicted = cross_val_predict(KNeighborsRegressor(k), embedding, clean, cv=LeaveOneOut())
    expected = np.square(clean - predicted).sum() / (25 * clean.var(axis=0).sum())
    data = Dataset(X=clean * np.nan, clean=clean)
    result = reconstruction(data, embedding, k=[1, 4])
    assert list(result) == ["reconstruction_error_k1", "reconstruction_error_k4"]
    assert result[f"reconstruction_error_k{k}"] == pytest.approx(expected)


def test_too_many_neighbors_raise(rng):
    with pytest.raises(ValueError, match="k = 5 is too high for 5 points"):
        reconstruction(Dataset(X=np.eye(5)), np.eye(5), k=[5])
