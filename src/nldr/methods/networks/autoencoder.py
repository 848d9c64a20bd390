"""Autoencoders: networks that give a row back from its place in the embedding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from nldr.methods.networks._estimator import TRAINING_CONSTRAINTS, NetworkEmbedding

if TYPE_CHECKING:
    from jax import Array

    from nldr.methods.networks._training import Network


class Autoencoder(NetworkEmbedding):
    """An encoder and a symmetric decoder, trained to give each row back.

    The loss is the mean squared error over the features of the scaled rows.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    hidden : sequence of int, default=(1024, 512, 256, 128)
        Units of the encoder's hidden layers; the decoder has them in reverse.
    activation : {"leaky_relu", "relu", "sigmoid", "tanh", "identity"}, default="leaky_relu"
        Of the hidden units.
    input_scaling : {"none", "range", "global", "features"}, default="global"
        What the network sees and gives back: the data as they are; all of them
        brought to [0, 1]; centered and divided by one number, the root mean variance of the
        features; or each feature standardized.
    batch_size : int, default=256
        Largest size of a batch. An epoch goes over as few equal batches as that allows.
    optimizer : {"adam", "sgd"}, default="adam"
        How weights follow the gradient.
    learning_rate : float, default=1e-3
        Step size.
    n_epochs : int, default=200
        Largest number of passes over the training rows.
    validation_fraction : float, default=0.1
        Share of the rows that the network is not trained on; none if that is less than two.
    tol : float, default=1e-5
        What the validation loss must fall by to count as better.
    n_iter_no_change : int, default=20
        So many epochs without a better validation loss end the training; the weights of the best
        one are kept.
    random_state : int, RandomState instance or None, default=None
        Seed of weights, validation rows and batches. With an integer two fits give the same
        network.

    Attributes
    ----------
    network_, decoder_ : equinox modules
        The trained encoder and decoder.
    loss_, validation_loss_ : ndarray of shape (n_epochs_,)
        Mean loss of each epoch, and that of the validation rows after it, empty without such.
    n_epochs_ : int
        Epochs run.
    n_steps_ : int
        Steps of the optimizer.
    stop_reason_ : str
        ``"validation_loss"`` or ``"n_epochs"``.
    input_center_, input_scale_ : ndarray of shape (n_features_in_,)
        What is subtracted from features, and what they are divided by.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    References
    ----------
    G. Hinton and R. Salakhutdinov, "Reducing the dimensionality of data with neural networks",
    Science 313, 2006. As a baseline: Lai et al., "Parametric Dimension Reduction by Preserving
    Local Structure", IEEE VIS 2022, §4.1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> model = Autoencoder(hidden=(32,), n_epochs=20, random_state=0).fit(X)
    >>> model.inverse_transform(model.transform(X)).shape
    (60, 5)
    """

    _parameter_constraints: dict = TRAINING_CONSTRAINTS

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden: Sequence[int] = (1024, 512, 256, 128),
        activation: str = "leaky_relu",
        input_scaling: str = "global",
        batch_size: int = 256,
        optimizer: str = "adam",
        learning_rate: float = 1e-3,
        n_epochs: int = 200,
        validation_fraction: float = 0.1,
        tol: float = 1e-5,
        n_iter_no_change: int = 20,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.hidden = hidden
        self.activation = activation
        self.input_scaling = input_scaling
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.n_epochs = n_epochs
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> Autoencoder:
        """Train encoder and decoder on the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, at least two rows.
        y : None
            Not used.

        Returns
        -------
        Autoencoder
            The fitted estimator.

        Raises
        ------
        ValueError
            If a hidden layer has no unit.
        FloatingPointError
            If training diverges.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        rng = check_random_state(self.random_state)
        layers = self._layers(data.shape[1])

        from nldr.methods.networks._training import equal_batches, glorot, train

        loss, n_codes, n_draws = self._objective()
        encoder = glorot([*layers[:-1], n_codes], self.activation, rng)
        decoder = glorot(layers[::-1], self.activation, rng)
        training, validation = self._split(len(data), rng)

        def deal(rows: NDArray) -> tuple[NDArray, NDArray, NDArray]:
            batches = equal_batches(rows, self.batch_size, rng)
            draws = rng.standard_normal((*batches.shape, n_draws)).astype(np.float32)
            return batches, draws, np.full(len(batches), getattr(self, "beta", 0), np.float32)

        trained = train(
            (encoder, decoder),
            loss,
            self._fit_scaling(data, self.input_scaling),
            lambda epoch: deal(training),
            deal(validation) if len(validation) else None,
            self._optimizer(),
            self._stopping(),
        )
        encoder, self.decoder_ = trained.model
        self._keep(trained, _first_outputs(encoder, self.n_components))
        return self

    def inverse_transform(self, X: ArrayLike) -> NDArray:
        """Give rows back from places in the embedding.

        Parameters
        ----------
        X : array-like of shape (n_points, n_components)
            Places.

        Returns
        -------
        ndarray of shape (n_points, n_features)
            Rows in the units of the data.
        """
        check_is_fitted(self)
        from nldr.methods.networks._training import forward

        rows = forward(self.decoder_, check_array(X, dtype=np.float32))
        return rows * self.input_scale_ + self.input_center_

    def _objective(self) -> tuple[Callable[..., Array], int, int]:
        """Return the loss, the encoder's number of outputs and the normal draws a row needs."""
        return reconstruction_loss, self.n_components, 0


class VAE(Autoencoder):
    """A variational autoencoder: normal codes, their means the embedding.

    The encoder gives mean and log variance of a normal code for each row, the decoder the mean
    of the scaled row, with variance 1. The loss is the negative evidence lower bound per feature,
    without its constant, with `beta` times the divergence of the codes from standard normals.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    beta : float, default=1.0
        Weight of the divergence.
    hidden, activation, input_scaling, batch_size, optimizer, learning_rate, n_epochs
        As for :class:`Autoencoder`.
    validation_fraction, tol, n_iter_no_change, random_state
        As for :class:`Autoencoder`.

    Attributes
    ----------
    network_, decoder_ : equinox modules
        The trained encoder, as far as it gives means, and decoder.
    loss_, validation_loss_, n_epochs_, n_steps_, stop_reason_
        As for :class:`Autoencoder`; the validation rows keep their draws.
    input_center_, input_scale_, n_features_in_, feature_names_in_
        As for :class:`Autoencoder`.

    References
    ----------
    D. Kingma and M. Welling, "Auto-Encoding Variational Bayes", ICLR 2014: Eq. 10. `beta`:
    I. Higgins et al., "beta-VAE", ICLR 2017: Eq. 4.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> VAE(hidden=(32,), n_epochs=20, random_state=0).fit_transform(X).shape
    (60, 2)
    """

    _parameter_constraints: dict = TRAINING_CONSTRAINTS | {
        "beta": [Interval(Real, 0, None, closed="left")]
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        beta: float = 1.0,
        hidden: Sequence[int] = (1024, 512, 256, 128),
        activation: str = "leaky_relu",
        input_scaling: str = "global",
        batch_size: int = 256,
        optimizer: str = "adam",
        learning_rate: float = 1e-3,
        n_epochs: int = 200,
        validation_fraction: float = 0.1,
        tol: float = 1e-5,
        n_iter_no_change: int = 20,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(
            n_components,
            hidden=hidden,
            activation=activation,
            input_scaling=input_scaling,
            batch_size=batch_size,
            optimizer=optimizer,
            learning_rate=learning_rate,
            n_epochs=n_epochs,
            validation_fraction=validation_fraction,
            tol=tol,
            n_iter_no_change=n_iter_no_change,
            random_state=random_state,
        )
        self.beta = beta

    def _objective(self) -> tuple[Callable[..., Array], int, int]:
        return negative_bound, 2 * self.n_components, self.n_components


def _first_outputs(network: Network, n_outputs: int) -> Network:
    """Return the network without its other outputs."""
    from nldr.methods.networks._training import Network

    weights = [*network.weights[:-1], network.weights[-1][:, :n_outputs]]
    biases = [*network.biases[:-1], network.biases[-1][:n_outputs]]
    return Network(weights, biases, network.activation)


def reconstruction_loss(
    model: tuple[Callable, Callable], X: Array, batch: tuple[Array, Array, Array]
) -> Array:
    """Mean squared error of the rows of a batch given back.

    Parameters
    ----------
    model : tuple of callables
        Encoder and decoder.
    X : array of shape (n_samples, n_features)
        Rows.
    batch : tuple
        Row numbers (size,); the rest is for :func:`negative_bound`.

    Returns
    -------
    array of shape ()
        The loss.
    """
    import jax.numpy as jnp

    encoder, decoder = model
    rows = X[batch[0]]
    return jnp.mean((decoder(encoder(rows)) - rows) ** 2)


def negative_bound(
    model: tuple[Callable, Callable], X: Array, batch: tuple[Array, Array, Array]
) -> Array:
    """Negative evidence lower bound of a batch, by row and feature, in nats.

    Parameters
    ----------
    model : tuple of callables
        Encoder, to means and log variances, and decoder.
    X : array of shape (n_samples, n_features)
        Rows.
    batch : tuple
        Row numbers (size,), standard normal draws (size, n_components) and the divergence's
        weight.

    Returns
    -------
    array of shape ()
        The loss, without the constant ½ log 2π.
    """
    import jax.numpy as jnp

    encoder, decoder = model
    numbers, draws, beta = batch
    rows = X[numbers]
    mean, log_variance = jnp.split(encoder(rows), 2, axis=1)
    given_back = decoder(mean + jnp.exp(log_variance / 2) * draws)
    misfit = jnp.sum((given_back - rows) ** 2) / 2
    divergence = jnp.sum(mean**2 + jnp.exp(log_variance) - 1 - log_variance) / 2
    return (misfit + beta * divergence) / rows.size
