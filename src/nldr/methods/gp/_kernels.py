"""Covariance functions with parameters to be learned, and their gradients.

A kernel adds its matrix K of covariances to one that is given and returns a pullback: from the
gradient of a scalar with respect to K, those with respect to the latent points and to the
logarithms of the parameters. Of K only the upper triangle is formed, and dL/dK comes as a half:
the upper triangular matrix whose sum with its own transpose it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, singledispatch

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.utils import gen_batches

from nldr import kernels

Pullback = Callable[[NDArray], tuple[NDArray, NDArray]]
Values = float | NDArray

BLOCK_ROWS = 32  # so many rows' functions of the distance stay in cache
TINY = 1e-300  # squared distance whose logarithm stands for that of 0
# Bounds of the parameters; those of variances for data of unit variance.
RANGES = {
    "variance": (1e-6, 1e3),
    "length_scale": (1e-4, 1e4),
    "alpha": (1e-2, 1e3),
    "gamma": (1e-2, 2 - 1e-12),
}


class GPKernel:
    """A covariance function with positive parameters, held as they are and learned as logarithms.

    ``+`` adds two of them, and a call with points returns their covariances.

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
        """The terms of a sum; of any other kernel, itself."""
        return (self,)

    def __add__(self, other: GPKernel) -> Sum:
        return Sum((*self.parts, *other.parts))

    @property
    def params(self) -> dict[str, Values]:
        """The parameters that are learned, by name."""
        raise NotImplementedError

    def with_params(self, **params: Values) -> GPKernel:
        """Return the kernel with other values of some parameters."""
        return replace(self, **params)  # type: ignore[type-var]

    def times(self, factor: float) -> GPKernel:
        """Return the kernel multiplied by a number."""
        return self.with_params(variance=self.params["variance"] * factor)

    def with_relevances(self, n_components: int) -> GPKernel:
        """Return the kernel with a length scale or weight for each latent dimension (ARD)."""
        return self

    def bounds(self) -> NDArray:
        """Return the least and greatest logarithm of each parameter, of shape (n_params, 2)."""
        return np.log([RANGES[k] for k, v in self.params.items() for _ in range(np.size(v))])

    def log_params(self) -> NDArray:
        """Return the logarithms of all parameters, in a row."""
        return np.log(np.concatenate([np.ravel(value) for value in self.params.values()]))

    def with_log_params(self, theta: NDArray) -> GPKernel:
        """Return the kernel with these logarithms of its parameters."""
        ends = np.cumsum([np.size(value) for value in self.params.values()])
        values = zip(self.params.items(), np.split(np.exp(theta), ends[:-1]), strict=True)
        new = {name: now if np.ndim(old) else float(now[0]) for (name, old), now in values}
        return self.with_params(**new)

    def add_to(self, K: NDArray, X: NDArray) -> Pullback:
        """Add the covariances of the points to a matrix.

        Parameters
        ----------
        K : ndarray of shape (n_samples, n_samples)
            What is added to, in place. Only its upper triangle counts.
        X : ndarray of shape (n_samples, n_components)
            Latent points.

        Returns
        -------
        callable
            From half of dL/dK, upper triangular, of the shape of `K`, to dL/dX, of the shape of
            `X`, and the gradient with respect to the logarithms of the parameters.
        """
        raise NotImplementedError

    def __call__(self, X: NDArray) -> NDArray:
        """Return the covariances of the points, of shape (n_samples, n_samples)."""
        K = np.zeros((len(X), len(X)))
        self.add_to(K, X)
        return np.triu(K) + np.triu(K, 1).T


@dataclass(frozen=True, eq=False)
class Stationary(GPKernel):
    """σ² f(d) with d the squared distance of two points in units of the length scale.

    Parameters
    ----------
    shape : nldr.kernels.Kernel
        The function f: SquaredExponential, RationalQuadratic, GammaExponential, or Matern with
        ν of 1/2 (Ornstein-Uhlenbeck), 3/2 or 5/2. Their α and γ are learned, ν is not.
    variance : float, default=1.0
        σ².
    length_scale : float or ndarray of shape (n_components,), default=1.0
        One length scale, or one for each latent dimension (ARD).

    Raises
    ------
    ValueError
        If a parameter is not positive, or the gradient of f not known.

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
        slopes(self.shape, np.zeros((1, 1)))

    @property
    def params(self) -> dict[str, Values]:
        """σ², the length scales, and α or γ."""
        shape = {k: getattr(self.shape, k) for k in ("alpha", "gamma") if hasattr(self.shape, k)}
        return {"variance": self.variance, "length_scale": self.length_scale, **shape}

    def with_params(self, **params: Values) -> Stationary:
        """Return the kernel with other values of some parameters."""
        own = {k: params.pop(k) for k in ("alpha", "gamma") if k in params}
        return replace(self, shape=replace(self.shape, **own), **params)  # type: ignore

    def with_relevances(self, n_components: int) -> Stationary:
        """Return the kernel with a length scale for each latent dimension."""
        return replace(self, length_scale=np.full(n_components, self.length_scale))

    def add_to(self, K: NDArray, X: NDArray) -> Pullback:
        """Add the covariances of the points to a matrix, and return the pullback."""
        U = (X - X.mean(axis=0)) / self.length_scale
        blocks = []
        for rows in gen_batches(len(U), BLOCK_ROWS):
            d = cdist(U[rows], U[rows.start :], "sqeuclidean")
            own = self.variance * self.shape(d)
            K[rows, rows.start :] += own
            blocks.append((rows, d, own))

        def pullback(half: NDArray) -> tuple[NDArray, NDArray]:
            both = np.column_stack([U, np.ones(len(U))])
            sums, variance, shape = np.zeros_like(both), 0.0, np.zeros(len(self.params) - 2)
            for rows, d, own in blocks:
                weighted = half[rows, rows.start :] * own
                slope, turn = slopes(self.shape, d)
                variance += 2 * weighted.sum()
                if turn is not None:
                    shape += 2 * np.vdot(weighted, turn)
                weighted *= slope
                sums[rows] += weighted @ both[rows.start :]
                sums[rows.start :] += weighted.T @ both[rows]
            dU = 4 * (U * sums[:, -1:] - sums[:, :-1])
            stretch = -np.einsum("iq,iq->q", dU, U)
            lengths = stretch if np.ndim(self.length_scale) else [stretch.sum()]
            return dU / self.length_scale, np.concatenate([[variance], lengths, shape])

        return pullback


@dataclass(frozen=True, eq=False)
class Linear(GPKernel):
    """Σ_q w_q x_q x'_q.

    Parameters
    ----------
    variance : float or ndarray of shape (n_components,), default=1.0
        The weights w: one, or one for each latent dimension (ARD).

    Examples
    --------
    >>> Linear()(np.array([[1.0], [2.0]])).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """

    variance: Values = 1.0

    @property
    def params(self) -> dict[str, Values]:
        """The weights."""
        return {"variance": self.variance}

    def with_relevances(self, n_components: int) -> Linear:
        """Return the kernel with a weight for each latent dimension."""
        return Linear(np.full(n_components, self.variance))

    def add_to(self, K: NDArray, X: NDArray) -> Pullback:
        """Add the covariances of the points to a matrix, and return the pullback."""
        scaled = X * self.variance
        K += scaled @ X.T

        def pullback(half: NDArray) -> tuple[NDArray, NDArray]:
            dX = 2 * (half @ scaled + half.T @ scaled)
            weights = np.einsum("iq,iq->q", dX, X) / 2
            return dX, weights if np.ndim(self.variance) else np.array([weights.sum()])

        return pullback


@dataclass(frozen=True, eq=False)
class White(GPKernel):
    """Independent noise: σ² for a point with itself, 0 for two.

    Parameters
    ----------
    variance : float, default=1.0
        σ².

    Examples
    --------
    >>> White(2.0)(np.zeros((2, 1))).tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """

    variance: float = 1.0

    @property
    def params(self) -> dict[str, Values]:
        """σ²."""
        return {"variance": self.variance}

    def add_to(self, K: NDArray, X: NDArray) -> Pullback:
        """Add the covariances of the points to a matrix, and return the pullback."""
        K[np.diag_indices_from(K)] += self.variance

        def pullback(half: NDArray) -> tuple[NDArray, NDArray]:
            return np.zeros_like(X), np.array([2 * self.variance * np.trace(half)])

        return pullback


@dataclass(frozen=True, eq=False)
class Sum(GPKernel):
    """A sum of kernels.

    Parameters
    ----------
    terms : tuple of GPKernel
        What is added; no sums, which ``+`` takes apart.

    Examples
    --------
    >>> Sum((Linear(3.0), White()))(np.array([[1.0], [2.0]])).tolist()
    [[4.0, 6.0], [6.0, 13.0]]
    """

    terms: tuple[GPKernel, ...]

    @property
    def parts(self) -> tuple[GPKernel, ...]:
        """The terms."""
        return self.terms

    @property
    def params(self) -> dict[str, Values]:
        """None: the terms have them."""
        return {}

    def times(self, factor: float) -> Sum:
        """Return the sum multiplied by a number."""
        return Sum(tuple(term.times(factor) for term in self.terms))

    def with_relevances(self, n_components: int) -> Sum:
        """Return the sum with a length scale or weight for each latent dimension."""
        return Sum(tuple(term.with_relevances(n_components) for term in self.terms))

    def bounds(self) -> NDArray:
        """Return the least and greatest logarithm of each parameter, of shape (n_params, 2)."""
        return np.concatenate([term.bounds() for term in self.terms])

    def log_params(self) -> NDArray:
        """Return the logarithms of all parameters, term by term."""
        return np.concatenate([term.log_params() for term in self.terms])

    def with_log_params(self, theta: NDArray) -> Sum:
        """Return the sum with these logarithms of its parameters."""
        sizes = [len(term.log_params()) for term in self.terms]
        shares = np.split(theta, np.cumsum(sizes)[:-1])
        return Sum(tuple(t.with_log_params(s) for t, s in zip(self.terms, shares, strict=True)))

    def add_to(self, K: NDArray, X: NDArray) -> Pullback:
        """Add the covariances of the points to a matrix, and return the pullback."""
        pullbacks = [term.add_to(K, X) for term in self.terms]

        def pullback(half: NDArray) -> tuple[NDArray, NDArray]:
            gradients = [of_term(half) for of_term in pullbacks]
            by_points = np.sum([g[0] for g in gradients], axis=0)
            return by_points, np.concatenate([g[1] for g in gradients])

        return pullback


@singledispatch
def slopes(shape: kernels.Kernel, d: NDArray) -> tuple[Values, NDArray | None]:
    """Return the derivatives of ln f with respect to d, and to ln α or ln γ if it has one.

    Where the derivative with respect to d is infinite, at d = 0, it is given as 0: what two
    points that coincide do to each other cancels.

    Parameters
    ----------
    shape : nldr.kernels.Kernel
        The function f.
    d : ndarray
        Squared distances.

    Returns
    -------
    by_distance : float or ndarray of the shape of `d`
        Derivative of ln f with respect to d.
    by_parameter : ndarray of the shape of `d`, or None
        That with respect to the logarithm of the parameter.

    Raises
    ------
    ValueError
        If the derivatives are not known.

    Examples
    --------
    >>> slopes(kernels.SquaredExponential(), np.ones(1))
    (-0.5, None)
    """
    raise ValueError(f"the kernel {shape!r} has no known gradient: use one of nldr.kernels")


@slopes.register
def _(shape: kernels.SquaredExponential, d: NDArray) -> tuple[Values, NDArray | None]:
    return -0.5, None


@slopes.register
def _(shape: kernels.RationalQuadratic, d: NDArray) -> tuple[Values, NDArray | None]:
    ratio = d / (2 * shape.alpha)
    by_distance = -0.5 / (1 + ratio)
    return by_distance, -shape.alpha * (2 * ratio * by_distance + np.log1p(ratio))


@slopes.register
def _(shape: kernels.GammaExponential, d: NDArray) -> tuple[Values, NDArray | None]:
    logs = np.log(np.maximum(d, TINY))
    power = -shape.gamma / 2 * np.exp(shape.gamma / 2 * logs)
    return np.divide(power, d, out=np.zeros_like(d), where=d > 0), power * logs


@slopes.register
def _(shape: kernels.Matern, d: NDArray) -> tuple[Values, NDArray | None]:
    r = np.sqrt(d)
    r *= np.sqrt(2 * shape.nu)
    if shape.nu == 0.5:
        return np.divide(-0.5, r, out=np.zeros_like(d), where=d > 0), None
    if shape.nu == 1.5:
        return -1.5 / (1 + r), None
    if shape.nu == 2.5:
        return -5 / 6 * (1 + r) / (1 + r + r * r / 3), None
    raise ValueError(f"nu must be 0.5, 1.5 or 2.5 to have a known gradient, got {shape.nu}")


NAMED: dict[str, Callable[[], GPKernel]] = {
    **{name: partial(Stationary, shape()) for name, shape in kernels.KERNELS.items()},
    "ornstein_uhlenbeck": partial(Stationary, kernels.Matern(0.5)),
    "matern_5_2": partial(Stationary, kernels.Matern(2.5)),
    "linear": Linear,
    "white": partial(White, 0.1),
}
