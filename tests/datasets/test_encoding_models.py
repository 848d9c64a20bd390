"""Latents fill the regions that their models state; features have the stated covariances."""

import numpy as np
import pytest
from scipy.special import iv

from nldr.datasets.encoding_models import MODELS, encoding_model

PARAMS = {"n_samples": 40, "n_features": 20, "n_latent": 2, "mean_sd": 0.0, "noise": 0.0}


def make(model, seed=0, **params):
    return encoding_model(model=model, **{**PARAMS, **params}, rng=np.random.default_rng(seed))


def latent(model, seed, n_samples=20_000, n_latent=2):
    draw, _ = MODELS[model]
    return draw(n_samples, n_latent, np.random.default_rng(seed))


def differences(Z):
    return Z[:, np.newaxis] - Z


def centered_covariance(data, mean=0.0):
    X = data.X - mean
    return X @ X.T / data.n_features


@pytest.mark.parametrize(("model", "bound"), [("periodic", 1.0), ("von_mises", np.pi / 2)])
def test_box_walk_is_uniform_with_small_steps(model, bound, seed):
    Z = latent(model, seed, n_samples=100_000) / bound
    assert 0.99 < np.abs(Z).max() <= 1
    # About 2000 crossings of the box: variance 1/3 of a uniform distribution
    assert (np.abs(Z.var(axis=0) - 1 / 3) < 0.05).all()
    steps = np.diff(Z, axis=0)[np.abs(Z[1:]).max(axis=1) < 0.3]
    assert steps.std() == pytest.approx(0.15, rel=0.03)


def test_walk_has_independent_steps(seed):
    steps = np.diff(latent("walk", seed, n_latent=3), axis=0) / 0.15
    np.testing.assert_allclose(np.cov(steps.T), np.eye(3), atol=0.05)
    assert np.abs((steps[1:] * steps[:-1]).mean(axis=0)).max() < 0.04


def test_figure_eight_satisfies_its_equation(seed):
    x, y = latent("figure_eight", seed).T
    np.testing.assert_allclose(y**2, x**2 * (1 - x**2), atol=1e-12)


@pytest.mark.parametrize("n_latent", [1, 2, 4])
def test_annulus_is_uniform(n_latent, seed):
    radius = np.linalg.norm(latent("annulus", seed, n_latent=n_latent), axis=1)
    assert radius.min() >= 0.6
    assert radius.max() <= 1
    # The share of points within a radius is its share of the volume.
    share = (0.8**n_latent - 0.6**n_latent) / (1 - 0.6**n_latent)
    assert np.mean(radius < 0.8) == pytest.approx(share, abs=0.02)


LENGTH_SCALES = {"figure_eight": 0.5, "clusters": 0.5, "annulus": 0.5, "walk": 1.0}


@pytest.mark.parametrize(
    ("model", "length_scales"), [*LENGTH_SCALES.items(), ("anisotropic", [0.5, 1.2])]
)
def test_squared_exponential_models_have_the_stated_kernel(model, length_scales, seed):
    data = make(model, seed, n_features=20_000)
    K = np.exp(-np.square(differences(data.Z) / length_scales).sum(axis=2) / 2)
    np.testing.assert_allclose(centered_covariance(data), K, atol=0.06)


@pytest.mark.parametrize("n_latent", [1, 2])
def test_von_mises_bumps_have_the_stated_kernel(n_latent, seed):
    data = make("von_mises", seed, n_latent=n_latent, n_features=40_000)
    # Mean over centers: ∫ exp(4 cos(z - c) + 4 cos(z' - c)) dc / 2π = I₀(8 cos((z - z') / 2))
    cosine = np.cos(differences(data.Z) / 2)
    second = np.prod(iv(0, 8 * cosine) / np.exp(8), axis=2)
    squared_mean = (iv(0, 4) / np.exp(4)) ** (2 * n_latent)
    scale = np.sqrt((iv(0, 8) / np.exp(8)) ** n_latent - squared_mean)
    covariance = centered_covariance(data, np.sqrt(squared_mean) / scale)
    np.testing.assert_allclose(covariance, (second - squared_mean) / scale**2, atol=0.08)


def test_periodic_tuning_has_the_stated_kernel(seed):
    data = make("periodic", seed, n_features=40_000)
    # Fourier series of exp(2 cos α): I₀ + 2 Σ I_k cos kα; a mean over normal frequencies each
    d = np.square(differences(data.Z) / 0.5).sum(axis=2)
    terms = [(2 * iv(k, 2) ** 2, np.exp(-(k**2) * d / 2)) for k in range(1, 20)]
    expected = sum(w * K for w, K in terms) / sum(w for w, _ in terms)
    scale = np.sqrt(sum(w for w, _ in terms))
    np.testing.assert_allclose(centered_covariance(data, iv(0, 2) / scale), expected, atol=0.06)


def test_rates_have_the_stated_moments(seed):
    data = make("poisson", seed, n_samples=200, n_features=2000)
    # The log rate is a wave between log 2 ± 0.8 √2, uniform in phase.
    logs = np.log(data.clean / 2)
    assert np.abs(logs).max() <= 0.8 * np.sqrt(2)
    assert logs.std() == pytest.approx(0.8, rel=0.05)
    # Poisson: integers whose variance about the rate is the rate
    np.testing.assert_array_equal(data.X, np.round(data.X))
    assert np.mean((data.X - data.clean) ** 2) == pytest.approx(data.clean.mean(), rel=0.02)


def test_square_roots_of_the_same_counts(seed):
    counts, roots = make("poisson", seed), make("sqrt_poisson", seed)
    np.testing.assert_allclose(roots.X**2, counts.X, atol=1e-12)
    np.testing.assert_allclose(np.square(roots.reference), counts.reference)


@pytest.mark.parametrize("model", MODELS)
def test_options_leave_the_rest_unchanged(model, seed):
    plain, shifted = make(model, seed), make(model, seed, mean_sd=5.0)
    noisy = make(model, seed, mean_sd=5.0, noise=0.3, n_samples=40)
    np.testing.assert_array_equal(plain.Z, noisy.Z)
    # A constant per feature, then noise
    means = shifted.X - plain.X
    np.testing.assert_allclose(means, np.tile(means[0], (40, 1)), atol=1e-12)
    assert 2.5 < means[0].std() < 9
    assert (noisy.X - shifted.X).std() == pytest.approx(0.3, rel=0.12)
    np.testing.assert_allclose(noisy.reference, plain.reference + means, atol=1e-12)
