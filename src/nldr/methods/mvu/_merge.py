"""Merging of points that are nearly repeated, whose edges make a problem ill-conditioned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


@dataclass(frozen=True)
class MergedGraph:
    """Graph in which each group of nearly equal points has one representative.

    Attributes
    ----------
    representative : ndarray of shape (n_samples,)
        Row that represents each point; its own for most.
    edges : ndarray of shape (n_merged_edges, 2)
        Pairs of representatives, ascending.
    origin : ndarray of shape (n_merged_edges,)
        Position of one original edge between the two groups.
    within : ndarray of shape (n_within,)
        Positions of the original edges within groups.
    """

    representative: NDArray
    edges: NDArray
    origin: NDArray
    within: NDArray

    @property
    def pairs(self) -> NDArray:
        """Return each point that is not a representative, with its representative."""
        points = np.flatnonzero(self.representative != np.arange(len(self.representative)))
        return np.column_stack([points, self.representative[points]])


def merge_points(edges: NDArray, squared: NDArray, n_samples: int, longest: float) -> MergedGraph:
    """Return the graph with the ends of edges of squared length up to `longest` merged.

    Examples
    --------
    >>> edges = np.array([[0, 1], [0, 2], [1, 2], [2, 3]])
    >>> merged = merge_points(edges, np.array([0.0, 1.0, 1.0, 1.0]), 4, 0.0)
    >>> merged.representative.tolist(), merged.edges.tolist(), merged.origin.tolist()
    ([0, 0, 2, 3], [[0, 2], [2, 3]], [1, 3])
    """
    # Groups of points joined by short edges; the first one of each represents it
    i, j = edges[squared <= longest].T
    short = csr_array((np.ones(len(i)), (i, j)), shape=(n_samples, n_samples))
    labels = connected_components(short, directed=False)[1]
    representative = np.unique(labels, return_index=True)[1][labels]

    merged = np.sort(representative[edges], axis=1)
    between = np.flatnonzero(merged[:, 0] != merged[:, 1])
    unique, first = np.unique(merged[between], axis=0, return_index=True)
    within = np.flatnonzero(merged[:, 0] == merged[:, 1])
    return MergedGraph(representative, unique, between[first], within)
