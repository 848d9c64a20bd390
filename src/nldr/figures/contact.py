"""Contact sheets: a selection of the images of a dataset in a grid."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.figures import style
from nldr.figures.results import StudyResults

LEFT, RIGHT, ABOVE = 9.0, 2.0, 3.5  # room for row and column headings, mm
LOST = (0.75, 0.85, 1.0)  # color of missing pixels
GAP = 0.04  # white space between images, as a fraction of their width


@style.journal()
def contact_sheet(data: Dataset, *, title: str, n_columns: int = 18, n_rows: int = 6) -> Figure:
    """Draw images of a dataset in a grid.

    With labels, each row shows images of one label, evenly spaced among all of them. Without
    labels, images evenly spaced in the dataset are in reading order. Where the true latent is on
    the unit circle, headings show its angle.

    Parameters
    ----------
    data : Dataset
        Images. Values outside [0, 1] are scaled so that the smallest is black, the largest white.
    title : str
        Title of the figure.
    n_columns : int
        Largest number of images in a row.
    n_rows : int
        Number of rows if there are no labels.

    Returns
    -------
    Figure
        A figure as wide as two columns of text.

    Raises
    ------
    ValueError
        If the dataset has no ``image_shape``.

    Examples
    --------
    >>> stripes = np.tile(np.linspace(0, 1, 12), (6, 1))
    >>> data = Dataset(X=stripes, y=np.arange(6) % 2, image_shape=(4, 3))
    >>> [text.get_text() for text in contact_sheet(data, title="Stripes").texts]
    ['Stripes', '3 of 3 images of each label, 4 × 3 pixels.', '0', '1']
    """
    if data.image_shape is None:
        raise ValueError("the dataset has no image_shape: a contact sheet needs images")
    # Selection of images and their headings
    rows = _select(data, n_columns, n_rows)
    mosaic = _mosaic(_images(data), rows)
    above, beside = _headings(data, rows)
    # All images as one picture
    width = style.DOUBLE - LEFT - RIGHT
    height = width * mosaic.shape[0] / mosaic.shape[1]
    room = ABOVE if above else 0.0
    figure, head = style.titled_figure(style.DOUBLE, room + height + 1, title, _note(data, rows))
    top = head + room
    axes = style.add_axes(figure, LEFT, top, width, height)
    axes.imshow(mosaic, aspect="auto", interpolation_stage="rgba")
    axes.set_axis_off()
    # Headings
    across, down = width / len(rows[0]), height / len(rows)
    head_look = {"size": style.SMALL, "color": style.GRAY, "ha": "center", "va": "baseline"}
    for j, text in enumerate(above):
        style.add_text(figure, LEFT + (j + 0.5) * across, top - 0.6, text, **head_look)
    side_look = {"size": style.SMALL, "ha": "right", "va": "center_baseline"}
    for i, text in enumerate(beside):
        style.add_text(figure, LEFT - 1, top + (i + 0.5) * down, text, **side_look)
    return figure


def sheet(results: StudyResults, *, n_columns: int = 18, n_rows: int = 6) -> Figure:
    """Draw the contact sheet of the first trial of a study's dataset.

    Parameters
    ----------
    results : StudyResults
        The study's results, on one dataset of images.
    n_columns, n_rows : int
        See :func:`contact_sheet`.

    Returns
    -------
    Figure
        The contact sheet.

    Raises
    ------
    ValueError
        If there are several datasets, or the dataset has no images.
    """
    if results.table["data_cell"].nunique() > 1:
        raise ValueError("the figure shows one dataset: leave the others out of the study")
    first = results.table.iloc[0]
    data, _ = results.panel(first["data_cell"], first["method_cell"])
    return contact_sheet(data, title=results.title, n_columns=n_columns, n_rows=n_rows)


def _select(data: Dataset, n_columns: int, n_rows: int) -> list[NDArray]:
    """Return the indices of the images of each row; only the last row may be shorter."""
    if data.y is None:
        images = _evenly(np.arange(data.n_samples), n_columns * n_rows)
        return [images[i : i + n_columns] for i in range(0, len(images), n_columns)]
    members = [np.flatnonzero(data.y == label) for label in np.unique(data.y)]
    n_columns = min(n_columns, *map(len, members))
    return [_evenly(images, n_columns) for images in members]


def _evenly(images: NDArray, n: int) -> NDArray:
    """Return ``n`` evenly spaced entries, or all if there are fewer."""
    n = min(n, len(images))
    return images[np.arange(n) * len(images) // n]


def _images(data: Dataset) -> NDArray:
    """Return all images in color, shape (n_samples, height, width, 3), values in [0, 1].

    Missing pixels have a separate color.
    """
    assert data.image_shape is not None
    low, high = min(0.0, np.nanmin(data.X)), max(1.0, np.nanmax(data.X))
    scaled = (data.X - low) / (high - low)
    images = scaled.reshape(len(scaled), *data.image_shape[:2], -1)
    return np.where(np.isnan(images), LOST, np.broadcast_to(images, (*images.shape[:3], 3)))


def _mosaic(images: NDArray, rows: list[NDArray]) -> NDArray:
    """Arrange images in rows, with half a gap of white space around each."""
    half = max(1, round(GAP * images.shape[2] / 2))
    _, height, width, _ = images.shape
    high, wide = height + 2 * half, width + 2 * half
    mosaic = np.ones((high * len(rows), wide * len(rows[0]), 3))
    for i, row in enumerate(rows):
        for j, image in enumerate(row):
            top, left = i * high + half, j * wide + half
            mosaic[top : top + height, left : left + width] = images[image]
    return mosaic


def _headings(data: Dataset, rows: list[NDArray]) -> tuple[list[str], list[str]]:
    """Return the headings of the columns and of the rows."""
    labels = [] if data.y is None else [f"{data.y[row[0]]}" for row in rows]
    # Angles, if the latent is on the unit circle
    circle = data.Z is not None and data.Z.shape[1] == 2
    if data.Z is None or not circle or not np.allclose(np.hypot(*data.Z.T), 1):
        return [], labels
    angles = np.rad2deg(np.arctan2(data.Z[:, 1], data.Z[:, 0])).round(6) % 360
    if data.y is None:
        return [], [f"{angles[row[0]]:.3g}°" for row in rows]
    # Columns have a heading if all labels have the same angles.
    equal_angles = all(np.array_equal(angles[row], angles[rows[0]]) for row in rows)
    return [f"{angle:.3g}°" for angle in angles[rows[0]]] if equal_angles else [], labels


def _note(data: Dataset, rows: list[NDArray]) -> str:
    """Return the number of images, shown and in all, and their size."""
    assert data.image_shape is not None
    size = " × ".join(map(str, data.image_shape[:2]))
    if data.y is None:
        n_images = sum(map(len, rows))
        return f"{n_images} of {data.n_samples} images, row by row, {size} pixels."
    counts = np.unique(data.y, return_counts=True)[1]
    among = f"{counts.min()}" if np.ptp(counts) == 0 else f"{counts.min()} to {counts.max()}"
    return f"{len(rows[0])} of {among} images of each label, {size} pixels."
