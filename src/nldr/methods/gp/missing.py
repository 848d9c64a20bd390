"""Observations with missing entries: standardization, and a low-rank estimate to start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RANK = 10  # highest rank of the estimate of missing entries
ENTRIES = 5  # observed entries that each of its parameters needs
MAX_STEPS = 100
TOL = 1e-4  # relative change of the estimates below which their iteration stops


@dataclass(frozen=True)
class Observations:
    """Standardized observations.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_features)
        Observations minus `mean`, divided by `scale`; 0 where missing.
    is_observed : ndarray of bool, shape (n_samples, n_features)
        Whether an entry is observed.
    mean : ndarray of shape (n_features,)
        Mean of the observed entries of each feature.
    scale : float
        Root mean square of the centered observed entries, or 1 if that is 0.
    """

    values: NDArray
    is_observed: NDArray
    mean: NDArray
    scale: float

    @property
    def complete(self) -> bool:
        """True if no entry is missing."""
        return bool(self.is_observed.all())

    def filled(self) -> NDArray:
        """Return the observations in units of the data, with low-rank estimates if missing."""
        return self.mean + self.scale * low_rank(self.values, self.is_observed)


def observe(data: NDArray) -> Observations:
    """Standardize rows of data, of which NaN entries are missing.

    Raises
    ------
    ValueError
        If a row or a feature has no observed value.

    Examples
    --------
    >>> observed = observe(np.array([[1.0, np.nan], [3.0, 5.0]]))
    >>> observed.values.round(3).tolist(), round(observed.scale, 3)
    ([[-1.225, 0.0], [1.225, 0.0]], 0.816)
    """
    is_observed = ~np.isnan(data)
    for axis, name in enumerate(("feature", "row")):
        empty = np.flatnonzero(~is_observed.any(axis=axis))
        if len(empty):
            raise ValueError(
                f"{name} {empty[0]} of X has no observed value, as {len(empty)} in all: remove them"
            )
    mean = data.mean(axis=0) if is_observed.all() else np.nanmean(data, axis=0)
    centered = np.where(is_observed, data - mean, 0.0)
    scale = float(np.sqrt(np.square(centered).sum() / is_observed.sum())) or 1.0
    return Observations(centered / scale, is_observed, mean, scale)


def low_rank(values: NDArray, is_observed: NDArray) -> NDArray:
    """Fill missing entries by regularized iterative principal component analysis.

    `values` are centered, and 0 where missing.

    References
    ----------
    J. Josse and F. Husson, "Handling missing values in exploratory multivariate data analysis
    methods", Journal de la SFdS 153, 2012: Eq. 4, with the noise of all discarded components.

    Examples
    --------
    >>> exact = np.outer(np.linspace(-1, 1, 20), np.ones(30))
    >>> mask = np.random.default_rng(0).random((20, 30)) < 0.7
    >>> bool(np.abs(low_rank(exact * mask, mask) - exact).max() < 0.05)
    True
    """
    if is_observed.all():
        return values
    filled, wide = values, values.shape[1] > len(values)
    # The highest rank r that the entries determine: r (n + d − r) parameters
    ranks = np.arange(1, min(RANK, *values.shape) + 1)
    supported = ranks * (sum(values.shape) - ranks) <= is_observed.sum() / ENTRIES
    rank = int(max(supported.sum(), 1))
    for _ in range(MAX_STEPS):
        squares, vectors = np.linalg.eigh(filled @ filled.T if wide else filled.T @ filled)
        squares, vectors = np.maximum(squares[::-1], 0.0), vectors[:, ::-1][:, :rank]
        # Shrink each component by the noise that it contains
        noise = squares[rank:].sum() / max(len(squares) - rank, 1)
        shrink = np.maximum(1 - noise / np.maximum(squares[:rank], np.finfo(float).tiny), 0.0)
        weighted = vectors * shrink
        fitted = weighted @ (vectors.T @ filled) if wide else (filled @ weighted) @ vectors.T
        new = np.where(is_observed, values, fitted)
        change = np.linalg.norm(new - filled)
        filled = new
        if change <= TOL * np.linalg.norm(filled):
            break
    return filled
