"""LolaGP's bound on minibatches: sparse variational form with natural gradients and Adam.

With a Gaussian posterior q of the whitened inducing values, each sum of Eq. 16 becomes a sum over
points (Hensman, Fusi & Lawrence, *Gaussian Processes for Big Data*, UAI 2013, Eq. 4), of which a
minibatch is an unbiased estimate. Its maximum over q is the sum of Eq. 16.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nldr.methods.gp._progress import Progress
from nldr.methods.gp.inducing._bound import Ascent, unwhiten, whiten
from nldr.methods.gp.inducing._kernel import (
    KernelParams,
    cross_covariance,
    cross_covariance_gradient,
    inducing_gradient,
    inducing_root,
)
from nldr.methods.gp.lola._bound import Layout, LolaBound

NATURAL_STEP = 0.3  # step length of natural gradients
LATENT_STEP, SHARED_STEP = 0.1, 0.05  # step lengths of Adam for X, and for Z and the parameters
DECAY_MEAN, DECAY_SQUARE = 0.9, 0.99  # of Adam's running means


@dataclass
class Posterior:
    """Gaussian posterior of whitened inducing values, by natural parameters.

    Each column of the targets has its own mean; all share one covariance matrix. `precision` is its
    inverse, and `weighted`, of shape (n_inducing, n_columns), the precision times the means.
    """

    precision: NDArray
    weighted: NDArray

    @classmethod
    def prior(cls, n_inducing: int, n_columns: int) -> Posterior:
        """Return the standard normal distribution."""
        return cls(np.eye(n_inducing), np.zeros((n_inducing, n_columns)))

    def moments(self) -> tuple[NDArray, NDArray]:
        """Return means and covariance matrix."""
        covariance = np.linalg.inv(self.precision)
        return covariance @ self.weighted, covariance

    def step(self, V: NDArray, T: NDArray, beta: float, length: float) -> None:
        """Make a step along the natural gradient; of length 1 on all points, it is exact.

        `V` are whitened covariances (n_inducing, n_points) and `T` the targets (n_points,
        n_columns), both times √(n_samples / n_points).
        """
        optimum = np.eye(len(V)) + beta * (V @ V.T)
        self.precision = (1 - length) * self.precision + length * optimum
        self.weighted = (1 - length) * self.weighted + length * beta * (V @ T)

    def divergence(self, n_targets: int) -> float:
        """Return the KL divergence from the prior, summed over the targets."""
        means, covariance = self.moments()
        log_det = np.linalg.slogdet(self.precision)[1]
        trace = np.trace(covariance) - len(covariance) + log_det
        return float(0.5 * (n_targets * trace + np.square(means).sum()))


class StochasticBound:
    """Estimates of LolaGP's bound and of its gradient from minibatches."""

    def __init__(self, bound: LolaBound) -> None:
        self.bound, self.layout = bound, bound.layout
        n_inducing = bound.layout.n_inducing
        self.f = Posterior.prior(n_inducing, bound.Y.shape[1])
        self.h = Posterior.prior(n_inducing, bound.layout.n_components)
        self.row_sums = np.asarray(bound.P.sum(axis=1))

    def __call__(
        self, x: NDArray, batch: NDArray, length: float
    ) -> tuple[float, NDArray, NDArray, NDArray]:
        """Return an estimate of the bound, some points, and derivatives by these and by the rest.

        The points are those of the minibatch and those that the prior averages; the rest are the
        variables after X. Both posteriors first make a natural-gradient step of the given length.
        They have then seen the minibatch, and the estimate is too high, the more the longer the
        step.
        """
        bound, (X, Z, f_logs, h_logs, log_beta) = self.bound, self.layout.split(x)
        scale, beta = len(X) / len(batch), float(np.exp(log_beta))
        # P of the batch, and the points that it averages; the batch itself comes with weight 0
        P = bound.P[batch]
        rows = np.union1d(P.indices, batch)
        P = csr_array(
            (P.data, np.searchsorted(rows, P.indices), P.indptr), shape=(len(batch), len(rows))
        )
        positions = np.searchsorted(rows, batch)
        by_rows = np.zeros((len(rows), X.shape[1]))

        single = csr_array((np.ones(len(batch)), (np.arange(len(batch)), positions)), shape=P.shape)
        f = KernelParams.unpack(f_logs)
        value, by_X, by_Z, by_f, by_beta, _ = self._sum(
            self.f, X[rows], Z, f, single, bound.Y[batch], bound.n_targets, beta, scale, length
        )
        by_rows += by_X
        h, n_components = KernelParams.unpack(h_logs), X.shape[1]
        prior, by_X, prior_by_Z, by_h, _, by_targets = self._sum(
            self.h, X[rows], Z, h, P, X[batch], n_components, bound.gamma, scale, length
        )
        by_rows += by_X
        by_rows[positions] += by_targets
        shared = [(by_Z + prior_by_Z).ravel(), by_f, by_h, [beta * by_beta]]
        return value + prior, rows, by_rows, np.concatenate(shared)

    def _sum(
        self,
        posterior: Posterior,
        X: NDArray,
        Z: NDArray,
        params: KernelParams,
        P: csr_array,
        T: NDArray,
        n_targets: int,
        beta: float,
        scale: float,
        length: float,
    ) -> tuple[float, NDArray, NDArray, NDArray, float, NDArray]:
        """Return one sum, and its derivatives by X, Z, packed parameters, β and targets."""
        D = n_targets
        # V = L⁻¹ K_MN Pᵀ, and the weights of the diagonal that bounds tr(P (K − Q) Pᵀ)
        K, se = cross_covariance(X, Z, params)
        root, A_se = inducing_root(Z, params)
        whitened = whiten(root, K.T)
        V = np.ascontiguousarray((P @ np.ascontiguousarray(whitened.T)).T)
        shares = P.T @ P.sum(axis=1)
        posterior.step(np.sqrt(scale) * V, np.sqrt(scale) * T, beta, length)
        means, covariance = posterior.moments()

        # Σ_i E log N(t_i | Vᵀu, β⁻¹) − β/2 D tr(K − Q), and the divergence of q
        residual, spread = T - V.T @ means, covariance @ V
        white = params.white * float(np.square(P.data).sum())
        linear = params.linear * (shares @ np.square(X))
        variance = params.variance * float(shares.sum())
        missing = variance + linear.sum() + white - shares @ np.square(whitened).sum(axis=0)
        deviation = np.square(residual).sum() + D * (np.vdot(V, spread) + missing)
        value = scale * (0.5 * len(T) * D * np.log(beta / (2 * np.pi)) - 0.5 * beta * deviation)
        value -= posterior.divergence(D)

        # Gradient through V and the diagonal of Q, then through K_NM and the factor L
        by_V = scale * beta * (means @ residual.T - D * spread)
        weight = (P.T @ by_V.T).T + scale * beta * D * shares * whitened
        inner = np.tril(weight @ whitened.T)
        inner[np.diag_indices_from(inner)] *= 0.5
        by_X, by_Z, by_logs = cross_covariance_gradient(X, Z, params, se, unwhiten(root, weight).T)
        by_Z += inducing_gradient(Z, params, A_se, root, -0.5 * (inner + inner.T), by_logs)
        by_trace = -0.5 * scale * beta * D
        by_X += 2.0 * by_trace * shares[:, None] * params.linear * X
        by_logs[:2] += by_trace * np.array([variance, white])
        by_logs[2 + len(linear) :] += by_trace * linear
        by_beta = scale * (0.5 * len(T) * D / beta - 0.5 * deviation)
        return float(value), by_X, by_Z, by_logs, float(by_beta), -scale * beta * residual


class Adam:
    """Adam's running means, of some rows at a time (Kingma & Ba, ICLR 2015, Algorithm 1)."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.mean, self.square = np.zeros(shape), np.zeros(shape)
        self.n_steps = np.zeros((shape[0],) + (1,) * (len(shape) - 1))

    def __call__(self, gradient: NDArray, rows: NDArray | slice = slice(None)) -> NDArray:
        """Return a step of unit length for some rows; the others keep their means."""
        self.n_steps[rows] += 1
        self.mean[rows] += (1 - DECAY_MEAN) * (gradient - self.mean[rows])
        self.square[rows] += (1 - DECAY_SQUARE) * (np.square(gradient) - self.square[rows])
        # Means are biased towards their start at zero
        n = self.n_steps[rows]
        square = self.square[rows] / (1 - DECAY_SQUARE**n)
        return self.mean[rows] / (1 - DECAY_MEAN**n) / (np.sqrt(square) + 1e-12)


def maximize_on_batches(
    bound: LolaBound,
    start: NDArray,
    *,
    bounds: NDArray,
    batch_size: int,
    n_epochs: int,
    rng: np.random.RandomState,
    label: str = "",
) -> Ascent:
    """Maximize LolaGP's bound by steps on random minibatches.

    Each step updates the posteriors of the inducing values along the natural gradient and X, Z,
    kernel parameters and β by Adam. Step lengths fall to zero over the epochs, along half a cosine.
    The history has the mean estimate of each epoch, between the bound on all points at the start
    and that at the end.
    """
    layout: Layout = bound.layout
    n_samples, cut = layout.n_samples, layout.n_samples * layout.n_components
    x = start.copy()
    X, shared = x[:cut].reshape(n_samples, -1), x[cut:]
    low, high = bounds[cut:].T
    estimate, progress = StochasticBound(bound), Progress(label, "bound")
    latent_adam, shared_adam = Adam(X.shape), Adam(shared.shape)
    ascent = Ascent(start, history=[bound(start)[0]], converged=True, message="all epochs done")

    # Posteriors start at their optimum
    estimate(x, np.arange(n_samples), 1.0)
    n_batches = max(n_samples // batch_size, 1)
    for epoch in range(n_epochs):
        values = []
        for number, batch in enumerate(np.array_split(rng.permutation(n_samples), n_batches)):
            done = (epoch + number / n_batches) / n_epochs
            value, rows, by_rows, by_shared = estimate(x, np.sort(batch), NATURAL_STEP)
            values.append(value)
            decay = 0.5 * (1 + np.cos(np.pi * done))
            X[rows] += decay * LATENT_STEP * latent_adam(by_rows, rows)
            shared += decay * SHARED_STEP * shared_adam(by_shared)
            np.clip(shared, low, high, out=shared)
        ascent.history.append(float(np.mean(values)))
        progress.report(epoch + 1, ascent.history[-1])
    ascent.x = x
    ascent.history.append(bound(x)[0])
    return ascent
