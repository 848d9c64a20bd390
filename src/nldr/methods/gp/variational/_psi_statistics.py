"""ψ statistics: expectations of the kernel SE + linear + white under Gaussian inputs.

The gradients are written by hand: they reuse the exponentials of the value, which are kept, and are
matrix products over them. The tests compare them with finite differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nldr.methods.gp.inducing._kernel import KernelParams

BLOCK_SIZE = 2**17  # rows × pairs of inducing points computed at a time, to fit into the cache


@dataclass(frozen=True)
class PsiGradient:
    """Derivatives with respect to means, variances, inducing inputs and packed parameters.

    Attributes
    ----------
    means, variances : ndarray of shape (n_samples, n_components)
        Derivatives with respect to μ and s.
    inducing : ndarray of shape (n_inducing, n_components)
        Derivative with respect to the inducing inputs.
    logs : ndarray of shape (2 + 2 * n_components,)
        Derivative with respect to the packed kernel parameters.
    """

    means: NDArray
    variances: NDArray
    inducing: NDArray
    logs: NDArray

    def __add__(self, other: PsiGradient) -> PsiGradient:
        return PsiGradient(
            self.means + other.means,
            self.variances + other.variances,
            self.inducing + other.inducing,
            self.logs + other.logs,
        )


class PsiStatistics:
    r"""The statistics ψ₀, ψ₁ and ψ₂ of Titsias & Lawrence, in closed form.

    .. math::
        ψ_0 = \sum_n E[k(x_n, x_n)], \quad (ψ_1)_{nm} = E[k(x_n, z_m)], \quad
        (ψ_2)_{mm'} = \sum_n E[k(z_m, x_n) k(x_n, z_{m'})]

    The inputs are x_n ~ N(μ_n, diag s_n), in any number of dimensions, and the kernel is SE +
    linear + white. The products of the SE and the linear part in ψ₂ are ψ₁ times the mean of the
    product of two Gaussians, the *tilted* mean,

    .. math:: E[k_{SE}(x, z) x_q] = ψ_1^{SE} \frac{μ_q + a_q s_q z_q}{1 + a_q s_q}.

    The white noise of inducing points is independent of that of the rows: it enters ψ₀ only.

    The exponent of ψ₂ is a bilinear form of factors of the row and features of the pair of inducing
    points. Value and gradient therefore take one exponential and three thin matrix products over
    n_samples × n_inducing²/2 numbers, all of which are kept.

    Parameters
    ----------
    means, variances : ndarray of shape (n_samples, n_components)
        μ and s ≥ 0.
    Z : ndarray of shape (n_inducing, n_components)
        Inducing inputs.
    params : KernelParams
        The kernel.

    Attributes
    ----------
    psi0 : float
        ψ₀.
    psi1 : ndarray of shape (n_samples, n_inducing)
        ψ₁.
    psi2 : ndarray of shape (n_inducing, n_inducing)
        ψ₂.

    References
    ----------
    M. Titsias & N. Lawrence, *Bayesian Gaussian Process Latent Variable Model*, AISTATS 2010.

    Examples
    --------
    Without variance ψ₂ is the product of kernel matrices:

    >>> means, Z = np.array([[0.0], [1.0]]), np.array([[0.5], [2.0]])
    >>> kernel = KernelParams(1.0, np.ones(1), np.ones(1), 0.0)
    >>> psi = PsiStatistics(means, np.zeros((2, 1)), Z, kernel)
    >>> bool(np.allclose(psi.psi2, psi.psi1.T @ psi.psi1))
    True
    """

    def __init__(
        self, means: NDArray, variances: NDArray, Z: NDArray, params: KernelParams
    ) -> None:
        self.means, self.variances, self.Z, self.params = means, variances, Z, params
        a, n_samples = params.weights, len(means)

        self.moments = (np.square(means) + variances).sum(axis=0)
        self.psi0 = float(
            n_samples * (params.variance + params.white) + self.moments @ params.linear
        )

        # ψ₁: SE part and linear part
        self.shrink = 1.0 / (1.0 + a * variances)  # ρ: weight of μ in the tilted mean
        self.narrow = 1.0 / (1.0 + 2.0 * a * variances)  # ρ of the product of two SE parts, for ψ₂
        self.se1 = _exponential(means, a * self.shrink, self.shrink, Z)
        self.se1 *= params.variance
        self.psi1 = self.se1 + (means * params.linear) @ Z.T

        # ψ₂: SE × SE
        self._set_pairs()
        self.se2_blocks = self._set_se2()

        # ψ₂: SE × linear (twice) and linear × linear
        self.tilted = self.se1.T @ (self.shrink * means) + Z * (self.se1.T @ (1 - self.shrink))
        self.second = means.T @ means + np.diag(variances.sum(axis=0))
        scaled = Z * params.linear
        cross = self.tilted @ scaled.T
        self.psi2 = cross + cross.T + scaled @ self.second @ scaled.T

        # ψ₂ is symmetric: each pair i ≤ j fills two entries
        i, j = self.pairs
        self.psi2[i, j] += self.se2
        self.psi2[j, i] += np.where(i == j, 0.0, self.se2)

    def _set_pairs(self) -> None:
        """Set the pairs of inducing points i ≤ j, their midpoints and differences."""
        self.pairs = i, j = np.triu_indices(len(self.Z))
        self.middles = 0.5 * (self.Z[i] + self.Z[j])
        self.steps = self.Z[i] - self.Z[j]
        # Factor of ψ₂ that does not depend on the rows: σ⁴ exp(−¼ Σ a_q (z_q − z'_q)²)
        self.pair_factors = np.exp(-0.25 * np.square(self.steps) @ self.params.weights)
        self.pair_factors *= self.params.variance**2
        # Features of pairs in the bilinear exponent: m², m, 1 for the midpoint m
        ones = np.ones((len(i), 1))
        self.features = np.hstack([np.square(self.middles), self.middles, ones])

    def _set_se2(self) -> list[NDArray]:
        """Set the sums over rows of the SE × SE part of ψ₂, and return its terms by blocks of rows.

        A term is Π_q (1 + 2 a_q s_q)^(−½) exp(−w_q (μ_q − m_q)²) with the midpoint m of a pair and
        w_q = a_q / (1 + 2 a_q s_q).
        """
        # Factors of rows in the bilinear exponent
        w = self.params.weights * self.narrow
        constant = (0.5 * np.log(self.narrow) - w * np.square(self.means)).sum(axis=1)
        factors = np.column_stack([-w, 2 * w * self.means, constant])
        # Sums over rows of the terms times w, w μ and 1, for ψ₂ and its gradient
        n_pairs, n_components = self.middles.shape
        totals = np.zeros((n_pairs, 2 * n_components + 1))
        blocks = []
        step = max(BLOCK_SIZE // n_pairs, 1)
        for start in range(0, len(w), step):
            rows = slice(start, start + step)
            block = factors[rows] @ self.features.T
            np.exp(block, out=block)
            weights = np.column_stack([w[rows], (w * self.means)[rows], np.ones(len(block))])
            totals += block.T @ weights
            blocks.append(block)
        totals *= self.pair_factors[:, None]
        self.se2, self.totals = totals[:, -1], totals[:, :-1]
        return blocks

    def gradient(self, by_psi0: float, by_psi1: NDArray, by_psi2: NDArray) -> PsiGradient:
        """Return the derivatives of a scalar function of the statistics.

        The arguments are its derivatives by the statistics; that by ψ₂ is symmetric.
        """
        total = self._by_se2(by_psi2)
        for part in (self._by_linear(by_psi0, by_psi1, by_psi2), self._by_se1(by_psi1, by_psi2)):
            total = total + part
        return total

    def _by_linear(self, by_psi0: float, by_psi1: NDArray, by_psi2: NDArray) -> PsiGradient:
        """Differentiate ψ₀ and the linear parts of ψ₁ and ψ₂, with the SE part of ψ₁ held fixed."""
        m, Z, p = self.means, self.Z, self.params
        linear, n_components = p.linear, m.shape[1]
        GZ, down = by_psi2 @ Z, by_psi1.T @ m
        scaled = GZ * linear
        inner = 2 * (linear * Z).T @ scaled  # twice the derivative with respect to Σ μμᵀ + diag s
        variances = np.tile(by_psi0 * linear + 0.5 * np.diag(inner), (len(m), 1))
        means = 2 * by_psi0 * linear * m + (by_psi1 @ Z) * linear + m @ inner
        Z_gradient = (
            down * linear
            + 2 * scaled @ (self.second * linear)
            + 2 * (by_psi2 @ self.tilted) * linear
        )
        by_l = by_psi0 * self.moments + (Z * down).sum(axis=0)
        by_l += 2 * ((self.second @ (linear[:, None] * Z.T)) * GZ.T).sum(axis=1)
        by_l += 2 * (self.tilted * GZ).sum(axis=0)
        logs = np.zeros(2 + 2 * n_components)
        logs[:2] = by_psi0 * len(m) * np.array([p.variance, p.white])
        logs[2 + n_components :] = linear * by_l
        return PsiGradient(means, variances, Z_gradient, logs)

    def _by_se1(self, by_psi1: NDArray, by_psi2: NDArray) -> PsiGradient:
        """Differentiate the SE part of ψ₁, in ψ₁ and in the SE × linear part of ψ₂."""
        m, s, Z, a, rho = self.means, self.variances, self.Z, self.params.weights, self.shrink
        # Derivative with respect to the logarithm of the SE part of ψ₁
        by_tilted = 2 * (by_psi2 @ Z) * self.params.linear
        G = (rho * m) @ by_tilted.T
        G += (1 - rho) @ (by_tilted * Z).T
        G += by_psi1
        G *= self.se1
        V, VZ = self.se1 @ by_tilted, self.se1 @ (by_tilted * Z)
        rows, columns, GZ = G.sum(axis=1)[:, None], G.sum(axis=0)[:, None], G @ Z
        w = a * rho
        means = w * (GZ - m * rows) + rho * V
        # Shrinkage ρ, through which variances and weights enter
        spread = rows * np.square(m) - 2 * m * GZ + G @ np.square(Z)
        by_rho = m * V - VZ - 0.5 * a * spread + 0.5 * rows / rho
        inducing = G.T @ (w * m) - Z * (G.T @ w) + by_tilted * (self.se1.T @ (1 - rho))
        by_a = (-0.5 * rho * spread - by_rho * s * rho**2).sum(axis=0)
        logs = np.concatenate([[columns.sum(), 0.0], a * by_a, np.zeros_like(a)])
        return PsiGradient(means, -by_rho * a * rho**2, inducing, logs)

    def _by_se2(self, by_psi2: NDArray) -> PsiGradient:
        """Differentiate the SE × SE part of ψ₂."""
        m, s, a = self.means, self.variances, self.params.weights
        (i, j), n_components = self.pairs, self.means.shape[1]
        # Sums over pairs of the weighted terms times m², m and 1
        weight = np.where(i == j, 1.0, 2.0) * by_psi2[i, j]
        loaded = self.features * (weight * self.pair_factors)[:, None]
        sums = np.concatenate([block @ loaded for block in self.se2_blocks])
        R2, R1, R0 = sums[:, :n_components], sums[:, n_components:-1], sums[:, -1:]
        w = a * self.narrow
        by_w = 2 * m * R1 - R2 - np.square(m) * R0
        variances = -2 * w**2 * by_w - w * R0
        loads = (weight * self.se2)[:, None]
        by_a = (self.narrow**2 * by_w - s * self.narrow * R0).sum(axis=0)
        by_a -= 0.25 * (np.square(self.steps) * loads).sum(axis=0)
        # Inducing inputs, through midpoints and differences of the pairs
        T1, T2 = self.totals[:, :n_components], self.totals[:, n_components:]
        by_middle = weight[:, None] * (T2 - self.middles * T1)
        by_step = -0.5 * a * self.steps * loads
        inducing = np.column_stack(
            [
                np.bincount(i, (by_middle + by_step)[:, q], len(self.Z))
                + np.bincount(j, (by_middle - by_step)[:, q], len(self.Z))
                for q in range(n_components)
            ]
        )
        logs = np.concatenate([[2 * loads.sum(), 0.0], a * by_a, np.zeros_like(a)])
        return PsiGradient(2 * w * (R1 - m * R0), variances, inducing, logs)


def _exponential(means: NDArray, w: NDArray, shrink: NDArray, Z: NDArray) -> NDArray:
    """Return Π_q √ρ_nq exp(−½ w_nq (μ_nq − z_mq)²), of shape (n_samples, n_inducing)."""
    # The exponent is a bilinear form of (−½w, wμ, c) and (z², z, 1)
    constant = 0.5 * (np.log(shrink) - w * np.square(means)).sum(axis=1)
    factors = np.column_stack([-0.5 * w, w * means, constant])
    values = factors @ np.hstack([np.square(Z), Z, np.ones((len(Z), 1))]).T
    return np.exp(values, out=values)
