"""LolaGP's lower bound of the log posterior, Eq. 16 of Watanabe et al., and its gradient.

The gradient is written by hand: value and gradient share covariances and Cholesky factors. The
tests compare it with finite differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nldr.methods.gp.inducing._bound import collapsed_bound, unwhiten, whiten
from nldr.methods.gp.inducing._kernel import (
    KernelParams,
    cross_covariance,
    cross_covariance_gradient,
    inducing_gradient,
    inducing_root,
)

PAIRS = 300  # nonzero entries of PᵀP per point up to which the trace runs over them

# Lower and upper bounds of the logarithms of kernel parameters and β
LOG_VARIANCE, LOG_WHITE, LOG_SCALE = (-12.0, 8.0), (-16.0, 4.0), (-16.0, 8.0)
LOG_PRECISION = (-5.0, 12.0)


@dataclass(frozen=True)
class Layout:
    """Order of the variables of the bound in one vector.

    The order is X, Z, packed kernel parameters of f, packed kernel parameters of h, log β.
    """

    n_samples: int
    n_inducing: int
    n_components: int

    def split(self, x: NDArray) -> tuple[NDArray, NDArray, NDArray, NDArray, float]:
        """Return X, Z, parameters of f and parameters of h as views, and log β."""
        n, m, q = self.n_samples, self.n_inducing, self.n_components
        a, b, c = n * q, (n + m) * q, (n + m) * q + 2 * q + 2
        return x[:a].reshape(n, q), x[a:b].reshape(m, q), x[b:c], x[c:-1], float(x[-1])

    def join(self, X: NDArray, Z: NDArray, f: NDArray, h: NDArray, log_beta: float) -> NDArray:
        """Return all variables in one vector."""
        return np.concatenate([X.ravel(), Z.ravel(), f, h, [log_beta]])


class LolaBound:
    r"""Eq. 16 as a function of all trained variables.

    .. math::

        \sum_{d=1}^D \log N(y_d | 0, Q^{(f)} + \beta^{-1} I)
        - \frac{\beta D}{2} \mathrm{tr}(K^{(f)} - Q^{(f)})
        + \sum_{q=1}^Q \log N(x_q | 0, Q^{(g)} + \gamma^{-1} I)
        - \frac{\gamma Q}{2} \mathrm{tr}(K^{(g)} - Q^{(g)})

    Each sum with its trace is a :func:`~nldr.methods.gp.inducing._bound.collapsed_bound`: that of
    the observations given the latent points (:meth:`_likelihood`), and that of the latent points
    given their own averages over the graph (:meth:`_prior`).

    The precision γ is fixed, as Eqs. 9 and 16 are unbounded otherwise. P_Z does not appear: it
    cancels from Q^(g), because W of Eq. 19 is a positive definite kernel of distinct features.

    The trace of K^(g) − Q^(g) is exact if the pairs of neighbors of a point, nonzero entries of
    PᵀP, are few. Otherwise an upper bound replaces it, so that the value is a lower bound of Eq.
    16: (PRPᵀ)_ii ≤ s_i Σ_j P_ij R_jj, with R = K^(h) − Q^(h) without white noise and the sums s of
    the rows of P.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, n_columns)
        Observations, or any matrix with the same YYᵀ.
    n_targets : int
        Number of features D of the observations.
    P : csr_array of shape (n_samples, n_samples)
        Normalized adjacency matrix P_X, held fixed.
    gamma : float
        Precision γ of the latent variables around g.
    layout : Layout
        Order of the variables.
    """

    def __init__(
        self, Y: NDArray, n_targets: int, P: csr_array, gamma: float, layout: Layout
    ) -> None:
        self.Y, self.n_targets, self.gamma, self.layout = Y, n_targets, gamma, layout
        self.squares = float(np.square(Y).sum())
        self.P, self.P_transposed = P, csr_array(P.T)
        self.P_squares = float(np.square(P.data).sum())  # tr(PPᵀ)
        # Products PᵀP for tr(P K Pᵀ), or the weights s P of the diagonal that bounds it
        self.shares = self.P_transposed @ P.sum(axis=1)
        self.products = None
        if np.square(np.diff(P.indptr)).sum() <= 10 * PAIRS * P.shape[0]:  # fast to compute
            products = csr_array(self.P_transposed @ P)
            self.products = products if products.nnz <= PAIRS * P.shape[0] else None

    def __call__(self, x: NDArray) -> tuple[float, NDArray]:
        """Return the bound and its gradient with respect to the vector of all variables."""
        X, Z, f_logs, h_logs, log_beta = self.layout.split(x)
        f, beta = KernelParams.unpack(f_logs), float(np.exp(log_beta))
        h = KernelParams.unpack(h_logs)
        value, by_X, by_Z, by_f, by_beta = self._likelihood(X, Z, f, beta)
        prior, prior_by_X, prior_by_Z, by_h = self._prior(X, Z, h)
        gradient = self.layout.join(
            by_X + prior_by_X, by_Z + prior_by_Z, by_f, by_h, beta * by_beta
        )
        return value + prior, gradient

    def terms(self, x: NDArray) -> tuple[float, float]:
        """Return the two sums of Eq. 16: the likelihood of Y and the prior of X."""
        X, Z, f_logs, h_logs, log_beta = self.layout.split(x)
        likelihood = self._likelihood(X, Z, KernelParams.unpack(f_logs), float(np.exp(log_beta)))
        return likelihood[0], self._prior(X, Z, KernelParams.unpack(h_logs))[0]

    def _likelihood(
        self, X: NDArray, Z: NDArray, params: KernelParams, beta: float
    ) -> tuple[float, NDArray, NDArray, NDArray, float]:
        """Return the first sum of Eq. 16 and its derivatives by X, Z, packed parameters and β."""
        n_samples = len(X)
        # tr K^(f)_NN, in closed form
        K, se = cross_covariance(X, Z, params)
        squares = np.square(X).sum(axis=0)
        trace = n_samples * (params.variance + params.white) + squares @ params.linear
        # V = L⁻¹ K^(f)_MN with K^(f)_MM = LLᵀ, so that Q^(f)_NN = VᵀV (the bound takes Vᵀ)
        root, A_se = inducing_root(Z, params)
        V = whiten(root, K.T)
        bound = collapsed_bound(
            trace,
            V @ self.Y,
            V @ V.T,
            beta,
            n_samples=n_samples,
            n_targets=self.n_targets,
            squares=self.squares,
        )
        weight = unwhiten(root, bound.cross @ self.Y.T + (2.0 * bound.gram) @ V)
        by_X, by_Z, by_logs = cross_covariance_gradient(X, Z, params, se, weight.T)
        by_Z += inducing_gradient(Z, params, A_se, root, bound.inducing, by_logs)
        by_X += 2 * bound.trace * params.linear * X
        by_logs[:2] += bound.trace * n_samples * np.array([params.variance, params.white])
        by_logs[2 + len(squares) :] += bound.trace * params.linear * squares
        return bound.value, by_X, by_Z, by_logs, bound.precision

    def _prior(
        self, X: NDArray, Z: NDArray, params: KernelParams
    ) -> tuple[float, NDArray, NDArray, NDArray]:
        """Return the second sum of Eq. 16 and its derivatives by X, Z and packed parameters."""
        n_samples, n_components = X.shape
        # V = L⁻¹ K^(h)_MN Pᵀ with K^(h)_MM = LLᵀ, so that Q^(g)_NN = VᵀV without P_Z
        K, se = cross_covariance(X, Z, params)
        root, A_se = inducing_root(Z, params)
        whitened = whiten(root, K.T)
        averaged = self.P @ np.ascontiguousarray(whitened.T)  # Vᵀ
        gram = averaged.T @ averaged
        trace, trace_by_X, trace_by_logs = self._trace(X, params)
        if self.products is None:  # s_i Σ_j P_ij Q^(h)_jj in place of Q^(g)_ii
            shared = self.shares * whitened
            shared_gram = shared @ whitened.T
            trace += float(np.trace(gram) - np.trace(shared_gram))
        bound = collapsed_bound(
            trace,
            averaged.T @ X,
            gram,
            self.gamma,
            n_samples=n_samples,
            n_targets=n_components,
            squares=float(np.square(X).sum()),
        )
        by_gram, inducing = 2.0 * bound.gram, bound.inducing
        if self.products is None:
            by_gram[np.diag_indices_from(gram)] += 2.0 * bound.trace
            inducing = inducing + bound.trace * (shared_gram - gram)
        weight = (self.P_transposed @ (X @ bound.cross.T + averaged @ by_gram)).T
        if self.products is None:
            shared *= 2.0 * bound.trace
            weight = weight - shared
        by_X, by_Z, by_logs = cross_covariance_gradient(X, Z, params, se, unwhiten(root, weight).T)
        by_Z += inducing_gradient(Z, params, A_se, root, inducing, by_logs)
        by_X += bound.trace * trace_by_X + averaged @ bound.cross - self.gamma * X
        return bound.value, by_X, by_Z, by_logs + bound.trace * trace_by_logs

    def _trace(self, X: NDArray, params: KernelParams) -> tuple[float, NDArray, NDArray]:
        """Return tr K^(g)_NN = tr(P K^(h) Pᵀ) and its derivatives by X and packed parameters.

        If the trace is not exact, s_i Σ_j P_ij K^(h)_jj replaces the diagonal, but for the white
        noise.
        """
        white = params.white * self.P_squares
        if self.products is None:
            variance = params.variance * float(self.shares.sum())
            linear = params.linear * (self.shares @ np.square(X))
            by_logs = np.concatenate([[variance, white], np.zeros_like(linear), linear])
            by_X = 2.0 * self.shares[:, None] * params.linear * X
            return variance + float(linear.sum()) + white, by_X, by_logs
        # SE part: entries of PᵀP times those of the kernel
        indices, indptr = self.products.indices, self.products.indptr
        scaled, rows = X * np.sqrt(params.weights), np.repeat(np.arange(len(X)), np.diff(indptr))
        squared = np.square(scaled[rows] - scaled[indices]).sum(axis=1)
        values = params.variance * self.products.data * np.exp(-0.5 * squared)
        se = csr_array((values, indices, indptr), shape=self.products.shape)
        # Σ_j se_ij (x_i − x_j); its products with x_i sum to ½ Σ_ij se_ij (x_i − x_j)²
        sums = se.sum(axis=1)
        flow = sums[:, None] * X - se @ X
        # Linear part Σ_q l_q ‖P x_q‖²
        averaged = self.P @ X
        linear = np.square(averaged).sum(axis=0)
        # Gradient; PᵀP is symmetric, so both points of a pair contribute alike
        by_X = 2.0 * params.linear * (self.P_transposed @ averaged) - 2.0 * params.weights * flow
        by_weights = -params.weights * (X * flow).sum(axis=0)
        by_logs = np.concatenate([[sums.sum(), white], by_weights, params.linear * linear])
        return float(sums.sum() + linear @ params.linear + white), by_X, by_logs


def variable_limits(layout: Layout) -> NDArray:
    """Return lower and upper bounds of all variables, in the order of the layout."""
    n_coordinates = (layout.n_samples + layout.n_inducing) * layout.n_components
    coordinates = np.tile([-np.inf, np.inf], (n_coordinates, 1))  # X and Z are unbounded
    # Order of KernelParams.pack: variance, white, weights, linear
    kernel = [LOG_VARIANCE, LOG_WHITE, *[LOG_SCALE] * (2 * layout.n_components)]
    return np.concatenate([coordinates, kernel, kernel, [LOG_PRECISION]])
