"""Placement of new points by local linear maps of an unfolding.

Around a new point x, let X hold its nearest training points, less their mean x̄, and Y their
coordinates, less their mean ȳ. With the singular value decomposition X = U S Vᵀ, the local map is

    y = ȳ + (x − x̄) V A,  A = S⁻¹ Uᵀ Y,                                                      (1)

the linear map of least squares. An unfolding does not increase distances along the manifold, so
singular values of A above 1 come from noise or curvature and are set to 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

ROUNDING = 1e-9  # singular value, relative to the largest, that counts as zero
CANDIDATES = 4  # searched neighbors per used one, where there are several connected components


class LocalMaps:
    """Local linear maps of an unfolding.

    A map uses at most `n_neighbors` training points, all in the connected component of the nearest
    one, as the edges (n_edges, 2) between training points tell.

    Examples
    --------
    >>> data = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    >>> maps = LocalMaps(data, np.array([[-1.0], [0.0], [1.0]]), np.array([[0, 1], [1, 2]]), 2)
    >>> maps(np.array([[0.5, 0.3]])).round(6)
    array([[-0.5]])
    """

    def __init__(
        self, data: NDArray, coordinates: NDArray, edges: NDArray, n_neighbors: int
    ) -> None:
        self.data, self.coordinates = data, coordinates
        self.n_neighbors = min(n_neighbors, len(data))

        # Connected component of each training point
        graph = coo_array((np.ones(len(edges)), tuple(edges.T)), shape=(len(data), len(data)))
        n_labels, self.labels = connected_components(graph, directed=False)
        n_searched = self.n_neighbors * (CANDIDATES if n_labels > 1 else 1)
        self.search = NearestNeighbors(n_neighbors=min(n_searched, len(data))).fit(data)

    def __call__(self, points: NDArray) -> NDArray:
        """Return the coordinates of new points, given their features."""
        nearest = self.search.kneighbors(points, return_distance=False)
        placed = [self._place(x, self._chosen(row)) for x, row in zip(points, nearest, strict=True)]
        return np.array(placed).reshape(len(points), self.coordinates.shape[1])

    def from_distances(self, distances: NDArray) -> NDArray:
        """Return the coordinates of new points, given their distances to all training points."""
        rows = []
        for d in distances:
            chosen = self._chosen(np.argsort(d, kind="stable")[: self.search.n_neighbors])
            centered = self.data[chosen] - self.data[chosen].mean(axis=0)
            # Inner products with the point, from the law of cosines up to a constant
            product = (np.square(centered).sum(axis=1) - np.square(d[chosen])) / 2
            # Its projection onto the affine hull of its neighbors
            offset = np.linalg.lstsq(centered, product - product.mean(), rcond=ROUNDING)[0]
            rows.append(self._place(self.data[chosen].mean(axis=0) + offset, chosen))
        return np.array(rows).reshape(len(distances), self.coordinates.shape[1])

    def _chosen(self, nearest: NDArray) -> NDArray:
        """Return the training points of a map, among those nearest to a new point."""
        same = self.labels[nearest] == self.labels[nearest[0]]
        return nearest[same][: self.n_neighbors]

    def _place(self, x: NDArray, chosen: NDArray) -> NDArray:
        """Return the coordinates of a point by the map of some training points, Eq. 1."""
        X, Y = self.data[chosen], self.coordinates[chosen]
        center, target = X.mean(axis=0), Y.mean(axis=0)

        # Directions in which the points differ
        U, s, Vt = np.linalg.svd(X - center, full_matrices=False)
        used = s > ROUNDING * max(s[0], np.finfo(float).tiny)
        slopes = (U.T[used] @ (Y - target)) / s[used, np.newaxis]

        # Singular values of the map at most 1
        left, values, right = np.linalg.svd(slopes, full_matrices=False)
        slopes = (left * np.minimum(values, 1.0)) @ right
        return target + (Vt[used] @ (x - center)) @ slopes
