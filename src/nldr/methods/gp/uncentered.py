"""GPLVM as in GPy: of the data as they are, from the components of the standardized data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, svd
from scipy.optimize import OptimizeResult, minimize
from scipy.special import expit
from sklearn.utils import Tags, assert_all_finite

from nldr.methods._docs import inherit_docs
from nldr.methods.gp._progress import Progress
from nldr.methods.gp.exact._likelihood import log_likelihood
from nldr.methods.gp.gplvm import GPLVM
from nldr.methods.gp.kernels import NAMED, GPKernel, Sum, White
from nldr.methods.gp.missing import Observations
from nldr.validation import StrOptions

KERNELS = {"squared_exponential", "rational_quadratic", "ornstein_uhlenbeck", "matern"}


@inherit_docs(GPLVM)
class UncenteredGPLVM(GPLVM):
    """GPLVM as in GPy: of the data as they are, from the components of the standardized data.

    The features are neither centered nor scaled, so that the kernel also has to explain their
    means. The search starts from the principal components of the standardized features, themselves
    standardized, with a kernel whose variance and length scale are 1 and noise of variance 1.
    L-BFGS-B maximizes the log likelihood over the latent points and the inverse softplus of these
    parameters.

    Parameters
    ----------
    n_components
    kernel : str, default="squared_exponential"
        One of squared_exponential, rational_quadratic, ornstein_uhlenbeck and matern.
    max_iter : int, default=1000
        Maximum number of evaluations of the likelihood. There is no warning if it is reached.
    verbose

    Attributes
    ----------
    embedding_, latent_covariances_, relevance_
    log_likelihood_ : float
        log p(Y|X) of the data, in nats.
    kernel_, length_scale_, noise_variance_, history_, n_iter_, n_evaluations_, converged_

    Raises
    ------
    ValueError
        If a value is missing, if all rows are equal, or if `n_components` exceeds the number of
        rows or features.

    References
    ----------
    GPy, "A Gaussian process framework in Python", since 2012: its model GPLVM. The settings are
    those of the released code of C. Li and A. Wu, "Inverse Kernel Decomposition", 2024.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((12, 30)) + 5
    >>> gplvm = UncenteredGPLVM(max_iter=5).fit(X)
    >>> gplvm.log_likelihood_ < UncenteredGPLVM(max_iter=50).fit(X).log_likelihood_
    True
    """

    _parameter_constraints: dict = {
        name: GPLVM._parameter_constraints[name] for name in ("n_components", "max_iter", "verbose")
    } | {"kernel": [StrOptions(KERNELS)]}

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: str = "squared_exponential",
        max_iter: int = 1000,
        verbose: bool = False,
    ) -> None:
        super().__init__(n_components, kernel=kernel, max_iter=max_iter, verbose=verbose)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags

    def _fit(self, data: NDArray) -> None:
        assert_all_finite(data, input_name="X")
        if self.n_components > min(data.shape):
            raise ValueError(
                f"n_components={self.n_components} is too high for {data.shape[0]} samples and "
                f"{data.shape[1]} features: at most min(n_samples, n_features)"
            )
        deviations = data.std(axis=0)
        if not deviations.any():
            raise ValueError("all rows of X are equal: they do not determine latent points")

        # Standardized principal components of the standardized features
        standardized = (data - data.mean(axis=0)) / np.where(deviations > 0, deviations, 1)
        left = svd(standardized, full_matrices=False)[0]
        start = np.sqrt(len(data)) * left[:, : self.n_components]
        # The data as they are
        observed = Observations(data, np.full(data.shape, True), np.zeros(data.shape[1]), 1.0)
        left, singular, _ = svd(data, full_matrices=False)
        kernel = Sum((NAMED[str(self.kernel)](), White(1.0)))
        self._search(left * singular, observed, kernel, start)
        self._store_model(data, self._features(observed), self._latent_prior())

    def _search(self, Y: NDArray, observed: Observations, kernel: GPKernel, start: NDArray) -> None:
        """Maximize the log likelihood from the start, and store the result."""
        size, n_features = start.size, observed.values.shape[1]
        losses: list[float] = []
        history: list[float] = []
        progress = Progress("GPLVM" if self.verbose else "", "log likelihood")

        def loss(x: NDArray) -> tuple[float, NDArray]:
            """Return the negative log likelihood and its gradient."""
            # Latent points, and the parameters as softplus of unbounded numbers
            X, roots = x[:size].reshape(start.shape), x[size:]
            params = _softplus(roots)
            try:
                now = kernel.with_log_params(np.log(params))
                value, by_points, by_log_params = log_likelihood(now, X, Y, n_features)
            except LinAlgError:
                # Penalty, so that the line search backtracks
                return 2 * abs(losses[-1]), np.zeros_like(x)
            losses.append(-value)
            # d log(params) / d roots, with the derivative of the softplus
            by_roots = by_log_params * expit(roots) / params
            return -value, -np.concatenate([by_points.ravel(), by_roots])

        def record(intermediate_result: OptimizeResult) -> None:
            history.append(intermediate_result.fun)
            progress.report(len(history), -history[-1])

        # As GPy: the tolerances of scipy, and a limit of evaluations
        result = minimize(
            loss,
            np.concatenate([start.ravel(), np.log(np.expm1(np.exp(kernel.log_params())))]),
            jac=True,
            method="L-BFGS-B",
            callback=record,
            options={"maxiter": self.max_iter, "maxfun": self.max_iter},
        )
        # Solution, in units of the data
        self.history_ = -np.array([losses[0], *history])
        self.n_iter_, self.n_evaluations_ = int(result.nit), int(result.nfev)
        self.converged_ = result.status == 0
        kernel = kernel.with_log_params(np.log(_softplus(result.x[size:])))
        self._store_solution(result.x[:size].reshape(start.shape), kernel)


def _softplus(roots: NDArray) -> NDArray:
    """Return log(1 + exp(roots)), at least the smallest number, since logarithms follow."""
    softplus: NDArray = np.maximum(np.logaddexp(0, roots), np.finfo(float).tiny)
    return softplus
