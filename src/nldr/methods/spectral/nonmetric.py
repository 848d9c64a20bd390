"""Non-metric multidimensional scaling with a warning if it has not converged."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.isotonic import IsotonicRegression
from sklearn.manifold import smacof

from nldr.methods._docs import inherit_docs
from nldr.methods._printed import printed_progress
from nldr.methods.spectral.mds import MetricMDS


@inherit_docs(MetricMDS)
class NonmetricMDS(MetricMDS):
    """Non-metric multidimensional scaling by scikit-learn's SMACOF, from classical scaling.

    Only the order of the distances in the data counts: distances in the embedding approximate the
    increasing function of them that suits them best, found by isotonic regression in each
    iteration. The start makes the result deterministic.

    Parameters
    ----------
    n_components, max_iter, eps, verbose

    Attributes
    ----------
    embedding_
    stress_ : float
        Kruskal's stress-1, between 0 and 1: the root of the sum of squared differences between the
        distances in the embedding and the best increasing function of those in the data, relative
        to the sum of squares of the former. Pairs of equal rows do not count.
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

    def _fit(self, data: NDArray) -> None:
        distances = pdist(data)
        if not distances.any():
            raise ValueError(f"all {len(data)} rows of X are equal: there is nothing to embed")

        # Start: classical scaling of Euclidean distances equals PCA
        start = PCA(self.n_components, svd_solver="full").fit_transform(data)

        with printed_progress("Non-metric MDS" if self.verbose else "", "stress", self.max_iter):
            self.embedding_, _, self.n_iter_ = smacof(
                squareform(distances),
                metric=False,
                init=start,
                n_init=1,
                max_iter=self.max_iter,
                verbose=2 * self.verbose,
                eps=self.eps,
                normalized_stress=True,
                return_n_iter=True,
            )

        # Stress-1; scikit-learn's has an increasing function of another scale
        differ = distances > 0
        embedded = pdist(self.embedding_)[differ]
        increasing = IsotonicRegression().fit_transform(distances[differ], embedded)
        self.stress_ = float(np.linalg.norm(increasing - embedded) / np.linalg.norm(embedded))

        # scikit-learn does not report whether it converged
        if self.n_iter_ == self.max_iter:
            warnings.warn(
                f"the stress did not converge to a tolerance of {self.eps:g} within "
                f"{self.max_iter} iterations: increase max_iter",
                ConvergenceWarning,
                stacklevel=4,
            )
