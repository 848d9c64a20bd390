"""Map of the plane of latent points: where the model knows what to expect, and where not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.methods.gp.features._discrete import DiscreteFeatures

SIZE = 40  # points of the map along each axis
MARGIN = 0.15  # around the latent points, relative to the larger side


def deviation_map(features: DiscreteFeatures, points: NDArray) -> NDArray:
    """Return the deviation of the latent values on a grid around the latent points, (1600, 3).

    The columns are both coordinates, the first one changing fastest, and the root mean square over
    features of the standard deviation there. Without rows unless there are two components.
    """
    if points.shape[1] != 2:
        return np.empty((0, 3))
    low, high = points.min(axis=0), points.max(axis=0)
    half = (0.5 + MARGIN) * max((high - low).max(), 1e-6)
    lines = [np.linspace(middle - half, middle + half, SIZE) for middle in (low + high) / 2]
    grid = np.stack(np.meshgrid(*lines), axis=-1).reshape(-1, 2)
    variances = features.latent(grid)[1]
    return np.column_stack([grid, np.sqrt(variances.mean(axis=1))])
