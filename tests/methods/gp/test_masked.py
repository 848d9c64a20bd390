"""Missing entries: likelihood and bounds over observed entries, against dense formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import check_grad
from scipy.sparse import csr_array, eye_array
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from nldr.methods.gp.bayesian_gplvm import BayesianGPLVM
from nldr.methods.gp.exact._likelihood import masked_likelihood
from nldr.methods.gp.gplvm import GPLVM
from nldr.methods.gp.inducing import _kernel
from nldr.methods.gp.inducing._kernel import KernelParams, cross_covariance
from nldr.methods.gp.kernels import NAMED, Linear, White
from nldr.methods.gp.lola._bound import Layout
from nldr.methods.gp.lola._masked import MaskedLolaBound
from nldr.methods.gp.lolagp import LolaGP
from nldr.methods.gp.missing import observe

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KERNEL = KernelParams(0.8, np.array([1.0, 0.4]), np.array([0.3, 0.1]), 0.0)
KERNEL_AND_LINEAR = NAMED["squared_exponential"]() + Linear(0.3) + White(0.1)


@pytest.fixture(params=["own rows", "shared rows"])
def observed(rng, request):
    """Return observations of 12 rows and 5 features, a third of them missing.

    Each feature misses rows of its own, or two of them the same ones and two none; three rows are
    complete.
    """
    data = rng.standard_normal((12, 5))
    lost = rng.random(data.shape) < 1 / 3
    lost[:3] = False  # no feature and no row without an observed value
    lost[:, 0] = False
    if request.param == "shared rows":
        lost[:, 1], lost[:, 3] = False, lost[:, 2]
    return observe(np.where(lost, np.nan, data))


def dense(K, observed):
    """Return Σ_d log N(y_d | 0, K) over the rows where feature d is observed."""
    total = 0.0
    for y, is_observed in zip(observed.values.T, observed.is_observed.T, strict=True):
        total += multivariate_normal(cov=K[np.ix_(is_observed, is_observed)]).logpdf(y[is_observed])
    return total


def test_exact_likelihood_and_gradient_are_those_of_observed_entries(observed, rng):
    start = np.concatenate([rng.standard_normal(24), KERNEL_AND_LINEAR.log_params()])

    def both(x):
        kernel, X = KERNEL_AND_LINEAR.with_log_params(x[24:]), x[:24].reshape(12, 2)
        value, by_points, by_params = masked_likelihood(
            kernel, X, observed.values, observed.is_observed
        )
        return value, np.concatenate([by_points.ravel(), by_params])

    expected = dense(KERNEL_AND_LINEAR(start[:24].reshape(12, 2)), observed)
    assert both(start)[0] == pytest.approx(expected, rel=1e-12)
    error = check_grad(lambda x: both(x)[0], lambda x: both(x)[1], start, epsilon=1e-7)
    assert error < 1e-5 * np.linalg.norm(both(start)[1])


def lola_point(rng):
    """Return a graph without edges, a layout, and variables of LolaGP's bound.

    For that of the Bayesian GPLVM see test_by_jax.py.
    """
    logs, layout = rng.uniform(-1, 0.5, 6), Layout(12, 6, 2)
    x = layout.join(rng.standard_normal((12, 2)), rng.standard_normal((6, 2)), logs, logs, 1.0)
    return csr_array(eye_array(12)), layout, x


def test_gradient_of_the_bound(observed, rng):
    P, layout, x = lola_point(rng)
    bound = MaskedLolaBound(observed, P, 1.0, layout)
    numeric = [(bound(x + e)[0] - bound(x - e)[0]) / 2e-5 for e in 1e-5 * np.eye(len(x))]
    gradient = bound(x)[1]
    assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-7 * np.abs(gradient).max())


def test_bound_is_the_exact_likelihood_if_all_points_are_inducing(monkeypatch, observed, rng):
    monkeypatch.setattr(_kernel, "JITTER", 1e-10)
    X = rng.standard_normal((12, 2))
    K = cross_covariance(X, X, KERNEL)[0] + np.exp(-1.0) * np.eye(12)
    with np.errstate(divide="ignore"):  # no white noise: its logarithm is −∞
        logs = KERNEL.pack()
    layout = Layout(12, 12, 2)
    lola = MaskedLolaBound(observed, csr_array(eye_array(12)), 1.0, layout)
    likelihood, _ = lola.terms(layout.join(X, X, logs, logs, 1.0))
    assert likelihood == pytest.approx(dense(K, observed), rel=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_exact_predictions_equal_those_of_scikit_learn_for_each_feature(share, rng):
    data = np.where(rng.random((25, 4)) < share, np.nan, rng.standard_normal((25, 4)) + 2)
    data[0] = 1.0
    model = GPLVM(init="pca", max_iter=10, tol=None).fit(data)
    signal, noise = model.kernel_.parts
    kernel = ConstantKernel(signal.variance) * RBF(signal.length_scale)
    kernel += WhiteKernel(noise.variance)
    points = rng.standard_normal((6, 2))
    means, deviations = model.inverse_transform(points, return_std=True)
    for d, column in enumerate(data.T):
        is_observed = ~np.isnan(column)
        center = column[is_observed].mean()
        other = GaussianProcessRegressor(kernel, optimizer=None)
        other.fit(model.embedding_[is_observed], column[is_observed] - center)
        mean, deviation = other.predict(points, return_std=True)
        assert_allclose(means[:, d], mean + center, rtol=1e-5, atol=1e-7)
        assert_allclose(deviations[:, d], deviation, rtol=1e-5)


METHODS = [
    GPLVM(init="pca", max_iter=100),
    BayesianGPLVM(n_inducing=25, max_iter=200, random_state=0),
    LolaGP(n_inducing=25, n_rounds=1, max_iter=200, random_state=0),
]


@pytest.mark.parametrize("method", METHODS)
def test_intervals_contain_nearly_the_promised_share_of_held_out_entries(method):
    covered = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        latent = rng.standard_normal((100, 2))
        maps = multivariate_normal(cov=RBF(1.5)(latent), allow_singular=True)
        data = maps.rvs(20, random_state=rng).T + 0.2 * rng.standard_normal((100, 20))
        lost = rng.random(data.shape) < 0.15
        lost[:3] = False
        mean, deviation = method.fit(np.where(lost, np.nan, data)).predict(
            np.where(lost, np.nan, data), return_std=True
        )
        covered.append(np.abs(mean - data)[lost] < 1.96 * deviation[lost])
    assert 0.90 <= np.concatenate(covered).mean() <= 0.96


@pytest.mark.parametrize("method", METHODS)
def test_lost_entries_of_a_curve_are_filled_in(method, rng):
    angle = np.sort(rng.uniform(0, 2 * np.pi, 40))
    clean = np.column_stack([np.cos(angle), np.sin(angle)]) @ rng.standard_normal((2, 12)) + 3
    lost = rng.random(clean.shape) < 0.25
    lost[0] = False
    data = np.where(lost, np.nan, clean + 0.1 * rng.standard_normal(clean.shape))
    model = method.fit(data)
    errors = (model.predict(data) - clean)[lost]
    # The means of the features leave errors of variance 1, in units of their variance
    assert np.square(errors).mean() < 0.15 * clean.var(axis=0).mean()
    # New rows may miss other entries, or all of them
    new = np.where(rng.random((3, 12)) < 0.5, np.nan, clean[:3])
    new[2] = np.nan
    points, covariances = model.transform(new, return_cov=True)
    assert_allclose(points[2], model._posterior.mean, atol=1e-5)
    assert_allclose(covariances[2], model._posterior.covariance, rtol=1e-6)
    assert model.score_samples(new)[2] == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("method", [BayesianGPLVM, LolaGP])
def test_features_with_the_same_lost_rows_have_the_posterior_of_each_alone(rng, method):
    """One NaN among many features needs two matrices, with the result of one for each feature."""
    data = rng.standard_normal((15, 6))
    data[3, 2] = np.nan
    model = method(n_inducing=8, max_iter=3, random_state=0).fit(data)
    features, points = model._posterior.features, rng.standard_normal((4, 2))
    assert len(features.reduction) == 2
    means, variances = features.moments(points)
    values, slopes = features.log_density(points, data[:4])
    # The same matrices, written out for each feature
    features.reduction, features.patterns = features.reduction[features.patterns], None
    for shared, alone in zip(features.moments(points), (means, variances), strict=True):
        assert_allclose(shared, alone, rtol=1e-12)
    assert_allclose(features.log_density(points, data[:4])[1], slopes, rtol=1e-9)
    assert_allclose(variances[:, 0], variances[:, 5], rtol=1e-12)
    assert np.isfinite(values).all()
