"""Gallery of embeddings, and below it the loss of each epoch of training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from nldr.figures import style
from nldr.figures.axes import axis_limits
from nldr.figures.gallery import SIZES, Grid, draw_gallery
from nldr.figures.panels import End, label_ends, line_looks
from nldr.figures.results import StudyResults, left_out

LEFT, ABOVE, PLOT, BELOW = 14.0, 5.0, 42.0, 10.0  # margins and height of a plot of losses, mm


class LossLine(NamedTuple):
    """A line of a plot of losses."""

    title: str
    method: str


@style.journal()
def training(
    results: StudyResults, *, history: str = "validation_loss", label: str = "validation loss"
) -> Figure:
    """Draw the embeddings of each first trial as a gallery, and below them the training losses.

    Each dataset has a plot of the losses of all methods against the epoch. Methods that failed,
    or have no such history, have no line, which the note says. The first line of a method has its
    look; further lines, with other parameters, have shades of it.

    Parameters
    ----------
    history : str
        The history to draw: ``loss`` or ``validation_loss``.
    label : str
        Label of the vertical axis.

    Returns
    -------
    Figure
        The panels, and one plot per dataset.
    """
    # Gallery with room for the plots
    curves = _losses(results, history)
    lines_of_all = [line for lines in curves.values() for line in lines]
    titles = {line.title for line in lines_of_all}
    unrecorded = [title for title in _line_titles(results) if title not in titles]
    pitch = ABOVE + PLOT + BELOW
    remark = f"Curves: the same trials. {left_out(unrecorded, 'no history')}".strip()
    grid = draw_gallery(results, below=pitch * len(curves), remark=remark)
    # Plots, with room for the names of the lines
    looks = line_looks(pd.DataFrame(lines_of_all, columns=["line", "method"]), results.looks)
    margin = max((style.text_width(name, style.TEXT) for name in titles), default=0) + 6
    for i, (title, lines) in enumerate(curves.items()):
        top = grid.bottom + i * pitch + ABOVE
        if len(curves) > 1:
            style.add_text(grid.figure, LEFT, top - ABOVE, title, weight="bold")
        _draw_losses(grid, top, margin, lines, looks, label)
    return grid.figure


def _line_titles(results: StudyResults) -> pd.Series:
    """Return the titles of the lines, without their common parts."""
    lines = results.method_titles()
    common = set.intersection(*(set(line.split(", ")) for line in lines))
    if lines.nunique() > 1:
        lines = lines.map(lambda line: ", ".join(w for w in line.split(", ") if w not in common))
    return lines


def _losses(results: StudyResults, history: str) -> dict[str, dict[LossLine, NDArray]]:
    """Return the history of each line of each dataset, by title of the dataset."""
    table = results.table.assign(row=results.data_titles(SIZES), line=_line_titles(results))
    # Histories of the first trials
    table = table[table["trial"] == table["trial"].min()]
    curves: dict[str, dict[LossLine, NDArray]] = {}
    for cell in table.to_dict("records"):
        values = results.history(cell["data_cell"], cell["method_cell"], history)
        if values is not None and len(values):
            curves.setdefault(cell["row"], {})[LossLine(cell["line"], cell["method"])] = values
    return curves


def _draw_losses(
    grid: Grid,
    top: float,
    margin: float,
    lines: dict[LossLine, NDArray],
    looks: Mapping[str, style.MethodStyle],
    label: str,
) -> None:
    """Draw the losses of one dataset, with the names of the lines at their ends."""
    # Axes from epoch 0
    width = grid.figure.get_size_inches()[0] * 25.4 - LEFT - margin
    axes = style.add_axes(grid.figure, LEFT, top, width, PLOT)
    longest = max(map(len, lines.values()))
    axes.set(xlim=(0, 1.02 * longest), xlabel="epoch", ylabel=label)
    axes.set_ylim(axis_limits(np.concatenate(list(lines.values())), False, (None, None)))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    # Lines
    ends = []
    for line, values in lines.items():
        look = looks[line.title]
        epochs = np.arange(1, len(values) + 1)
        stroke: dict[str, Any] = {"color": look.color, "linestyle": look.linestyle}
        axes.plot(epochs, values, linewidth=1.0, **stroke, gid=f"loss:{line.title}")
        ends.append(End(line.title, look, epochs[-1], values[-1]))
    label_ends(axes, ends, width, PLOT)
