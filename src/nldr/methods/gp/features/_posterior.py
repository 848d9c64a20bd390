"""Posterior of the latent points of new rows: mode, covariance and evidence."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtri
from scipy.stats import qmc
from sklearn.utils import gen_batches

from nldr.methods.gp.features._gaussian import Features

STEP = 1e-4  # of finite differences, relative to the latent prior's standard deviation
TOL = 1e-11  # gain in nats, relative to the log density, below which a search stops
MAX_STEPS = 100
MAX_HALVINGS = 30
BLOCK = 2**22  # numbers computed at a time
N_MODES, N_POINTS = 4, 64  # starting points and draws of the evidence's importance sampling
WIDENED = 1.5  # standard deviations of its proposals, relative to those of the posterior

Density = Callable[[NDArray], tuple[NDArray, NDArray]]


class LatentPosterior:
    """Posterior p(x|y) ∝ p(y|x) p(x) of the latent point x of each row y, given the fitted model.

    `features` is p(y|x), `mean` and `covariance` are those of the normal prior p(x), and the search
    for a mode starts at rows of `starts`. NaN entries of rows are missing.
    """

    def __init__(
        self, features: Features, mean: NDArray, covariance: NDArray, starts: NDArray
    ) -> None:
        self.features, self.mean, self.covariance, self.starts = features, mean, covariance, starts
        self.root = np.linalg.cholesky(covariance)
        self.scale = np.sqrt(np.diag(covariance))
        self.log_norm = -np.log(np.diag(self.root)).sum() - len(mean) / 2 * np.log(2 * np.pi)

    def log_prior(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Return the log density of latent points under the prior, and its gradient."""
        white = np.linalg.solve(self.root, (X - self.mean).T)
        slopes = -np.linalg.solve(self.root.T, white).T
        return self.log_norm - 0.5 * np.square(white).sum(axis=0), slopes

    def log_joint(self, X: NDArray, Y: NDArray) -> tuple[NDArray, NDArray]:
        """Return log p(y|x) p(x) of each row at its latent point, and its gradient."""
        values, slopes = self.features.log_density(X, Y)
        prior, prior_slopes = self.log_prior(X)
        return values + prior, slopes + prior_slopes

    def modes(self, Y: NDArray) -> NDArray:
        """Return the mode that is reached from each row's most probable starting point."""
        return self._search(Y, 1)[0]

    def covariances(self, X: NDArray, Y: NDArray) -> NDArray:
        """Return Laplace's approximation of the covariance of each row's posterior at a mode.

        Curvatures below that of the prior, as beside a mode, are replaced by that of the prior.
        """
        blocks = [
            self._curvature(X[rows], partial(self.log_joint, Y=Y[rows]))
            for rows in self._batches(len(X), 1)
        ]
        curvature = np.concatenate(blocks) if blocks else np.empty((0, *self.covariance.shape))
        # In units of the prior: curvatures are at least 1
        white = self.root.T @ curvature @ self.root
        values, vectors = np.linalg.eigh(white)
        inverse = (vectors / np.maximum(values, 1.0)[:, None, :]) @ vectors.transpose(0, 2, 1)
        return self.root @ inverse @ self.root.T

    def log_evidence(self, Y: NDArray) -> NDArray:
        """Return log p(y) = log ∫ p(y|x) p(x) dx of each row, by importance sampling.

        The proposal is a mixture of normal distributions around the modes reached from several
        starting points, and of the prior, each with the same quasi-random points.
        """
        n_components = len(self.mean)
        sobol = qmc.Sobol(n_components, scramble=False).random(N_POINTS)
        normal = ndtri(sobol + 0.5 / N_POINTS)  # centers of equal intervals of each coordinate
        batches = self._batches(len(Y), (N_MODES + 1) * N_POINTS)
        parts = [self._evidence(Y[rows], normal) for rows in batches]
        return np.concatenate(parts) if parts else np.empty(0)

    def _evidence(self, Y: NDArray, normal: NDArray) -> NDArray:
        """Return the log evidence of some rows from standard normal points."""
        centers = self._search(Y, N_MODES)
        roots = [np.linalg.cholesky(self.covariances(X, Y)) * WIDENED for X in centers]
        # The last component is the prior
        centers = np.concatenate([centers, np.broadcast_to(self.mean, (1, *centers[0].shape))])
        roots.append(np.broadcast_to(self.root, roots[0].shape))
        draws = [
            X[:, None] + normal @ L.transpose(0, 2, 1) for X, L in zip(centers, roots, strict=True)
        ]
        points = np.concatenate(draws, axis=1)
        n_rows, n_points, n_components = points.shape
        target = self.log_joint(points.reshape(-1, n_components), Y.repeat(n_points, axis=0))[0]
        densities = np.stack(
            [_log_normal(points, X, L) for X, L in zip(centers, roots, strict=True)]
        )
        proposal = logsumexp(densities, axis=0) - np.log(len(centers))
        return logsumexp(target.reshape(n_rows, n_points) - proposal, axis=1) - np.log(n_points)

    def _search(self, Y: NDArray, n_modes: int) -> NDArray:
        """Return the modes found from the best starting points, of shape (n_modes, n_rows, Q)."""
        # Starting points in the order of log p(y|x) p(x), the best first
        n_modes = min(n_modes, len(self.starts))
        if not len(Y):
            return np.empty((n_modes, 0, len(self.mean)))
        value = self.features.compare(self.starts, Y) + self.log_prior(self.starts)[0]
        best = np.argsort(-value, axis=1, kind="stable")[:, :n_modes].T
        modes = [self._climb(self.starts[order], Y) for order in best]
        return np.stack(modes)

    def _climb(self, start: NDArray, Y: NDArray) -> NDArray:
        """Return the modes that Newton's method reaches from one starting point per row."""
        X = start.copy()
        for rows in self._batches(len(Y), 1):
            block = Y[rows]
            X[rows] = self._newton(X[rows], block)
        return X

    def _newton(self, X: NDArray, Y: NDArray) -> NDArray:
        """Return the modes that Newton's method reaches, with steps halved until they gain."""
        active = np.arange(len(X))
        values, slopes = self.log_joint(X, Y)
        for _ in range(MAX_STEPS):
            # Newton step in units of the prior, with the absolute values of the curvatures
            curvature = self._curvature(X[active], partial(self.log_joint, Y=Y[active]))
            scales = self.scale
            weights, vectors = np.linalg.eigh(curvature * scales[:, None] * scales)
            along = np.einsum("nqk,nq->nk", vectors, slopes[active] * scales)
            steps = np.einsum("nqk,nk->nq", vectors, along / np.maximum(np.abs(weights), 1.0))
            lengths = np.linalg.norm(steps, axis=1, keepdims=True)
            steps *= scales / np.maximum(lengths, 1.0)  # at most one standard deviation
            gains = self._line_search(X, Y, values, slopes, active, steps)
            active = active[gains > TOL * (1 + np.abs(values[active]))]
            if not len(active):
                break
        return X

    def _line_search(
        self,
        X: NDArray,
        Y: NDArray,
        values: NDArray,
        slopes: NDArray,
        active: NDArray,
        steps: NDArray,
    ) -> NDArray:
        """Move the active rows, in place, by the first halved step that gains; return the gains."""
        gains, trying = np.zeros(len(active)), np.arange(len(active))
        for halving in range(MAX_HALVINGS):
            rows = active[trying]
            moved = X[rows] + 0.5**halving * steps[trying]
            new_values, new_slopes = self.log_joint(moved, Y[rows])
            better = new_values > values[rows]
            # Keep what gained
            kept = rows[better]
            gains[trying[better]] = new_values[better] - values[kept]
            X[kept], values[kept] = moved[better], new_values[better]
            slopes[kept] = new_slopes[better]
            trying = trying[~better]
            if not len(trying):
                break
        return gains

    def _curvature(self, X: NDArray, density: Density) -> NDArray:
        """Return the negative Hessian of a density at each row, by central differences."""
        n_rows, n_components = X.shape
        hessian = np.empty((n_rows, n_components, n_components))
        for q, step in enumerate(STEP * self.scale):
            move = step * np.eye(n_components)[q]
            forward, backward = density(X + move)[1], density(X - move)[1]
            hessian[:, q] = (forward - backward) / (2 * step)
        return -(hessian + hessian.transpose(0, 2, 1)) / 2

    def _batches(self, n_rows: int, n_points: int) -> list[slice]:
        """Return slices of rows whose computation fits into a block of memory."""
        width = max(*self.features.coefficients.shape) * n_points
        return list(gen_batches(n_rows, max(BLOCK // width, 1))) if n_rows else []


def _log_normal(points: NDArray, centers: NDArray, roots: NDArray) -> NDArray:
    """Return log densities at points (n_rows, n_points, n_components), one normal for each row.

    `roots` are Cholesky factors of the covariances.
    """
    white = np.linalg.solve(roots, (points - centers[:, None]).transpose(0, 2, 1))
    log_det = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    constant = log_det + centers.shape[1] / 2 * np.log(2 * np.pi)
    return -0.5 * np.square(white).sum(axis=1) - constant[:, None]
