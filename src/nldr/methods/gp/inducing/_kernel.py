"""The kernel SE + linear + white of Eq. 20 of Watanabe et al., and its gradient.

LolaGP, the Bayesian GPLVM and its ψ statistics share this kernel. The gradients are written by
hand: they reuse the exponentials of the value and are a few matrix products. The tests compare
them with finite differences through the bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nldr.methods.gp.inducing._bound import unwhiten

JITTER = 1e-6  # added to the diagonal of K_MM, relative to its mean diagonal


@dataclass(frozen=True)
class KernelParams:
    """Parameters of the kernel SE + linear + white, Eq. 20.

    Eq. 20 has both σ_lin² and weights a_lin,q. Only their products are identifiable; these are
    ``linear``.

    Parameters
    ----------
    variance : float
        σ_SE².
    weights : ndarray of shape (n_components,)
        a_SE,q, the inverse squared length scales.
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
        """Return the parameters with these logarithms, in the order of :meth:`pack`."""
        n_components = len(logs) // 2 - 1
        values = np.exp(logs)
        return cls(values[0], values[2 : 2 + n_components], values[2 + n_components :], values[1])

    def pack(self) -> NDArray:
        """Return the logarithms of variance, white, weights and linear in one vector."""
        return np.log(np.concatenate([[self.variance, self.white], self.weights, self.linear]))


def initial_params(n_components: int) -> KernelParams:
    """Return the parameters from which fits start, for data of unit variance."""
    return KernelParams(0.5, np.ones(n_components), np.full(n_components, 0.25), 1e-4)


def cross_covariance(X: NDArray, Z: NDArray, params: KernelParams) -> tuple[NDArray, NDArray]:
    """Return the covariances of two sets of points, Eq. 20 without white noise, and the SE part."""
    # −‖x − z‖² in units of the length scales
    scaled, other = X * np.sqrt(params.weights), Z * np.sqrt(params.weights)
    squared = scaled @ (2.0 * other.T)
    squared -= np.square(scaled).sum(axis=1)[:, None]
    squared -= np.square(other).sum(axis=1)
    # SE part σ_SE² exp(−½‖x − z‖²); rounding errors must not make a distance negative
    se = np.exp(np.minimum(squared, 0.0, out=squared) * 0.5, out=squared)
    se *= params.variance
    return se + (X * params.linear) @ Z.T, se


def cross_covariance_gradient(
    X: NDArray, Z: NDArray, params: KernelParams, se: NDArray, weight: NDArray
) -> tuple[NDArray, NDArray, NDArray]:
    """Return the derivatives of Σ weight ∘ K for the covariances K of :func:`cross_covariance`.

    They are with respect to `X`, to `Z` and to the packed parameters, where that of the white noise
    is 0. `se` is the SE part of K.
    """
    G = weight * se
    rows, columns = G.sum(axis=1)[:, None], G.sum(axis=0)[:, None]
    GZ, GX, WZ, WX = G @ Z, G.T @ X, weight @ Z, weight.T @ X
    # Inputs: SE part, then linear part
    by_X = params.weights * (GZ - X * rows) + params.linear * WZ
    by_Z = params.weights * (GX - Z * columns) + params.linear * WX
    # Σ G (x_q − z_q)² of each dimension q, for the weights of the SE part
    spread = (X**2 * rows).sum(axis=0) + (Z**2 * columns).sum(axis=0) - 2 * (X * GZ).sum(axis=0)
    by_logs = np.concatenate(
        [[G.sum(), 0.0], -0.5 * params.weights * spread, params.linear * (X * WZ).sum(axis=0)]
    )
    return by_X, by_Z, by_logs


def inducing_root(Z: NDArray, params: KernelParams) -> tuple[NDArray, NDArray]:
    """Return the lower Cholesky factor of K_MM, with white noise and jitter, and its SE part."""
    A, se = cross_covariance(Z, Z, params)
    A[np.diag_indices_from(A)] += params.white + JITTER * np.trace(A) / len(A)
    return np.linalg.cholesky(A), se


def inducing_gradient(
    Z: NDArray, params: KernelParams, se: NDArray, root: NDArray, inner: NDArray, by_logs: NDArray
) -> NDArray:
    """Return the derivative with respect to the inducing inputs through K_MM = LLᵀ.

    `se` and `root` are as from :func:`inducing_root`; L⁻ᵀ `inner` L⁻¹ is the derivative with
    respect to K_MM. The one with respect to the packed parameters is added to `by_logs` in place.
    """
    weight = unwhiten(root, unwhiten(root, inner).T)  # derivative with respect to K_MM
    # White noise adds to the diagonal; the jitter scales with the trace
    white = np.trace(weight)
    weight[np.diag_indices_from(weight)] += JITTER * white / len(Z)
    # Z enters as both inputs of the kernel
    left, right, logs = cross_covariance_gradient(Z, Z, params, se, weight)
    by_logs += logs
    by_logs[1] += params.white * white
    return left + right
