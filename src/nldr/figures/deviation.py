"""Background of a panel: where in the plane a model's reconstruction is uncertain."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

NAME = "deviation_map"  # name under which fits keep the map
OPACITY = 0.45  # of the gray where the deviation is largest
NOTE = "Gray: uncertain reconstruction."


def as_grid(table: NDArray) -> tuple[NDArray, tuple[float, float, float, float]]:
    """Return the deviations as a square and its edges.

    Parameters
    ----------
    table : ndarray of shape (size * size, 3)
        Both coordinates of each point of a grid, the first one changing fastest, and the deviation.

    Returns
    -------
    shares : ndarray of shape (size, size)
        Deviations relative to the largest, one row per value of the second coordinate, ascending.
    edges : (float, float, float, float)
        Left, right, bottom and top end; cells lie around the points of the grid.

    Examples
    --------
    >>> shares, edges = as_grid(np.array([[0, 0, 1], [2, 0, 2], [0, 2, 3], [2, 2, 4.0]]))
    >>> shares.tolist(), edges
    ([[0.25, 0.5], [0.75, 1.0]], (-1.0, 3.0, -1.0, 3.0))
    """
    size = round(np.sqrt(len(table)))
    (left, bottom), (right, top) = table[0, :2], table[-1, :2]
    x, y = (right - left) / (size - 1) / 2, (top - bottom) / (size - 1) / 2
    edges = float(left - x), float(right + x), float(bottom - y), float(top + y)
    deviations = table[:, 2].reshape(size, size)
    return deviations / (deviations.max() or 1.0), edges


def draw_deviation(axes: Axes, table: NDArray) -> None:
    """Draw a gray background that is darker where the deviation is larger; keep the limits.

    Parameters
    ----------
    axes : Axes
        The axes to draw into.
    table : ndarray of shape (size * size, 3)
        As for :func:`as_grid`.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, axes = plt.subplots()
    >>> draw_deviation(axes, np.array([[0, 0, 1], [2, 0, 2], [0, 2, 3], [2, 2, 4.0]]))
    >>> axes.images[0].get_extent(), tuple(map(float, axes.get_xlim()))
    ([-1.0, 3.0, -1.0, 3.0], (0.0, 1.0))
    >>> plt.close(figure)
    """
    shares, edges = as_grid(table)
    limits = axes.get_xlim(), axes.get_ylim()
    # Black, as opaque as the deviation is large
    colors = np.zeros((*shares.shape, 4))
    colors[..., 3] = OPACITY * shares
    image: dict[str, Any] = {"origin": "lower", "interpolation": "bilinear", "gid": "deviation"}
    axes.imshow(colors, extent=edges, aspect=axes.get_aspect(), zorder=0.2, **image)
    axes.set(xlim=limits[0], ylim=limits[1])
