"""Metric multidimensional scaling that says when it has not converged."""

from __future__ import annotations

import warnings
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
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import smacof
from sklearn.metrics import pairwise_distances
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import validate_data


class MetricMDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Metric multidimensional scaling: SMACOF from classical scaling, computed by scikit-learn.

    The raw stress, the sum over all pairs of the squared difference of the Euclidean distances
    before and after, is lowered step by step from the embedding of classical scaling. That start
    makes it deterministic, and ended lower than a random one on a Swiss roll, on digits and on
    normal data.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples`` and ``n_features``.
    max_iter : int, default=1000
        Most steps.
    eps : float, default=1e-6
        Decrease of the stress, as part of the sum of the squared distances in the embedding, at
        which the steps end.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    stress_ : float
        Raw stress, in squared units of `X`.
    n_iter_ : int
        Steps made.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` steps were not enough.

    References
    ----------
    I. Borg and P. Groenen, "Modern Multidimensional Scaling", 2nd ed., Springer 2005, Ch. 8.

    Examples
    --------
    Points of a plane in space are found exactly:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((30, 2)) @ [[1, 2, 0], [0, 1, 3]]
    >>> bool(MetricMDS().fit(X).stress_ < 1e-9)
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "eps": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, n_components: int = 2, *, max_iter: int = 1000, eps: float = 1e-6) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.eps = eps

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> MetricMDS:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations.
        y : None
            Not used.

        Returns
        -------
        MetricMDS
            The fitted estimator.

        Raises
        ------
        ValueError
            If `n_components` exceeds the number of rows or features.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        # Classical scaling of Euclidean distances, without an n × n eigendecomposition.
        start = PCA(self.n_components, svd_solver="full").fit_transform(data)
        self.embedding_, self.stress_, self.n_iter_ = smacof(
            pairwise_distances(data),
            init=start,
            n_init=1,
            max_iter=self.max_iter,
            eps=self.eps,
            normalized_stress=False,
            return_n_iter=True,
        )
        if self.n_iter_ == self.max_iter:
            warnings.warn(
                f"the stress has not settled to {self.eps:g} within {self.max_iter} steps: "
                "raise max_iter",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations.
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
