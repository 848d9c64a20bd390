"""Embeddings side by side, and below them how the loss fell in training."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from nldr.figures import style
from nldr.figures.gallery import SIZES, Grid, draw_gallery
from nldr.figures.panels import End, axis_limits, label_ends
from nldr.figures.results import StudyResults

LEFT, ABOVE, PLOT, BELOW = 14.0, 5.0, 42.0, 10.0  # parts of a plot of losses, mm


@style.journal()
def training(
    results: StudyResults, *, history: str = "validation_loss", label: str = "validation loss"
) -> Figure:
    """Draw the embeddings of each first trial as a gallery, and below them their training.

    Each dataset has a plot of the losses of all methods against the epoch. Methods that failed,
    or have no such history, have no line.

    Parameters
    ----------
    results : StudyResults
        The study's results.
    history : str
        Which of the methods' histories is drawn: ``loss`` or ``validation_loss``.
    label : str
        Name of the vertical axis.

    Returns
    -------
    Figure
        The panels and plots.

    Examples
    --------
    >>> import pandas as pd
    >>> from nldr.dataset import Dataset
    >>> table = pd.DataFrame({
    ...     "dataset": "line", "data_cell": "line", "method": ["ae"], "method_cell": ["ae"],
    ...     "trial": 0, "status": "ok"})
    >>> results = StudyResults(
    ...     title="Lines", methods={"ae": "autoencoder"}, roles={}, datasets={"line": "Line"},
    ...     metrics={}, table=table, timings=table, published=None,
    ...     panel=lambda data, method: (Dataset(X=np.eye(3)), np.eye(3)[:, :2]),
    ...     history=lambda data, method, name: np.array([0.5, 0.25]))
    >>> training(results).axes[-1].lines[0].get_ydata().tolist()
    [0.5, 0.25]
    """
    curves = _curves(results, history)
    pitch = ABOVE + PLOT + BELOW
    grid = draw_gallery(results, below=pitch * len(curves))
    names = {name for lines in curves.values() for name in lines}
    margin = max((style.text_width(name, style.TEXT) for name in names), default=0) + 6
    for i, (title, lines) in enumerate(curves.items()):
        top = grid.bottom + i * pitch + ABOVE
        if len(curves) > 1:
            style.add_text(grid.figure, LEFT, top - ABOVE, title, weight="bold")
        _draw(grid, top, margin, lines, label)
    return grid.figure


def _curves(results: StudyResults, history: str) -> dict[str, dict[str, NDArray]]:
    """Return the history of each line of each dataset, by their titles as far as these differ."""
    lines = results.method_titles()
    shared = set.intersection(*(set(line.split(", ")) for line in lines))
    if lines.nunique() > 1:
        lines = lines.map(lambda line: ", ".join(p for p in line.split(", ") if p not in shared))
    table = results.table.assign(row=results.data_titles(SIZES), line=lines)
    table = table[table["trial"] == table["trial"].min()]
    curves: dict[str, dict[str, NDArray]] = {}
    for cell in table.to_dict("records"):
        values = results.history(cell["data_cell"], cell["method_cell"], history)
        if values is not None and len(values):
            curves.setdefault(cell["row"], {})[cell["line"]] = values
    return curves


def _draw(grid: Grid, top: float, margin: float, lines: dict[str, NDArray], label: str) -> None:
    """Draw the losses of one dataset, with their names at the ends."""
    width = grid.figure.get_size_inches()[0] * 25.4 - LEFT - margin
    axes = style.add_axes(grid.figure, LEFT, top, width, PLOT)
    longest = max(map(len, lines.values()))
    axes.set(xlim=(0, 1.02 * longest), xlabel="epoch", ylabel=label)
    axes.set_ylim(axis_limits(np.concatenate(list(lines.values())), False, (None, None)))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ends = []
    for i, (name, values) in enumerate(lines.items()):
        look = style.MethodStyle(style.COLORS[i % len(style.COLORS)], "")
        epochs = np.arange(1, len(values) + 1)
        axes.plot(epochs, values, color=look.color, linewidth=1.0, gid=f"loss:{name}")
        ends.append(End(name, look, epochs[-1], values[-1]))
    label_ends(axes, ends, width, PLOT)
