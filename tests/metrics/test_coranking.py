"""Co-ranking metrics: against the co-ranking matrix and Q_NX."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

import nldr.metrics._space as module
from nldr.metrics.coranking import q_nx_curve, r_nx_auc
from nldr.metrics.ranks import q_nx

seeds = st.integers(0, 2**32 - 1)


def coranking_matrix(X, embedding):
    """Return the expected numbers of pairs with each two ranks; exact for small integers.

    A point that is tied with m - 1 others has each of their m ranks with probability 1 / m.
    """
    n = len(X)
    probability = []
    for A in (X, embedding):
        squared = ((A[:, None] - A) ** 2).sum(axis=-1).astype(float)
        np.fill_diagonal(squared, np.inf)
        low, high = (rankdata(squared, kind, axis=1)[..., None] for kind in ("min", "max"))
        rank = np.arange(1, n)
        probability.append(((low <= rank) & (rank <= high)) / (high - low + 1))
    for table in probability:
        table[np.arange(n), np.arange(n)] = 0  # not its own neighbor
    return np.einsum("ijr,ijs->rs", *probability)


@given(seed=seeds, n_samples=st.integers(3, 40), levels=st.integers(1, 20))
def test_equals_coranking_matrix_with_ties_and_duplicates(seed, n_samples, levels):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n_samples, rng.integers(1, 14)))
    embedding = rng.integers(-levels, levels, (n_samples, 2))
    matrix = coranking_matrix(X, embedding)
    k = np.arange(1, n_samples - 1)
    expected = np.array([matrix[:n, :n].sum() for n in k]) / (k * n_samples)
    np.testing.assert_allclose(q_nx_curve(X, embedding), expected, atol=1e-14)
    beyond = ((n_samples - 1) * expected - k) / (n_samples - 1 - k)
    area = (beyond / k).sum() / (1 / k).sum()
    assert r_nx_auc(X, embedding) == pytest.approx(area, abs=1e-13)
    assert -1 <= area <= 1


def test_equals_q_nx_for_any_block_size(monkeypatch, rng):
    X, embedding = rng.normal(size=(333, 30)), rng.normal(size=(333, 2))
    curve = q_nx_curve(X, embedding)
    k = [1, 2, 17, 331]
    np.testing.assert_allclose(curve[np.array(k) - 1], q_nx(X, embedding, k), atol=1e-15)
    monkeypatch.setattr(module, "_BLOCK", 1)
    for rows in (1, 7, 1000):
        monkeypatch.setattr(module, "_ROWS", rows)
        np.testing.assert_array_equal(q_nx_curve(X, embedding), curve)
