"""Scores with respect to noisy observations: against scikit-learn, and not the clean ones."""

import pytest
from sklearn.manifold import trustworthiness

from nldr.dataset import Dataset
from nldr.metrics.observed import observed_ranks
from nldr.metrics.ranks import ranks


def test_noisy_observations_are_the_reference(rng):
    clean = rng.standard_normal((60, 3))
    data = Dataset(X=clean + 0.3 * rng.standard_normal((60, 3)), clean=clean)
    embedding = data.X[:, :2]
    scores = observed_ranks(data, embedding, k=[5, 8])
    for k in (5, 8):
        expected = trustworthiness(data.X, embedding, n_neighbors=k)
        assert scores[f"observed_trustworthiness_k{k}"] == pytest.approx(expected)
        expected = trustworthiness(embedding, data.X, n_neighbors=k)
        assert scores[f"observed_continuity_k{k}"] == pytest.approx(expected)
    assert scores["observed_trustworthiness_k5"] != pytest.approx(
        ranks(data, embedding, k=[5])["trustworthiness_k5"], abs=1e-6
    )
