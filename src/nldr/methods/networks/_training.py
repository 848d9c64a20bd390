"""Training of networks by stochastic gradients, with whole epochs compiled.

The training set is moved to the device once. An epoch is a stack of equally sized batches that one
compiled scan runs over. Each method defines its batches and its loss, see :func:`train`. All
randomness comes from the caller's generator, so that one seed always gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array
from numpy.typing import NDArray


def equal_batches(rows: NDArray, batch_size: int, rng: np.random.RandomState) -> NDArray:
    """Shuffle rows and divide them into the fewest equal batches of at most ``batch_size``.

    If the number of rows is not a multiple of the number of batches, the remainder is dropped;
    each call drops other rows. The result has the shape (n_batches, size).

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
    """Settings of the optimizer; equal settings share compiled functions.

    Parameters
    ----------
    name : {"adam", "sgd"}
        Adam with its usual constants, or plain gradient descent.
    learning_rate : float
        Step size.
    final_learning_rate : float or None
        Step size after ``n_steps`` steps of a cosine schedule; None for a constant step size.
    n_steps : int
        Number of steps of the cosine schedule. Leave it at 0 without a schedule, so that trainings
        of any length share compiled functions.
    clip : float or None
        Bound on the absolute value of each entry of the gradient.
    """

    name: str
    learning_rate: float
    final_learning_rate: float | None = None
    n_steps: int = 0
    clip: float | None = None

    def transformation(self) -> optax.GradientTransformation:
        """Return the optimizer as a gradient transformation of optax."""
        rate: Any = self.learning_rate
        if self.final_learning_rate is not None:
            ratio = self.final_learning_rate / self.learning_rate
            rate = optax.cosine_decay_schedule(self.learning_rate, self.n_steps, ratio)
        step = {"adam": optax.adam, "sgd": optax.sgd}[self.name](rate)
        return step if self.clip is None else optax.chain(optax.clip(self.clip), step)


@dataclass(frozen=True)
class Stopping:
    """Stopping rule of a training.

    Parameters
    ----------
    n_epochs : int
        Maximum number of epochs.
    tol : float
        Minimum decrease of the validation loss that counts as an improvement.
    n_iter_no_change : int
        Number of epochs without an improvement after which training stops.
    after_epoch : int
        First epoch whose validation loss is compared.
    """

    n_epochs: int
    tol: float
    n_iter_no_change: int
    after_epoch: int = 0


@dataclass(frozen=True)
class TrainingResult:
    """A trained model and the history of its training.

    Parameters
    ----------
    model : equinox module
        The trained model: that of the epoch with the best validation loss, or of the last epoch
        if there are no validation batches.
    loss : ndarray of shape (n_epochs,)
        Mean loss over the batches of each epoch.
    validation_loss : ndarray of shape (n_epochs,)
        Mean loss over the validation batches after each epoch; empty if there are none.
    n_steps : int
        Number of steps of the optimizer.
    stop_reason : {"n_epochs", "validation_loss"}
        The criterion that ended the training.
    """

    model: Any
    loss: NDArray
    validation_loss: NDArray
    n_steps: int
    stop_reason: str


@lru_cache(maxsize=64)
def _compiled_functions(loss: Callable[..., Array], optimizer: Optimizer) -> tuple[Any, Any, Any]:
    """Return the compiled initialization, epoch and evaluation; equal arguments share them."""
    transformation = optimizer.transformation()

    @eqx.filter_jit
    def initialize(model: Any) -> Any:
        return transformation.init(eqx.filter(model, eqx.is_array))

    @eqx.filter_jit
    def run_epoch(model: Any, state: Any, data: Any, batches: Any) -> tuple[Any, Any, Array]:
        # Separate the arrays, which are trained, from static fields such as the activation
        arrays, static = eqx.partition(model, eqx.is_array)

        def value(arrays: Any, batch: Any) -> Array:
            return loss(eqx.combine(arrays, static), data, batch)

        # One step of the optimizer on one batch
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

    return initialize, run_epoch, evaluate


def train(
    model: Any,
    loss: Callable[..., Array],
    data: Any,
    batches: Callable[[int], Any],
    validation: Any,
    optimizer: Optimizer,
    stopping: Stopping,
    progress: Callable[[int, float], None] | None = None,
) -> TrainingResult:
    """Train a model on batches until its validation loss stops decreasing.

    Parameters
    ----------
    model : equinox module
        The model; all of its arrays are trained.
    loss : callable
        ``loss(model, data, batch)`` returns a scalar. Pass a module-level function rather than
        one defined in each fit, because compiled functions are cached by this argument.
    data : pytree of arrays
        Arrays that all batches share.
    batches : callable
        ``batches(epoch)`` returns the batches of an epoch: a pytree of arrays whose first axis
        indexes the batches. Their shapes are the same in all epochs.
    validation : pytree of arrays or None
        Batches for the validation loss, on which the model is not trained.
    optimizer : Optimizer
        Settings of the optimizer.
    stopping : Stopping
        Stopping rule.

    Raises
    ------
    FloatingPointError
        If the loss is not finite.

    Examples
    --------
    >>> import equinox
    >>> X = np.arange(8.0, dtype=np.float32).reshape(8, 1)
    >>> def error(line, X, rows):
    ...     return jnp.mean((jax.vmap(line)(X[rows]) - 2 * X[rows]) ** 2)
    >>> line = equinox.nn.Linear(1, 1, key=jax.random.key(0))
    >>> rows = np.arange(8).reshape(2, 4)
    >>> result = train(
    ...     line, error, X, lambda epoch: rows, None, Optimizer("sgd", 0.02), Stopping(99, 0, 9)
    ... )
    >>> result.n_steps, round(result.model.weight.item(), 1)
    (198, 2.0)
    """
    initialize, run_epoch, evaluate = _compiled_functions(loss, optimizer)
    data, validation = jax.device_put((data, validation))
    state = initialize(model)
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
        if validation is not None:
            scores.append(float(evaluate(model, data, validation)))
        if progress:
            progress(1, (scores or losses)[-1])
        if validation is None:
            continue
        # Early stopping: keep the best model, stop when it has not improved for long
        if epoch < stopping.after_epoch:
            continue
        if scores[-1] < best - stopping.tol:
            best, best_model, best_epoch = scores[-1], model, epoch
        elif epoch - best_epoch >= stopping.n_iter_no_change:
            reason = "validation_loss"
            break
    final_model = best_model if np.isfinite(best) else model
    return TrainingResult(final_model, np.array(losses), np.array(scores), n_steps, reason)
