"""True and recovered latent coordinates of each point, one column per method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from nldr.figures import style
from nldr.figures.results import StudyResults

LEFT, RIGHT, GAP, PLOT, ABOVE, BETWEEN = 14.0, 4.0, 1.5, 11.0, 12.5, 2.0  # mm
MAX_COLUMNS = 9
METRIC = "r2_affine"
SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"


@style.journal()
def recovery(results: StudyResults, *, n_points: int | None = None) -> Figure:
    """Draw each latent coordinate against the index of the points, true and recovered.

    Each embedding is aligned with the latent by the affine map of least squared error over all
    points of the first trial, as in the R² of Li & Wu (Sec. 3.1). This R² is written above.

    Parameters
    ----------
    results : StudyResults
        The study's results, on datasets whose latent is known.
    n_points : int, optional
        Number of points to draw, from the first; by default all.

    Returns
    -------
    Figure
        One block per dataset, one row per latent coordinate, one column per method.

    Raises
    ------
    ValueError
        If a dataset has no known latent.
    """
    # First trials, with columns in the study's order of methods
    table = results.table[results.table["trial"] == results.table["trial"].min()]
    table = table.assign(column=results.method_titles(), row=results.data_titles())
    order = {name: i for i, name in enumerate(results.methods)}
    ordered = table.sort_values("method", key=lambda m: m.map(order), kind="stable")
    columns = dict.fromkeys(ordered["column"])
    blocks = [list(columns)[i : i + MAX_COLUMNS] for i in range(0, len(columns), MAX_COLUMNS)]
    width = (style.DOUBLE - LEFT - RIGHT) / max(map(len, blocks)) - GAP
    # A block needs room for the latent dimensions of its dataset.
    cells = {key: rows for key, rows in table.groupby("data_cell", sort=False)}
    latents = {key: _latent(results, rows) for key, rows in cells.items()}
    heights = {key: ABOVE + len(Z.T) * (PLOT + GAP) + BETWEEN for key, Z in latents.items()}
    body = len(blocks) * sum(heights.values())
    note = _note(results, n_points)
    figure, top = style.titled_figure(style.DOUBLE, body, results.title, note)
    # Blocks; methods beyond the first nine are in another block of the same dataset.
    for key, rows in cells.items():
        for block in blocks:
            style.add_text(figure, 2, top, rows["row"].iloc[0], weight="bold")
            for j, column in enumerate(block):
                trials = rows[rows["column"] == column].to_dict("records")
                if trials:
                    box = (LEFT + j * (width + GAP), top + ABOVE, width)
                    latent = latents[key], n_points
                    _draw_column(results, figure, box, trials[0], *latent, first=j == 0)
            top += heights[key]
    return figure


def align(Z: NDArray, embedding: NDArray) -> NDArray:
    """Return the affine image of an embedding that is closest to the latent in least squares.

    Parameters
    ----------
    Z : ndarray of shape (n_samples, n_latent)
        True latent.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding.

    Returns
    -------
    ndarray of shape (n_samples, n_latent)
        The image.

    Examples
    --------
    >>> Z = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> bool(np.allclose(align(Z, 3 - Z @ np.array([[0, 2], [1, 1]])), Z))
    True
    """
    design = np.column_stack([embedding, np.ones(len(embedding))])
    return design @ np.linalg.lstsq(design, Z)[0]


def _latent(results: StudyResults, rows: pd.DataFrame) -> NDArray:
    """Return the true latent of a dataset, or raise if it is unknown."""
    first = rows.iloc[0]
    Z = results.panel(first["data_cell"], first["method_cell"])[0].Z
    if Z is None:
        raise ValueError(f"dataset '{first['data_cell']}' has no known latent: leave it out")
    return Z


def _draw_column(
    results: StudyResults,
    figure: Figure,
    corner: tuple[float, float, float],
    cell: dict[str, Any],
    Z: NDArray,
    n_points: int | None,
    first: bool,
) -> None:
    """Draw all latent coordinates as one method recovers them, below its name and score."""
    # Name and score
    look = results.looks[cell["method"]]
    left, top, width = corner
    embedding = results.panel(cell["data_cell"], cell["method_cell"])[1]
    name = style.wrap(cell["column"], style.SMALL, width)
    if embedding is not None:
        name += f"\n{cell[METRIC]:.3f}"
    style.add_text(figure, left, top - 0.6, name, size=style.SMALL, color=look.ink, va="bottom")
    # One panel per coordinate
    points = slice(n_points)
    recovered = None if embedding is None else align(Z, embedding)
    for dimension, truth in enumerate(Z.T):
        axes = style.add_axes(figure, left, top + dimension * (PLOT + GAP), width, PLOT)
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set(visible=True, color=style.LIGHT, linewidth=0.4)
        axes.plot(truth[points], color="black", lw=1.4, alpha=0.35, gid="truth")
        if recovered is None:
            status = "✕ " + cell["status"].replace("_", " ")
            text: dict[str, Any] = {"size": style.SMALL, "color": style.GRAY, "ha": "center"}
            axes.text(0.5, 0.5, status, transform=axes.transAxes, va="center", **text)
        else:
            axes.plot(recovered[points, dimension], color=look.color, lw=0.8, gid="recovered")
        margin = 0.25 * np.ptp(truth[points])
        axes.set_ylim(truth[points].min() - margin, truth[points].max() + margin)
        if first:
            label = f"z{SUBSCRIPTS[(dimension + 1) % 10]}"
            axes.set_ylabel(label, rotation=0, labelpad=6, va="center")


def _note(results: StudyResults, n_points: int | None) -> str:
    """Return the sentences that explain the panels."""
    points = "all points" if n_points is None else f"the first {n_points} points"
    return (
        f"First trial, {points} in order. Gray: true latent; color: recovered, aligned by the "
        f"best affine map over all points. Numbers: {results.metrics[METRIC]['label']}."
    )
