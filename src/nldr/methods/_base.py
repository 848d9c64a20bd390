"""Base class and sign convention shared by all methods."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.extmath import svd_flip
from sklearn.utils.validation import check_is_fitted, validate_data

from nldr.validation import fit_context


class Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class of estimators that embed the rows they are fitted on.

    A subclass defines ``_fit``, which stores the embedding of validated rows as ``embedding_``, and
    may set ``_min_samples``, ``_min_features`` and ``_dtype`` of these rows, and ``_finite`` to
    "allow-nan" if NaN are missing values. It inherits ``fit``, ``fit_transform`` and
    ``get_feature_names_out``.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features; defined only if all feature names of ``X`` are strings.
    """

    _min_samples: ClassVar[int] = 2
    _min_features: ClassVar[int] = 1
    _dtype: ClassVar[type] = np.float64
    _finite: ClassVar[bool | str] = True

    embedding_: NDArray

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations.
        y : None
            Ignored.

        Returns
        -------
        estimator
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows or features, values that are not finite, or a parameter that
            does not suit the data; see the class.
        """
        data: NDArray = validate_data(
            self,
            X,
            dtype=self._dtype,
            ensure_min_samples=self._min_samples,
            ensure_min_features=self._min_features,
            ensure_all_finite=self._finite,
        )
        self._fit(data)
        return self

    def _fit(self, data: NDArray) -> None:
        """Embed validated rows and store all fitted attributes."""
        raise NotImplementedError

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


class OutOfSampleEmbedder(Embedder):
    """Base class of estimators that also embed new rows.

    A subclass defines ``_fit`` and ``_transform``; the notes of the class say how new rows are
    embedded.
    """

    def transform(self, X: ArrayLike) -> NDArray:
        """Embed new rows without moving the training rows.

        Parameters
        ----------
        X : array-like of shape (n_points, n_features)
            Observations.

        Returns
        -------
        ndarray of shape (n_points, n_components)
            Coordinates of the new rows.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        """
        check_is_fitted(self)
        return self._transform(validate_data(self, X, dtype=np.float64, reset=False))

    def _transform(self, data: NDArray) -> NDArray:
        """Return the coordinates of validated new rows."""
        raise NotImplementedError


def fix_signs(coordinates: NDArray) -> NDArray:
    """Flip columns so that the entry of largest magnitude of each is positive.

    Eigenvectors are determined up to their sign; this convention makes them reproducible. The array
    of shape (n_samples, n_components), in which n_components may be 0, is modified in place.

    Examples
    --------
    >>> import numpy as np
    >>> fix_signs(np.array([[1.0, 2.0], [-3.0, 1.0]]))
    array([[-1.,  2.],
           [ 3.,  1.]])
    """
    # svd_flip does not accept arrays without columns
    return svd_flip(coordinates, None)[0] if coordinates.shape[1] else coordinates
