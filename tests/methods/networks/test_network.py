import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nldr.methods.networks._network import ACTIVATIONS, BLOCK_ROWS, forward, glorot


@pytest.fixture
def X(rng):
    return rng.standard_normal((40, 3)).astype(np.float32)


def make_network(sizes=(3, 5, 4, 2), activation="tanh"):
    return glorot(sizes, activation, np.random.RandomState(0))


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_output_equals_composition_of_layers(activation, X):
    network = make_network(activation=activation)
    hidden = X
    for weight, bias in zip(network.weights[:-1], network.biases[:-1], strict=True):
        z = hidden @ np.asarray(weight) + np.asarray(bias)
        hidden = {
            "identity": z,
            "leaky_relu": np.where(z > 0, z, 0.01 * z),
            "relu": np.maximum(z, 0),
            "sigmoid": 1 / (1 + np.exp(-z)),
            "tanh": np.tanh(z),
        }[activation]
    expected = hidden @ np.asarray(network.weights[-1]) + np.asarray(network.biases[-1])
    assert_allclose(network(X), expected, atol=1e-6)


def test_initial_weights_have_the_glorot_distribution():
    network = make_network(sizes=(300, 200, 2))
    bound = np.sqrt(6 / 500)
    weight = np.asarray(network.weights[0])
    assert np.abs(weight).max() <= bound
    assert_allclose(weight.var(), bound**2 / 3, rtol=0.02)
    assert_array_equal(network.biases[0], np.zeros(200))
    assert weight.dtype == np.float32


def test_output_of_a_row_does_not_depend_on_its_block(X):
    network = make_network()
    n_copies = BLOCK_ROWS // len(X) + 2
    blockwise = forward(network, np.tile(X, (n_copies, 1)))
    assert_allclose(blockwise, np.tile(network(X), (n_copies, 1)), atol=1e-6)
