"""The latent has the covariance of Eq. 10; the features satisfy Eqs. 1, 12 and 13."""

import numpy as np
import pytest
from synthetic import assert_covariance, make

from nldr.datasets.latent import ar_latent


class UnitImpulses(np.random.Generator):
    """Returns the identity instead of normal numbers, which reveals the matrix of a linear map."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))

    def standard_normal(self, size):
        return np.eye(*size)


def test_latent_covariance_is_exact():
    n = 60
    A = ar_latent(n, n, UnitImpulses())
    i = np.arange(n)
    np.testing.assert_allclose(A @ A.T, 6 * np.exp(-np.abs(i[:, None] - i) / 5), atol=1e-13)


def test_latent_is_clipped(rng):
    Z = ar_latent(20_000, 2, rng)
    assert Z.min() == -6
    assert Z.max() == 6
    # A standard normal exceeds 6/sqrt(6) = 2.449 in size with probability 0.0143.
    assert 0.010 < np.mean(np.abs(Z) == 6) < 0.019


def test_first_series_do_not_depend_on_n_latent(seed):
    few, many = (ar_latent(50, m, np.random.default_rng(seed)) for m in (2, 5))
    np.testing.assert_array_equal(few, many[:, :2])


def test_feature_covariance_is_the_kernel(seed):
    data = make("gp", seed, n_samples=40, n_features=40_000, length_scale=1.5)
    distances = np.linalg.norm(data.Z[:, None] - data.Z[None], axis=2)
    assert_covariance(data.clean, np.exp(-((distances / 1.5) ** 2) / 2))
    assert abs(data.clean.mean()) < 0.02


def test_numerically_singular_kernel_matrix(seed):
    data = make("gp", seed, n_samples=1000, n_features=20)
    # The two nearest of 1000 points have almost equal clean observations.
    distances = np.linalg.norm(data.Z[:, None] - data.Z[None], axis=2)
    distances[np.diag_indices(1000)] = np.inf
    i, j = np.unravel_index(np.argmin(distances), distances.shape)
    assert np.abs(data.clean[i] - data.clean[j]).max() < 4 * distances[i, j] / 3 + 1e-3


class Recorded(np.random.Generator):
    """Stores the last uniform numbers that it returned."""

    def uniform(self, *args, **kwargs):
        self.drawn = super().uniform(*args, **kwargs)
        return self.drawn


@pytest.mark.parametrize("n_latent", [1, 3])
def test_sinusoid_equation(n_latent):
    rng = Recorded(np.random.PCG64(0))
    data = make("sinusoid", rng, n_features=20, n_latent=n_latent, noise=0.0)
    assert np.abs(data.Z).max() > 4
    for n in range(20):
        *frequency, phase = rng.drawn[n]
        angle = sum(w * z for w, z in zip(frequency, data.Z.T, strict=True)) + np.pi * phase
        np.testing.assert_allclose(data.X[:, n], np.sin(angle), atol=1e-12)


def test_sinusoid_has_uniform_frequencies_and_phases(seed):
    data = make("sinusoid", seed, n_samples=50, n_features=40_000, noise=0.0)
    # Over uniform phases the mean is 0, and the covariance E cos(w (z - z')) / 2 over w: a sinc.
    z = data.Z[:, 0]
    expected = np.sinc((z[:, None] - z) / np.pi) / 2
    np.testing.assert_allclose(data.X @ data.X.T / 40_000, expected, atol=0.015)
    assert np.abs(data.X.mean(axis=1)).max() < 0.02


@pytest.mark.parametrize(
    ("norm", "bump"),
    [
        ("l1", lambda x, y: 20 * np.exp(-np.abs(x) - np.abs(y))),
        ("l2", lambda x, y: 20 * np.exp(-(x**2) - y**2)),
    ],
)
def test_bump_equation(norm, bump, seed):
    data = make("gaussian_bump", seed, norm=norm, noise=0.0, n_features=10_000, n_samples=5)
    axis = -6 + 12 * np.arange(100) / 99
    for x, z in zip(data.X, data.Z, strict=True):
        # All 10 000 centers are used, each once.
        expected = bump(z[0] - axis[:, None], z[1] - axis).ravel()
        np.testing.assert_allclose(np.sort(x), np.sort(expected), rtol=1e-12)


def test_bump_centers_are_uniform(seed):
    data = make("gaussian_bump", seed, n_samples=2000, n_features=200, noise=0.0)
    # A feature is largest near its center, whose coordinates have variance 12² / 12.
    peaks = data.Z[data.X.argmax(axis=0)]
    assert (np.abs(peaks.mean(axis=0)) < 0.8).all()
    assert (np.abs(peaks.var(axis=0) / 12 - 1) < 0.35).all()
