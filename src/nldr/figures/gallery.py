"""Gallery of embeddings: one row per dataset, one column per method."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.figures import deviation, style
from nldr.figures.axes import score_text
from nldr.figures.colors import LABEL_COLORS, by_label, label_colors, latent_colors, point_colors
from nldr.figures.ellipses import NOTE, covariances_of, draw_ellipses
from nldr.figures.results import NO_BREAK, StudyResults

if TYPE_CHECKING:
    import pandas as pd

MAX_COLUMNS, MOST_COLUMNS = 8, 14  # largest numbers of panels per line, upright and in landscape
LANDSCAPE, MAX_SIDE = 247.0, 40.0  # widths of a page in landscape and of a panel, mm
KEY, GAP, STRIP, LINE = 9.0, 1.2, 3.0, 3.0  # key, gap, numbers below a panel, line of text, mm
NARROW = 2.0  # smallest distance of a key's lines, mm
SIZE = "n = {}, d = {}".replace(" ", NO_BREAK).replace("," + NO_BREAK, ", ")
VEIL = {"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 0.5}
SIZES = ("data.n_samples", "data.n_features")  # left out of titles, as rows show their size


@style.journal()
def gallery(
    results: StudyResults, *, metrics: Sequence[str] | None = None, remark: str = ""
) -> Figure:
    """Draw the embeddings of each dataset's first trial under each method.

    Points are colored by their true latent coordinates or label. Where a method failed there is a
    ✕ with the status and the beginning of the message; an embedding that did not converge is drawn
    and marked. Embeddings in more than two dimensions are projected onto their first two principal
    axes, those in one dimension are drawn as a strip. The best number of a row, among methods that
    are not controls, is bold.

    Parameters
    ----------
    metrics : sequence of str, optional
        Metrics whose values are written below the panels; by default all of the study.
    remark : str, optional
        Sentences to append to the note below the panels.

    Returns
    -------
    Figure
        One row of panels per dataset, one column per method; in landscape from nine methods on, and
        a new block after fourteen.
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
    datasets = [results.panel(cell, row["method_cell"].iloc[0])[0] for cell, row in rows]
    titles = list(rows["row"].first())
    grid = Grid(results.title, list(zip(titles, datasets, strict=True)), columns, note, below)
    # Numbers have a digit less where they do not fit side by side.
    is_signed = any((results.metrics[m]["range"][0] or 0) < 0 for m in metrics)
    widest = style.text_width("−0.000" if is_signed else "0.000", style.SMALL)
    is_narrow = len(metrics) * (widest + 1) > 0.92 * grid.side
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
            covariances, deviations = covariances_of(results, cell), _deviations(results, cell)
            if embedding is not None and deviations is not None:
                deviation.draw_deviation(axes, deviations)
            if embedding is not None and covariances is not None:
                draw_ellipses(axes, embedding, covariances, point_colors(data))
            if embedding is not None:
                numbers = [score_text(cell[m], results.metrics[m]["range"]) for m in metrics]
                control = columns[column] == "control"
                scores = zip(metrics, numbers, strict=True)
                bold = [not control and number == best[m] for m, number in scores]
                if is_narrow:
                    numbers = [re.sub(r"(\.\d\d)\d$", r"\1", number) for number in numbers]
                _write_numbers(axes, numbers, bold, grid.side)
        # Size on the left, key on the right
        grid.label(i)
        for key in grid.keys(i):
            _draw_key(key, datasets[i], grid.side, grid.key)
    return grid


class Grid:
    """A figure of panels, with all measures in millimeters.

    Parameters
    ----------
    title, note : str
        Text above and below the panels.
    rows : list of (str, Dataset)
        Titles and datasets of the rows.
    columns : dict of str to str
        Titles of the columns and their roles. More than ``MAX_COLUMNS`` make the figure as wide as
        a page in landscape, more than ``MOST_COLUMNS`` are in another block of rows below.
    below : float
        Height of the empty space between panels and note; ``bottom`` is its upper edge.
    """

    def __init__(
        self,
        title: str,
        rows: list[tuple[str, Dataset]],
        columns: dict[str, str],
        note: str,
        below: float,
    ) -> None:
        # Size of the panels; titles of rows with several lines need more room.
        self.columns = list(columns)
        self.n_blocks = -(-len(columns) // MOST_COLUMNS)
        self.per_block = -(-len(columns) // self.n_blocks)
        self.page = style.DOUBLE if self.per_block <= MAX_COLUMNS else LANDSCAPE
        self.key = KEY
        self.side = self._side(12.0)
        self.key = max([KEY, *(_label_columns(data, self.side)[1] for _, data in rows)])
        self.side = self._side(12.0)
        self.rows = [style.wrap(row, style.TEXT, self.side) for row, _ in rows]
        sizes = [SIZE.format(data.n_samples, data.n_features) for _, data in rows]
        self.sizes = [style.wrap(size, style.SMALL, self.side + STRIP) for size in sizes]
        max_breaks = max(size.count("\n") for size in self.sizes)
        self.beside = LINE * (max_breaks + 1)
        self.left = LINE * (max(row.count("\n") for row in self.rows) + 1) + self.beside + 2
        self.side = self._side(self.left)
        titles = [style.wrap(column, style.TEXT, self.side) for column in columns]
        self.above = LINE * (max(text.count("\n") for text in titles) + 1) + 1
        self.pitch = self.side + STRIP + GAP
        self.block = self.above + len(rows) * self.pitch + 1
        # Figure with its title and note
        width = self.left + self.per_block * (self.side + GAP) + self.key
        body = self.n_blocks * self.block + below
        self.figure, self.head = style.titled_figure(width, body, title, note)
        self.bottom = self.head + body - below
        # Titles of the columns
        for j, (text, role) in enumerate(zip(titles, columns.values(), strict=True)):
            left, top = self._corner(0, j)
            color = style.GRAY if role == "control" else "black"
            centered = {"color": color, "ha": "center", "va": "bottom"}
            style.add_text(self.figure, left + self.side / 2, top - 1, text, **centered)

    def _side(self, left: float) -> float:
        """Return the width of a panel, with ``left`` millimeters for titles of rows."""
        return min(MAX_SIDE, (self.page - left - self.key) / self.per_block - GAP)

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

    def label(self, row: int) -> None:
        """Write a row's title and size to its left, in every block."""
        for block in range(self.n_blocks):
            top = self._corner(row, block * self.per_block)[1] + (self.side + STRIP) / 2
            left = self.left - 1 - self.beside
            style.add_text(self.figure, left, top, self.rows[row], **style.TURNED)
            small = {**style.TURNED, "size": style.SMALL, "color": style.GRAY}
            style.add_text(self.figure, self.left - 1, top, self.sizes[row], **small)

    def keys(self, row: int) -> list[Axes]:
        """Add the axes of a row's key to its right, in every block."""
        left = self.left + self.per_block * (self.side + GAP)
        tops = [self._corner(row, block * self.per_block)[1] for block in range(self.n_blocks)]
        return [style.add_axes(self.figure, left, top, self.key, self.side) for top in tops]


def _draw_panel(
    axes: Axes,
    cell: Mapping[str, Any],
    embedding: NDArray | None,
    colors: NDArray,
    side: float,
) -> None:
    """Draw an embedding, or a ✕ and the status if there is none."""
    status = cell["status"].replace("_", " ")
    if embedding is None:
        _draw_failure(axes, status, reason(str(cell.get("message") or "")), side)
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


def _draw_failure(axes: Axes, status: str, why: str, side: float) -> None:
    """Draw a ✕, the status below it, and as many lines of the reason as there is room for."""
    axes.set(xlim=(0, side), ylim=(side + STRIP, 0))
    middle = side / 2
    axes.plot(middle, 2.3, marker="x", ms=7, mew=1.5, color=style.LIGHT, gid="failed")
    text: dict[str, Any] = {"color": style.GRAY, "ha": "center", "va": "top"}
    axes.text(middle, 4.0, status, size=style.SMALL, **text)
    top = 7.0
    lines = style.wrap(why, style.SMALL, side - 1).split("\n")
    room = int((side + STRIP - top) / (0.44 * style.SMALL))
    if len(lines) > room:
        lines = [*lines[: room - 1], lines[room - 1] + " …"] if room > 0 else []
    axes.text(middle, top, "\n".join(lines), size=style.SMALL, **text, gid="reason")


def reason(message: str) -> str:
    """Return the beginning of a message, without the kind of exception and the details.

    Examples
    --------
    >>> reason("ValueError: the graph of 9 points has 2 components (of 5, 4 points): no way")
    'graph of 9 points has 2 components'
    """
    text = re.sub(r"^(\w+(Error|Exception): )?(the )?", "", message.strip())
    return re.split(r" \(|: |; |\. |\n", text)[0].rstrip(".")


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
        best[metric] = score_text(value, facts["range"]) if len(values) > 1 else ""
    return best


def _write_numbers(axes: Axes, numbers: Sequence[str], bold: Sequence[bool], side: float) -> None:
    """Write numbers below an embedding, evenly spaced from left to right."""
    height = 0.5 * STRIP / (side + STRIP)
    positions = np.linspace(0, 1, len(numbers))
    for number, heavy, x in zip(numbers, bold, positions, strict=True):
        align = "left" if x == 0 else "right" if x == 1 else "center"
        look = {"color": "black", "weight": "bold" if heavy else "normal", "gid": "number"}
        _write(axes, 0.04 + 0.92 * x, height, number, ha=align, va="center_baseline", **look)


def _write(axes: Axes, x: float, y: float, text: str, **kwargs: Any) -> None:
    """Write small text at a position given in fractions of the axes."""
    kwargs = {"size": style.SMALL, "color": style.GRAY, **kwargs}
    axes.text(x, y, text, transform=axes.transAxes, **kwargs)


def _label_columns(data: Dataset, side: float) -> tuple[int, float]:
    """Return in how many columns a key shows all labels, and the width that they need, in mm."""
    if data.y is None or not len(data.y):
        return 1, 0.0
    labels = np.unique(data.y)
    widest = max(style.text_width(f"{label}", style.SMALL) for label in labels)
    if len(labels) > len(LABEL_COLORS):
        return 1, 2.5 + widest
    n_columns = -(-len(labels) // max(int((side - 2) / NARROW), 1))
    return n_columns, n_columns * (2.2 + widest)


def _draw_key(axes: Axes, data: Dataset, side: float, width: float) -> None:
    """Draw the key to the colors of a dataset: latent coordinates or labels."""
    axes.set_axis_off()
    text: dict[str, Any] = {"size": style.SMALL, "va": "center"}
    if data.Z is not None and not by_label(data):
        # The colors of one or two latent coordinates
        steps = np.linspace(0, 1, 32)
        names = ("z",) if data.Z.shape[1] == 1 else ("z₁", "z₂")
        unit = np.stack(np.meshgrid(*[steps] * len(names)), axis=-1)
        across = 2.0 if len(names) == 1 else 5.0
        axes.text(0, 1.2, "latent", **text)
        colors = latent_colors(unit.reshape(32 ** len(names), -1)).reshape(32, -1, 3)
        axes.imshow(colors, extent=(0, across, 8, 3), origin="lower", aspect="auto")
        axes.text(across + 0.5, 5.5, names[-1], **text)
        axes.text(across / 2, 9.3, names[0] if len(names) > 1 else "", **text, ha="center")
    elif data.y is not None:
        labels = np.unique(data.y)
        axes.text(0, 1.2, "label", **text)
        if len(labels) > len(LABEL_COLORS):
            # A scale of colors, with its ends
            colors = label_colors(len(labels))[:, np.newaxis]
            axes.imshow(colors, extent=(0, 2, 2.4, side - 1), origin="lower", aspect="auto")
            for label, line in ((labels[0], side - 1.6), (labels[-1], 3.0)):
                axes.text(2.5, line, f"{label}", **text)
        else:
            # All labels, in as many columns as they need
            n_columns, key_width = _label_columns(data, side)
            per_column = -(-len(labels) // n_columns)
            pitch = min(2.4, (side - 2) / per_column)
            column, line_number = np.divmod(np.arange(len(labels)), per_column)
            lefts = column * max(key_width, KEY) / n_columns
            lines = 1.2 + pitch * (line_number + 1)
            axes.scatter(lefts + 0.7, lines, c=label_colors(len(labels)), s=4, linewidths=0)
            for label, left, line in zip(labels, lefts, lines, strict=True):
                axes.text(left + 1.6, line, f"{label}", **text)
    axes.set(xlim=(0, width), ylim=(side, 0))


def _deviations(results: StudyResults, cell: Mapping[str, Any]) -> NDArray | None:
    """Return the background of a panel, None if there is none."""
    table = results.history(cell["data_cell"], cell["method_cell"], deviation.NAME)
    return table if table is not None and np.ndim(table) == 2 and len(table) else None


def _note(results: StudyResults, table: pd.DataFrame, metrics: Sequence[str]) -> str:
    """Return the sentences that explain the panels and the numbers below them."""
    names = [results.metrics[name]["title"] for name in metrics]
    sentences = ["First trial of each; points are colored by the key on the right."]
    if names:
        order = ", left to right" if len(names) > 1 else ""
        best = "; the best of a row in this trial is bold" if len(table) > 1 else ""
        sentences.append(f"Numbers{order}: {'; '.join(names)}{best}.")
    if not table["ok"].all():
        sentences.append("✕: failed or not converged, with the reason.")
    cells = table.to_dict("records")
    if any(covariances_of(results, cell) is not None for cell in cells):
        sentences.append(NOTE)
    if any(_deviations(results, cell) is not None for cell in cells):
        sentences.append(deviation.NOTE)
    return " ".join(sentences)
