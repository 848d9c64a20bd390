"""Tied distances: closed forms, the mean over random orders, and independence of the row order."""

import numpy as np
import pytest

from nldr.dataset import Dataset
from nldr.metrics.coranking import coranking
from nldr.metrics.integrated import integrated
from nldr.metrics.neighbors import neighbors
from nldr.metrics.ranks import ranks

N, K = 60, [1, 3, 7]


def scores_of(X, y, embedding):
    """Return all metrics that depend on the order of distances."""
    data = Dataset(X=X, y=y)
    scores = ranks(data, embedding, k=K) | coranking(data, embedding)
    return scores | neighbors(data, embedding, k=K) | integrated(data, embedding, k=K)


def ranks_with_random_ties(A, rng):
    """Return the ranks of all points in each row of integer data, tied ones in a random order."""
    squared = ((A[:, None] - A) ** 2).sum(axis=-1) + rng.uniform(0, 0.5, (len(A), len(A)))
    np.fill_diagonal(squared, np.inf)
    return 1 + np.argsort(np.argsort(squared, axis=1), axis=1)


def scores_with_random_ties(X, y, embedding, k, rng):
    """Return T, C, Q_NX, R_NX AUC and hit by their definitions for one order of tied points."""
    n = len(X)
    here, there = ranks_with_random_ties(X, rng), ranks_with_random_ties(embedding, rng)
    weight = 2 / (n * k * (2 * n - 3 * k - 1))
    trustworthiness = 1 - weight * np.maximum(here - k, 0)[there <= k].sum()
    continuity = 1 - weight * np.maximum(there - k, 0)[here <= k].sum()
    sizes = np.arange(1, n - 1)
    larger = np.bincount(np.maximum(here, there).ravel(), minlength=n + 1)
    curve = np.cumsum(larger)[sizes] / (n * sizes)
    beyond = ((n - 1) * curve - sizes) / (n - 1 - sizes)
    hit = (y[:, None] == y)[there <= k].mean()
    return [trustworthiness, continuity, curve[k - 1], np.average(beyond, weights=1 / sizes), hit]


def test_point_is_tied_with_its_copies(rng):
    # A search that includes the point itself, over random orders of tied points
    y = rng.integers(0, 3, 40)
    embedding = rng.integers(0, 4, (40, 1)).astype(float)
    distances = np.abs(embedding - embedding.T)
    by_name = {k: [] for k in K}
    for _ in range(4000):
        near = np.argsort(distances + rng.uniform(0, 0.5, (40, 40)), axis=1)
        for k in K:
            by_name[k].append((y[near[:, :k]] == y[:, None]).mean())
    scores = neighbors(Dataset(X=embedding, y=y), embedding, k=K)
    for k in K:
        error = np.std(by_name[k]) / np.sqrt(4000)
        expected = pytest.approx(np.mean(by_name[k]), abs=5 * error)
        assert scores[f"neighborhood_hit_self_k{k}"] == expected


EMBEDDINGS = {
    "one position": lambda y, rng: np.zeros((len(y), 2)),
    "two positions": lambda y, rng: (y > 0)[:, None].astype(float),
    "three positions": lambda y, rng: rng.integers(0, 3, (len(y), 1)).astype(float),
    "grid": lambda y, rng: rng.integers(0, 4, (len(y), 2)).astype(float),
}
DATA = {
    "no ties": lambda y, rng: rng.integers(0, 2**20, (len(y), 3)) + 2**18 * y[:, None],
    "binary": lambda y, rng: rng.integers(0, 2, (len(y), 5)),
    "duplicates": lambda y, rng: np.repeat(rng.integers(0, 2**20, (len(y) // 2, 3)), 2, axis=0),
}


@pytest.mark.parametrize("embedded", EMBEDDINGS)
@pytest.mark.parametrize("kind", DATA)
def test_equals_mean_over_random_orders_of_ties(kind, embedded, rng):
    y = np.arange(24) // 6
    X, embedding = DATA[kind](y, rng), EMBEDDINGS[embedded](y, rng)
    draws = np.array([scores_with_random_ties(X, y, embedding, 3, rng) for _ in range(400)])
    scores = scores_of(X, y, embedding)
    names = ["trustworthiness_k3", "continuity_k3", "q_nx_k3", "r_nx_auc", "neighborhood_hit_k3"]
    error = draws.std(axis=0) / np.sqrt(len(draws))
    deviation = np.abs([scores[name] for name in names] - draws.mean(axis=0))
    assert (deviation <= 4.5 * error + 1e-12).all()


def test_classes_at_one_position_each_have_perfect_hit(rng):
    y = np.repeat([0, 1, 2], [20, 20, 20])
    scores = neighbors(Dataset(X=y[:, None], y=y), y[:, None], k=[7, 19, 25])
    assert scores["neighborhood_hit_k7"] == scores["neighborhood_hit_k19"] == 1
    # Of the 25 nearest, 19 are in the class; 6 are in another one
    assert scores["neighborhood_hit_k25"] == pytest.approx(19 / 25, abs=1e-14)
    assert scores["nn_label_error"] == 0
