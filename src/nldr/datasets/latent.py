"""Autoregressive latent series, mapped to many features in three ways."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky
from scipy.signal import lfilter
from scipy.spatial.distance import cdist

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice, check_positive, observe
from nldr.kernels import Kernel, SquaredExponential

VARIANCE = 6.0  # of the latent, Eq. 10
CORRELATION_TIME = 5.0  # of the latent, in samples, Eq. 10
BOUND = 6.0  # the latent is clipped to [-BOUND, BOUND]
JITTER = 1e-8  # added to the diagonal of kernel matrices
BUMP_HEIGHT = 20.0  # Eq. 13
CENTERS_PER_AXIS = 100  # of the grid of bump centers


def ar_latent(n_samples: int, n_latent: int, rng: np.random.Generator) -> NDArray:
    """Draw independent latent series with covariance 6 exp(-abs(i - j) / 5), clipped to [-6, 6].

    The series are the columns; the first ones do not depend on their number. The covariance is that
    of a stationary first-order autoregression, so they are drawn in linear time. The clipping is
    that of the released experiments.

    References
    ----------
    Li & Wu, Inverse Kernel Decomposition, Eq. 10.

    Examples
    --------
    >>> ar_latent(100, 3, np.random.default_rng(0)).shape
    (100, 3)
    """
    check_positive(n_samples=n_samples, n_latent=n_latent)
    # AR(1): s_i = decay s_{i-1} + sqrt(1 - decay²) ε_i, started at its stationary distribution
    decay = np.exp(-1 / CORRELATION_TIME)
    innovations = rng.standard_normal((n_latent, n_samples))
    innovations[:, 1:] *= np.sqrt(1 - decay**2)
    series = np.sqrt(VARIANCE) * lfilter([1.0], [1.0, -decay], innovations)
    return np.clip(series.T, -BOUND, BOUND)


def map_by_gp(
    Z: NDArray,
    kernel: Kernel,
    length_scale: float,
    n_features: int,
    noise: float,
    rng: np.random.Generator,
) -> Dataset:
    """Observe a latent through independent Gaussian processes, one per feature.

    1e-8 is added to the diagonal of the kernel's matrix before the Cholesky factorization, so that
    the clean observations contain white noise with standard deviation 1e-4.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_latent)
        Latent coordinates.
    kernel : callable
        Covariance of a feature at two points, as a function of their squared distance divided by
        ``length_scale**2``; see :mod:`nldr.kernels`.
    length_scale : float
        Length scale l, in the units of the latent.
    n_features : int
        Number of features N, one process each.
    noise : float
        Standard deviation of the Gaussian noise on the observations (Eq. 11).
    rng : numpy.random.Generator
        Source of randomness. The first features do not depend on how many follow, up to rounding.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features), ``Z``, and ``clean`` if there is noise.

    References
    ----------
    Li & Wu, Inverse Kernel Decomposition, Eqs. 1 and 11.

    Examples
    --------
    >>> Z = np.linspace(0, 1, 30)[:, None]
    >>> map_by_gp(Z, SquaredExponential(), 0.2, 5, 0.0, np.random.default_rng(0)).X.shape
    (30, 5)
    """
    check_positive(n_features=n_features, length_scale=length_scale)
    noise_rng = rng.spawn(1)[0]  # separate, so that the clean part does not depend on the noise
    scaled = Z / length_scale
    K = kernel(cdist(scaled, scaled, "sqeuclidean"))
    K[np.diag_indices_from(K)] += JITTER
    # Samples of the processes: Cholesky factor times white noise, drawn feature by feature
    factor = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
    clean = factor @ rng.standard_normal((n_features, len(Z))).T
    return observe(clean, noise, noise_rng, Z=Z)


def gp(
    *,
    n_samples: int,
    n_features: int,
    n_latent: int,
    length_scale: float,
    noise: float,
    rng: np.random.Generator,
) -> Dataset:
    """Map an autoregressive latent through independent Gaussian processes, one per feature.

    The processes have a squared exponential kernel with unit variance, see :func:`map_by_gp`. For
    the same state of ``rng``, the latent and the first features do not depend on the number of
    features, up to rounding.

    Parameters
    ----------
    n_samples, n_features, n_latent : int
        Numbers of points T, features N and latent series M, see :func:`ar_latent`.
    length_scale : float
        Length scale l of the kernel, in the units of the latent.
    noise : float
        Standard deviation of the Gaussian noise on the observations (Eq. 11).

    Returns
    -------
    Dataset
        ``X``, the latent ``Z``, and ``clean`` if there is noise.

    References
    ----------
    Li & Wu, Inverse Kernel Decomposition, Eqs. 1, 10 and 11.

    Examples
    --------
    >>> data = gp(n_samples=50, n_features=8, n_latent=2, length_scale=3.0, noise=0.05,
    ...           rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((50, 8), (50, 2))
    """
    Z = ar_latent(n_samples, n_latent, rng)
    return map_by_gp(Z, SquaredExponential(), length_scale, n_features, noise, rng)


def sinusoid(
    *, n_samples: int, n_features: int, n_latent: int, noise: float, rng: np.random.Generator
) -> Dataset:
    r"""Map an autoregressive latent through sinusoids with random frequencies and phases.

    .. math:: x_{tn} = \sin(\omega_n \cdot z_t + \varphi_n) + \varepsilon_{tn}, \qquad
        \omega_{nm} \sim U(-1, 1), \quad \varphi_n \sim U(-\pi, \pi).

    For the same state of ``rng``, the latent and the first features do not depend on the number of
    features, up to rounding.

    Parameters
    ----------
    n_samples, n_features, n_latent : int
        Numbers of points T, features N and latent series M, see :func:`ar_latent`.
    noise : float
        Standard deviation of the Gaussian noise on the observations.

    Returns
    -------
    Dataset
        ``X``, the latent ``Z``, and ``clean`` if there is noise.

    References
    ----------
    Li & Wu, Inverse Kernel Decomposition, Eqs. 10 and 12.

    Examples
    --------
    >>> data = sinusoid(n_samples=50, n_features=8, n_latent=1, noise=0.1,
    ...                 rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((50, 8), (50, 1))
    """
    check_positive(n_features=n_features)
    noise_rng = rng.spawn(1)[0]
    Z = ar_latent(n_samples, n_latent, rng)
    uniform = rng.uniform(-1, 1, (n_features, n_latent + 1))
    frequencies, phases = uniform[:, :-1], np.pi * uniform[:, -1]
    return observe(np.sin(Z @ frequencies.T + phases), noise, noise_rng, Z=Z)


def gaussian_bump(
    *, n_samples: int, n_features: int, norm: str, noise: float, rng: np.random.Generator
) -> Dataset:
    r"""Map an autoregressive latent in the plane through bumps with random centers.

    Feature n is :math:`20 \exp(-\|z_t - c_n\|_1)` or :math:`20 \exp(-\|z_t - c_n\|_2^2)`, plus
    noise. The second is the equation in the paper; the first is in the released experiments. The
    centers are drawn without replacement from a 100 × 100 grid over [-6, 6]², including the
    boundary. For the same state of ``rng``, the latent and the first features do not depend on the
    number of features.

    Parameters
    ----------
    n_samples : int
        Number of points T.
    n_features : int
        Number of features N, at most 10000, the number of centers.
    norm : {"l1", "l2"}
        ``"l1"``: sum of absolute differences; ``"l2"``: squared Euclidean norm.
    noise : float
        Standard deviation of the Gaussian noise on the observations; the bumps have height 20.

    Returns
    -------
    Dataset
        ``X``, the latent ``Z`` of shape (n_samples, 2), and ``clean`` if there is noise.

    References
    ----------
    Li & Wu, Inverse Kernel Decomposition, Eqs. 10 and 13.

    Examples
    --------
    >>> data = gaussian_bump(n_samples=50, n_features=8, norm="l1", noise=0.05,
    ...                      rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((50, 8), (50, 2))
    """
    check_positive(n_features=n_features)
    metric = check_choice("norm", norm, {"l1": "cityblock", "l2": "sqeuclidean"})
    n_centers = CENTERS_PER_AXIS**2
    if n_features > n_centers:
        raise ValueError(
            f"n_features must be at most {n_centers}, the number of centers, got {n_features}"
        )
    noise_rng = rng.spawn(1)[0]
    Z = ar_latent(n_samples, 2, rng)
    # Distinct random nodes of the grid as centers
    axis = np.linspace(-BOUND, BOUND, CENTERS_PER_AXIS)
    cells = np.divmod(rng.permutation(n_centers)[:n_features], CENTERS_PER_AXIS)
    clean = BUMP_HEIGHT * np.exp(-cdist(Z, axis[np.transpose(cells)], metric))
    return observe(clean, noise, noise_rng, Z=Z)
