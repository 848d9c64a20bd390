"""Embedding of new rows by any method that cannot do it itself."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    clone,
)
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from nldr.methods._rows import TrainingRows
from nldr.validation import HasMethods, Interval, fit_context


class OutOfSample(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Give a method a ``transform``, so that it can be a step of a pipeline.

    A new row is written as a weighted mean of its nearest training rows, with the weights of
    locally linear embedding (Saul & Roweis 2003, §6.1): they sum to one and minimize the distance
    of row and mean. Its coordinates are the same weighted mean of the coordinates of these rows.
    Training rows keep their coordinates.

    Parameters
    ----------
    estimator : estimator
        A method with ``fit_transform``, such as :class:`nldr.methods.DisjointMVU`.
    n_neighbors : int, default=10
        Number of nearest training rows; all if there are fewer.
    reg : float, default=1e-3
        Regularization of the weights, as a share of the trace of the local Gram matrix.

    Attributes
    ----------
    estimator_ : estimator
        The fitted method.
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features; defined only if all feature names of ``X`` are strings.

    Notes
    -----
    New rows far from all training rows are extrapolated, and may come to lie anywhere. Where the
    neighborhood of a row spans a gap between connected components, it comes to lie between them.

    References
    ----------
    L. Saul and S. Roweis, "Think globally, fit locally: unsupervised learning of low dimensional
    manifolds", JMLR 4, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from nldr.methods import MVU
    >>> X, y = load_iris(return_X_y=True)
    >>> method = OutOfSample(MVU(n_neighbors=5, disconnected="bridges"))
    >>> pipeline = make_pipeline(method, KNeighborsClassifier())
    >>> bool(cross_val_score(pipeline, X[::2], y[::2], cv=3).mean() > 0.8)
    True
    """

    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit_transform"])],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "reg": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, estimator: Any, *, n_neighbors: int = 10, reg: float = 1e-3) -> None:
        self.estimator = estimator
        self.n_neighbors = n_neighbors
        self.reg = reg

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Embed the rows of `X` by the method.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations.
        y : array-like, optional
            Target, passed on to the method.

        Returns
        -------
        estimator
            The fitted estimator.
        """
        data = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self.estimator_ = clone(self.estimator)
        self.embedding_ = np.asarray(self.estimator_.fit_transform(data, y), dtype=np.float64)
        self._rows = TrainingRows(data)
        self._neighbors = NearestNeighbors(n_neighbors=min(self.n_neighbors, len(data))).fit(data)
        self._data = data
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Fit the method and return the embedding of the training rows."""
        return self.fit(X, y).embedding_

    def transform(self, X: ArrayLike) -> NDArray:
        """Embed new rows as weighted means of their nearest training rows.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Observations.

        Returns
        -------
        ndarray of shape (n_points, n_components)
            Coordinates; those of training rows are as in ``embedding_``.
        """
        check_is_fitted(self)
        data = validate_data(self, X, dtype=np.float64, reset=False)
        rows = self._rows.positions(data)
        coordinates = self.embedding_[rows]
        new = rows < 0
        if new.any():
            nearest = self._neighbors.kneighbors(data[new], return_distance=False)
            weights = _weights(data[new], self._data[nearest], self.reg)
            coordinates[new] = np.einsum("ij,ijk->ik", weights, self.embedding_[nearest])
        return coordinates

    @property
    def _n_features_out(self) -> int:
        # Read by ClassNamePrefixFeaturesOutMixin
        return self.embedding_.shape[1]


def _weights(points: NDArray, neighbors: NDArray, reg: float) -> NDArray:
    """Return the weights that reconstruct points from their neighbors, which sum to one.

    The shapes are (n_points, n_features) and (n_points, n_neighbors, n_features); `reg` is a share
    of the trace of the Gram matrix.

    Examples
    --------
    >>> middle = _weights(np.array([[0.5]]), np.array([[[0.0], [1.0]]]), 1e-9)
    >>> middle.round(3)
    array([[0.5, 0.5]])
    """
    # Gram matrix of the differences, regularized as in locally linear embedding
    differences = neighbors - points[:, None, :]
    gram = differences @ differences.transpose(0, 2, 1)
    trace = np.trace(gram, axis1=1, axis2=2)
    shift = np.where(trace > 0, reg * trace, reg)
    gram += shift[:, None, None] * np.eye(gram.shape[1])
    weights = np.linalg.solve(gram, np.ones((*gram.shape[:2], 1)))[..., 0]
    return weights / weights.sum(axis=1, keepdims=True)
