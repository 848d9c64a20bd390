"""Measures of noisy observations, ours and the released ones: those of scikit-learn."""

import numpy as np
import pytest
from sklearn.manifold import trustworthiness

from nldr.dataset import Dataset
from nldr.metrics.neighbors import neighbors
from nldr.metrics.observed import observed_ranks
from nldr.metrics.released import released_measures


@pytest.fixture
def data(rng):
    """Return noisy points with labels that their neighbors share."""
    clean = rng.standard_normal((60, 3))
    X = clean + 0.3 * rng.standard_normal((60, 3))
    return Dataset(X=X, y=(X[:, 0] > 0).astype(int), clean=clean)


@pytest.mark.parametrize("kind", ["observed", "released"])
def test_they_are_the_usual_measures(data, kind):
    embedding = data.X[:, :2]
    scorer = observed_ranks if kind == "observed" else released_measures
    scores = scorer(data, embedding, k=[5, 8])
    for k in (5, 8):
        expected = trustworthiness(data.X, embedding, n_neighbors=k)
        assert scores[f"{kind}_trustworthiness_k{k}"] == pytest.approx(expected)
        expected = trustworthiness(embedding, data.X, n_neighbors=k)
        assert scores[f"{kind}_continuity_k{k}"] == pytest.approx(expected)
    if kind == "released":
        expected = neighbors(data, embedding, k=[1])["nn_label_error"]
        assert scores["released_nn_error"] == pytest.approx(expected)


def test_differences_below_the_rounding_of_dot_products_are_lost(data):
    near = np.round(data.X[:, :1]) + 1e-11 * data.X
    exact = trustworthiness(data.X, near, n_neighbors=5)
    assert released_measures(data, near, k=[5])["released_trustworthiness_k5"] < exact - 0.02
