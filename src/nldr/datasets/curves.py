"""Three latent structures in space, observed through Gaussian processes of four kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice
from nldr.datasets.latent import map_by_gp
from nldr.kernels import KERNELS

N_SAMPLES = 100
JITTER_OF_HARD = 0.05


def latent_curve(
    *,
    curve: str,
    kernel: str,
    n_features: int,
    length_scale: float,
    noise: float,
    rng: np.random.Generator,
) -> Dataset:
    """Observe 100 points in space through Gaussian processes, one a feature.

    The points, in order, are those of one of three structures:

    - ``"hard"``: two coils of random wobble (standard deviation 0.1), one up and one down, passed
      in the order first half up, first half down, second half up, second half down;
    - ``"medium"``: a coil around a waist;
    - ``"easy"``: a wavy surface over a 10 × 10 grid, in random order.

    The processes have unit variance; the parameters of the kernels, α = 1, γ = 1 and ν = 3/2, are
    the defaults of :mod:`nldr.kernels`. The structures are those of the authors' released
    experiments, which keep one draw of wobble and order in all trials; here each trial has its
    own. As there, and for one state of ``rng``, the latent does not depend on kernel or features,
    and the first features are the same however many there are (up to rounding).

    Parameters
    ----------
    curve : {"easy", "medium", "hard"}
        The structure.
    kernel : {"squared_exponential", "rational_quadratic", "gamma_exponential", "matern"}
        Kernel of the processes.
    n_features : int
        Dimension of the observations N.
    length_scale : float
        Length scale l of the kernel, in units of the latent; the paper has 0.5.
    noise : float
        Standard deviation of the Gaussian noise on the observations; the paper has none.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X`` of shape (100, n_features), the latent ``Z`` of three columns, and ``clean`` if there
        is noise.

    Raises
    ------
    ValueError
        If curve or kernel is unknown, the number of features or the length scale is not positive,
        or the noise is negative.

    References
    ----------
    Li & Wu, Inverse Kernel Decomposition, Figs. 2, 5 and 6, Table 1.

    Examples
    --------
    >>> data = latent_curve(curve="medium", kernel="matern", n_features=20, length_scale=0.5,
    ...                     noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((100, 20), (100, 3))
    """
    points = check_choice("curve", curve, {"easy": _easy, "medium": _medium, "hard": _hard})
    covariance = check_choice("kernel", kernel, KERNELS)()
    return map_by_gp(points(rng), covariance, length_scale, n_features, noise, rng)


def _angle() -> NDArray:
    return np.linspace(-4 * np.pi, 4 * np.pi, N_SAMPLES)


def _hard(rng: np.random.Generator) -> NDArray:
    up, down = np.linspace(-2, 1.95, N_SAMPLES // 2), np.linspace(2, -2, N_SAMPLES // 2)
    z = np.concatenate([up, down]) / 4
    radius = (z**3 + 1) / 2
    x, y = radius * [np.sin(_angle()), np.cos(_angle())]
    wobble = JITTER_OF_HARD * rng.standard_normal((2, N_SAMPLES))
    points = 2 * np.column_stack([x + wobble[0], y + wobble[1], z])
    first, second, third, fourth = points.reshape(4, N_SAMPLES // 4, 3)
    return np.concatenate([first, third[::-1], second, fourth[::-1]])


def _medium(rng: np.random.Generator) -> NDArray:
    z = np.linspace(-0.5, 0.5, N_SAMPLES)
    radius = z**2 + 1
    return np.column_stack([radius * np.sin(1.3 * _angle()), radius * np.cos(_angle()), z])


def _easy(rng: np.random.Generator) -> NDArray:
    side = np.linspace(-0.5, 0.5, 10)
    x, y = (axis.ravel() for axis in np.meshgrid(side, side))
    z = np.sin(2 * np.pi * x) + np.cos(3 * np.pi * y) / 2
    return rng.permutation(np.column_stack([x, y, z]))
