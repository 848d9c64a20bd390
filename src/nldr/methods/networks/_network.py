"""Multilayer perceptrons in float32: layers, initialization, outputs, storage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
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
# Outputs are computed in blocks of this many rows, which bounds memory ...
BLOCK_ROWS = 1024
# ... and each block is padded to a multiple of this, which bounds the number of compiled shapes.
PADDED_ROWS = 64


class Network(eqx.Module):
    """Fully connected layers with an activation between them and a linear last layer.

    Rows of data are multiplied from the left with the weights, of shape (n_in, n_out);
    `activation` is a key of ``ACTIVATIONS``.

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
    """Return a network with weights uniform on ±√(6 / (n_in + n_out)) and zero biases.

    X. Glorot and Y. Bengio, "Understanding the difficulty of training deep feedforward neural
    networks", AISTATS 2010, Eq. 16. The sizes are those of the layers, from input to output.

    Examples
    --------
    >>> network = glorot([4, 3, 2], "relu", np.random.RandomState(0))
    >>> [weight.shape for weight in network.weights]
    [(4, 3), (3, 2)]
    """
    pairs = list(pairwise(sizes))
    # Glorot and Bengio, Eq. 16
    bounds = [np.sqrt(6 / (n_in + n_out)) for n_in, n_out in pairs]
    weights = [rng.uniform(-b, b, pair) for b, pair in zip(bounds, pairs, strict=True)]
    return Network(weights, [np.zeros(n_out) for _, n_out in pairs], activation)


def network_arrays(network: Network, prefix: str = "") -> dict[str, NDArray]:
    """Return weights, biases and activation by name, for :func:`network_from` to restore."""
    arrays = {f"{prefix}weight_{i}": np.asarray(w) for i, w in enumerate(network.weights)}
    arrays |= {f"{prefix}bias_{i}": np.asarray(b) for i, b in enumerate(network.biases)}
    return arrays | {f"{prefix}activation": np.array(network.activation)}


def network_from(arrays: Mapping[str, NDArray], prefix: str = "") -> Network:
    """Return the network that :func:`network_arrays` described, bit for bit.

    Examples
    --------
    >>> network = Network([[[1.5]]], [[0.5]], "tanh")
    >>> network_from(network_arrays(network)).weights[0].item()
    1.5
    """
    n_layers = sum(name.startswith(f"{prefix}weight_") for name in arrays)
    weights = [arrays[f"{prefix}weight_{i}"] for i in range(n_layers)]
    biases = [arrays[f"{prefix}bias_{i}"] for i in range(n_layers)]
    return Network(weights, biases, str(arrays[f"{prefix}activation"]))


def scale_inputs(X: NDArray, center: ArrayLike, scale: ArrayLike) -> NDArray:
    """Return ``(X - center) / scale`` in float32, the input of a network."""
    # Scale in the precision of the data; only the result is rounded to float32
    return ((X - np.asarray(center)) / np.asarray(scale)).astype(np.float32)


_apply_network = eqx.filter_jit(lambda network, X: network(X))


def forward(
    network: Network, X: NDArray, center: ArrayLike = 0.0, scale: ArrayLike = 1.0
) -> NDArray:
    """Return the outputs (n_rows, n_out) of a network, computed block by block to bound memory.

    Blocks are padded with zero rows to a multiple of 64 rows. The output for a row therefore does
    not depend on its position, and only a few shapes are compiled. The inputs `X` are scaled by
    :func:`scale_inputs`.

    Examples
    --------
    >>> network = Network([[[2.0]]], [[1.0]], "tanh")
    >>> forward(network, np.array([[3.0], [5.0]]), center=1.0).tolist()
    [[5.0], [9.0]]
    """
    outputs = []
    for i in range(0, len(X), BLOCK_ROWS):
        block = scale_inputs(X[i : i + BLOCK_ROWS], center, scale)
        # Pad, apply the compiled network, drop the padding
        padded = np.pad(block, ((0, -len(block) % PADDED_ROWS), (0, 0)))
        outputs.append(np.asarray(_apply_network(network, padded))[: len(block)])
    return np.concatenate(outputs)
