"""Parts of a graph of different scales, between which edges are far longer than within.

One outlier, or a component of a smaller scale, leaves errors relative to all edges or to the whole
variance without meaning for the other points. Each part is therefore also judged by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

LONG = 15  # length of an edge, relative to the median at one of its ends, that separates parts
LONG_BRIDGE = 300  # the same of edges that join components, which are long on purpose
MERGED = 1e-5  # length up to which points count as repeated, in root mean squared lengths
SHORT = 0.2  # length that shorter edges count as, in root mean squared lengths


@dataclass(frozen=True)
class Parts:
    """Parts of a graph, and the edges that are not long.

    Attributes
    ----------
    labels : ndarray of shape (n_samples,)
        Part of each point.
    inside : ndarray of bool, shape (n_edges,)
        Whether an edge is within a part, and not long.
    repeated : float
        Squared length up to which the ends of an edge count as repeated points.
    of_edges : ndarray of shape (n_edges,)
        Squared length that the error of each edge is relative to: its own, or if it is short (if
        there are several parts, only between repeated points), a share of the mean.
    """

    labels: NDArray
    inside: NDArray
    repeated: float
    of_edges: NDArray

    @property
    def several(self) -> bool:
        """Return whether an edge is so long that it separates parts."""
        return not self.inside.all()

    def is_rigid(self, label: int, edges: NDArray) -> bool:
        """Return whether a part has no shape to determine: all its points are joined."""
        size = np.count_nonzero(self.labels == label)
        joined = np.count_nonzero(self.inside & (self.labels[edges[:, 0]] == label))
        return bool(2 * joined >= size * (size - 1))


def parts_of(
    edges: NDArray, squared: NDArray, n_samples: int, bridges: NDArray | None = None
) -> Parts:
    """Return the parts of a graph that remain without its long edges.

    `bridges` are pairs of rows whose edges join components of the graph of nearest neighbors.

    Examples
    --------
    >>> edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
    >>> parts = parts_of(edges, np.array([1.0, 1.0, 1e4, 1.0]), 5)
    >>> parts.labels.tolist(), parts.inside.tolist(), f"{parts.repeated:.0e}"
    ([0, 0, 0, 1, 1], [True, True, False, True], '1e-10')
    """
    # Long edges, relative to the median at an end; points whose median is zero do not count
    typical = _median_at_points(edges, squared, n_samples)
    typical[typical == 0] = np.inf
    joining = np.zeros(len(edges), dtype=bool)
    if bridges is not None and len(bridges):
        pairs = {(min(i, j), max(i, j)) for i, j in bridges.tolist()}
        joining = np.array([tuple(edge) in pairs for edge in edges.tolist()])
    longest = np.where(joining, LONG_BRIDGE, LONG) ** 2 * typical[edges].min(axis=1)
    inside = squared <= longest

    i, j = edges[inside].T
    graph = csr_array((np.ones(len(i)), (i, j)), shape=(n_samples, n_samples))
    labels = connected_components(graph, directed=False)[1]
    several = not inside.all()
    unit = float(squared[inside].mean()) if several and inside.any() else float(squared.mean())
    short = squared <= (MERGED if several else SHORT) ** 2 * unit
    of_edges = np.where(short, SHORT**2 * unit, squared)
    return Parts(labels, inside, MERGED**2 * unit, of_edges)


def relative_error(
    parts: Parts, squared: NDArray, edges: NDArray, coordinates: NDArray, *, shrink: bool = False
) -> float:
    """Return half the largest error of an edge's squared length, relative to it.

    For small errors, this is the relative error of the length.

    Examples
    --------
    >>> edges, squared = np.array([[0, 1], [1, 2], [2, 3]]), np.array([1.0, 1.0, 1e4])
    >>> line = np.array([[0.0], [1.01], [2.01], [102.01]])
    >>> round(relative_error(parts_of(edges, squared, 4), squared, edges, line), 3)
    0.01
    """
    steps = coordinates[edges[:, 0]] - coordinates[edges[:, 1]]
    excess = np.square(steps).sum(axis=1) - squared
    error, scale = (np.maximum(excess, 0.0) if shrink else np.abs(excess)), parts.of_edges
    return float((error[scale > 0] / scale[scale > 0]).max(initial=0.0) / 2)


def _median_at_points(edges: NDArray, values: NDArray, n_samples: int) -> NDArray:
    """Return the lower median of the values of each point's edges; zero without edges."""
    ends, twice = edges.T.ravel(), np.tile(values, 2)
    order = np.lexsort((twice, ends))
    count = np.bincount(ends, minlength=n_samples)
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    median = np.zeros(n_samples)
    joined = count > 0
    median[joined] = twice[order][(first + (count - 1) // 2)[joined]]
    return median
