"""Bayesian signed rank test of paired differences, and bootstrap samples of trials."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

SMALLEST_PAIRS = 6  # fewer pairs cannot reach p < 0.05 in a two-sided signed rank test


def signed_rank_posterior(
    difference: NDArray, rope: float, rng: np.random.Generator, n_samples: int = 20_000
) -> tuple[float, float, float]:
    """Return the posterior probabilities that the median difference is below, in or above a region.

    Bayesian signed rank test: a Dirichlet process with one half of a prior observation at zero;
    each sample of its weights w gives the mass of (z_i + z_j) / 2 in each of the three regions, and
    the largest mass wins the sample.

    Parameters
    ----------
    difference : ndarray of shape (n_pairs,)
        Differences of the scores.
    rope : float
        Half the width of the region of practical equivalence.
    rng : numpy.random.Generator
        Source of the weights.
    n_samples : int, default=20000
        Number of samples.

    Returns
    -------
    tuple of float
        Probabilities of negative, practically equal and positive; they sum to 1.

    References
    ----------
    A. Benavoli et al., A Bayesian Wilcoxon signed-rank test based on the Dirichlet process, ICML
    2014.

    Examples
    --------
    >>> left, none, right = signed_rank_posterior(np.ones(9), 0.1, np.random.default_rng(0))
    >>> round(left + none + right, 12), right > 0.99
    (1.0, True)
    """
    weights = rng.dirichlet(np.append(0.5, np.ones(len(difference))), n_samples)
    mass = signed_rank_masses(difference, rope, weights)
    best = mass.max(axis=1, keepdims=True)
    share = mass >= best - 1e-12
    wins = (share / share.sum(axis=1, keepdims=True)).mean(axis=0)
    return float(wins[0]), float(wins[1]), float(wins[2])


def signed_rank_masses(difference: NDArray, rope: float, weights: NDArray) -> NDArray:
    """Return the masses of the regions below, in and above a region of practical equivalence.

    Parameters
    ----------
    difference : ndarray of shape (n_pairs,)
        Differences of the scores.
    rope : float
        Half the width of the region.
    weights : ndarray of shape (n_samples, 1 + n_pairs)
        Weights of an observation at zero and of each difference.

    Returns
    -------
    ndarray of shape (n_samples, 3)
        Sums of the products of two weights over the pairs of differences whose mean is in each
        region.

    Examples
    --------
    >>> weights = np.array([[0.25, 0.25, 0.5]])
    >>> signed_rank_masses(np.array([1.0, -1.0]), 0.5, weights).tolist()
    [[0.25, 0.6875, 0.0625]]
    """
    z = np.append(0.0, np.asarray(difference, dtype=float))
    means = (z[:, np.newaxis] + z) / 2
    regions = np.stack([means < -rope, np.abs(means) <= rope, means > rope]).astype(float)
    return np.einsum("si,rij,sj->sr", weights, regions, weights, optimize=True)


def resample_means(values: ArrayLike, rng: np.random.Generator, n_samples: int = 2000) -> NDArray:
    """Return the means of bootstrap samples of the trials, the same trials for all columns.

    Parameters
    ----------
    values : array_like of shape (n_trials, n_columns)
        Numbers of each trial.
    rng : numpy.random.Generator
        Source of the samples.
    n_samples : int, default=2000
        Number of samples.

    Returns
    -------
    ndarray of shape (n_samples, n_columns)
        Mean of each column in each sample.

    Examples
    --------
    >>> means = resample_means([[0.0, 1.0], [1.0, 0.0]], np.random.default_rng(0), 100)
    >>> means.shape, bool(np.allclose(means.sum(axis=1), 1))
    ((100, 2), True)
    """
    table = np.asarray(values, dtype=float)
    n = len(table)
    return rng.multinomial(n, np.full(n, 1 / n), n_samples) @ table / n
