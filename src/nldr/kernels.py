"""Stationary covariance functions of the squared scaled distance, and their inverses.

All have unit variance and take, elementwise, the squared distance ``d`` divided by the squared
length scale. Source: Li & Wu, Inverse Kernel Decomposition, Table 1.

A similarity near 1 holds a distance only to its own rounding: f⁻¹(f(d)) differs from d by about
ε f(d) / |f'(d)|, with ε = 1.1e-16. Relative to d that is 2e-10 at d = 1e-6 for the smoothest of
these kernels and less for the others and for larger d. The inverses stay within 1e-8 from d = 1e-6
up, except for Matérn kernels of ν above 12, whose Bessel function errs by some ν ε: 1e-7 at ν = 50.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import gamma, kve

NEWTON_STEPS = 50  # about six are taken; the bound only keeps a NaN from turning for ever
N_KNOTS = 4096


class Kernel(Protocol):
    """A stationary covariance function f of unit variance, falling from 1, and its inverse."""

    def __call__(self, d: NDArray) -> NDArray:
        """Similarity at squared scaled distance d."""

    def inverse(self, k: NDArray) -> NDArray:
        """Squared scaled distance at similarity k."""


@dataclass(frozen=True)
class SquaredExponential:
    """Squared exponential kernel.

    Examples
    --------
    >>> kernel = SquaredExponential()
    >>> round(float(kernel.inverse(kernel(2.0))), 12)
    2.0
    """

    def __call__(self, d: NDArray) -> NDArray:
        """f(d) = exp(-d/2)."""
        return np.exp(np.multiply(d, -0.5))

    def inverse(self, k: NDArray) -> NDArray:
        """f⁻¹(k) = -2 ln k, for similarities 0 < k <= 1."""
        return np.multiply(np.log(k), -2.0)


@dataclass(frozen=True)
class RationalQuadratic:
    """Rational quadratic kernel: a mixture of squared exponential ones of many length scales.

    Parameters
    ----------
    alpha : float, default=1.0
        Decay α > 0; the kernel tends to the squared exponential one as α grows.

    Raises
    ------
    ValueError
        If α is not positive.

    Examples
    --------
    >>> float(RationalQuadratic(alpha=1.0)(2.0))
    0.5
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        if not self.alpha > 0:
            raise ValueError(f"alpha must be greater than 0, got {self.alpha}")

    def __call__(self, d: NDArray) -> NDArray:
        """f(d) = (1 + d/2α)^(-α)."""
        return np.exp(-self.alpha * np.log1p(np.divide(d, 2 * self.alpha)))

    def inverse(self, k: NDArray) -> NDArray:
        """f⁻¹(k) = 2α (k^(-1/α) - 1), for similarities 0 < k <= 1."""
        return 2 * self.alpha * np.expm1(np.divide(np.log(k), -self.alpha))


@dataclass(frozen=True)
class GammaExponential:
    """γ-exponential kernel, of the distance to the power γ.

    Table 1 prints the exponents of f and f⁻¹ upside down (2/γ for γ/2); that kernel would not be
    positive definite for γ below 2. At γ = 1 this is the Ornstein-Uhlenbeck kernel.

    Parameters
    ----------
    gamma : float, default=1.0
        Exponent of the distance, 0 < γ <= 2; above 2 the kernel is not positive definite.

    Raises
    ------
    ValueError
        If γ is out of range.

    Examples
    --------
    >>> bool(GammaExponential(gamma=1.0)(4.0) == np.exp(-2.0))
    True
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.gamma <= 2:
            raise ValueError(f"gamma must be greater than 0 and at most 2, got {self.gamma}")

    def __call__(self, d: NDArray) -> NDArray:
        """f(d) = exp(-d^(γ/2))."""
        return np.exp(-np.power(d, self.gamma / 2))

    def inverse(self, k: NDArray) -> NDArray:
        """f⁻¹(k) = (-ln k)^(2/γ), for similarities 0 < k <= 1."""
        return np.power(-np.log(k), 2 / self.gamma)


@dataclass(frozen=True)
class Matern:
    """Matérn kernel.

    It is a function of the squared distance, as the others are; Sec. 2.3 writes the case ν = 3/2
    as one of the distance.

    Parameters
    ----------
    nu : float, default=1.5
        Smoothness, 0 < ν <= 50: 1/2 is the Ornstein-Uhlenbeck kernel, and the limit of large ν the
        squared exponential one. 1/2, 3/2 and 5/2 take closed forms, others the Bessel function,
        which overflows at short distances for ν above 50. The inverse is a closed form for 1/2,
        found by Newton steps for 3/2 and 5/2, and interpolated for others.

    Raises
    ------
    ValueError
        If ν is out of range.

    Examples
    --------
    >>> bool(np.isclose(Matern(nu=1.5)(3.0), (1 + 3) * np.exp(-3.0)))
    True
    >>> bool(np.isclose(Matern(nu=1.5).inverse((1 + 3) * np.exp(-3.0)), 3.0))
    True
    """

    nu: float = 1.5

    def __post_init__(self) -> None:
        if not 0 < self.nu <= 50:
            raise ValueError(f"nu must be greater than 0 and at most 50, got {self.nu}")

    def __call__(self, d: NDArray) -> NDArray:
        """f(d) = 2^(1-ν)/Γ(ν) r^ν K_ν(r) with r = √(2νd)."""
        r = np.sqrt(np.multiply(d, 2 * self.nu))
        if self.nu == 0.5:
            return np.exp(-r)
        if self.nu == 1.5:
            return (1 + r) * np.exp(-r)
        if self.nu == 2.5:
            return (1 + r + r**2 / 3) * np.exp(-r)
        return _bessel_matern(self.nu, r)

    def inverse(self, k: NDArray) -> NDArray:
        """f⁻¹(k), for similarities 1e-200 <= k <= 1."""
        fall = -np.log(k)
        if self.nu == 0.5:
            r = fall
        elif self.nu == 1.5:
            r = _newton_3_2(fall)
        elif self.nu == 2.5:
            r = _newton_5_2(fall)
        else:
            r = _interpolate(self.nu, fall)
        return np.square(r) / (2 * self.nu)


def _bessel_matern(nu: float, r: NDArray) -> NDArray:
    """2 (r/2)^ν K_ν(r) / Γ(ν); 1 where a factor leaves the range of floats.

    That happens at short distances only, where f is 1 to within 1e-11.
    """
    r = np.minimum(r, 1e4)  # where f is 0 and no factor overflows
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        power, bessel = np.power(r / 2, nu), kve(nu, r)
        f = power * bessel * (2 / gamma(nu)) * np.exp(-r)
    usable = (power > np.finfo(float).tiny) & np.isfinite(bessel)
    return np.where(usable, np.minimum(f, 1.0), 1.0)


def _newton_3_2(fall: NDArray) -> NDArray:
    """Solve r − ln(1 + r) = fall.

    The left side is convex and rises from 0. The start is above the root, since
    exp(s) >= 1 + s + s²/2 with s = √(2 fall), so every step falls towards it.
    """
    r = fall + np.sqrt(2 * fall)
    for _ in range(NEWTON_STEPS):
        excess = r - np.log1p(r) - fall
        step = np.divide(excess * (1 + r), r, out=np.zeros_like(r), where=r > 0)
        r = r - step
        if np.all(np.abs(step) <= 1e-12 * r):
            break
    return r


def _newton_5_2(fall: NDArray) -> NDArray:
    """Solve r − ln(1 + r + r²/3) = fall, as :func:`_newton_3_2`, with s = √(6 fall)."""
    r = fall + np.sqrt(6 * fall)
    for _ in range(NEWTON_STEPS):
        growth = r + r * r / 3
        excess = r - np.log1p(growth) - fall
        step = np.divide(3 * excess * (1 + growth), r * (1 + r), out=np.zeros_like(r), where=r > 0)
        r = r - step
        if np.all(np.abs(step) <= 1e-12 * r):
            break
    return r


def _interpolate(nu: float, fall: NDArray) -> NDArray:
    """Solve −ln f = fall from a table of ln r against ln fall, straight before its first knot."""
    spline, first, slope = _inverse_table(nu)
    with np.errstate(divide="ignore"):
        log_fall = np.log(fall)
    return np.exp(spline(np.maximum(log_fall, first)) + slope * np.minimum(log_fall - first, 0.0))


@lru_cache(maxsize=8)
def _inverse_table(nu: float) -> tuple[Callable[[NDArray], NDArray], float, float]:
    """Cubic Hermite spline of ln r against ln(−ln f), its first knot, and the slope there.

    The slopes are exact: −d ln f/dr = K_{ν−1}(r) / K_ν(r).
    """
    from scipy.interpolate import CubicHermiteSpline

    r = np.geomspace(1e-12, 700.0, N_KNOTS)
    fall = -np.log(np.maximum(_bessel_matern(nu, r), np.finfo(float).tiny))
    r, fall = r[fall > 1e-9], fall[fall > 1e-9]
    slopes = fall * kve(nu, r) / (r * kve(nu - 1, r))
    x = np.log(fall)
    return CubicHermiteSpline(x, np.log(r), slopes), float(x[0]), float(slopes[0])


KERNELS: dict[str, Callable[[], Kernel]] = {
    "squared_exponential": SquaredExponential,
    "rational_quadratic": RationalQuadratic,
    "gamma_exponential": GammaExponential,
    "matern": Matern,
}
