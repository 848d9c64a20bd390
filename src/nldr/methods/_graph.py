"""Base class of the methods that work on a graph of nearest neighbors."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

from numpy.typing import NDArray
from scipy.sparse import csr_array

from nldr.methods._base import Embedder
from nldr.neighborhoods.joining import REMEDIES, repair
from nldr.validation import Interval, StrOptions

GRAPH_CONSTRAINTS: dict = {
    "n_components": [Interval(Integral, 1, None, closed="left")],
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "disconnected": [StrOptions(REMEDIES)],
}


class GraphEmbedder(Embedder):
    """Base class of estimators on the graph of nearest neighbors of the rows.

    A subclass has the parameters ``n_neighbors`` and ``disconnected``, the remedy if the graph is
    disconnected, and gets the graph from ``_connected_graph``.

    Attributes
    ----------
    n_neighbors_ : int
        Number of neighbors used.
    n_connected_components_ : int
        Number of connected components of the graph before edges were added.
    added_edges_ : ndarray of shape (n_added, 2)
        Pairs of training rows that a remedy joined; empty if the graph is connected.

    Raises
    ------
    ValueError
        If there are not more than `n_neighbors` rows, or the graph is disconnected and
        `disconnected` is ``"error"``.

    Warns
    -----
    DisconnectedGraphWarning
        If the graph is disconnected and `disconnected` is ``"warn"``.
    """

    n_neighbors: int
    disconnected: str

    def _connected_graph(
        self,
        data: NDArray,
        consequence: str | Callable[[csr_array, NDArray], str],
        **options: Any,
    ) -> csr_array:
        """Return the graph after the remedy, see :func:`nldr.neighborhoods.repair`."""
        repaired = repair(data, self.n_neighbors, self.disconnected, consequence, **options)
        self.n_neighbors_ = repaired.n_neighbors
        self.n_connected_components_ = repaired.n_connected_components
        self.added_edges_ = repaired.added_edges
        return repaired.graph
