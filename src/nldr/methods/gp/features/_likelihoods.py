"""Likelihoods of counts and of bits, given the value of a Gaussian process."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln

N_NODES = 20  # of the Gauss-Hermite rule
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(N_NODES)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
MAX_LOG_RATE = 50.0  # of a Poisson distribution, so that its rate stays finite


class Likelihood(Protocol):
    """Distribution p(y|f) of an observation, log-concave in the latent value f.

    The arrays of latent values and of observations have the same shape.
    """

    def check(self, data: NDArray) -> None:
        """Raise a ValueError if an observation is impossible; NaN entries are missing."""

    def stabilized(self, data: NDArray) -> NDArray:
        """Return observations whose variance depends little on their mean."""

    def offset(self, totals: NDArray, counts: NDArray) -> NDArray:
        """Return the latent value of each feature from its total over some rows."""

    def log_base(self, y: NDArray) -> NDArray:
        """Return the part of log p(y|f) that does not depend on f."""

    def log_density(self, f: NDArray, y: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return the rest of log p(y|f), and its first and negative second derivative."""

    def expected(
        self, means: NDArray, variances: NDArray, y: NDArray
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Return the expectations of these three over normal f."""

    def moments(self, means: NDArray, variances: NDArray) -> tuple[NDArray, NDArray]:
        """Return mean and variance of an observation over normal f."""

    def draw(self, f: NDArray, rng: np.random.RandomState) -> NDArray:
        """Return random observations."""


class Poisson:
    """Counts with log rate f.

    Values that are not integers are allowed, as in a Poisson regression.

    Examples
    --------
    >>> value, slope, curvature = Poisson().log_density(np.zeros(1), np.array([3.0]))
    >>> value.tolist(), slope.tolist(), curvature.tolist()
    ([-1.0], [2.0], [1.0])
    >>> Poisson().log_base(np.array([3.0])).round(3).tolist()
    [-1.792]
    """

    def check(self, data: NDArray) -> None:
        """Raise a ValueError if a count is negative."""
        if np.nanmin(data) < 0:
            raise ValueError(
                "Negative values in data passed to DiscreteGPLVM: counts must be at least 0"
            )

    def stabilized(self, data: NDArray) -> NDArray:
        """Return Anscombe's transform, 2 √(y + 3/8), of unit variance for large rates."""
        return 2 * np.sqrt(data + 0.375)

    def offset(self, totals: NDArray, counts: NDArray) -> NDArray:
        """Return the log of the mean count, of one half in total if there is none."""
        rates: NDArray = np.log(np.maximum(totals, 0.5) / counts)
        return rates

    def log_base(self, y: NDArray) -> NDArray:
        """Return −log y!."""
        constants: NDArray = -gammaln(y + 1)
        return constants

    def log_density(self, f: NDArray, y: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return y f − eᶠ and its derivatives."""
        rate = np.exp(np.minimum(f, MAX_LOG_RATE))
        return y * f - rate, y - rate, rate

    def expected(
        self, means: NDArray, variances: NDArray, y: NDArray
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Return the expectations in closed form: E[eᶠ] = exp(μ + v/2)."""
        rate = np.exp(np.minimum(means + variances / 2, MAX_LOG_RATE))
        return y * means - rate, y - rate, rate

    def moments(self, means: NDArray, variances: NDArray) -> tuple[NDArray, NDArray]:
        """Return the moments of a Poisson distribution with a lognormal rate."""
        rate = np.exp(np.minimum(means + variances / 2, MAX_LOG_RATE))
        return rate, rate + np.square(rate) * np.expm1(np.minimum(variances, MAX_LOG_RATE))

    def draw(self, f: NDArray, rng: np.random.RandomState) -> NDArray:
        """Return random counts."""
        # Larger rates than this are not supported
        return rng.poisson(np.exp(np.minimum(f, 40.0))).astype(float)


class Bernoulli:
    """Bits with log odds f.

    Values between 0 and 1 are allowed: their log density is the negative cross entropy.

    Examples
    --------
    >>> value, slope, curvature = Bernoulli().log_density(np.zeros(1), np.array([1.0]))
    >>> value.round(3).tolist(), slope.tolist(), curvature.tolist()
    ([-0.693], [0.5], [0.25])
    """

    def check(self, data: NDArray) -> None:
        """Raise a ValueError if a value is not between 0 and 1."""
        if np.nanmin(data) < 0 or np.nanmax(data) > 1:
            raise ValueError("likelihood='bernoulli' needs values between 0 and 1: rescale X")

    def stabilized(self, data: NDArray) -> NDArray:
        """Return the bits themselves."""
        return data

    def offset(self, totals: NDArray, counts: NDArray) -> NDArray:
        """Return the log odds of the share of ones, with half a row more of either value."""
        odds: NDArray = np.log((totals + 0.5) / (counts - totals + 0.5))
        return odds

    def log_base(self, y: NDArray) -> NDArray:
        """Return zeros."""
        return np.zeros_like(y)

    def log_density(self, f: NDArray, y: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Return y f − log(1 + eᶠ) and its derivatives."""
        p = expit(f)
        return y * f - np.logaddexp(0.0, f), y - p, p * (1 - p)

    def expected(
        self, means: NDArray, variances: NDArray, y: NDArray
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Return the expectations by Gauss-Hermite quadrature."""
        softplus, p, curvature = (np.zeros_like(means) for _ in range(3))
        deviations = np.sqrt(variances)
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            f = means + node * deviations
            # log(1 + eᶠ) = max(f, 0) + log(1 + e^−|f|), and the sigmoid, from one exponential
            small = np.exp(-np.abs(f))
            shared = 1 / (1 + small)
            softplus += weight * (np.maximum(f, 0.0) - np.log(shared))
            p += weight * np.where(f > 0, shared, small * shared)
            curvature += weight * small * shared**2
        return y * means - softplus, y - p, curvature

    def moments(self, means: NDArray, variances: NDArray) -> tuple[NDArray, NDArray]:
        """Return the probability of a one, by quadrature, and the variance of a bit."""
        p = -self.expected(means, variances, np.zeros_like(means))[1]
        return p, p * (1 - p)

    def draw(self, f: NDArray, rng: np.random.RandomState) -> NDArray:
        """Return random bits."""
        return (rng.random_sample(f.shape) < expit(f)).astype(float)


LIKELIHOODS: dict[str, type[Poisson] | type[Bernoulli]] = {
    "bernoulli": Bernoulli,
    "poisson": Poisson,
}


def marginal(
    likelihood: Likelihood, means: NDArray, variances: NDArray, y: NDArray
) -> tuple[NDArray, NDArray, NDArray]:
    """Return log ∫ p(y|f) N(f|μ, v) df, by adaptive Gauss-Hermite quadrature, and its derivatives.

    The nodes lie around the mode of the integrand, in units of its curvature there. All arrays have
    one shape.

    Examples
    --------
    The probability of a one is ½ if the log odds have mean 0:

    >>> value, slope, _ = marginal(Bernoulli(), np.zeros(1), np.ones(1), np.ones(1))
    >>> np.exp(value).round(9).tolist(), slope.round(2).tolist()
    ([0.5], [0.41])
    """
    # Mode of log p(y|f) − (f − μ)²/2v: Newton's method in z = (f − μ)/√v, steps of at most 2
    deviations = np.sqrt(variances)
    z = np.zeros_like(means)
    for _ in range(12):
        _, slope, curvature = likelihood.log_density(means + deviations * z, y)
        step = (deviations * slope - z) / (1 + variances * curvature)
        z = z + np.clip(step, -2.0, 2.0)
        if np.abs(step).max(initial=0.0) < 1e-4:
            break
    curvature = likelihood.log_density(means + deviations * z, y)[2]
    width = 1 / np.sqrt(1 + variances * curvature)
    # Σ_k w_k exp(x_k²/2) p(y|f_k) N(z_k|0, 1), of which the largest summand is factored out
    logs, slopes, bends = [], [], []
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        at = z + width * node
        value, slope, curvature = likelihood.log_density(means + deviations * at, y)
        logs.append(value + np.log(weight) + 0.5 * (node**2 - np.square(at)))
        slopes.append(slope)
        bends.append(np.square(slope) - curvature)
    top = np.max(logs, axis=0)
    weights = np.exp(np.array(logs) - top)
    total = weights.sum(axis=0)
    by_means = np.einsum("k...,k...->...", weights, slopes) / total
    by_variances = 0.5 * np.einsum("k...,k...->...", weights, bends) / total
    return top + np.log(total * width) + likelihood.log_base(y), by_means, by_variances
