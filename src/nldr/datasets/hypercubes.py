"""Uniform points in a cube of many dimensions, where distances concentrate."""

from __future__ import annotations

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._isometry import into_features
from nldr.datasets._synthetic import check_positive, observe


def hypercube(
    *, n_samples: int, n_latent: int, n_features: int, noise: float, rng: np.random.Generator
) -> Dataset:
    """Sample a unit cube uniformly, in a random subspace.

    The more dimensions the cube has, the more alike are all distances, the curse of
    dimensionality: a map in the plane cannot keep them.

    Parameters
    ----------
    n_latent : int
        Dimension of the cube.
    n_features : int
        Dimension of the space, at least that of the cube.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features); ``Z``, the coordinates in the cube; and ``clean``
        if there is noise.

    Examples
    --------
    >>> data = hypercube(n_samples=50, n_latent=5, n_features=20, noise=0.0,
    ...                  rng=np.random.default_rng(0))
    >>> data.X.shape, data.Z.shape
    ((50, 20), (50, 5))
    """
    check_positive(n_samples=n_samples, n_latent=n_latent)
    noise_rng = rng.spawn(1)[0]
    Z = rng.random((n_samples, n_latent))
    return observe(into_features(Z, n_features, rng), noise, noise_rng, Z=Z)
