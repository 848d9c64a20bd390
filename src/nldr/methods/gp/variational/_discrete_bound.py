"""Bound of the latent variable model of counts and bits, and its gradient."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.methods.gp.features._discrete import OffsetCovariance
from nldr.methods.gp.features._likelihoods import Likelihood
from nldr.methods.gp.inducing._bound import unwhiten, whiten
from nldr.methods.gp.inducing._kernel import (
    KernelParams,
    cross_covariance_gradient,
    inducing_gradient,
)
from nldr.methods.gp.variational._inducing_values import Posterior, State, VariationalBound


class DiscreteBound:
    """The bound as a function of all variables in one vector.

    The order is means and log variances of the latent points, Z, packed kernel parameters. NaN
    entries of `Y` are missing; `exposure` has a factor of the rates of each row.
    """

    def __init__(
        self,
        likelihood: Likelihood,
        Y: NDArray,
        n_inducing: int,
        n_components: int,
        exposure: NDArray | None = None,
    ) -> None:
        counts, log_exposure = (~np.isnan(Y)).sum(axis=0), None
        if exposure is not None:
            counts, log_exposure = exposure @ ~np.isnan(Y), np.log(exposure)
        offset = likelihood.offset(np.nansum(Y, axis=0), counts)
        # Cubature of degree 3 for a normal distribution: ±√Q along each axis, with equal weights
        axes = np.sqrt(n_components) * np.eye(n_components)
        self.nodes = np.concatenate([axes, -axes])[:, None]
        self.variational = VariationalBound(
            likelihood, Y, offset, copies=len(self.nodes), log_exposure=log_exposure
        )
        self.n_samples, self.n_inducing, self.n_components = len(Y), n_inducing, n_components
        # The last posterior, from which the search for the next one starts
        self.latest = Posterior.prior(self.variational.Y.shape, n_inducing + 1)

    def split(self, x: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Return means, log variances and Z as views, and the packed kernel parameters."""
        n, m, q = self.n_samples, self.n_inducing, self.n_components
        a, b, c = n * q, 2 * n * q, (2 * n + m) * q
        return x[:a].reshape(n, q), x[a:b].reshape(n, q), x[b:c].reshape(m, q), x[c:]

    def join(self, means: NDArray, log_variances: NDArray, Z: NDArray, logs: NDArray) -> NDArray:
        """Return all variables in one vector."""
        return np.concatenate([means.ravel(), log_variances.ravel(), Z.ravel(), logs])

    def points(self, means: NDArray, deviations: NDArray) -> NDArray:
        """Return the points of the cubature, those of each node in a block."""
        return (means + deviations * self.nodes).reshape(-1, self.n_components)

    def posterior(
        self, covariance: OffsetCovariance, X: NDArray
    ) -> tuple[NDArray, Posterior, State, NDArray, tuple[NDArray, NDArray]]:
        """Return root, optimal posterior with its state, Ψ, and the SE parts of K_NM and K_MM."""
        root, inducing_se = covariance.root()
        cross, variances, se = covariance.forward(X)
        psi = whiten(root, cross.T).T
        residuals = np.maximum(variances - np.square(psi).sum(axis=1), 0.0)
        posterior, state = self.variational.maximize(psi, residuals, self.latest)
        return root, posterior, state, psi, (se, inducing_se)

    def __call__(self, x: NDArray) -> tuple[float, NDArray]:
        """Return the bound and its gradient."""
        means, log_variances, Z, logs = self.split(x)
        variances, params = np.exp(log_variances), KernelParams.unpack(logs)
        X = self.points(means, np.sqrt(variances))
        root, posterior, state, psi, (se, inducing_se) = self.posterior(
            OffsetCovariance(params, Z), X
        )
        if not np.isfinite(state.values).all():
            raise np.linalg.LinAlgError("the bound is not finite")
        self.latest = posterior

        # Gradient through Ψ = ΦL⁻ᵀ and k(x, x); the constant has no parameters
        by_psi, by_prior = self.variational.gradient(psi, posterior, state)
        by_psi, psi, root = by_psi[:, :-1], psi[:, :-1], root[:-1, :-1]
        by_cross = unwhiten(root, by_psi.T).T
        by_X, by_Z, by_logs = cross_covariance_gradient(X, Z, params, se, by_cross)
        # At the optimum ΨᵀdΨ is symmetric, so L may vary by its symmetric root
        inner = -0.25 * (by_psi.T @ psi + psi.T @ by_psi)
        by_Z += inducing_gradient(Z, params, inducing_se, root, inner, by_logs)
        # k(x, x) = σ² + Σ_q w_q x_q²
        by_X += 2 * by_prior[:, None] * params.linear * X
        by_logs[0] += params.variance * by_prior.sum()
        by_logs[2 + self.n_components :] += params.linear * (by_prior @ np.square(X))

        # KL divergence of the latent posterior from its prior, ½ Σ (μ² + s − log s − 1)
        divergence = 0.5 * (np.square(means) + variances - log_variances - 1.0).sum()
        blocks = by_X.reshape(-1, *means.shape)
        by_deviations = (blocks * self.nodes).sum(axis=0)
        by_log_variances = 0.5 * (np.sqrt(variances) * by_deviations - variances + 1.0)
        gradient = self.join(blocks.sum(axis=0) - means, by_log_variances, by_Z, by_logs)
        return float(state.values.sum() - divergence), gradient
