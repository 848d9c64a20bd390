"""Distances in place of points: points that have them, as far as points can."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from nldr.comparison.stability import neighbors_of
from nldr.comparison.words import percent
from nldr.inputs import InputError, Matrix

LANDMARKS = 1000  # points from which paths are measured
N_AXES = 50  # of points that stand for a graph
SAMPLE = 500  # points whose neighbors are compared
SHORT = 1e-9  # distance of equal points in a graph, in units of the longest
ROUNDING = 1e-7  # distance of equal points, in units of the longest; a root of 1e-16 is 1e-8
KEPT = 0.95  # share of neighbors below which points do not stand for distances
UNIT = "the coordinates are computed from the distances"  # of such points


def points_of_distances(matrix: Matrix) -> Matrix:
    """Return points with given distances, as far as points can have them (classical scaling).

    The matrix is a square table of the distances between all points, or a sparse one with the
    distances to the nearest neighbors, see :func:`points_of_graph`. The columns of the points are
    the axes of classical scaling. Raises InputError if these are no distances.

    Examples
    --------
    >>> D = np.abs(np.subtract.outer([0.0, 1.0, 3.0], [0.0, 1.0, 3.0]))
    >>> points_of_distances(Matrix(D, ["a", "b", "c"])).values.ravel().round(2)
    array([ 1.33,  0.33, -1.67])
    """
    D = matrix.values
    if D.shape[0] != D.shape[1]:
        raise InputError(
            f"precomputed distances must be a square array, got shape {D.shape}: pass one row and "
            "one column per point"
        )
    if matrix.is_sparse:
        points = points_of_graph(D)
        return Matrix(points, _axes(points), matrix.index, unit=UNIT)
    D = _without_rounding(D)
    _check(D)
    centered = -0.5 * D**2
    centered = centered - centered.mean(axis=0) - centered.mean(axis=1)[:, None] + centered.mean()
    eigenvalues, vectors = np.linalg.eigh(centered)
    positive = eigenvalues > 1e-9 * max(eigenvalues[-1], 1e-300)
    points = (vectors[:, positive] * np.sqrt(eigenvalues[positive]))[:, ::-1]
    return Matrix(points, _axes(points), matrix.index, unit=UNIT)


def points_of_graph(graph: csr_array) -> NDArray:
    """Return points whose distances are the lengths of paths in a graph of nearest neighbors.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Distances to the nearest neighbors, in one direction or both.

    Returns
    -------
    ndarray of shape (n, at most 50)
        Axes of landmark scaling with 1000 landmarks. Parts without connection are as far from each
        other as the two points of one part that are the farthest.

    Raises
    ------
    InputError
        If a point has no neighbor, or if the graph does not hold distances.

    References
    ----------
    V. de Silva and J. Tenenbaum, "Sparse multidimensional scaling using landmark points", 2004,
    for the scaling.

    Examples
    --------
    >>> line = csr_array(np.diag([1.0, 2.0, 1.5], 1))
    >>> points = points_of_graph(line)
    >>> np.abs(points - points[0]).ravel().round(6)
    array([0. , 1. , 3. , 4.5])
    """
    from scipy.sparse.csgraph import dijkstra

    _check_graph(graph)
    graph = _with_short_edges(graph)
    both = graph.maximum(graph.T).tocsr()
    if (lonely := np.diff(both.indptr) == 0).any():
        raise InputError(
            f"point {lonely.argmax()} has no neighbor in the graph ({lonely.sum()} such points): "
            "leave it out, or compute the graph again"
        )
    n = both.shape[0]
    landmarks = np.sort(np.random.default_rng(0).permutation(n)[:LANDMARKS])
    lengths = dijkstra(both, directed=False, indices=landmarks)
    lengths[np.isinf(lengths)] = lengths[np.isfinite(lengths)].max()
    squares = lengths**2
    # Classical scaling of the landmarks, then the place of each point by its distances to them
    inner = squares[:, landmarks]
    means = inner.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (inner - means - means[:, None] + inner.mean()))
    positive = np.flatnonzero(values > 1e-9 * values[-1])[::-1][:N_AXES]
    axes = vectors[:, positive] / np.sqrt(values[positive])
    return -0.5 * (squares - means[:, None]).T @ axes


def _check_graph(graph: csr_array) -> None:
    """Refuse a graph without distances."""
    if not graph.nnz:
        return
    what = "negative numbers" if (graph.data < 0).any() else ""
    for value, name in ((0, "zeros"), (1, "ones")):
        what = f"nothing but {name}" if (graph.data == value).all() else what
    if what:
        raise InputError(
            f"the graph of neighbors holds {what}, not distances: make it with "
            "sklearn.neighbors.kneighbors_graph(X, 15, mode='distance')"
        )


def _with_short_edges(graph: csr_array) -> csr_array:
    """Return a graph in which equal points, at distance 0, are neighbors."""
    first = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    equal = (graph.data == 0) & (graph.indices != first)
    data = np.where(equal, SHORT * graph.data.max(initial=0.0), graph.data)
    return csr_array((data, graph.indices, graph.indptr), shape=graph.shape)


def words_on_distances(D: NDArray, points: NDArray) -> list[str]:
    """Return a line if points do not have the nearest neighbors that the distances tell.

    Examples
    --------
    >>> line = np.arange(30.0)[:, None]
    >>> words_on_distances(np.abs(line - line.T), line)
    []
    """
    from nldr.metrics.recovery import nearest

    rows = np.random.default_rng(1).permutation(len(points))[:SAMPLE]
    k = neighbors_of(len(points))
    lists = nearest(points, k + 1, points[rows])
    lists = np.array([row[row != i][:k] for i, row in zip(rows, lists, strict=True)])
    # The nearest by the distances, and what is as near; the point itself comes first
    bounds = np.partition(D[rows], k, axis=1)[:, k]
    share = (D[rows[:, None], lists] <= bounds[:, None] * (1 + 1e-9)).mean()
    if share >= KEPT:
        return []
    return [
        "no points have exactly these distances; for the points that come closest, "
        f"{percent(share)} of the {k} nearest neighbors are correct, and all scores refer to these "
        "points"
    ]


def words_on_graph(graph: csr_array, points: NDArray) -> str:
    """Return how many of the neighbors in a graph are neighbors of the points that stand for it."""
    from nldr.metrics.recovery import nearest

    rows = np.random.default_rng(1).permutation(len(points))[:SAMPLE]
    shares = []
    k = max(int(np.median(np.diff(graph.indptr))), 1)
    for row, lists in zip(rows, nearest(points, k + 1, points[rows]), strict=True):
        neighbors = graph.indices[graph.indptr[row] : graph.indptr[row + 1]]
        shares.append(np.isin(neighbors, lists).mean() if len(neighbors) else np.nan)
    return (
        "the data are points whose distances are the lengths of paths in the graph; "
        f"{percent(float(np.nanmean(shares)))} of the neighbors in the graph are neighbors of "
        "these points"
    )


def _axes(points: NDArray) -> list[str]:
    return [f"axis {j + 1}" for j in range(points.shape[1])]


def looks_like_distances(values: Any) -> bool:
    """Tell whether a table of numbers may hold distances between its rows.

    Examples
    --------
    >>> line = np.arange(30.0)[:, None]
    >>> looks_like_distances(np.abs(line - line.T)), looks_like_distances(line)
    (True, False)
    """
    if issparse(values) or values.shape[0] != values.shape[1]:
        return False
    values = _without_rounding(values)
    if np.diag(values).any():
        return False
    return bool((values >= 0).all() and np.allclose(values, values.T))


def _without_rounding(D: NDArray) -> NDArray:
    """Return distances with 0 for rounding errors on the diagonal and below 0.

    Examples
    --------
    >>> _without_rounding(np.array([[1e-16, -1e-16], [2.0, -0.1]])).tolist()
    [[0.0, 0.0], [2.0, -0.1]]
    """
    sizes = np.abs(D)
    is_rounded = sizes < ROUNDING * np.nanmax(sizes, initial=0.0)
    return np.where(is_rounded & ((D < 0) | np.eye(len(D), dtype=bool)), 0.0, D)


def _check(D: Any) -> None:
    """Refuse what are no distances."""
    if np.diag(D).any():
        row = int(np.flatnonzero(np.diag(D))[0])
        raise InputError(
            f"the distance of point {row} from itself is {D[row, row]:g}, not 0: are these "
            "similarities (pass 1 - S), or rows and columns in different orders?"
        )
    for wrong, what in (
        (np.isnan(D), "is missing: fill it in, or leave one of them out"),
        (D < 0, "is negative: are these similarities (pass 1 - S)?"),
    ):
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            raise InputError(f"the distance of points {i} and {j} {what}")
    if (wrong := ~np.isclose(D, D.T)).any():
        i, j = np.argwhere(wrong)[0]
        raise InputError(
            f"the distance of points {i} and {j} is {D[i, j]:g} in one direction and {D[j, i]:g} "
            "in the other: distances are symmetric; use (D + D.T) / 2"
        )
    if not D.any():
        raise InputError("all distances are 0: there is nothing to map")
