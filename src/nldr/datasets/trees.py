"""Trees: branches that split, straight or as random walks, in a space of many dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_choice, check_positive, observe

STEPS = 100  # of which a branch consists


def tree(
    *,
    n_samples: int,
    n_features: int,
    n_levels: int,
    path: str,
    noise: float,
    rng: np.random.Generator,
) -> Dataset:
    """Sample a tree of which each branch splits into two at its end.

    Parameters
    ----------
    n_levels : int
        Number of branches from the root to a tip; there are ``2**n_levels - 1`` branches, with
        equally many points up to one.
    path : {"straight", "walk"}
        Whether branches are straight in random directions, with length 1, or random walks, whose
        ends are about 1 apart.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features), branch by branch; ``Z`` of shape (n_samples, 1),
        the number of branches travelled from the root, as a fraction on the last one (the
        pseudotime of a developing cell); ``y``, the branch, level by level; and ``clean`` if
        there is noise.

    References
    ----------
    Moon et al., Visualizing structure and transitions in high-dimensional biological data, has
    trees of straight branches and of random walks as examples.

    Examples
    --------
    >>> data = tree(n_samples=70, n_features=20, n_levels=3, path="walk", noise=0.0,
    ...             rng=np.random.default_rng(0))
    >>> data.X.shape, np.bincount(data.y).tolist(), data.Z.max() <= 3
    ((70, 20), [10, 10, 10, 10, 10, 10, 10], np.True_)
    """
    check_positive(n_samples=n_samples, n_features=n_features, n_levels=n_levels)
    is_walk = check_choice("path", path, {"straight": False, "walk": True})
    noise_rng = rng.spawn(1)[0]
    n_branches = 2**n_levels - 1
    paths = _paths(n_branches, n_features, is_walk, rng)
    # Points at random places of their branches, by linear interpolation between steps
    y = np.arange(n_samples) * n_branches // n_samples
    place = rng.random(n_samples)
    step = np.floor(place * STEPS).astype(np.int64)
    rest = (place * STEPS - step)[:, None]
    clean = (1 - rest) * paths[y, step] + rest * paths[y, step + 1]
    level = np.floor(np.log2(y + 1))
    return observe(clean, noise, noise_rng, Z=(level + place)[:, None], y=y)


def _paths(n_branches: int, n_features: int, is_walk: bool, rng: np.random.Generator) -> NDArray:
    """Return the corners of all branches, shape (n_branches, STEPS + 1, n_features).

    The branches that start at the end of branch i are 2i + 1 and 2i + 2.
    """
    n_directions = STEPS if is_walk else 1
    steps = rng.standard_normal((n_branches, n_directions, n_features))
    steps /= np.linalg.norm(steps, axis=2, keepdims=True)
    steps = np.repeat(steps, STEPS // n_directions, axis=1)
    steps /= np.sqrt(STEPS) if is_walk else STEPS
    paths = np.zeros((n_branches, STEPS + 1, n_features))
    for branch in range(n_branches):
        start = paths[(branch - 1) // 2, -1] if branch else 0.0
        paths[branch, 0] = start
        paths[branch, 1:] = start + np.cumsum(steps[branch], axis=0)
    return paths
