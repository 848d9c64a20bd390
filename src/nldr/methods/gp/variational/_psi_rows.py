"""ψ statistics of each row, for observations with missing entries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.methods.gp.features._gaussian import symmetric
from nldr.methods.gp.inducing._kernel import KernelParams
from nldr.methods.gp.variational._psi_statistics import PsiGradient, PsiStatistics


class PsiRows(PsiStatistics):
    r"""The statistics ψ₀, ψ₁ and ψ₂ of each row; those of a feature sum over its observed rows.

    .. math:: ψ_{0n} = E[k(x_n, x_n)], \quad (ψ_{2n})_{mm'} = E[k(z_m, x_n) k(x_n, z_{m'})]

    The parameters are those of :class:`PsiStatistics`.

    Attributes
    ----------
    psi0_rows : ndarray of shape (n_samples,)
        ψ₀ of each row.
    psi2_rows : ndarray of shape (n_samples, n_pairs)
        Upper triangle of ψ₂ of each row.

    Examples
    --------
    >>> means, Z = np.array([[0.0], [1.0]]), np.array([[0.5], [2.0]])
    >>> psi = PsiRows(means, np.ones((2, 1)), Z, KernelParams(1.0, np.ones(1), np.ones(1), 0.0))
    >>> bool(np.allclose(symmetric(psi.psi2_rows, 2).sum(axis=0), psi.psi2))
    True
    """

    def __init__(
        self, means: NDArray, variances: NDArray, Z: NDArray, params: KernelParams
    ) -> None:
        super().__init__(means, variances, Z, params)
        i, j = self.pairs
        self.scaled = Z * params.linear
        # ψ₀, and the SE × SE part of ψ₂
        self.psi0_rows = (np.square(means) + variances) @ params.linear
        self.psi0_rows += params.variance + params.white
        self.se2_rows = np.concatenate(self.se2_blocks) * self.pair_factors
        # SE × linear: products of the SE part and the tilted means with z'
        tilted = self._tilted()
        cross = (self.se1[:, :, None] * tilted) @ self.scaled.T
        # linear × linear: product of means, and variances
        flat = means @ self.scaled.T
        spread = (variances[:, None, :] * self.scaled) @ self.scaled.T
        self.psi2_rows = self.se2_rows + cross[:, i, j] + cross[:, j, i]
        self.psi2_rows += flat[:, i] * flat[:, j] + spread[:, i, j]

    def _tilted(self) -> NDArray:
        """Return the tilted means, of shape (n_samples, n_inducing, n_components)."""
        rho = self.shrink[:, None, :]
        return rho * self.means[:, None, :] + (1 - rho) * self.Z

    def gradient_of_rows(self, by_psi0: NDArray, by_psi1: NDArray, by_psi2: NDArray) -> PsiGradient:
        """Return the derivatives of a scalar function of the statistics of the rows.

        `by_psi0` (n_samples,), `by_psi1` (n_samples, n_inducing) and `by_psi2` (n_samples, n_pairs)
        are its derivatives by the statistics; the last are upper triangles of symmetric matrices.
        """
        H = symmetric(by_psi2, len(self.Z))
        loaded = H @ self.scaled  # H_n Z diag(l), of shape (n_samples, n_inducing, n_components)
        by_se1 = by_psi1 + 2 * (self._tilted() * loaded).sum(axis=2)
        total = self._rows_by_se2(by_psi2) + self._rows_by_linear(by_psi0, by_psi1, H, loaded)
        return total + self._rows_by_se1(by_se1, 2 * self.se1[:, :, None] * loaded)

    def _rows_by_linear(
        self, by_psi0: NDArray, by_psi1: NDArray, H: NDArray, loaded: NDArray
    ) -> PsiGradient:
        """Differentiate the linear parts, with the SE part and the tilted means held fixed."""
        m, s, Z, p = self.means, self.variances, self.Z, self.params
        # linear × linear: a = Z diag(l) μ enters as aᵀHa, and s as a trace
        by_flat = 2 * (H @ (m @ self.scaled.T)[:, :, None])[:, :, 0] + by_psi1
        means = 2 * by_psi0[:, None] * p.linear * m + by_flat @ self.scaled
        variances = by_psi0[:, None] * p.linear + (self.scaled * loaded).sum(axis=1)
        by_scaled = by_flat.T @ m + 2 * (s[:, None, :] * loaded).sum(axis=0)
        by_scaled += 2 * (H @ (self.se1[:, :, None] * self._tilted())).sum(axis=0)
        n_components = m.shape[1]
        logs = np.zeros(2 + 2 * n_components)
        logs[:2] = by_psi0.sum() * np.array([p.variance, p.white])
        by_linear = (by_scaled * Z).sum(axis=0) + by_psi0 @ (np.square(m) + s)
        logs[2 + n_components :] = p.linear * by_linear
        return PsiGradient(means, variances, by_scaled * p.linear, logs)

    def _rows_by_se1(self, by_se1: NDArray, by_tilted: NDArray) -> PsiGradient:
        """Differentiate the SE part of ψ₁ and the tilted means."""
        m, s, Z, a, rho = self.means, self.variances, self.Z, self.params.weights, self.shrink
        G = by_se1 * self.se1  # derivative with respect to the logarithm of the SE part
        rows, GZ, w = G.sum(axis=1)[:, None], G @ Z, a * rho
        spread = rows * np.square(m) - 2 * m * GZ + G @ np.square(Z)
        by_rho = 0.5 * (rows / rho - a * spread) + m * by_tilted.sum(axis=1)
        by_rho -= (by_tilted * Z).sum(axis=1)
        # Inputs: exponent, tilted means, and the shrinkage ρ
        means = w * (GZ - m * rows) + rho * by_tilted.sum(axis=1)
        inducing = G.T @ (w * m) - Z * (G.T @ w)
        inducing += ((1 - rho)[:, None, :] * by_tilted).sum(axis=0)
        by_a = (-0.5 * rho * spread - by_rho * s * rho**2).sum(axis=0)
        logs = np.concatenate([[G.sum(), 0.0], a * by_a, np.zeros_like(a)])
        return PsiGradient(means, -by_rho * a * rho**2, inducing, logs)

    def _rows_by_se2(self, by_psi2: NDArray) -> PsiGradient:
        """Differentiate the SE × SE part of ψ₂, as for the sums over rows."""
        m, s, a = self.means, self.variances, self.params.weights
        (i, j), n_components = self.pairs, self.means.shape[1]
        W = np.where(i == j, 1.0, 2.0) * by_psi2 * self.se2_rows
        sums, loads = W @ self.features, W.sum(axis=0)[:, None]
        R2, R1, R0 = sums[:, :n_components], sums[:, n_components:-1], sums[:, -1:]
        w = a * self.narrow
        by_w = 2 * m * R1 - R2 - np.square(m) * R0
        by_a = (self.narrow**2 * by_w - s * self.narrow * R0).sum(axis=0)
        by_a -= 0.25 * (np.square(self.steps) * loads).sum(axis=0)
        # Inducing inputs, through midpoints and differences of the pairs
        by_middle, by_step = W.T @ (w * m) - self.middles * (W.T @ w), -0.5 * a * self.steps * loads
        inducing = np.zeros_like(self.Z)
        np.add.at(inducing, i, by_middle + by_step)
        np.add.at(inducing, j, by_middle - by_step)
        logs = np.concatenate([[2 * loads.sum(), 0.0], a * by_a, np.zeros_like(a)])
        return PsiGradient(2 * w * (R1 - m * R0), -2 * w**2 * by_w - w * R0, inducing, logs)
