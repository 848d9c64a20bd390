"""Bound over observed entries only, and the features' posterior from it.

Each feature is a Gaussian process of its own, so missing entries leave the covariance matrix of a
feature without the rows where it is missing. No entry is imputed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from nldr.methods.gp.features._gaussian import Features, InducingCovariance, symmetric
from nldr.methods.gp.inducing._bound import whiten
from nldr.methods.gp.missing import Observations

BLOCK = 2**22  # numbers in the matrices of the features that are factorized at a time


@dataclass(frozen=True)
class Masked:
    """Value and gradients of :func:`masked_bound`.

    Attributes
    ----------
    value : float
        The bound.
    psi0 : ndarray of shape (n_samples,)
        Derivatives with respect to ψ₀ of each row.
    psi1 : ndarray of shape (n_samples, n_inducing)
        Derivative with respect to ψ₁.
    psi2 : ndarray of shape (n_samples, n_pairs)
        Derivatives with respect to ψ₂ of each row: upper triangles of symmetric matrices.
    inducing : ndarray of shape (n_inducing, n_inducing)
        G such that L⁻ᵀ G L⁻¹ is the derivative with respect to A = LLᵀ.
    precision : float
        Derivative with respect to the noise precision β.
    """

    value: float
    psi0: NDArray
    psi1: NDArray
    psi2: NDArray
    inducing: NDArray
    precision: float


def masked_bound(
    psi0: NDArray,
    psi1: NDArray,
    psi2: NDArray,
    root: NDArray,
    precision: float,
    Y: NDArray,
    is_observed: NDArray,
) -> Masked:
    """Return the collapsed bound over observed entries, and its gradients.

    This is :func:`~nldr.methods.gp.inducing._bound.collapsed_bound` of each feature, with the rows
    where it is observed. Rows enter through ψ₀ = E[k(x, x)], ψ₁ = E[φ] and ψ₂ = E[φφᵀ], with the
    covariances φ of row and inducing points; without latent variances these are the values.

    Parameters
    ----------
    psi0 : ndarray of shape (n_samples,)
        ψ₀ of each row.
    psi1 : ndarray of shape (n_samples, n_inducing)
        ψ₁.
    psi2 : ndarray of shape (n_samples, n_pairs)
        Upper triangle of ψ₂ of each row.
    root : ndarray of shape (n_inducing, n_inducing)
        Cholesky factor L of the inducing points' covariance matrix A.
    precision : float
        Noise precision β.
    Y : ndarray of shape (n_samples, n_features)
        Observations, 0 where missing.
    is_observed : ndarray of bool, shape (n_samples, n_features)
        Whether an entry is observed.

    Returns
    -------
    Masked
        Value and gradients.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite because of rounding errors.
    """
    b, eye = precision, np.eye(len(root))
    n_observed, by_pairs = is_observed.sum(), np.zeros_like(psi2)
    by_psi1, inducing = np.zeros_like(psi1), np.zeros_like(eye)
    # Terms that do not depend on the features' matrices
    missing = float(is_observed.sum(axis=1) @ psi0)
    squares = np.square(Y).sum()
    value = -0.5 * (n_observed * np.log(2 * np.pi / b) + b * (missing + squares))
    by_precision = 0.5 * (n_observed / b - missing - squares)
    i, j = np.triu_indices(len(root))
    half = whiten(root, eye)
    for features, mask, gram, cross in _whitened(psi1, psi2, half, Y, is_observed):
        # B = I + β VᵀV of each feature, its determinant and its inverse
        factors = np.linalg.cholesky(eye + b * gram)
        inverse = np.linalg.inv(eye + b * gram)
        fitted = (inverse @ cross[:, :, None])[:, :, 0]
        explained, traces = np.vdot(cross, fitted), np.trace(gram, axis1=1, axis2=2).sum()
        log_det = 2 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum()
        value -= 0.5 * (log_det - b * traces - b**2 * explained)
        # Gradients as in collapsed_bound
        outer = fitted[:, :, None] * fitted[:, None, :]
        by_gram = eye - inverse - b**2 * outer
        inducing += 0.5 * (by_gram - b * gram).sum(axis=0)
        by_precision += 0.5 * (traces - np.vdot(inverse, gram) + 2 * b * explained)
        by_precision -= 0.5 * b**2 * np.vdot(outer, gram)
        by_psi1 += Y[:, features] @ (b**2 * fitted @ half)
        by_pairs += mask.T @ (0.5 * b * half.T @ by_gram @ half)[:, i, j]
    return Masked(
        float(value), -0.5 * b * is_observed.sum(axis=1), by_psi1, by_pairs, inducing, by_precision
    )


def _whitened(
    psi1: NDArray, psi2: NDArray, half: NDArray, Y: NDArray, is_observed: NDArray
) -> Iterator[tuple[slice, NDArray, NDArray, NDArray]]:
    """Yield blocks of features, their mask, and VᵀV and VᵀY over observed rows, whitened."""
    size = len(half)
    for features in gen_batches(Y.shape[1], max(BLOCK // size**2, 1)):
        mask = is_observed[:, features].T.astype(float)
        gram = half @ symmetric(mask @ psi2, size) @ half.T
        yield features, mask, gram, (Y[:, features].T @ psi1) @ half.T


def inducing_features(
    covariance: InducingCovariance,
    root: NDArray,
    psi1: NDArray,
    psi2: NDArray,
    observed: Observations,
) -> Features:
    """Return the features' posterior given all observed entries, for inducing points.

    Parameters
    ----------
    covariance : InducingCovariance
        Kernel, inducing points and noise.
    root : ndarray of shape (n_inducing, n_inducing)
        Cholesky factor of the inducing points' covariance matrix.
    psi1 : ndarray of shape (n_samples, n_inducing)
        ψ₁.
    psi2 : ndarray of shape (n_inducing, n_inducing) or (n_samples, n_pairs)
        ψ₂ summed over the rows if no entry is missing, else its upper triangle for each row.
    observed : Observations
        The data.

    Returns
    -------
    Features
        The posterior. With missing entries it holds n_features × n_inducing² / 2 numbers.
    """
    b, eye, half = covariance.precision, np.eye(len(root)), whiten(root, np.eye(len(root)))
    if observed.complete:
        inverse = np.linalg.inv(eye + b * half @ psi2 @ half.T)
        coefficients = b * inverse @ half @ (psi1.T @ observed.values)
        reduction = eye - inverse
    else:
        i, j = np.triu_indices(len(root))
        coefficients = np.empty((len(root), observed.values.shape[1]))
        reduction = np.empty((observed.values.shape[1], len(i)))
        blocks = _whitened(psi1, psi2, half, observed.values, observed.is_observed)
        for features, _, gram, cross in blocks:
            inverse = np.linalg.inv(eye + b * gram)
            coefficients[:, features] = b * (inverse @ cross[:, :, None])[:, :, 0].T
            reduction[features] = (eye - inverse)[:, i, j]
    return Features(
        covariance,
        root,
        coefficients,
        reduction,
        mean=observed.mean,
        scale=observed.scale,
        shared=observed.complete,
    )
