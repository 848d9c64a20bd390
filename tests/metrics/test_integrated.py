"""The integrated metric is the mean of its three terms."""

import numpy as np
import pytest

from nldr.dataset import Dataset
from nldr.metrics.integrated import integrated
from nldr.metrics.neighbors import neighborhood_hit, neighbors
from nldr.metrics.ranks import ranks

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 5))
Y = X[:, :2] + 0.3 * RNG.standard_normal((80, 2))
LABELS = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("include_self", [False, True])
def test_equals_mean_of_three_metrics(include_self):
    scores = integrated(Dataset(X=X, y=LABELS), Y, k=[3, 7])
    assert set(scores) == {"mu_k3", "mu_k7", "mu_self_k3", "mu_self_k7"}
    kept = ranks(Dataset(X=X), Y, k=[7])
    hit = neighborhood_hit(LABELS, Y, [7], include_self=include_self)[0]
    expected = (kept["trustworthiness_k7"] + kept["continuity_k7"] + hit) / 3
    assert scores["mu_self_k7" if include_self else "mu_k7"] == pytest.approx(expected)


def test_scores_that_exist_are_used_or_completed_and_give_the_same_values(monkeypatch):
    data = Dataset(X=X, y=LABELS)
    expected = integrated(data, Y, k=[7])
    assert integrated(data, Y, k=[7], scores=neighbors(data, Y, k=[7])) == expected
    scores = ranks(data, Y, k=[3, 7, 12]) | neighbors(data, Y, k=[5, 7])
    monkeypatch.setattr("nldr.metrics.integrated.ranks", None)
    monkeypatch.setattr("nldr.metrics.integrated.neighbors", None)
    assert integrated(data, Y, k=[7], scores=scores) == expected
