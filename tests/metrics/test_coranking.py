"""Co-ranking metrics: Q_NX for all numbers of neighbors, and the area under R_NX."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nldr.metrics._space as module
from nldr.metrics.coranking import q_nx_curve, r_nx_auc
from nldr.metrics.ranks import q_nx


@given(seed=st.integers(0, 2**32 - 1), n_samples=st.integers(3, 40), levels=st.integers(1, 20))
def test_curve_is_q_nx_with_ties_and_duplicates(seed, n_samples, levels):
    """test_ranks compares Q_NX with its definition on points such as these."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n_samples, rng.integers(1, 14)))
    embedding = rng.integers(-levels, levels, (n_samples, 2))
    k = np.arange(1, n_samples - 1)
    expected = q_nx(X, embedding, k)
    np.testing.assert_allclose(q_nx_curve(X, embedding), expected, atol=1e-14)
    beyond = ((n_samples - 1) * expected - k) / (n_samples - 1 - k)
    area = (beyond / k).sum() / (1 / k).sum()
    assert r_nx_auc(X, embedding) == pytest.approx(area, abs=1e-13)
    assert -1 <= area <= 1


def test_block_size_does_not_matter(monkeypatch, rng):
    X, embedding = rng.normal(size=(333, 30)), rng.normal(size=(333, 2))
    curve = q_nx_curve(X, embedding)
    monkeypatch.setattr(module, "_BLOCK", 1)
    for rows in (1, 7, 1000):
        monkeypatch.setattr(module, "_ROWS", rows)
        np.testing.assert_array_equal(q_nx_curve(X, embedding), curve)
