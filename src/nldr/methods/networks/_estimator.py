"""What estimators that train a network share: parameters, scaling, validation rows, transform."""

from __future__ import annotations

from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from nldr.methods.networks._training import Network, Optimizer, Stopping, Trained

TRAINING_CONSTRAINTS: dict = {
    "n_components": [Interval(Integral, 1, None, closed="left")],
    "hidden": ["array-like"],
    "activation": [StrOptions({"identity", "leaky_relu", "relu", "sigmoid", "tanh"})],
    "input_scaling": [StrOptions({"none", "range", "global", "features"})],
    "batch_size": [Interval(Integral, 2, None, closed="left")],
    "optimizer": [StrOptions({"adam", "sgd"})],
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "n_epochs": [Interval(Integral, 1, None, closed="left")],
    "validation_fraction": [Interval(Real, 0, 1, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
}


class NetworkEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of estimators whose embedding is the output of a network.

    A subclass has the parameters of ``TRAINING_CONSTRAINTS`` and its ``fit`` sets ``network_``.
    """

    network_: Network

    def transform(self, X: ArrayLike) -> NDArray:
        """Place rows by the trained network.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Observations.

        Returns
        -------
        ndarray of float32, shape (n_points, n_components)
            Their places.
        """
        check_is_fitted(self)
        from nldr.methods.networks._training import forward

        data: NDArray = validate_data(self, X, dtype=np.float64, reset=False)
        return forward(self.network_, data, self.input_center_, self.input_scale_)

    def save_weights(self, file: str | PathLike) -> None:
        """Write the trained network to an ``.npz`` file.

        Parameters
        ----------
        file : path-like
            Where to; numpy adds ``.npz`` where it is missing.
        """
        check_is_fitted(self)
        from nldr.methods.networks._training import save_weights

        save_weights(self.network_, file)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.network_.biases[-1].shape[0]

    def _fit_scaling(self, X: NDArray, input_scaling: str) -> NDArray:
        """Learn how the network's input is scaled, and return `X` scaled."""
        if input_scaling == "none":
            center, scale = np.zeros(X.shape[1]), np.ones(X.shape[1])
        elif input_scaling == "range":
            center, scale = np.full(X.shape[1], X.min()), np.full(X.shape[1], np.ptp(X))
        else:
            center, scale = X.mean(axis=0), X.std(axis=0)
        if input_scaling == "global":
            scale = np.full_like(scale, np.sqrt(np.mean(scale**2)))
        self.input_center_, self.input_scale_ = center, np.where(scale > 0, scale, 1.0)
        from nldr.methods.networks._training import scaled

        return scaled(X, self.input_center_, self.input_scale_)

    def _layers(self, n_features: int) -> list[int]:
        """Return the numbers of units from input to embedding."""
        hidden = [int(n) for n in self.hidden]
        if any(n < 1 for n in hidden):
            raise ValueError(f"hidden={self.hidden}: each layer needs at least one unit")
        return [n_features, *hidden, self.n_components]

    def _optimizer(self, **options: Any) -> Optimizer:
        from nldr.methods.networks._training import Optimizer

        return Optimizer(self.optimizer, float(self.learning_rate), **options)

    def _stopping(self, after_epoch: int = 0) -> Stopping:
        from nldr.methods.networks._training import Stopping

        return Stopping(self.n_epochs, self.tol, self.n_iter_no_change, after_epoch)

    def _split(self, n_samples: int, rng: np.random.RandomState) -> tuple[NDArray, NDArray]:
        """Return the rows to train on and the rows to validate on, none if less than two."""
        order = rng.permutation(n_samples)
        n_validation = int(self.validation_fraction * n_samples)
        if n_validation < 2:
            n_validation = 0
        return order[n_validation:], order[:n_validation]

    def _keep(self, trained: Trained, network: Network) -> None:
        """Set what a fit leaves."""
        self.network_ = network
        self.loss_ = trained.loss
        self.validation_loss_ = trained.validation_loss
        self.n_epochs_ = len(trained.loss)
        self.n_steps_ = trained.n_steps
        self.stop_reason_ = trained.stop_reason
