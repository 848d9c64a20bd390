"""Maximum variance unfolding of the largest connected component of the graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.methods._base import Embedder
from nldr.methods.mvu._edges import UNFOLDING_CONSTRAINTS
from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.graphs import component_labels, knn_graph
from nldr.neighborhoods.patches import barycentric_weights


class LargestComponentMVU(Embedder):
    """Unfold the largest connected component, and reconstruct all other points from it.

    A point outside the largest component is approximated by its nearest neighbors inside, with
    the weights of locally linear embedding, which sum to one. Its coordinates are the same
    weighted mean of the coordinates of these neighbors.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most the number of points of the largest component.
    n_neighbors : int, default=5
        Number of neighbors of a point, itself not counted, in the graph and in the
        reconstruction.
    tol : float, default=1e-2
        Duality gap to reach, relative to the trace.
    max_iter : int, default=100
        Maximum number of iterations.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows; rows of the largest component have the coordinates of its
        MVU.
    labels_ : ndarray of shape (n_samples,)
        Connected component of each row.
    n_connected_components_ : int
        Number of connected components of the graph.
    mvu_ : MVU
        Estimator fitted on the largest component.

    Raises
    ------
    ValueError
        If there are too few rows, in total or in the largest component.

    Warns
    -----
    ConvergenceWarning
        If the largest component is not unfolded to within `tol`.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, §3.

    Examples
    --------
    >>> X = np.array([[0.0], [1], [2], [3], [9], [10]])
    >>> LargestComponentMVU(1, n_neighbors=1).fit(X).n_connected_components_
    2
    """

    _parameter_constraints: dict = UNFOLDING_CONSTRAINTS

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        tol: float = 1e-2,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data: NDArray) -> None:
        from sklearn.neighbors import NearestNeighbors

        # Connected components; of equally large ones, the first
        self.labels_ = component_labels(knn_graph(data, self.n_neighbors))
        self.n_connected_components_ = int(self.labels_.max()) + 1
        inside = self.labels_ == np.bincount(self.labels_).argmax()

        # MVU of the largest component. Its own graph can be disconnected, because ties between
        # repeated points may be broken differently than in the graph of all points
        self.mvu_ = MVU(
            self.n_components,
            n_neighbors=self.n_neighbors,
            disconnected="bridges",
            tol=self.tol,
            max_iter=self.max_iter,
        ).fit(data[inside])
        self.embedding_ = np.empty((len(data), self.n_components))
        self.embedding_[inside] = self.mvu_.embedding_

        # Other points: weighted means of their nearest neighbors in the largest component
        if not inside.all():
            nearest = NearestNeighbors(n_neighbors=self.n_neighbors).fit(data[inside])
            neighbors = nearest.kneighbors(data[~inside], return_distance=False)
            weights = barycentric_weights(data[inside], list(neighbors), data[~inside])
            self.embedding_[~inside] = weights @ self.mvu_.embedding_
