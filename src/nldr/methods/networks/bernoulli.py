"""Variational autoencoder with a sigmoid output and the cross-entropy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from nldr.methods._docs import inherit_docs
from nldr.methods.networks.autoencoder import VAE, Autoencoder, _first_outputs

if TYPE_CHECKING:
    from jax import Array

    from nldr.methods.networks._network import Network
    from nldr.methods.networks._training import TrainingResult

# Logits beyond which PyTorch's gradient vanishes in float32: 1 − p is less than half the spacing of
# numbers below 1; and p (1 − p) is less than 1e-12, the smallest divisor of its cross-entropy
LOGITS = (-27.63, 16.63)


@inherit_docs(Autoencoder, VAE)
@dataclass(eq=False, repr=False, kw_only=True)
class BernoulliVAE(VAE):
    """A variational autoencoder with a sigmoid output and the cross-entropy.

    The decoder returns the probability of each feature, and the loss of a feature x with the
    probability p is ``-x log p - (1 - x) log(1 - p)``, also where x is not between 0 and 1. It then
    has no minimum, and p goes to 1 where x is above 1 on average and to 0 where x is negative.
    Batches are successive rows, in the same order in each epoch, and weights and biases start
    uniform on ±1/√n_in, as in PyTorch.

    Parameters
    ----------
    n_components, beta, hidden, activation, input_scaling, batch_size, optimizer, learning_rate
    n_epochs, validation_fraction, tol, n_iter_no_change, random_state, verbose

    Attributes
    ----------
    embedding_, network_, decoder_, loss_, validation_loss_, n_epochs_, n_steps_, stop_reason_
    input_center_, input_scale_

    References
    ----------
    D. Kingma and M. Welling, "Auto-Encoding Variational Bayes", ICLR 2014: Appendix C.1. Loss,
    batches and start are those of the released code of C. Li and A. Wu, "Inverse Kernel
    Decomposition", 2024.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((60, 5))
    >>> BernoulliVAE(hidden=(32,), n_epochs=5, random_state=0).fit_transform(X).shape
    (60, 2)
    """

    input_scaling: str = "none"

    def inverse_transform(self, X: ArrayLike) -> NDArray:
        """Reconstruct rows from their coordinates in the embedding.

        Parameters
        ----------
        X : array-like of shape (n_points, n_components)
            Coordinates.

        Returns
        -------
        ndarray of shape (n_points, n_features)
            Probabilities, in units of the data.
        """
        logits = (super().inverse_transform(X) - self.input_center_) / self.input_scale_
        return expit(logits) * self.input_scale_ + self.input_center_

    def _fit_network(
        self, data: NDArray, layer_sizes: list[int], rng: np.random.RandomState
    ) -> tuple[TrainingResult, Network]:
        encoder = uniform([*layer_sizes[:-1], 2 * self.n_components], self.activation, rng)
        decoder = uniform(layer_sizes[::-1], self.activation, rng)
        training, validation = self._split_rows(len(data), rng)

        def make_batches(rows: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray]:
            # The last batch is filled up with rows of weight zero
            n_batches = -(-len(rows) // self.batch_size)
            shape = (n_batches, self.batch_size)
            numbers = np.resize(rows, shape)
            weights = (np.arange(numbers.size) < len(rows)).reshape(shape).astype(np.float32)
            draws = rng.standard_normal((*shape, self.n_components)).astype(np.float32)
            return numbers, draws, weights, np.full(n_batches, self.beta, np.float32)

        scaled = self._fit_scaling(data, self.input_scaling)
        result = self._train(
            (encoder, decoder), cross_entropy_bound, scaled, make_batches, training, validation
        )
        encoder, self.decoder_ = result.model
        return result, _first_outputs(encoder, self.n_components)


def uniform(sizes: list[int], activation: str, rng: np.random.RandomState) -> Network:
    """Return a network with weights and biases uniform on ±1/√n_in.

    Examples
    --------
    >>> network = uniform([4, 3, 2], "relu", np.random.RandomState(0))
    >>> bool(abs(network.weights[0]).max() <= 0.5), bool(abs(network.biases[0]).max() > 0)
    (True, True)
    """
    from nldr.methods.networks._network import Network

    pairs = list(pairwise(sizes))
    weights = [rng.uniform(-1, 1, (n_in, n_out)) / np.sqrt(n_in) for n_in, n_out in pairs]
    biases = [rng.uniform(-1, 1, n_out) / np.sqrt(n_in) for n_in, n_out in pairs]
    return Network(weights, biases, activation)


def cross_entropy_bound(
    model: tuple[Callable, Callable], X: Array, batch: tuple[Array, Array, Array, Array]
) -> Array:
    """Return the negative evidence lower bound of a batch per row and feature, in nats.

    The encoder returns means and log variances, the decoder logits. A batch has row numbers
    (size,), standard normal draws (size, n_components), weights of the rows (size,) and the weight
    of the divergence.
    """
    import jax
    import jax.numpy as jnp

    encoder, decoder = model
    numbers, draws, weights, beta = batch
    rows = X[numbers]
    # Codes by reparametrization: mean plus scaled noise
    mean, log_variance = jnp.split(encoder(rows), 2, axis=1)
    logits = jnp.clip(decoder(mean + jnp.exp(log_variance / 2) * draws), *LOGITS)
    # -x log p - (1 - x) log(1 - p) of p = sigmoid(logit), and the divergence from the prior
    misfit = jnp.sum(jax.nn.softplus(logits) - rows * logits, axis=1)
    divergence = jnp.sum(mean**2 + jnp.exp(log_variance) - 1 - log_variance, axis=1) / 2
    return jnp.sum(weights * (misfit + beta * divergence)) / (jnp.sum(weights) * rows.shape[1])
