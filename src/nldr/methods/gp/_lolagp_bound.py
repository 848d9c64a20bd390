"""LolaGP's lower bound (Eq. 16) and its gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nldr.methods.gp._inducing import collapsed_bound, unwhiten, whiten

JITTER = 1e-6  # on the covariance of inducing points, as a share of its mean diagonal


@dataclass(frozen=True)
class KernelParams:
    """Parameters of the kernel SE + linear + white, Eq. 20.

    Eq. 20 has both σ_lin² and weights a_lin,q of which only the products matter: these are
    ``linear``.

    Parameters
    ----------
    variance : float
        σ_SE².
    weights : ndarray of shape (n_components,)
        a_SE,q, inverse squared length scales.
    linear : ndarray of shape (n_components,)
        σ_lin² a_lin,q.
    white : float
        σ_noise².
    """

    variance: float
    weights: NDArray
    linear: NDArray
    white: float

    @classmethod
    def unpack(cls, logs: NDArray) -> KernelParams:
        """Return the parameters of which these are the logarithms."""
        n_components = len(logs) // 2 - 1
        values = np.exp(logs)
        return cls(values[0], values[2 : 2 + n_components], values[2 + n_components :], values[1])

    def pack(self) -> NDArray:
        """Return logarithms: variance, white, weights, linear."""
        return np.log(np.concatenate([[self.variance, self.white], self.weights, self.linear]))


def kernel(X: NDArray, Z: NDArray, params: KernelParams) -> tuple[NDArray, NDArray]:
    """Return the kernel of Eq. 20 without its white part, and the SE part of it."""
    scaled, other = X * np.sqrt(params.weights), Z * np.sqrt(params.weights)
    squared = scaled @ (2.0 * other.T)
    squared -= np.square(scaled).sum(axis=1)[:, None]
    squared -= np.square(other).sum(axis=1)
    se = np.exp(np.minimum(squared, 0.0, out=squared) * 0.5, out=squared)
    se *= params.variance
    return se + (X * params.linear) @ Z.T, se


def kernel_gradient(
    X: NDArray, Z: NDArray, params: KernelParams, se: NDArray, weight: NDArray
) -> tuple[NDArray, NDArray, NDArray]:
    """Return derivatives of Σ weight ∘ K by X, Z and the packed parameters (white: 0).

    Parameters
    ----------
    X, Z : ndarray of shape (n_rows, n_components) and (n_columns, n_components)
        Inputs.
    params : KernelParams
        Parameters.
    se, weight : ndarray of shape (n_rows, n_columns)
        SE part of the kernel, and the derivative by the kernel.
    """
    G = weight * se
    rows, columns = G.sum(axis=1)[:, None], G.sum(axis=0)[:, None]
    GZ, GX, WZ, WX = G @ Z, G.T @ X, weight @ Z, weight.T @ X
    by_X = params.weights * (GZ - X * rows) + params.linear * WZ
    by_Z = params.weights * (GX - Z * columns) + params.linear * WX
    spread = (X**2 * rows).sum(axis=0) + (Z**2 * columns).sum(axis=0) - 2 * (X * GZ).sum(axis=0)
    by_logs = np.concatenate(
        [[G.sum(), 0.0], -0.5 * params.weights * spread, params.linear * (X * WZ).sum(axis=0)]
    )
    return by_X, by_Z, by_logs


@dataclass(frozen=True)
class Layout:
    """Where the variables of the bound stand in one vector.

    X, Z, packed kernel parameters of f, those of h, log β.
    """

    n_samples: int
    n_inducing: int
    n_components: int

    def split(self, x: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray, float]:
        """Return views on X, Z, parameters of f, of h, and log β."""
        n, m, q = self.n_samples, self.n_inducing, self.n_components
        a, b, c = n * q, (n + m) * q, (n + m) * q + 2 * q + 2
        return x[:a].reshape(n, q), x[a:b].reshape(m, q), x[b:c], x[c:-1], float(x[-1])

    def join(self, X: NDArray, Z: NDArray, f: NDArray, h: NDArray, log_beta: float) -> NDArray:
        """Return one vector."""
        return np.concatenate([X.ravel(), Z.ravel(), f, h, [log_beta]])


class LolaBound:
    """Eq. 16 as a function of all that is trained.

    The precision γ is fixed: with γ and the parameters of h free, Eq. 9 and Eq. 16 grow without
    limit as X shrinks and the likelihood's kernel follows it.

    K^(g)_NM = P_X K^(h)_NM P_Zᵀ and K^(g)_MM = P_Z K^(h)_MM P_Zᵀ: wherever P_Z can be inverted it
    cancels from Q^(g) = K^(g)_NM K^(g)_MM⁻¹ K^(g)_MN, and it always can, as W of Eq. 19 is a
    positive definite kernel of distinct features. So the bound does without P_Z.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_columns)
        Observations, or any columns with the same YYᵀ.
    n_targets : int
        Number of columns before reduction.
    P : csr_array of shape (n_samples, n_samples)
        P_X, fixed.
    gamma : float
        Precision of the latent variables around g.
    layout : Layout
        Sizes.
    """

    def __init__(
        self, Y: NDArray, n_targets: int, P: csr_array, gamma: float, layout: Layout
    ) -> None:
        self.Y, self.n_targets, self.gamma, self.layout = Y, n_targets, gamma, layout
        self.squares = float(np.square(Y).sum())
        self.P, self.P_transposed = P, csr_array(P.T)
        products = csr_array(self.P_transposed @ P).tocoo()
        self.pairs = products.coords
        self.pair_weights = products.data
        self.diagonal = float(np.square(P.data).sum())

    def __call__(self, x: NDArray) -> tuple[float, NDArray]:
        """Return the bound and its gradient by the vector of all variables."""
        X, Z, f_logs, h_logs, log_beta = self.layout.split(x)
        f, beta = KernelParams.unpack(f_logs), float(np.exp(log_beta))
        h = KernelParams.unpack(h_logs)
        value, by_X, by_Z, by_f, by_beta = self._likelihood(X, Z, f, beta)
        prior, more_X, more_Z, by_h = self._prior(X, Z, h)
        gradient = self.layout.join(by_X + more_X, by_Z + more_Z, by_f, by_h, beta * by_beta)
        return value + prior, gradient

    def _likelihood(
        self, X: NDArray, Z: NDArray, params: KernelParams, beta: float
    ) -> tuple[float, NDArray, NDArray, NDArray, float]:
        """Return the first sum of Eq. 16, and derivatives by X, Z, parameters and β."""
        n_samples = len(X)
        K, se = kernel(X, Z, params)
        squares = np.square(X).sum(axis=0)
        trace = n_samples * (params.variance + params.white) + squares @ params.linear
        root, A_se = inducing_root(Z, params)
        V = whiten(root, K.T)
        bound = collapsed_bound(
            trace, V @ self.Y, V @ V.T, beta,
            n_samples=n_samples, n_targets=self.n_targets, squares=self.squares,
        )  # fmt: skip
        weight = unwhiten(root, bound.cross @ self.Y.T + (2.0 * bound.gram) @ V)
        by_X, by_Z, by_logs = kernel_gradient(X, Z, params, se, weight.T)
        by_Z += inducing_gradient(Z, params, A_se, root, bound.inducing, by_logs)
        by_X += 2 * bound.trace * params.linear * X
        by_logs[:2] += bound.trace * n_samples * np.array([params.variance, params.white])
        by_logs[2 + len(squares) :] += bound.trace * params.linear * squares
        return bound.value, by_X, by_Z, by_logs, bound.precision

    def _prior(
        self, X: NDArray, Z: NDArray, params: KernelParams
    ) -> tuple[float, NDArray, NDArray, NDArray]:
        """Return the second sum of Eq. 16, and derivatives by X, Z and parameters."""
        n_samples, n_components = X.shape
        K, se = kernel(X, Z, params)
        trace, trace_by_X, trace_by_logs = self._trace(X, params)
        root, A_se = inducing_root(Z, params)
        V = whiten(root, (self.P @ K).T)
        bound = collapsed_bound(
            trace, V @ X, V @ V.T, self.gamma,
            n_samples=n_samples, n_targets=n_components, squares=float(np.square(X).sum()),
        )  # fmt: skip
        weight = unwhiten(root, bound.cross @ X.T + (2.0 * bound.gram) @ V)
        by_X, by_Z, by_logs = kernel_gradient(X, Z, params, se, self.P_transposed @ weight.T)
        by_Z += inducing_gradient(Z, params, A_se, root, bound.inducing, by_logs)
        by_X += bound.trace * trace_by_X + V.T @ bound.cross - self.gamma * X
        return bound.value, by_X, by_Z, by_logs + bound.trace * trace_by_logs

    def _trace(self, X: NDArray, params: KernelParams) -> tuple[float, NDArray, NDArray]:
        """Return tr(P K^(h) Pᵀ) = Σ (PᵀP)_ij K_ij, and its derivatives by X and parameters."""
        i, j = self.pairs
        steps = X[i] - X[j]
        se = self.pair_weights * np.exp(-0.5 * (steps**2 @ params.weights)) * params.variance
        moved = self.P @ X
        linear = np.square(moved).sum(axis=0)
        white = params.white * self.diagonal
        flow = se[:, None] * steps  # PᵀP is symmetric: both ends of a pair move alike
        by_X = np.column_stack([np.bincount(i, column, len(X)) for column in flow.T])
        by_X = 2.0 * params.linear * (self.P_transposed @ moved) - 2.0 * params.weights * by_X
        by_weights = -0.5 * params.weights * (se @ steps**2)
        by_logs = np.concatenate([[se.sum(), white], by_weights, params.linear * linear])
        return float(se.sum() + linear @ params.linear + white), by_X, by_logs


def inducing_root(Z: NDArray, params: KernelParams) -> tuple[NDArray, NDArray]:
    """Return the Cholesky factor of K_MM, white noise and jitter included, and its SE part."""
    A, se = kernel(Z, Z, params)
    A[np.diag_indices_from(A)] += params.white + JITTER * np.trace(A) / len(A)
    return np.linalg.cholesky(A), se


def inducing_gradient(
    Z: NDArray, params: KernelParams, se: NDArray, root: NDArray, inner: NDArray, by_logs: NDArray
) -> NDArray:
    """Return the derivative by Z through K_MM; add that by the parameters to ``by_logs``."""
    weight = unwhiten(root, unwhiten(root, inner).T)
    white = np.trace(weight)
    weight[np.diag_indices_from(weight)] += JITTER * white / len(Z)
    left, right, logs = kernel_gradient(Z, Z, params, se, weight)
    by_logs += logs
    by_logs[1] += params.white * white
    return left + right
