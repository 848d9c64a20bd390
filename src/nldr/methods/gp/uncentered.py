"""GPLVM as in GPy: of the data as they are, from the components of the standardized data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import svd

from nldr.methods._docs import inherit_docs
from nldr.methods.gp.gplvm import GPLVM
from nldr.methods.gp.kernels import NAMED, Sum, White
from nldr.methods.gp.missing import observe
from nldr.validation import StrOptions

KERNELS = {"squared_exponential", "rational_quadratic", "ornstein_uhlenbeck", "matern"}


@inherit_docs(GPLVM)
class UncenteredGPLVM(GPLVM):
    """GPLVM as in GPy: of the data as they are, from the components of the standardized data.

    The features are not centered, so that the kernel also has to explain their means. The search
    starts from the principal components of the features scaled to unit variance, themselves scaled
    to unit variance. At the start, the variance of the kernel, its length scale and the variance of
    the noise are 1 in units of the data.

    Parameters
    ----------
    n_components
    kernel : str, default="squared_exponential"
        One of squared_exponential, rational_quadratic, ornstein_uhlenbeck and matern.
    max_iter, tol, verbose

    Attributes
    ----------
    embedding_, latent_covariances_, relevance_
    log_likelihood_ : float
        log p(Y|X) of the observed entries of the data, in nats.
    kernel_, length_scale_, noise_variance_, history_, n_iter_, n_evaluations_, converged_

    References
    ----------
    GPy, "A Gaussian process framework in Python", since 2012: its model GPLVM. The settings are
    those of the released code of C. Li and A. Wu, "Inverse Kernel Decomposition", 2024.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((12, 30)) + 5
    >>> gplvm = UncenteredGPLVM(max_iter=5, tol=None).fit(X)
    >>> gplvm.log_likelihood_ < UncenteredGPLVM(max_iter=50, tol=None).fit(X).log_likelihood_
    True
    """

    _parameter_constraints: dict = {
        "n_components": GPLVM._parameter_constraints["n_components"],
        "kernel": [StrOptions(KERNELS)],
        "max_iter": GPLVM._parameter_constraints["max_iter"],
        "tol": GPLVM._parameter_constraints["tol"],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: str = "squared_exponential",
        max_iter: int = 1000,
        tol: float | None = 1e-6,
        verbose: bool = False,
    ) -> None:
        super().__init__(
            n_components, kernel=kernel, init="pca", max_iter=max_iter, tol=tol, verbose=verbose
        )

    def _fit(self, data: NDArray) -> None:
        if self.n_components > min(data.shape):
            raise ValueError(
                f"n_components={self.n_components} is too high for {data.shape[0]} samples and "
                f"{data.shape[1]} features: at most min(n_samples, n_features)"
            )
        centered = observe(data)
        filled = centered.filled()
        deviations = filled.std(axis=0)
        if not deviations.any():
            raise ValueError("all rows of X are equal: they do not determine latent points")

        # Principal components of the standardized features, each of unit variance
        standardized = (filled - filled.mean(axis=0)) / np.where(deviations > 0, deviations, 1)
        left = svd(standardized, full_matrices=False)[0][:, : self.n_components]
        start = np.sqrt(len(data)) * left

        # All variances are 1 in units of the data, which are only divided by one number
        scale = float(np.sqrt(np.square(filled).mean()))
        values = np.where(centered.is_observed, filled / scale, 0.0)
        observed = replace(centered, values=values, mean=np.zeros(data.shape[1]), scale=scale)
        kernel = Sum((NAMED[self.kernel](), White(1.0))).times(1 / scale**2)
        left, singular, _ = svd(filled / scale, full_matrices=False)
        self._search(left * singular, observed, kernel, start)
        self._store_model(data, self._features(observed), self._latent_prior())
