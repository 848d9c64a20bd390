"""Isomap: classical scaling of geodesic distances, with every edge it adds on record."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.decomposition import KernelPCA
from sklearn.neighbors import NearestNeighbors
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from nldr.neighborhoods.graphs import check_connected, component_labels
from nldr.neighborhoods.joining import REMEDIES, joining_edges, neighbors_to_use


class Isomap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Isomap of the graph of nearest neighbors.

    Equals scikit-learn's Isomap in its defaults, but says which edges it adds, and two fits are
    identical: there, the eigensolver starts from a random vector that cannot be set.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    n_neighbors : int, default=5
        Number of neighbors of a point, itself not counted.
    disconnected : {"warn", "error", "bridges", "enhanced", "more_neighbors"}, default="warn"
        Where the graph falls into parts there are no geodesic distances between them.
        ``"warn"`` joins each two parts by their closest pair of points, as scikit-learn does,
        with a warning that says so: distances within a part stay what they were wherever no
        path through other parts is shorter. ``"error"`` refuses.
        ``"bridges"`` adds the shortest edges that join all parts, ``"enhanced"`` one more between
        two parts than the data have dimensions (see :func:`nldr.neighborhoods.joining_edges`), and
        ``"more_neighbors"`` takes the smallest number of neighbors that connects; these say
        nothing.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. Of each column the entry of largest magnitude is
        positive.
    n_connected_components_ : int
        Number of connected components of the graph before edges were added.
    added_edges_ : ndarray of shape (n_added, 2)
        Pairs of training rows that were joined; empty where the graph is connected.
    n_neighbors_ : int
        Number of neighbors used.
    dist_matrix_ : ndarray of shape (n_samples, n_samples)
        Geodesic distances.
    nbrs_ : NearestNeighbors
        The training rows, ready to be searched.
    kernel_pca_ : KernelPCA
        Classical scaling of the geodesic distances, as kernel PCA.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, where all are strings.

    Warns
    -----
    DisconnectedGraphWarning
        If edges were added.

    Notes
    -----
    Time O(n_samples² · (n_neighbors + log n_samples)) for the paths, memory a few n_samples ×
    n_samples matrices.

    References
    ----------
    J. Tenenbaum, V. de Silva and J. Langford, "A global geometric framework for nonlinear
    dimensionality reduction", Science 290, 2000.

    Examples
    --------
    A bent line is straightened:

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
        self.n_neighbors_ = neighbors_to_use(
            data, self.n_neighbors, self.disconnected, component_labels
        )
        self.nbrs_ = NearestNeighbors(n_neighbors=self.n_neighbors_).fit(data)
        graph = self.nbrs_.kneighbors_graph(mode="distance")
        labels = component_labels(graph)
        remedy = self.disconnected if self.disconnected not in ("warn", "error") else "closest"
        self.added_edges_ = joining_edges(data, labels, remedy)
        lengths = np.linalg.norm(
            data[self.added_edges_[:, 0]] - data[self.added_edges_[:, 1]], axis=1
        )
        self.n_connected_components_ = check_connected(
            labels,
            self.disconnected,
            "no path joins them but through added edges between the closest points of each two, "
            f"the longest of {max(lengths, default=0):.3g}",
        )
        # Concatenated, not added as a matrix: edges of length zero must stay.
        known = graph.tocoo()
        edges = coo_array(
            (
                np.append(known.data, lengths),
                np.hstack([[known.row, known.col], self.added_edges_.T]),
            ),
            shape=graph.shape,
        )
        self.dist_matrix_ = shortest_path(edges.tocsr(), method="D", directed=False)
        self.kernel_pca_ = KernelPCA(self.n_components, kernel="precomputed", random_state=0)
        self.embedding_ = self.kernel_pca_.fit_transform(-0.5 * self.dist_matrix_**2)
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

    def transform(self, X: ArrayLike) -> NDArray:
        """Place further rows by their geodesic distances through the training rows.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Observations.

        Returns
        -------
        ndarray of shape (n_queries, n_components)
            Their places.
        """
        check_is_fitted(self)
        data: NDArray = validate_data(self, X, reset=False, dtype=np.float64)
        distances, neighbors = self.nbrs_.kneighbors(data)
        geodesics = np.stack(
            [
                np.min(self.dist_matrix_[rows] + steps[:, np.newaxis], axis=0)
                for rows, steps in zip(neighbors, distances, strict=True)
            ]
        )
        return self.kernel_pca_.transform(-0.5 * geodesics**2)

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]
