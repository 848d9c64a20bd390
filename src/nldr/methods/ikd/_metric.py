"""Latent distances as shortest paths over the kernel distances that a correlation tells well."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra, minimum_spanning_tree

MIN_SIMILARITY = 1e-3
MAX_ERROR = 0.1
FAR_EDGES = 25


class InvertibleKernel(Protocol):
    """What is needed of a kernel."""

    def inverse(self, k: NDArray) -> NDArray:
        """Squared scaled distances of the similarities `k`."""


def edge_lengths(
    similarity: NDArray,
    kernel: InvertibleKernel,
    n_features: int,
    *,
    threshold: float | None = None,
    n_neighbors: int = 5,
) -> NDArray:
    r"""Lengths √f⁻¹(s) of the edges from rows to training rows, infinite where there is none.

    A row has an edge to itself (if it is a training row), to its `n_neighbors` most similar
    training rows, and to 25 of the others above the threshold, evenly spaced in their order of
    similarity: short ones and long ones, as many of each as there are. Where there are no more
    than 25, all are taken.

    Parameters
    ----------
    similarity : ndarray of shape (n_rows, n_train)
        Correlations of rows with training rows; none is as similar to a training row as itself.
    kernel : object with a method ``inverse``
        Kernel, see :mod:`nldr.kernels`.
    n_features : int
        Number of features N that the correlations are taken over.
    threshold : float, optional
        Similarity s₀ that an edge has to exceed. By default the lowest at which the sampling
        error of the squared length is at most 0.1, see the notes.
    n_neighbors : int, default=5
        Number of nearest rows that are joined whatever their similarity. Similarities below
        1e-3 are raised to it.

    Returns
    -------
    ndarray of shape (n_rows, n_train)
        Lengths, in units of the length scale.

    Raises
    ------
    ValueError
        If `n_neighbors` is not positive or `similarity` has other than two dimensions.

    Notes
    -----
    The Fisher transform z = artanh s of a correlation has a standard deviation of 1/√(N-3)
    whatever its mean. By the delta method, the squared length d = f⁻¹(tanh z) has

    .. math:: \mathrm{sd}(d) = \left|\frac{\mathrm d}{\mathrm dz} f^{-1}(\tanh z)\right|
        \frac{1}{\sqrt{N-3}},

    which grows as s falls. For the squared exponential kernel it is 4 sinh(d/2)/√(N-3), so that
    s₀ = exp(-arsinh(√(N-3)/40)): 0.936, 0.784 and 0.485 at 10, 100 and 1000 features.

    Examples
    --------
    >>> import numpy as np
    >>> from nldr.kernels import SquaredExponential
    >>> kernel = SquaredExponential()
    >>> edge_lengths(kernel(np.array([[0.0, 1.0, 4.0]])), kernel, 100, n_neighbors=1)
    array([[ 0.,  1., inf]])
    """
    if np.ndim(similarity) != 2:
        raise ValueError(f"similarity must have 2 dimensions, got {np.ndim(similarity)}")
    if n_neighbors < 1:
        raise ValueError(f"n_neighbors must be at least 1, got {n_neighbors}")
    if threshold is None:
        threshold = _default_threshold(kernel, n_features)
    columns = _edge_columns(similarity, threshold, n_neighbors)
    chosen = np.take_along_axis(similarity, columns, axis=1)
    lengths = np.full(similarity.shape, np.inf)
    np.put_along_axis(lengths, columns, _lengths(chosen, kernel), axis=1)
    return lengths


def metric_distances(
    similarity: NDArray,
    kernel: InvertibleKernel,
    n_features: int,
    *,
    threshold: float | None = None,
    n_neighbors: int = 5,
) -> NDArray:
    """Squared lengths of the shortest paths between training rows.

    The paper's geodesic solution multiplies similarities along a path, which for the squared
    exponential kernel adds squared distances; these do not add on a line, distances do.

    Parameters
    ----------
    similarity : ndarray of shape (n_train, n_train)
        Correlations of the training rows, symmetric; the diagonal is taken as 1.
    kernel, n_features, threshold, n_neighbors
        As in :func:`edge_lengths`. Two rows are joined if either has an edge to the other.

    Returns
    -------
    ndarray of shape (n_train, n_train)
        Squared path lengths, symmetric, in squared units of the length scale; infinite between
        rows that no path joins.

    Raises
    ------
    ValueError
        If `similarity` is not square, and as :func:`edge_lengths`.

    Notes
    -----
    If the edges leave the rows in several parts, parts are joined along the maximum spanning tree
    of the similarities above tanh √(2 ln(n(n-1)/2)/(N-3)), about the largest that n unrelated
    rows would show by chance. Parts that resemble each other no more than that stay apart.

    Time O(n_train² (n_neighbors + 25 + log n_train)), whatever the number of similarities above
    the threshold.

    References
    ----------
    Compare C. Li and A. Wu, "Inverse Kernel Decomposition", Sec. 2.4, geodesic solution.

    Examples
    --------
    >>> import numpy as np
    >>> from nldr.kernels import SquaredExponential
    >>> kernel = SquaredExponential()
    >>> line = np.arange(4.0)
    >>> similarity = kernel((line[:, np.newaxis] - line) ** 2)
    >>> metric_distances(similarity, kernel, 100, n_neighbors=1).round(9)
    array([[0., 1., 4., 9.],
           [1., 0., 1., 4.],
           [4., 1., 0., 1.],
           [9., 4., 1., 0.]])
    """
    if np.ndim(similarity) != 2 or similarity.shape[0] != similarity.shape[1]:
        raise ValueError(f"similarity must be a square matrix, got shape {np.shape(similarity)}")
    similarity = similarity.copy()
    np.fill_diagonal(similarity, np.inf)  # each row is nearest to itself, before duplicates
    lengths = edge_lengths(
        similarity, kernel, n_features, threshold=threshold, n_neighbors=n_neighbors
    )
    graph = _sparse(np.minimum(lengths, lengths.T))
    if connected_components(graph, directed=False)[0] > 1:
        rows, columns = _significant_tree(similarity, n_features)
        lengths[rows, columns] = _lengths(similarity[rows, columns], kernel)
        graph = _sparse(np.minimum(lengths, lengths.T))
    paths = dijkstra(graph)
    return np.square(np.minimum(paths, paths.T))


def _lengths(similarity: NDArray, kernel: InvertibleKernel) -> NDArray:
    """√f⁻¹(s) of similarities clipped to where the inverse is of use."""
    squared = kernel.inverse(np.clip(similarity, MIN_SIMILARITY, 1.0))
    return np.sqrt(np.maximum(squared, 0.0))


def _sparse(lengths: NDArray) -> csr_array:
    """Graph of the finite lengths; zeros, between duplicates, are stored and so are edges."""
    edges = np.nonzero(np.isfinite(lengths))
    return csr_array((lengths[edges], edges), shape=lengths.shape)


def _significant_tree(similarity: NDArray, n_features: int) -> tuple[NDArray, NDArray]:
    """Pairs of the maximum spanning forest of the similarities that chance does not explain."""
    n_pairs = len(similarity) * (len(similarity) - 1) / 2
    chance = np.tanh(np.sqrt(2 * np.log(n_pairs) / max(n_features - 3, 1)))
    rows, columns = np.nonzero(np.triu(similarity, 1) > chance)
    weights = 2.0 - np.minimum(similarity[rows, columns], 1.0)  # positive, as tree edges must be
    tree = minimum_spanning_tree(csr_array((weights, (rows, columns)), shape=similarity.shape))
    return tree.nonzero()


def _default_threshold(kernel: InvertibleKernel, n_features: int) -> float:
    """Return the lowest similarity whose squared length has a standard error of `MAX_ERROR`."""
    z = np.linspace(np.arctanh(MIN_SIMILARITY), np.arctanh(1 - 1e-6), 10_000)
    slope = -np.gradient(kernel.inverse(np.tanh(z)), z)
    error = slope / np.sqrt(max(n_features - 3, 1))
    precise = np.flatnonzero(error <= MAX_ERROR)
    return float(np.tanh(z[precise[0]])) if len(precise) else 1.0


def _edge_columns(similarity: NDArray, threshold: float, n_neighbors: int) -> NDArray:
    """Columns of each row's edges, some more than once where there are few."""
    order = np.argsort(-similarity, axis=1)
    n_near = min(n_neighbors + 1, similarity.shape[1])
    n_above = np.count_nonzero(similarity > threshold, axis=1)[:, np.newaxis]
    n_others = np.maximum(n_above - n_near, 0)
    far = n_near - 1 + n_others * np.arange(1, FAR_EDGES + 1) // FAR_EDGES
    return np.hstack([order[:, :n_near], np.take_along_axis(order, far, axis=1)])
