"""Gaussian posterior of the features at latent points, shared by all models of this package."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nldr.methods.gp.inducing._bound import unwhiten, whiten
from nldr.methods.gp.inducing._kernel import (
    KernelParams,
    cross_covariance,
    cross_covariance_gradient,
)
from nldr.methods.gp.kernels import GPKernel

Pullback = Callable[[NDArray, NDArray], NDArray]


class Covariance(Protocol):
    """Prior covariances of latent points with the points that carry the posterior."""

    def __call__(self, X: NDArray) -> tuple[NDArray, NDArray, Pullback]:
        """Return covariances, variances and the pullback.

        The covariances of points with inducing points have shape (n_points, n_inducing), the
        variances have all noise, and the pullback takes dL/dcross and dL/dvariances to dL/dX.
        """


@dataclass(frozen=True)
class KernelCovariance:
    """Covariances by a kernel, noise included; the training points are the inducing points."""

    kernel: GPKernel
    points: NDArray

    def __call__(self, X: NDArray) -> tuple[NDArray, NDArray, Pullback]:
        """Return covariances, variances and the pullback."""
        cross, pull = self.kernel.cross(X, self.points)
        variances, slopes = self.kernel.diagonal(X)
        return cross, variances, lambda weight, by: pull(weight) + by[:, None] * slopes


@dataclass(frozen=True)
class InducingCovariance:
    """Covariances by SE + linear + white, Eq. 20 of Watanabe et al., and observation noise.

    `points` are the inducing inputs, `precision` is the noise precision β.
    """

    params: KernelParams
    points: NDArray
    precision: float

    def __call__(self, X: NDArray) -> tuple[NDArray, NDArray, Pullback]:
        """Return covariances, variances and the pullback."""
        cross, se = cross_covariance(X, self.points, self.params)
        variances = np.square(X) @ self.params.linear
        variances += self.params.variance + self.params.white + 1 / self.precision

        def pullback(weight: NDArray, by_variances: NDArray) -> NDArray:
            by_X = cross_covariance_gradient(X, self.points, self.params, se, weight)[0]
            return by_X + 2 * by_variances[:, None] * self.params.linear * X

        return cross, variances, pullback


class Features:
    r"""Independent normal distributions of the features, given the latent point.

    .. math:: μ_d(x) = ψ(x)^T c_d, \quad v_d(x) = k(x, x) - ψ(x)^T S_d ψ(x)

    ψ = L⁻¹φ are the covariances with the inducing points, whitened by the Cholesky factor of their
    covariance matrix LLᵀ, and k(x, x) has all noise. Where no value is missing, S is the same for
    all features.

    Parameters
    ----------
    covariance : Covariance
        φ and k(x, x).
    root : ndarray of shape (n_inducing, n_inducing)
        L.
    coefficients : ndarray of shape (n_inducing, n_features)
        The columns c.
    reduction : ndarray of shape (n_inducing, n_inducing) or (n_patterns, n_pairs)
        S, or the upper triangles of S_d.
    mean : ndarray of shape (n_features,)
        Origin of the data.
    scale : float
        Unit of the data.
    shared : bool, default=True
        Whether S is the same for all features.
    patterns : ndarray of int, shape (n_features,), default=None
        Row of `reduction` of each feature; by default, each feature has one of its own.
    """

    def __init__(
        self,
        covariance: Covariance,
        root: NDArray,
        coefficients: NDArray,
        reduction: NDArray,
        *,
        mean: NDArray,
        scale: float,
        shared: bool = True,
        patterns: NDArray | None = None,
    ) -> None:
        self.covariance, self.root, self.coefficients = covariance, root, coefficients
        self.reduction, self.mean, self.scale = reduction, mean, scale
        self.shared, self.patterns = shared, patterns

    def moments(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and variance of an observation at each point, in units of the data.

        Both have shape (n_points, n_features).
        """
        means, variances, _ = self._forward(X)
        variances = np.broadcast_to(variances, means.shape)
        return self.mean + self.scale * means, self.scale**2 * variances

    def log_density(self, X: NDArray, Y: NDArray) -> tuple[NDArray, NDArray]:
        """Return the log density of each row of Y at its latent point, and the gradient.

        It is Σ_d log N(y_d | μ_d(x), v_d(x)) over the entries that are not NaN.
        """
        means, variances, pullback = self._forward(X)
        is_observed = ~np.isnan(Y)
        residuals = np.where(is_observed, (Y - self.mean) / self.scale - means, 0.0)
        scaled = residuals / variances
        logs = is_observed * np.log(2 * np.pi * self.scale**2 * variances)
        values = -0.5 * (logs + residuals * scaled).sum(axis=1)
        return values, pullback(scaled, -0.5 * (is_observed / variances - np.square(scaled)))

    def compare(self, X: NDArray, Y: NDArray) -> NDArray:
        """Return the log densities of all rows of Y at all latent points, (n_rows, n_points)."""
        means, variances, _ = self._forward(X)
        variances = np.broadcast_to(variances, means.shape)
        is_observed = ~np.isnan(Y)
        values = np.where(is_observed, (Y - self.mean) / self.scale, 0.0)
        # Σ_d [log 2πv_d + (y_d − μ_d)² / v_d] over observed entries, as matrix products
        logs = np.log(2 * np.pi * self.scale**2 * variances) + np.square(means) / variances
        squares = np.square(values) @ (1 / variances).T - 2 * values @ (means / variances).T
        return -0.5 * (is_observed @ logs.T + squares)

    def _forward(self, X: NDArray) -> tuple[NDArray, NDArray, Pullback]:
        """Return means and variances, standardized, and the pullback from both to the points.

        The variances have one column if they are the same for all features.
        """
        cross, prior, pull = self.covariance(X)
        psi = whiten(self.root, cross.T).T
        means = psi @ self.coefficients
        if self.shared:
            reduced = psi @ self.reduction
            variances = (prior - (reduced * psi).sum(axis=1))[:, None]
        else:
            variances = prior[:, None] - pairs(psi) @ self.reduction.T
            if self.patterns is not None:
                variances = variances[:, self.patterns]

        def pullback(by_means: NDArray, by_variances: NDArray) -> NDArray:
            total = by_variances.sum(axis=1)
            # Gradient with respect to ψ, through means and variances
            by_psi = by_means @ self.coefficients.T
            if self.shared:
                by_psi -= 2 * total[:, None] * reduced
            else:
                if self.patterns is not None:
                    by_variances = by_variances @ _members(self.patterns)
                weights = symmetric(by_variances @ self.reduction, psi.shape[1])
                by_psi -= 2 * (weights @ psi[:, :, None])[:, :, 0]
            return pull(unwhiten(self.root, by_psi.T).T, total)

        return means, variances, pullback


def _members(patterns: NDArray) -> csr_array:
    """Return the matrix that sums the columns of features over those with the same pattern."""
    entries = np.ones(len(patterns)), (np.arange(len(patterns)), patterns)
    return csr_array(entries)


def pairs(psi: NDArray) -> NDArray:
    """Return ψ_i ψ_j for i ≤ j of each row, doubled for i < j, as its quadratic forms weigh them.

    Examples
    --------
    >>> pairs(np.array([[1.0, 2.0]])).tolist()
    [[1.0, 4.0, 4.0]]
    """
    i, j = np.triu_indices(psi.shape[1])
    return psi[:, i] * psi[:, j] * np.where(i == j, 1.0, 2.0)


def symmetric(packed: NDArray, size: int) -> NDArray:
    """Return symmetric matrices from the rows of their upper triangles.

    Examples
    --------
    >>> symmetric(np.array([[1.0, 2.0, 3.0]]), 2).tolist()
    [[[1.0, 2.0], [2.0, 3.0]]]
    """
    i, j = np.triu_indices(size)
    full = np.empty((len(packed), size, size))
    full[:, i, j] = full[:, j, i] = packed
    return full
