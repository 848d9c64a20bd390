"""Expectations of the kernel SE + linear + white under Gaussian inputs (ψ statistics)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nldr.methods.gp._lolagp_bound import KernelParams

BLOCK_SIZE = 2**17  # pairs of inducing points × rows in memory's cache at a time


@dataclass(frozen=True)
class PsiGradient:
    """Derivatives by means, variances, inducing inputs and packed kernel parameters."""

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
    r"""ψ₀ = Σ E k(x_n, x_n), ψ₁ = E k(x_n, z_m), ψ₂ = Σ E k(z_m, x_n) k(x_n, z_m').

    In closed form for inputs x_n ~ N(μ_n, diag s_n) and the kernel of
    :class:`~nldr.methods.gp._lolagp_bound.KernelParams` in any number of dimensions. The product of
    the SE and the linear part in ψ₂ is that of ψ₁ with the mean of the product of two Gaussians,

    .. math:: E[k_{SE}(x, z) x_q] = ψ_1^{SE} \frac{μ_q + a_q s_q z_q}{1 + a_q s_q}.

    White noise of an inducing point is independent of that of the rows: it enters ψ₀ only.

    The exponent of ψ₂ is bilinear in what belongs to a row and what belongs to a pair of inducing
    points, so that value and gradient are one exponential and three thin matrix products over
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
        self.shrink = 1.0 / (1.0 + a * variances)  # ρ: the share of μ in the tilted mean
        self.narrow = 1.0 / (1.0 + 2.0 * a * variances)
        self.se1 = _exponential(means, a * self.shrink, self.shrink, Z)
        self.se1 *= params.variance
        self.psi1 = self.se1 + (means * params.linear) @ Z.T
        self._pairs()
        self.se2_blocks = self._se2()
        self.tilted = self.se1.T @ (self.shrink * means) + Z * (self.se1.T @ (1 - self.shrink))
        self.second = means.T @ means + np.diag(variances.sum(axis=0))
        scaled = Z * params.linear
        cross = self.tilted @ scaled.T
        self.psi2 = cross + cross.T + scaled @ self.second @ scaled.T
        i, j = self.pairs
        self.psi2[i, j] += self.se2
        self.psi2[j, i] += np.where(i == j, 0.0, self.se2)

    def _pairs(self) -> None:
        """Set pairs of inducing points i ≤ j, their middles, steps and own factors."""
        self.pairs = i, j = np.triu_indices(len(self.Z))
        self.middles = 0.5 * (self.Z[i] + self.Z[j])
        self.steps = self.Z[i] - self.Z[j]
        self.own = np.exp(-0.25 * np.square(self.steps) @ self.params.weights)
        self.own *= self.params.variance**2
        ones = np.ones((len(i), 1))
        self.features = np.hstack([np.square(self.middles), self.middles, ones])

    def _se2(self) -> list[NDArray]:
        """Return what depends on rows and pairs, and set its sums over the rows."""
        w = self.params.weights * self.narrow
        constant = (0.5 * np.log(self.narrow) - w * np.square(self.means)).sum(axis=1)
        factors = np.column_stack([-w, 2 * w * self.means, constant])
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
        totals *= self.own[:, None]
        self.se2, self.totals = totals[:, -1], totals[:, :-1]
        return blocks

    def gradient(self, by_psi0: float, by_psi1: NDArray, by_psi2: NDArray) -> PsiGradient:
        """Return derivatives of a function of the statistics.

        Parameters
        ----------
        by_psi0 : float
            Its derivative by ψ₀.
        by_psi1 : ndarray of shape (n_samples, n_inducing)
            By ψ₁.
        by_psi2 : ndarray of shape (n_inducing, n_inducing)
            By ψ₂, symmetric.

        Returns
        -------
        PsiGradient
            Derivatives by all inputs.
        """
        total = self._by_se2(by_psi2)
        for part in (self._by_linear(by_psi0, by_psi1, by_psi2), self._by_se1(by_psi1, by_psi2)):
            total = total + part
        return total

    def _by_linear(self, by_psi0: float, by_psi1: NDArray, by_psi2: NDArray) -> PsiGradient:
        """Differentiate ψ₀ and the linear parts of ψ₁ and ψ₂, for a fixed SE part of ψ₁."""
        m, Z, p = self.means, self.Z, self.params
        linear, n_components = p.linear, m.shape[1]
        GZ, down = by_psi2 @ Z, by_psi1.T @ m
        scaled = GZ * linear
        inner = 2 * (linear * Z).T @ scaled  # derivative by Σ μμᵀ + s, twice
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
        """Differentiate the SE part of ψ₁, in ψ₁ itself and in the products of ψ₂."""
        m, s, Z, a, rho = self.means, self.variances, self.Z, self.params.weights, self.shrink
        by_tilted = 2 * (by_psi2 @ Z) * self.params.linear
        G = (rho * m) @ by_tilted.T
        G += (1 - rho) @ (by_tilted * Z).T
        G += by_psi1
        G *= self.se1
        V, VZ = self.se1 @ by_tilted, self.se1 @ (by_tilted * Z)
        rows, columns, GZ = G.sum(axis=1)[:, None], G.sum(axis=0)[:, None], G @ Z
        w = a * rho
        means = w * (GZ - m * rows) + rho * V
        spread = rows * np.square(m) - 2 * m * GZ + G @ np.square(Z)
        by_rho = m * V - VZ - 0.5 * a * spread + 0.5 * rows / rho
        inducing = G.T @ (w * m) - Z * (G.T @ w) + by_tilted * (self.se1.T @ (1 - rho))
        by_a = (-0.5 * rho * spread - by_rho * s * rho**2).sum(axis=0)
        logs = np.concatenate([[columns.sum(), 0.0], a * by_a, np.zeros_like(a)])
        return PsiGradient(means, -by_rho * a * rho**2, inducing, logs)

    def _by_se2(self, by_psi2: NDArray) -> PsiGradient:
        """Differentiate the SE part of ψ₂."""
        m, s, a = self.means, self.variances, self.params.weights
        (i, j), n_components = self.pairs, self.means.shape[1]
        weight = np.where(i == j, 1.0, 2.0) * by_psi2[i, j]
        loaded = self.features * (weight * self.own)[:, None]
        sums = np.concatenate([block @ loaded for block in self.se2_blocks])
        R2, R1, R0 = sums[:, :n_components], sums[:, n_components:-1], sums[:, -1:]
        w = a * self.narrow
        by_w = 2 * m * R1 - R2 - np.square(m) * R0
        variances = -2 * w**2 * by_w - w * R0
        own = (weight * self.se2)[:, None]
        by_a = (self.narrow**2 * by_w - s * self.narrow * R0).sum(axis=0)
        by_a -= 0.25 * (np.square(self.steps) * own).sum(axis=0)
        T1, T2 = self.totals[:, :n_components], self.totals[:, n_components:]
        by_middle = weight[:, None] * (T2 - self.middles * T1)
        by_step = -0.5 * a * self.steps * own
        inducing = np.column_stack([
            np.bincount(i, (by_middle + by_step)[:, q], len(self.Z))
            + np.bincount(j, (by_middle - by_step)[:, q], len(self.Z))
            for q in range(n_components)
        ])  # fmt: skip
        logs = np.concatenate([[2 * own.sum(), 0.0], a * by_a, np.zeros_like(a)])
        return PsiGradient(2 * w * (R1 - m * R0), variances, inducing, logs)


def _exponential(means: NDArray, w: NDArray, shrink: NDArray, Z: NDArray) -> NDArray:
    """Return Π √ρ_nq exp(−½ w_nq (μ_nq − z_mq)²)."""
    constant = 0.5 * (np.log(shrink) - w * np.square(means)).sum(axis=1)
    factors = np.column_stack([-0.5 * w, w * means, constant])
    values = factors @ np.hstack([np.square(Z), Z, np.ones((len(Z), 1))]).T
    return np.exp(values, out=values)
