"""Kernel PCA whose kernel has a width in units of the distances in the data."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist
from sklearn.decomposition import KernelPCA

from nldr.methods._base import Embedder
from nldr.validation import Interval


class ScaledKernelPCA(Embedder):
    """Kernel PCA with a Gaussian kernel whose width follows the data.

    The kernel is exp(-gamma D² / D₀²) with distances D, of whose squares D₀² is the median. The
    embedding is that of scikit-learn, whose gamma is this one divided by D₀².

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples``.
    gamma : float, default=1.0
        Inverse width. Large values make a kernel that sees near points only, small ones bring the
        embedding close to that of PCA.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    gamma_ : float
        The inverse width in units of the data, as scikit-learn takes it.

    References
    ----------
    B. Schölkopf, A. Smola and K.-R. Müller, "Nonlinear component analysis as a kernel eigenvalue
    problem", Neural Computation 10, 1998.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((30, 3))
    >>> small, large = ScaledKernelPCA().fit(X), ScaledKernelPCA().fit(10 * X)
    >>> round(small.gamma_ / large.gamma_, 9)
    100.0
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, n_components: int = 2, *, gamma: float = 1.0) -> None:
        self.n_components = n_components
        self.gamma = gamma

    def _fit(self, data: NDArray) -> None:
        # Median squared distance; 1 if most rows are equal
        typical = float(np.median(pdist(data, "sqeuclidean"))) or 1.0
        self.gamma_ = self.gamma / typical
        kernel_pca = KernelPCA(self.n_components, kernel="rbf", gamma=self.gamma_)
        self.embedding_ = kernel_pca.fit_transform(data)
