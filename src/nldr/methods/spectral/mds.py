"""Metric multidimensional scaling with a warning if it has not converged."""

from __future__ import annotations

import warnings
from numbers import Integral, Real

from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import smacof
from sklearn.metrics import pairwise_distances

from nldr.methods._base import Embedder
from nldr.methods._printed import printed_progress
from nldr.validation import Interval


class MetricMDS(Embedder):
    """Metric multidimensional scaling by scikit-learn's SMACOF, started from classical scaling.

    SMACOF lowers the raw stress, which is the sum over all pairs of points of the squared
    difference between their Euclidean distances in the data and in the embedding. The start makes
    the result deterministic.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples`` and ``n_features``.
    max_iter : int, default=1000
        Maximum number of iterations.
    eps : float, default=1e-6
        Tolerance: stop when an iteration decreases the stress by less than this fraction of the
        sum of the squared distances in the embedding.
    verbose : bool, default=False
        Whether to print stress and remaining time every ten seconds.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    stress_ : float
        Raw stress, in squared units of `X`.
    n_iter_ : int
        Number of iterations.

    Raises
    ------
    ValueError
        If `n_components` exceeds the number of rows or features.

    Warns
    -----
    ConvergenceWarning
        If the iterations did not converge within `max_iter`.

    References
    ----------
    I. Borg and P. Groenen, "Modern Multidimensional Scaling", 2nd ed., Springer 2005, Ch. 8.

    Examples
    --------
    Points on a plane in space are embedded without error:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((30, 2)) @ [[1, 2, 0], [0, 1, 3]]
    >>> bool(MetricMDS().fit(X).stress_ < 1e-9)
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "eps": [Interval(Real, 0, None, closed="left")],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        max_iter: int = 1000,
        eps: float = 1e-6,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.eps = eps
        self.verbose = verbose

    def _fit(self, data: NDArray) -> None:
        # Start: classical scaling of Euclidean distances equals PCA
        start = PCA(self.n_components, svd_solver="full").fit_transform(data)

        with printed_progress("Metric MDS" if self.verbose else "", "stress", self.max_iter):
            self.embedding_, self.stress_, self.n_iter_ = smacof(
                pairwise_distances(data),
                init=start,
                n_init=1,
                max_iter=self.max_iter,
                verbose=2 * self.verbose,
                eps=self.eps,
                normalized_stress=False,
                return_n_iter=True,
            )

        # scikit-learn does not report whether it converged
        if self.n_iter_ == self.max_iter:
            warnings.warn(
                f"the stress did not converge to a tolerance of {self.eps:g} within "
                f"{self.max_iter} iterations: increase max_iter",
                ConvergenceWarning,
                stacklevel=4,
            )
