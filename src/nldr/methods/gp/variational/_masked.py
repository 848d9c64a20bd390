"""Bound over observed entries only, and the features' posterior from it.

Each feature is a Gaussian process of its own, so missing entries leave the covariance matrix of a
feature without the rows where it is missing. No entry is imputed. Features that miss the same rows
share a matrix, and rows without missing entries enter all of them by one sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from nldr.methods.gp.features._gaussian import Features, InducingCovariance, symmetric
from nldr.methods.gp.inducing._bound import collapsed_bound, fewest_columns, unwhiten, whiten
from nldr.methods.gp.missing import Observations

BLOCK = 2**22  # numbers in the matrices of the features that are factorized at a time


@dataclass(frozen=True)
class Group:
    """Features that miss the same rows.

    Attributes
    ----------
    features : ndarray of shape (n_group,)
        The features.
    mask : ndarray of bool, shape (n_incomplete,)
        Which of the incomplete rows they observe.
    columns : ndarray of shape (n_samples, rank)
        The fewest columns with the same inner products as theirs, 0 where missing.
    """

    features: NDArray
    mask: NDArray
    columns: NDArray


class Masks:
    """Rows and features by what is missing.

    Attributes
    ----------
    complete, incomplete : ndarray of int
        Rows without and with missing entries.
    groups : list of Group
        Features of which several miss the same rows.
    single : ndarray of int or slice
        All other features.

    Examples
    --------
    >>> masks = Masks(np.ones((3, 4)), np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]]) > 0)
    >>> masks.complete.tolist(), masks.incomplete.tolist(), masks.single.tolist()
    ([0, 2], [1], [3])
    >>> masks.groups[0].features.tolist(), masks.groups[0].mask.tolist()
    ([0, 1, 2], [True])
    """

    def __init__(self, Y: NDArray, is_observed: NDArray) -> None:
        whole = is_observed.all(axis=1)
        self.complete, self.incomplete = np.flatnonzero(whole), np.flatnonzero(~whole)
        rows = is_observed[self.incomplete]
        patterns, group, counts = np.unique(rows.T, axis=0, return_inverse=True, return_counts=True)
        self.groups = []
        for number in np.flatnonzero(counts > 1):
            features = np.flatnonzero(group.ravel() == number)
            columns = fewest_columns(Y[:, features])
            self.groups.append(Group(features, patterns[number].astype(bool), columns))
        alone = np.flatnonzero(counts[group.ravel()] == 1)
        self.single = slice(None) if len(alone) == Y.shape[1] else alone
        self.Y, self.is_observed = Y[:, self.single], rows[:, self.single]


@dataclass(frozen=True)
class Statistics:
    """Contributions of the rows: ψ₀ = E[k(x, x)], ψ₁ = E[φ] and ψ₂ = E[φφᵀ].

    φ are covariances of row and inducing points; without latent variances these are the values.

    Attributes
    ----------
    psi1 : ndarray of shape (n_samples, n_inducing)
        ψ₁ of all rows.
    psi0, psi2 : ndarray of shapes (n_incomplete,) and (n_incomplete, n_pairs)
        ψ₀, and the upper triangle of ψ₂, of each incomplete row.
    psi0_sum, psi2_sum : float and ndarray of shape (n_inducing, n_inducing)
        Sums over the complete rows.
    """

    psi1: NDArray
    psi0: NDArray
    psi2: NDArray
    psi0_sum: float
    psi2_sum: NDArray


@dataclass(frozen=True)
class Masked:
    """Value and gradients of :func:`masked_bound`.

    Attributes
    ----------
    value : float
        The bound.
    by : Statistics
        Derivatives with respect to the statistics; those by ψ₂ are symmetric matrices or their
        upper triangles.
    inducing : ndarray of shape (n_inducing, n_inducing)
        G such that L⁻ᵀ G L⁻¹ is the derivative with respect to A = LLᵀ.
    precision : float
        Derivative with respect to the noise precision β.
    """

    value: float
    by: Statistics
    inducing: NDArray
    precision: float


def masked_bound(psi: Statistics, root: NDArray, precision: float, masks: Masks) -> Masked:
    """Return the collapsed bound over observed entries, and its gradients.

    This is :func:`~nldr.methods.gp.inducing._bound.collapsed_bound` of each feature, with the rows
    where it is observed. `root` is the Cholesky factor of the inducing points' covariance matrix.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite because of rounding errors.
    """
    bound = _single_bound(psi, root, precision, masks)
    i, j = np.triu_indices(len(root))
    value, inducing, by_precision = bound.value, bound.inducing, bound.precision
    by, by_psi0_sum, n_complete = bound.by, bound.by.psi0_sum, len(masks.complete)
    for group in masks.groups:
        # One matrix for all features that miss the same rows
        psi2 = psi.psi2_sum + symmetric((group.mask @ psi.psi2)[None], len(root))[0]
        part = collapsed_bound(
            psi.psi0_sum + float(group.mask @ psi.psi0),
            whiten(root, psi.psi1.T @ group.columns),
            whiten(root, whiten(root, psi2).T),
            precision,
            n_samples=n_complete + int(group.mask.sum()),
            n_targets=len(group.features),
            squares=float(np.square(group.columns).sum()),
        )
        value, inducing = value + part.value, inducing + part.inducing
        by_precision, by_psi0_sum = by_precision + part.precision, by_psi0_sum + part.trace
        by_psi2 = unwhiten(root, unwhiten(root, part.gram).T)
        by.psi0[group.mask] += part.trace
        by.psi1[:] += group.columns @ unwhiten(root, part.cross).T
        by.psi2[group.mask] += by_psi2[i, j]
        by.psi2_sum[:] += by_psi2
    return Masked(value, replace(by, psi0_sum=by_psi0_sum), inducing, by_precision)


def _single_bound(psi: Statistics, root: NDArray, precision: float, masks: Masks) -> Masked:
    """Return the bound of the features that share their missing rows with no other."""
    b, eye, Y, n_complete = precision, np.eye(len(root)), masks.Y, len(masks.complete)
    n_features = Y.shape[1]
    observed_rows = masks.is_observed.sum(axis=1)
    n_observed, by_pairs = observed_rows.sum() + n_complete * n_features, np.zeros_like(psi.psi2)
    by_psi1, inducing = np.zeros_like(psi.psi1), np.zeros_like(eye)
    by_sum = np.zeros_like(eye)
    missing = float(observed_rows @ psi.psi0) + n_features * psi.psi0_sum
    squares = np.square(Y).sum()
    value = -0.5 * (n_observed * np.log(2 * np.pi / b) + b * (missing + squares))
    by_precision = 0.5 * (n_observed / b - missing - squares)
    i, j = np.triu_indices(len(root))
    half = whiten(root, eye)
    for features, mask, gram, cross in _whitened(psi, half, masks):
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
        by_psi2 = 0.5 * b * half.T @ by_gram @ half
        by_pairs += mask.T @ by_psi2[:, i, j]
        by_sum += by_psi2.sum(axis=0)
    by = Statistics(
        by_psi1, -0.5 * b * observed_rows, by_pairs, -0.5 * b * float(n_features), by_sum
    )
    return Masked(float(value), by, inducing, by_precision)


def _whitened(
    psi: Statistics, half: NDArray, masks: Masks
) -> Iterator[tuple[slice, NDArray, NDArray, NDArray]]:
    """Yield blocks of single features, their mask, and VᵀV and VᵀY of observed rows, whitened."""
    size, n_features = len(half), masks.Y.shape[1]
    if not n_features:
        return
    for features in gen_batches(n_features, max(BLOCK // size**2, 1)):
        mask = masks.is_observed[:, features].T.astype(float)
        gram = half @ (symmetric(mask @ psi.psi2, size) + psi.psi2_sum) @ half.T
        yield features, mask, gram, (masks.Y[:, features].T @ psi.psi1) @ half.T


def inducing_features(
    covariance: InducingCovariance,
    root: NDArray,
    psi: Statistics,
    observed: Observations,
) -> Features:
    """Return the features' posterior given all observed entries, for inducing points.

    With missing entries it holds n_inducing² / 2 numbers for each set of rows that features miss.
    """
    b, eye, half = covariance.precision, np.eye(len(root)), whiten(root, np.eye(len(root)))
    i, j = np.triu_indices(len(root))
    patterns: NDArray | None = None
    if observed.complete:
        inverse = np.linalg.inv(eye + b * half @ psi.psi2_sum @ half.T)
        coefficients = b * inverse @ half @ (psi.psi1.T @ observed.values)
        reduction = eye - inverse
    else:
        masks, n_features = Masks(observed.values, observed.is_observed), len(observed.mean)
        coefficients = np.empty((len(root), n_features))
        single = np.arange(n_features)[masks.single]
        reductions = [np.empty((0, len(i)))]
        for features, _, gram, cross in _whitened(psi, half, masks):
            inverse = np.linalg.inv(eye + b * gram)
            coefficients[:, single[features]] = b * (inverse @ cross[:, :, None])[:, :, 0].T
            reductions.append((eye - inverse)[:, i, j])
        # Features that miss the same rows have one matrix
        patterns = np.arange(n_features)
        patterns[single] = np.arange(len(single))
        for number, group in enumerate(masks.groups):
            psi2 = psi.psi2_sum + symmetric((group.mask @ psi.psi2)[None], len(root))[0]
            inverse = np.linalg.inv(eye + b * half @ psi2 @ half.T)
            values = observed.values[:, group.features]
            coefficients[:, group.features] = b * inverse @ half @ (psi.psi1.T @ values)
            reductions.append((eye - inverse)[i, j][None])
            patterns[group.features] = len(single) + number
        reduction = np.concatenate(reductions)
    return Features(
        covariance,
        root,
        coefficients,
        reduction,
        mean=observed.mean,
        scale=observed.scale,
        shared=observed.complete,
        patterns=patterns,
    )
