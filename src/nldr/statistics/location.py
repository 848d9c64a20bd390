"""A mean with its uncertainty, and its tests against any bound."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

SMALLEST_T = 2  # values from which Student's t is used
SMALLEST_EXACT = 3  # equal values from which they are taken to be exact
SAME = 1e-12  # relative difference up to which values are equal


@dataclass(frozen=True)
class Location:
    """A mean with its uncertainty.

    Attributes
    ----------
    center : float
        The mean.
    error : float
        Its standard error: 0 if the values are exact, infinite if there are too few of them.
    freedom : float
        Degrees of freedom of the standard error.
    n : int
        Number of values.
    """

    center: float
    error: float
    freedom: float
    n: int

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.center - self._half()

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.center + self._half()

    @property
    def is_exact(self) -> bool:
        """True if the mean has no uncertainty."""
        return self.error == 0

    def p_above(self, bound: float = 0.0) -> float:
        """Return the one-sided p-value of the mean lying above a bound; NaN if it is unknown."""
        return self._p_value(self.center - bound)

    def p_below(self, bound: float = 0.0) -> float:
        """Return the one-sided p-value of the mean lying below a bound; NaN if it is unknown."""
        return self._p_value(bound - self.center)

    def p_value(self, bound: float = 0.0) -> float:
        """Return the two-sided p-value."""
        return float(np.minimum(1.0, 2 * np.fmin(self.p_above(bound), self.p_below(bound))))

    def _half(self) -> float:
        from scipy.special import stdtrit

        return (
            self.error * float(stdtrit(self.freedom, 0.975)) if 0 < self.error < inf else self.error
        )

    def _p_value(self, distance: float) -> float:
        from scipy.special import stdtr

        if not isfinite(self.error) or not self.n:
            return nan
        if self.is_exact:
            return float(distance <= SAME * max(1.0, abs(self.center)))
        return float(stdtr(self.freedom, -distance / self.error))


UNKNOWN = Location(nan, inf, 1.0, 0)


def locate(values: ArrayLike, exact: bool = False, sd: float | None = None) -> Location:
    """Return the mean of some values with its uncertainty.

    Parameters
    ----------
    values : array_like of shape (n,)
        One value per trial, such as differences between two methods.
    exact : bool, default=False
        Whether the values have no randomness, so that one is enough. Three or more equal values
        are always exact.
    sd : float, optional
        Standard deviation of a value, used in place of theirs if there are fewer than 3.

    Returns
    -------
    Location
        The mean; its tests are Student's, or normal if ``sd`` is used.

    Raises
    ------
    ValueError
        If a value is not finite.

    Examples
    --------
    >>> mean = locate([0.9, 1.1, 1.0, 1.2])
    >>> [round(x, 3) for x in (mean.center, mean.low, mean.high)], round(mean.p_value(), 4)
    ([1.05, 0.845, 1.255], 0.0005)
    >>> locate([0.5, 0.5, 0.5]).p_above(0.4), locate([0.5]).p_above(0.4)
    (0.0, nan)
    """
    x = np.asarray(values, dtype=float)
    if x.ndim != 1 or not np.isfinite(x).all():
        raise ValueError(f"values of shape {x.shape}: give one finite number per trial")
    n = len(x)
    if not n:
        return UNKNOWN
    center = float(x.mean())
    same = np.ptp(x) <= SAME * max(1.0, float(np.abs(x).max()))
    if exact or (same and n >= SMALLEST_EXACT):
        return Location(center, 0.0, inf, n)
    if sd is not None and n < SMALLEST_EXACT:
        return Location(center, sd / sqrt(n), inf, n)
    if same or n < SMALLEST_T:
        return Location(center, inf, inf, n)
    return Location(center, float(x.std(ddof=1)) / sqrt(n), n - 1, n)
