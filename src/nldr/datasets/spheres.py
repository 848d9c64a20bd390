"""High-dimensional spheres inside a larger sphere: clusters with a known arrangement."""

from __future__ import annotations

from dataclasses import replace

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
    keep_clean: bool = True,
    rng: np.random.Generator,
) -> Dataset:
    """Sample small spheres with random centers inside a large sphere.

    Half of the points are uniform on the surfaces of the small spheres, the same number on each,
    and half are uniform on the surface of the large sphere, which is centered at the origin. The
    coordinates of the small spheres' centers are Gaussian with variance
    ``spread**2 / (n_features - 1)``, so a center is about ``spread`` from the origin, and two
    centers are about ``sqrt(2) * spread`` apart.

    The radii and the spread of the catalog are those of the generator released with Topological
    Autoencoders, which adds no noise. LolaGP mentions noise but not its size.

    Parameters
    ----------
    n_samples : int
        Number of points, a multiple of ``2 * n_spheres``.
    n_spheres : int
        Number of small spheres.
    n_features : int
        Dimension of the space, at least 2; the surfaces have one dimension fewer.
    radius : float
        Radius of the small spheres.
    enclosing_radius : float
        Radius of the large sphere.
    spread : float
        Scale of the small spheres' centers.
    keep_clean : bool, default=True
        Whether the dataset contains the points without noise, which metrics then use.
        LolaGP compares embeddings of the spheres with the noisy points.

    Returns
    -------
    Dataset
        ``X``, sphere by sphere; ``y``, the index of the sphere, the large one last; ``clean`` if
        there is noise and ``keep_clean``.

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
    check_positive(n_samples=n_samples, n_spheres=n_spheres, spread=spread)
    check_positive(radius=radius, enclosing_radius=enclosing_radius)
    if n_features < 2:
        raise ValueError(f"n_features must be at least 2, got {n_features}")
    if n_samples % (2 * n_spheres):
        raise ValueError(
            f"n_samples must be a multiple of {2 * n_spheres}, twice n_spheres, got {n_samples}: "
            "half of the points are divided evenly among the small spheres"
        )
    # Labels: equally many points on each small sphere, half of all on the large one
    half = n_samples // 2
    y = np.repeat(np.arange(n_spheres + 1), [half // n_spheres] * n_spheres + [half])
    centers = rng.standard_normal((n_spheres, n_features)) * spread / np.sqrt(n_features - 1)
    # Uniform directions: normalized Gaussian vectors
    directions = rng.standard_normal((n_samples, n_features))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    small = radius * directions[:half] + centers[y[:half]]
    clean = np.concatenate([small, enclosing_radius * directions[half:]])
    data = observe(clean, noise, rng, y=y)
    return data if keep_clean else replace(data, clean=None)
