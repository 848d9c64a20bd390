"""Latent points of a Gaussian process: kernel, refinement and placement by the likelihood.

For methods that have latent points from elsewhere, such as a closed form, and observations that are
centered and scaled already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.utils import gen_batches

from nldr.kernels import Kernel
from nldr.methods.gp.exact._kernel_slopes import log_slopes
from nldr.methods.gp.exact._likelihood import log_likelihood
from nldr.methods.gp.kernels import Stationary, Sum, White

FAILED = 10.0  # penalty for a failed Cholesky factorization, in nats per entry
STEP = 3.0  # unit of the variables of the search, in length scales: L-BFGS starts with one unit
MIN_GAIN = 1e-7  # in nats per feature, for which a new row moves: well above rounding errors
JITTER = 1e-8  # added to the diagonal, relative to the variance
BATCH_ROWS = 1024  # rows that are placed at a time


@dataclass(frozen=True)
class LatentFit:
    """Latent points with the kernel that was fitted to them.

    Attributes
    ----------
    points : ndarray of shape (n_samples, n_components)
        Latent points.
    kernel : Sum
        A stationary term and white noise.
    log_likelihood : float
        In nats per entry of the observations.
    """

    points: NDArray
    kernel: Sum
    log_likelihood: float

    @property
    def noise_share(self) -> float:
        """Variance of the noise divided by that of signal and noise."""
        signal, noise = (part.params["variance"] for part in self.kernel.parts)
        return float(noise / (signal + noise))

    @property
    def length_scale(self) -> float:
        """Length scale of the stationary term."""
        return float(self.kernel.parts[0].params["length_scale"])


def start_fit(points: NDArray, shape: Kernel) -> LatentFit:
    """Return given points with a kernel that is not fitted yet.

    Raises
    ------
    ValueError
        If the gradient of the kernel is not known.
    """
    return LatentFit(points, Sum((Stationary(shape), White(0.1))), -np.inf)


def ascend(
    start: LatentFit,
    columns: NDArray,
    n_features: int,
    *,
    move: bool = True,
    max_iter: int = 100,
    tol: float = 1e-6,
    progress: Callable[[int, float], None] | None = None,
) -> LatentFit:
    """Maximize the likelihood over the kernel's parameters and, if asked, the points.

    The fit starts in units of about one length scale. `columns` are observations of unit variance,
    or any matrix with the same inner products of rows; they have `n_features` features. The search
    stops after `max_iter` iterations or below a gain of `tol` nats per entry. `progress` is called
    after each iteration with 1 and the log likelihood per entry.

    Examples
    --------
    >>> from nldr.kernels import SquaredExponential
    >>> rng = np.random.default_rng(0)
    >>> line = np.linspace(0, 4, 30)[:, np.newaxis]
    >>> waves = np.sqrt(2) * np.cos(line @ rng.standard_normal((1, 50)) + 6 * rng.random(50))
    >>> start = start_fit(line + 0.2 * rng.standard_normal(line.shape), SquaredExponential())
    >>> fit = ascend(start, waves, 50)
    >>> bool(abs(np.corrcoef(fit.points[:, 0], line[:, 0])[0, 1]) > 0.999)
    True
    """
    n_entries = len(columns) * n_features
    size = start.points.size if move else 0
    last = [0.0]

    def points_of(x: NDArray) -> NDArray:
        return STEP * x[:size].reshape(start.points.shape) if move else start.points

    def loss(x: NDArray) -> tuple[float, NDArray]:
        """Return the negative log likelihood per entry, and its gradient."""
        try:
            value, by_points, by_params = log_likelihood(
                start.kernel.with_log_params(x[size:]), points_of(x), columns, n_features
            )
        except LinAlgError:
            # Penalty, so that the line search backtracks
            return last[0] + FAILED, np.zeros_like(x)
        last[0] = -value / n_entries
        by_variables = STEP * by_points.ravel() if move else np.empty(0)
        return last[0], -np.concatenate([by_variables, by_params]) / n_entries

    first = start.points.ravel() / STEP if move else np.empty(0)
    result = minimize(
        loss,
        np.concatenate([first, start.kernel.log_params()]),
        jac=True,
        callback=(lambda _: progress(1, -last[0])) if progress else None,
        method="L-BFGS-B",
        bounds=[(None, None)] * size + start.kernel.bounds().tolist(),
        options={"maxiter": max_iter, "ftol": tol, "gtol": 0, "maxcor": 20},
    )
    kernel = start.kernel.with_log_params(result.x[size:])
    return LatentFit(points_of(result.x), kernel, -float(result.fun))


class Posterior:
    """Density of observed rows as functions of their latent points, given fitted rows.

    With k the covariances of a latent point z with the fitted points, K their covariance matrix and
    Y their observations, a row at z has the mean kᵀK⁻¹Y and the variance σ² + ν − kᵀK⁻¹k. To
    average the fitted points only, `rows` may be any matrix with the inner products of Y.
    """

    def __init__(self, fit: LatentFit, rows: NDArray, n_features: int) -> None:
        self.points, self.rows, self.n_features = fit.points, rows, n_features
        stationary, noise = fit.kernel.parts
        assert isinstance(stationary, Stationary)
        self.stationary = stationary
        self.variance = float(self.stationary.params["variance"])
        self.noise = float(noise.params["variance"])
        self.length_scale = fit.length_scale
        # K⁻¹, K⁻¹Y and K⁻¹YYᵀK⁻¹
        K = fit.kernel(fit.points)
        K[np.diag_indices_from(K)] += JITTER * self.variance
        self.inverse = cho_solve(cho_factor(K), np.eye(len(K)))
        self.weights = self.inverse @ rows
        self.outer = self.weights @ self.weights.T

    def average_fitted(self) -> NDArray:
        """Return the posterior means of the fitted points if each may be at any other's place."""
        density = self._density_at_fitted(*self._products(self.rows))
        # Leave-one-out residuals and variances from K⁻¹
        precision = np.diag(self.inverse)
        squares = np.square(self.weights).sum(axis=1) / precision
        left_out = -0.5 * (squares - self.n_features * np.log(precision))
        density[np.diag_indices_from(density)] = left_out
        return softmax(density, axis=1) @ self.points

    def place(self, rows: NDArray, n_steps: int) -> NDArray:
        """Return latent points of new rows.

        Each starts at its posterior mean over the fitted points, and makes `n_steps` steps uphill.
        """
        placed = np.empty((len(rows), self.points.shape[1]))
        for batch in gen_batches(len(rows), BATCH_ROWS):
            products = self._products(rows[batch])
            start = softmax(self._density_at_fitted(*products), axis=1) @ self.points
            placed[batch] = self._climb(start, *products, n_steps)
        return placed

    def _products(self, rows: NDArray) -> tuple[NDArray, NDArray]:
        """Return rows times (K⁻¹Y)ᵀ, and their squared norms: what the density needs of them."""
        return rows @ self.weights.T, np.square(rows).sum(axis=1)

    def _density_at_fitted(self, targets: NDArray, squares: NDArray) -> NDArray:
        """Return the log densities of rows at the fitted points, up to a constant per row."""
        k = self._covariance(self.points)
        variances = self._variances(k, k @ self.inverse)
        errors = squares[:, np.newaxis] - 2 * targets @ k
        errors += np.einsum("ij,ij->i", k @ self.outer, k)
        return -0.5 * (self.n_features * np.log(variances) + errors / variances)

    def _climb(self, points: NDArray, targets: NDArray, squares: NDArray, n_steps: int) -> NDArray:
        """Take damped scoring steps, each row on its own."""
        if n_steps == 0:
            return points
        damping = np.ones(len(points))
        density, gradient, information = self._slopes(points, targets, squares)
        for _ in range(n_steps):
            moved = points + gradient / (information * damping)[:, np.newaxis]
            trial = self._slopes(moved, targets, squares)
            # Keep the steps that go up; damp the others more
            better = trial[0] > density + MIN_GAIN * self.n_features
            points = np.where(better[:, np.newaxis], moved, points)
            gradient = np.where(better[:, np.newaxis], trial[1], gradient)
            density = np.where(better, trial[0], density)
            information = np.where(better, trial[2], information)
            damping = np.where(better, np.maximum(damping / 2, 0.5), 4 * damping)
        return points

    def _slopes(
        self, points: NDArray, targets: NDArray, squares: NDArray
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Return log densities, their gradients, and the expected information per coordinate."""
        k = self._covariance(points)
        outer, solved = k @ self.outer, k @ self.inverse
        variances = self._variances(k, solved)
        errors = squares - 2 * np.einsum("ij,ij->i", k, targets) + np.einsum("ij,ij->i", k, outer)
        density = -0.5 * (self.n_features * np.log(variances) + errors / variances)
        # Gradients with respect to k: through the mean, and through the variance
        by_variance = -0.5 * (self.n_features / variances - errors / variances**2)
        by_k = (targets - outer) / variances[:, np.newaxis]
        by_k -= 2 * by_variance[:, np.newaxis] * solved
        slopes = log_slopes(self.stationary.shape, self._squared_distances(points))[0]
        by_k *= 2 * slopes * k / self.length_scale**2
        gradient = points * by_k.sum(axis=1, keepdims=True) - by_k @ self.points
        information = self.n_features * self.variance / (self.length_scale**2 * variances)
        return density, gradient, information

    def _squared_distances(self, points: NDArray) -> NDArray:
        scaled = points / self.length_scale
        return cdist(scaled, self.points / self.length_scale, "sqeuclidean")

    def _covariance(self, points: NDArray) -> NDArray:
        return self.variance * self.stationary.shape(self._squared_distances(points))

    def _variances(self, k: NDArray, solved: NDArray) -> NDArray:
        variances = self.variance + self.noise - np.einsum("ij,ij->i", k, solved)
        return np.maximum(variances, JITTER)
