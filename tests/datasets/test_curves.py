"""The latent curves are those of Fig. 5, and the features have the requested covariance."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern
from synthetic import assert_covariance, make


def latent(curve, seed=0):
    Z = make("latent_curve", seed, curve=curve, n_features=10).Z
    assert Z.shape == (100, 3)
    return Z


def test_medium(seed):
    x, y, z = latent("medium", seed).T
    np.testing.assert_allclose(z, np.arange(-49.5, 50) / 99)
    theta = 8 * np.pi * z
    np.testing.assert_allclose(x, (z**2 + 1) * np.sin(1.3 * theta), atol=1e-12)
    np.testing.assert_allclose(y, (z**2 + 1) * np.cos(theta), atol=1e-12)
    np.testing.assert_array_equal(latent("medium", seed + 1), latent("medium", seed))


def test_easy(seed):
    Z = latent("easy", seed)
    x, y, z = Z.T
    np.testing.assert_allclose(z, np.sin(2 * np.pi * x) + np.cos(3 * np.pi * y) / 2, atol=1e-12)
    grid = {(i, j) for i in range(10) for j in range(10)}
    assert {(round(9 * (a + 0.5)), round(9 * (b + 0.5))) for a, b in zip(x, y, strict=True)} == grid
    np.testing.assert_allclose([x.min(), x.max(), y.min(), y.max()], [-0.5, 0.5, -0.5, 0.5])
    other = latent("easy", seed + 1)
    assert (other != Z).any()
    np.testing.assert_array_equal(np.unique(Z, axis=0), np.unique(other, axis=0))


def test_hard(seed):
    Z = latent("hard", seed)
    up, down = np.linspace(-1, 0.975, 50), np.linspace(1, -1, 50)
    np.testing.assert_allclose(Z[:25, 2], up[:25])
    np.testing.assert_allclose(Z[25:50, 2], down[24::-1])
    np.testing.assert_allclose(Z[50:75, 2], up[25:])
    np.testing.assert_allclose(Z[75:, 2], down[:24:-1])


def test_hard_has_gaussian_displacements(seed):
    index = np.concatenate(
        [np.arange(25), np.arange(74, 49, -1), np.arange(25, 50), np.arange(99, 74, -1)]
    )
    theta = np.linspace(-4 * np.pi, 4 * np.pi, 100)[index]
    draws = np.array([latent("hard", seed + i) for i in range(200)])
    radius = (draws[0, :, 2] / 2) ** 3 + 1
    coil = np.column_stack([radius * np.sin(theta), radius * np.cos(theta)])
    displacement = draws[:, :, :2] - coil
    assert np.abs(displacement.mean(axis=0)).max() < 4.5 * 0.1 / np.sqrt(200)
    assert displacement.std() == pytest.approx(0.1, rel=0.02)
    np.testing.assert_allclose(np.corrcoef(displacement.reshape(-1, 2).T), np.eye(2), atol=0.03)
    np.testing.assert_array_equal(draws[0, :, 2], draws[1, :, 2])


def test_feature_covariance_is_the_kernel(seed):
    """test_kernels compares the kernels of all names with those of scikit-learn."""
    options = {"n_features": 10_000, "length_scale": 0.8}
    data = make("latent_curve", seed, kernel="matern", **options)
    assert_covariance(data.X, Matern(0.8, nu=1.5)(data.Z))
