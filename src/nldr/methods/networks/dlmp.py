"""Deep learning multidimensional projection: a network that learns t-SNE's embedding."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from nldr.methods.networks._estimator import TRAINING_CONSTRAINTS, NetworkEmbedding

if TYPE_CHECKING:
    from collections.abc import Callable

    from jax import Array


class DLMP(NetworkEmbedding):
    """A network trained to place rows where t-SNE has put them (Espadoto et al.).

    t-SNE embeds all training rows, its embedding is brought to mean 0 and root mean variance 1,
    and the network minimizes the mean squared error.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    perplexity : float, default=50.0
        Of t-SNE.
    n_iter : int, default=1000
        Steps of t-SNE, the 250 of early exaggeration counted; at least 250.
    hidden : sequence of int, default=(1024, 512, 256, 128)
        Units of the hidden layers.
    activation : {"leaky_relu", "relu", "sigmoid", "tanh", "identity"}, default="leaky_relu"
        Of the hidden units.
    input_scaling : {"none", "range", "global", "features"}, default="range"
        What the network sees: the data as they are; brought to [0, 1] as a whole; centered and
        divided by one number, the root mean variance of the features; or each feature
        standardized. t-SNE sees them as they are.
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
    n_jobs : int, default=1
        Threads of t-SNE; -1 for all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of t-SNE, weights, validation rows and batches. With an integer two fits give the
        same network.

    Attributes
    ----------
    network_ : equinox module
        The trained network.
    target_ : ndarray of shape (n_samples, n_components)
        t-SNE's embedding as the network is to learn it.
    loss_, validation_loss_ : ndarray of shape (n_epochs_,)
        Mean loss of each epoch, and that of the validation rows after it, empty without such.
    n_epochs_ : int
        Epochs run.
    n_steps_ : int
        Steps of the optimizer.
    stop_reason_ : str
        ``"validation_loss"`` or ``"n_epochs"``.
    input_center_, input_scale_ : ndarray of shape (n_features_in_,)
        What is subtracted from features, and what they are divided by, before the network.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    UserWarning
        If `perplexity` is lowered.

    References
    ----------
    M. Espadoto, N. Hirata and A. Telea, "Deep learning multidimensional projections",
    Information Visualization 19, 2020. As a baseline: Lai et al., "Parametric Dimension
    Reduction by Preserving Local Structure", IEEE VIS 2022, §4.1 and §4.4.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> X[:30] += 10
    >>> model = DLMP(perplexity=5, hidden=(32,), n_epochs=20, random_state=0)
    >>> model.fit(X[::2]).transform(X[1::2]).shape
    (30, 2)
    """

    _parameter_constraints: dict = TRAINING_CONSTRAINTS | {
        "perplexity": [Interval(Real, 0, None, closed="neither")],
        "n_iter": [Interval(Integral, 250, None, closed="left")],
        "n_jobs": [Integral],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float = 50.0,
        n_iter: int = 1000,
        hidden: Sequence[int] = (1024, 512, 256, 128),
        activation: str = "leaky_relu",
        input_scaling: str = "range",
        batch_size: int = 256,
        optimizer: str = "adam",
        learning_rate: float = 1e-3,
        n_epochs: int = 200,
        validation_fraction: float = 0.1,
        tol: float = 1e-5,
        n_iter_no_change: int = 20,
        n_jobs: int = 1,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.n_iter = n_iter
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
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> DLMP:
        """Embed the rows of `X` by t-SNE and train the network on the result.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, at least four rows.
        y : None
            Not used.

        Returns
        -------
        DLMP
            The fitted estimator.

        Raises
        ------
        ValueError
            If `perplexity` is below 1, all rows are equal or a hidden layer has no unit.
        FloatingPointError
            If training diverges.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=4)
        rng = check_random_state(self.random_state)
        layers = self._layers(data.shape[1])

        from nldr.methods.networks._training import equal_batches, glorot, train
        from nldr.methods.tsne import TSNE

        tsne = TSNE(
            self.n_components,
            perplexity=self.perplexity,
            n_iter=self.n_iter - 250,
            n_jobs=self.n_jobs,
            random_state=rng.randint(np.iinfo(np.int32).max),
        )
        embedding = tsne.fit_transform(data)
        embedding -= embedding.mean(axis=0)
        self.target_ = embedding / np.sqrt(np.mean(embedding**2))
        training, validation = self._split(len(data), rng)

        def deal(rows: NDArray) -> NDArray:
            return equal_batches(rows, self.batch_size, rng)

        trained = train(
            glorot(layers, self.activation, rng),
            squared_error,
            (self._fit_scaling(data, self.input_scaling), self.target_.astype(np.float32)),
            lambda epoch: deal(training),
            deal(validation) if len(validation) else None,
            self._optimizer(),
            self._stopping(),
        )
        self._keep(trained, trained.model)
        return self


def squared_error(network: Callable, data: tuple[Array, Array], rows: Array) -> Array:
    """Mean squared error of a batch.

    Parameters
    ----------
    network : callable
        From inputs to outputs.
    data : tuple of arrays
        Inputs (n_samples, n_features) and wished outputs (n_samples, n_components).
    rows : array of shape (size,)
        Row numbers of the batch.

    Returns
    -------
    array of shape ()
        The loss.
    """
    import jax.numpy as jnp

    X, target = data
    return jnp.mean((network(X[rows]) - target[rows]) ** 2)
