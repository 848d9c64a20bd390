"""The two ends of every scale: an embedding of pure noise, and the true latent itself."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.decomposition import PCA
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data


class RandomEmbedding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Standard normal coordinates, independent of the data: what no method should fall below.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    random_state : int, RandomState instance or None, default=None
        Seed of the coordinates.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Examples
    --------
    >>> RandomEmbedding(random_state=0).fit_transform([[1.0], [2.0], [3.0]]).shape
    (3, 2)
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> RandomEmbedding:
        """Draw one point for each row of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations; only their number counts.
        y : None
            Not used.

        Returns
        -------
        RandomEmbedding
            The fitted estimator.
        """
        n_samples = len(validate_data(self, X))
        random_state = check_random_state(self.random_state)
        self.embedding_ = random_state.standard_normal((n_samples, self.n_components))
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Draw one point for each row of `X` and return them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations; only their number counts.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X).embedding_

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


class Oracle(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The true latent, given as `y`: what no method can surpass.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the embedding; None for that of the latent. Where it is lower than that of
        the latent, the embedding is the latent's first principal components.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The latent or its principal components.
    n_features_in_ : int
        Number of features of `X` seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.arange(6.0).reshape(3, 2)
    >>> Oracle().fit_transform(np.zeros((3, 9)), Z)
    array([[0., 1.],
           [2., 3.],
           [4., 5.]])
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(self, n_components: int | None = None) -> None:
        self.n_components = n_components

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Oracle:
        """Take the latent as the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations; only their number counts.
        y : array-like of shape (n_samples, n_latent) or (n_samples,)
            True latent.

        Returns
        -------
        Oracle
            The fitted estimator.

        Raises
        ------
        ValueError
            If `n_components` is more than ``n_latent`` or, where principal components are asked
            for, than ``n_samples``.
        """
        latent = validate_data(self, X, y, multi_output=True, y_numeric=True)[1]
        latent = latent.reshape(len(latent), -1)
        n_latent = latent.shape[1]
        n_components = n_latent if self.n_components is None else self.n_components
        if n_components > n_latent:
            raise ValueError(f"n_components={n_components}, but the latent has {n_latent}")
        if n_components < n_latent:
            latent = PCA(n_components, svd_solver="full").fit_transform(latent)
        self.embedding_ = np.array(latent, dtype=np.float64)
        return self

    def fit_transform(self, X: ArrayLike, y: ArrayLike) -> NDArray:
        """Return the latent as the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations; only their number counts.
        y : array-like of shape (n_samples, n_latent) or (n_samples,)
            True latent.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X, y).embedding_

    def __sklearn_tags__(self) -> Tags:
        """Add that the latent must be given and may have several columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


class DamagedOracle(Oracle):
    """The true latent, damaged in one way by one amount: how a metric should fall.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimension of the embedding, as for :class:`Oracle`.
    damage : {"noise", "shuffle", "squash"}, default="noise"
        Gaussian noise of `amount` standard deviations of each coordinate; the share `amount` of
        the points, chosen at random, exchanged among themselves; or the last coordinate shrunk to
        ``1 - amount`` of its extent.
    amount : float in [0, 1], default=0.0
        How much of it. Nothing is left at 1 but noise as large as the signal, a random order, or
        one dimension less.
    random_state : int, RandomState instance or None, default=None
        Seed of noise and order. More damage of one seed hits the same points and more.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The damaged latent.
    n_features_in_ : int
        Number of features of `X` seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.arange(6.0).reshape(3, 2)
    >>> DamagedOracle(damage="squash", amount=0.5).fit_transform(np.zeros((3, 9)), Z)
    array([[0., 2.],
           [2., 3.],
           [4., 4.]])
    """

    _parameter_constraints: dict = {
        **Oracle._parameter_constraints,
        "damage": [StrOptions({"noise", "shuffle", "squash"})],
        "amount": [Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        damage: str = "noise",
        amount: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(n_components)
        self.damage = damage
        self.amount = amount
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> DamagedOracle:
        """Take the latent as the embedding and damage it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations; only their number counts.
        y : array-like of shape (n_samples, n_latent) or (n_samples,)
            True latent.

        Returns
        -------
        DamagedOracle
            The fitted estimator.
        """
        super().fit(X, y)
        Z = self.embedding_
        random_state = check_random_state(self.random_state)
        if self.damage == "noise":
            noise = random_state.standard_normal(Z.shape)
            self.embedding_ = Z + self.amount * Z.std(axis=0) * noise
        elif self.damage == "shuffle":
            moved = random_state.permutation(len(Z))[: round(self.amount * len(Z))]
            self.embedding_[moved] = Z[np.roll(moved, 1)]
        else:
            center = Z[:, -1].mean()
            self.embedding_[:, -1] = center + (1 - self.amount) * (Z[:, -1] - center)
        return self
