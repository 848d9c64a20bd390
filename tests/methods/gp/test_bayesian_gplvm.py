import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import trustworthiness
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.gp import _lolagp_bound
from nldr.methods.gp._lolagp_bound import KernelParams, kernel
from nldr.methods.gp.bayesian_gplvm import BayesianBound, BayesianGPLVM

RNG = np.random.default_rng(0)
ANGLE = np.linspace(0, 2 * np.pi, 60, endpoint=False)
WAVES = np.column_stack([np.cos(ANGLE), np.sin(ANGLE), np.cos(2 * ANGLE), np.sin(2 * ANGLE)])
NOISY = WAVES @ RNG.standard_normal((4, 15)) + 0.3 * RNG.standard_normal((60, 15))
PARAMS = KernelParams(0.8, np.array([1.0, 0.4]), np.array([0.3, 0.1]), 0.0)


def fitted(**params):
    options = {"n_inducing": 15, "tol": 1e-4, "random_state": 0}
    return BayesianGPLVM(**options | params).fit(NOISY)


def test_certain_inputs_that_are_inducing_inputs_give_the_exact_likelihood(monkeypatch):
    monkeypatch.setattr(_lolagp_bound, "JITTER", 1e-9)
    means, Y = RNG.standard_normal((25, 2)), RNG.standard_normal((25, 7))
    bound = BayesianBound(Y, 7, 25, 2)
    with np.errstate(divide="ignore"):
        x = bound.join(means, np.full((25, 2), -30.0), means, PARAMS.pack(), 1.0)
    K = kernel(means, means, PARAMS)[0] + np.exp(-1.0) * np.eye(25)
    likelihood = multivariate_normal(cov=K).logpdf(Y.T).sum()
    divergence = 0.5 * (np.square(means) + np.exp(-30.0) + 30.0 - 1).sum()
    assert bound(x)[0] == pytest.approx(likelihood - divergence, rel=1e-6)


@pytest.mark.parametrize("n_components", [1, 3])
def test_gradient(n_components):
    Y = RNG.standard_normal((20, 5))
    bound = BayesianBound(Y, 9, 6, n_components)
    x = bound.join(
        RNG.standard_normal((20, n_components)), RNG.uniform(-3, 0, (20, n_components)),
        RNG.standard_normal((6, n_components)), RNG.uniform(-1, 0.5, 2 + 2 * n_components), 1.0,
    )  # fmt: skip
    numeric = [(bound(x + e)[0] - bound(x - e)[0]) / 2e-5 for e in 1e-5 * np.eye(len(x))]
    gradient = bound(x)[1]
    assert_allclose(gradient, numeric, rtol=1e-5, atol=1e-7 * np.abs(gradient).max())


@pytest.mark.parametrize("name", ["se", "se+linear+white"])
def test_circle_is_seen_through_noise(name):
    model = fitted(kernel=name)
    assert trustworthiness(WAVES, model.embedding_, n_neighbors=5) > 0.95
    assert model.converged_
    assert (np.diff(model.bound_history_) >= 0).all()
    assert (model.kernel_.white == 0) == (model.kernel_.linear == 0).all() == (name == "se")


def test_dimensions_that_are_not_needed_stay_like_the_prior():
    line = np.linspace(-2, 2, 80)
    Y = np.outer(line, RNG.standard_normal(20)) + 0.1 * RNG.standard_normal((80, 20))
    model = BayesianGPLVM(3, n_inducing=15, kernel="se", random_state=0).fit(Y)
    order = np.argsort(model.embedding_.std(axis=0))
    assert (model.embedding_.std(axis=0)[order[:2]] < 0.1).all()
    assert (model.variances_[:, order[:2]] > 0.9).all()
    assert abs(np.corrcoef(model.embedding_[:, order[2]], line)[0, 1]) > 0.99
    assert model.ard_weights_[order[:2]].max() < 0.1 * model.ard_weights_[order[2]]


def test_attributes_are_the_bound_at_the_embedding():
    model = fitted()
    centered = NOISY - NOISY.mean(axis=0)
    centered /= np.sqrt(np.mean(centered**2))
    bound = BayesianBound(centered, 15, 15, 2)
    x = bound.join(model.embedding_, np.log(model.variances_), model.inducing_inputs_,
                   model.kernel_.pack(), np.log(model.noise_precision_))  # fmt: skip
    assert bound(x)[0] == pytest.approx(model.bound_, rel=1e-8)
    assert model.n_iter_ == len(model.bound_history_) - 1


def test_two_fits_are_identical_and_signs_are_fixed():
    one, other = fitted().embedding_, fitted().embedding_
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


def test_too_few_iterations_are_said():
    with pytest.warns(ConvergenceWarning, match="rises after 3 of at most 3 iterations"):
        assert not fitted(max_iter=3).converged_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([BayesianGPLVM(max_iter=10, n_inducing=10)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
