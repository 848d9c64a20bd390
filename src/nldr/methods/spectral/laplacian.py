"""Laplacian eigenmaps of the graph of nearest neighbors."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.manifold import spectral_embedding
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from nldr.methods._base import Embedder
from nldr.neighborhoods.joining import REMEDIES, repair


class LaplacianEigenmaps(Embedder):
    """Laplacian eigenmaps: the smoothest functions on the graph of nearest neighbors.

    The columns of the embedding solve (D − W) y = λ D y for the smallest eigenvalues after the
    first. W has a one where two points are neighbors of each other and a half where only one is a
    neighbor of the other; D contains the row sums of W. Equals scikit-learn's SpectralEmbedding
    with ``n_neighbors + 1``, which counts a point as its own neighbor.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples - 2``.
    n_neighbors : int, default=12
        Number of neighbors of a point, not counting the point itself.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}, default="error"
        Remedy if the graph is disconnected. The smoothest functions are then constant on each
        connected component, so that the embedding collapses each component to a point.
        ``"error"`` raises an error, ``"warn"`` warns and returns that embedding. The other
        remedies do not warn: ``"bridges"`` adds the shortest edges that join all components,
        ``"enhanced"`` joins the same components by more edges than the data have dimensions (see
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
        Pairs of training rows that a remedy joined.
    n_neighbors_ : int
        Number of neighbors used.

    Warns
    -----
    DisconnectedGraphWarning
        If the graph is disconnected and `disconnected` is ``"warn"``.

    References
    ----------
    M. Belkin and P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and data
    representation", Neural Computation 15, 2003, §2.

    Examples
    --------
    The order of points on a line is preserved:

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

        # Directed graph of nearest neighbors
        repaired = repair(
            data,
            self.n_neighbors,
            self.disconnected,
            "Laplacian eigenmaps collapse each of them to a point",
        )
        self.n_neighbors_ = repaired.n_neighbors
        self.n_connected_components_ = repaired.n_connected_components
        self.added_edges_ = repaired.added_edges

        # Symmetric weights
        weights = (repaired.graph + repaired.graph.T) / 2

        # Generalized eigenproblem; scikit-learn fixes the signs
        self.embedding_ = spectral_embedding(
            weights, n_components=self.n_components, random_state=0
        )
        return self
