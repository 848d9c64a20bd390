import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from scipy.special import expit, logsumexp
from sklearn.neural_network import BernoulliRBM

from nldr.methods.networks._rbm import (
    RBM,
    contrastive_divergence,
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


def test_contrastive_divergence_is_the_gradient_of_scikit_learns_free_energies(machine, rng):
    """The free energy of the reconstruction minus that of the data, the reconstruction fixed."""
    draws = rng.uniform(size=(100, 3)).astype(np.float32)
    theirs = scikit_learn_rbm(machine)
    states = draws < theirs.transform(BARS)
    visible = expit(states @ theirs.components_ + theirs.intercept_visible_)

    def difference(flat):
        parts = np.split(flat, [12, 16])
        other = scikit_learn_rbm(RBM(parts[0].reshape(4, 3), *parts[1:]))
        return np.mean(other._free_energy(visible) - other._free_energy(BARS))

    flat = np.concatenate([np.ravel(array) for array in machine]).astype(float)
    expected = approx_fprime(flat, difference, 1e-6)
    ours = contrastive_divergence(machine, BARS, draws, gaussian=False)
    assert_allclose(np.concatenate([np.ravel(array) for array in ours]), expected, atol=1e-5)


@pytest.mark.parametrize("gaussian", [False, True])
def test_contrastive_divergence_equals_its_definition(machine, gaussian, rng):
    draws = rng.uniform(size=(100, 3)).astype(np.float32)
    weights, visible, hidden = machine
    up = BARS @ weights + hidden
    up = up if gaussian else expit(up)
    states = up + draws if gaussian else draws < up
    back = expit(states @ weights.T + visible)
    again = back @ weights + hidden
    again = again if gaussian else expit(again)
    ours = contrastive_divergence(machine, BARS, draws, gaussian=gaussian)
    pairs = [
        np.outer(v, h) - np.outer(b, a) for v, h, b, a in zip(BARS, up, back, again, strict=True)
    ]
    assert_allclose(ours.weights, np.mean(pairs, axis=0), atol=1e-5)
    assert_allclose(ours.visible, (BARS - back).mean(axis=0), atol=1e-5)
    assert_allclose(ours.hidden, (up - again).mean(axis=0), atol=1e-5)


def test_training_learns_the_distribution_of_the_data():
    untrained = train_rbm(BARS, 6, np.random.RandomState(0), n_epochs=0)
    assert log_likelihood(untrained, BARS) == pytest.approx(-4 * np.log(2), abs=0.5)
    trained = train_rbm(BARS, 6, np.random.RandomState(0), n_epochs=200, batch_size=20)
    # The data have two equally probable states: the maximum is -log 2
    assert log_likelihood(trained, BARS) > -np.log(2) - 0.2


def test_each_machine_of_a_stack_is_trained_on_the_hidden_units_below():
    options = {"n_epochs": 3, "batch_size": 20, "learning_rate": 0.1}
    lower, upper = train_stack(BARS, [5, 2], np.random.RandomState(0), **options)
    rng = np.random.RandomState(0)
    assert_array_equal(lower.weights, train_rbm(BARS, 5, rng, **options).weights)
    rows = np.asarray(hidden_means(lower, np.float32(BARS), gaussian=False))
    expected = train_rbm(rows, 2, rng, gaussian=True, **options | {"learning_rate": 0.001})
    assert_allclose(upper.weights, expected.weights, atol=1e-6)
