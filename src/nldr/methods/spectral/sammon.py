"""Sammon mapping: scaling of distances in which short ones count more."""

from __future__ import annotations

import warnings
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, minimize
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning

from nldr.methods._base import Embedder
from nldr.methods._progress import StepProgress
from nldr.validation import Interval


class Sammon(Embedder):
    """Sammon's nonlinear mapping, started from classical scaling.

    It lowers Sammon's stress, the sum over all pairs of points of (d − δ)²/d, divided by the sum of
    the d, where d is the Euclidean distance in the data and δ that in the embedding. Pairs of equal
    rows do not count. The stress is minimized by L-BFGS, in place of the diagonal Newton steps of
    the paper.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples`` and ``n_features``.
    max_iter : int, default=1000
        Maximum number of iterations.
    tol : float, default=1e-9
        Tolerance: stop when an iteration lowers the stress by less than this.
    verbose : bool, default=False
        Whether to print stress and remaining time every ten seconds.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows.
    stress_ : float
        Sammon's stress, which does not depend on the unit of `X`.
    n_iter_ : int
        Number of iterations.

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
    J. W. Sammon, "A nonlinear mapping for data structure analysis", IEEE Transactions on Computers
    C-18, 1969.

    Examples
    --------
    Points on a plane in space are embedded without error:

    >>> import numpy as np
    >>> X = np.random.default_rng(0).standard_normal((30, 2)) @ [[1, 2, 0], [0, 1, 3]]
    >>> bool(Sammon().fit(X).stress_ < 1e-9)
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        max_iter: int = 1000,
        tol: float = 1e-9,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    def _fit(self, data: NDArray) -> None:
        # Differences, not products: rows that are equal have the distance 0
        distances = squareform(pdist(data))
        unit = distances.mean()
        if unit == 0:
            raise ValueError(f"all {len(data)} rows of X are equal: there is nothing to embed")

        # Start: classical scaling of Euclidean distances equals PCA
        start = PCA(self.n_components, svd_solver="full").fit_transform(data) / unit

        label = "Sammon mapping" if self.verbose else ""
        progress = StepProgress(label, "iteration", "stress", self.max_iter)

        def tell(intermediate_result: OptimizeResult) -> None:
            progress.advance(1, intermediate_result.fun)

        result = minimize(
            sammon_stress,
            start.ravel(),
            args=(distances / unit,),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter, "ftol": self.tol, "gtol": 0.0},
            callback=tell,
        )
        self.embedding_ = result.x.reshape(start.shape) * unit
        self.stress_, self.n_iter_ = float(result.fun), int(result.nit)

        if self.n_iter_ == self.max_iter:
            warnings.warn(
                f"the stress did not converge to a tolerance of {self.tol:g} within "
                f"{self.max_iter} iterations: increase max_iter",
                ConvergenceWarning,
                stacklevel=4,
            )


def sammon_stress(coordinates: NDArray, distances: NDArray) -> tuple[float, NDArray]:
    """Return Sammon's stress of an embedding, flattened row by row, and its gradient.

    The derivatives of a pair at the same place count as 0.

    Examples
    --------
    Two points twice as far apart as in the data:

    >>> stress, gradient = sammon_stress(np.array([0.0, 2.0]), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> stress, gradient.tolist()
    (1.0, [-2.0, 2.0])
    """
    points = coordinates.reshape(len(distances), -1)
    embedded = cdist(points, points)
    total = distances.sum()

    # Stress: each pair is in the matrices twice, as in the total
    weights = np.divide(1.0, distances, out=np.zeros_like(distances), where=distances > 0)
    residuals = embedded - distances
    stress = float(np.sum(weights * residuals**2) / total)

    # Gradient 4/total Σ_j w_ij (δ_ij − d_ij)/δ_ij (y_i − y_j)
    pull = np.divide(
        weights * residuals, embedded, out=np.zeros_like(distances), where=embedded > 0
    )
    gradient = 4 / total * (pull.sum(axis=1)[:, np.newaxis] * points - pull @ points)
    return stress, gradient.ravel()
