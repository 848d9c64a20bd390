"""Base class of the estimators that train a network: validation, scaling, fit and transform."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from nldr.methods._base import OutOfSampleEmbedder
from nldr.methods._progress import StepProgress
from nldr.validation import Interval, StrOptions

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from nldr.methods.networks._network import Network
    from nldr.methods.networks._training import Optimizer, Stopping, TrainingResult

# Parameters of every estimator of this family
TRAINING_CONSTRAINTS: dict = {
    "n_components": [Interval(Integral, 1, None, closed="left")],
    "hidden": ["array-like"],
    "batch_size": [Interval(Integral, 2, None, closed="left")],
    "optimizer": [StrOptions({"adam", "sgd"})],
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "n_epochs": [Interval(Integral, 1, None, closed="left")],
    "validation_fraction": [Interval(Real, 0, 1, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
    "verbose": ["boolean"],
}
# Parameters of the estimators whose activation and input scaling are free
NETWORK_CONSTRAINTS: dict = TRAINING_CONSTRAINTS | {
    "activation": [StrOptions({"identity", "leaky_relu", "relu", "sigmoid", "tanh"})],
    "input_scaling": [StrOptions({"none", "range", "global", "features"})],
}


@dataclass(eq=False, repr=False, kw_only=True)
class NetworkEmbedding(OutOfSampleEmbedder):
    """Base class of estimators whose embedding is the output of a network.

    Its constructor is that of a dataclass. A subclass adds fields, among them ``activation`` and
    ``input_scaling`` unless they are fixed, or changes defaults. It may raise ``_min_samples``, and
    defines ``_fit_network``. New rows are embedded by the trained network. ``_saved_networks``
    names the networks that :meth:`save` writes.

    Parameters
    ----------
    n_components : int
        Dimension of the embedding.
    hidden : sequence of int
        Number of units of each hidden layer.
    activation : {"leaky_relu", "relu", "sigmoid", "tanh", "identity"}
        Activation of the hidden units. The slope of the leaky rectifier is 0.01 for negative
        inputs.
    input_scaling : {"none", "range", "global", "features"}
        Scaling of the network's input. ``"none"`` leaves the data unchanged; ``"range"`` maps their
        overall range to [0, 1]; ``"global"`` centers the features and divides all of them by the
        root of their mean variance; ``"features"`` standardizes each feature.
    batch_size : int
        Maximum number of rows per batch. An epoch consists of the fewest equal batches that this
        allows.
    optimizer : {"adam", "sgd"}
        Adam with its usual constants, or plain stochastic gradient descent.
    learning_rate : float
        Step size.
    n_epochs : int
        Maximum number of passes over the training rows.
    validation_fraction : float
        Fraction of the rows that is held out to monitor the training; none if that is less than
        two rows.
    tol : float
        Minimum decrease of the validation loss that counts as an improvement.
    n_iter_no_change : int
        Training stops after this many epochs without an improvement, and the weights of the best
        epoch are kept.
    random_state : int, RandomState instance or None
        Seed of everything that is drawn: initial weights, validation rows, batches. With an
        integer, two fits give the same network.
    verbose : bool
        Whether the state of the training is printed every ten seconds: epochs, loss of the
        validation rows, if there are some, and time left.

    Attributes
    ----------
    embedding_ : ndarray of float32, shape (n_samples, n_components)
        Embedding of the training rows.
    network_ : equinox module
        The trained network.
    loss_ : ndarray of shape (n_epochs_,)
        Mean batch loss of each epoch.
    validation_loss_ : ndarray of shape (n_epochs_,)
        Loss of the validation rows after each epoch; empty if there are none.
    n_epochs_ : int
        Number of epochs of the training.
    n_steps_ : int
        Number of steps of the optimizer.
    stop_reason_ : {"validation_loss", "n_epochs"}
        The criterion that ended the training.
    input_center_ : ndarray of shape (n_features_in_,)
        Subtrahend of each feature at the network's input.
    input_scale_ : ndarray of shape (n_features_in_,)
        Divisor of each feature at the network's input.

    Raises
    ------
    ValueError
        If there are too few rows, a hidden layer has no unit, or a parameter does not suit the
        data.
    FloatingPointError
        If training diverges.
    """

    _saved_arrays: ClassVar[tuple[str, ...]] = ("input_center_", "input_scale_", "embedding_")
    _saved_networks: ClassVar[tuple[str, ...]] = ("network_",)

    n_components: int = field(default=2, kw_only=False)
    hidden: Sequence[int] = (1024, 512, 256, 128)
    batch_size: int = 256
    optimizer: str = "adam"
    learning_rate: float = 1e-3
    n_epochs: int = 200
    validation_fraction: float = 0.1
    tol: float = 1e-5
    n_iter_no_change: int = 20
    random_state: int | np.random.RandomState | None = None
    verbose: bool = False

    network_: Network = field(init=False)
    input_center_: NDArray = field(init=False)
    input_scale_: NDArray = field(init=False)

    def _fit(self, data: NDArray) -> None:
        rng = check_random_state(self.random_state)
        result, network = self._fit_network(data, self._layer_sizes(data.shape[1]), rng)
        from nldr.methods.networks._network import forward

        self.network_ = network
        self.embedding_ = forward(network, data, self.input_center_, self.input_scale_)
        self.loss_ = result.loss
        self.validation_loss_ = result.validation_loss
        self.n_epochs_ = len(result.loss)
        self.n_steps_ = result.n_steps
        self.stop_reason_ = result.stop_reason

    def _transform(self, data: NDArray) -> NDArray:
        from nldr.methods.networks._network import forward

        return forward(self.network_, data, self.input_center_, self.input_scale_)

    def save(self, file: str | PathLike) -> None:
        """Write the fitted estimator to an ``.npz`` file, without the history of its training.

        The file holds the parameters, the networks, the scaling of the input and the embedding of
        the training rows. Nothing in it is pickled. A `random_state` that is not an integer is
        saved as None.

        Parameters
        ----------
        file : path-like
            The file; numpy appends ``.npz`` if the suffix is missing.
        """
        check_is_fitted(self)
        from nldr.methods.networks._network import network_arrays

        # Parameters as JSON, in which sequences become lists
        params = self.get_params()
        if not isinstance(params["random_state"], Integral):
            params["random_state"] = None
        description = {"class": type(self).__name__, "params": params}
        text = json.dumps(description, default=lambda value: np.asarray(value).tolist())
        arrays = {"description": np.array(text)}
        for name in (*self._saved_arrays, "feature_names_in_"):
            if hasattr(self, name):
                value = getattr(self, name)
                arrays[name] = np.asarray(value, str if name == "feature_names_in_" else None)
        for name in self._saved_networks:
            arrays |= network_arrays(getattr(self, name), f"{name}.")
        np.savez(file, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, file: str | PathLike) -> Self:
        """Return the estimator that :meth:`save` wrote, ready to embed new rows.

        Parameters
        ----------
        file : path-like
            The ``.npz`` file.

        Returns
        -------
        estimator
            A fitted estimator with the parameters and attributes that were saved.

        Raises
        ------
        ValueError
            If the file is not one of an estimator of this class.
        """
        from nldr.methods.networks._network import network_from

        with np.load(file) as content:
            arrays = dict(content)
        # The class, and an estimator with the same parameters
        if "description" not in arrays:
            raise ValueError(f"{file} was not written by {cls.__name__}.save")
        description = json.loads(str(arrays["description"]))
        if description["class"] != cls.__name__:
            raise ValueError(
                f"{file} is of class {description['class']}: load it with "
                f"{description['class']}.load instead of {cls.__name__}.load"
            )
        estimator = cls(**description["params"])
        for name in cls._saved_arrays:
            setattr(estimator, name, arrays[name])
        estimator.n_features_in_ = len(estimator.input_center_)
        if "feature_names_in_" in arrays:
            estimator.feature_names_in_ = arrays["feature_names_in_"].astype(object)
        for name in cls._saved_networks:
            setattr(estimator, name, network_from(arrays, f"{name}."))
        return estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def _fit_network(
        self, data: NDArray, layer_sizes: list[int], rng: np.random.RandomState
    ) -> tuple[TrainingResult, Network]:
        """Train on validated data, calling :meth:`_fit_scaling`; return result and network."""
        raise NotImplementedError

    def _train(
        self,
        model: Any,
        loss: Callable[..., Any],
        data: Any,
        make_batches: Callable[[NDArray], Any],
        training: NDArray,
        validation: NDArray,
    ) -> TrainingResult:
        """Train a model on batches of training rows, with validation batches that are drawn once.

        `make_batches` returns new batches of the given rows or edges in each call.
        """
        from nldr.methods.networks._training import train

        return train(
            model,
            loss,
            data,
            lambda epoch: make_batches(training),
            make_batches(validation) if len(validation) else None,
            self._make_optimizer(),
            self._make_stopping(),
            self._progress(),
        )

    def _progress(self) -> Callable[[int, float], None]:
        """Return what is told of each epoch, starting now."""
        label = type(self).__name__ if self.verbose else ""
        return StepProgress(label, "epoch", "loss", self.n_epochs).advance

    def _fit_scaling(self, X: NDArray, input_scaling: str) -> NDArray:
        """Learn the scaling of the network's input and return `X` scaled."""
        if input_scaling == "none":
            center, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        elif input_scaling == "range":
            # One minimum and one range for all features
            center, scale = np.full(X.shape[1], X.min()), np.full(X.shape[1], np.ptp(X))
        else:
            center, scale = X.mean(axis=0), X.std(axis=0)
        if input_scaling == "global":
            # One divisor for all features: the root of their mean variance
            scale = np.full_like(scale, np.sqrt(np.mean(scale**2)))
        # Constant features are centered only
        self.input_center_, self.input_scale_ = center, np.where(scale > 0, scale, 1.0)
        from nldr.methods.networks._network import scale_inputs

        return scale_inputs(X, self.input_center_, self.input_scale_)

    def _layer_sizes(self, n_features: int) -> list[int]:
        """Return the number of units of each layer, from the input to the embedding."""
        hidden = [int(n) for n in self.hidden]
        if any(n < 1 for n in hidden):
            raise ValueError(f"hidden={self.hidden}: each layer needs at least one unit")
        return [n_features, *hidden, self.n_components]

    def _make_optimizer(self, **options: Any) -> Optimizer:
        from nldr.methods.networks._training import Optimizer

        return Optimizer(self.optimizer, float(self.learning_rate), **options)

    def _make_stopping(self, after_epoch: int = 0) -> Stopping:
        from nldr.methods.networks._training import Stopping

        return Stopping(self.n_epochs, self.tol, self.n_iter_no_change, after_epoch)

    def _split_rows(self, n_samples: int, rng: np.random.RandomState) -> tuple[NDArray, NDArray]:
        """Return training and validation rows; there is no validation set of a single row."""
        order = rng.permutation(n_samples)
        n_validation = int(self.validation_fraction * n_samples)
        if n_validation < 2:
            n_validation = 0
        return order[n_validation:], order[:n_validation]
