"""Ellipses of uncertain points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection
from numpy.typing import NDArray

if TYPE_CHECKING:
    from nldr.figures.results import StudyResults

NAME = "latent_covariances"  # name under which fits keep the covariances of their points
DEVIATIONS = 2.0  # half axes of an ellipse
ALPHA = 0.25
NOTE = "Ellipses: two standard deviations of a point's posterior."


def draw_ellipses(axes: Axes, points: NDArray, covariances: NDArray, colors: NDArray) -> None:
    """Draw an ellipse of two standard deviations around each point.

    Parameters
    ----------
    axes : Axes
        The axes to draw into.
    points : ndarray of shape (n_points, 2)
        Centers.
    covariances : ndarray of shape (n_points, 2, 2)
        Covariances of the points.
    colors : array-like
        Colors of the points.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, axes = plt.subplots()
    >>> draw_ellipses(axes, np.zeros((1, 2)), np.diag([4.0, 1.0])[None], np.zeros((1, 3)))
    >>> ellipses = axes.collections[0]
    >>> float(ellipses.get_widths()[0]), float(ellipses.get_heights()[0])
    (4.0, 8.0)
    >>> plt.close(figure)
    """
    # Principal axes: the eigenvalues are in ascending order
    values, vectors = np.linalg.eigh(covariances)
    widths, heights = 2 * DEVIATIONS * np.sqrt(np.maximum(values, 0.0)).T
    angles = np.degrees(np.arctan2(vectors[:, 1, 0], vectors[:, 0, 0]))
    place: dict[str, Any] = {"units": "xy", "offsets": points, "offset_transform": axes.transData}
    look: dict[str, Any] = {"facecolors": colors, "alpha": ALPHA, "linewidths": 0, "zorder": 0.5}
    ellipses = EllipseCollection(
        widths, heights, angles, rasterized=True, gid="ellipses", **place, **look
    )
    axes.add_collection(ellipses, autolim=False)


def covariances_of(results: StudyResults, cell: Mapping[str, Any]) -> NDArray | None:
    """Return the covariances of all points of a cell, None if they are not known in the plane.

    Parameters
    ----------
    cell : mapping
        A row of its table.
    """
    covariances = results.history(cell["data_cell"], cell["method_cell"], NAME)
    if covariances is None or np.shape(covariances)[1:] != (2, 2):
        return None
    data = results.panel(cell["data_cell"], cell["method_cell"])[0]
    return covariances if len(covariances) == data.n_samples else None
