"""Non-metric multidimensional scaling with a warning if it has not converged."""

from __future__ import annotations

import warnings
from numbers import Integral, Real

from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.manifold import smacof
from sklearn.metrics import pairwise_distances

from nldr.methods._base import Embedder
from nldr.methods._docs import inherit_docs
from nldr.methods.spectral.mds import MetricMDS
from nldr.validation import Interval


@inherit_docs(MetricMDS)
class NonmetricMDS(Embedder):
    """Non-metric multidimensional scaling by scikit-learn's SMACOF, from classical scaling.

    Only the order of the distances in the data counts: the embedding approximates the increasing
    function of them that suits it best, found by isotonic regression in each iteration. SMACOF
    lowers Kruskal's stress-1, the root of the sum of squared differences between that function and
    the distances in the embedding, relative to the sum of the latter's squares. The start makes the
    result deterministic.

    Parameters
    ----------
    n_components, max_iter
    eps : float, default=1e-6
        Tolerance: stop when an iteration decreases the stress by less than this.

    Attributes
    ----------
    embedding_
    stress_ : float
        Kruskal's stress-1, between 0 and 1.
    n_iter_

    Raises
    ------
    ValueError
        If `n_components` exceeds the number of rows or features, or all rows are equal.

    Warns
    -----
    ConvergenceWarning
        If the iterations did not converge within `max_iter`.

    References
    ----------
    J. B. Kruskal, "Nonmetric multidimensional scaling: a numerical method", Psychometrika 29, 1964.

    Examples
    --------
    Points on a plane in space are embedded without error:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((30, 2)) @ [[1, 2, 0], [0, 1, 3]]
    >>> bool(NonmetricMDS().fit(X).stress_ < 1e-6)
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

    def _fit(self, data: NDArray) -> None:
        distances = pairwise_distances(data)
        if not distances.any():
            raise ValueError(f"all {len(data)} rows of X are equal: there is nothing to embed")

        # Start: classical scaling of Euclidean distances equals PCA
        start = PCA(self.n_components, svd_solver="full").fit_transform(data)

        # Majorization iterations
        self.embedding_, self.stress_, self.n_iter_ = smacof(
            distances,
            metric=False,
            init=start,
            n_init=1,
            max_iter=self.max_iter,
            eps=self.eps,
            normalized_stress=True,
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
