import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from numpy.testing import assert_allclose

from nldr.methods.networks._network import glorot
from nldr.methods.networks._training import Optimizer, Stopping, equal_batches, train

SLOPES = np.array([[1.0], [-2.0], [0.5]], np.float32)
VALIDATION = np.arange(30, 40).reshape(1, 10)


@pytest.fixture
def data(rng):
    """Forty rows, the last ten for validation, and a linear target."""
    X = rng.standard_normal((40, 3)).astype(np.float32)
    return X, X @ SLOPES + 3


def squared_error(network, data, rows):
    X, target = data
    return jnp.mean((network(X[rows]) - target[rows]) ** 2)


def run(data, network, *, optimizer=None, n_epochs=20, validation=None, seed=0, **stopping):
    rng = np.random.RandomState(seed)
    return train(
        network,
        squared_error,
        data,
        lambda epoch: equal_batches(np.arange(30), 10, rng),
        validation,
        optimizer or Optimizer("adam", 0.01),
        Stopping(n_epochs, **{"tol": 1e-5, "n_iter_no_change": 5} | stopping),
    )


def make_network(seed=0, sizes=(3, 8, 1), activation="tanh"):
    return glorot(sizes, activation, np.random.RandomState(seed))


@pytest.mark.parametrize(("n_rows", "shape"), [(4500, (18, 250)), (256, (1, 256)), (5, (1, 5))])
def test_batches_have_equal_sizes_and_distinct_rows(n_rows, shape):
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
        (Optimizer("sgd", 0.1, clip=0.01), optax.chain(optax.clip(0.01), optax.sgd(0.1))),
        (
            Optimizer("sgd", 0.1, final_learning_rate=1e-3, n_steps=6),
            optax.sgd(lambda i: 1e-3 + (0.1 - 1e-3) * (1 + jnp.cos(jnp.pi * i / 6)) / 2),
        ),
    ],
)
def test_compiled_epochs_equal_single_steps(data, optimizer, reference):
    result = run(data, make_network(), optimizer=optimizer, n_epochs=2)
    assert (result.n_steps, len(result.loss), result.stop_reason) == (6, 2, "n_epochs")
    network, rng, losses = make_network(), np.random.RandomState(0), []
    state, arrays = reference.init(network), jax.device_put(data)

    @jax.jit
    def step(network, state, rows):
        value, gradient = jax.value_and_grad(squared_error)(network, arrays, rows)
        updates, state = reference.update(gradient, state, network)
        return optax.apply_updates(network, updates), state, value

    for _ in range(2):
        for rows in equal_batches(np.arange(30), 10, rng):
            network, state, value = step(network, state, rows)
            losses.append(value)
    assert_allclose(result.model.weights[0], network.weights[0], atol=1e-6)
    assert_allclose(result.loss, np.reshape(losses, (2, 3)).mean(axis=1), rtol=1e-5)


def test_training_returns_the_model_with_the_best_validation_loss(data):
    result = run(
        data, make_network(), n_epochs=500, validation=VALIDATION, tol=0.01, n_iter_no_change=3
    )
    scores = result.validation_loss
    assert result.stop_reason == "validation_loss"
    assert len(scores) == len(result.loss) < 500
    assert np.all(scores[-3:] >= scores[-4] - 0.01)
    score = squared_error(result.model, data, VALIDATION[0])
    assert score == pytest.approx(scores[-4], rel=1e-5)


def test_validation_loss_is_ignored_before_after_epoch(data):
    options = {"n_epochs": 50, "validation": VALIDATION, "tol": 100, "n_iter_no_change": 2}
    early = run(data, make_network(), **options)
    late = run(data, make_network(), **options, after_epoch=10)
    assert (len(early.loss), len(late.loss)) == (3, 13)


def test_divergence_raises(data):
    with pytest.raises(
        FloatingPointError, match=r"the loss is \w+ in epoch \d+: training diverged"
    ):
        run(data, make_network(), optimizer=Optimizer("sgd", 1e30), n_epochs=50)
