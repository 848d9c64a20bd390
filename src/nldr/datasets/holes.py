"""Manifolds with holes: an S-curve with a round one, and rings inside each other."""

from __future__ import annotations

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._isometry import into_features
from nldr.datasets._synthetic import check_positive, observe

HALF_LENGTH = 1.5 * np.pi  # of the S-curve, whose cross section is two arcs of radius 1
HEIGHT = 5.0  # of the S-curve


def s_curve_hole(
    *, n_samples: int, radius: float, noise: float, rng: np.random.Generator
) -> Dataset:
    r"""Sample an S-curve uniformly outside a round hole in its middle.

    With the arc length :math:`t` in [-1.5π, 1.5π] and the height :math:`h` in [0, 5],

    .. math:: x = (\sin t,\; h,\; \operatorname{sign}(t) (\cos t - 1)), \qquad z = (t, h).

    The sheet is isometric to the latent rectangle; the hole is a disk in it around (0, 2.5).

    Parameters
    ----------
    radius : float
        Radius of the hole, less than 2.5.

    Returns
    -------
    Dataset
        ``X`` with three features, ``Z`` with two, and ``clean`` if there is noise.

    References
    ----------
    The surface is that of scikit-learn's ``make_s_curve``, with a hole as in Wang et al.,
    Understanding How Dimension Reduction Tools Work.

    Examples
    --------
    >>> data = s_curve_hole(n_samples=100, radius=1.5, noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((100, 3), (100, 2))
    """
    check_positive(n_samples=n_samples)
    if not 0 <= radius < HEIGHT / 2:
        raise ValueError(f"radius must be at least 0 and less than {HEIGHT / 2}, got {radius}")
    noise_rng = rng.spawn(1)[0]
    # Points of the rectangle until enough of them are outside the hole
    Z = np.empty((0, 2))
    while len(Z) < n_samples:
        points = rng.uniform((-HALF_LENGTH, 0), (HALF_LENGTH, HEIGHT), (n_samples, 2))
        outside = np.hypot(points[:, 0], points[:, 1] - HEIGHT / 2) > radius
        Z = np.concatenate([Z, points[outside]])[:n_samples]
    t, height = Z.T
    clean = np.column_stack([np.sin(t), height, np.sign(t) * (np.cos(t) - 1)])
    return observe(clean, noise, noise_rng, Z=Z)


def nested_rings(
    *, n_samples: int, n_rings: int, n_features: int, noise: float, rng: np.random.Generator
) -> Dataset:
    """Sample circles of radius 1, 2, 3, … around the same center, in a random plane.

    Parameters
    ----------
    n_rings : int
        Number of circles, with equally many points up to one.
    n_features : int
        Dimension of the space that contains the plane, at least 2.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features); ``Z``, the coordinates in the plane; ``y``, the
        ring from inside to outside; and ``clean`` if there is noise.

    Examples
    --------
    >>> data = nested_rings(n_samples=60, n_rings=3, n_features=10, noise=0.0,
    ...                     rng=np.random.default_rng(0))
    >>> np.linalg.norm(data.Z, axis=1)[::20].round(9).tolist(), data.X.shape
    ([1.0, 2.0, 3.0], (60, 10))
    """
    check_positive(n_samples=n_samples, n_rings=n_rings)
    noise_rng = rng.spawn(1)[0]
    y = np.arange(n_samples) * n_rings // n_samples
    angle = rng.uniform(0, 2 * np.pi, n_samples)
    Z = (1 + y)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return observe(into_features(Z, n_features, rng), noise, noise_rng, Z=Z, y=y)
