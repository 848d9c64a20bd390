"""Latent points refined and placed by the likelihood."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.special import softmax
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from nldr.kernels import Matern, SquaredExponential
from nldr.methods.gp.kernels import Stationary, Sum, White
from nldr.methods.gp.refine import LatentFit, Posterior, ascend, start_fit

VARIANCE, SCALE, NOISE = 0.9, 0.7, 0.1


def draw(rng, shape, n_features, scale=SCALE, variance=VARIANCE, noise=NOISE):
    """Return latent points and their observations, of one Gaussian process."""
    points = rng.uniform(0, 3, shape)
    waves, phases = rng.standard_normal((shape[1], n_features)), rng.uniform(0, 6, n_features)
    rows = np.sqrt(2 * variance) * np.cos(points @ waves / scale + phases)
    return points, rows + np.sqrt(noise) * rng.standard_normal(rows.shape)


@pytest.fixture
def model(rng):
    return draw(rng, (40, 2), 12)


def fit_of(points, shape=None):
    kernel = Sum((Stationary(shape or SquaredExponential(), VARIANCE, SCALE), White(NOISE)))
    return LatentFit(points, kernel, 0.0)


def log_densities(points, rows, where, new):
    """Return the log densities of new rows at latent points, by scikit-learn."""
    kernel = ConstantKernel(VARIANCE) * RBF(SCALE) + WhiteKernel(NOISE)
    gpr = GaussianProcessRegressor(kernel, optimizer=None).fit(points, rows)
    mean, sd = gpr.predict(where, return_std=True)
    return norm.logpdf(new[:, np.newaxis], mean, sd).sum(axis=-1)


def test_rows_are_placed_at_the_posterior_mean(model):
    points, rows = model
    density = log_densities(points[:30], rows[:30], points[:30], rows[30:])
    placed = Posterior(fit_of(points[:30]), rows[:30], 12).place(rows[30:], 0)
    assert_allclose(placed, softmax(density, axis=1) @ points[:30], atol=1e-4)


def test_average_leaves_each_row_out(model):
    points, rows = model
    density = log_densities(points, rows, points, rows)
    for i in range(len(points)):
        rest = np.delete(np.arange(len(points)), i)
        own = log_densities(points[rest], rows[rest], points[[i]], rows[[i]])
        density[i, i] = own[0, 0]
    average = Posterior(fit_of(points), rows, 12).average_fitted()
    assert_allclose(average, softmax(density, axis=1) @ points, atol=1e-4)


def test_average_needs_inner_products_only(model):
    points, rows = model
    wide = rows @ np.linalg.qr(np.random.default_rng(1).standard_normal((20, 12)))[0].T
    one = Posterior(fit_of(points), rows, 12).average_fitted()
    assert_allclose(Posterior(fit_of(points), wide, 12).average_fitted(), one, atol=1e-9)


@pytest.mark.parametrize("shape", [SquaredExponential(), Matern()], ids=str)
def test_slopes_equal_finite_differences(model, shape):
    points, rows = model
    posterior = Posterior(fit_of(points, shape), rows, 12)
    targets, squares = posterior._products(rows[:1] + 0.1)
    at = np.array([1.3, 0.8])
    gradient = posterior._slopes(at[np.newaxis], targets, squares)[1][0]

    def density(z):
        return posterior._slopes(z[np.newaxis], targets, squares)[0][0]

    assert_allclose(gradient, approx_fprime(at, density, 1e-6), rtol=1e-3, atol=1e-3)


def test_steps_bring_new_rows_to_their_latent_points(rng):
    points, rows = draw(rng, (80, 2), 300)
    posterior = Posterior(fit_of(points[:60]), rows[:60], 300)
    error = [np.square(posterior.place(rows[60:], n) - points[60:]).mean() for n in (0, 8)]
    assert error[1] < min(0.01, error[0] / 2)


def test_damping_halves_after_a_step_uphill_and_quadruples_after_one_downhill(model, monkeypatch):
    points, rows = model
    posterior = Posterior(fit_of(points), rows, 12)
    places, densities = [], iter([0.0, -1.0, 1.0, 2.0, 3.0, 4.0])

    def slopes(points, *_):
        places.append(points.item())
        return np.array([next(densities)]), np.ones((1, 1)), np.ones(1)

    monkeypatch.setattr(posterior, "_slopes", slopes)
    posterior._climb(np.zeros((1, 1)), np.zeros((1, 40)), np.zeros(1), 5)
    # Steps of 1, which fails, then 1/4, 1/2, 1, and 2, the longest
    assert_allclose(places, [0, 1, 0.25, 0.75, 1.75, 3.75])


def test_ascent_recovers_points_and_noise(rng):
    points, rows = draw(rng, (60, 1), 200, scale=1.0, variance=1.0, noise=0.25)
    start = start_fit(points + 0.3 * rng.standard_normal(points.shape), SquaredExponential())
    fit = ascend(start, rows, 200)
    assert abs(np.corrcoef(fit.points[:, 0], points[:, 0])[0, 1]) > 0.995
    assert_allclose(fit.noise_share, 0.2, atol=0.04)


def test_unknown_gradient_raises():
    with pytest.raises(ValueError, match=r"the gradient of kernel .* is not known"):
        start_fit(np.zeros((3, 1)), np.exp)
