"""Methods of the released code on disconnected graphs, with rounding errors that have no structure.

On a disconnected graph, the eigenvectors of the smallest eigenvalues are constant on components, so
that neighbors there are a matter of rounding errors. Those of one solver follow the shape of the
component, since errors along smooth eigenvectors are amplified most; those of another do not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import kneighbors_graph
from sklearn.utils import check_random_state

from nldr.methods._base import Embedder
from nldr.methods._graph import GRAPH_CONSTRAINTS
from nldr.methods.spectral.released import ReleasedLE, ReleasedLLE
from nldr.validation import StrOptions

CONSTANT = 1e-6  # range of the coordinate, relative to its largest value, that is a rounding error
NOISE = 1e-12  # standard deviation of the errors that stand for it


def collapse(embedding: NDArray, labels: NDArray, rng: np.random.RandomState) -> NDArray:
    """Return an embedding in which rounding errors are independent of each other.

    A coordinate that is constant on a component of the graph, up to rounding, is replaced by its
    mean there. To all entries, errors of standard deviation 1e-12 are added.

    Examples
    --------
    >>> embedding = np.array([[1.0], [1.0 + 1e-15], [-1.0], [-2.0]])
    >>> flat = collapse(embedding, np.array([0, 0, 1, 1]), np.random.RandomState(0))
    >>> flat.round(9).ravel().tolist(), bool(1e-15 < abs(flat[0, 0] - flat[1, 0]) < 1e-11)
    ([1.0, 1.0, -1.0, -2.0], True)
    """
    flat = embedding.copy()
    scale = np.abs(embedding).max(axis=0)
    for label in np.unique(labels):
        rows = labels == label
        constant = np.ptp(embedding[rows], axis=0) < CONSTANT * scale
        flat[np.ix_(rows, constant)] = embedding[rows][:, constant].mean(axis=0)
    return flat + NOISE * rng.standard_normal(flat.shape)


class CollapsedEmbedding(Embedder):
    """A method of the released code, collapsed where it is constant up to rounding.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    method : {"lle", "le"}, default="lle"
        LLE or Laplacian eigenmaps of :mod:`nldr.methods.spectral.released`.
    n_neighbors : int, default=5
        Number of neighbors of a point, not counting the point itself.
    random_state : int, RandomState or None, default=None
        Source of the rounding errors.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows, see :func:`collapse`.

    References
    ----------
    The code that the author of Costa, Maximum Variance Unfolding on Disjoint Manifolds, released.

    Examples
    --------
    >>> X = np.random.default_rng(0).random((60, 3)) + np.repeat([0, 50], 30)[:, np.newaxis]
    >>> Z = CollapsedEmbedding(1, random_state=0).fit_transform(X)
    >>> np.unique(Z.round(6)).size
    2
    """

    _parameter_constraints: dict = {
        "n_components": GRAPH_CONSTRAINTS["n_components"],
        "method": [StrOptions({"lle", "le"})],
        "n_neighbors": GRAPH_CONSTRAINTS["n_neighbors"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: str = "lle",
        n_neighbors: int = 5,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def _fit(self, data: NDArray) -> None:
        released = {"lle": ReleasedLLE, "le": ReleasedLE}[self.method]
        model = released(self.n_components, n_neighbors=self.n_neighbors)
        embedding = model.fit_transform(data)

        graph = kneighbors_graph(data, self.n_neighbors)
        _, labels = connected_components(graph, directed=False)
        self.embedding_ = collapse(embedding, labels, check_random_state(self.random_state))
