"""Scores that tell the same: their rank correlations, and clusters of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
from scipy.spatial.distance import squareform

from nldr.figures import style
from nldr.figures.regret import scores_of, titles_of
from nldr.figures.results import StudyResults

N_CLUSTERS = 5
CELL, HEAD, MARGIN = 5.4, 5.0, 3.0  # side of a cell, room for numbers of columns, right margin, mm


@style.journal()
def clusters(results: StudyResults, *, truths: Sequence[str] = ()) -> Figure:
    """Draw how the scores of a study rank its maps alike, as a matrix ordered by clusters.

    Entries are Spearman's rank correlations over the maps of a dataset, by all methods, settings
    and trials, and then means over the datasets. Scores of which less is better are reversed, so
    that a positive entry means agreement. Average linkage of one minus the absolute correlation
    gives five clusters. The representative of a cluster has the highest mean absolute correlation
    with its members.

    Parameters
    ----------
    truths : sequence of str, optional
        Metrics of the study that see the truth; they are below the clusters.

    Returns
    -------
    Figure
        The matrix, with a frame around each cluster and the representatives in bold.

    Raises
    ------
    ValueError
        If the study has fewer than two scores.
    """
    scores = scores_of(results.metrics, truths)
    if len(scores) < 2:
        raise ValueError("the figure compares scores: the study needs two of them")
    names = [*scores, *(name for name in truths if name in results.metrics)]
    directions = [str(results.metrics[name]["direction"]) for name in names]
    matrix = rank_correlations(results.table[results.table["ok"]], names, directions)
    groups = group_scores(matrix[: len(scores), : len(scores)])
    order = [i for group in groups for i in group] + [*range(len(scores), len(names))]
    bold = [representative(matrix, group) for group in groups]
    title_of = {name: title for title, name in titles_of(results.metrics, names).items()}
    labels = [title_of[names[i]] for i in order]
    # Size of the figure
    numbers = [f"{label}  {row}" for row, label in enumerate(labels, 1)]
    left = max(style.text_width(text, 1.15 * style.SMALL) for text in numbers) + 4
    side = CELL * len(names)
    width = max(left + side + MARGIN, style.DOUBLE)
    below = len(names) > len(scores)
    note = _note(results, [title_of[names[i]] for i in bold], below)
    figure, head = style.titled_figure(width, HEAD + side + 2, results.title, note)
    axes = style.add_axes(figure, left, head + HEAD, side, side)
    _draw_matrix(axes, matrix[np.ix_(order, order)], [len(group) for group in groups])
    # Names of rows, and their numbers above the columns
    for row, (i, text) in enumerate(zip(order, numbers, strict=True)):
        weight = "bold" if i in bold else "normal"
        middle = head + HEAD + (row + 0.5) * CELL
        look = {"size": style.SMALL, "weight": weight}
        style.add_text(figure, left - 1, middle, text, ha="right", va="center_baseline", **look)
        look |= {"ha": "center", "va": "bottom"}
        style.add_text(figure, left + (row + 0.5) * CELL, head + HEAD - 1, f"{row + 1}", **look)
    return figure


def rank_correlations(
    table: pd.DataFrame, metrics: Sequence[str], directions: Sequence[str]
) -> NDArray:
    """Return the mean over datasets of the rank correlations between scores of maps.

    Parameters
    ----------
    table : DataFrame
        One row per map, with its ``data_cell`` and one column per metric.
    metrics, directions : sequence of str
        The metrics, and whether ``"higher"`` or ``"lower"`` is better.

    Returns
    -------
    ndarray of shape (n_metrics, n_metrics)
        Correlations, 1 on the diagonal; 0 for a pair of which one is constant on all datasets.

    Examples
    --------
    >>> table = pd.DataFrame({"data_cell": "a", "x": [1.0, 2.0, 3.0], "y": [3.0, 2.0, 1.0]})
    >>> rank_correlations(table, ["x", "y"], ["higher", "lower"]).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    signs = [1.0 if direction == "higher" else -1.0 for direction in directions]
    signed = table[[*metrics]].astype(float) * signs
    matrices = [
        maps.corr("spearman", min_periods=3).to_numpy()
        for _, maps in signed.groupby(table["data_cell"], sort=False)
    ]
    stacked = np.array(matrices)
    counts = np.isfinite(stacked).sum(axis=0)
    mean = np.where(counts > 0, np.nansum(stacked, axis=0) / np.maximum(counts, 1), 0.0)
    np.fill_diagonal(mean, 1.0)
    return mean


def group_scores(correlations: NDArray, n_clusters: int = N_CLUSTERS) -> list[list[int]]:
    """Return clusters by average linkage, similar ones next to each other.

    Parameters
    ----------
    correlations : ndarray of shape (n, n)
        Correlations, of which the size counts.
    n_clusters : int, default=5
        Largest number of clusters.

    Returns
    -------
    list of list of int
        Members of each cluster.

    Examples
    --------
    >>> group_scores(np.array([[1.0, 0.1, -0.9], [0.1, 1.0, 0.2], [-0.9, 0.2, 1.0]]), 2)
    [[1], [0, 2]]
    """
    distances = squareform(1.0 - np.abs(correlations), checks=False)
    tree = linkage(distances, "average")
    member_of = fcluster(tree, n_clusters, "maxclust")
    groups: dict[int, list[int]] = {}
    for leaf in leaves_list(tree):
        groups.setdefault(int(member_of[leaf]), []).append(int(leaf))
    return list(groups.values())


def representative(correlations: NDArray, group: Sequence[int]) -> int:
    """Return the member of a cluster with the highest mean absolute correlation with it.

    Examples
    --------
    >>> representative(np.array([[1.0, 0.8, 0.2], [0.8, 1.0, 0.7], [0.2, 0.7, 1.0]]), [0, 1, 2])
    1
    """
    within = np.abs(correlations[np.ix_(group, group)])
    return group[int(within.mean(axis=1).argmax())]


def _draw_matrix(axes: Axes, matrix: NDArray, sizes: Sequence[int]) -> None:
    """Draw the entries as colored numbers, with a frame around each cluster."""
    n, colors = len(matrix), Normalize(-1.0, 1.0)
    axes.imshow(matrix, cmap="PuOr", norm=colors, extent=(0, n, n, 0), interpolation="nearest")
    axes.axis("off")
    for i in range(n):
        for j in range(n):
            shade = "white" if abs(matrix[i, j]) > 0.55 else "black"
            look: dict[str, Any] = {"size": style.SMALL, "ha": "center", "va": "center_baseline"}
            axes.text(
                j + 0.5, i + 0.5, _short(matrix[i, j]), color=shade, gid="correlation", **look
            )
    frame: dict[str, Any] = {"fill": False, "edgecolor": "black", "linewidth": 1.2}
    start = 0
    for size in sizes:
        axes.add_patch(Rectangle((start, start), size, size, gid="cluster", clip_on=False, **frame))
        start += size


def _short(value: float) -> str:
    """Return a correlation with two decimals and no zero before the point.

    Examples
    --------
    >>> _short(0.954), _short(-0.3), _short(1.0), _short(-0.001)
    ('.95', '−.30', '1', '.00')
    """
    text = f"{abs(value):.2f}"
    sign = "−" if value < 0 and float(text) else ""
    return sign + ("1" if text == "1.00" else text.removeprefix("0"))


def _note(results: StudyResults, representatives: Sequence[str], below: bool) -> str:
    """Return the sentences below the matrix."""
    return (
        "Spearman's ρ over the maps of a dataset, mean over "
        f"{results.table['data_cell'].nunique()} datasets; where less is better, scores are "
        "reversed. Frames: clusters by average linkage of 1 − |ρ|. Bold: their representatives, "
        f"{'; '.join(representatives)}.{' Below: agreement with the truth.' if below else ''}"
    )
