"""Three latent structures in 3D, observed through Gaussian processes with four kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice
from nldr.datasets.latent import map_by_gp
from nldr.kernels import KERNELS

N_SAMPLES = 100
HARD_NOISE = 0.05  # standard deviation of the random displacements, before scaling by 2


def latent_curve(
    *,
    curve: str,
    kernel: str,
    n_features: int,
    length_scale: float,
    noise: float,
    rng: np.random.Generator,
) -> Dataset:
    """Observe 100 points in 3D through Gaussian processes, one per feature.

    The latent points form one of three structures:

    - ``"hard"``: two coils with random displacements (standard deviation 0.1), one rising and one
      falling; the order is the first half of the rising one, the first half of the falling one
      reversed, the second half of the rising one, the second half of the falling one reversed;
    - ``"medium"``: a coil that is narrow in the middle;
    - ``"easy"``: a wavy surface over a 10 × 10 grid, in random order.

    The processes have unit variance; the kernel parameters are the defaults of :mod:`nldr.kernels`.
    The structures are those of the released experiments, which use one draw of displacements and
    order in all trials; here each trial draws anew. For the same state of ``rng``, the latent does
    not depend on the kernel or the number of features, and the first features not on how many
    follow.

    Parameters
    ----------
    curve : {"easy", "medium", "hard"}
        The structure.
    kernel : {"squared_exponential", "rational_quadratic", "gamma_exponential", "matern"}
        Kernel of the processes.
    n_features : int
        Number of features N.
    length_scale : float
        Length scale l of the kernel, in the units of the latent; 0.5 in the paper.
    noise : float
        Standard deviation of the Gaussian noise on the observations; 0 in the paper.

    Returns
    -------
    Dataset
        ``X`` of shape (100, n_features), the latent ``Z`` of shape (100, 3), and ``clean`` if
        there is noise.

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


def _coil_angle() -> NDArray:
    """Return the angles of a coil with four turns."""
    return np.linspace(-4 * np.pi, 4 * np.pi, N_SAMPLES)


def _hard(rng: np.random.Generator) -> NDArray:
    """Return two interleaved coils with random displacements."""
    rising, falling = np.linspace(-2, 1.95, N_SAMPLES // 2), np.linspace(2, -2, N_SAMPLES // 2)
    z = np.concatenate([rising, falling]) / 4
    radius = (z**3 + 1) / 2
    x, y = radius * [np.sin(_coil_angle()), np.cos(_coil_angle())]
    wobble = HARD_NOISE * rng.standard_normal((2, N_SAMPLES))
    points = 2 * np.column_stack([x + wobble[0], y + wobble[1], z])
    # Interleave quarters of the two coils
    first, second, third, fourth = points.reshape(4, N_SAMPLES // 4, 3)
    return np.concatenate([first, third[::-1], second, fourth[::-1]])


def _medium(rng: np.random.Generator) -> NDArray:
    """Return a coil that is narrow in the middle."""
    z = np.linspace(-0.5, 0.5, N_SAMPLES)
    radius = z**2 + 1
    angle = _coil_angle()
    return np.column_stack([radius * np.sin(1.3 * angle), radius * np.cos(angle), z])


def _easy(rng: np.random.Generator) -> NDArray:
    """Return a wavy surface over a grid, its points in random order."""
    side = np.linspace(-0.5, 0.5, 10)
    x, y = (axis.ravel() for axis in np.meshgrid(side, side))
    z = np.sin(2 * np.pi * x) + np.cos(3 * np.pi * y) / 2
    return rng.permutation(np.column_stack([x, y, z]))
