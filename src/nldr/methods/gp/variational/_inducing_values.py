"""Variational posterior of inducing values for likelihoods that are not Gaussian."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nldr.methods.gp.features._gaussian import pairs, symmetric
from nldr.methods.gp.features._likelihoods import Likelihood

MAX_STEPS = 50
MAX_HALVINGS = 15
TOL = 1e-5  # gain in nats of one step below which a feature's search stops


@dataclass
class Posterior:
    """Normal distribution of the whitened inducing values of each feature.

    Attributes
    ----------
    means : ndarray of shape (n_features, n_inducing)
        The means c.
    sites : ndarray of shape (n_features, n_samples)
        Weights λ of the rows: the precision is I + Ψᵀ diag(λ) Ψ.
    """

    means: NDArray
    sites: NDArray

    @classmethod
    def prior(cls, shape: tuple[int, ...], n_inducing: int) -> Posterior:
        """Return the standard normal distribution for a matrix `sites` of this shape."""
        return cls(np.zeros((shape[0], n_inducing)), np.zeros(shape))


@dataclass(frozen=True)
class State:
    """A posterior's bound and what its steps and gradients need, one row per feature.

    Attributes
    ----------
    values : ndarray of shape (n_features,)
        Σ_n E[log p(y_n|f_n)] − KL(q(u) ‖ p(u)).
    slopes, curvatures : ndarray of shape (n_features, n_samples)
        Expected derivatives of the log density; 0 where no value is observed.
    covariances : ndarray of shape (n_features, n_inducing, n_inducing)
        S, the inverse precisions.
    """

    values: NDArray
    slopes: NDArray
    curvatures: NDArray
    covariances: NDArray

    def replace(self, rows: NDArray, other: State) -> None:
        """Replace some features by those of another state."""
        self.values[rows], self.slopes[rows] = other.values, other.slopes
        self.curvatures[rows], self.covariances[rows] = other.curvatures, other.covariances


class VariationalBound:
    r"""Lower bound of log p(Y) with one normal distribution of inducing values for each feature.

    .. math:: \sum_{n,d} E_{q(f_{nd})}[\log p(y_{nd}|f_{nd})] - \sum_d KL(q(u_d) \| N(0, I))

    The latent value is f = b + ψᵀu + ε, with the whitened covariances ψ of row and inducing points
    and the residual variance r of ε. At the maximum the precision of q is I + Ψᵀ diag(λ) Ψ, with
    the expected curvatures λ of the log densities (Opper & Archambeau, 2009). Natural-gradient
    steps, halved until they gain, give λ and the means. The bound is concave in mean and Cholesky
    factor (Challis & Barber, 2013), so it has one maximum.

    NaN entries of `Y` are missing, and `log_exposure` is added to the latent values of each row.
    The log density of a row is averaged over `copies` latent points, in blocks of n_samples points.
    """

    def __init__(
        self,
        likelihood: Likelihood,
        Y: NDArray,
        offset: NDArray,
        copies: int = 1,
        log_exposure: NDArray | None = None,
    ) -> None:
        self.likelihood, self.offset = likelihood, offset
        is_observed = ~np.isnan(Y).T
        filled = np.where(is_observed, Y.T, 0.0)
        self.log_base = np.where(is_observed, likelihood.log_base(filled), 0.0).sum(axis=1)
        self.log_exposure = None if log_exposure is None else np.tile(log_exposure, copies)
        # Observations at each point, and their weights, 0 if missing
        self.Y, self.weights = np.tile(filled, copies), np.tile(is_observed / copies, copies)

    def maximize(
        self, psi: NDArray, residuals: NDArray, start: Posterior
    ) -> tuple[Posterior, State]:
        """Return the posterior of highest bound, and its state.

        `psi` is Ψ of shape (n_samples, n_inducing), `residuals` has the variances r of the rows.
        """
        products = pairs(psi)
        posterior = Posterior(start.means.copy(), start.sites.copy())
        every = np.arange(len(self.Y))
        covariances, log_det = self._invert(products, posterior.sites, psi.shape[1])
        state = self._evaluate(
            psi, products, residuals, posterior.means, covariances, log_det, every
        )
        active = every
        for _ in range(MAX_STEPS):
            gains = self._step(psi, products, residuals, posterior, state, active)
            active = active[gains > TOL]
            if not len(active):
                break
        return posterior, state

    def _step(
        self,
        psi: NDArray,
        products: NDArray,
        residuals: NDArray,
        posterior: Posterior,
        state: State,
        active: NDArray,
    ) -> NDArray:
        """Move active features by a natural-gradient step, in place; return their gains."""
        gains, trying = np.zeros(len(active)), np.arange(len(active))
        for halving in range(MAX_HALVINGS):
            rows, length = active[trying], 0.5**halving
            # Sites move to the curvatures; means by the new covariance times the gradient
            sites = posterior.sites[rows] + length * (
                state.curvatures[rows] - posterior.sites[rows]
            )
            slope = state.slopes[rows] @ psi - posterior.means[rows]
            covariances, log_det = self._invert(products, sites, psi.shape[1])
            means = posterior.means[rows] + length * (covariances @ slope[:, :, None])[:, :, 0]
            new = self._evaluate(psi, products, residuals, means, covariances, log_det, rows)
            gain = new.values - state.values[rows]
            better = gain > 0
            kept = rows[better]
            gains[trying[better]] = gain[better]
            posterior.means[kept], posterior.sites[kept] = means[better], sites[better]
            state.replace(kept, _select(new, better))
            # A loss of the size of rounding errors ends the search
            trying = trying[~better & (gain < -TOL)]
            if not len(trying):
                break
        return gains

    @staticmethod
    def _invert(products: NDArray, sites: NDArray, size: int) -> tuple[NDArray, NDArray]:
        """Return the inverse and the log determinant of I + Ψᵀ diag(λ) Ψ of each feature."""
        i, j = np.triu_indices(size)
        packed = sites @ products
        packed *= np.where(i == j, 1.0, 0.5)
        precision = symmetric(packed, size) + np.eye(size)
        roots = np.linalg.cholesky(precision)
        log_det = 2 * np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
        return np.linalg.inv(precision), log_det

    def _evaluate(
        self,
        psi: NDArray,
        products: NDArray,
        residuals: NDArray,
        means: NDArray,
        covariances: NDArray,
        log_det: NDArray,
        rows: NDArray,
    ) -> State:
        """Return the state of some features."""
        size = psi.shape[1]
        i, j = np.triu_indices(size)
        # Moments of f: μ = b + ψᵀc, v = r + ψᵀSψ
        f_means = self.offset[rows, None] + means @ psi.T
        if self.log_exposure is not None:
            f_means += self.log_exposure
        f_variances = residuals + covariances[:, i, j] @ products.T
        values, slopes, curvatures = self.likelihood.expected(f_means, f_variances, self.Y[rows])
        weights = self.weights[rows]
        # KL divergence ½ (tr S + cᵀc − M + log|S⁻¹|)
        trace = np.trace(covariances, axis1=1, axis2=2)
        divergence = 0.5 * (trace + np.square(means).sum(axis=1) - size + log_det)
        return State(
            self.log_base[rows] + (weights * values).sum(axis=1) - divergence,
            weights * slopes,
            weights * curvatures,
            covariances,
        )

    @staticmethod
    def gradient(psi: NDArray, posterior: Posterior, state: State) -> tuple[NDArray, NDArray]:
        """Return the derivatives of the maximal bound by Ψ, and by the prior variances k(x, x).

        The posterior is at its maximum, so its own change does not count.
        """
        i, j = np.triu_indices(psi.shape[1])
        change = (state.covariances - np.eye(psi.shape[1]))[:, i, j]
        # Σ_d [g_nd c_d − h_nd (S_d − I) ψ_n]
        weighted = symmetric(state.curvatures.T @ change, psi.shape[1])
        by_psi = state.slopes.T @ posterior.means - (weighted @ psi[:, :, None])[:, :, 0]
        return by_psi, -0.5 * state.curvatures.sum(axis=0)


def _select(state: State, chosen: NDArray) -> State:
    """Return the chosen features of a state."""
    return State(
        state.values[chosen],
        state.slopes[chosen],
        state.curvatures[chosen],
        state.covariances[chosen],
    )
