"""Spheres within a sphere: clusters whose arrangement is known, in many dimensions."""

from __future__ import annotations

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_positive, observe


def nested_spheres(
    *,
    n_samples: int,
    n_spheres: int,
    n_features: int,
    radius: float,
    enclosing_radius: float,
    spread: float,
    noise: float,
    rng: np.random.Generator,
) -> Dataset:
    """Sample small spheres at random places within a large one.

    Half of the points are uniform on the surfaces of the small spheres, as many on each, and half
    on that of the large sphere around the origin, which encloses them. The coordinates of the
    small spheres' centers are Gaussian of variance ``spread**2 / (n_features - 1)``, so that a
    center is about ``spread`` from the origin and two are about ``sqrt(2) * spread`` apart.

    The published sizes are 10 spheres and 2000 points in 101 dimensions (LolaGP; Topological
    Autoencoders has more points). Radii of 5 and 25 and the spread of 10 are those of the latter's
    generator, which has no noise. LolaGP speaks of noise but not of its size; the catalog's 0.1
    is ours: it moves a point of the 101 dimensions by 1, a fifth of the small radius.

    Parameters
    ----------
    n_samples : int
        Number of points, a multiple of ``2 * n_spheres``.
    n_spheres : int
        Number of small spheres.
    n_features : int
        Dimension of the space, at least 2; the surfaces have one dimension less.
    radius : float
        Radius of the small spheres.
    enclosing_radius : float
        Radius of the large sphere.
    spread : float
        Scale of the small spheres' centers.
    noise : float
        Standard deviation of the Gaussian noise on all coordinates, in the units of ``X``.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    Dataset
        ``X``, sphere by sphere; ``y``, the sphere from 0, the large one last; ``clean`` if there
        is noise.

    Raises
    ------
    ValueError
        If a size or radius is not positive, there are fewer than 2 dimensions, the points cannot
        be divided among the spheres, or the noise is negative.

    References
    ----------
    Watanabe et al., Summarizing Data Structures with Gaussian Process and Robust Neighborhood
    Preservation, Sec. 2.1; Moor et al., Topological Autoencoders.

    Examples
    --------
    >>> data = nested_spheres(n_samples=40, n_spheres=2, n_features=5, radius=1.0,
    ...                       enclosing_radius=5.0, spread=2.0, noise=0.0,
    ...                       rng=np.random.default_rng(0))
    >>> data.X.shape, np.bincount(data.y).tolist()
    ((40, 5), [10, 10, 20])
    """
    check_positive(
        n_samples=n_samples, n_spheres=n_spheres, radius=radius, enclosing_radius=enclosing_radius,
        spread=spread,
    )  # fmt: skip
    if n_features < 2:
        raise ValueError(f"n_features must be at least 2, got {n_features}")
    if n_samples % (2 * n_spheres):
        raise ValueError(
            f"n_samples must be a multiple of {2 * n_spheres}, twice n_spheres, got {n_samples}: "
            "half of the points are divided among the small spheres"
        )
    half = n_samples // 2
    y = np.repeat(np.arange(n_spheres + 1), [half // n_spheres] * n_spheres + [half])
    centers = rng.standard_normal((n_spheres, n_features)) * spread / np.sqrt(n_features - 1)
    directions = rng.standard_normal((n_samples, n_features))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    small = radius * directions[:half] + centers[y[:half]]
    clean = np.concatenate([small, enclosing_radius * directions[half:]])
    return observe(clean, noise, rng, y=y)
