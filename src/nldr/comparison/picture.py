"""Drawings: of one map, from arrays, and of all maps of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nldr.comparison.stability import align_maps
from nldr.comparison.trust import errors_of_points
from nldr.comparison.words import percent
from nldr.inputs import InputError, Labels, align, as_labels, as_matrix, coordinates_of, dense

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nldr.comparison.evidence import ComparedMethods

SIDE = 4.0  # inches
PANEL = 2.6  # inches of a side, where several maps are drawn
MOST_NAMED = 20  # classes that the key names
KEY_COLUMNS = 5
SIZES = 2.0, 30.0  # area of a point, square points: of many and of few


def plot(
    Z: ArrayLike, y: ArrayLike | None = None, *, X: ArrayLike | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a map, and which of its points not to trust.

    Parameters
    ----------
    Z : array, frame or fitted map of shape (n_rows, 2)
        The map, whichever package made it.
    y : array-like of shape (n_rows,), optional
        Labels. Classes get a color each, measurements a color bar.
    X : array, frame or sparse matrix of shape (n_rows, n_columns), optional
        The data, as the method saw them. Points that lie among false neighbors or far from their
        true ones are then drawn as crosses, as :func:`check` finds them.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib Axes
        The axes, with the figure in ``axes.figure``.

    Raises
    ------
    InputError
        If Matplotlib is not installed, the map does not have two columns, or the arrays have
        different numbers of rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.decomposition import PCA
    >>> X, y = load_iris(return_X_y=True)
    >>> axes = plot(PCA(2).fit_transform(X), y, X=X)
    >>> [text.get_text() for text in axes.get_legend().get_texts()][:3]
    ['0', '1', '2']
    """
    try:
        from nldr.figures.style import journal
    except ImportError as error:
        raise InputError("plot() needs matplotlib: pip install matplotlib") from error

    matrix = as_matrix(coordinates_of(Z), "Z")
    points = dense(matrix, "Z")
    if points.shape[1] != 2:
        raise InputError(f"Z must have two columns, got {points.shape[1]}")
    labels = None if y is None else as_labels(y, len(points))
    if labels is not None and (order := align(matrix.index, labels.index, ("Z", "y"))) is not None:
        labels = labels.rows(order)
    doubt = np.zeros(len(points)) if X is None else _doubts(X, points, matrix.index)
    with journal():
        return _draw(points, labels, doubt, ax)


def _doubts(X: Any, points: NDArray, index: list[Any] | None) -> NDArray:
    """Return 1 for points that should not be trusted, 0 for others, NaN where this is unknown."""
    data = as_matrix(X)
    values = data.values.toarray() if data.is_sparse else dense(data)
    if len(values) != len(points):
        raise InputError(f"X has {len(values)} rows, the map has {len(points)}")
    if (order := align(index, data.index, ("Z", "X"))) is not None:
        values = values[order]
    return errors_of_points(values, [points])[0]["doubt"]


def _draw(points: NDArray, labels: Labels | None, doubts: NDArray, ax: Axes | None) -> Axes:
    import matplotlib.pyplot as plt

    from nldr.figures.colors import LABEL_COLORS

    axes = plt.subplots(figsize=(SIDE, SIDE), layout="constrained")[1] if ax is None else ax
    size = float(np.clip(4000 / len(points), *SIZES))
    # Colors: of classes, of measurements, or one
    shades: dict[str, Any] = {}
    if labels is None:
        colors: Any = np.full(len(points), LABEL_COLORS[0])
    elif labels.is_numeric:
        colors = labels.values
        shades = {"vmin": colors.min(), "vmax": colors.max(), "cmap": "viridis"}
    else:
        colors = _colors_of_classes(axes, labels)
    # Points, and crosses where they are not to be trusted
    x, y = points.T
    doubt = doubts == 1
    shown = axes.scatter(x[~doubt], y[~doubt], c=colors[~doubt], s=size, lw=0, **shades)
    if doubt.any():
        note = f"not to trust: {percent(float(np.nanmean(doubts)))}"
        axes.scatter(x[doubt], y[doubt], c=colors[doubt], s=2 * size, marker="x", lw=0.6, **shades)
        axes.scatter([], [], color="black", s=12, marker="x", lw=0.6, label=note)
    if labels is not None and labels.is_numeric:
        axes.figure.colorbar(shown, ax=axes, label=labels.name, shrink=0.6, aspect=30)
    if axes.get_legend_handles_labels()[1]:
        below: dict[str, Any] = {
            "loc": "upper center",
            "bbox_to_anchor": (0.5, 0.0),
            "ncols": KEY_COLUMNS,
        }
        axes.legend(frameon=False, handletextpad=0.1, columnspacing=1.0, **below)
    axes.set(xticks=[], yticks=[], aspect="equal")
    axes.spines[:].set_visible(False)
    return axes


def _colors_of_classes(axes: Axes, labels: Labels) -> NDArray:
    """Return the color of each row, and name those of the classes in the key of the axes."""
    from nldr.figures.colors import label_colors

    names, codes = np.unique(labels.values, return_inverse=True)
    shades = label_colors(len(names))
    for name, color in zip(names[:MOST_NAMED], shades, strict=False):
        # A dollar sign would begin a formula
        axes.scatter([], [], color=[color], s=12, label=str(name).replace("$", r"\$"))
    return shades[codes]


# --- all maps of a comparison ---------------------------------------------------------------------


def draw(comparison: ComparedMethods, columns: int = 4) -> Any:
    """Return a Matplotlib figure of the maps, the best first."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise InputError("plot() needs matplotlib: pip install matplotlib") from error

    if columns < 1:
        raise InputError(f"columns={columns}: give the number of pictures in a row, at least 1")
    keys = [key for key in comparison.table["key"] if key in comparison.draws.final]
    rows = -(-len(keys) // columns)
    size = (PANEL * min(columns, len(keys)), (PANEL + 0.3) * rows)
    figure, axes = plt.subplots(
        rows, min(columns, len(keys)), figsize=size, squeeze=False, layout="constrained"
    )
    first = np.asarray(comparison.draws.final[keys[0]].Z)
    for axis in axes.ravel()[len(keys) :]:
        axis.remove()
    for key, axis in zip(keys, axes.ravel(), strict=False):
        final = comparison.draws.final[key]
        Z, _ = align_maps(first, np.asarray(final.Z))
        _draw_points(axis, Z, comparison, key, final.rows)
        row = comparison.table[comparison.table["key"] == key].iloc[0]
        axis.set_title(f"{row.name}  {row['neighborhoods']:.3f}", fontsize=9)
        axis.set(xticks=[], yticks=[])
        axis.set_aspect("equal", adjustable="datalim")
    labels = comparison.data.labels
    if labels is not None and labels.is_numeric:
        shown = axes.ravel()[: len(keys)].tolist()
        figure.colorbar(shown[0].collections[0], ax=shown, label=labels.name, aspect=30)
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=KEY_COLUMNS,
        frameon=False,
    )
    return figure


def _draw_points(axis: Any, Z: Any, comparison: ComparedMethods, key: str, rows: Any) -> None:
    """Draw points in the colors of their labels; those not to be trusted are crosses."""
    labels = comparison.data.labels
    colors: Any = np.full(len(rows), "#444444")
    ends: dict[str, float] = {}
    if labels is not None and labels.is_numeric:
        colors = labels.values[rows]
        ends = {"vmin": colors.min(), "vmax": colors.max()}
    elif labels is not None:
        colors = _colors_of_classes(axis, labels)[rows]
    doubt = comparison.trusts[key].errors["doubt"] == 1
    for mask, marker, size in ((~doubt, "o", 6), (doubt, "x", 10)):
        axis.scatter(*Z[mask].T, c=colors[mask], marker=marker, s=size, linewidths=0.6, **ends)
    axis.scatter([], [], color="black", s=12, marker="x", linewidths=0.6, label="not to trust")
