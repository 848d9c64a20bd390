"""Stationary covariance functions of the squared scaled distance, and their inverses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SquaredExponential:
    """Squared exponential kernel, unit variance (IKD paper, Table 1, first row).

    Both directions are elementwise in the squared distance ``d`` divided by the squared
    length scale.

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
