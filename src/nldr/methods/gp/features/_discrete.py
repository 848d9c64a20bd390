"""Distribution of counts or bits given the latent point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nldr.methods.gp.features._gaussian import Features, Pullback
from nldr.methods.gp.features._likelihoods import Likelihood, marginal
from nldr.methods.gp.inducing._kernel import (
    KernelParams,
    cross_covariance,
    cross_covariance_gradient,
    inducing_root,
)

OFFSET_SD = 1.0  # standard deviation of the prior of a feature's offset


@dataclass(frozen=True)
class OffsetCovariance:
    """Covariances by SE + linear + a constant, whose value is one more inducing value.

    `points`, of shape (n_inducing, n_components), are the inducing inputs.
    """

    params: KernelParams
    points: NDArray

    def root(self) -> tuple[NDArray, NDArray]:
        """Return the Cholesky factor of the inducing values, and the SE part of K_MM."""
        inner, se = inducing_root(self.points, self.params)
        size = len(inner)
        root = np.zeros((size + 1, size + 1))
        root[:size, :size], root[size, size] = inner, OFFSET_SD
        return root, se

    def forward(self, X: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return covariances with the inducing values, prior variances, and the SE part."""
        cross, se = cross_covariance(X, self.points, self.params)
        variances = np.square(X) @ self.params.linear + self.params.variance + OFFSET_SD**2
        return np.column_stack([cross, np.full(len(X), OFFSET_SD**2)]), variances, se

    def __call__(self, X: NDArray) -> tuple[NDArray, NDArray, Pullback]:
        """Return covariances, variances and the pullback."""
        cross, variances, se = self.forward(X)

        def pullback(weight: NDArray, by_variances: NDArray) -> NDArray:
            inner = np.ascontiguousarray(weight[:, :-1])
            by_X = cross_covariance_gradient(X, self.points, self.params, se, inner)[0]
            return by_X + 2 * by_variances[:, None] * self.params.linear * X

        return cross, variances, pullback


class DiscreteFeatures(Features):
    """Independent counts or bits, given the latent point.

    The latent values have the normal distributions of :class:`Features`.

    Parameters
    ----------
    likelihood : Likelihood
        Distribution of an observation given its latent value.
    covariance, root, coefficients, reduction, mean
        As for :class:`Features`, with one reduction for each feature.
    exposure : callable, optional
        Returns the factors of the rates of rows of observations.
    """

    def __init__(
        self,
        likelihood: Likelihood,
        covariance: OffsetCovariance,
        root: NDArray,
        coefficients: NDArray,
        reduction: NDArray,
        *,
        mean: NDArray,
        exposure: Callable[[NDArray], NDArray] | None = None,
    ) -> None:
        super().__init__(
            covariance, root, coefficients, reduction, mean=mean, scale=1.0, shared=False
        )
        self.likelihood, self.exposure = likelihood, exposure

    def latent(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Return means and variances of the latent values, of shape (n_points, n_features)."""
        return super().moments(X)

    def moments(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and variance of an observation at each point, at exposure 1."""
        return self.likelihood.moments(*self.latent(X))

    def log_density(self, X: NDArray, Y: NDArray) -> tuple[NDArray, NDArray]:
        """Return the log density of each row of Y at its latent point, and the gradient."""
        means, variances, pullback = self._forward(X)
        is_observed = ~np.isnan(Y)
        means = self.mean + means
        if self.exposure is not None:
            means += np.log(self.exposure(Y))[:, None]
        terms = marginal(self.likelihood, means, variances, np.where(is_observed, Y, 0.0))
        values, by_means, by_variances = (np.where(is_observed, part, 0.0) for part in terms)
        return values.sum(axis=1), pullback(by_means, by_variances)

    def compare(self, X: NDArray, Y: NDArray) -> NDArray:
        """Return log densities of each row of Y at each point, with latent values at their means.

        Terms that do not depend on the point are left out.
        """
        means = self.latent(X)[0]
        is_observed = ~np.isnan(Y)
        # The log density is linear in y: log p(y|f) = log p(0|f) + y f
        at_zero = self.likelihood.log_density(means, np.zeros_like(means))[0]
        weights = is_observed
        if self.exposure is not None:  # of counts, log p(0|f) = −s eᶠ
            weights = is_observed * self.exposure(Y)[:, None]
        return weights @ at_zero.T + np.where(is_observed, Y, 0.0) @ means.T
