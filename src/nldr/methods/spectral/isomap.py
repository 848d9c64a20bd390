"""Isomap: classical scaling of geodesic distances on the graph of nearest neighbors."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import shortest_path
from sklearn.base import _fit_context
from sklearn.decomposition import KernelPCA
from sklearn.neighbors import NearestNeighbors
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from nldr.methods._base import Embedder
from nldr.neighborhoods.joining import REMEDIES, repair


class Isomap(Embedder):
    """Isomap of the graph of nearest neighbors.

    With default parameters it equals scikit-learn's Isomap, with two differences: added edges are
    recorded, and repeated fits are identical (the eigensolver starts from a fixed vector, which
    scikit-learn does not offer).

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    n_neighbors : int, default=5
        Number of neighbors of a point, not counting the point itself.
    disconnected : {"warn", "error", "bridges", "enhanced", "more_neighbors"}, default="warn"
        Remedy if the graph is disconnected, since geodesic distances between connected components
        do not exist. ``"warn"`` joins each pair of components at its closest pair of points, as
        scikit-learn does, and warns; a distance within a component changes only where a path
        through other components is shorter. ``"error"`` raises an error. The other remedies do not
        warn: ``"bridges"`` adds the shortest edges that join all components, ``"enhanced"`` joins
        the same components by more edges than the data have dimensions (see
        :func:`nldr.neighborhoods.joining_edges`), and ``"more_neighbors"`` uses the smallest number
        of neighbors that connects the graph.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. The entry of largest magnitude of each column is
        positive.
    n_connected_components_ : int
        Number of connected components of the graph before edges were added.
    added_edges_ : ndarray of shape (n_added, 2)
        Pairs of training rows that were joined; empty if the graph is connected.
    n_neighbors_ : int
        Number of neighbors used.
    dist_matrix_ : ndarray of shape (n_samples, n_samples)
        Geodesic distances, in units of `X`.
    nbrs_ : NearestNeighbors
        Search index of the training rows.
    kernel_pca_ : KernelPCA
        Classical scaling of the geodesic distances, as kernel PCA.

    Warns
    -----
    DisconnectedGraphWarning
        If the graph is disconnected and `disconnected` is ``"warn"``.

    Notes
    -----
    The shortest paths take time O(n_samples² · (n_neighbors + log n_samples)) and memory for a few
    n_samples × n_samples matrices.

    References
    ----------
    J. Tenenbaum, V. de Silva and J. Langford, "A global geometric framework for nonlinear
    dimensionality reduction", Science 290, 2000.

    Examples
    --------
    A half circle is unrolled to its length, π:

    >>> import numpy as np
    >>> angle = np.linspace(0, np.pi, 100)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> embedding = Isomap(n_components=1, n_neighbors=2).fit_transform(X)
    >>> round(float(np.ptp(embedding)), 2)
    3.14
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "disconnected": [StrOptions(REMEDIES)],
    }

    def __init__(
        self, n_components: int = 2, *, n_neighbors: int = 5, disconnected: str = "warn"
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.disconnected = disconnected

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> Isomap:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        Isomap
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows, or the graph is disconnected and `disconnected` is
            ``"error"``.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)

        def consequence(_: csr_array, added_edges: NDArray) -> str:
            if len(added_edges) == 0:
                return "no geodesic distances exist between them"
            return (
                "geodesic distances between them depend on edges added between their closest "
                f"points, the longest of length {max(_edge_lengths(data, added_edges)):.3g}"
            )

        # Number of neighbors and edges that connect the graph
        repaired = repair(
            data, self.n_neighbors, self.disconnected, consequence, join_after_warning=True
        )
        self.n_neighbors_ = repaired.n_neighbors
        self.n_connected_components_ = repaired.n_connected_components
        self.added_edges_ = repaired.added_edges

        # Graph of distances
        self.nbrs_ = NearestNeighbors(n_neighbors=self.n_neighbors_).fit(data)
        graph = _append_edges(
            self.nbrs_.kneighbors_graph(mode="distance"),
            self.added_edges_,
            _edge_lengths(data, self.added_edges_),
        )

        # Geodesic distances: shortest paths by Dijkstra's algorithm
        self.dist_matrix_ = shortest_path(graph, method="D", directed=False)

        # Classical scaling; kernel PCA centers the matrix and fixes the signs
        self.kernel_pca_ = KernelPCA(self.n_components, kernel="precomputed", random_state=0)
        self.embedding_ = self.kernel_pca_.fit_transform(-0.5 * self.dist_matrix_**2)
        return self

    def transform(self, X: ArrayLike) -> NDArray:
        """Embed new rows by their geodesic distances through the training rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Observations.

        Returns
        -------
        ndarray of shape (n_queries, n_components)
            Coordinates of the new rows.
        """
        check_is_fitted(self)
        data: NDArray = validate_data(self, X, reset=False, dtype=np.float64)

        # Geodesic distances: the shortest path starts at one of the nearest training rows
        distances, neighbors = self.nbrs_.kneighbors(data)
        geodesics = np.stack(
            [
                np.min(self.dist_matrix_[rows] + first[:, np.newaxis], axis=0)
                for rows, first in zip(neighbors, distances, strict=True)
            ]
        )

        # Out-of-sample extension of classical scaling
        return self.kernel_pca_.transform(-0.5 * geodesics**2)


def _edge_lengths(X: NDArray, edges: NDArray) -> NDArray:
    """Return the Euclidean lengths of edges between rows."""
    return np.linalg.norm(X[edges[:, 0]] - X[edges[:, 1]], axis=1)


def _append_edges(graph: csr_array, edges: NDArray, lengths: NDArray) -> csr_array:
    """Return a graph of distances with added edges.

    The entries are concatenated because adding sparse matrices would drop edges of length zero.
    """
    known = graph.tocoo()
    values = np.append(known.data, lengths)
    positions = np.hstack([[known.row, known.col], edges.T])
    return coo_array((values, positions), shape=graph.shape).tocsr()
