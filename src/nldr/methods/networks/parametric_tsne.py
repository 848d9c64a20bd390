"""Parametric t-SNE: a network trained on t-SNE's objective, batch by batch."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_matrix, triu
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from nldr.methods.networks._estimator import TRAINING_CONSTRAINTS, NetworkEmbedding

if TYPE_CHECKING:
    from jax import Array


class ParametricTSNE(NetworkEmbedding):
    """A network that places points by t-SNE's objective (Lai et al.).

    Affinities over the nearest neighbors among all training rows are sub-sampled to each batch
    and made to sum to 1 there; the loss of a batch is the Kullback-Leibler divergence of the
    embedding's similarities from them. New rows are placed by the network.

    The similarity is Student's t with ``max(n_components - 1, 1)`` degrees of freedom, in one
    and two dimensions the usual Cauchy kernel.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    perplexity : float, default=50.0
        Effective number of neighbors of a point, at least 1. It is lowered, with a warning, to
        ``(n_samples - 1) / 3`` where it exceeds that.
    hidden : sequence of int, default=(1024, 512, 256, 128)
        Units of the hidden layers.
    activation : {"leaky_relu", "relu", "sigmoid", "tanh", "identity"}, default="leaky_relu"
        Of the hidden units; the leaky one has slope 0.01 on the negative side.
    input_scaling : {"none", "range", "global", "features"}, default="range"
        What the network sees: the data as they are; brought to [0, 1] as a whole; centered and
        divided by one number, the root mean variance of the features; or each feature
        standardized. Affinities are always those of the data as they are.
    loss : {"kl", "released"}, default="kl"
        The divergence; or the form of the authors' code, in which affinities are not made to sum
        to 1 in a batch, similarities are divided by a sum that includes the diagonal, and
        exaggeration multiplies the whole loss.
    early_exaggeration : float, default=4.0
        Factor on the affinities at first.
    exaggeration_iter : int, default=250
        How long that lasts.
    exaggeration_unit : {"steps", "epochs"}, default="steps"
        What is counted; the authors' code counts epochs.
    exaggeration : float, default=1.0
        Factor on the affinities after that; above 1 clusters are denser and farther apart.
    batch_size : int, default=256
        Largest size of a batch. An epoch goes over as few equal batches as that allows.
    optimizer : {"adam", "sgd"}, default="adam"
        How weights follow the gradient.
    learning_rate : float, default=1e-3
        Step size.
    final_learning_rate : float or None, default=None
        Where a cosine brings the step size to over `n_epochs`; 1e-7 in the authors' code.
    clip : float or None, default=None
        Bound on the absolute value of the gradient's entries; 4 in the authors' code.
    n_epochs : int, default=200
        Largest number of passes over the training rows.
    validation_fraction : float, default=0.1
        Share of the rows that the network is not trained on; none if that is less than two.
    tol : float, default=1e-5
        What the validation loss must fall by to count as better.
    n_iter_no_change : int, default=20
        So many epochs without a better validation loss, counted from the end of exaggeration,
        end the training; the weights of the best one are kept.
    n_jobs : int, default=1
        Threads of the neighbor search; -1 for all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of weights, validation rows and batches. With an integer two fits give the same
        network.

    Attributes
    ----------
    network_ : equinox module
        The trained network; see :meth:`save_weights`.
    loss_ : ndarray of shape (n_epochs_,)
        Mean batch loss of each epoch; with exaggeration, that of the exaggerated objective.
    validation_loss_ : ndarray of shape (n_epochs_,)
        Loss of the validation rows after each epoch, without early exaggeration; empty without
        such rows.
    n_epochs_ : int
        Epochs run.
    n_steps_ : int
        Steps of the optimizer.
    stop_reason_ : str
        ``"validation_loss"`` or ``"n_epochs"``.
    perplexity_ : float
        The perplexity used.
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
    C.-H. Lai, M.-F. Kuo, Y.-H. Lien, K.-A. Su and Y.-S. Wang, "Parametric Dimension Reduction by
    Preserving Local Structure", IEEE VIS 2022: Eqs. 2 to 8, §3.3 and §4.4.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> X[:30] += 10
    >>> model = ParametricTSNE(perplexity=5, hidden=(32,), n_epochs=20, random_state=0)
    >>> model.fit(X[::2]).transform(X[1::2]).shape
    (30, 2)
    """

    _parameter_constraints: dict = TRAINING_CONSTRAINTS | {
        "perplexity": [Interval(Real, 0, None, closed="neither")],
        "loss": [StrOptions({"kl", "released"})],
        "early_exaggeration": [Interval(Real, 1, None, closed="left")],
        "exaggeration_iter": [Interval(Integral, 0, None, closed="left")],
        "exaggeration_unit": [StrOptions({"steps", "epochs"})],
        "exaggeration": [Interval(Real, 0, None, closed="neither")],
        "final_learning_rate": [None, Interval(Real, 0, None, closed="left")],
        "clip": [None, Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float = 50.0,
        hidden: Sequence[int] = (1024, 512, 256, 128),
        activation: str = "leaky_relu",
        input_scaling: str = "range",
        loss: str = "kl",
        early_exaggeration: float = 4.0,
        exaggeration_iter: int = 250,
        exaggeration_unit: str = "steps",
        exaggeration: float = 1.0,
        batch_size: int = 256,
        optimizer: str = "adam",
        learning_rate: float = 1e-3,
        final_learning_rate: float | None = None,
        clip: float | None = None,
        n_epochs: int = 200,
        validation_fraction: float = 0.1,
        tol: float = 1e-5,
        n_iter_no_change: int = 20,
        n_jobs: int = 1,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.hidden = hidden
        self.activation = activation
        self.input_scaling = input_scaling
        self.loss = loss
        self.early_exaggeration = early_exaggeration
        self.exaggeration_iter = exaggeration_iter
        self.exaggeration_unit = exaggeration_unit
        self.exaggeration = exaggeration
        self.batch_size = batch_size
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.final_learning_rate = final_learning_rate
        self.clip = clip
        self.n_epochs = n_epochs
        self.validation_fraction = validation_fraction
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.n_jobs = n_jobs
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> ParametricTSNE:
        """Train the network on the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, at least four rows, so that a perplexity of 1 is possible.
        y : None
            Not used.

        Returns
        -------
        ParametricTSNE
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
        self.perplexity_ = feasible_perplexity(data, self.perplexity)
        P = affinities(data, self.perplexity_, self.n_jobs)

        from nldr.methods.networks._training import equal_batches, glorot, train

        training, validation = self._split(len(data), rng)
        n_batches = -(-len(training) // self.batch_size)
        per_unit = {"steps": 1, "epochs": n_batches}[self.exaggeration_unit]
        n_exaggerated = self.exaggeration_iter * per_unit

        def batches(epoch: int) -> tuple[NDArray, NDArray, NDArray]:
            rows = equal_batches(training, self.batch_size, rng)
            step = epoch * n_batches + np.arange(n_batches)
            early = step < n_exaggerated
            factor = np.where(early, self.early_exaggeration, self.exaggeration)
            return rows, sub_affinities(P, rows), factor.astype(np.float32)

        held_out = None
        if len(validation):
            rows = equal_batches(validation, self.batch_size, rng)
            factor = np.full(len(rows), self.exaggeration, np.float32)
            held_out = rows, sub_affinities(P, rows), factor
        optimizer = self._optimizer(
            final_learning_rate=self.final_learning_rate,
            n_steps=0 if self.final_learning_rate is None else self.n_epochs * n_batches,
            clip=self.clip,
        )
        trained = train(
            glorot(layers, self.activation, rng),
            {"kl": kl_loss, "released": released_loss}[self.loss],
            self._fit_scaling(data, self.input_scaling),
            batches,
            held_out,
            optimizer,
            self._stopping(-(-n_exaggerated // n_batches)),
        )
        self._keep(trained, trained.model)
        return self


def feasible_perplexity(X: NDArray, perplexity: float) -> float:
    """Return the perplexity that `X` allows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    perplexity : float
        What is wished for.

    Returns
    -------
    float
        At most ``(n_samples - 1) / 3``.

    Raises
    ------
    ValueError
        If it is below 1 or all rows are equal.
    """
    if perplexity < 1:
        raise ValueError(f"perplexity={perplexity:g} must be at least 1, one neighbor")
    if np.all(X[0] == X):
        raise ValueError(f"all {len(X)} rows of X are equal: there is nothing to embed")
    most = (len(X) - 1) / 3
    if perplexity > most:
        warnings.warn(
            f"perplexity={perplexity:g} is too high for {len(X)} samples, {most:g} is used",
            UserWarning,
            stacklevel=4,
        )
    return min(float(perplexity), most)


def affinities(X: NDArray, perplexity: float, n_jobs: int = 1) -> csr_matrix:
    """Return the upper triangle of t-SNE's symmetric affinities, the joint form of Eq. 2.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Observations.
    perplexity : float
        Effective number of neighbors; three times as many are searched, exactly.
    n_jobs : int
        Threads.

    Returns
    -------
    csr_matrix of shape (n_samples, n_samples)
        Above the diagonal; twice the sum of all entries is 1.
    """
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import Sklearn

    # By a name of its method openTSNE would import its approximate neighbors too, most of a second
    neighbors = Sklearn(X, k=min(len(X) - 1, int(3 * perplexity)), n_jobs=n_jobs)
    P = PerplexityBasedNN(knn_index=neighbors, perplexity=perplexity, n_jobs=n_jobs).P
    return triu(P, 1).tocsr()


def sub_affinities(upper: csr_matrix, batches: NDArray) -> NDArray:
    """Return the affinities within each batch.

    Parameters
    ----------
    upper : csr_matrix of shape (n_samples, n_samples)
        Upper triangle of symmetric affinities.
    batches : ndarray of shape (n_batches, size)
        Row numbers of each batch, none twice.

    Returns
    -------
    ndarray of float32, shape (n_batches, size, size)
        Symmetric blocks, as they are in the whole: their sums are below 1.

    Examples
    --------
    >>> upper = csr_matrix([[0, 0.1, 0.4], [0, 0, 0], [0, 0, 0]])
    >>> sub_affinities(upper, np.array([[2, 0]])).round(6).tolist()
    [[[0.0, 0.4000000059604645], [0.4000000059604645, 0.0]]]
    """
    n_batches, size = batches.shape
    batch_of = np.full(upper.shape[0], -1, np.int32)
    slot_of = np.empty(upper.shape[0], np.int32)
    batch_of[batches] = np.arange(n_batches, dtype=np.int32)[:, np.newaxis]
    slot_of[batches] = np.arange(size, dtype=np.int32)
    counts = np.diff(upper.indptr)
    here = np.repeat(batch_of, counts)
    inside = np.flatnonzero((here == batch_of[upper.indices]) & (here >= 0))
    i = np.searchsorted(upper.indptr, inside, side="right") - 1
    j = upper.indices[inside]
    blocks = np.zeros((n_batches, size, size), np.float32)
    blocks[batch_of[i], slot_of[i], slot_of[j]] = upper.data[inside]
    blocks[batch_of[i], slot_of[j], slot_of[i]] = upper.data[inside]
    return blocks


def _log_kernel(Y: Array) -> Array:
    """Logarithm of Student's kernel between all rows of `Y`, log w of Eq. 3."""
    import jax.numpy as jnp

    dof = max(Y.shape[1] - 1, 1)
    squared = sum((y[:, None] - y[None, :]) ** 2 for y in Y.T)
    return -(dof + 1) / 2 * jnp.log1p(squared / dof)


def kl_loss(network: Any, X: Array, batch: tuple[Array, Array, Array]) -> Array:
    """Kullback-Leibler divergence within a batch, Eq. 4, in nats; its gradient is Eq. 8.

    Parameters
    ----------
    network : callable
        From rows of `X` to an embedding.
    X : array of shape (n_samples, n_features)
        Inputs.
    batch : tuple
        Row numbers (size,), their affinities (size, size), which are made to sum to 1, and the
        factor of exaggeration on the affinities in the attraction.

    Returns
    -------
    array of shape ()
        The loss; 0 if no row of the batch is a neighbor of another.
    """
    import jax.numpy as jnp
    from jax.scipy.special import xlogy

    rows, p, exaggeration = batch
    log_w = _log_kernel(network(X[rows]))
    p = p / jnp.maximum(jnp.sum(p), jnp.finfo(p.dtype).tiny)
    normalizer = jnp.log(jnp.sum(jnp.exp(log_w)) - len(rows))
    attraction = exaggeration * jnp.sum(p * log_w)
    return jnp.sum(xlogy(p, p)) - attraction + jnp.sum(p) * normalizer


def released_loss(network: Any, X: Array, batch: tuple[Array, Array, Array]) -> Array:
    """Loss of the authors' code: Eq. 4 with affinities that do not sum to 1 in the batch.

    Parameters
    ----------
    network, X, batch
        As for :func:`kl_loss`.

    Returns
    -------
    array of shape ()
        The loss, which may be negative.
    """
    import jax.numpy as jnp
    from jax.scipy.special import xlogy

    rows, p, exaggeration = batch
    log_w = _log_kernel(network(X[rows]))
    p = exaggeration * p
    return jnp.sum(xlogy(p, p) - p * (log_w - jnp.log(jnp.sum(jnp.exp(log_w)))))
