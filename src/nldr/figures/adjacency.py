"""Matrices of equal labels beside kernel matrices of the data and of each embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.spatial.distance import pdist, squareform

from nldr.figures import style
from nldr.figures.results import StudyResults, left_out

NOTE = (
    "First trial of each; rows and columns are points, ordered by label. SE kernel exp(−d² / 2l²), "
    "l the median distance of pairs of the same label. AUC: probability that a pair of the same "
    "label has a larger entry than a pair of different labels (chance 0.5). Largest class: the "
    "same for pairs in this class vs. pairs with only one point in it; below 0.5 if its points are "
    "farther from each other than from other classes."
)
LEFT, SIDE, GAP, ABOVE, BELOW, BAR = 4.0, 40.0, 3.0, 8.5, 4.5, 11.0  # margins, panel, color bar, mm


@style.journal()
def adjacency(results: StudyResults) -> Figure:
    """Draw the pairs of points with the same label, and the SE kernel of data and embeddings.

    The kernel is exp(-d² / 2l²), where the length scale l is the median distance between points of
    the same label. The numbers below each matrix are the probability that a pair of the same label
    has a larger entry than a pair of different labels (the area under the ROC curve), and the same
    for pairs with at least one point in the largest class, such as a sphere around the others.

    Parameters
    ----------
    results : StudyResults
        The study's results, on one dataset with labels.

    Returns
    -------
    Figure
        The ideal adjacency, the kernel of the observations, and that of each method's embedding
        of the first trial. Points are ordered by label.

    Raises
    ------
    ValueError
        If there are several datasets, or no labels.
    """
    cells = results.table["data_cell"].unique()
    table = results.table[results.table["trial"] == results.table["trial"].min()]
    rows = table.assign(column=results.method_titles()).to_dict("records")
    data, _ = results.panel(cells[0], rows[0]["method_cell"])
    if len(cells) > 1 or data.y is None:
        raise ValueError(
            "the figure shows one dataset with labels: leave other datasets out of the study"
        )
    # Ideal adjacency and kernel of the observations, ordered by label
    order = np.argsort(data.y, kind="stable")
    is_same = data.y[order][:, np.newaxis] == data.y[order]
    matrices = {"same label": is_same.astype(float)}
    matrices["SE kernel of the observations"] = kernel_matrix(data.X[order], is_same)
    # Kernel of each embedding
    failures = []
    for row in rows:
        embedding = results.panel(row["data_cell"], row["method_cell"])[1]
        if embedding is None:
            failures.append(row["column"])
            continue
        name = f"SE kernel after {row['column']}"
        matrices[name] = kernel_matrix(embedding[order], is_same)
    note = f"{NOTE} {left_out(failures, 'failed')}".strip()
    return _draw_matrices(results.title, matrices, is_same, note)


def kernel_matrix(points: NDArray, same: NDArray) -> NDArray:
    """Return the SE kernel of points, with the median distance of ``same`` pairs as length scale.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_columns)
        Points.
    same : ndarray of bool of shape (n_samples, n_samples)
        Marks the pairs whose distances give the length scale.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        Values in [0, 1].

    Examples
    --------
    >>> kernel_matrix(np.array([[0.0], [2.0]]), np.ones((2, 2), bool)).round(3).tolist()
    [[1.0, 0.607], [0.607, 1.0]]
    """
    distances = squareform(pdist(points))
    distances_within = distances[same & ~np.eye(len(points), dtype=bool)]
    return np.exp(-0.5 * (distances / np.median(distances_within)) ** 2)


def _draw_matrices(title: str, matrices: dict[str, NDArray], is_same: NDArray, note: str) -> Figure:
    """Draw named matrices, each with its areas under the ROC curve."""
    # Sizes
    per_line = min(len(matrices), 4)
    lines = -(-len(matrices) // per_line)
    width = LEFT + per_line * (SIDE + GAP) + BAR
    pitch = ABOVE + SIDE + BELOW
    figure, head = style.titled_figure(width, lines * pitch + 3, title, note)
    # Pairs of points, and those with a point in the largest class
    pairs = np.triu_indices(len(is_same), 1)
    sizes = is_same.sum(axis=0)
    largest = (sizes[pairs[0]] == sizes.max()) | (sizes[pairs[1]] == sizes.max())
    # Matrices
    image: Any = None
    for i, (name, matrix) in enumerate(matrices.items()):
        left = LEFT + i % per_line * (SIDE + GAP)
        top = head + i // per_line * pitch
        text = style.wrap(name, style.TEXT, SIDE)
        style.add_text(figure, left, top + ABOVE - 1, text, va="bottom")
        axes = style.add_axes(figure, left, top + ABOVE, SIDE, SIDE)
        axes.set(xticks=[], yticks=[])
        image = axes.imshow(matrix, cmap="viridis", vmin=0, vmax=1, interpolation="nearest")
        of_all = _area(matrix[pairs], is_same[pairs])
        of_largest = _area(matrix[pairs][largest], is_same[pairs][largest])
        area = f"AUC {of_all:.3f}, largest class {of_largest:.3f}"
        style.add_text(figure, left, top + ABOVE + SIDE + 1, area, color=style.GRAY)
    # Color bar
    bar = style.add_axes(figure, width - BAR + 1, head + ABOVE, 2, SIDE)
    figure.colorbar(image, cax=bar, ticks=[0, 0.5, 1])
    return figure


def _area(values: NDArray, positive: NDArray) -> float:
    """Return the area under the ROC curve."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(positive, values))
