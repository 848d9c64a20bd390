"""Tied distances: closed forms, and the mean over random orders."""

import numpy as np
import pytest

from nldr.dataset import Dataset
from nldr.metrics.neighbors import neighbors

K = [1, 3, 7]


@pytest.mark.parametrize("kind", ["neighborhood_hit_k", "neighborhood_hit_self_k"])
def test_hit_is_the_mean_over_random_orders_of_tied_points(kind, rng):
    y = rng.integers(0, 3, 40)
    embedding = rng.integers(0, 4, (40, 1)).astype(float)
    distances = np.abs(embedding - embedding.T)
    if "self" not in kind:
        np.fill_diagonal(distances, np.inf)
    hits = []
    for _ in range(1000):
        near = np.argsort(distances + rng.uniform(0, 0.5, (40, 40)), axis=1)
        hits.append([(y[near[:, :k]] == y[:, None]).mean() for k in K])
    scores = neighbors(Dataset(X=embedding, y=y), embedding, k=K)
    error = np.std(hits, axis=0) / np.sqrt(1000)
    assert (np.abs([scores[f"{kind}{k}"] for k in K] - np.mean(hits, axis=0)) <= 5 * error).all()


def test_classes_at_one_position_each_have_perfect_hit(rng):
    y = np.repeat([0, 1, 2], [20, 20, 20])
    scores = neighbors(Dataset(X=y[:, None], y=y), y[:, None], k=[7, 19, 25])
    assert scores["neighborhood_hit_k7"] == scores["neighborhood_hit_k19"] == 1
    # Of the 25 nearest, 19 are in the class; 6 are in another one
    assert scores["neighborhood_hit_k25"] == pytest.approx(19 / 25, abs=1e-14)
    assert scores["nn_label_error"] == 0
