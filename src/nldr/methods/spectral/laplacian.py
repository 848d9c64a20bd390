"""Laplacian eigenmaps of the graph of nearest neighbors."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.manifold import spectral_embedding
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from nldr.neighborhoods.graphs import check_connected, component_labels, knn_graph
from nldr.neighborhoods.joining import REMEDIES, joining_edges, neighbors_to_use, with_edges


class LaplacianEigenmaps(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Smoothest functions on the graph of nearest neighbors.

    The columns solve (D − W) y = λ D y for the smallest eigenvalues but the first; W has a one
    for neighbors of each other and a half where only one is the other's. Equals scikit-learn's
    SpectralEmbedding with ``n_neighbors + 1``, which counts a point as its own neighbor.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples - 2``.
    n_neighbors : int, default=12
        Number of neighbors of a point, itself not counted.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}, default="error"
        Where the graph falls into parts, the smoothest functions are those that are constant on
        each, in any mixture: the embedding shows one spot per part, and no shape. ``"error"``
        refuses, ``"warn"`` returns that.
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
        If the graph is disconnected and `disconnected` is ``"warn"``.

    References
    ----------
    M. Belkin and P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and data
    representation", Neural Computation 15, 2003.

    Examples
    --------
    Neighbors on a line stay neighbors:

    >>> import numpy as np
    >>> line = np.arange(50.0)[:, np.newaxis]
    >>> embedding = LaplacianEigenmaps(1, n_neighbors=2).fit_transform(line)
    >>> bool(np.all(np.diff(embedding[:, 0]) > 0) or np.all(np.diff(embedding[:, 0]) < 0))
    True
    """

    _parameter_constraints: dict = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "disconnected": [StrOptions(REMEDIES)],
    }

    def __init__(
        self, n_components: int = 2, *, n_neighbors: int = 12, disconnected: str = "error"
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.disconnected = disconnected

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: Any = None) -> LaplacianEigenmaps:
        """Embed the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Observations, more than `n_neighbors` rows.
        y : None
            Not used.

        Returns
        -------
        LaplacianEigenmaps
            The fitted estimator.

        Raises
        ------
        ValueError
            If there are too few rows, or the graph is disconnected and `disconnected` is
            ``"error"``.
        """
        data: NDArray = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if self.n_components > len(data) - 2:
            raise ValueError(
                f"n_components={self.n_components} is too high for {len(data)} samples: at most "
                f"n_samples - 2"
            )
        self.n_neighbors_ = neighbors_to_use(
            data, self.n_neighbors, self.disconnected, component_labels
        )
        graph = knn_graph(data, self.n_neighbors_)
        labels = component_labels(graph)
        self.n_connected_components_ = check_connected(
            labels,
            self.disconnected,
            "Laplacian eigenmaps can only tell them apart, not show their shape",
        )
        self.added_edges_ = joining_edges(data, labels, self.disconnected)
        graph = with_edges(graph, self.added_edges_)
        self.embedding_ = spectral_embedding(
            (graph + graph.T) / 2, n_components=self.n_components, random_state=0
        )
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

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]
