"""Distance metrics: against SciPy and closed forms; invariances; random pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import pdist
from scipy.stats import pearsonr, spearmanr

import nldr.metrics._distances as blocks
import nldr.metrics.distances as module
from nldr.metrics.distances import distance_pearson, distance_spearman, shepard, stress

seeds = st.integers(0, 2**32 - 1)
METRICS = (distance_pearson, distance_spearman, stress)


def values(X, embedding):
    """Return all three metrics."""
    return np.array([metric(X, embedding) for metric in METRICS])


@given(seed=seeds, n_samples=st.integers(5, 40), levels=st.integers(2, 20))
def test_equals_scipy_with_ties_and_duplicates(seed, n_samples, levels):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n_samples, rng.integers(1, 14)))
    X[0], X[1], X[2] = 0, 0, levels
    embedding = rng.normal(size=(n_samples, 2))
    ours, theirs = pdist(X), pdist(embedding)
    integers = pdist(X, "sqeuclidean")  # ties are exact
    expected = [pearsonr(ours, theirs)[0], spearmanr(integers, theirs)[0]]
    np.testing.assert_allclose(values(X, embedding)[:2], expected, atol=1e-9)


@pytest.mark.parametrize("kruskal", [False, True])
def test_stress_is_minimal_over_scales_of_either_side(kruskal, rng):
    X, embedding = rng.normal(size=(30, 5)), 7 * rng.normal(size=(30, 2))
    fixed, scaled = pdist(X), pdist(embedding)
    if kruskal:
        fixed, scaled = scaled, fixed
    best = minimize_scalar(lambda s: np.linalg.norm(fixed - s * scaled) / np.linalg.norm(fixed))
    assert stress(X, embedding) == pytest.approx(best.fun, abs=1e-9)
    assert stress(X, np.full((30, 2), 0.1)) == 1  # the highest, of a single point


@pytest.mark.parametrize("n_features", [1, 3, 30])
@pytest.mark.parametrize("scale", [0.1, 1 / 255, 1e-9])
def test_ties_do_not_depend_on_rounding(n_features, scale, rng):
    grid, embedding = rng.integers(0, 4, (60, n_features)), rng.normal(size=(60, 2))
    expected = distance_spearman(grid, embedding)
    assert distance_spearman((grid + 10) * scale, embedding) == pytest.approx(expected, abs=1e-13)


def test_result_does_not_depend_on_blocks(monkeypatch, rng):
    X, embedding = rng.normal(size=(70, 12)), rng.normal(size=(70, 2))
    expected = values(X, embedding)
    for size in (1, 500):
        monkeypatch.setattr(blocks, "_BLOCK_SIZE", size)
        np.testing.assert_allclose(values(X, embedding), expected, atol=1e-12)


def test_sample_is_deterministic_and_near_all_pairs(monkeypatch, rng):
    X = rng.normal(size=(400, 12))
    embedding = X[:, :2] * 1e200
    exact = values(X, embedding)
    monkeypatch.setattr(module, "_ALL_PAIRS", 100)
    monkeypatch.setattr(module, "_SAMPLE", 40_000)
    sampled = values(X, embedding)
    np.testing.assert_array_equal(values(X, embedding), sampled)
    np.testing.assert_allclose(sampled, exact, atol=4 / np.sqrt(40_000))
    assert (sampled != exact).all()
    np.testing.assert_allclose(values(X, 3 - X), [1, 1, 0], atol=1e-9)


def test_random_pairs_are_uniform_and_distinct():
    first, second = module._random_pairs(5, 20_000, seed=4)
    assert (first != second).all()
    counts = np.bincount(5 * first + second, minlength=25).reshape(5, 5)
    expected = 1000 * (1 - np.eye(5))
    np.testing.assert_allclose(counts, expected, atol=5 * np.sqrt(1000))


def test_shepard_uses_all_pairs_of_few_points_and_refuses_other_points(rng):
    X, embedding = rng.normal(size=(20, 5)), rng.normal(size=(20, 2))
    ours, theirs = shepard(X, embedding, n_pairs=190)
    np.testing.assert_allclose(ours, pdist(X), atol=1e-12)
    np.testing.assert_allclose(theirs, pdist(embedding), atol=1e-12)
    with pytest.raises(ValueError, match="embedding has 19 rows, the data has 20"):
        shepard(X, embedding[1:])


def test_shepard_uses_same_pairs_in_both_spaces(rng):
    X = rng.normal(size=(200, 5))
    ours, theirs = shepard(X, 3 * X + 1, n_pairs=500)
    assert len(ours) == 500
    np.testing.assert_allclose(theirs, 3 * ours)
    assert np.isin(ours.round(9), pdist(X).round(9)).all()
    np.testing.assert_array_equal(shepard(X, X[:, :2], n_pairs=500)[0], ours)
    assert not np.array_equal(shepard(X, X, n_pairs=500, seed=1)[0], ours)
