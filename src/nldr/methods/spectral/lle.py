"""Locally linear embedding, Hessian eigenmaps and local tangent space alignment."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import svd_flip
from sklearn.utils.validation import validate_data

from nldr.neighborhoods.graphs import (
    check_connected,
    closed_group_labels,
    component_labels,
    knn_graph,
)
from nldr.neighborhoods.joining import REMEDIES, joining_edges, neighbors_to_use, with_edges
from nldr.neighborhoods.patches import (
    hessian_matrix,
    neighbor_lists,
    reconstruction_matrix,
    smallest_vectors,
    tangent_matrix,
)

SMALL = 200  # samples up to which "auto" decomposes the full matrix


class LLE(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Locally linear embedding and its two variants.

    Each is the null space, the constant vector left out, of a matrix that punishes what does
    not fit the neighborhoods. It is one embedding only if the neighborhoods hang together.
    Equals scikit-learn's in the standard method and LTSA. Its Hessian variant punishes more than
    Hessians, and is LTSA whenever there are more neighbors than a Hessian needs; this one is not.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_features``.
    n_neighbors : int, default=12
        Number of neighbors of a point, itself not counted. The Hessian variant needs more than
        ``n_components * (n_components + 3) / 2``.
    method : {"standard", "hessian", "ltsa"}, default="standard"
        Locally linear embedding, Hessian eigenmaps (HLLE) or local tangent space alignment.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        ``"auto"`` takes ARPACK for more than 200 points. ``"dense"`` never fails on a matrix
        that is close to singular, and at 1000 points is the faster one for the variants (0.15 s
        against 0.6 s); its time grows as n_samples³.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}, default="error"
        Where the neighborhoods fall into parts (see Notes), each part adds vectors to the null
        space, and the embedding is whatever mixture of them the eigensolver returns.
        ``"error"`` refuses, ``"warn"`` returns that.
        ``"bridges"`` adds the shortest edges that join all parts, ``"enhanced"`` one more between
        two parts than the data have dimensions (see :func:`nldr.neighborhoods.joining_edges`), and
        ``"more_neighbors"`` takes the smallest number of neighbors that connects; these say
        nothing.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows, columns of unit length. Of each column the entry of
        largest magnitude is positive.
    reconstruction_error_ : float
        Sum of the eigenvalues of the columns.
    n_connected_components_ : int
        Number of parts into which the neighborhoods fall, before edges were added.
    added_edges_ : ndarray of shape (n_added, 2)
        Pairs of training rows that a remedy made neighbors of each other.
    n_neighbors_ : int
        Number of neighbors used.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    DisconnectedGraphWarning
        If there are several parts and `disconnected` is ``"warn"``.

    Notes
    -----
    What counts as a part follows from the matrix. The standard method writes each point by its
    neighbors, so that each group of points with all neighbors inside the group is free of the
    others, even where some point outside sees two groups and makes the graph connected. The two
    variants tie the neighbors of a point to each other, the point itself not among them: parts
    are those of the graph of points that are neighbors of one and the same point, and a point
    that is nobody's neighbor is a part by itself. In many dimensions there are such points at
    any useful `n_neighbors`: 114 of 1000 normal points in 50 dimensions with 12 neighbors.

    The two variants count a point that a remedy gave a neighbor among its own neighbors: only
    so does the added edge tie the parts of both its ends.

    References
    ----------
    S. Roweis and L. Saul, "Nonlinear dimensionality reduction by locally linear embedding",
    Science 290, 2000. D. Donoho and C. Grimes, "Hessian eigenmaps", PNAS 100, 2003. Z. Zhang
    and H. Zha, "Principal manifolds and nonlinear dimensionality reduction via tangent space
    alignment", SIAM J. Sci. Comput. 26, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> angle = np.linspace(0, np.pi, 100)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> embedding = LLE(1, n_neighbors=4).fit_transform(X)
    >>> bool(np.all(np.diff(embedding[:, 0]) > 0) or np.all(np.diff(embedding[:, 0]) < 0))
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "method": [StrOptions({"standard", "hessian", "ltsa"})],
        "eigen_solver": [StrOptions({"auto", "arpack", "dense"})],
        "disconnected": [StrOptions(REMEDIES)],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 12,
        method: str = "standard",
        eigen_solver: str = "auto",
        disconnected: str = "error",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.method = method
        self.eigen_solver = eigen_solver
        self.disconnected = disconnected

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> LLE:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        LLE
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows, features or neighbors, or several parts while
            `disconnected` is ``"error"``.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        most = self.n_components * (self.n_components + 3) // 2
        if self.method == "hessian" and self.n_neighbors <= most:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too low for method='hessian' and "
                f"n_components={self.n_components}: it must be more than {most}"
            )
        if self.n_components > data.shape[1]:
            raise ValueError(
                f"n_components={self.n_components} is too high for {data.shape[1]} features: at "
                "most n_features"
            )
        if self.method == "ltsa" and self.n_neighbors <= self.n_components:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too low for method='ltsa': it must be more "
                f"than n_components={self.n_components}"
            )
        parts = closed_group_labels if self.method == "standard" else _labels_by_patches
        self.n_neighbors_ = neighbors_to_use(data, self.n_neighbors, self.disconnected, parts)
        graph = knn_graph(data, self.n_neighbors_)
        labels = parts(graph)
        if self.method == "standard":
            consequence = "none of their points has a neighbor outside, so LLE leaves each free"
        else:
            alone = np.count_nonzero(graph.sum(axis=0) == 0)
            consequence = f"they share no neighborhood, and {alone} points are in none at all"
        self.n_connected_components_ = check_connected(labels, self.disconnected, consequence)
        self.added_edges_ = joining_edges(data, labels, self.disconnected)
        M = self._punishment(data, with_edges(graph, self.added_edges_))
        small = len(data) <= SMALL or self.n_components >= len(data) - 1
        dense = self.eigen_solver == "dense" or (self.eigen_solver == "auto" and small)
        embedding, self.reconstruction_error_ = smallest_vectors(M, self.n_components, dense=dense)
        self.embedding_ = svd_flip(embedding, None)[0]
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray:
        """Embed the rows of `X` and return the embedding.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The embedding.
        """
        return self.fit(X).embedding_

    def _punishment(self, X: NDArray, graph: csr_array) -> csr_array:
        """Return the matrix whose null space is the embedding."""
        if self.method == "standard":
            return reconstruction_matrix(X, neighbor_lists(graph, self.added_edges_[:0]))
        build = hessian_matrix if self.method == "hessian" else tangent_matrix
        return build(X, neighbor_lists(graph, self.added_edges_), self.n_components)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def _labels_by_patches(graph: csr_array) -> NDArray:
    """Return the part of each point, points being tied that are neighbors of the same point."""
    return component_labels(graph.T @ graph)
