"""Laplacian eigenmaps of the graph of nearest neighbors."""

from __future__ import annotations

from numpy.typing import NDArray
from sklearn.manifold import spectral_embedding

from nldr.methods._graph import GRAPH_CONSTRAINTS
from nldr.methods._sparse import SparseGraphEmbedder
from nldr.validation import StrOptions


class LaplacianEigenmaps(SparseGraphEmbedder):
    """Laplacian eigenmaps: the smoothest functions on the graph of nearest neighbors.

    The columns of the embedding solve (D − W) y = λ D y for the smallest eigenvalues after the
    first. By default W has a one where two points are neighbors of each other and a half where only
    one is a neighbor of the other; D contains the row sums of W. It then equals scikit-learn's
    SpectralEmbedding with ``n_neighbors + 1``, which counts a point as its own neighbor.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples - 2``.
    n_neighbors : int, default=12
        Number of neighbors of a point, not counting the point itself.
    weights : {"mean", "union"}, default="mean"
        Weight of two points of which only one is a neighbor of the other: a half, or one.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}, default="error"
        Remedy if the graph is disconnected: the embedding then collapses each connected component
        to a point. ``"error"`` raises an error, ``"warn"`` warns and returns that embedding. The
        others are those of :class:`nldr.methods.Isomap`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows. The entry of largest magnitude of each column is
        positive.

    Notes
    -----
    Sparse rows stay sparse. Their graph is that of dense ones, unless neighbors are equally
    distant, as those of counts often are. The remedies ``"enhanced"`` and ``"more_neighbors"`` need
    dense rows.

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
        **GRAPH_CONSTRAINTS,
        "weights": [StrOptions({"mean", "union"})],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 12,
        weights: str = "mean",
        disconnected: str = "error",
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.disconnected = disconnected

    def _fit(self, data: NDArray) -> None:
        n_samples = data.shape[0]
        if self.n_components > n_samples - 2:
            raise ValueError(
                f"n_components={self.n_components} is too high for {n_samples} samples: at most "
                f"n_samples - 2"
            )

        graph = self._connected_graph(
            data,
            "Laplacian eigenmaps collapse each of them to a point, unless disconnected='bridges' "
            "joins them",
        )

        weights = (graph + graph.T) / 2
        if self.weights == "union":
            weights.data[:] = 1

        # Generalized eigenproblem; scikit-learn fixes the signs
        self.embedding_ = spectral_embedding(
            weights, n_components=self.n_components, random_state=0
        )
