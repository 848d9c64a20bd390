"""Nine encoding models: ways in which a few latent variables show in many features."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ive

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice, check_positive, observe
from nldr.datasets.latent import map_by_gp
from nldr.kernels import SquaredExponential

STEP = 0.15  # standard deviation of a step of a walk, per axis
LENGTH_SCALE = 0.5  # of tuning within the box [-1, 1]
LONG_SCALE = 1.2  # of the axes of the anisotropic model after the first
WALK_LENGTH_SCALE = 1.0  # of tuning along a walk without bounds
SHARPNESS = 2.0  # concentration of periodic tuning
CONCENTRATION = 4.0  # of von Mises bumps
BASE_RATE = 2.0  # count of a feature where its wave is 0
INNER_RADIUS = 0.6  # of the annulus; the outer one is 1
CLUSTERS_PER_DIMENSION = 3
CLUSTER_SPREAD = 0.12  # standard deviation within a cluster, per axis


def encoding_model(
    *,
    model: str,
    n_samples: int,
    n_features: int,
    n_latent: int,
    mean_sd: float,
    noise: float,
    rng: np.random.Generator,
) -> Dataset:
    r"""Observe a latent through one of nine encoding models.

    A box walk is a random walk that is reflected by the sides of :math:`[-1, 1]^m`; its steps have
    a standard deviation of 0.15 per axis, as those of a walk without bounds. A Gaussian process
    has a squared exponential kernel with unit variance and length scale 0.5.

    - ``"periodic"``: box walk; periodic tuning to a random direction,
      :math:`e^{2 (\cos(\omega_n \cdot z + \varphi_n) - 1)}` with
      :math:`\omega_n \sim N(0, I / 0.5^2)`;
    - ``"von_mises"``: box walk, stretched to half a turn per axis, whose coordinates are angles;
      bumps :math:`\prod_j e^{4 (\cos(z_j - c_{nj}) - 1)}` with centers on all of the circle;
    - ``"anisotropic"``: box walk; random waves :math:`\sqrt 2 \cos(\omega_n \cdot z + \varphi_n)`
      with length scale 0.5 along the first axis and 1.2 along the others;
    - ``"poisson"``: box walk; Poisson counts whose log rate is log 2 plus 0.8 times a random wave
      of length scale 0.5;
    - ``"sqrt_poisson"``: the square roots of these counts, whose variance is about 1/4;
    - ``"figure_eight"``: the curve :math:`(\sin t, \sin t \cos t)`; Gaussian processes;
    - ``"clusters"``: :math:`3 m` normal clusters of spread 0.12 in the box; Gaussian processes;
    - ``"annulus"``: uniform between the radii 0.6 and 1; Gaussian processes;
    - ``"walk"``: random walk without bounds; Gaussian processes of length scale 1.

    Periodic tuning and bumps are scaled to unit variance over phases and centers, so that
    ``mean_sd`` and ``noise`` are relative to the standard deviation of a feature, except for
    counts. For the same state of ``rng``, neither option changes the rest of the data, and the
    first features do not depend on how many follow, up to rounding.

    Parameters
    ----------
    model : str
        Latent and tuning: one of the names above.
    n_samples, n_features, n_latent : int
        Numbers of points T, features N and latent dimensions M, which is 2 for the figure eight.
    mean_sd : float
        Standard deviation of a constant, normally distributed, that is added to each feature.
    noise : float
        Standard deviation of the Gaussian noise on the observations, counts included.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features), the latent ``Z`` of shape (n_samples, n_latent),
        and ``clean`` if there is noise or the observations are counts: rates, or their roots.

    References
    ----------
    Ours, in the style of tuning curves in neuroscience; compare Li & Wu, Inverse Kernel
    Decomposition, Sec. 3.1.

    Examples
    --------
    >>> data = encoding_model(model="poisson", n_samples=50, n_features=8, n_latent=2, mean_sd=0.0,
    ...                       noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape, data.X[0].tolist()
    ((50, 8), (50, 2), [1.0, 2.0, 1.0, 9.0, 0.0, 8.0, 1.0, 0.0])
    """
    draw_latent, tune = check_choice("model", model, MODELS)
    check_positive(n_samples=n_samples, n_features=n_features, n_latent=n_latent)
    if not mean_sd >= 0:
        raise ValueError(f"mean_sd must be a standard deviation of at least 0, got {mean_sd}")
    # Separate streams, so that the options leave the rest of the data unchanged
    noise_rng, mean_rng, count_rng = rng.spawn(3)
    Z = draw_latent(n_samples, n_latent, rng)
    clean = tune(Z, n_features, rng)
    means = mean_sd * mean_rng.standard_normal(n_features)
    if "poisson" not in model:
        return observe(clean + means, noise, noise_rng, Z=Z)
    # Counts feature by feature; here `clean` are rates
    counts = count_rng.poisson(clean.T).T.astype(np.float64)
    if model == "sqrt_poisson":
        counts, clean = np.sqrt(counts), np.sqrt(clean)
    noisy = observe(counts + means, noise, noise_rng).X
    return Dataset(X=noisy, Z=Z, clean=clean + means)


def _walk(n_samples: int, n_latent: int, rng: np.random.Generator) -> NDArray:
    """Return a random walk without bounds."""
    return STEP * np.cumsum(rng.standard_normal((n_samples, n_latent)), axis=0)


def _box_walk(n_samples: int, n_latent: int, rng: np.random.Generator) -> NDArray:
    """Return a random walk that is reflected at -1 and 1, started uniformly."""
    start = rng.uniform(-1, 1, n_latent)
    walk = start + _walk(n_samples, n_latent, rng)
    # Reflections fold the line into a triangle wave of period 4
    return np.abs(np.mod(walk + 1, 4) - 2) - 1


def _half_turn_walk(n_samples: int, n_latent: int, rng: np.random.Generator) -> NDArray:
    """Return a box walk stretched to angles from -π/2 to π/2."""
    return np.pi / 2 * _box_walk(n_samples, n_latent, rng)


def _figure_eight(n_samples: int, n_latent: int, rng: np.random.Generator) -> NDArray:
    """Return random points of a figure eight in the plane."""
    if n_latent != 2:
        raise ValueError(f"n_latent must be 2 for the figure eight, got {n_latent}")
    angle = rng.uniform(0, 2 * np.pi, n_samples)
    return np.column_stack([np.sin(angle), np.sin(angle) * np.cos(angle)])


def _clusters(n_samples: int, n_latent: int, rng: np.random.Generator) -> NDArray:
    """Return points of normal clusters whose centers are uniform in the box."""
    centers = rng.uniform(-1, 1, (CLUSTERS_PER_DIMENSION * n_latent, n_latent))
    members = rng.integers(len(centers), size=n_samples)
    return centers[members] + CLUSTER_SPREAD * rng.standard_normal((n_samples, n_latent))


def _annulus(n_samples: int, n_latent: int, rng: np.random.Generator) -> NDArray:
    """Return uniform points between two spheres."""
    directions = rng.standard_normal((n_samples, n_latent))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    # The volume within a radius grows with its m-th power
    volume = rng.uniform(INNER_RADIUS**n_latent, 1.0, (n_samples, 1))
    return volume ** (1 / n_latent) * directions


def _random_phase(Z: NDArray, n_features: int, rng: np.random.Generator) -> NDArray:
    """Return ω·z + φ for random frequencies and phases, (n_samples, n_features)."""
    phases = rng.spawn(1)[0].uniform(-np.pi, np.pi, n_features)
    frequencies = rng.standard_normal((n_features, Z.shape[1])) / LENGTH_SCALE
    return Z @ frequencies.T + phases


def _periodic(Z: NDArray, n_features: int, rng: np.random.Generator) -> NDArray:
    """Return periodic tuning to random directions, with unit variance over phases."""
    return _bumps(_random_phase(Z, n_features, rng)[..., np.newaxis], SHARPNESS)


def _von_mises(Z: NDArray, n_features: int, rng: np.random.Generator) -> NDArray:
    """Return bumps on all angles, with unit variance over centers."""
    centers = rng.uniform(-np.pi, np.pi, (n_features, Z.shape[1]))
    return _bumps(Z[:, np.newaxis] - centers, CONCENTRATION)


def _bumps(angles: NDArray, concentration: float) -> NDArray:
    """Return products of exp(κ (cos α - 1)) over the last axis, divided by their deviation."""
    heights = np.exp(concentration * (np.cos(angles) - 1).sum(axis=-1))
    # First and second moment over uniform angles: exp(-κ) I₀(κ), one factor for each angle
    n_angles = angles.shape[-1]
    variance = ive(0, 2 * concentration) ** n_angles - ive(0, concentration) ** (2 * n_angles)
    return heights / np.sqrt(variance)


def _waves(Z: NDArray, n_features: int, rng: np.random.Generator) -> NDArray:
    """Return random waves of unit variance."""
    return np.sqrt(2) * np.cos(_random_phase(Z, n_features, rng))


def _anisotropic(Z: NDArray, n_features: int, rng: np.random.Generator) -> NDArray:
    """Return random waves whose length scale is longer on all axes but the first."""
    shortened = Z * (LENGTH_SCALE / LONG_SCALE)
    shortened[:, 0] = Z[:, 0]
    return _waves(shortened, n_features, rng)


def _rates(Z: NDArray, n_features: int, rng: np.random.Generator) -> NDArray:
    """Return the rates of Poisson counts."""
    return BASE_RATE * np.exp(0.8 * _waves(Z, n_features, rng))


def _gp(
    Z: NDArray, n_features: int, rng: np.random.Generator, length_scale: float = LENGTH_SCALE
) -> NDArray:
    """Return Gaussian processes, one per feature."""
    return map_by_gp(Z, SquaredExponential(), length_scale, n_features, 0.0, rng).X


# Model → how its latent is drawn, and how the features follow from it
Draw = Callable[[int, int, np.random.Generator], NDArray]
Tune = Callable[[NDArray, int, np.random.Generator], NDArray]
MODELS: dict[str, tuple[Draw, Tune]] = {
    "periodic": (_box_walk, _periodic),
    "von_mises": (_half_turn_walk, _von_mises),
    "anisotropic": (_box_walk, _anisotropic),
    "poisson": (_box_walk, _rates),
    "sqrt_poisson": (_box_walk, _rates),
    "figure_eight": (_figure_eight, _gp),
    "clusters": (_clusters, _gp),
    "annulus": (_annulus, _gp),
    "walk": (_walk, partial(_gp, length_scale=WALK_LENGTH_SCALE)),
}
