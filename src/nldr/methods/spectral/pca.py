"""Principal components whose axes are scaled by eigenvalues."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from nldr.methods._base import OutOfSampleEmbedder
from nldr.validation import Interval


class EigenvaluePCA(OutOfSampleEmbedder):
    """PCA whose axes are multiplied by their singular values.

    The axes of PCA are eigenvectors of the matrix of inner products times the square roots of their
    eigenvalues. In the released runs of Costa, Maximum Variance Unfolding on Disjoint Manifolds,
    they are eigenvectors times the eigenvalues, which stretches the first axes (study
    ``mvu_released_rivals``).

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples`` and ``n_features``.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    pca_ : PCA
        The fitted PCA.

    Examples
    --------
    The first axis is twice as long as the second, and becomes four times as long:

    >>> X = np.array([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    >>> (np.ptp(EigenvaluePCA().fit_transform(X), axis=0) / np.ptp(X, axis=0)).round(3)
    array([2.828, 1.414])
    """

    _parameter_constraints: dict = {"n_components": [Interval(Integral, 1, None, closed="left")]}

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def _fit(self, data: NDArray) -> None:
        self.pca_ = PCA(self.n_components, svd_solver="full").fit(data)
        self.embedding_ = self._transform(data)

    def _transform(self, data: NDArray) -> NDArray:
        return np.asarray(self.pca_.transform(data) * self.pca_.singular_values_)
