"""Exact likelihood of latent points, also over observed entries only, and the posterior from it.

Each feature is a Gaussian process of its own, so missing entries leave the covariance matrix of a
feature without the rows where it is missing. No entry is imputed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, blas, cho_factor, cho_solve, lapack, solve_triangular

from nldr.methods.gp.features._gaussian import Features, KernelCovariance
from nldr.methods.gp.inducing._bound import whiten
from nldr.methods.gp.kernels import GPKernel
from nldr.methods.gp.missing import Observations


def log_likelihood(
    kernel: GPKernel, X: NDArray, Y: NDArray, n_features: int
) -> tuple[float, NDArray, NDArray]:
    """Return log p(Y|X), Eq. 2 of Watanabe et al., and its gradients by `X` and log parameters.

    `Y` of shape (n_samples, n_columns) may be any matrix with the YYᵀ of the observations, which
    have `n_features` features. `kernel` has all noise; LinAlgError if its covariance matrix is not
    positive definite.

    Examples
    --------
    One point with two standard normal features, both observed as 1:

    >>> from nldr.methods.gp.kernels import White
    >>> value, _, _ = log_likelihood(White(), np.zeros((1, 1)), np.array([[np.sqrt(2)]]), 2)
    >>> float(round(value + np.log(2 * np.pi), 6))
    -1.0
    """
    # K = LLᵀ; LAPACK works on the transpose, whose lower triangle is filled
    n_samples = len(X)
    K = np.zeros((n_samples, n_samples))
    pullback = kernel.add_to(K, X)
    factor, failed = lapack.dpotrf(K.T, lower=True, clean=True, overwrite_a=True)
    if failed:
        raise LinAlgError("the covariance matrix is not positive definite")
    # −½ (D log|2πK| + tr(K⁻¹YYᵀ))
    solved, _ = lapack.dpotrs(factor, Y, lower=True)
    log_det = 2 * np.log(np.diag(factor)).sum() + n_samples * np.log(2 * np.pi)
    value = -(n_features * log_det + np.vdot(Y, solved)) / 2
    # dL/dK = ½ (K⁻¹YYᵀK⁻¹ − D K⁻¹), of which one triangle is computed
    inverse, _ = lapack.dpotri(factor, lower=True, overwrite_c=True)
    half = blas.dsyrk(0.5, solved, beta=-n_features / 2, c=inverse, lower=True, overwrite_c=True)
    # The diagonal is halved, so that dL/dK = H + Hᵀ
    half[np.diag_indices(n_samples)] /= 2
    return float(value), *pullback(half.T)


def log_prior(X: NDArray) -> float:
    """Return the log density of latent points with independent standard normal entries.

    Examples
    --------
    >>> float(round(log_prior(np.zeros((1, 2))) + np.log(2 * np.pi), 6))
    0.0
    """
    return float(-(np.square(X).sum() + X.size * np.log(2 * np.pi)) / 2)


def masked_likelihood(
    kernel: GPKernel, X: NDArray, Y: NDArray, is_observed: NDArray
) -> tuple[float, NDArray, NDArray]:
    """Return Σ_d log N(y_d | 0, K_d) of the observed entries and its gradients, as log_likelihood.

    K_d has the rows of K where feature d is observed; `is_observed` has the shape of `Y`.
    """
    K = np.zeros((len(X), len(X)))
    pullback = kernel.add_to(K, X)
    K = np.triu(K) + np.triu(K, 1).T
    value, by_K = 0.0, np.zeros_like(K)
    # Features observed in the same rows share a covariance matrix
    for rows, features in _patterns(is_observed):
        block, targets = np.ix_(rows, rows), Y[np.ix_(rows, features)]
        factor = cho_factor(K[block], lower=True)
        solved, inverse = cho_solve(factor, targets), cho_solve(factor, np.eye(len(rows)))
        log_det = 2 * np.log(np.diag(factor[0])).sum() + len(rows) * np.log(2 * np.pi)
        value -= (len(features) * log_det + np.vdot(targets, solved)) / 2
        by_K[block] += (solved @ solved.T - len(features) * inverse) / 2
    # The diagonal is halved, so that dL/dK = H + Hᵀ
    by_K[np.diag_indices_from(by_K)] /= 2
    if not np.isfinite(value):
        raise LinAlgError("the covariance matrix is not positive definite")
    return float(value), *pullback(np.triu(by_K))


def _patterns(is_observed: NDArray) -> Iterator[tuple[NDArray, NDArray]]:
    """Yield observed rows and the features that are observed in these rows."""
    patterns, group = np.unique(is_observed.T, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        yield np.flatnonzero(pattern), np.flatnonzero(group.ravel() == number)


def exact_features(kernel: GPKernel, X: NDArray, observed: Observations) -> Features:
    """Return the features' posterior given all observed entries, for the exact likelihood.

    `kernel` is that for standardized data. With missing entries the posterior holds n_features ×
    n_samples² / 2 numbers.
    """
    root = np.linalg.cholesky(kernel(X))
    if observed.complete:
        coefficients, reduction = whiten(root, observed.values), np.eye(len(X))
    else:
        # S = Lᵀ K_d⁻¹ L on the observed rows, a projection
        i, j = np.triu_indices(len(X))
        coefficients = np.empty((len(X), observed.values.shape[1]))
        reduction = np.empty((observed.values.shape[1], len(i)))
        for rows, features in _patterns(observed.is_observed):
            basis, triangle = np.linalg.qr(root[rows].T)
            targets = observed.values[np.ix_(rows, features)]
            coefficients[:, features] = basis @ solve_triangular(triangle, targets, trans="T")
            reduction[features] = (basis @ basis.T)[i, j]
    return Features(
        KernelCovariance(kernel, X),
        root,
        coefficients,
        reduction,
        mean=observed.mean,
        scale=observed.scale,
        shared=observed.complete,
    )
