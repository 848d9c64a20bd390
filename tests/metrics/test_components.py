"""Metrics within and between components: against metrics of all points and SciPy."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from nldr.dataset import Dataset
from nldr.metrics import components
from nldr.metrics.alignment import procrustes, r2_affine
from nldr.metrics.components import between, within

RNG = np.random.default_rng(0)
Z = RNG.standard_normal((60, 2))
y = RNG.permutation(np.repeat([3, 5, 9], 20))
DATA = Dataset(X=RNG.standard_normal((60, 4)), Z=Z, y=y)
NOISE = RNG.standard_normal((60, 3))


def test_score_is_that_of_worst_component():
    embedding = np.where((y == 5)[:, None], NOISE, np.column_stack([Z, NOISE[:, 0]]))
    rows = y == 5
    scores = within(DATA, embedding)
    assert scores["r2_within"] == pytest.approx(r2_affine(Z[rows], embedding[rows]))
    assert scores["procrustes_within"] == pytest.approx(procrustes(Z[rows], embedding[rows]))
    assert scores["r2_within"] < 0.5 < scores["procrustes_within"]


def test_components_are_aligned_separately():
    embedding = Z * np.array([1, 7, -2, 1])[np.searchsorted([3, 5, 9], y)][:, None] + y[:, None]
    scores = within(DATA, embedding)
    assert scores["r2_within"] == pytest.approx(1)
    assert scores["procrustes_within"] == pytest.approx(0, abs=1e-12)
    assert r2_affine(Z, embedding) < 0.9


def test_constant_latent_dimensions_are_ignored():
    latent = Z.copy()
    latent[y == 3, 1] = 4
    data = Dataset(X=Z, Z=latent, y=y)
    assert within(data, latent)["r2_within"] == pytest.approx(1)
    latent[y == 3, 0] = 1
    assert np.isnan(within(data, latent)["r2_within"])


def test_between_equals_scipy():
    first, second = np.triu_indices(60, 1)
    apart = y[first] != y[second]
    scores = between(DATA, NOISE)
    expected = spearmanr(pdist(DATA.X)[apart], pdist(NOISE)[apart]).statistic
    assert scores["between_spearman"] == pytest.approx(expected)
    means = [np.stack([M[y == c].mean(axis=0) for c in (3, 5, 9)]) for M in (DATA.X, NOISE)]
    expected = spearmanr(pdist(means[0]), pdist(means[1])).statistic
    assert scores["centers_spearman"] == pytest.approx(expected)


@pytest.mark.parametrize("sizes", [[100, 100, 150], [340, 10]])
def test_between_of_many_points_is_that_of_a_sample(rng, sizes, monkeypatch):
    monkeypatch.setattr(components, "_ALL_PAIRS", 300)
    monkeypatch.setattr(components, "_SAMPLE", 300_000)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    latent = rng.normal(size=(len(labels), 2)) + labels[:, None]
    data = Dataset(X=latent + rng.normal(size=latent.shape), y=labels)
    first, second = np.triu_indices(len(labels), 1)
    apart = labels[first] != labels[second]
    expected = spearmanr(pdist(data.X)[apart], pdist(latent)[apart]).statistic
    assert between(data, latent)["between_spearman"] == pytest.approx(expected, abs=0.006)


def test_random_pairs_are_equally_likely(rng, monkeypatch):
    monkeypatch.setattr(components, "_SAMPLE", 60_000)
    labels = np.array([4, 7, 4, 9, 4, 7])
    pairs, counts = np.unique(
        np.sort(np.stack(components._random_pairs(labels)), axis=0), axis=1, return_counts=True
    )
    first, second = np.triu_indices(6, 1)
    apart = labels[first] != labels[second]
    np.testing.assert_array_equal(pairs, [first[apart], second[apart]])
    assert np.abs(counts * apart.sum() / 60_000 - 1).max() < 0.06
