"""Logarithmic derivatives of stationary covariance functions."""

from __future__ import annotations

from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from nldr import kernels

Values = float | NDArray

TINY = 1e-300  # squared distance that replaces 0 in logarithms


@singledispatch
def log_slopes(shape: kernels.Kernel, d: NDArray) -> tuple[Values, NDArray | None]:
    """Return the derivatives of ln f with respect to `d` and to ln α or ln γ.

    `d` are squared scaled distances. The first is returned as 0 where it is infinite at d = 0,
    because the contributions of two coincident points to the gradient cancel; the second is None if
    f has neither α nor γ. A ValueError is raised for a function without derivatives.

    Examples
    --------
    >>> log_slopes(kernels.SquaredExponential(), np.ones(1))
    (-0.5, None)
    """
    raise ValueError(f"the gradient of kernel {shape!r} is not known: use a kernel of nldr.kernels")


@log_slopes.register
def _(shape: kernels.SquaredExponential, d: NDArray) -> tuple[Values, NDArray | None]:
    # ln f = −d/2
    return -0.5, None


@log_slopes.register
def _(shape: kernels.RationalQuadratic, d: NDArray) -> tuple[Values, NDArray | None]:
    # ln f = −α ln(1 + d/2α)
    ratio = d / (2 * shape.alpha)
    by_distance = -0.5 / (1 + ratio)
    return by_distance, -shape.alpha * (2 * ratio * by_distance + np.log1p(ratio))


@log_slopes.register
def _(shape: kernels.GammaExponential, d: NDArray) -> tuple[Values, NDArray | None]:
    # ln f = −d^(γ/2)
    logs = np.log(np.maximum(d, TINY))
    power = -shape.gamma / 2 * np.exp(shape.gamma / 2 * logs)
    return np.divide(power, d, out=np.zeros_like(d), where=d > 0), power * logs


@log_slopes.register
def _(shape: kernels.Matern, d: NDArray) -> tuple[Values, NDArray | None]:
    r = np.sqrt(d)
    r *= np.sqrt(2 * shape.nu)
    if shape.nu == 0.5:  # ln f = −r
        return np.divide(-0.5, r, out=np.zeros_like(d), where=d > 0), None
    if shape.nu == 1.5:  # ln f = ln(1 + r) − r
        return -1.5 / (1 + r), None
    if shape.nu == 2.5:  # ln f = ln(1 + r + r²/3) − r
        return -5 / 6 * (1 + r) / (1 + r + r * r / 3), None
    raise ValueError(f"nu must be 0.5, 1.5 or 2.5 to have a known gradient, got {shape.nu}")
