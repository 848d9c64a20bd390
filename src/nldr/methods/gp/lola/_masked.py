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
from nldr.methods.gp.variational._masked import masked_bound


class MaskedLolaBound(LolaBound):
    """Eq. 16 of Watanabe et al., with the first sum over observed entries.

    Parameters
    ----------
    observed : Observations
        The data.
    P : csr_array of shape (n_samples, n_samples)
        Normalized adjacency matrix, held fixed.
    gamma : float
        Precision γ of the latent variables around g.
    layout : Layout
        Order of the variables.
    """

    def __init__(self, observed: Observations, P: csr_array, gamma: float, layout: Layout) -> None:
        super().__init__(observed.values, observed.values.shape[1], P, gamma, layout)
        self.is_observed = observed.is_observed

    def _likelihood(
        self, X: NDArray, Z: NDArray, params: KernelParams, beta: float
    ) -> tuple[float, NDArray, NDArray, NDArray, float]:
        """Return the first sum of Eq. 16 and its derivatives."""
        phi, se = cross_covariance(X, Z, params)
        root, A_se = inducing_root(Z, params)
        squares = np.square(X)
        variances = squares @ params.linear + params.variance + params.white
        bound = masked_bound(
            variances, phi, upper_products(phi), root, beta, self.Y, self.is_observed
        )
        # Gradient through φ and φφᵀ, then through K_MM
        weight = bound.psi1 + 2 * (symmetric(bound.psi2, len(Z)) @ phi[:, :, None])[:, :, 0]
        by_X, by_Z, by_logs = cross_covariance_gradient(X, Z, params, se, weight)
        by_Z += inducing_gradient(Z, params, A_se, root, bound.inducing, by_logs)
        # Gradient through k(x, x)
        by_X += 2 * bound.psi0[:, None] * params.linear * X
        by_logs[:2] += bound.psi0.sum() * np.array([params.variance, params.white])
        by_logs[2 + X.shape[1] :] += params.linear * (bound.psi0 @ squares)
        return bound.value, by_X, by_Z, by_logs, bound.precision


def upper_products(phi: NDArray) -> NDArray:
    """Return the upper triangle of φφᵀ of each row.

    Parameters
    ----------
    phi : ndarray of shape (n_samples, n_inducing)
        Rows.

    Returns
    -------
    ndarray of shape (n_samples, n_pairs)
        The upper triangles.

    Examples
    --------
    >>> upper_products(np.array([[1.0, 2.0]])).tolist()
    [[1.0, 2.0, 4.0]]
    """
    i, j = np.triu_indices(phi.shape[1])
    return phi[:, i] * phi[:, j]
