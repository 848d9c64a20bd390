import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.manifold import trustworthiness

from nldr.methods.gp.bayesian_gplvm import BayesianBound, BayesianGPLVM


@pytest.mark.parametrize("kernel", ["se", "se+linear+white"])
def test_noisy_circle_is_recovered(kernel, circle, fit_noisy):
    model = fit_noisy(BayesianGPLVM, kernel=kernel)
    # 0.93 to 0.996 in six draws of the data
    assert trustworthiness(circle[0], model.embedding_, n_neighbors=5) > 0.9
    assert model.converged_
    assert (np.diff(model.bound_history_) >= 0).all()
    assert (model.kernel_.white == 0) == (model.kernel_.linear == 0).all() == (kernel == "se")


@pytest.mark.parametrize("kernel", ["se", "se+linear+white"])
def test_columns_that_are_not_needed_collapse(kernel, rng):
    line = np.linspace(-2, 2, 50)
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


def test_attributes_reproduce_the_bound(circle, fit_noisy):
    model = fit_noisy(BayesianGPLVM)
    centered = circle[1] - circle[1].mean(axis=0)
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


def test_a_fit_that_explains_noise_only_warns(rng):
    with pytest.warns(UserWarning, match="the embedding shows nothing"):
        BayesianGPLVM(1, random_state=0).fit(rng.standard_normal((60, 2)))
