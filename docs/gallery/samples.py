"""What the scripts of the gallery share: four data sets, and maps drawn side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets import digits, hierarchical_gaussians, swiss_roll, tree
from nldr.figures.colors import point_colors


def four(n_samples: int = 400) -> dict[str, Dataset]:
    """Return a curved sheet, clusters of clusters, branches, and images of digits."""
    rng = np.random.default_rng(0)
    roll = swiss_roll(n_samples=n_samples, height=12, noise=0.1, rng=rng)
    clusters = hierarchical_gaussians(
        n_samples=n_samples,
        n_features=20,
        n_children=3,
        n_levels=2,
        ratio=2.0,
        label_level=2,
        rng=rng,
    )
    branches = tree(
        n_samples=n_samples, n_features=20, n_levels=3, path="straight", noise=0.05, rng=rng
    )
    return {
        "Swiss roll": roll,
        "clusters of clusters": clusters,
        "tree": replace(branches, Z=None),  # so that its branches are colored
        "digits": some_digits(n_samples),
    }


def some_digits(n_samples: int = 400) -> Dataset:
    """Return images of handwritten digits that scikit-learn brings along."""
    data = digits()
    return data.rows(np.random.default_rng(0).permutation(data.n_samples)[:n_samples])


def draw(maps: Mapping[str, NDArray], data: Mapping[str, Dataset] | Dataset) -> list[Axes]:
    """Draw maps side by side, their points colored by latent or label.

    Parameters
    ----------
    maps : mapping from str to ndarray of shape (n_samples, 2)
        Maps by title.
    data : Dataset or mapping from str to Dataset
        The data of all maps, or of each one.

    Returns
    -------
    list of Axes
        The panels.
    """
    width = min(1.9, 7.6 / len(maps))
    _, axes = plt.subplots(
        1, len(maps), figsize=(width * len(maps), width + 0.3), squeeze=False, layout="constrained"
    )
    for ax, (title, Z) in zip(axes[0], maps.items(), strict=True):
        colors = point_colors(data if isinstance(data, Dataset) else data[title])
        ax.scatter(*Z.T, c=colors, s=5, linewidths=0)
        ax.set_title(title, fontsize=8)
        square(ax, Z)
    return list(axes[0])


def square(ax: Axes, Z: NDArray) -> None:
    """Show a map to scale in a square without ticks, since its coordinates mean nothing."""
    middle = (Z.min(axis=0) + Z.max(axis=0)) / 2
    half = 0.55 * np.ptp(Z, axis=0).max()
    ax.set(xlim=middle[0] + [-half, half], ylim=middle[1] + [-half, half], aspect="equal")
    ax.set(xticks=[], yticks=[])
