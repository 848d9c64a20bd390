"""LLE, Laplacian eigenmaps and Isomap as in the released code of disjoint MVU."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, pinv, solve
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.spatial.distance import cdist

from nldr.methods._base import Embedder, fix_signs
from nldr.methods._docs import inherit_docs
from nldr.methods._graph import GRAPH_CONSTRAINTS
from nldr.validation import StrOptions

RIDGE = 1e-3  # added to the local Gram matrices of LLE, whatever their scale
ENOUGH = 0.95  # share of the local planarity down to which edges between two components are added


class ReleasedEmbedder(Embedder):
    """Base class of the methods of the released code, which differ in how they use the graph.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    n_neighbors : int, default=5
        Number of neighbors of a point, not counting the point itself.
    enhanced : bool, default=False
        Whether to join the components of the graph, see :func:`enhance`. Without it, a disconnected
        graph is used as it is.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. The entry of largest magnitude of each column is positive.

    Notes
    -----
    On a disconnected graph, the smallest eigenvalue, zero, belongs to one vector per component, and
    which of their mixtures a solver returns is an accident.

    References
    ----------
    The code that the author of Costa, Maximum Variance Unfolding on Disjoint Manifolds, released.
    """

    _parameter_constraints: dict = {
        "n_components": GRAPH_CONSTRAINTS["n_components"],
        "n_neighbors": GRAPH_CONSTRAINTS["n_neighbors"],
        "enhanced": ["boolean"],
    }

    def __init__(
        self, n_components: int = 2, *, n_neighbors: int = 5, enhanced: bool = False
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.enhanced = enhanced

    def _distances(self, data: NDArray, directed: bool) -> NDArray:
        """Return the lengths of edges, zero elsewhere: directed, or above the diagonal."""
        from sklearn.neighbors import NearestNeighbors

        nearest = NearestNeighbors(n_neighbors=self.n_neighbors).fit(data)
        lengths = nearest.kneighbors_graph(mode="distance")
        lengths.data = np.maximum(lengths.data, 1e-10)  # equal points are neighbors, too
        graph = lengths.toarray()
        if not directed:
            graph = np.triu(np.maximum(graph, graph.T))
        if self.enhanced:
            enhance(graph, data, self.n_neighbors, self.n_components)
        return graph


@inherit_docs(ReleasedEmbedder)
class ReleasedLLE(ReleasedEmbedder):
    """LLE with the same ridge at all points, and eigenvectors of a dense matrix.

    The ridge is not relative to the trace of the local Gram matrix, as in other implementations, so
    that the result depends on the units of the data. What the released code calls Hessian LLE
    differs from this in how it solves for the weights, and has no Hessian.

    Parameters
    ----------
    n_components, n_neighbors, enhanced
    solver : {"inverse", "system"}, default="inverse"
        Whether weights are a pseudo-inverse times ones, or the solution of a linear system, as
        under the name Hessian LLE. They are equal up to rounding.

    Attributes
    ----------
    embedding_

    Examples
    --------
    >>> angle = np.linspace(0, np.pi, 100)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> order = np.diff(ReleasedLLE(1, n_neighbors=4).fit_transform(X)[:, 0])
    >>> bool(np.all(order > 0) or np.all(order < 0))
    True
    """

    _parameter_constraints: dict = {
        **ReleasedEmbedder._parameter_constraints,
        "solver": [StrOptions({"inverse", "system"})],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        enhanced: bool = False,
        solver: str = "inverse",
    ) -> None:
        super().__init__(n_components, n_neighbors=n_neighbors, enhanced=enhanced)
        self.solver = solver

    def _fit(self, data: NDArray) -> None:
        # Weights that reconstruct each point from its neighbors
        graph = self._distances(data, directed=True)
        residual = np.eye(len(data))
        for i, row in enumerate(graph):
            neighbors = np.flatnonzero(row)
            differences = data[neighbors] - data[i]
            gram = differences @ differences.T + RIDGE * np.eye(len(neighbors))
            ones = np.ones(len(neighbors))
            is_inverse = self.solver == "inverse"
            weights = pinv(gram) @ ones if is_inverse else solve(gram, ones, assume_a="sym")
            residual[i, neighbors] -= weights / weights.sum()

        # Eigenvectors of smallest eigenvalue after the first
        sparse = csr_array(residual)
        _, vectors = eigh((sparse.T @ sparse).toarray())
        self.embedding_ = fix_signs(vectors[:, 1 : self.n_components + 1])


@inherit_docs(ReleasedEmbedder)
class ReleasedLE(ReleasedEmbedder):
    """Laplacian eigenmaps whose heat kernel has the spread of the squared distances as its width.

    The weight of an edge of length d is exp(−d² / 2σ²), where σ is the standard deviation of d²
    over all edges, which has another unit than d: in small units nearly all weights vanish, in
    large ones all are one.

    Parameters
    ----------
    n_components, n_neighbors, enhanced

    Attributes
    ----------
    embedding_

    Raises
    ------
    ValueError
        If all weights of a point vanish.

    Examples
    --------
    >>> line = np.arange(50.0)[:, np.newaxis]
    >>> order = np.diff(ReleasedLE(1, n_neighbors=3).fit_transform(line)[:, 0])
    >>> bool(np.all(order > 0) or np.all(order < 0))
    True
    """

    def _fit(self, data: NDArray) -> None:
        graph = self._distances(data, directed=False)
        edges = np.nonzero(graph)
        squares = graph[edges] ** 2
        weights = np.zeros_like(graph)
        weights[edges] = np.exp(-squares / (2 * np.std(squares) ** 2))
        weights = np.maximum(weights, weights.T)

        # Generalized eigenproblem; the first vector is omitted
        degrees = weights.sum(axis=1)
        if not np.all(degrees > 0):
            raise ValueError(
                f"all weights of {np.count_nonzero(degrees == 0)} points vanish: multiply the data "
                "by a factor above 1"
            )
        _, vectors = eigh(np.diag(degrees) - weights, np.diag(degrees))
        self.embedding_ = fix_signs(vectors[:, 1 : self.n_components + 1])


@inherit_docs(ReleasedEmbedder)
class ReleasedIsomap(ReleasedEmbedder):
    """Isomap whose axes are eigenvectors times eigenvalues, not their roots.

    Parameters
    ----------
    n_components, n_neighbors, enhanced

    Attributes
    ----------
    embedding_

    Raises
    ------
    ValueError
        If the graph is disconnected.

    Examples
    --------
    >>> line = np.arange(50.0)[:, np.newaxis]
    >>> order = np.diff(ReleasedIsomap(1, n_neighbors=2).fit_transform(line)[:, 0])
    >>> bool(np.all(order > 0) or np.all(order < 0))
    True
    """

    def _fit(self, data: NDArray) -> None:
        lengths = csr_array(self._distances(data, directed=False))
        squares = shortest_path(lengths, directed=False, method="D") ** 2
        if not np.all(np.isfinite(squares)):
            raise ValueError("the neighborhood graph is disconnected: set enhanced=True")

        squares -= squares.mean(axis=0)
        squares -= squares.mean(axis=1)[:, np.newaxis]
        values, vectors = eigh(-squares / 2)
        first = slice(-1, -self.n_components - 1, -1)
        self.embedding_ = fix_signs(vectors[:, first] * values[first])


def enhance(graph: NDArray, X: NDArray, n_neighbors: int, dimension: int) -> None:
    """Join the components of a graph as the released code does, in place.

    Each component is joined to the nearest other one, round by round, by its shortest edges to it:
    as many as keep the differences of their ends nearly as flat, in `dimension` dimensions, as
    neighborhoods are, and at least `dimension`. Points may occur in several edges.

    The graph has lengths of edges, zero where there is none. The flatness is that of the released
    code, which subtracts the *sum* of a point's coordinates from its neighbors, not the point.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [8.0, 0.0], [9.0, 0.5]])
    >>> graph = np.diag([1.0, 0.0, 1.0], k=1)
    >>> enhance(graph, X, 1, 1)
    >>> np.argwhere(graph).tolist()
    [[0, 1], [1, 2], [2, 1], [2, 3]]
    """
    flatness: float | None = None
    while True:
        n_components, labels = connected_components(csr_array(graph), directed=False)
        if n_components == 1:
            return
        if flatness is None:
            flatness = _mean_flatness(X, n_neighbors, dimension)
        for label in range(n_components):
            inside, outside = np.flatnonzero(labels == label), np.flatnonzero(labels != label)
            gaps = cdist(X[inside], X[outside])
            nearest = labels[outside[np.argmin(gaps) % len(outside)]]
            gaps = gaps[:, labels[outside] == nearest]
            other = outside[labels[outside] == nearest]
            order = np.argsort(gaps, axis=None, kind="stable")[: min(gaps.shape)]
            start, end = np.unravel_index(order, gaps.shape)
            start, end = inside[start], other[end]
            n_edges = _count_edges(X[start] - X[end], dimension, ENOUGH * flatness)
            start, end = start[:n_edges], end[:n_edges]
            graph[start, end] = np.linalg.norm(X[start] - X[end], axis=1)


def _mean_flatness(X: NDArray, n_neighbors: int, dimension: int) -> float:
    """Return the mean share of the first singular values of neighborhoods."""
    from sklearn.neighbors import NearestNeighbors

    nearest = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors(return_distance=False)
    return float(np.mean([_flatness(X[j] - X[i].sum(), dimension) for i, j in enumerate(nearest)]))


def _count_edges(differences: NDArray, dimension: int, enough: float) -> int:
    """Return how many of the shortest edges are added."""
    for n_edges in range(dimension + 1, len(differences) + 1):
        if _flatness(differences[:n_edges], dimension) < enough:
            return n_edges - 1
    return max(dimension, len(differences) - 1)


def _flatness(rows: NDArray, dimension: int) -> float:
    """Return the share of the first singular values in the sum of all."""
    values = np.linalg.svd(rows, compute_uv=False)
    return float(values[:dimension].sum() / values.sum())
