"""Exponent of a power law, such as the growth of a cost with the number of points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

CONFIDENCE = 0.95
FEWEST = 5  # different x for an interval; with fewer, it is too wide to be of use


@dataclass(frozen=True)
class PowerLaw:
    """Outcome of :func:`fit_power_law`: y = factor · x^exponent.

    Attributes
    ----------
    exponent, factor : float
        Estimates.
    low, high : float
        Ends of the 95 % interval of the exponent; NaN with fewer than five different x.
    start, end : float
        Smallest and largest x of the fit.
    """

    exponent: float
    factor: float
    low: float
    high: float
    start: float
    end: float

    def at(self, x: ArrayLike) -> np.ndarray:
        """Return y at these x."""
        return self.factor * np.asarray(x, dtype=float) ** self.exponent


def fit_power_law(x: ArrayLike, y: ArrayLike, start: float = 0.0) -> PowerLaw | None:
    """Fit a power law by least squares of the logarithms.

    Parameters
    ----------
    x, y : array-like of shape (n_points,)
        Points; those where one is missing or not positive are left out.
    start : float
        Smallest x of the fit. Below, costs that do not grow may dominate.

    Returns
    -------
    PowerLaw or None
        None with fewer than three different x, which leave no residual. The interval assumes
        independent normal errors of the logarithms; a curved relation widens it.

    Examples
    --------
    >>> law = fit_power_law([100, 200, 400], [1.0, 4.0, 16.0])
    >>> round(law.exponent, 6), round(float(law.at(800)), 6)
    (2.0, 64.0)
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    positive = (x > 0) & (y > 0) & (x >= start)
    x, y = x[positive], y[positive]
    n_sizes = len(np.unique(x))
    if n_sizes < 3:
        return None
    # Least squares of the logarithms; standard error of the slope from the residuals
    u, v = np.log(x), np.log(y)
    slope, intercept = np.polyfit(u, v, 1)
    residual = np.square(v - slope * u - intercept).sum() / (len(u) - 2)
    error = np.sqrt(residual / np.square(u - u.mean()).sum())
    quantile = stats.t.ppf((1 + CONFIDENCE) / 2, len(u) - 2)
    half = quantile * error if n_sizes >= FEWEST else np.nan
    return PowerLaw(
        exponent=float(slope),
        factor=float(np.exp(intercept)),
        low=float(slope - half),
        high=float(slope + half),
        start=float(x.min()),
        end=float(x.max()),
    )
