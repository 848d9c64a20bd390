"""LolaGP's lower bound over observed entries only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nldr.methods.gp.features._gaussian import symmetric
from nldr.methods.gp.inducing._kernel import (
    KernelParams,
    cross_covariance,
    cross_covariance_gradient,
    inducing_gradient,
    inducing_root,
)
from nldr.methods.gp.lola._bound import Layout, LolaBound
from nldr.methods.gp.missing import Observations
from nldr.methods.gp.variational._masked import Masks, Statistics, masked_bound


class MaskedLolaBound(LolaBound):
    """Eq. 16 of Watanabe et al., with the first sum over observed entries."""

    def __init__(self, observed: Observations, P: csr_array, gamma: float, layout: Layout) -> None:
        super().__init__(observed.values, observed.values.shape[1], P, gamma, layout)
        self.masks = Masks(observed.values, observed.is_observed)

    def _likelihood(
        self, X: NDArray, Z: NDArray, params: KernelParams, beta: float
    ) -> tuple[float, NDArray, NDArray, NDArray, float]:
        """Return the first sum of Eq. 16 and its derivatives."""
        phi, se = cross_covariance(X, Z, params)
        root, A_se = inducing_root(Z, params)
        squares, masks = np.square(X), self.masks
        variances = squares @ params.linear + params.variance + params.white
        bound = masked_bound(row_statistics(phi, variances, masks), root, beta, masks)
        by, rows, whole = bound.by, masks.incomplete, masks.complete
        # Gradient through φ and φφᵀ, then through K_MM
        weight = by.psi1.copy()
        weight[rows] += 2 * (symmetric(by.psi2, len(Z)) @ phi[rows][:, :, None])[:, :, 0]
        weight[whole] += 2 * phi[whole] @ by.psi2_sum
        by_X, by_Z, by_logs = cross_covariance_gradient(X, Z, params, se, weight)
        by_Z += inducing_gradient(Z, params, A_se, root, bound.inducing, by_logs)
        # Gradient through k(x, x)
        by_variances = np.full(len(X), by.psi0_sum)
        by_variances[rows] = by.psi0
        by_X += 2 * by_variances[:, None] * params.linear * X
        by_logs[:2] += by_variances.sum() * np.array([params.variance, params.white])
        by_logs[2 + X.shape[1] :] += params.linear * (by_variances @ squares)
        return bound.value, by_X, by_Z, by_logs, bound.precision


def row_statistics(phi: NDArray, variances: NDArray, masks: Masks) -> Statistics:
    """Return what rows without latent variances contribute to the bound: ψ₀, ψ₁ and ψ₂.

    `phi` are covariances of row and inducing points, `variances` are prior variances.
    """
    whole, rows = phi[masks.complete], masks.incomplete
    return Statistics(
        phi,
        variances[rows],
        upper_products(phi[rows]),
        float(variances[masks.complete].sum()),
        whole.T @ whole,
    )


def upper_products(phi: NDArray) -> NDArray:
    """Return the upper triangle of φφᵀ of each row φ, of shape (n_samples, n_pairs).

    Examples
    --------
    >>> upper_products(np.array([[1.0, 2.0]])).tolist()
    [[1.0, 2.0, 4.0]]
    """
    i, j = np.triu_indices(phi.shape[1])
    return phi[:, i] * phi[:, j]
