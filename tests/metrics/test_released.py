"""The measures of the released runs: those of scikit-learn, except where points nearly coincide."""

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from nldr.dataset import Dataset
from nldr.metrics.neighbors import neighbors
from nldr.metrics.released import released_measures


@pytest.fixture
def data(rng):
    """Return points with labels that their neighbors share."""
    X = rng.standard_normal((60, 3))
    return Dataset(X=X, y=(X[:, 0] > 0).astype(int))


def test_they_are_the_usual_measures(data):
    embedding = data.X[:, :2]
    scores = released_measures(data, embedding, k=[5, 8])
    for k in (5, 8):
        expected = trustworthiness(data.X, embedding, n_neighbors=k)
        assert scores[f"released_trustworthiness_k{k}"] == pytest.approx(expected)
        expected = trustworthiness(embedding, data.X, n_neighbors=k)
        assert scores[f"released_continuity_k{k}"] == pytest.approx(expected)
    expected = neighbors(data, embedding, k=[1])["nn_label_error"]
    assert scores["released_nn_error"] == pytest.approx(expected)


def test_differences_below_the_rounding_of_dot_products_are_lost(data):
    near = np.round(data.X[:, :1]) + 1e-11 * data.X
    exact = trustworthiness(data.X, near, n_neighbors=5)
    assert released_measures(data, near, k=[5])["released_trustworthiness_k5"] < exact - 0.02


def test_too_many_neighbors_have_no_score(data):
    scores = released_measures(data, data.X, k=[29, 30])
    assert scores["released_continuity_k29"] == 1
    assert np.isnan(scores["released_continuity_k30"])
