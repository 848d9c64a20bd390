"""Three-dimensional latents and their kernel matrices."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure
from scipy.spatial.distance import pdist, squareform

from nldr.figures import style
from nldr.figures.colors import point_colors
from nldr.figures.results import VALUES, StudyResults
from nldr.kernels import KERNELS

LEFT, SIDE, GAP, ABOVE, BAR = 9.0, 31.0, 2.0, 5.0, 10.0  # margins, panel, color bar, mm


@style.journal()
def covariances(results: StudyResults, *, length_scale: float) -> Figure:
    """Draw the latent of each dataset and its kernel matrix under each kernel.

    Parameters
    ----------
    results : StudyResults
        The study's results, on datasets whose latent has three dimensions.
    length_scale : float
        Length scale of the kernels, in units of the latent.

    Returns
    -------
    Figure
        One row per dataset: the latent, then one matrix per kernel of
        :data:`nldr.kernels.KERNELS`.

    Raises
    ------
    ValueError
        If a latent does not have three dimensions.
    """
    # Sizes and headings of the columns
    table = results.table.assign(row=results.data_titles()).drop_duplicates("data_cell")
    rows = table.to_dict("records")
    height = len(rows) * (SIDE + GAP) + ABOVE + 4
    width = LEFT + (len(KERNELS) + 1) * (SIDE + GAP) + BAR
    note = (
        "Latent of the first trial, colored by its first two coordinates. Kernel matrices: rows "
        "and columns are points in the order of the data; the bar gives the color of each value."
    )
    figure, head = style.titled_figure(width, height, results.title, note)
    for j, name in enumerate(["latent", *KERNELS]):
        left = LEFT + j * (SIDE + GAP) + SIDE / 2
        title = VALUES.get(name, name.replace("_", " "))
        style.add_text(figure, left, head + 1, title, ha="center")
    # One row per dataset
    image: Any = None
    for i, row in enumerate(rows):
        data = results.panel(row["data_cell"], row["method_cell"])[0]
        if data.Z is None or data.Z.shape[1] != 3:
            raise ValueError(
                f"{row['data_cell']}: its latent does not have three dimensions: leave it out"
            )
        top = head + ABOVE + i * (SIDE + GAP)
        title = style.wrap(row["row"], style.TEXT, SIDE)
        style.add_text(figure, LEFT - 1, top + SIDE / 2, title, **style.TURNED)
        # The latent, and its matrix under each kernel
        axes: Any = _add_axes_3d(figure, top)
        axes.scatter(*data.Z.T, c=point_colors(data), s=3, linewidths=0, depthshade=False)
        distances = squareform(pdist(data.Z / length_scale, "sqeuclidean"))
        for j, kernel in enumerate(KERNELS.values(), start=1):
            panel = style.add_axes(figure, LEFT + j * (SIDE + GAP), top, SIDE, SIDE)
            panel.set(xticks=[], yticks=[])
            image = panel.imshow(kernel()(distances), cmap="viridis", vmin=0, vmax=1)
    bar = style.add_axes(figure, width - BAR + 1, head + ABOVE, 2, SIDE)
    figure.colorbar(image, cax=bar, ticks=[0, 0.5, 1])
    return figure


def _add_axes_3d(figure: Figure, top: float) -> Any:
    """Add three-dimensional axes with a faint grid and without numbers."""
    w, h = figure.get_size_inches() * 25.4
    box = (LEFT / w, 1 - (top + SIDE) / h, SIDE / w, SIDE / h)
    axes: Any = figure.add_axes(box, projection="3d")
    axes.set(xticklabels=[], yticklabels=[], zticklabels=[])
    axes.set_box_aspect(None, zoom=1.2)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.pane.set_visible(False)
        axis._axinfo["grid"].update(color=style.LIGHT, linewidth=0.3)
    return axes
