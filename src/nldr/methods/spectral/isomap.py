"""Isomap: classical scaling of geodesic distances on the graph of nearest neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import shortest_path
from scipy.sparse.linalg import norm as sparse_norm
from sklearn.decomposition import KernelPCA
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from nldr.methods._base import OutOfSampleEmbedder
from nldr.methods._graph import GRAPH_CONSTRAINTS
from nldr.methods._sparse import SparseGraphEmbedder
from nldr.validation import StrOptions


class Isomap(SparseGraphEmbedder, OutOfSampleEmbedder):
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
    scaling : {"root", "eigenvalue"}, default="root"
        Whether the axes of classical scaling are its eigenvectors times the square roots of their
        eigenvalues, which reproduces geodesic distances, or times the eigenvalues, as in the
        released runs of Costa, Maximum Variance Unfolding on Disjoint Manifolds.
    disconnected : {"warn", "error", "bridges", "enhanced", "more_neighbors"}, default="warn"
        Remedy if the graph is disconnected, since geodesic distances between connected components
        do not exist. ``"warn"`` joins each pair of components at its closest pair of points, as
        scikit-learn does, and warns; ``"error"`` raises an error. The others do not warn:
        ``"bridges"`` adds the shortest edges that join all components, ``"enhanced"`` more edges
        than the data have dimensions (see :func:`nldr.neighborhoods.joining_edges`), and
        ``"more_neighbors"`` uses the smallest number of neighbors that connects the graph.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. The entry of largest magnitude of each column is
        positive.
    dist_matrix_ : ndarray of shape (n_samples, n_samples)
        Geodesic distances, in units of `X`.
    nbrs_ : NearestNeighbors
        Search index of the training rows.
    kernel_pca_ : KernelPCA
        Classical scaling of the geodesic distances, as kernel PCA.

    Notes
    -----
    New rows are embedded by their geodesic distances through the training rows.

    Sparse rows stay sparse. Their graph is that of dense ones, unless neighbors are equally
    distant, as those of counts often are. The remedies ``"enhanced"`` and ``"more_neighbors"`` need
    dense rows.

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
        **GRAPH_CONSTRAINTS,
        "scaling": [StrOptions({"root", "eigenvalue"})],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        scaling: str = "root",
        disconnected: str = "warn",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.scaling = scaling
        self.disconnected = disconnected

    def _fit(self, data: NDArray) -> None:
        def consequence(_: csr_array, added_edges: NDArray) -> str:
            if len(added_edges) == 0:
                return "no geodesic distances exist between them"
            return (
                "geodesic distances between them depend on edges added between their closest "
                f"points, the longest of length {max(_edge_lengths(data, added_edges)):.3g}"
            )

        self._connected_graph(data, consequence, join_after_warning=True)

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
        self.embedding_ = self._scale(self.kernel_pca_.fit_transform(-0.5 * self.dist_matrix_**2))

    def transform(self, X: Any) -> NDArray:
        """Embed new rows, dense or sparse, without moving the training rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_points, n_features)
            Observations.

        Returns
        -------
        ndarray of shape (n_points, n_components)
            Coordinates of the new rows.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        """
        check_is_fitted(self)
        return self._transform(
            validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        )

    def _transform(self, data: NDArray) -> NDArray:
        # Geodesic distances: the shortest path starts at one of the nearest training rows
        distances, neighbors = self.nbrs_.kneighbors(data)
        geodesics = np.stack(
            [
                np.min(self.dist_matrix_[rows] + first[:, np.newaxis], axis=0)
                for rows, first in zip(neighbors, distances, strict=True)
            ]
        )

        return self._scale(self.kernel_pca_.transform(-0.5 * geodesics**2))

    def _scale(self, coordinates: NDArray) -> NDArray:
        """Return coordinates on axes of the wanted scaling."""
        if self.scaling == "root":
            return coordinates
        return coordinates * np.sqrt(np.maximum(self.kernel_pca_.eigenvalues_, 0.0))


def _edge_lengths(X: NDArray, edges: NDArray) -> NDArray:
    """Return the Euclidean lengths of edges between rows."""
    differences = X[edges[:, 0]] - X[edges[:, 1]]
    return (sparse_norm if issparse(X) else np.linalg.norm)(differences, axis=1)


def _append_edges(graph: csr_array, edges: NDArray, lengths: NDArray) -> csr_array:
    """Return a graph of distances with added edges.

    The entries are concatenated because adding sparse matrices would drop edges of length zero.
    """
    entries = graph.tocoo()
    values = np.append(entries.data, lengths)
    positions = np.hstack([[entries.row, entries.col], edges.T])
    return coo_array((values, positions), shape=graph.shape).tocsr()
