"""What every method repeats: the scikit-learn mixins, ``fit_transform`` and the sign convention."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.extmath import svd_flip


class Embedder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class of estimators that embed the rows they are fitted on.

    A subclass defines ``fit``, which stores the embedding of the training rows.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, set where ``X`` names all of them by strings.
    """

    embedding_: NDArray

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Fit the estimator and return the embedding of the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, as for ``fit``.
        y : array-like, optional
            Target, as for ``fit``; most methods ignore it.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X, y).embedding_

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def fix_signs(coordinates: NDArray) -> NDArray:
    """Flip columns so that the entry of largest magnitude of each is positive.

    Eigenvectors are determined up to their sign; this convention makes them reproducible.

    Parameters
    ----------
    coordinates : ndarray of shape (n_samples, n_components)
        Coordinates, one column per axis; there may be no column.

    Returns
    -------
    ndarray of shape (n_samples, n_components)
        The coordinates with signs fixed.

    Examples
    --------
    >>> fix_signs(np.array([[1.0, 2.0], [-3.0, 1.0]]))
    array([[-1.,  2.],
           [ 3.,  1.]])
    """
    return svd_flip(coordinates, None)[0] if coordinates.shape[1] else coordinates
