"""Base class and sign convention shared by all methods."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.extmath import svd_flip


class Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class of estimators that embed the rows they are fitted on.

    A subclass defines ``fit``, which stores the embedding of the training rows as ``embedding_``.
    It inherits ``fit_transform`` and ``get_feature_names_out``.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features; defined only if all feature names of ``X`` are strings.
    """

    embedding_: NDArray

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Fit the estimator and return the embedding of the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, as for ``fit``.
        y : array-like, optional
            Target, as for ``fit``; ignored by most methods.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            Embedding of the training rows.
        """
        return self.fit(X, y).embedding_

    @property
    def _n_features_out(self) -> int:
        # Read by ClassNamePrefixFeaturesOutMixin
        return self.embedding_.shape[1]


def fix_signs(coordinates: NDArray) -> NDArray:
    """Flip columns so that the entry of largest magnitude of each is positive.

    Eigenvectors are determined up to their sign; this convention makes them reproducible. The array
    is modified in place.

    Parameters
    ----------
    coordinates : ndarray of shape (n_samples, n_components)
        Coordinates, one column per axis; `n_components` may be 0.

    Returns
    -------
    ndarray of shape (n_samples, n_components)
        Coordinates with signs fixed.

    Examples
    --------
    >>> import numpy as np
    >>> fix_signs(np.array([[1.0, 2.0], [-3.0, 1.0]]))
    array([[-1.,  2.],
           [ 3.,  1.]])
    """
    # svd_flip does not accept arrays without columns
    return svd_flip(coordinates, None)[0] if coordinates.shape[1] else coordinates
