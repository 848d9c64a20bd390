import numpy as np
import pytest
from numpy.testing import assert_allclose

from nldr.methods.gp.inducing._kernel import KernelParams
from nldr.methods.gp.lola import _bound
from nldr.methods.gp.lola._bound import Layout, LolaBound, variable_limits
from nldr.methods.gp.lola._graph import averaging_matrix
from nldr.methods.gp.lola._stochastic import Adam, StochasticBound, maximize_on_batches
from nldr.methods.gp.lolagp import LolaGP

N, M, Q, D = 40, 7, 2, 9


@pytest.fixture
def bound(monkeypatch, rng):
    """Return the bound on all points with the trace that minibatches use, and a point."""
    monkeypatch.setattr(_bound, "PAIRS", 0)
    X = rng.standard_normal((N, Q))
    P = averaging_matrix(X, n_neighbors=4, decay=5.0, n_steps=6, n_edges=10)
    layout = Layout(N, M, Q)
    f = KernelParams(0.8, np.array([1.0, 0.4]), np.array([0.3, 0.1]), 0.2)
    h = KernelParams(0.5, np.array([0.7, 1.4]), np.array([0.2, 0.4]), 0.1)
    x = layout.join(X, rng.standard_normal((M, Q)), f.pack(), h.pack(), 1.2)
    return LolaBound(rng.standard_normal((N, D)), D, P, 3.0, layout), x


def all_derivatives(estimate, x, batch):
    """Return an estimate and its gradient as one vector."""
    value, rows, by_rows, by_shared = estimate(x, batch, 0.0)
    by_X = np.zeros((N, Q))
    by_X[rows] = by_rows
    return value, np.concatenate([by_X.ravel(), by_shared])


def test_all_points_as_one_batch_give_the_bound_and_its_gradient(bound):
    full, x = bound
    estimate = StochasticBound(full)
    estimate(x, np.arange(N), 1.0)  # the optimal posteriors
    value, gradient = all_derivatives(estimate, x, np.arange(N))
    expected, by_x = full(x)
    assert value == pytest.approx(expected, rel=1e-10)
    assert_allclose(gradient, by_x, rtol=1e-6, atol=1e-8 * np.abs(by_x).max())


def test_mean_over_batches_is_that_of_all_points(bound):
    full, x = bound
    estimate = StochasticBound(full)
    estimate(x, np.arange(N), 0.7)
    value, gradient = all_derivatives(estimate, x, np.arange(N))
    batches = [all_derivatives(estimate, x, np.arange(k, N, 4)) for k in range(4)]
    assert np.mean([batch[0] for batch in batches]) == pytest.approx(value, rel=1e-10)
    assert_allclose(
        np.mean([batch[1] for batch in batches], axis=0), gradient, rtol=1e-8, atol=1e-8
    )


def test_first_step_of_adam_is_the_sign_of_the_gradient():
    adam = Adam((3, 2))
    step = adam(np.array([[2.0, -0.1]]), np.array([1]))
    assert_allclose(step, [[1.0, -1.0]], rtol=1e-6)
    assert not adam.mean[[0, 2]].any()


def test_batches_approach_the_bound_of_all_points(rng):
    # Noisy observations of smooth functions of a plane
    latent = rng.uniform(-2, 2, (400, 2))
    data = np.sin(latent @ rng.standard_normal((2, 10)) + rng.uniform(0, 6, 10))
    data += 0.1 * rng.standard_normal(data.shape)
    options = {"n_inducing": 8, "n_rounds": 1, "random_state": 0}
    full = LolaGP(tol=1e-3, **options).fit(data)
    start = full.bound_history_[0][0]
    gained = []
    for n_epochs in (3, 20):
        lolagp = LolaGP(batch_size=50, n_epochs=n_epochs, **options).fit(data)
        assert lolagp.converged_
        assert len(lolagp.bound_history_[0]) == n_epochs + 2
        gained.append((lolagp.bound_ - start) / (full.bound_ - start))
    assert 0.2 < gained[0] < gained[1]
    assert 0.85 < gained[1] < 1.1


def test_variables_stay_within_their_bounds(bound):
    full, x = bound
    limits = variable_limits(full.layout)
    limits[N * Q + M * Q :] = np.array([-1.0, 1.0])
    x = np.clip(x, *limits.T)
    ascent = maximize_on_batches(
        full, x, bounds=limits, batch_size=10, n_epochs=30, rng=np.random.RandomState(0)
    )
    assert np.abs(ascent.x[N * Q + M * Q :]).max() <= 1.0
    assert ascent.history[-1] > ascent.history[0]
