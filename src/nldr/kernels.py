"""Stationary covariance functions of the squared scaled distance, and their inverses.

All kernels have unit variance. They act elementwise on the squared distance ``d`` divided by the
squared length scale. Source: Li & Wu, Inverse Kernel Decomposition, Table 1.

Rounding limits the accuracy of the inverse near a similarity of 1: f⁻¹(f(d)) differs from d by
about ε f(d) / abs(f'(d)), with ε = 1.1e-16. Relative to d, this is 2e-10 at d = 1e-6 for the
squared exponential kernel and less for the other kernels and for larger d. The relative error of
the inverses is below 1e-8 for d ≥ 1e-6, except for Matérn kernels with ν > 12: the relative error
of their Bessel function is about ν ε, which leads to an error of 1e-7 at ν = 50.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import gamma, kve

MAX_NEWTON_STEPS = 50  # about six are needed; the bound stops the loop on NaN
N_KNOTS = 4096  # of the spline that interpolates the inverse of the general Matérn kernel


class Kernel(Protocol):
    """Protocol of a stationary covariance function f and its inverse.

    f has unit variance: it is 1 at d = 0 and decreases strictly.
    """

    def __call__(self, d: NDArray) -> NDArray:
        """Return the similarity f(d) at the squared scaled distance d."""

    def inverse(self, k: NDArray) -> NDArray:
        """Return the squared scaled distance f⁻¹(k) at the similarity k."""


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
        """Return f(d) = exp(-d/2)."""
        return np.exp(np.multiply(d, -0.5))

    def inverse(self, k: NDArray) -> NDArray:
        """Return f⁻¹(k) = -2 ln k, for similarities 0 < k <= 1."""
        return np.multiply(np.log(k), -2.0)


@dataclass(frozen=True)
class RationalQuadratic:
    """Rational quadratic kernel: a mixture of squared exponential kernels over length scales.

    Parameters
    ----------
    alpha : float, default=1.0
        Decay α > 0. The kernel tends to the squared exponential kernel as α grows.

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
        """Return f(d) = (1 + d/2α)^(-α)."""
        # log1p keeps the digits of small distances.
        return np.exp(-self.alpha * np.log1p(np.divide(d, 2 * self.alpha)))

    def inverse(self, k: NDArray) -> NDArray:
        """Return f⁻¹(k) = 2α (k^(-1/α) - 1), for similarities 0 < k <= 1."""
        # expm1 keeps the digits of similarities near 1.
        return 2 * self.alpha * np.expm1(np.divide(np.log(k), -self.alpha))


@dataclass(frozen=True)
class GammaExponential:
    """γ-exponential kernel, the exponential of the negative distance to the power γ.

    Table 1 prints the reciprocals of the exponents of f and f⁻¹ (2/γ instead of γ/2); that kernel
    would not be positive definite for γ < 2. With γ = 1 this is the Ornstein-Uhlenbeck kernel.

    Parameters
    ----------
    gamma : float, default=1.0
        Exponent of the distance, 0 < γ <= 2. For γ > 2 the kernel is not positive definite.

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
        """Return f(d) = exp(-d^(γ/2))."""
        return np.exp(-np.power(d, self.gamma / 2))

    def inverse(self, k: NDArray) -> NDArray:
        """Return f⁻¹(k) = (-ln k)^(2/γ), for similarities 0 < k <= 1."""
        return np.power(-np.log(k), 2 / self.gamma)


@dataclass(frozen=True)
class Matern:
    """Matérn kernel.

    Like the other kernels it is a function of the squared distance; Sec. 2.3 writes the case
    ν = 3/2 as a function of the distance.

    Parameters
    ----------
    nu : float, default=1.5
        Smoothness, 0 < ν <= 50. ν = 1/2 gives the Ornstein-Uhlenbeck kernel, and the limit of
        large ν is the squared exponential kernel. The kernel has a closed form for 1/2, 3/2 and
        5/2; other values use the Bessel function, which overflows at short distances for ν > 50.
        The inverse has a closed form for 1/2, is found by Newton's method for 3/2 and 5/2, and
        is interpolated otherwise.

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
        """Return f(d) = 2^(1-ν)/Γ(ν) r^ν K_ν(r) with r = √(2νd)."""
        r = np.sqrt(np.multiply(d, 2 * self.nu))
        # Closed forms for half-integers
        if self.nu == 0.5:
            return np.exp(-r)
        if self.nu == 1.5:
            return (1 + r) * np.exp(-r)
        if self.nu == 2.5:
            return (1 + r + r**2 / 3) * np.exp(-r)
        return _bessel_matern(self.nu, r)

    def inverse(self, k: NDArray) -> NDArray:
        """Return f⁻¹(k), for similarities 1e-200 <= k <= 1."""
        # Solve −ln f(r) = −ln k for the scaled distance r = √(2νd).
        neg_log = -np.log(k)
        if self.nu == 0.5:
            r = neg_log
        elif self.nu == 1.5:
            r = _invert_matern_3_2(neg_log)
        elif self.nu == 2.5:
            r = _invert_matern_5_2(neg_log)
        else:
            r = _interpolate_inverse(self.nu, neg_log)
        return np.square(r) / (2 * self.nu)


def _bessel_matern(nu: float, r: NDArray) -> NDArray:
    """Return 2 (r/2)^ν K_ν(r) / Γ(ν), and 1 where a factor overflows or underflows.

    This happens only at short distances, where f is 1 to within 1e-11.
    """
    r = np.minimum(r, 1e4)  # f is 0 beyond this, and no factor overflows below it
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        power, bessel = np.power(r / 2, nu), kve(nu, r)  # kve is K_ν scaled by exp(r)
        f = power * bessel * (2 / gamma(nu)) * np.exp(-r)
    usable = (power > np.finfo(float).tiny) & np.isfinite(bessel)
    return np.where(usable, np.minimum(f, 1.0), 1.0)


def _invert_matern_3_2(neg_log: NDArray) -> NDArray:
    """Solve r − ln(1 + r) = neg_log for r.

    The left side is convex and increases from 0. The start is above the root, since
    exp(s) >= 1 + s + s²/2 with s = √(2 neg_log), so Newton's method decreases monotonically.
    """

    def newton_fraction(r: NDArray) -> tuple[NDArray, NDArray]:
        # The derivative of the left side is r / (1 + r).
        excess = r - np.log1p(r) - neg_log
        return excess * (1 + r), r

    return _newton(neg_log + np.sqrt(2 * neg_log), newton_fraction)


def _invert_matern_5_2(neg_log: NDArray) -> NDArray:
    """Solve r − ln(1 + r + r²/3) = neg_log as :func:`_invert_matern_3_2`, with s = √(6 neg_log)."""

    def newton_fraction(r: NDArray) -> tuple[NDArray, NDArray]:
        # The derivative of the left side is r (1 + r) / (3 (1 + r + r²/3)).
        polynomial = r + r * r / 3
        excess = r - np.log1p(polynomial) - neg_log
        return 3 * excess * (1 + polynomial), r * (1 + r)

    return _newton(neg_log + np.sqrt(6 * neg_log), newton_fraction)


def _newton(
    start: NDArray, newton_fraction: Callable[[NDArray], tuple[NDArray, NDArray]]
) -> NDArray:
    """Iterate Newton's method, whose step is given as numerator and denominator."""
    r = start
    for _ in range(MAX_NEWTON_STEPS):
        numerator, denominator = newton_fraction(r)
        # At r = 0 the derivative vanishes and r is the root.
        step = np.divide(numerator, denominator, out=np.zeros_like(r), where=r > 0)
        r = r - step
        if np.all(np.abs(step) <= 1e-12 * r):
            break
    return r


def _interpolate_inverse(nu: float, neg_log: NDArray) -> NDArray:
    """Solve −ln f(r) = neg_log for r by interpolating ln r as a function of ln(neg_log)."""
    spline, first, slope = _inverse_table(nu)
    with np.errstate(divide="ignore"):
        x = np.log(neg_log)
    # Linear extrapolation below the first knot
    return np.exp(spline(np.maximum(x, first)) + slope * np.minimum(x - first, 0.0))


@lru_cache(maxsize=8)
def _inverse_table(nu: float) -> tuple[Callable[[NDArray], NDArray], float, float]:
    """Return a cubic Hermite spline of ln r against ln(−ln f), its first knot, and the slope there.

    The slopes are exact: −d ln f/dr = K_{ν−1}(r) / K_ν(r).
    """
    from scipy.interpolate import CubicHermiteSpline

    # Tabulate −ln f(r), and drop the short distances at which rounding dominates it.
    r = np.geomspace(1e-12, 700.0, N_KNOTS)
    neg_log = -np.log(np.maximum(_bessel_matern(nu, r), np.finfo(float).tiny))
    r, neg_log = r[neg_log > 1e-9], neg_log[neg_log > 1e-9]
    slopes = neg_log * kve(nu, r) / (r * kve(nu - 1, r))
    x = np.log(neg_log)
    return CubicHermiteSpline(x, np.log(r), slopes), float(x[0]), float(slopes[0])


# Table 1 with the hyperparameters of the paper's Fig. 5
KERNELS: dict[str, Callable[[], Kernel]] = {
    "squared_exponential": SquaredExponential,
    "rational_quadratic": RationalQuadratic,
    "gamma_exponential": GammaExponential,
    "matern": Matern,
}
