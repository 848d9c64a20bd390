"""Parametric t-SNE as first proposed: layers pre-trained as restricted Boltzmann machines."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from nldr.methods.networks._estimator import TRAINING_CONSTRAINTS, NetworkEmbedding
from nldr.methods.networks.parametric_tsne import (
    affinities,
    feasible_perplexity,
    kl_loss,
    sub_affinities,
)


class ParametricTSNERBM(NetworkEmbedding):
    """A network pre-trained as a stack of Boltzmann machines, then by t-SNE (van der Maaten).

    Sigmoid layers are trained one after the other by one-step contrastive divergence on the data
    brought to [0, 1] by their smallest and largest value; the last layer is linear. The whole is
    then trained on the divergence of t-SNE within batches, without exaggeration. The similarity
    is Student's t with ``max(n_components - 1, 1)`` degrees of freedom. Steps are Adam's, where
    the paper has conjugate gradients, and affinities those of the whole set within a batch.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    perplexity : float, default=30.0
        Effective number of neighbors of a point, at least 1. It is lowered, with a warning, to
        ``(n_samples - 1) / 3`` where it exceeds that.
    hidden : sequence of int, default=(500, 500, 2000)
        Units of the hidden layers.
    pretrain_epochs : int, default=30
        Passes over the training rows for each layer; 0 leaves small random weights.
    pretrain_batch_size : int, default=100
        Largest number of rows of a step of pre-training.
    pretrain_learning_rate : float, default=0.1
        Step size of pre-training; a hundredth of it in the last layer.
    batch_size : int, default=1000
        Largest size of a batch of t-SNE.
    optimizer : {"adam", "sgd"}, default="adam"
        How weights follow the gradient.
    learning_rate : float, default=1e-3
        Step size.
    n_epochs : int, default=200
        Largest number of passes over the training rows after pre-training.
    validation_fraction : float, default=0.1
        Share of the rows that the network is not trained on; none if that is less than two.
    tol : float, default=1e-5
        What the validation loss must fall by to count as better.
    n_iter_no_change : int, default=20
        So many epochs without a better validation loss end the training; the weights of the best
        one are kept.
    n_jobs : int, default=1
        Threads of the neighbor search; -1 for all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of all that is drawn. With an integer two fits give the same network.

    Attributes
    ----------
    network_ : equinox module
        The trained network.
    perplexity_ : float
        The perplexity used.
    loss_, validation_loss_ : ndarray of shape (n_epochs_,)
        Mean loss of each epoch, and that of the validation rows after it, empty without such.
    n_epochs_ : int
        Epochs run after pre-training.
    n_steps_ : int
        Steps of the optimizer in them.
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
    L. van der Maaten, "Learning a parametric embedding by preserving local structure",
    AISTATS 2009.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((60, 5))
    >>> X[:30] += 10
    >>> model = ParametricTSNERBM(perplexity=5, hidden=(32,), n_epochs=20, random_state=0)
    >>> model.fit(X[::2]).transform(X[1::2]).shape
    (30, 2)
    """

    _parameter_constraints: dict = {
        name: constraint
        for name, constraint in TRAINING_CONSTRAINTS.items()
        if name not in ("activation", "input_scaling")
    } | {
        "perplexity": [Interval(Real, 0, None, closed="neither")],
        "pretrain_epochs": [Interval(Integral, 0, None, closed="left")],
        "pretrain_batch_size": [Interval(Integral, 1, None, closed="left")],
        "pretrain_learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float = 30.0,
        hidden: Sequence[int] = (500, 500, 2000),
        pretrain_epochs: int = 30,
        pretrain_batch_size: int = 100,
        pretrain_learning_rate: float = 0.1,
        batch_size: int = 1000,
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
        self.hidden = hidden
        self.pretrain_epochs = pretrain_epochs
        self.pretrain_batch_size = pretrain_batch_size
        self.pretrain_learning_rate = pretrain_learning_rate
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
    def fit(self, X: ArrayLike, y: Any = None) -> ParametricTSNERBM:
        """Pre-train and train the network on the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, at least four rows.
        y : None
            Not used.

        Returns
        -------
        ParametricTSNERBM
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
        unit = self._fit_scaling(data, "range")

        from nldr.methods.networks._rbm import train_stack
        from nldr.methods.networks._training import Network, equal_batches, train

        training, validation = self._split(len(data), rng)
        machines = train_stack(
            unit[training],
            layers[1:],
            rng,
            n_epochs=self.pretrain_epochs,
            batch_size=self.pretrain_batch_size,
            learning_rate=self.pretrain_learning_rate,
        )

        def deal(rows: NDArray) -> tuple[NDArray, NDArray, NDArray]:
            batches = equal_batches(rows, self.batch_size, rng)
            return batches, sub_affinities(P, batches), np.ones(len(batches), np.float32)

        trained = train(
            Network([m.weights for m in machines], [m.hidden for m in machines], "sigmoid"),
            kl_loss,
            unit,
            lambda epoch: deal(training),
            deal(validation) if len(validation) else None,
            self._optimizer(),
            self._stopping(),
        )
        self._keep(trained, trained.model)
        return self
