"""Maximum variance unfolding of the largest component; all other points are placed by it."""

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
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data

from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.graphs import component_labels, knn_graph
from nldr.neighborhoods.patches import barycentric_weights


class LargestComponentMVU(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Unfold the largest component only, and place all other points by their nearest in it.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most the number of points of the largest component.
    n_neighbors : int, default=5
        Number of neighbors of a point, itself not counted; and of points of the largest
        component by which others are written, as LLE would, with weights of sum one.
    tol : float, default=1e-2
        Duality gap to reach, relative to the trace.
    max_iter : int, default=100
        Greatest number of steps.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows; that of the largest component is its MVU.
    labels_ : ndarray of shape (n_samples,)
        Component of each row.
    n_connected_components_ : int
        Number of components.
    mvu_ : MVU
        The unfolded component.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, §3.

    Examples
    --------
    >>> X = np.array([[0.0], [1], [2], [3], [9], [10]])
    >>> LargestComponentMVU(1, n_neighbors=1).fit(X).n_connected_components_
    2
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        tol: float = 1e-2,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> LargestComponentMVU:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        LargestComponentMVU
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows.
        """
        from sklearn.neighbors import NearestNeighbors

        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        self.labels_ = component_labels(knn_graph(data, self.n_neighbors))
        self.n_connected_components_ = int(self.labels_.max()) + 1
        inside = self.labels_ == np.bincount(self.labels_).argmax()
        # Repeated points may have other neighbors here than among all, so it may need a bridge.
        self.mvu_ = MVU(
            self.n_components,
            n_neighbors=self.n_neighbors,
            disconnected="bridges",
            tol=self.tol,
            max_iter=self.max_iter,
        ).fit(data[inside])
        self.embedding_ = np.empty((len(data), self.n_components))
        self.embedding_[inside] = self.mvu_.embedding_
        if not inside.all():
            nearest = NearestNeighbors(n_neighbors=self.n_neighbors).fit(data[inside])
            lists = nearest.kneighbors(data[~inside], return_distance=False)
            weights = barycentric_weights(data[inside], list(lists), data[~inside])
            self.embedding_[~inside] = weights @ self.mvu_.embedding_
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
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
