"""Autoencoders: an encoder whose output a decoder maps back to the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array, check_is_fitted

from nldr.methods._docs import inherit_docs
from nldr.methods.networks._estimator import NETWORK_CONSTRAINTS, NetworkEmbedding
from nldr.validation import Interval

if TYPE_CHECKING:
    from jax import Array

    from nldr.methods.networks._network import Network
    from nldr.methods.networks._training import TrainingResult


@inherit_docs(NetworkEmbedding)
@dataclass(eq=False, repr=False, kw_only=True)
class Autoencoder(NetworkEmbedding):
    """An encoder and a symmetric decoder, trained to reconstruct each row.

    The loss is the mean squared error over the features of the scaled rows.

    Parameters
    ----------
    n_components
    hidden : sequence of int, default=(1024, 512, 256, 128)
        Number of units of each hidden layer of the encoder; the decoder has them in reverse.
    activation
    input_scaling : {"none", "range", "global", "features"}, default="global"
        Scaling of the network's input, which is also what the decoder reconstructs; the values are
        those of :class:`nldr.methods.ParametricTSNE`.
    batch_size, optimizer, learning_rate, n_epochs, validation_fraction, tol, n_iter_no_change
    random_state, verbose

    Attributes
    ----------
    embedding_
    network_ : equinox module
        The trained encoder.
    decoder_ : equinox module
        The trained decoder.
    loss_, validation_loss_, n_epochs_, n_steps_, stop_reason_, input_center_, input_scale_

    References
    ----------
    G. Hinton and R. Salakhutdinov, "Reducing the dimensionality of data with neural networks",
    Science 313, 2006. As a baseline: Lai et al., "Parametric Dimension Reduction by Preserving
    Local Structure", IEEE VIS 2022, §4.1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> model = Autoencoder(hidden=(32,), n_epochs=5, random_state=0).fit(X)
    >>> model.inverse_transform(model.transform(X)).shape
    (60, 5)
    """

    _saved_networks = ("network_", "decoder_")
    _parameter_constraints: ClassVar[dict] = NETWORK_CONSTRAINTS

    activation: str = "leaky_relu"
    input_scaling: str = "global"

    def inverse_transform(self, X: ArrayLike) -> NDArray:
        """Reconstruct rows from their coordinates in the embedding.

        Parameters
        ----------
        X : array-like of shape (n_points, n_components)
            Coordinates.

        Returns
        -------
        ndarray of shape (n_points, n_features)
            Rows in the units of the data.
        """
        check_is_fitted(self)
        from nldr.methods.networks._network import forward

        rows = forward(self.decoder_, check_array(X, dtype=np.float32))
        return rows * self.input_scale_ + self.input_center_

    def _fit_network(
        self, data: NDArray, layer_sizes: list[int], rng: np.random.RandomState
    ) -> tuple[TrainingResult, Network]:
        from nldr.methods.networks._network import glorot
        from nldr.methods.networks._training import equal_batches

        # The decoder mirrors the encoder; a VAE's encoder has more outputs than coordinates
        loss, n_outputs, n_draws, weight = self._objective()
        encoder = glorot([*layer_sizes[:-1], n_outputs], self.activation, rng)
        decoder = glorot(layer_sizes[::-1], self.activation, rng)
        training, validation = self._split_rows(len(data), rng)

        def make_batches(rows: NDArray) -> tuple[NDArray, NDArray, NDArray]:
            batches = equal_batches(rows, self.batch_size, rng)
            draws = rng.standard_normal((*batches.shape, n_draws)).astype(np.float32)
            return batches, draws, np.full(len(batches), weight, np.float32)

        scaled = self._fit_scaling(data, self.input_scaling)
        result = self._train((encoder, decoder), loss, scaled, make_batches, training, validation)
        encoder, self.decoder_ = result.model
        return result, _first_outputs(encoder, self.n_components)

    def _objective(self) -> tuple[Callable[..., Array], int, int, float]:
        """Return the loss, numbers of encoder outputs and of draws per row, and beta."""
        return reconstruction_loss, self.n_components, 0, 0.0


@inherit_docs(Autoencoder)
@dataclass(eq=False, repr=False, kw_only=True)
class VAE(Autoencoder):
    """A variational autoencoder; the embedding is the mean of the approximate posterior.

    The encoder returns mean and log variance of a normal distribution of each row's code. The
    decoder returns the mean of the scaled row, whose variance is 1. The loss is the negative
    evidence lower bound per feature, without its constant, in which the divergence of the codes
    from the standard normal distribution has the weight `beta`.

    Parameters
    ----------
    n_components
    beta : float, default=1.0
        Weight of the divergence.
    hidden, activation, input_scaling, batch_size, optimizer, learning_rate, n_epochs
    validation_fraction, tol, n_iter_no_change, random_state, verbose

    Attributes
    ----------
    embedding_
    network_ : equinox module
        The trained encoder without its log variances.
    decoder_, loss_
    validation_loss_ : ndarray of shape (n_epochs_,)
        Loss of the validation rows after each epoch, with the same random draws in all epochs;
        empty if there are none.
    n_epochs_, n_steps_, stop_reason_, input_center_, input_scale_

    References
    ----------
    D. Kingma and M. Welling, "Auto-Encoding Variational Bayes", ICLR 2014: Eq. 10. `beta`:
    I. Higgins et al., "beta-VAE", ICLR 2017: Eq. 4.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> VAE(hidden=(32,), n_epochs=5, random_state=0).fit_transform(X).shape
    (60, 2)
    """

    _parameter_constraints: ClassVar[dict] = NETWORK_CONSTRAINTS | {
        "beta": [Interval(Real, 0, None, closed="left")]
    }

    beta: float = 1.0

    def _objective(self) -> tuple[Callable[..., Array], int, int, float]:
        return negative_bound, 2 * self.n_components, self.n_components, self.beta


def _first_outputs(network: Network, n_outputs: int) -> Network:
    """Return the network restricted to its first outputs."""
    from nldr.methods.networks._network import Network

    weights = [*network.weights[:-1], network.weights[-1][:, :n_outputs]]
    biases = [*network.biases[:-1], network.biases[-1][:n_outputs]]
    return Network(weights, biases, network.activation)


def reconstruction_loss(
    model: tuple[Callable, Callable], X: Array, batch: tuple[Array, Array, Array]
) -> Array:
    """Return the mean squared error of the reconstructed rows of a batch.

    The model is encoder and decoder; of a batch, only the row numbers (size,) count here.
    """
    import jax.numpy as jnp

    encoder, decoder = model
    rows = X[batch[0]]
    return jnp.mean((decoder(encoder(rows)) - rows) ** 2)


def negative_bound(
    model: tuple[Callable, Callable], X: Array, batch: tuple[Array, Array, Array]
) -> Array:
    """Return the negative evidence lower bound of a batch per row and feature, in nats.

    The encoder returns means and log variances. A batch has row numbers (size,), standard normal
    draws (size, n_components) and the weight of the divergence. The constant ½ log 2π is dropped.
    """
    import jax.numpy as jnp

    encoder, decoder = model
    numbers, draws, beta = batch
    rows = X[numbers]
    # Codes by reparametrization: mean plus scaled noise
    mean, log_variance = jnp.split(encoder(rows), 2, axis=1)
    reconstruction = decoder(mean + jnp.exp(log_variance / 2) * draws)
    # The two terms of Kingma and Welling, Eq. 10
    misfit = jnp.sum((reconstruction - rows) ** 2) / 2
    divergence = jnp.sum(mean**2 + jnp.exp(log_variance) - 1 - log_variance) / 2
    return (misfit + beta * divergence) / rows.size
