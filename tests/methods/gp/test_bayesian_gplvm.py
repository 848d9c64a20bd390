import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import trustworthiness
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.gp.bayesian_gplvm import BayesianBound, BayesianGPLVM
from nldr.methods.gp.inducing import _kernel
from nldr.methods.gp.inducing._kernel import KernelParams, cross_covariance


def noisy_circle():
    """Return a closed curve in four dimensions, and noisy observations of it in fifteen."""
    rng = np.random.default_rng(0)
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    curve = np.column_stack([np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)])
    return curve, curve @ rng.standard_normal((4, 15)) + 0.3 * rng.standard_normal((60, 15))


CURVE, NOISY = noisy_circle()


def fit_noisy(**params):
    options = {"n_inducing": 15, "tol": 1e-4, "random_state": 0}
    return BayesianGPLVM(**options | params).fit(NOISY)


@pytest.fixture(scope="module")
def model():
    return fit_noisy()


def test_point_posteriors_at_the_inducing_inputs_give_the_exact_likelihood(monkeypatch, rng):
    monkeypatch.setattr(_kernel, "JITTER", 1e-9)
    params = KernelParams(0.8, np.array([1.0, 0.4]), np.array([0.3, 0.1]), 0.0)
    means, Y = rng.standard_normal((25, 2)), rng.standard_normal((25, 7))
    bound = BayesianBound(Y, 7, 25, 2)
    with np.errstate(divide="ignore"):  # no white noise: its logarithm is −∞
        x = bound.join(means, np.full((25, 2), -30.0), means, params.pack(), 1.0)
    K = cross_covariance(means, means, params)[0] + np.exp(-1.0) * np.eye(25)
    likelihood = multivariate_normal(cov=K).logpdf(Y.T).sum()
    divergence = 0.5 * (np.square(means) + np.exp(-30.0) + 30.0 - 1).sum()
    assert bound(x)[0] == pytest.approx(likelihood - divergence, rel=1e-6)


@pytest.mark.parametrize("n_components", [1, 3])
def test_gradient_equals_finite_differences(n_components, rng):
    bound = BayesianBound(rng.standard_normal((12, 5)), 9, 6, n_components)
    x = bound.join(
        rng.standard_normal((12, n_components)),
        rng.uniform(-3, 0, (12, n_components)),
        rng.standard_normal((6, n_components)),
        rng.uniform(-1, 0.5, 2 + 2 * n_components),
        1.0,
    )
    numeric = [(bound(x + e)[0] - bound(x - e)[0]) / 2e-5 for e in 1e-5 * np.eye(len(x))]
    gradient = bound(x)[1]
    assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-7 * np.abs(gradient).max())


@pytest.mark.parametrize("kernel", ["se", "se+linear+white"])
def test_noisy_circle_is_recovered(kernel):
    model = fit_noisy(kernel=kernel)
    # 0.93 to 0.996 in six draws of the data
    assert trustworthiness(CURVE, model.embedding_, n_neighbors=5) > 0.9
    assert model.converged_
    assert (np.diff(model.bound_history_) >= 0).all()
    assert (model.kernel_.white == 0) == (model.kernel_.linear == 0).all() == (kernel == "se")


@pytest.mark.parametrize("kernel", ["se", "se+linear+white"])
def test_columns_that_are_not_needed_collapse(kernel, rng):
    line = np.linspace(-2, 2, 50)
    for _ in range(3):
        Y = np.outer(line, rng.standard_normal(20)) + 0.1 * rng.standard_normal((50, 20))
        model = BayesianGPLVM(3, n_inducing=10, kernel=kernel, random_state=0).fit(Y)
        used = model.relevance_.argmax()
        unused = np.delete(np.arange(3), used)
        assert abs(np.corrcoef(model.embedding_[:, used], line)[0, 1]) > 0.99
        # Their posterior is the prior
        assert_array_equal(model.embedding_[:, unused], 0)
        assert_array_equal(model.variances_[:, unused], 1)
        assert_allclose(model.relevance_[unused], 0, atol=1e-12)
        assert (np.diff(model.bound_history_) >= -1e-9 * abs(model.bound_)).all()


def test_attributes_reproduce_the_bound(model):
    centered = NOISY - NOISY.mean(axis=0)
    centered /= np.sqrt(np.mean(centered**2))
    bound = BayesianBound(centered, 15, 15, 2)
    x = bound.join(
        model.embedding_,
        np.log(model.variances_),
        model.inducing_inputs_,
        model.kernel_.pack(),
        np.log(model.noise_precision_),
    )
    assert bound(x)[0] == pytest.approx(model.bound_, rel=1e-8)
    assert model.n_iter_ == len(model.bound_history_) - 1


def test_two_fits_are_identical_and_signs_are_fixed(model):
    embedding = model.embedding_
    assert_array_equal(fit_noisy().embedding_, embedding)
    assert_array_equal(embedding.max(axis=0), np.abs(embedding).max(axis=0))


def test_too_few_iterations_warn():
    with pytest.warns(ConvergenceWarning, match="rising after 3 of at most 3 iterations"):
        assert not fit_noisy(max_iter=3).converged_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([BayesianGPLVM(max_iter=5, n_inducing=10)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
