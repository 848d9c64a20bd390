"""KL divergence of densities: the definition, blocks, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import entropy

import nldr.metrics._distances as module
from nldr.metrics.density import kl_sigma

seeds = st.integers(0, 2**32 - 1)


def defined(X, embedding, sigma):
    """Return the divergence from full matrices; ``entropy`` normalizes the densities."""
    p, q = (
        np.exp(-((D / D.max()) ** 2) / sigma).sum(axis=1)
        for D in (cdist(X, X), cdist(embedding, embedding))
    )
    return float(entropy(p, q))


@given(
    seed=seeds,
    n_samples=st.integers(3, 60),
    n_features=st.integers(1, 12),
    levels=st.integers(2, 20),
)
def test_equals_definition_with_duplicates(seed, n_samples, n_features, levels):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n_samples, n_features))
    X[0], X[1] = 0, levels
    embedding = rng.normal(size=(n_samples, 2))
    sigma = [1, 0.003, 0.1]
    expected = [defined(X, embedding, s) for s in sigma]
    np.testing.assert_allclose(kl_sigma(X, embedding, sigma), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("size", [1, 1000, 12345])
def test_result_does_not_depend_on_blocks(size, monkeypatch, rng):
    X, embedding = rng.normal(size=(150, 12)), rng.normal(size=(150, 2))
    monkeypatch.setattr(module, "_BLOCK_SIZE", size)
    expected = [defined(X, embedding, s) for s in (0.01, 1)]
    np.testing.assert_allclose(kl_sigma(X, embedding, [0.01, 1]), expected, rtol=1e-11)


@pytest.mark.parametrize("sigma", [[], [0.0], [-1.0, 1.0], [np.nan], 0.1])
def test_bad_sigma_raises(sigma):
    with pytest.raises(ValueError, match="sigma must be a list of positive numbers"):
        kl_sigma(np.eye(6), np.eye(6), sigma)
