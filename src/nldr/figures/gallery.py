"""Gallery of embeddings: one row per dataset, one column per method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.figures import style
from nldr.figures.colors import (
    LABEL_COLORS,
    by_label,
    label_colors,
    latent_colors,
    point_colors,
)
from nldr.figures.results import StudyResults

if TYPE_CHECKING:
    import pandas as pd

MAX_COLUMNS, MAX_SIDE = 8, 40.0  # largest number of panels per line and width of a panel, mm
KEY, GAP, STRIP, LINE = 8.0, 1.2, 3.0, 3.0  # key, gap, numbers below a panel, line of text, mm
NARROW = 1.6  # smallest distance of a key's lines, mm
VEIL = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.5}
SIZES = ("data.n_samples", "data.n_features")  # left out of titles, as rows show their size


@style.journal()
def gallery(
    results: StudyResults, *, metrics: Sequence[str] | None = None, remark: str = ""
) -> Figure:
    """Draw the embeddings of each dataset's first trial under each method.

    Points are colored by their true latent coordinates or label. Where a method failed there is a
    ✕ with the status; an embedding that did not converge is drawn and marked. Embeddings in more
    than two dimensions are projected onto their first two principal axes, those in one dimension
    are drawn as a strip. The best number of a row, among methods that are not controls, is bold.

    Parameters
    ----------
    results : StudyResults
        The study's results.
    metrics : sequence of str, optional
        Metrics whose values are written below the panels; by default all of the study.
    remark : str, optional
        Sentences to append to the note below the panels.

    Returns
    -------
    Figure
        One row of panels per dataset, one column per method; a new block after eight methods.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "dataset": "d", "data_cell": "d", "method": ["a", "b"], "method_cell": ["a", "b"],
    ...     "trial": 0, "ok": [True, False], "status": ["ok", "timeout"]})
    >>> line = Dataset(X=np.eye(3), Z=np.arange(3.0)[:, None])
    >>> results = StudyResults(
    ...     title="Lines", methods={"a": "A", "b": "B"}, roles={}, looks={}, datasets={"d": "D"},
    ...     metrics={}, table=table, timings=table, published=None,
    ...     panel=lambda data, method: (line, np.eye(3)[:, :2] if method == "a" else None))
    >>> [text.get_text() for axes in gallery(results).axes[:2] for text in axes.texts]
    ['timeout']
    """
    return draw_gallery(results, metrics, remark=remark).figure


def draw_gallery(
    results: StudyResults,
    metrics: Sequence[str] | None = None,
    below: float = 0.0,
    remark: str = "",
) -> Grid:
    """Draw a gallery, with ``below`` millimeters of empty space between panels and note."""
    # First trials, with columns in the study's order of methods
    metrics = list(results.metrics) if metrics is None else metrics
    table = results.table[results.table["trial"] == results.table["trial"].min()]
    table = table.assign(column=results.method_titles(), row=results.data_titles(SIZES))
    order = {name: i for i, name in enumerate(results.methods)}
    ordered = table.sort_values("method", key=lambda m: m.map(order), kind="stable")
    columns = dict(zip(ordered["column"], ordered["method"].map(results.roles), strict=True))
    rows = table.groupby("data_cell", sort=False)
    note = f"{_note(results, table, metrics)} {remark}".strip()
    grid = Grid(results.title, list(rows["row"].first()), columns, note, below)
    for i, (_, row) in enumerate(rows):
        # Panels of one dataset
        best = _best(results, row, metrics)
        for j, column in enumerate(grid.columns):
            axes = grid.panel(i, j)
            cells = row[row["column"] == column].to_dict("records")
            if not cells:
                _write(axes, 0.5, 0.5, "not applicable", ha="center", va="center")
                continue
            cell = cells[0]
            data, embedding = results.panel(cell["data_cell"], cell["method_cell"])
            _draw_panel(axes, cell, embedding, point_colors(data), grid.side)
            if embedding is not None:
                numbers = [_number(cell[m], results.metrics[m]["range"]) for m in metrics]
                control = columns[column] == "control"
                bold = [not control and number == best[m]
                        for m, number in zip(metrics, numbers, strict=True)]  # fmt: skip
                _write_numbers(axes, numbers, bold, grid.side)
        # Size on the left, key on the right
        grid.label(i, f"n = {data.n_samples}, d = {data.n_features}")
        for key in grid.keys(i):
            _draw_key(key, data, grid.side)
    return grid


class Grid:
    """A figure of panels, with all measures in millimeters.

    Parameters
    ----------
    title, note : str
        Text above and below the panels.
    rows : list of str
        Titles of the rows.
    columns : dict of str to str
        Titles of the columns and their roles. Columns beyond ``MAX_COLUMNS`` are in another block
        of rows below.
    below : float
        Height of the empty space between panels and note; ``bottom`` is its upper edge.
    """

    def __init__(
        self, title: str, rows: list[str], columns: dict[str, str], note: str, below: float
    ) -> None:
        # Size of the panels; titles of rows need more room where they have several lines.
        self.columns = list(columns)
        self.n_blocks = -(-len(columns) // MAX_COLUMNS)
        self.per_block = -(-len(columns) // self.n_blocks)
        self.side = self._side(12.0)
        self.rows = [style.wrap(row, style.TEXT, self.side) for row in rows]
        self.left = LINE * (max(row.count("\n") for row in self.rows) + 2) + 2
        self.side = self._side(self.left)
        titles = [style.wrap(column, style.TEXT, self.side) for column in columns]
        self.above = LINE * (max(text.count("\n") for text in titles) + 1) + 1
        self.pitch = self.side + STRIP + GAP
        self.block = self.above + len(rows) * self.pitch + 1
        # Figure with its title and note
        width = self.left + self.per_block * (self.side + GAP) + KEY
        note = style.wrap(note, style.SMALL, width - 4)
        body = self.n_blocks * self.block + below
        foot = LINE * (note.count("\n") + 1) + 2
        self.figure, self.head = style.titled_figure(width, body + foot, title)
        self.bottom = self.head + body - below
        style.add_text(self.figure, 2, self.head + body, note, size=style.SMALL, color=style.GRAY)
        # Titles of the columns
        for j, (text, role) in enumerate(zip(titles, columns.values(), strict=True)):
            left, top = self._corner(0, j)
            color = style.GRAY if role == "control" else "black"
            style.add_text(self.figure, left + self.side / 2, top - 1, text, color=color,
                           ha="center", va="bottom")  # fmt: skip

    def _side(self, left: float) -> float:
        """Return the width of a panel, with ``left`` millimeters for titles of rows."""
        return min(MAX_SIDE, (style.DOUBLE - left - KEY) / self.per_block - GAP)

    def _corner(self, row: int, column: int) -> tuple[float, float]:
        """Return a panel's distance from the left and upper edges."""
        block, column = divmod(column, self.per_block)
        top = self.head + block * self.block + self.above + row * self.pitch
        return self.left + column * (self.side + GAP), top

    def panel(self, row: int, column: int) -> Axes:
        """Add an empty, framed panel: a square with room for numbers below."""
        axes = style.add_axes(self.figure, *self._corner(row, column), self.side, self.side + STRIP)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set(visible=True, color=style.LIGHT, linewidth=0.4)
        return axes

    def label(self, row: int, size: str) -> None:
        """Write a row's title and size to its left, in every block."""
        for block in range(self.n_blocks):
            top = self._corner(row, block * self.per_block)[1] + (self.side + STRIP) / 2
            turned: dict[str, Any] = {"rotation": 90, "va": "center", "ha": "right"}
            style.add_text(self.figure, self.left - 1 - LINE, top, self.rows[row], **turned,
                           multialignment="center")  # fmt: skip
            style.add_text(self.figure, self.left - 1, top, size, **turned, size=style.SMALL,
                           color=style.GRAY)  # fmt: skip

    def keys(self, row: int) -> list[Axes]:
        """Add the axes of a row's key to its right, in every block."""
        left = self.left + self.per_block * (self.side + GAP)
        tops = [self._corner(row, block * self.per_block)[1] for block in range(self.n_blocks)]
        return [style.add_axes(self.figure, left, top, KEY, self.side) for top in tops]


def _draw_panel(
    axes: Axes,
    cell: Mapping[str, Any],
    embedding: NDArray | None,
    colors: NDArray,
    side: float,
) -> None:
    """Draw an embedding, or a ✕ and the status where there is none."""
    status = cell["status"].replace("_", " ")
    if embedding is None:
        axes.set(xlim=(-1, 1), ylim=(-1 - 2 * STRIP / side, 1))
        axes.plot(0, 0.15, marker="x", ms=1.1 * side, mew=2, color=style.LIGHT, gid="failed")
        axes.text(0, -0.65, status, color=style.GRAY, ha="center", va="center")
        return
    # Points in random order, so that none of the classes covers the others
    points = _project(embedding)
    order = np.random.default_rng(0).permutation(len(points))
    x, colors = points[order, 0], colors[order]
    marks: dict[str, Any]
    if points.shape[1] == 1:
        marks = {"y": np.zeros(len(x)), "marker": "|", "s": (side / 3) ** 2, "linewidths": 0.4}
    else:
        size = np.clip(2.2 * (side / 25) ** 2 * 1000 / len(x), 0.25, 8)
        marks = {"y": points[order, 1], "marker": "o", "s": size, "linewidths": 0}
    axes.scatter(x, c=colors, rasterized=True, gid="embedding", **marks)
    # Limits with the same unit in both directions
    low, high = points.min(axis=0), points.max(axis=0)
    half = 0.54 * (high - low).max() or 1.0
    center = np.append((low + high) / 2, 0.0)
    axes.set_xlim(center[0] - half, center[0] + half)
    axes.set_ylim(center[1] - half * (1 + 2 * STRIP / side), center[1] + half)
    # Marks
    if embedding.shape[1] > 2:
        _write(axes, 0.03, 0.98, "principal axes 1, 2", va="top", bbox=VEIL)
    if not cell["ok"]:
        _write(axes, 0.98, 0.98, f"✕ {status}", ha="right", va="top", bbox=VEIL, gid="unfinished")


def _project(embedding: NDArray) -> NDArray:
    """Return an embedding in at most two dimensions, along its principal axes if it has more."""
    if embedding.shape[1] <= 2:
        return embedding
    centered = embedding - embedding.mean(axis=0)
    u, s, axes = np.linalg.svd(centered, full_matrices=False)
    # Deterministic signs
    largest = np.abs(axes[:2]).argmax(axis=1)
    return u[:, :2] * s[:2] * np.sign(axes[[0, 1], largest])


def _best(results: StudyResults, row: pd.DataFrame, metrics: Sequence[str]) -> dict[str, str]:
    """Return the best number of a dataset by each metric, as text."""
    rivals = row[row["method"].map(results.roles) != "control"]
    best = {}
    for metric in metrics:
        facts = results.metrics[metric]
        values = rivals[metric].dropna()
        value = values.max() if facts["direction"] == "higher" else values.min()
        best[metric] = _number(value, facts["range"]) if len(values) > 1 else ""
    return best


def _write_numbers(axes: Axes, numbers: Sequence[str], bold: Sequence[bool], side: float) -> None:
    """Write numbers below an embedding, evenly spaced from left to right."""
    height = 0.5 * STRIP / (side + STRIP)
    positions = np.linspace(0, 1, len(numbers))
    for number, heavy, x in zip(numbers, bold, positions, strict=True):
        align = "left" if x == 0 else "right" if x == 1 else "center"
        _write(axes, 0.04 + 0.92 * x, height, number, ha=align, va="center_baseline",
               color="black", weight="bold" if heavy else "normal", gid="number")  # fmt: skip


def _write(axes: Axes, x: float, y: float, text: str, **kwargs: Any) -> None:
    """Write small text at a position given in fractions of the axes."""
    kwargs = {"size": style.SMALL - 0.5, "color": style.GRAY, **kwargs}
    axes.text(x, y, text, transform=axes.transAxes, **kwargs)


def _number(value: float, bounds: Sequence[float | None]) -> str:
    """Return a score as text."""
    if not np.isfinite(value):
        return "–"
    return f"{value:.3f}" if list(bounds) == [0, 1] else f"{value:.3g}"


def _draw_key(axes: Axes, data: Dataset, side: float) -> None:
    """Draw the key to the colors of a dataset: latent coordinates or labels."""
    axes.set_axis_off()
    text: dict[str, Any] = {"size": style.SMALL - 0.5, "va": "center"}
    if data.Z is not None and not by_label(data):
        # The colors of one or two latent coordinates
        steps = np.linspace(0, 1, 32)
        names = ("z",) if data.Z.shape[1] == 1 else ("z₁", "z₂")
        unit = np.stack(np.meshgrid(*[steps] * len(names)), axis=-1)
        width = 2.0 if len(names) == 1 else 5.0
        axes.text(0, 1.2, "latent", **text)
        axes.imshow(latent_colors(unit.reshape(32 ** len(names), -1)).reshape(32, -1, 3),
                    extent=(0, width, 8, 3), origin="lower", aspect="auto")  # fmt: skip
        axes.text(width + 0.5, 5.5, names[-1], **text)
        axes.text(width / 2, 9.3, names[0] if len(names) > 1 else "", **text, ha="center")
    elif data.y is not None:
        # As many labels as have room, from the first to the last
        labels = np.unique(data.y)
        room = int((side - 2) / NARROW) - 1
        n_shown = min(len(labels), len(LABEL_COLORS), max(room, 2))
        shown = np.linspace(0, len(labels) - 1, n_shown).astype(int)
        labels, colors = labels[shown], label_colors(len(labels))[shown]
        lines = 1.2 + min(2.4, (side - 2) / (len(labels) + 1)) * np.arange(1, len(labels) + 1)
        axes.text(0, 1.2, "label", **text)
        axes.scatter(np.full(len(labels), 0.8), lines, c=colors, s=4, linewidths=0)
        for label, line in zip(labels, lines, strict=True):
            axes.text(1.9, line, f"{label}", **text)
    axes.set(xlim=(0, KEY), ylim=(side, 0))


def _note(results: StudyResults, table: pd.DataFrame, metrics: Sequence[str]) -> str:
    """Return the sentences that explain the panels and the numbers below them."""
    names = [results.metrics[name]["title"] for name in metrics]
    sentences = ["First trial of each."]
    if names:
        order = ", left to right" if len(names) > 1 else ""
        sentences.append(f"Numbers{order}: {'; '.join(names)}; the best of a row in bold.")
    if not table["ok"].all():
        sentences.append("✕: failed or not converged.")
    return " ".join(sentences)
