import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, logsumexp
from sklearn.neural_network import BernoulliRBM

from nldr.methods.networks._rbm import (
    RBM,
    Units,
    contrastive_divergence,
    free_energy,
    hidden_means,
    train_rbm,
    train_stack,
)

STATES = np.array(list(itertools.product([0, 1], repeat=4)), float)
BARS = np.repeat([[1, 1, 0, 0], [0, 0, 1, 1]], 50, axis=0).astype(np.float32)


def scikit_learn_rbm(rbm):
    """Return scikit-learn's machine with the same parameters."""
    weights, visible, hidden = (np.asarray(array, float) for array in rbm)
    theirs = BernoulliRBM(n_components=len(hidden))
    theirs.components_, theirs.n_features_in_ = weights.T, len(visible)
    theirs.intercept_visible_, theirs.intercept_hidden_ = visible, hidden
    return theirs


def log_likelihood(rbm, rows):
    """Return the exact mean log-likelihood of rows of four binary units."""
    theirs = scikit_learn_rbm(rbm)
    return -np.mean(theirs._free_energy(rows)) - logsumexp(-theirs._free_energy(STATES))


@pytest.fixture
def machine(rng):
    return RBM(*(rng.standard_normal(s).astype(np.float32) for s in [(4, 3), (4,), (3,)]))


def test_hidden_means_equal_scikit_learn(machine):
    expected = scikit_learn_rbm(machine).transform(BARS)
    assert_allclose(hidden_means(machine, BARS, gaussian=False), expected, rtol=1e-5)


@pytest.mark.parametrize("visible", [False, True])
@pytest.mark.parametrize("hidden", [False, True])
def test_contrastive_divergence_equals_its_definition(machine, visible, hidden, rng):
    noise = rng.standard_normal((100, 4)).astype(np.float32)
    draws = rng.uniform(size=(100, 3)).astype(np.float32)
    weights, visible_bias, hidden_bias = machine
    up = BARS @ weights + hidden_bias
    up = up if hidden else expit(up)
    states = up + draws if hidden else draws < up
    back = states @ weights.T + visible_bias
    back = back + noise if visible else expit(back)
    again = back @ weights + hidden_bias
    again = again if hidden else expit(again)
    ours = contrastive_divergence(machine, BARS, (noise, draws), Units(visible, hidden))
    pairs = [
        np.outer(v, h) - np.outer(b, a) for v, h, b, a in zip(BARS, up, back, again, strict=True)
    ]
    # Gaussian units may be large
    for array, expected in zip(
        ours, (np.mean(pairs, axis=0), (BARS - back).mean(0), (up - again).mean(0)), strict=True
    ):
        assert_allclose(array, expected, atol=1e-5 * max(1, np.abs(expected).max()))


HIDDEN = np.array(list(itertools.product([0, 1], repeat=3)), float)


def test_free_energy_sums_over_the_hidden_units(machine, rng):
    rows = rng.standard_normal((10, 4))
    weights, visible, hidden = (np.asarray(array, float) for array in machine)
    # E of all pairs of rows and hidden states, visible units Gaussian or binary
    coupling = HIDDEN @ hidden + rows @ weights @ HIDDEN.T
    for gaussian, energy in (
        (True, np.sum((rows - visible) ** 2, axis=1) / 2),
        (False, -rows @ visible),
    ):
        expected = energy - logsumexp(coupling, axis=1)
        ours = free_energy(machine, np.float32(rows), Units(visible=gaussian))
        assert_allclose(ours, expected, rtol=1e-4, atol=1e-4)


def test_free_energy_integrates_over_gaussian_hidden_units(machine, rng):
    rows = rng.standard_normal((10, 4))
    weights, visible, hidden = (np.asarray(array, float) for array in machine)
    grid = np.linspace(-30, 30, 6001)
    # One integral for each hidden unit, by sums over a grid
    inputs = rows @ weights
    exponents = inputs[..., np.newaxis] * grid - (grid - hidden[:, np.newaxis]) ** 2 / 2
    integrals = logsumexp(exponents, axis=-1) + np.log((grid[1] - grid[0]) / np.sqrt(2 * np.pi))
    expected = -rows @ visible - integrals.sum(axis=1)
    ours = free_energy(machine, np.float32(rows), Units(hidden=True))
    assert_allclose(ours, expected, rtol=1e-4, atol=1e-4)


def test_training_learns_the_distribution_of_the_data():
    untrained = train_rbm(BARS, 6, np.random.RandomState(0), n_epochs=0)
    assert log_likelihood(untrained, BARS) == pytest.approx(-4 * np.log(2), abs=0.5)
    trained = train_rbm(BARS, 6, np.random.RandomState(0), n_epochs=200, batch_size=20)
    # The data have two equally probable states: the maximum is -log 2
    assert log_likelihood(trained, BARS) > -np.log(2) - 0.2


@pytest.mark.parametrize("gaussian", [False, True])
def test_each_machine_of_a_stack_is_trained_on_the_hidden_units_below(gaussian):
    options = {"n_epochs": 3, "batch_size": 20, "learning_rate": 0.1}
    slow = options | {"learning_rate": 0.001}
    lower, upper = train_stack(BARS, [5, 2], np.random.RandomState(0), gaussian=gaussian, **options)
    rng = np.random.RandomState(0)
    expected = train_rbm(
        BARS, 5, rng, units=Units(visible=gaussian), **slow if gaussian else options
    )
    assert_array_equal(lower.weights, expected.weights)
    rows = np.asarray(hidden_means(lower, np.float32(BARS), gaussian=False))
    expected = train_rbm(rows, 2, rng, units=Units(hidden=True), **slow)
    assert_allclose(upper.weights, expected.weights, atol=1e-6)
