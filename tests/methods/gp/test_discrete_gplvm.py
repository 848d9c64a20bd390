"""GPLVM of counts and bits, against quadrature, closed forms and other optimizers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit, logsumexp
from scipy.stats import norm, poisson

from nldr.methods.gp.discrete_gplvm import DiscreteGPLVM, _scaled
from nldr.methods.gp.features._likelihoods import LIKELIHOODS, Poisson, marginal
from nldr.methods.gp.inducing._kernel import KernelParams
from nldr.methods.gp.variational import _inducing_values
from nldr.methods.gp.variational._discrete_bound import DiscreteBound
from nldr.methods.gp.variational._inducing_values import Posterior, VariationalBound

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def log_probability(name, f, y):
    """Return log p(y|f) from scipy's distributions."""
    if name == "poisson":
        return poisson.logpmf(y, np.exp(f))
    return np.log(expit(f) if y else expit(-f))


def central_difference(function, at, step):
    return (function(at + step) - function(at - step)) / (2 * step)


@pytest.mark.parametrize("name", LIKELIHOODS)
@pytest.mark.parametrize(("mean", "variance", "y"), [(0.3, 0.5, 1), (-2.0, 4.0, 1), (1.5, 0.01, 0)])
def test_expectations_and_densities_equal_integrals(name, mean, variance, y):
    likelihood, deviation = LIKELIHOODS[name](), np.sqrt(variance)
    args = m, v, target = np.array([mean]), np.array([variance]), np.array([float(y)])
    normal = norm(mean, deviation)
    limits = mean - 9 * deviation, mean + 9 * deviation

    def integral(function):
        return quad(lambda f: function(f) * normal.pdf(f), *limits, points=[mean], limit=200)[0]

    value, slope, curvature = likelihood.expected(*args)
    expected = integral(lambda f: log_probability(name, f, y))
    assert_allclose(value + likelihood.log_base(target), expected, rtol=1e-5)
    # Derivatives with respect to the mean and the variance (Price's theorem)
    expected = central_difference(lambda m: likelihood.expected(m, v, target)[0], m, 1e-4)
    assert_allclose(slope, expected, rtol=1e-5, atol=1e-7)
    expected = central_difference(lambda v: likelihood.expected(m, v, target)[0], v, 1e-3 * v)
    assert_allclose(-curvature / 2, expected, rtol=2e-3)
    # Moments of an observation whose latent value is not known
    rate = np.exp if name == "poisson" else expit
    mean, square = integral(rate), integral(lambda f: rate(f) ** 2 * (name == "poisson") + rate(f))
    assert_allclose(np.ravel(likelihood.moments(*args[:2])), [mean, square - mean**2], rtol=1e-4)
    # Density of the observation
    result, by_mean, by_variance = marginal(likelihood, *args)
    density = integral(lambda f: np.exp(log_probability(name, f, y)))
    assert_allclose(result, np.log(density), rtol=1e-5)
    expected = central_difference(lambda m: marginal(likelihood, m, v, target)[0], m, 1e-4)
    assert_allclose(by_mean, expected, rtol=1e-4)
    expected = central_difference(lambda v: marginal(likelihood, m, v, target)[0], v, 1e-3 * v)
    assert_allclose(by_variance, expected, rtol=2e-2, atol=1e-6)


def test_density_of_a_large_count_equals_the_integral():
    # The integrand is far from the prior of the latent value, and narrow
    mean, deviation, y = 0.0, 2.0, 200
    points = np.linspace(4, 7, 20001)
    logs = poisson.logpmf(y, np.exp(points)) + norm(mean, deviation).logpdf(points)
    expected = logsumexp(logs) + np.log(points[1] - points[0])
    result = marginal(Poisson(), np.array([mean]), np.array([deviation**2]), np.array([float(y)]))
    assert_allclose(result[0], expected, rtol=1e-8)


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_posterior_is_the_maximum_that_a_general_optimizer_finds(name, rng, monkeypatch):
    monkeypatch.setattr(_inducing_values, "TOL", 1e-12)
    psi = rng.standard_normal((10, 2))
    y = rng.integers(0, 2, (10, 1)) * (1.0 if name == "bernoulli" else 4.0)
    likelihood = LIKELIHOODS[name]()
    bound = VariationalBound(likelihood, y, np.zeros(1))
    residuals = rng.uniform(0, 1, 10)
    result, state = bound.maximize(psi, residuals, Posterior.prior((1, 10), 2))

    def negative(x):
        """Return minus the bound of mean x[:2] and covariance factor x[2:]."""
        root = np.array([[np.exp(x[2]), 0.0], [x[3], np.exp(x[4])]])
        variances = np.square(psi @ root).sum(axis=1) + residuals
        values = likelihood.expected(psi @ x[:2], variances, y[:, 0])[0]
        values = values + likelihood.log_base(y[:, 0])
        divergence = 0.5 * (np.square(root).sum() + x[:2] @ x[:2] - 2) - x[2] - x[4]
        return divergence - values.sum()

    other = minimize(negative, np.zeros(5), tol=1e-10)
    assert state.values[0] == pytest.approx(-other.fun, abs=1e-6)
    assert_allclose(result.means[0], other.x[:2], atol=1e-3)
    root = np.array([[np.exp(other.x[2]), 0.0], [other.x[3], np.exp(other.x[4])]])
    assert_allclose(state.covariances[0], root @ root.T, atol=1e-3)


@pytest.mark.parametrize("exposure", [None, np.linspace(0.5, 2, 8)])
@pytest.mark.parametrize(("name", "linear"), [("poisson", True), ("bernoulli", False)])
def test_gradient_equals_differences(name, linear, exposure, rng, monkeypatch):
    monkeypatch.setattr(_inducing_values, "TOL", 1e-13)
    Y = rng.integers(0, 2, (8, 3)) * 1.0
    Y[2, 1] = np.nan
    bound = DiscreteBound(LIKELIHOODS[name](), Y, 3, 2, exposure=exposure)
    logs = KernelParams(1.3, np.array([0.7, 1.2]), np.array([0.3, 0.5]), 1.0).pack()
    logs[1] = -800
    if not linear:
        logs[4:] = -800
    x = bound.join(
        rng.standard_normal((8, 2)), np.full((8, 2), -3.0), rng.standard_normal((3, 2)), logs
    )
    numerical = approx_fprime(x, lambda at: bound(at)[0], 1e-6)
    assert_allclose(bound(x)[1], numerical, atol=2e-4)


def test_means_and_inducing_points_are_not_bounded(rng):
    X = rng.standard_normal((6, 2))
    bound = DiscreteBound(Poisson(), rng.poisson(1.0, (6, 4)), 3, 2)
    limits = DiscreteGPLVM()._variables(bound, X, X[:3])[1]
    means, log_variances, inducing, _ = bound.split(limits[:, 1])
    assert np.isposinf(means).all()
    assert np.isfinite(log_variances).all()
    assert np.isposinf(inducing).all()


def test_starting_points_may_have_any_unit(rng):
    points, principal = rng.standard_normal((2, 6, 2))
    points[:, 1] = 3  # constant
    scaled = _scaled(points, principal)
    assert_allclose(np.square(scaled[:, 0]).mean(), 2)
    assert_allclose(scaled[:, 1], 0.1 * principal[:, 1])
    assert_allclose(_scaled(1e-9 * points, principal), scaled)


def counts_along_a_line(n_samples=50, n_features=25, seed=0):
    """Return positions and Poisson counts of neurons with bumps along a line."""
    rng = np.random.default_rng(seed)
    position = np.linspace(-1, 1, n_samples)
    rates = 4 * np.exp(-8 * (position[:, None] - rng.uniform(-1, 1, n_features)) ** 2)
    return position, rng.poisson(rates + 0.2).astype(float)


@pytest.fixture(scope="module", params=["poisson", "bernoulli"])
def fitted(request):
    """Return a model fitted to every other row, its positions, and held-out rows."""
    position, data = counts_along_a_line()
    if request.param == "bernoulli":
        data = np.minimum(data, 1.0)
    model = DiscreteGPLVM(
        1, likelihood=request.param, n_inducing=8, init="isomap", tol=1e-5, random_state=0
    )
    return model.fit(data[::2]), position, data


def test_latent_line_is_recovered_with_new_rows(fitted):
    model, position, data = fitted
    assert model.converged_
    assert abs(np.corrcoef(model.embedding_[:, 0], position[::2])[0, 1]) > 0.87
    new = model.transform(data[1::2])[:, 0]
    assert abs(np.corrcoef(new, position[1::2])[0, 1]) > 0.8


def test_evidence_of_new_rows_equals_quadrature(fitted):
    model, _, data = fitted
    points = np.linspace(-5, 5, 801)[:, None]
    rows = data[1:6:2].copy()
    rows[0, 3] = np.nan
    density = model._posterior.features.log_density
    joint = np.array([density(points, np.tile(row, (len(points), 1)))[0] for row in rows])
    joint += norm().logpdf(points[:, 0])
    expected = logsumexp(joint, axis=1) + np.log(points[1, 0] - points[0, 0])
    assert_allclose(model.score_samples(rows), expected, atol=0.02)


def test_samples_have_the_moments_of_the_model(fitted):
    model = fitted[0]
    draws = model.sample(4000, random_state=0)
    points = np.linspace(-6, 6, 401)[:, None]
    weights = norm().pdf(points[:, 0])
    means, deviations = model.inverse_transform(points, return_std=True)
    expected = weights @ means / weights.sum()
    variance = weights @ (deviations**2 + means**2) / weights.sum() - expected**2
    assert_allclose(draws.mean(axis=0), expected, atol=5 * np.sqrt(variance.max() / 4000))
    assert (draws == draws.round()).all()
    assert draws.min() == 0
    assert (draws.max() == 1) == (model.likelihood == "bernoulli")


def test_missing_counts_are_predicted():
    _, data = counts_along_a_line()
    lost = np.random.default_rng(1).random(data.shape) < 0.3
    masked = np.where(lost, np.nan, data)
    model = DiscreteGPLVM(1, n_inducing=8, init="pca", random_state=0).fit(masked)
    errors = np.square(model.predict(masked) - data)[lost].mean()
    assert errors < 0.6 * np.square(np.nanmean(masked, axis=0) - data)[lost].mean()


def test_map_of_deviations_is_low_near_the_points_only():
    _, data = counts_along_a_line(30)
    model = DiscreteGPLVM(n_inducing=8, init="pca", max_iter=10, random_state=0).fit(data)
    grid, deviations = np.split(model.deviation_map_, [2], axis=1)
    deviations = deviations[:, 0]
    distances = np.linalg.norm(grid[:, None] - model.embedding_, axis=2).min(axis=1)
    near, far = distances < np.quantile(distances, 0.1), distances > np.quantile(distances, 0.9)
    assert deviations[near].mean() < 0.9 * deviations[far].mean()
    # The expected count follows from mean and deviation of its logarithm, for any point
    features = model._posterior.features
    means, variances = features.latent(grid[:1])
    assert_allclose(deviations[0], np.sqrt(variances.mean()))
    assert_allclose(model.inverse_transform(grid[:1]), np.exp(means + variances / 2))


def deep_counts(rng, n_samples=120, n_features=30):
    """Return a latent, exposures and counts whose rates are proportional to these.

    Half of the rates rise along the latent and half fall, so that totals say little about it.
    """
    Z, exposure = rng.normal(size=(n_samples, 1)), np.exp(0.6 * rng.normal(size=n_samples))
    slopes = 0.5 * (-1.0) ** np.arange(n_features)
    rates = np.exp(Z * slopes + 0.5)
    return Z, exposure, rng.poisson(exposure[:, None] * rates).astype(float)


@pytest.mark.parametrize("of_total", [True, False])
def test_exposure_does_not_take_the_latent_dimension(rng, of_total):
    Z, exposure, counts = deep_counts(rng)
    options = {"n_inducing": 8, "init": "pca", "max_iter": 40, "random_state": 0}
    plain = DiscreteGPLVM(1, **options).fit(counts)
    model = DiscreteGPLVM(1, exposure="total" if of_total else exposure, **options).fit(counts)
    assert abs(np.corrcoef(model.embedding_[:, 0], Z[:, 0])[0, 1]) > 0.85
    assert model.bound_ > plain.bound_ + 20
    assert_allclose(model.exposure_.mean(), 1)
    # Expected counts follow the exposure; with it, deviations are those of the residuals
    expected, deviations = model.predict(counts, return_std=True)
    totals = np.log([expected.sum(axis=1), counts.sum(axis=1)])
    assert np.corrcoef(totals)[0, 1] > 0.9
    assert ((counts - expected) / deviations).std() == pytest.approx(1, abs=0.12)


def test_new_rows_have_the_exposure_of_their_total(rng):
    counts = deep_counts(rng)[2]
    options = {"n_inducing": 8, "init": "pca", "max_iter": 20}
    model = DiscreteGPLVM(1, exposure="total", **options).fit(counts)
    twice = 2 * counts
    points = model.transform(twice)[:, 0]
    assert np.corrcoef(points, model.embedding_[:, 0])[0, 1] > 0.97
    totals = np.log([model.predict(twice).sum(axis=1), twice.sum(axis=1)])
    assert np.corrcoef(totals)[0, 1] > 0.9
    assert_allclose(totals.mean(axis=1)[0], totals.mean(axis=1)[1], atol=0.1)
    # Missing counts do not lower the exposure
    twice[:, ::3] = np.nan
    ratios = model._exposure(twice) / (2 * model.exposure_)
    assert np.log(ratios).mean() == pytest.approx(0, abs=0.1)
    few = counts[:12]  # the evidence of a row is an integral over a cloud of latent points
    assert model.score(few) > DiscreteGPLVM(1, **options).fit(counts).score(few)


def test_equal_exposures_change_nothing(rng):
    counts = deep_counts(rng, 30, 6)[2]
    options = {"n_inducing": 5, "init": "pca", "max_iter": 8, "random_state": 0}
    same = DiscreteGPLVM(1, exposure=np.full(30, 7.0), **options).fit(counts)
    assert_allclose(same.embedding_, DiscreteGPLVM(1, **options).fit(counts).embedding_, atol=1e-8)


def test_linear_kernel_recovers_a_linear_latent():
    # Logistic principal components: log odds linear in one coordinate
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((60, 1))
    bits = (rng.random((60, 40)) < expit(1.5 * Z @ rng.standard_normal((1, 40)))) * 1.0
    model = DiscreteGPLVM(
        1, likelihood="bernoulli", kernel="linear", n_inducing=4, init="pca", random_state=0
    ).fit(bits)
    assert abs(np.corrcoef(model.embedding_[:, 0], Z[:, 0])[0, 1]) > 0.93
