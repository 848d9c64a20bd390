"""Stationary covariance functions of the squared scaled distance, and their inverses.

All have unit variance and take, elementwise, the squared distance ``d`` divided by the squared
length scale. Source: Li & Wu, Inverse Kernel Decomposition, Table 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, kve

Kernel = Callable[[NDArray], NDArray]


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
        which overflows at short distances for ν above 50.

    Raises
    ------
    ValueError
        If ν is out of range.

    Examples
    --------
    >>> bool(np.isclose(Matern(nu=1.5)(3.0), (1 + 3) * np.exp(-3.0)))
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
        # The logarithm keeps the product from overflow and underflow. Where K_ν itself overflows,
        # at 0 and near it, f is 1 to within 1e-11.
        with np.errstate(divide="ignore", invalid="ignore"):
            log_bessel = np.log(kve(self.nu, r)) - r
            log_f = (1 - self.nu) * np.log(2) - gammaln(self.nu) + self.nu * np.log(r) + log_bessel
        return np.where(np.isposinf(log_bessel), 1.0, np.exp(np.minimum(log_f, 0.0)))


KERNELS: dict[str, Callable[[], Kernel]] = {
    "squared_exponential": SquaredExponential,
    "rational_quadratic": RationalQuadratic,
    "gamma_exponential": GammaExponential,
    "matern": Matern,
}
