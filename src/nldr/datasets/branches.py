"""Branches that grow out of each other, with a coordinate for each of them."""

from __future__ import annotations

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_positive, observe


def curved_branches(
    *,
    n_samples: int,
    n_features: int,
    n_branches: int,
    curvature: float,
    noise: float,
    rng: np.random.Generator,
) -> Dataset:
    r"""Sample a tree whose branches start at the ends of random earlier ones, seen as a curve.

    The latent has one coordinate per branch: the place on it, from 0 to 1. A point has coordinate
    1 for each branch that lies between the root and its own. With random directions
    :math:`w_g` and phases :math:`\phi_g`, both normal,

    .. math:: x_g = \sin(\mathrm{curvature} \; w_g^\top z + \phi_g), \quad g = 1, \ldots, d.

    Parameters
    ----------
    n_branches : int
        Number of branches, with equally many points up to one.
    curvature : float
        Angle by which a feature turns along a branch; the larger, the more the branches bend.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features), ``Z`` of shape (n_samples, n_branches), ``y``, the
        branch, and ``clean`` if there is noise.

    Examples
    --------
    >>> data = curved_branches(n_samples=60, n_features=20, n_branches=4, curvature=1.0, noise=0.1,
    ...                 rng=np.random.default_rng(0))
    >>> data.X.shape, np.bincount(data.y).tolist(), bool((data.Z.max(axis=0) <= 1).all())
    ((60, 20), [15, 15, 15, 15], True)
    """
    check_positive(n_samples=n_samples, n_features=n_features, n_branches=n_branches)
    check_positive(curvature=curvature)
    noise_rng = rng.spawn(1)[0]
    # Each branch continues the path from the root to the end of its parent
    paths = np.zeros((n_branches, n_branches))
    for branch in range(1, n_branches):
        parent = rng.integers(branch)
        paths[branch] = paths[parent]
        paths[branch, parent] = 1.0
    y = np.arange(n_samples) * n_branches // n_samples
    Z = paths[y]
    Z[np.arange(n_samples), y] = rng.random(n_samples)
    # Features turn with the latent
    directions = rng.standard_normal((n_branches, n_features))
    phases = rng.uniform(0, 2 * np.pi, n_features)
    return observe(np.sin(curvature * Z @ directions + phases), noise, noise_rng, Z=Z, y=y)
