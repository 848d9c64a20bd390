"""VAE with the cross-entropy, against scipy's densities and quadrature."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from scipy.stats import bernoulli, norm

from nldr.methods.networks.bernoulli import LOGITS, BernoulliVAE, cross_entropy_bound


def bound(X, mean, log_variance, logits, weights, beta=1.0):
    """Return the loss where encoder and decoder are constant."""
    codes = np.hstack([mean, log_variance]).astype(np.float32)
    model = (lambda rows: codes[: len(rows)], lambda codes: logits.astype(np.float32))
    batch = (np.arange(len(X)), np.zeros_like(mean), weights, beta)
    return float(cross_entropy_bound(model, X.astype(np.float32), batch))


def test_bound_is_that_of_binary_data(rng):
    X = rng.integers(0, 2, (4, 3)).astype(float)
    mean, log_variance = rng.standard_normal((2, 4, 2))
    logits = rng.standard_normal((4, 3))
    misfit = -bernoulli(expit(logits)).logpmf(X).sum(axis=1)
    # Divergence by quadrature over each code
    z = np.linspace(-12, 12, 20_001)[:, np.newaxis, np.newaxis]
    posterior = norm(mean, np.exp(log_variance / 2))
    integrand = posterior.pdf(z) * (posterior.logpdf(z) - norm.logpdf(z))
    divergence = np.trapezoid(integrand, z, axis=0).sum(axis=1)
    weights = np.array([1.0, 1.0, 0.0, 1.0])
    expected = (misfit + divergence)[weights > 0].sum() / 3 / 3
    assert_allclose(bound(X, mean, log_variance, logits, weights), expected, rtol=1e-4)


@pytest.mark.parametrize("x", [16.0, -2.0])
def test_gradient_vanishes_where_the_sigmoid_is_saturated(x):
    zeros = np.zeros((1, 1))
    within, beyond = (LOGITS[1] - 1, LOGITS[1] + 9) if x > 0 else (LOGITS[0] + 1, LOGITS[0] - 9)
    losses = [
        bound(np.full((1, 1), x), zeros, zeros, np.full((1, 1), logit), np.ones(1))
        for logit in (0.0, within, beyond, 10 * beyond)
    ]
    assert losses[0] > losses[1] > losses[2] == losses[3]


def test_last_batch_counts_each_row_once(rng):
    X = rng.random((70, 4))
    options = {"hidden": (8,), "n_epochs": 1, "random_state": 0, "validation_fraction": 0.0}
    vae = BernoulliVAE(batch_size=64, **options).fit(X)
    assert vae.n_steps_ == 2
    # A batch with all rows, and one with the same draws that is filled up with rows of weight zero
    whole = BernoulliVAE(batch_size=70, **options).fit(X)
    padded = BernoulliVAE(batch_size=100, **options).fit(X)
    assert_allclose(whole.loss_, padded.loss_, rtol=1e-5)


def test_reconstructs_probabilities(rng):
    X = (rng.random((80, 4)) < [0.1, 0.9, 0.5, 0.5]).astype(float)
    vae = BernoulliVAE(hidden=(16,), n_epochs=300, batch_size=80, random_state=0).fit(X)
    rows = vae.inverse_transform(vae.embedding_)
    assert np.all((rows > 0) & (rows < 1))
    assert_allclose(rows.mean(axis=0)[:2], X.mean(axis=0)[:2], atol=0.2)
