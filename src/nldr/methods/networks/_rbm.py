"""Stacks of restricted Boltzmann machines, trained by one-step contrastive divergence.

With visible units v, hidden units h, weights W and biases a and b, the energy of a machine is
E(v, h) = A(v) + B(h) - v'Wh. For binary visible units A(v) = -a'v, for Gaussian ones with
variance 1 A(v) = |v - a|² / 2; likewise B with b.
"""

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

# Momentum changes to its final value at this epoch
MOMENTUM, FINAL_MOMENTUM, MOMENTUM_CHANGE = 0.5, 0.9, 5
WEIGHT_DECAY = 2e-4
# Standard deviation of the initial weights
INITIAL_SCALE = 0.1


class RBM(NamedTuple):
    """Parameters of a restricted Boltzmann machine, or a direction in which they move.

    Parameters
    ----------
    weights : array of shape (n_visible, n_hidden)
        Interaction of visible and hidden units.
    visible : array of shape (n_visible,)
        Biases of the visible units.
    hidden : array of shape (n_hidden,)
        Biases of the hidden units.
    """

    weights: Array
    visible: Array
    hidden: Array


class Units(NamedTuple):
    """Whether visible and hidden units of a machine are Gaussian with variance 1, or binary."""

    visible: bool = False
    hidden: bool = False


BINARY = Units()


def hidden_means(rbm: RBM, rows: Array, *, gaussian: bool) -> Array:
    """Return the expected hidden units (n_rows, n_hidden) given the visible units.

    They are means of Gaussian units, or probabilities of binary units.

    Examples
    --------
    >>> rbm = RBM(jnp.zeros((3, 1)), jnp.zeros(3), jnp.zeros(1))
    >>> hidden_means(rbm, jnp.ones((1, 3)), gaussian=False).tolist()
    [[0.5]]
    """
    inputs = rows @ rbm.weights + rbm.hidden
    return inputs if gaussian else jax.nn.sigmoid(inputs)


def free_energy(rbm: RBM, rows: Array, units: Units) -> Array:
    """Return the free energy of each row, -log Σ exp(-E) over all hidden units, in nats.

    For Gaussian hidden units it is without the constant of their integral.

    Examples
    --------
    >>> rbm = RBM(jnp.zeros((3, 1)), jnp.ones(3), jnp.zeros(1))
    >>> round(free_energy(rbm, jnp.ones((1, 3)), Units()).item(), 3)
    -3.693
    """
    inputs = rows @ rbm.weights + rbm.hidden
    if units.visible:
        visible = jnp.sum((rows - rbm.visible) ** 2, axis=1) / 2
    else:
        visible = -rows @ rbm.visible
    # Sum, or integral, over each hidden unit
    hidden = (inputs**2 - rbm.hidden**2) / 2 if units.hidden else jax.nn.softplus(inputs)
    return visible - jnp.sum(hidden, axis=1)


def contrastive_divergence(rbm: RBM, rows: Array, draws: tuple[Array, Array], units: Units) -> RBM:
    """Return the direction of ascent of one-step contrastive divergence.

    It is the mean statistics of the rows minus those of their reconstruction. `draws` are those for
    the visible and the hidden units: standard normal for Gaussian units, uniform for binary hidden
    ones; binary visible units use none.

    References
    ----------
    G. Hinton, "Training products of experts by minimizing contrastive divergence", Neural
    Computation 14, 2002.
    """
    # Positive phase, and a sample of the hidden units
    means = hidden_means(rbm, rows, gaussian=units.hidden)
    states = means + draws[1] if units.hidden else (draws[1] < means).astype(rows.dtype)
    # Negative phase: one reconstruction, of binary units with probabilities in place of samples
    inputs = states @ rbm.weights.T + rbm.visible
    visible = inputs + draws[0] if units.visible else jax.nn.sigmoid(inputs)
    hidden = hidden_means(rbm, visible, gaussian=units.hidden)
    return RBM(
        (rows.T @ means - visible.T @ hidden) / len(rows),
        jnp.mean(rows - visible, axis=0),
        jnp.mean(means - hidden, axis=0),
    )


@lru_cache(maxsize=8)
def _compiled_epoch(units: Units) -> Any:
    """Return the compiled pass over the batches of an epoch."""

    @jax.jit
    def epoch(
        rbm: RBM, velocity: RBM, X: Array, batches: tuple[Array, Array], rate: Array, inertia: Array
    ) -> tuple[RBM, RBM]:
        def step(carry: tuple[RBM, RBM], batch: tuple[Array, Array]) -> tuple[Any, None]:
            rbm, velocity = carry
            rows, seed = batch
            keys = jax.random.split(jax.random.PRNGKey(seed))
            sample = jax.random.normal if units.hidden else jax.random.uniform
            draws = (
                jax.random.normal(keys[0], (len(rows), len(rbm.visible))),
                sample(keys[1], (len(rows), len(rbm.hidden))),
            )
            # Contrastive divergence with weight decay; biases do not decay
            slope = contrastive_divergence(rbm, X[rows], draws, units)
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
    units: Units = BINARY,
    n_epochs: int = 30,
    batch_size: int = 100,
    learning_rate: float = 0.1,
) -> RBM:
    """Train a restricted Boltzmann machine by one-step contrastive divergence.

    Rows are in [0, 1] for binary visible units, and have variances near 1 for Gaussian ones.
    Momentum is 0.5 in the first five epochs, then 0.9.
    """
    weights = INITIAL_SCALE * rng.standard_normal((X.shape[1], n_hidden))
    rbm = RBM(jnp.float32(weights), jnp.zeros(X.shape[1]), jnp.zeros(n_hidden))
    velocity = jax.tree.map(jnp.zeros_like, rbm)
    data, run_epoch = jnp.asarray(X, jnp.float32), _compiled_epoch(units)
    for epoch in range(n_epochs):
        rows = equal_batches(np.arange(len(X)), batch_size, rng)
        seeds = rng.randint(np.iinfo(np.int32).max, size=len(rows), dtype=np.int32)
        inertia = MOMENTUM if epoch < MOMENTUM_CHANGE else FINAL_MOMENTUM
        rbm, velocity = run_epoch(rbm, velocity, data, (rows, seeds), learning_rate, inertia)
    return rbm


def train_stack(
    X: NDArray,
    sizes: Sequence[int],
    rng: np.random.RandomState,
    *,
    gaussian: bool = False,
    n_epochs: int,
    batch_size: int,
    learning_rate: float,
) -> list[RBM]:
    """Train a stack of machines, each on the hidden units of the one before.

    The last machine has Gaussian hidden units, the others binary ones; those of the data are
    Gaussian if `gaussian` is true. A machine with Gaussian units, which are unbounded, uses a
    hundredth of the learning rate. The arguments are as for :func:`train_rbm`.
    """
    machines = []
    for i, size in enumerate(sizes):
        units = Units(gaussian and i == 0, i == len(sizes) - 1)
        rate = learning_rate / 100 if any(units) else learning_rate
        rbm = train_rbm(
            X,
            size,
            rng,
            units=units,
            n_epochs=n_epochs,
            batch_size=batch_size,
            learning_rate=rate,
        )
        machines.append(rbm)
        # The hidden units are the data of the next machine
        X = np.asarray(hidden_means(rbm, jnp.asarray(X, jnp.float32), gaussian=units.hidden))
    return machines


def free_energy_gap(rbm: RBM, X: NDArray, units: Units, rng: np.random.RandomState) -> float:
    """Return how much a machine prefers the data to data whose features are independent.

    It is the mean free energy of data whose features are permuted, minus that of the data, in nats.

    Examples
    --------
    >>> rbm = RBM(jnp.zeros((2, 3)), jnp.ones(2), jnp.zeros(3))
    >>> round(free_energy_gap(rbm, np.eye(2), Units(), np.random.RandomState(0)), 6)
    0.0
    """
    permuted = np.column_stack([rng.permutation(column) for column in X.T])
    energies = [free_energy(rbm, jnp.float32(rows), units).mean() for rows in (permuted, X)]
    return float(energies[0] - energies[1])
