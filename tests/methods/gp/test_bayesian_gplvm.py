import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import trustworthiness

from nldr.methods.gp.bayesian_gplvm import BayesianBound, BayesianGPLVM


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


def test_too_few_iterations_warn():
    with pytest.warns(ConvergenceWarning, match="rising after 3 of at most 3 iterations"):
        assert not fit_noisy(max_iter=3).converged_


def test_a_fit_that_explains_noise_only_warns(rng):
    with pytest.warns(UserWarning, match="the embedding shows nothing"):
        BayesianGPLVM(1, random_state=0).fit(rng.standard_normal((60, 2)))
