import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import pdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import trustworthiness
from sklearn.utils.estimator_checks import parametrize_with_checks

from nldr.methods.gp._lolagp_bound import Layout, LolaBound
from nldr.methods.gp.lolagp import LolaGP

RNG = np.random.default_rng(0)
ANGLE = np.linspace(0, 2 * np.pi, 60, endpoint=False)
WAVES = np.column_stack([np.cos(ANGLE), np.sin(ANGLE), np.cos(2 * ANGLE), np.sin(2 * ANGLE)])
NOISY = WAVES @ RNG.standard_normal((4, 15)) + 0.3 * RNG.standard_normal((60, 15))


def fitted(**params):
    return LolaGP(**{"n_inducing": 15, "tol": 1e-4, "random_state": 0} | params).fit(NOISY)


def test_circle_is_seen_through_noise():
    lolagp = fitted()
    assert trustworthiness(WAVES, lolagp.embedding_, n_neighbors=5) > 0.95
    assert lolagp.converged_


def test_attributes_are_the_bound_at_the_embedding():
    lolagp = fitted()
    layout = Layout(60, 15, 2)
    x = layout.join(
        lolagp.embedding_, lolagp.inducing_inputs_, lolagp.kernel_f_.pack(),
        lolagp.kernel_h_.pack(), np.log(lolagp.noise_precision_),
    )  # fmt: skip
    centered = NOISY - NOISY.mean(axis=0)
    centered /= np.sqrt(np.mean(centered**2))
    bound = LolaBound(centered, 15, lolagp.graph_, lolagp.gamma, layout)
    assert bound(x)[0] == pytest.approx(lolagp.bound_, rel=1e-8)
    assert lolagp.ard_weights_.shape == (2,)


@pytest.mark.parametrize("n_rounds", [1, 3])
def test_bound_rises_in_each_round(n_rounds):
    lolagp = fitted(n_rounds=n_rounds)
    assert len(lolagp.bound_history_) == n_rounds
    for history in lolagp.bound_history_:
        assert (np.diff(history) >= 0).all()
    assert lolagp.n_iter_ == sum(len(history) - 1 for history in lolagp.bound_history_)


def test_graph_of_the_last_round_is_that_of_the_latent():
    one, two = fitted(n_rounds=1), fitted(n_rounds=2)
    assert_allclose(two.bound_history_[0], one.bound_history_[0])
    assert_allclose(two.graph_.toarray(), two._graph(one.embedding_).toarray(), atol=1e-9)


def test_precision_of_the_prior_pulls_neighbors_together():
    def spread(gamma):
        lolagp = fitted(gamma=gamma, n_steps=32, n_rounds=1)
        moved = lolagp.embedding_ - lolagp.graph_ @ lolagp.embedding_
        return np.square(moved).sum() / np.square(lolagp.embedding_).sum()

    assert spread(1e4) < 0.2 * spread(1.0)


def test_two_fits_are_identical_and_signs_are_fixed():
    one, other = fitted().embedding_, fitted().embedding_
    assert_array_equal(one, other)
    assert_array_equal(one.max(axis=0), np.abs(one).max(axis=0))


def test_turn_and_size_of_the_data_do_not_matter():
    turn = np.linalg.qr(RNG.standard_normal((15, 15)))[0]
    moved = LolaGP(n_inducing=20, random_state=0, max_iter=20)
    with pytest.warns(ConvergenceWarning):
        one, other = (moved.fit_transform(A) for A in (NOISY, 50 * NOISY @ turn + 3))
    assert_allclose(pdist(one), pdist(other), rtol=1e-3)


def test_too_few_iterations_are_said():
    with pytest.warns(ConvergenceWarning, match="rises after 3 of at most 3 iterations"):
        lolagp = fitted(max_iter=3, n_rounds=1)
    assert not lolagp.converged_


def test_progress_is_told_when_asked(monkeypatch, capsys):
    monkeypatch.setattr("nldr.methods.gp._progress.INTERVAL", 0.0)
    fitted()
    assert not capsys.readouterr().out
    fitted(verbose=True)
    assert "LolaGP, round 2: iteration 1, bound" in capsys.readouterr().out


def test_too_many_neighbors_are_an_error():
    with pytest.raises(ValueError, match="n_neighbors=60 is too high for 60 samples"):
        fitted(n_neighbors=60)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([LolaGP(max_iter=10, n_inducing=10)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
