"""Neighborhood metrics: the definitions, invariances; test_peers compares with scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata
from threadpoolctl import threadpool_limits

import nldr.metrics._space as module
from nldr.dataset import Dataset
from nldr.metrics.coranking import coranking
from nldr.metrics.ranks import q_nx, ranks, trustworthiness_continuity

seeds = st.integers(0, 2**32 - 1)


def rank_bounds(A):
    """Return the smallest and largest rank that each point may have among the others of a row.

    Points at the same distance may come in any order. Distances are compared to 34 binary digits.
    """
    mantissa, exponent = np.frexp(((A[:, None] - A) ** 2).sum(axis=-1, dtype=float))
    squared = np.ldexp(np.round(mantissa * 2.0**35), exponent)
    np.fill_diagonal(squared, np.inf)
    low, high = (rankdata(squared, kind, axis=1).astype(int) for kind in ("min", "max"))
    return low, high


def mean_over_ranks(values, bounds):
    """Return the mean of ``values[rank - 1]`` over the ranks between the bounds."""
    total = np.concatenate([[0], np.cumsum(values)])
    return (total[bounds[1]] - total[bounds[0] - 1]) / (bounds[1] - bounds[0] + 1)


def inside(bounds, k):
    """Return the probability that each point is one of the k nearest of a row."""
    return mean_over_ranks(np.arange(1, len(bounds[0]) + 1) <= k, bounds)


def shared(X, embedding, k):
    """Return Q_NX by its definition, as expected value over orders of tied points."""
    here, there = rank_bounds(X), rank_bounds(embedding)
    return [(inside(here, n) * inside(there, n)).sum() / (n * len(X)) for n in k]


def defined(X, embedding, k):
    """Return trustworthiness by its definition, as expected value over orders of tied points."""
    n_samples, here, there = len(X), rank_bounds(X), rank_bounds(embedding)
    scores = []
    for n in k:
        excess = mean_over_ranks(np.maximum(np.arange(1, n_samples + 1) - n, 0), here)
        penalty = (inside(there, n) * excess).sum()
        scores.append(1 - 2 / (n_samples * n * (2 * n_samples - 3 * n - 1)) * penalty)
    return scores


def assert_as_defined(X, embedding, k):
    """Compare all values with the definition."""
    scores = trustworthiness_continuity(X, embedding, k)
    expected = [defined(X, embedding, k), defined(embedding, X, k)]
    np.testing.assert_allclose(scores, expected, atol=1e-13)


@given(
    seed=seeds,
    n_samples=st.integers(3, 40),
    n_features=st.integers(1, 14),
    n_components=st.integers(1, 14),
    levels=st.integers(1, 20),
)
def test_equals_definition_with_ties_and_duplicates(
    seed, n_samples, n_features, n_components, levels
):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n_samples, n_features))
    embedding = rng.integers(-levels, levels, (n_samples, n_components))
    assert_as_defined(X, embedding, list(range(1, (n_samples + 1) // 2)))
    k = list(range(1, n_samples - 1))
    np.testing.assert_allclose(q_nx(X, embedding, k), shared(X, embedding, k), atol=1e-14)


@pytest.mark.parametrize("n_features", [2, 30])
def test_equals_definition_for_many_points(n_features, rng):
    assert_as_defined(rng.integers(0, 4, (470, n_features)), rng.integers(0, 9, (470, 2)), [1, 7])


def test_equals_definition_across_scales(rng):
    X = (
        3.0 ** -np.arange(150)[:, None]
    )  # each point is far closer to the next than to the previous one
    assert_as_defined(X, rng.normal(size=(150, 2)), [1, 20])


@pytest.mark.parametrize("n_features", [1, 2, 30])
@pytest.mark.parametrize(("scale", "offset"), [(0.1, 10), (1 / 255, 0), (1e-9, 10), (1e150, 0)])
def test_ties_do_not_depend_on_rounding(n_features, scale, offset, rng):
    grid, embedding = rng.integers(0, 6, (200, n_features)), rng.normal(size=(200, 2))
    expected = trustworthiness_continuity(grid, embedding, [4, 9])
    scaled = (grid + offset) * scale
    scores = trustworthiness_continuity(scaled, embedding, [4, 9])
    np.testing.assert_allclose(scores, expected, atol=1e-14)


@pytest.mark.parametrize("n_features", [3, 30])
def test_result_does_not_depend_on_blocks_or_blas_threads(n_features, monkeypatch, rng):
    X = rng.integers(0, 5, (333, n_features)) / 255
    embedding = rng.normal(size=(333, 2))
    expected = trustworthiness_continuity(X, embedding, [3, 12])
    monkeypatch.setattr(module, "_BLOCK", 1)
    for rows, n_threads in [(1, 1), (7, 2), (64, 1), (1000, 2)]:
        monkeypatch.setattr(module, "_ROWS", rows)
        with threadpool_limits(n_threads):
            scores = trustworthiness_continuity(X, embedding, [3, 12])
        np.testing.assert_allclose(scores, expected, atol=1e-14)


def test_result_does_not_depend_on_index_bits(monkeypatch, rng):
    X, embedding = rng.normal(size=(200, 12)), rng.normal(size=(200, 2))
    expected = trustworthiness_continuity(X, embedding, [3, 12])
    for bits in (1, 24):
        monkeypatch.setattr(module, "_INDEX_BITS", bits)
        scores = trustworthiness_continuity(X, embedding, [3, 12])
        np.testing.assert_array_equal(scores, expected)


def test_resolves_small_distances_between_far_clusters(rng):
    offsets = rng.normal(size=(4, 20, 2))
    corners = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[:, None]
    spread = (corners * 1e3 + offsets).reshape(-1, 2)
    tight = (corners + offsets * 2.0**-40).reshape(-1, 2)
    scores = trustworthiness_continuity(spread, tight, [5, 15])
    np.testing.assert_allclose(scores, 1, atol=1e-3)  # 2^-40 leaves the offsets 12 digits


def test_nn_preservation():
    X = np.array([[0.0], [1.0], [10.0], [12.0], [30.0]])
    moved = np.array([[0.0], [1.0], [14.0], [12.0], [7.0]])
    assert ranks(Dataset(X=X), moved, k=[2])["nn_preservation"] == 1
    moved[4] = 1.5  # now the nearest neighbor of the second point, and vice versa
    assert ranks(Dataset(X=X), moved, k=[2])["nn_preservation"] == shared(X, moved, [1])[0] == 0.6


@pytest.mark.parametrize("n_features", [3, 30])
def test_result_does_not_depend_on_n_jobs(n_features, rng):
    data = Dataset(X=rng.normal(size=(500, n_features)))
    embedding = rng.normal(size=(500, 2))
    expected = ranks(data, embedding, k=[3, 12])
    assert ranks(data, embedding, k=[3, 12], n_jobs=3) == expected
    assert coranking(data, embedding, n_jobs=3) == coranking(data, embedding)


def test_scorer(rng):
    X = rng.normal(size=(30, 4))
    embedding = X[:, :2]
    values = np.ravel(trustworthiness_continuity(X, embedding, [3, 15]))
    agreement = q_nx(X, embedding, [3, 15, 1])
    names = ["trustworthiness", "continuity", "q_nx", "lcmc"]
    scores = ranks(Dataset(X), embedding, k=[3, 15])
    assert list(scores) == [*(f"{name}_k{k}" for name in names for k in (3, 15)), "nn_preservation"]
    expected = [*values, *agreement[:2], *(agreement[:2] - [3 / 29, 15 / 29]), agreement[2]]
    np.testing.assert_array_equal(list(scores.values()), expected)
