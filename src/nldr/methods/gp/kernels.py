"""Covariance functions of the GPLVM, with learnable parameters and their gradients.

A kernel adds its covariance matrix K to a given matrix and returns a pullback: a function that maps
the gradient of a scalar L with respect to K to its gradients with respect to the latent points and
to the logarithms of the parameters. Only the upper triangle of K is computed. The pullback takes
dL/dK as its *half*: the upper triangular matrix H with dL/dK = H + Hᵀ.

The gradients are written by hand so that they work on one triangle, in blocks that stay in the
cache, and reuse the distances and covariances of the value. ``benchmarks/gplvm.py`` compares an
evaluation of likelihood and gradient with one Cholesky factorization, and allows five of these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import gen_batches

from nldr import kernels
from nldr.methods.gp.exact._kernel_slopes import Values, log_slopes

Pullback = Callable[[NDArray], tuple[NDArray, NDArray]]
CrossPullback = Callable[[NDArray], NDArray]

BLOCK_ROWS = 32  # rows computed at a time, few enough for the processor's cache
# Lower and upper bounds of the parameters; those of the variance are for data of unit variance
RANGES = {
    "variance": (1e-6, 1e3),
    "length_scale": (1e-4, 1e4),
    "alpha": (1e-2, 1e3),
    "gamma": (1e-2, 2 - 1e-12),
}


class GPKernel:
    """Base class of covariance functions with positive parameters, learned as logarithms.

    ``+`` adds two kernels. Calling a kernel with points returns their covariance matrix; with a
    second set of points, the covariances of the two sets.

    Raises
    ------
    ValueError
        If a parameter is not positive.
    """

    def __post_init__(self) -> None:
        for name, value in self.params.items():
            if not np.all(np.asarray(value) > 0):
                raise ValueError(f"{name} must be greater than 0, got {value}")

    @property
    def parts(self) -> tuple[GPKernel, ...]:
        """Terms of a sum, or the kernel itself if it is not a sum."""
        return (self,)

    def __add__(self, other: GPKernel) -> Sum:
        return Sum((*self.parts, *other.parts))

    @property
    def params(self) -> dict[str, Values]:
        """Learnable parameters by name."""
        raise NotImplementedError

    def with_params(self, **params: Values) -> GPKernel:
        """Return a copy of the kernel with other values of some parameters."""
        return replace(self, **params)  # type: ignore[type-var]

    def times(self, factor: float) -> GPKernel:
        """Return the kernel multiplied by a positive number."""
        return self.with_params(variance=self.params["variance"] * factor)

    def with_relevances(self, n_components: int) -> GPKernel:
        """Return the kernel with one length scale or weight per latent dimension (ARD)."""
        return self

    def bounds(self) -> NDArray:
        """Return lower and upper bounds of the log parameters, of shape (n_params, 2)."""
        return np.log([RANGES[k] for k, v in self.params.items() for _ in range(np.size(v))])

    def log_params(self) -> NDArray:
        """Return the logarithms of all parameters in one vector."""
        return np.log(np.concatenate([np.ravel(value) for value in self.params.values()]))

    def with_log_params(self, theta: NDArray) -> GPKernel:
        """Return the kernel whose parameters have these logarithms."""
        ends = np.cumsum([np.size(value) for value in self.params.values()])
        values = zip(self.params.items(), np.split(np.exp(theta), ends[:-1]), strict=True)
        new = {name: now if np.ndim(old) else float(now[0]) for (name, old), now in values}
        return self.with_params(**new)

    def add_to(self, K: NDArray, X: NDArray) -> Pullback:
        """Add the covariances of the points to a matrix, in place.

        Parameters
        ----------
        K : ndarray of shape (n_samples, n_samples)
            Matrix to add to. Its lower triangle is not used afterwards.
        X : ndarray of shape (n_samples, n_components)
            Latent points.

        Returns
        -------
        callable
            The pullback: takes the half H of dL/dK, upper triangular and of the shape of `K`, and
            returns dL/dX, of the shape of `X`, and the gradient with respect to the logarithms of
            the parameters.
        """
        raise NotImplementedError

    def cross(self, X: NDArray, Z: NDArray) -> tuple[NDArray, CrossPullback]:
        """Return the covariances of two sets of points, and the pullback from dL/dK to dL/dX.

        White noise contributes nothing, even where points of the two sets coincide.
        """
        raise NotImplementedError

    def diagonal(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Return the variance at each point, noise included, and its gradient."""
        return np.full(len(X), self.params["variance"]), np.zeros_like(X)

    def __call__(self, X: NDArray, Z: NDArray | None = None) -> NDArray:
        """Return the covariance matrix of the points, or of two sets of points."""
        if Z is not None:
            return self.cross(X, Z)[0]
        K = np.zeros((len(X), len(X)))
        self.add_to(K, X)
        return np.triu(K) + np.triu(K, 1).T


@dataclass(frozen=True, eq=False)
class Stationary(GPKernel):
    """Stationary kernel σ² f(d), with d the squared distance in units of the length scale.

    Parameters
    ----------
    shape : nldr.kernels.Kernel
        The function f: SquaredExponential, RationalQuadratic, GammaExponential, or Matern with
        ν = 1/2 (Ornstein-Uhlenbeck), 3/2 or 5/2. α and γ are learned, ν is fixed.
    variance : float, default=1.0
        Variance σ².
    length_scale : float or ndarray of shape (n_components,), default=1.0
        One length scale, or one per latent dimension (ARD).

    Raises
    ------
    ValueError
        If a parameter is not positive, or the gradient of f is not known.

    Examples
    --------
    >>> K = Stationary(kernels.SquaredExponential())(np.array([[0.0], [1.0]]))
    >>> K.round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    """

    shape: kernels.Kernel
    variance: float = 1.0
    length_scale: Values = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        log_slopes(self.shape, np.zeros((1, 1)))  # raises if the gradient is not known

    @property
    def params(self) -> dict[str, Values]:
        """Variance, length scales, and α or γ of the function f."""
        shape = {k: getattr(self.shape, k) for k in ("alpha", "gamma") if hasattr(self.shape, k)}
        return {"variance": self.variance, "length_scale": self.length_scale, **shape}

    def with_params(self, **params: Values) -> Stationary:
        """Return a copy of the kernel with other values of some parameters."""
        shape_params = {k: params.pop(k) for k in ("alpha", "gamma") if k in params}
        return replace(self, shape=replace(self.shape, **shape_params), **params)  # type: ignore

    def with_relevances(self, n_components: int) -> Stationary:
        """Return the kernel with one length scale per latent dimension."""
        return replace(self, length_scale=np.full(n_components, self.length_scale))

    def add_to(self, K: NDArray, X: NDArray) -> Pullback:
        """Add the covariances of the points to a matrix, and return the pullback."""
        U = (X - X.mean(axis=0)) / self.length_scale  # centering reduces rounding errors
        blocks = []
        for rows in gen_batches(len(U), BLOCK_ROWS):
            d = cdist(U[rows], U[rows.start :], "sqeuclidean")
            block_K = self.variance * self.shape(d)
            K[rows, rows.start :] += block_K
            blocks.append((rows, d, block_K))

        def pullback(half: NDArray) -> tuple[NDArray, NDArray]:
            # A column of ones makes one product return Σ_j w_ij u_j and Σ_j w_ij
            U_and_ones = np.column_stack([U, np.ones(len(U))])
            sums = np.zeros_like(U_and_ones)
            by_variance, by_shape = 0.0, np.zeros(len(self.params) - 2)
            for rows, d, block_K in blocks:
                # Gradients with respect to ln σ² and ln α or ln γ
                weighted = half[rows, rows.start :] * block_K
                by_distance, by_parameter = log_slopes(self.shape, d)
                by_variance += 2 * weighted.sum()
                if by_parameter is not None:
                    by_shape += 2 * np.vdot(weighted, by_parameter)
                # Weights w_ij = H_ij ∂K_ij/∂d_ij, summed over both ends of each pair
                weighted *= by_distance
                sums[rows] += weighted @ U_and_ones[rows.start :]
                sums[rows.start :] += weighted.T @ U_and_ones[rows]
            # Gradients with respect to the scaled points and the logarithms of the length scales
            dU = 4 * (U * sums[:, -1:] - sums[:, :-1])
            by_lengths = -np.einsum("iq,iq->q", dU, U)
            lengths = by_lengths if np.ndim(self.length_scale) else [by_lengths.sum()]
            return dU / self.length_scale, np.concatenate([[by_variance], lengths, by_shape])

        return pullback

    def cross(self, X: NDArray, Z: NDArray) -> tuple[NDArray, CrossPullback]:
        """Return the covariances of two sets of points, and the pullback to the first."""
        U, W = X / self.length_scale, Z / self.length_scale
        d = cdist(U, W, "sqeuclidean")
        K = self.variance * self.shape(d)

        def pullback(weight: NDArray) -> NDArray:
            slopes = 2 * weight * K * log_slopes(self.shape, d)[0]  # 2 ∂L/∂d_ij
            return (U * slopes.sum(axis=1)[:, None] - slopes @ W) / self.length_scale

        return K, pullback


@dataclass(frozen=True, eq=False)
class Linear(GPKernel):
    """Linear kernel Σ_q w_q x_q x'_q.

    Parameters
    ----------
    variance : float or ndarray of shape (n_components,), default=1.0
        The weights w: one for all, or one per latent dimension (ARD).

    Examples
    --------
    >>> Linear()(np.array([[1.0], [2.0]])).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """

    variance: Values = 1.0

    @property
    def params(self) -> dict[str, Values]:
        """Weights, named ``variance`` as in the other kernels."""
        return {"variance": self.variance}

    def with_relevances(self, n_components: int) -> Linear:
        """Return the kernel with one weight per latent dimension."""
        return Linear(np.full(n_components, self.variance))

    def add_to(self, K: NDArray, X: NDArray) -> Pullback:
        """Add the covariances of the points to a matrix, and return the pullback."""
        scaled = X * self.variance
        K += scaled @ X.T

        def pullback(half: NDArray) -> tuple[NDArray, NDArray]:
            dX = 2 * (half @ scaled + half.T @ scaled)  # 2 dL/dK X diag(w), with dL/dK = H + Hᵀ
            weights = np.einsum("iq,iq->q", dX, X) / 2  # w_q ∂L/∂w_q
            return dX, weights if np.ndim(self.variance) else np.array([weights.sum()])

        return pullback

    def cross(self, X: NDArray, Z: NDArray) -> tuple[NDArray, CrossPullback]:
        """Return the covariances of two sets of points, and the pullback to the first."""
        scaled = Z * self.variance
        return X @ scaled.T, lambda weight: weight @ scaled

    def diagonal(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Return the variance at each point, and its gradient."""
        return (np.square(X) * self.variance).sum(axis=1), 2 * self.variance * X


@dataclass(frozen=True, eq=False)
class White(GPKernel):
    """White noise: variance σ² on the diagonal, no covariance between different points.

    Parameters
    ----------
    variance : float, default=1.0
        Variance σ².

    Examples
    --------
    >>> White(2.0)(np.zeros((2, 1))).tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """

    variance: float = 1.0

    @property
    def params(self) -> dict[str, Values]:
        """Variance of the noise."""
        return {"variance": self.variance}

    def add_to(self, K: NDArray, X: NDArray) -> Pullback:
        """Add the covariances of the points to a matrix, and return the pullback."""
        K[np.diag_indices_from(K)] += self.variance

        def pullback(half: NDArray) -> tuple[NDArray, NDArray]:
            return np.zeros_like(X), np.array([2 * self.variance * np.trace(half)])

        return pullback

    def cross(self, X: NDArray, Z: NDArray) -> tuple[NDArray, CrossPullback]:
        """Return zeros: the noise of different points is independent."""
        return np.zeros((len(X), len(Z))), lambda weight: np.zeros_like(X)


@dataclass(frozen=True, eq=False)
class Sum(GPKernel):
    """Sum of kernels.

    Parameters
    ----------
    terms : tuple of GPKernel
        The terms. None of them is itself a sum: ``+`` joins the terms of its operands.

    Examples
    --------
    >>> Sum((Linear(3.0), White()))(np.array([[1.0], [2.0]])).tolist()
    [[4.0, 6.0], [6.0, 13.0]]
    """

    terms: tuple[GPKernel, ...]

    @property
    def parts(self) -> tuple[GPKernel, ...]:
        """Terms of the sum."""
        return self.terms

    @property
    def params(self) -> dict[str, Values]:
        """Empty: only the terms have parameters."""
        return {}

    def times(self, factor: float) -> Sum:
        """Return the sum multiplied by a positive number."""
        return Sum(tuple(term.times(factor) for term in self.terms))

    def with_relevances(self, n_components: int) -> Sum:
        """Return the sum with one length scale or weight per latent dimension."""
        return Sum(tuple(term.with_relevances(n_components) for term in self.terms))

    def bounds(self) -> NDArray:
        """Return lower and upper bounds of the log parameters, of shape (n_params, 2)."""
        return np.concatenate([term.bounds() for term in self.terms])

    def log_params(self) -> NDArray:
        """Return the logarithms of all parameters in one vector, term by term."""
        return np.concatenate([term.log_params() for term in self.terms])

    def with_log_params(self, theta: NDArray) -> Sum:
        """Return the sum whose parameters have these logarithms."""
        sizes = [len(term.log_params()) for term in self.terms]
        slices = np.split(theta, np.cumsum(sizes)[:-1])
        return Sum(tuple(t.with_log_params(s) for t, s in zip(self.terms, slices, strict=True)))

    def add_to(self, K: NDArray, X: NDArray) -> Pullback:
        """Add the covariances of the points to a matrix, and return the pullback."""
        pullbacks = [term.add_to(K, X) for term in self.terms]

        def pullback(half: NDArray) -> tuple[NDArray, NDArray]:
            gradients = [term_pullback(half) for term_pullback in pullbacks]
            by_points = np.sum([g[0] for g in gradients], axis=0)
            return by_points, np.concatenate([g[1] for g in gradients])

        return pullback

    def cross(self, X: NDArray, Z: NDArray) -> tuple[NDArray, CrossPullback]:
        """Return the covariances of two sets of points, and the pullback to the first."""
        values, pulls = zip(*(term.cross(X, Z) for term in self.terms), strict=True)
        return np.sum(values, axis=0), lambda weight: np.sum([p(weight) for p in pulls], axis=0)

    def diagonal(self, X: NDArray) -> tuple[NDArray, NDArray]:
        """Return the variance at each point, noise included, and its gradient."""
        values, slopes = zip(*(term.diagonal(X) for term in self.terms), strict=True)
        return np.sum(values, axis=0), np.sum(slopes, axis=0)


# Kernels by the names that the GPLVM accepts
NAMED: dict[str, Callable[[], GPKernel]] = {
    **{name: partial(Stationary, shape()) for name, shape in kernels.KERNELS.items()},
    "ornstein_uhlenbeck": partial(Stationary, kernels.Matern(0.5)),
    "matern_5_2": partial(Stationary, kernels.Matern(2.5)),
    "linear": Linear,
    "white": partial(White, 0.1),
}
