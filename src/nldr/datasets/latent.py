"""Data sets of known latent: a random walk in few dimensions, mapped to many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky
from scipy.signal import lfilter
from scipy.spatial.distance import cdist

from nldr.dataset import DataSet
from nldr.datasets._synthetic import check_positive, observe
from nldr.kernels import SquaredExponential

VARIANCE = 6.0
CORRELATION_TIME = 5.0  # in samples
BOUND = 6.0
JITTER = 1e-8


def ar_latent(n_samples: int, n_latent: int, rng: np.random.Generator) -> NDArray:
    """Draw independent latent series of covariance 6 exp(-|i-j|/5), clipped to [-6, 6].

    The covariance is that of a stationary first-order autoregression, which is how the series are
    drawn, in linear time. The equation has no clipping; the authors' released experiments have.

    Parameters
    ----------
    n_samples : int
        Length of the series.
    n_latent : int
        Number of series.
    rng : numpy.random.Generator
        Source of randomness. The first series do not depend on how many follow.

    Returns
    -------
    ndarray of shape (n_samples, n_latent)
        One series a column.

    Raises
    ------
    ValueError
        If a size is not positive.

    References
    ----------
    Li & Wu, Inverse Kernel Decomposition, Eq. 10.

    Examples
    --------
    >>> ar_latent(100, 3, np.random.default_rng(0)).shape
    (100, 3)
    """
    check_positive(n_samples=n_samples, n_latent=n_latent)
    decay = np.exp(-1 / CORRELATION_TIME)
    innovations = rng.standard_normal((n_latent, n_samples))
    innovations[:, 1:] *= np.sqrt(1 - decay**2)
    series = np.sqrt(VARIANCE) * lfilter([1.0], [1.0, -decay], innovations)
    return np.clip(series.T, -BOUND, BOUND)


def gp(
    *,
    n_samples: int,
    n_features: int,
    n_latent: int,
    length_scale: float,
    noise: float,
    rng: np.random.Generator,
) -> DataSet:
    """Map an autoregressive latent by independent Gaussian processes, one a feature.

    The processes have the squared exponential kernel of unit variance. Its matrix is numerically
    singular, so 1e-8 is added to its diagonal before it is factorised: the clean observations
    carry white noise of standard deviation 1e-4.

    For one state of ``rng``, the latent and the first features are the same however many features
    there are (up to rounding).

    Parameters
    ----------
    n_samples : int
        Number of points T.
    n_features : int
        Dimension of the observations N.
    n_latent : int
        Dimension of the latent M, see :func:`ar_latent`.
    length_scale : float
        Length scale l of the kernel, in units of the latent.
    noise : float
        Standard deviation of the Gaussian noise on the observations (Eq. 11).
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    DataSet
        ``X``, the latent ``Z``, and ``clean`` if there is noise.

    Raises
    ------
    ValueError
        If a size or the length scale is not positive, or the noise is negative.

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
    check_positive(n_features=n_features, length_scale=length_scale)
    noise_rng = rng.spawn(1)[0]
    Z = ar_latent(n_samples, n_latent, rng)
    scaled = Z / length_scale
    K = SquaredExponential()(cdist(scaled, scaled, "sqeuclidean"))
    K[np.diag_indices(n_samples)] += JITTER
    factor = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
    clean = factor @ rng.standard_normal((n_features, n_samples)).T
    return observe(clean, noise, noise_rng, Z=Z)
