"""Multilayer perceptrons and their training: whole epochs compiled, float32, one seed one result.

A training set lies on the device once; an epoch is a stack of equal batches, run by one compiled
scan. What a batch is, and its loss, is the method's: see :func:`train`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from os import PathLike
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array
from jax.typing import ArrayLike
from numpy.typing import NDArray

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda x: x,
    "leaky_relu": partial(jax.nn.leaky_relu, negative_slope=0.01),
    "relu": jax.nn.relu,
    "sigmoid": jax.nn.sigmoid,
    "tanh": jnp.tanh,
}
FORWARD_ROWS = 1024
ROUND_ROWS = 64


class Network(eqx.Module):
    """Fully connected layers with one activation between them and a linear last layer.

    Parameters
    ----------
    weights : sequence of array-like of shape (n_in, n_out)
        One matrix a layer; rows of data are multiplied from the left.
    biases : sequence of array-like of shape (n_out,)
        One vector a layer.
    activation : str
        A key of ``ACTIVATIONS``.

    Examples
    --------
    >>> network = Network([np.eye(2), np.ones((2, 1))], [np.zeros(2), np.ones(1)], "relu")
    >>> network(jnp.array([[3.0, -5.0]])).tolist()
    [[4.0]]
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    activation: str = eqx.field(static=True)

    def __init__(
        self, weights: Sequence[ArrayLike], biases: Sequence[ArrayLike], activation: str
    ) -> None:
        self.weights = tuple(jnp.asarray(w, jnp.float32) for w in weights)
        self.biases = tuple(jnp.asarray(b, jnp.float32) for b in biases)
        self.activation = activation

    def __call__(self, X: Array) -> Array:
        """Return the outputs of shape (n_rows, n_out) for rows of shape (n_rows, n_in)."""
        *hidden, last = zip(self.weights, self.biases, strict=True)
        for weight, bias in hidden:
            X = ACTIVATIONS[self.activation](X @ weight + bias)
        return X @ last[0] + last[1]


def glorot(sizes: Sequence[int], activation: str, rng: np.random.RandomState) -> Network:
    """Return a network with weights uniform on ±√(6 / (n_in + n_out)) and biases 0.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of units, from the input to the output.
    activation : str
        A key of ``ACTIVATIONS``.
    rng : RandomState
        Source of randomness.

    Returns
    -------
    Network
        The network.

    References
    ----------
    X. Glorot and Y. Bengio, "Understanding the difficulty of training deep feedforward neural
    networks", AISTATS 2010, Eq. 16.

    Examples
    --------
    >>> network = glorot([4, 3, 2], "relu", np.random.RandomState(0))
    >>> [weight.shape for weight in network.weights]
    [(4, 3), (3, 2)]
    """
    pairs = list(pairwise(sizes))
    bounds = [np.sqrt(6 / (n_in + n_out)) for n_in, n_out in pairs]
    weights = [rng.uniform(-b, b, pair) for b, pair in zip(bounds, pairs, strict=True)]
    return Network(weights, [np.zeros(n_out) for _, n_out in pairs], activation)


def save_weights(network: Network, file: str | PathLike) -> None:
    """Write a network to an ``.npz`` file, from which it comes back bit by bit.

    Parameters
    ----------
    network : Network
        The network.
    file : path-like
        Where to; numpy adds ``.npz`` where it is missing.
    """
    arrays = {f"weight_{i}": np.asarray(w) for i, w in enumerate(network.weights)}
    arrays |= {f"bias_{i}": np.asarray(b) for i, b in enumerate(network.biases)}
    np.savez(file, allow_pickle=False, activation=np.array(network.activation), **arrays)


def load_weights(file: str | PathLike) -> Network:
    """Return the network that :func:`save_weights` wrote.

    Parameters
    ----------
    file : path-like
        The ``.npz`` file.

    Returns
    -------
    Network
        The network.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> network = Network([[[1.5]]], [[0.5]], "tanh")
    >>> with TemporaryDirectory() as folder:
    ...     save_weights(network, f"{folder}/weights.npz")
    ...     load_weights(f"{folder}/weights.npz").weights[0].item()
    1.5
    """
    with np.load(file) as arrays:
        count = sum(name.startswith("weight_") for name in arrays)
        weights = [arrays[f"weight_{i}"] for i in range(count)]
        biases = [arrays[f"bias_{i}"] for i in range(count)]
        return Network(weights, biases, str(arrays["activation"]))


_forward = eqx.filter_jit(lambda network, X: network(X))


def forward(
    network: Network, X: NDArray, center: ArrayLike = 0.0, scale: ArrayLike = 1.0
) -> NDArray:
    """Return a network's outputs, computed for so many rows at a time that memory is bounded.

    Blocks are filled up with zeros to whole multiples of 64 rows, so that what becomes of a row
    does not depend on where it stands, and few shapes are compiled.

    Parameters
    ----------
    network : Network
        The network.
    X : ndarray of shape (n_rows, n_in)
        Inputs.
    center, scale : float or ndarray of shape (n_in,)
        What is subtracted from inputs, and what they are then divided by.

    Returns
    -------
    ndarray of float32, shape (n_rows, n_out)
        Outputs.
    """
    outputs = []
    for i in range(0, len(X), FORWARD_ROWS):
        block = scaled(X[i : i + FORWARD_ROWS], center, scale)
        padded = np.pad(block, ((0, -len(block) % ROUND_ROWS), (0, 0)))
        outputs.append(np.asarray(_forward(network, padded))[: len(block)])
    return np.concatenate(outputs)


def scaled(X: NDArray, center: ArrayLike, scale: ArrayLike) -> NDArray:
    """Return inputs as a network sees them.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_in)
        Inputs.
    center, scale : float or ndarray of shape (n_in,)
        What is subtracted from inputs, and what they are then divided by.

    Returns
    -------
    ndarray of float32, shape (n_rows, n_in)
        Scaled inputs.
    """
    return ((X - np.asarray(center)) / np.asarray(scale)).astype(np.float32)


def equal_batches(rows: NDArray, batch_size: int, rng: np.random.RandomState) -> NDArray:
    """Shuffle rows and deal them to as few equal batches as have at most ``batch_size``.

    So many rows as one less than the number of batches may be left out, others in each call.

    Parameters
    ----------
    rows : ndarray of shape (n_rows,)
        Row numbers.
    batch_size : int
        Largest size of a batch.
    rng : RandomState
        Source of randomness.

    Returns
    -------
    ndarray of shape (n_batches, size)
        The row numbers of each batch.

    Examples
    --------
    >>> equal_batches(np.arange(11), 4, np.random.RandomState(0)).shape
    (3, 3)
    """
    n_batches = -(-len(rows) // batch_size)
    size = len(rows) // n_batches
    return rng.permutation(rows)[: n_batches * size].reshape(n_batches, size)


@dataclass(frozen=True)
class Optimizer:
    """How weights follow the gradient.

    Parameters
    ----------
    name : {"adam", "sgd"}
        Adam with its usual constants, or plain gradient descent.
    learning_rate : float
        Step size.
    final_learning_rate : float or None
        Where a cosine brings the step size to over ``n_steps``; None keeps it.
    n_steps : int
        Steps of the cosine; without one 0, so that runs of any length share what is compiled.
    clip : float or None
        Bound on the absolute value of each entry of the gradient.

    Examples
    --------
    >>> Optimizer("adam", 1e-3).learning_rate
    0.001
    """

    name: str
    learning_rate: float
    final_learning_rate: float | None = None
    n_steps: int = 0
    clip: float | None = None

    def transformation(self) -> optax.GradientTransformation:
        """Return the optimizer as optax has it."""
        rate: Any = self.learning_rate
        if self.final_learning_rate is not None:
            share = self.final_learning_rate / self.learning_rate
            rate = optax.cosine_decay_schedule(self.learning_rate, self.n_steps, share)
        step = {"adam": optax.adam, "sgd": optax.sgd}[self.name](rate)
        return step if self.clip is None else optax.chain(optax.clip(self.clip), step)


@dataclass(frozen=True)
class Stopping:
    """When training ends.

    Parameters
    ----------
    n_epochs : int
        After so many epochs at the latest.
    tol : float
        What a validation loss must fall by to count as better.
    n_iter_no_change : int
        So many epochs without a better validation loss end the training.
    after_epoch : int
        The first epoch whose validation loss counts.

    Examples
    --------
    >>> Stopping(200, 1e-5, 10).after_epoch
    0
    """

    n_epochs: int
    tol: float
    n_iter_no_change: int
    after_epoch: int = 0


@dataclass(frozen=True)
class Trained:
    """What training leaves.

    Parameters
    ----------
    model : equinox module
        The trained model, of the epoch with the best validation loss where there is one.
    loss : ndarray of shape (n_epochs,)
        Mean loss over the batches of each epoch.
    validation_loss : ndarray of shape (n_epochs,)
        Mean loss over the validation batches after each epoch; empty without any.
    n_steps : int
        Number of steps of the optimizer.
    stop_reason : str
        ``"n_epochs"`` or ``"validation_loss"``.
    """

    model: Any
    loss: NDArray
    validation_loss: NDArray
    n_steps: int
    stop_reason: str


@lru_cache(maxsize=64)
def _compiled(loss: Callable[..., Array], optimizer: Optimizer) -> tuple[Any, Any, Any]:
    """Return the compiled start, epoch and evaluation; the same for the same arguments."""
    transformation = optimizer.transformation()

    @eqx.filter_jit
    def start(model: Any) -> Any:
        return transformation.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_jit
    def epoch(model: Any, state: Any, data: Any, batches: Any) -> tuple[Any, Any, Array]:
        arrays, static = eqx.partition(model, eqx.is_array)

        def value(arrays: Any, batch: Any) -> Array:
            return loss(eqx.combine(arrays, static), data, batch)

        def step(carry: tuple[Any, Any], batch: Any) -> tuple[tuple[Any, Any], Array]:
            arrays, state = carry
            current, gradient = jax.value_and_grad(value)(arrays, batch)
            updates, state = transformation.update(gradient, state, arrays)
            return (optax.apply_updates(arrays, updates), state), current

        (arrays, state), losses = jax.lax.scan(step, (arrays, state), batches)
        return eqx.combine(arrays, static), state, jnp.mean(losses)

    @eqx.filter_jit
    def evaluate(model: Any, data: Any, batches: Any) -> Array:
        return jnp.mean(jax.lax.map(partial(loss, model, data), batches))

    return start, epoch, evaluate


def train(
    model: Any,
    loss: Callable[..., Array],
    data: Any,
    batches: Callable[[int], Any],
    validation: Any,
    optimizer: Optimizer,
    stopping: Stopping,
) -> Trained:
    """Train a model on batches until its validation loss no longer falls.

    Parameters
    ----------
    model : equinox module
        What is trained, all its arrays.
    loss : callable
        ``loss(model, data, batch)`` returns a number; a function of a module, not one made anew
        in each fit, since what is compiled is kept for it.
    data : pytree of arrays
        What all batches share.
    batches : callable
        ``batches(epoch)`` returns the epoch's batches: a pytree of arrays whose first axis runs
        over the batches, of one shape in all epochs.
    validation : pytree of arrays or None
        Batches that the model is not trained on.
    optimizer : Optimizer
        How weights follow the gradient.
    stopping : Stopping
        When training ends.

    Returns
    -------
    Trained
        The model and the course of its training.

    Raises
    ------
    FloatingPointError
        If the loss is no longer finite.
    """
    start, run_epoch, evaluate = _compiled(loss, optimizer)
    data, validation = jax.device_put((data, validation))
    state = start(model)
    losses: list[float] = []
    scores: list[float] = []
    best, best_model, best_epoch = np.inf, model, stopping.after_epoch - 1
    n_steps, reason = 0, "n_epochs"
    for epoch in range(stopping.n_epochs):
        stack = batches(epoch)
        model, state, value = run_epoch(model, state, data, stack)
        n_steps += len(jax.tree.leaves(stack)[0])
        losses.append(float(value))
        if not np.isfinite(losses[-1]):
            raise FloatingPointError(
                f"the loss is {losses[-1]} in epoch {epoch + 1}: training diverged, lower "
                f"learning_rate={optimizer.learning_rate:g} or scale the input"
            )
        if validation is None:
            continue
        scores.append(float(evaluate(model, data, validation)))
        if epoch < stopping.after_epoch:
            continue
        if scores[-1] < best - stopping.tol:
            best, best_model, best_epoch = scores[-1], model, epoch
        elif epoch - best_epoch >= stopping.n_iter_no_change:
            reason = "validation_loss"
            break
    kept = best_model if np.isfinite(best) else model
    return Trained(kept, np.array(losses), np.array(scores), n_steps, reason)
