"""Restricted Boltzmann machines, trained one on another by contrastive divergence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from nldr.methods.networks._training import equal_batches

MOMENTUM, FINAL_MOMENTUM, MOMENTUM_CHANGES = 0.5, 0.9, 5
WEIGHT_DECAY = 2e-4
FIRST_WEIGHTS = 0.1


class RBM(NamedTuple):
    """Weights (n_visible, n_hidden) and the biases of both layers."""

    weights: Array
    visible: Array
    hidden: Array


def hidden_means(rbm: RBM, rows: Array, *, gaussian: bool) -> Array:
    """Return the expected hidden units for visible ones.

    Parameters
    ----------
    rbm : RBM
        The machine.
    rows : array of shape (n_rows, n_visible)
        Visible units in [0, 1].
    gaussian : bool
        Whether hidden units are normal with variance 1, not binary.

    Returns
    -------
    array of shape (n_rows, n_hidden)
        Means or probabilities.
    """
    field = rows @ rbm.weights + rbm.hidden
    return field if gaussian else jax.nn.sigmoid(field)


def contrastive_divergence(rbm: RBM, rows: Array, draws: Array, *, gaussian: bool) -> RBM:
    """Return the direction of one-step contrastive divergence, uphill in likelihood.

    Parameters
    ----------
    rbm : RBM
        The machine.
    rows : array of shape (n_rows, n_visible)
        Data in [0, 1].
    draws : array of shape (n_rows, n_hidden)
        Uniform draws for binary hidden units, standard normal ones for gaussian.
    gaussian : bool
        Whether hidden units are normal with variance 1, not binary.

    Returns
    -------
    RBM
        Mean over the rows of the statistics of the data less those of their reconstruction.

    References
    ----------
    G. Hinton, "Training products of experts by minimizing contrastive divergence", Neural
    Computation 14, 2002.
    """
    up = hidden_means(rbm, rows, gaussian=gaussian)
    states = up + draws if gaussian else (draws < up).astype(rows.dtype)
    back = jax.nn.sigmoid(states @ rbm.weights.T + rbm.visible)
    again = hidden_means(rbm, back, gaussian=gaussian)
    return RBM(
        (rows.T @ up - back.T @ again) / len(rows),
        jnp.mean(rows - back, axis=0),
        jnp.mean(up - again, axis=0),
    )


@lru_cache(maxsize=8)
def _epoch(gaussian: bool) -> Any:
    """Return a compiled pass over batches."""

    @jax.jit
    def epoch(
        rbm: RBM, velocity: RBM, X: Array, batches: tuple[Array, Array], rate: Array, inertia: Array
    ) -> tuple[RBM, RBM]:
        def step(carry: tuple[RBM, RBM], batch: tuple[Array, Array]) -> tuple[Any, None]:
            rbm, velocity = carry
            rows, seed = batch
            shape = (len(rows), len(rbm.hidden))
            sample = jax.random.normal if gaussian else jax.random.uniform
            draws = sample(jax.random.PRNGKey(seed), shape)
            slope = contrastive_divergence(rbm, X[rows], draws, gaussian=gaussian)
            slope = slope._replace(weights=slope.weights - WEIGHT_DECAY * rbm.weights)
            velocity = jax.tree.map(lambda v, s: inertia * v + rate * s, velocity, slope)
            return (jax.tree.map(jnp.add, rbm, velocity), velocity), None

        return jax.lax.scan(step, (rbm, velocity), batches)[0]

    return epoch


def train_rbm(
    X: NDArray,
    n_hidden: int,
    rng: np.random.RandomState,
    *,
    gaussian: bool = False,
    n_epochs: int = 30,
    batch_size: int = 100,
    learning_rate: float = 0.1,
) -> RBM:
    """Train a machine on rows by one-step contrastive divergence.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_visible)
        Rows in [0, 1].
    n_hidden : int
        Number of hidden units.
    rng : RandomState
        Source of randomness.
    gaussian : bool, default=False
        Whether hidden units are normal with variance 1, not binary.
    n_epochs, batch_size, learning_rate
        Passes over the rows, rows of a step, and its size. Momentum is 0.5 for five passes, then
        0.9, weight decay 2e-4.

    Returns
    -------
    RBM
        The machine.
    """
    first = FIRST_WEIGHTS * rng.standard_normal((X.shape[1], n_hidden))
    rbm = RBM(jnp.float32(first), jnp.zeros(X.shape[1]), jnp.zeros(n_hidden))
    velocity = jax.tree.map(jnp.zeros_like, rbm)
    data, epoch = jnp.asarray(X, jnp.float32), _epoch(gaussian)
    for i in range(n_epochs):
        rows = equal_batches(np.arange(len(X)), batch_size, rng)
        seeds = rng.randint(np.iinfo(np.int32).max, size=len(rows), dtype=np.int32)
        inertia = MOMENTUM if i < MOMENTUM_CHANGES else FINAL_MOMENTUM
        rbm, velocity = epoch(rbm, velocity, data, (rows, seeds), learning_rate, inertia)
    return rbm


def train_stack(
    X: NDArray,
    sizes: Sequence[int],
    rng: np.random.RandomState,
    *,
    n_epochs: int,
    batch_size: int,
    learning_rate: float,
) -> list[RBM]:
    """Train machines one on another, the last with gaussian hidden units.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Rows in [0, 1].
    sizes : sequence of int
        Numbers of hidden units, from the first machine to the last.
    rng : RandomState
        Source of randomness.
    n_epochs, batch_size, learning_rate
        As for :func:`train_rbm`; the last machine learns at a hundredth of the rate, as units
        without bounds need.

    Returns
    -------
    list of RBM
        The machines.
    """
    machines = []
    for i, size in enumerate(sizes):
        last = i == len(sizes) - 1
        rate = learning_rate / 100 if last else learning_rate
        rbm = train_rbm(
            X, size, rng,
            gaussian=last, n_epochs=n_epochs, batch_size=batch_size, learning_rate=rate,
        )  # fmt: skip
        machines.append(rbm)
        X = np.asarray(hidden_means(rbm, jnp.asarray(X, jnp.float32), gaussian=last))
    return machines
