"""Locally linear embedding, Hessian eigenmaps and local tangent space alignment."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nldr.methods._base import fix_signs
from nldr.methods._graph import GRAPH_CONSTRAINTS, GraphEmbedder
from nldr.neighborhoods.graphs import closed_group_labels, component_labels
from nldr.neighborhoods.patches import (
    hessian_matrix,
    neighbor_lists,
    reconstruction_matrix,
    smallest_eigenvectors,
    tangent_matrix,
)
from nldr.validation import StrOptions

# Number of samples up to which eigen_solver="auto" uses the dense solver.
DENSE_UP_TO = 200

# Message about several components in the standard method; the variants have another one.
STANDARD_CONSEQUENCE = (
    "their points have no neighbors outside them, so LLE does not determine their relative "
    "coordinates, unless disconnected='bridges' joins them"
)


class LLE(GraphEmbedder):
    """Locally linear embedding and two of its variants.

    The embedding consists of the eigenvectors of smallest eigenvalues, omitting the constant
    vector, of a matrix that measures how much coordinates deviate from a local model of each
    neighborhood. The standard method and LTSA equal those of scikit-learn. The Hessian variant does
    not, as scikit-learn's adds terms that are not part of a Hessian.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_features``.
    n_neighbors : int, default=12
        Number of neighbors of a point, not counting the point itself. The Hessian variant needs
        more than ``n_components * (n_components + 3) / 2``, LTSA more than ``n_components``.
    method : {"standard", "hessian", "ltsa"}, default="standard"
        Locally linear embedding, Hessian eigenmaps (HLLE) or local tangent space alignment.
    eigen_solver : {"auto", "arpack", "dense"}, default="auto"
        ``"auto"`` uses ARPACK for more than 200 points. ``"dense"`` does not fail on matrices
        that are close to singular; its time grows as n_samples³.
    disconnected : {"error", "warn", "bridges", "enhanced", "more_neighbors"}, default="error"
        Remedy if the neighborhoods have several connected components (see Notes), so that the
        embedding is an arbitrary mixture of vectors of a null space. ``"error"`` raises an error,
        ``"warn"`` warns and returns that embedding. The others are those of
        :class:`nldr.methods.Isomap`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows, columns of unit length. The entry of largest magnitude of
        each column is positive.
    reconstruction_error_ : float
        Sum of the eigenvalues that belong to the columns.

    Raises
    ------
    ValueError
        If there are too few features or neighbors for the method, or ARPACK fails.

    Notes
    -----
    The components of the standard method are the groups of points whose neighbors all belong to the
    group, even if a point outside has neighbors in two groups. Those of the two variants are the
    components of the graph that connects the neighbors of each point, without the point itself: a
    point that is not a neighbor of any other, as is common in high dimensions, is a component. A
    point that a remedy joins to another is therefore added to the patch of its neighbors.

    References
    ----------
    S. Roweis and L. Saul, "Nonlinear dimensionality reduction by locally linear embedding",
    Science 290, 2000. D. Donoho and C. Grimes, "Hessian eigenmaps", PNAS 100, 2003. Z. Zhang
    and H. Zha, "Principal manifolds and nonlinear dimensionality reduction via tangent space
    alignment", SIAM J. Sci. Comput. 26, 2004.

    Examples
    --------
    The order of points on a half circle is preserved:

    >>> import numpy as np
    >>> angle = np.linspace(0, np.pi, 100)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> embedding = LLE(1, n_neighbors=4).fit_transform(X)
    >>> bool(np.all(np.diff(embedding[:, 0]) > 0) or np.all(np.diff(embedding[:, 0]) < 0))
    True
    """

    _parameter_constraints: dict = {
        **GRAPH_CONSTRAINTS,
        "method": [StrOptions({"standard", "hessian", "ltsa"})],
        "eigen_solver": [StrOptions({"auto", "arpack", "dense"})],
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

    def _fit(self, data: NDArray) -> None:
        self._check_sizes(data.shape[1])

        standard = self.method == "standard"
        graph = self._connected_graph(
            data,
            STANDARD_CONSEQUENCE if standard else _patch_consequence,
            labels_of=closed_group_labels if standard else _patch_labels,
        )

        M = self._alignment_matrix(data, graph)
        small = len(data) <= DENSE_UP_TO or self.n_components >= len(data) - 1
        dense = self.eigen_solver == "dense" or (self.eigen_solver == "auto" and small)
        vectors, self.reconstruction_error_ = smallest_eigenvectors(
            M, self.n_components, dense=dense
        )

        self.embedding_ = fix_signs(vectors)

    def _check_sizes(self, n_features: int) -> None:
        """Raise an error if there are too few neighbors or features."""
        needed = self.n_components * (self.n_components + 3) // 2
        if self.method == "hessian" and self.n_neighbors <= needed:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too low for method='hessian' and "
                f"n_components={self.n_components}: it must be more than {needed}"
            )
        if self.n_components > n_features:
            raise ValueError(
                f"n_components={self.n_components} is too high for {n_features} features: at "
                "most n_features"
            )
        if self.method == "ltsa" and self.n_neighbors <= self.n_components:
            raise ValueError(
                f"n_neighbors={self.n_neighbors} is too low for method='ltsa': it must be more "
                f"than n_components={self.n_components}"
            )

    def _alignment_matrix(self, X: NDArray, graph: csr_array) -> csr_array:
        """Return the matrix whose eigenvectors of smallest eigenvalues are the embedding."""
        if self.method == "standard":
            return reconstruction_matrix(X, neighbor_lists(graph, self.added_edges_[:0]))

        # Patches of the variants: points with added edges belong to their own patch
        patches = neighbor_lists(graph, self.added_edges_)
        build = hessian_matrix if self.method == "hessian" else tangent_matrix
        return build(X, patches, self.n_components)


def _patch_labels(graph: csr_array) -> NDArray:
    """Return the component of each point in the graph that connects neighbors of the same point."""
    return component_labels(graph.T @ graph)


def _patch_consequence(graph: csr_array, added_edges: NDArray) -> str:
    """Return the consequence of several components for the variants."""
    n_isolated = np.count_nonzero(graph.sum(axis=0) == 0)
    return (
        f"no patch contains points of two of them, and {n_isolated} points belong to no patch, "
        "unless disconnected='bridges' joins them"
    )
