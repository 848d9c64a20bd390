import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from nldr.methods.networks._training import (
    ACTIVATIONS,
    FORWARD_ROWS,
    Optimizer,
    Stopping,
    _compiled,
    equal_batches,
    forward,
    glorot,
    load_weights,
    save_weights,
    train,
)

X = np.random.default_rng(0).standard_normal((40, 3)).astype(np.float32)
TARGET = X @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 3


def squared_error(network, data, rows):
    X, target = data
    return jnp.mean((network(X[rows]) - target[rows]) ** 2)


def run(network, *, optimizer=None, n_epochs=20, validation=None, seed=0, **stopping):
    rng = np.random.RandomState(seed)
    return train(
        network,
        squared_error,
        (X, TARGET),
        lambda epoch: equal_batches(np.arange(30), 10, rng),
        validation,
        optimizer or Optimizer("adam", 0.01),
        Stopping(n_epochs, **{"tol": 1e-5, "n_iter_no_change": 5} | stopping),
    )


def network(seed=0, sizes=(3, 8, 1), activation="tanh"):
    return glorot(sizes, activation, np.random.RandomState(seed))


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_output_is_that_of_the_layers(activation):
    net = network(activation=activation, sizes=(3, 5, 4, 2))
    H = X
    for weight, bias in zip(net.weights[:-1], net.biases[:-1], strict=True):
        z = H @ np.asarray(weight) + np.asarray(bias)
        H = {
            "identity": z,
            "leaky_relu": np.where(z > 0, z, 0.01 * z),
            "relu": np.maximum(z, 0),
            "sigmoid": 1 / (1 + np.exp(-z)),
            "tanh": np.tanh(z),
        }[activation]
    expected = H @ np.asarray(net.weights[-1]) + np.asarray(net.biases[-1])
    assert_allclose(net(X), expected, atol=1e-6)


def test_first_weights_are_those_of_glorot():
    net = network(sizes=(300, 200, 2))
    bound = np.sqrt(6 / 500)
    weight = np.asarray(net.weights[0])
    assert np.abs(weight).max() <= bound
    assert_allclose(weight.var(), bound**2 / 3, rtol=0.02)
    assert_array_equal(net.biases[0], np.zeros(200))
    assert weight.dtype == np.float32


def test_many_rows_are_placed_as_few_are():
    net = network()
    rows = np.tile(X, (FORWARD_ROWS // 40 + 2, 1))
    assert_allclose(forward(net, rows), np.tile(net(X), (len(rows) // 40, 1)), atol=1e-6)


def test_saved_weights_reload_bit_by_bit(tmp_path):
    net = network(activation="sigmoid")
    save_weights(net, tmp_path / "weights.npz")
    same = load_weights(tmp_path / "weights.npz")
    assert same.activation == "sigmoid"
    assert_array_equal(forward(same, X), forward(net, X))


@pytest.mark.parametrize(("n_rows", "shape"), [(4500, (18, 250)), (256, (1, 256)), (5, (1, 5))])
def test_batches_are_equal_and_hold_no_row_twice(n_rows, shape):
    rng = np.random.RandomState(0)
    rows = np.arange(100, 100 + n_rows)
    batches = equal_batches(rows, 256, rng)
    assert batches.shape == shape
    assert len(np.unique(batches)) == batches.size
    assert set(batches.ravel()) <= set(rows)
    if n_rows > 5:
        assert np.any(batches != equal_batches(rows, 256, rng))


@pytest.mark.parametrize(
    ("optimizer", "reference"),
    [
        (Optimizer("adam", 0.01), optax.adam(0.01)),
        (Optimizer("sgd", 0.01), optax.sgd(0.01)),
        (Optimizer("sgd", 0.1, clip=0.01), optax.chain(optax.clip(0.01), optax.sgd(0.1))),
        (
            Optimizer("sgd", 0.1, final_learning_rate=1e-3, n_steps=6),
            optax.sgd(lambda i: 1e-3 + (0.1 - 1e-3) * (1 + jnp.cos(jnp.pi * i / 6)) / 2),
        ),
    ],
)
def test_compiled_epochs_equal_single_steps(optimizer, reference):
    trained = run(network(), optimizer=optimizer, n_epochs=2)
    assert (trained.n_steps, len(trained.loss), trained.stop_reason) == (6, 2, "n_epochs")
    net, rng, losses = network(), np.random.RandomState(0), []
    state = reference.init(net)
    for _ in range(2):
        for rows in equal_batches(np.arange(30), 10, rng):
            value, gradient = jax.value_and_grad(squared_error)(net, (X, TARGET), rows)
            updates, state = reference.update(gradient, state)
            net = optax.apply_updates(net, updates)
            losses.append(value)
    assert_allclose(trained.model.weights[0], net.weights[0], atol=1e-6)
    assert_allclose(trained.loss, np.reshape(losses, (2, 3)).mean(axis=1), rtol=1e-5)


def test_training_finds_the_line():
    trained = run(network(sizes=(3, 1)), optimizer=Optimizer("adam", 0.1), n_epochs=300)
    assert_allclose(trained.model.weights[0], [[1.0], [-2.0], [0.5]], atol=1e-3)
    assert_allclose(trained.model.biases[0], [3.0], atol=1e-3)


def test_training_stops_at_the_best_validation_loss():
    validation = np.arange(30, 40).reshape(1, 10)
    trained = run(network(), n_epochs=500, validation=validation, tol=0.01, n_iter_no_change=3)
    scores = trained.validation_loss
    assert trained.stop_reason == "validation_loss"
    assert len(scores) == len(trained.loss) < 500
    assert np.all(scores[-3:] >= scores[-4] - 0.01)
    kept = squared_error(trained.model, (X, TARGET), np.arange(30, 40))
    assert kept == pytest.approx(scores[-4], rel=1e-5)


def test_validation_does_not_count_before_its_time():
    validation = np.arange(30, 40).reshape(1, 10)
    early = run(network(), n_epochs=50, validation=validation, tol=100, n_iter_no_change=2)
    late = run(
        network(), n_epochs=50, validation=validation, tol=100, n_iter_no_change=2, after_epoch=10
    )
    assert (len(early.loss), len(late.loss)) == (3, 13)


def test_two_trainings_of_one_seed_are_identical():
    one, same, other = run(network()), run(network()), run(network(), seed=1)
    assert_array_equal(one.model.weights[0], same.model.weights[0])
    assert np.any(one.model.weights[0] != other.model.weights[0])


def test_divergence_is_an_error():
    with pytest.raises(
        FloatingPointError, match=r"the loss is \w+ in epoch \d+: training diverged"
    ):
        run(network(activation="identity"), optimizer=Optimizer("sgd", 1e3), n_epochs=50)


def test_what_is_compiled_is_kept_between_trainings():
    run(network())
    before = _compiled.cache_info().misses
    run(network(seed=3))
    assert _compiled.cache_info().misses == before
