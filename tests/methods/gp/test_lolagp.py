import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.manifold import trustworthiness

from nldr.methods.gp.lola._bound import Layout, LolaBound
from nldr.methods.gp.lolagp import LolaGP


@pytest.fixture(scope="module")
def model(fit_noisy):
    return fit_noisy(LolaGP)


def test_noisy_circle_is_recovered(circle, model):
    # 0.93 to 0.996 in six draws of the data
    assert trustworthiness(circle[0], model.embedding_, n_neighbors=5) > 0.9
    assert model.converged_
    assert len(model.bound_history_) == 2
    for history in model.bound_history_:
        assert (np.diff(history) >= 0).all()
    assert model.n_iter_ == sum(len(history) - 1 for history in model.bound_history_)


def test_columns_that_are_not_needed_collapse(rng):
    line = np.linspace(-2, 2, 50)
    Y = np.outer(line, rng.standard_normal(20)) + 0.1 * rng.standard_normal((50, 20))
    model = LolaGP(3, n_inducing=10, collapse=True, random_state=0).fit(Y)
    used = model.relevance_.argmax()
    assert_array_equal(np.delete(model.embedding_, used, axis=1), 0)
    assert abs(np.corrcoef(model.embedding_[:, used], line)[0, 1]) > 0.99
    # The values of the bound with fewer columns stand behind those of the rounds
    assert len(model.bound_history_) == 3
    assert model.bound_history_[-1][-1] == model.bound_


def test_attributes_reproduce_the_bound(circle, model):
    layout = Layout(60, 15, 2)
    x = layout.join(
        model.embedding_,
        model.inducing_inputs_,
        model.kernel_f_.pack(),
        model.kernel_h_.pack(),
        np.log(model.noise_precision_),
    )
    centered = circle[1] - circle[1].mean(axis=0)
    centered /= np.sqrt(np.mean(centered**2))
    bound = LolaBound(centered, 15, model.graph_, model.gamma_, layout)
    assert bound(x)[0] == pytest.approx(model.bound_, rel=1e-8)
    # The largest values of both sums: all residuals and covariances are zero
    highest = [
        multivariate_normal(cov=1 / precision).logpdf(0) * 60 * columns
        for precision, columns in ((model.noise_precision_, 15), (model.gamma_, 2))
    ]
    missing = np.subtract(highest, bound.terms(x))
    assert model.prior_share_ == pytest.approx(missing[1] / missing.sum(), rel=1e-6)
    assert model.ard_weights_.shape == (2,)


def test_graph_of_the_last_round_is_that_of_the_latent_points(model, fit_noisy):
    first_round = fit_noisy(LolaGP, n_rounds=1)
    assert_allclose(model.bound_history_[0], first_round.bound_history_[0])
    expected = model._graph(first_round.embedding_, np.arange(60))
    assert_allclose(model.graph_.toarray(), expected.toarray(), atol=1e-9)


def test_prior_without_neighbors(model, fit_noisy):
    plain, permuted = (fit_noisy(LolaGP, prior_graph=name) for name in ("identity", "permuted"))
    assert_array_equal(plain.graph_.toarray(), np.eye(60))
    assert plain.prior_weight_ == 0.0
    # All start alike, with the same inducing inputs
    latent = [m.bound_history_[0][0] for m in (model, plain, permuted)]
    assert len(set(latent)) == 3
    assert_allclose(latent, latent[0], rtol=0.2)


def test_permuted_graph_has_the_same_weights_between_other_points(fit_noisy):
    first, permuted = (
        fit_noisy(LolaGP, prior_graph=name, n_rounds=1) for name in ("neighbors", "permuted")
    )
    P, shuffled = first.graph_.toarray(), permuted.graph_.toarray()
    assert_allclose(np.sort(P, axis=None), np.sort(shuffled, axis=None))
    assert_allclose(shuffled.sum(axis=1), 1.0)
    assert permuted.prior_weight_ == pytest.approx(first.prior_weight_)
    # Points two steps apart along the curve have most of the weight in the first graph only
    steps = np.abs(np.arange(60)[:, None] - np.arange(60))
    near = np.isin(steps, [1, 2, 58, 59])
    assert P[near].sum() > 4 * shuffled[near].sum()


def test_weight_of_the_prior_is_that_of_other_points(model, fit_noisy):
    P = model.graph_.toarray()
    assert model.prior_weight_ == pytest.approx((P.sum() - np.trace(P)) / 60)
    symmetric = fit_noisy(LolaGP, normalization="symmetric", n_rounds=1)
    assert 0.0 < symmetric.prior_weight_ < 1.0


def test_scaled_precision_is_the_number_of_features_per_component(fit_noisy):
    # X starts with unit variance
    model = fit_noisy(LolaGP, gamma="scaled", n_rounds=1)
    assert model.gamma_ == pytest.approx(15 / 2)
    same = fit_noisy(LolaGP, gamma=15 / 2, n_rounds=1)
    assert_array_equal(same.embedding_, model.embedding_)
    # The second round starts from the X of the first
    second = fit_noisy(LolaGP, gamma="scaled")
    assert second.gamma_ == pytest.approx(15 / 2 / model.embedding_.var(axis=0).mean())
