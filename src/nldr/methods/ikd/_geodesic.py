"""Latent distances as shortest paths over edges whose similarity is precise enough to invert."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra, minimum_spanning_tree

from nldr.kernels import Kernel

MIN_SIMILARITY = 1e-3  # to which smaller similarities of edges are raised
MAX_STANDARD_ERROR = 0.1  # of the squared length of an edge above the default threshold
N_FAR_EDGES = 25


def edge_lengths(
    similarity: NDArray,
    kernel: Kernel,
    n_features: int,
    *,
    threshold: float | None = None,
    n_neighbors: int = 5,
) -> NDArray:
    r"""Return the lengths √f⁻¹(s) of the edges from rows to training rows, infinite without one.

    Each row has an edge to itself (if it is a training row), to its `n_neighbors` most similar
    training rows, and to 25 of the remaining ones above the threshold, evenly spaced in their
    order of similarity, so that short and long edges are equally represented.

    Parameters
    ----------
    similarity : ndarray of shape (n_rows, n_train)
        Correlations of rows with training rows. A training row must be the most similar row to
        itself.
    kernel : Kernel
        Kernel f, see :mod:`nldr.kernels`.
    n_features : int
        Number of features N from which the correlations were estimated.
    threshold : float, optional
        Similarity s₀ that an edge has to exceed. By default the lowest similarity at which the
        standard error of the squared length is at most 0.1, see the notes.
    n_neighbors : int, default=5
        Number of most similar rows that get an edge regardless of the threshold. Similarities
        below 1e-3 are raised to 1e-3.

    Notes
    -----
    The Fisher transform z = artanh s of a correlation has a standard deviation of 1/√(N-3)
    regardless of its mean. By the delta method, the squared length d = f⁻¹(tanh z) has

    .. math:: \mathrm{sd}(d) = \left|\frac{\mathrm d}{\mathrm dz} f^{-1}(\tanh z)\right|
        \frac{1}{\sqrt{N-3}},

    which increases as s decreases. For the squared exponential kernel it is 4 sinh(d/2)/√(N-3),
    hence s₀ = exp(-arsinh(√(N-3)/40)).

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
        threshold = _lowest_precise_similarity(kernel, n_features)
    columns = _edge_columns(similarity, threshold, n_neighbors)
    chosen = np.take_along_axis(similarity, columns, axis=1)
    lengths = np.full(similarity.shape, np.inf)
    np.put_along_axis(lengths, columns, _invert_to_lengths(chosen, kernel), axis=1)
    return lengths


def metric_distances(
    similarity: NDArray,
    kernel: Kernel,
    n_features: int,
    *,
    threshold: float | None = None,
    n_neighbors: int = 5,
) -> NDArray:
    """Return the squared lengths of the shortest paths between training rows.

    The geodesic solution of Sec. 2.4 multiplies similarities along a path, which for the squared
    exponential kernel adds squared distances. Along a straight line distances add, but squared
    distances do not, so this function adds distances. The arguments are those of
    :func:`edge_lengths`, with an edge if either row has one; the result is infinite between rows of
    different connected components.

    Notes
    -----
    If the graph is disconnected, components are joined along the maximum spanning tree of the
    similarities above tanh √(2 ln(n(n-1)/2)/(N-3)), which is about the largest similarity that n
    independent rows show by chance. Components without a higher similarity stay separate.

    The time is O(n_train² (n_neighbors + 25 + log n_train)), regardless of the number of
    similarities above the threshold.

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
    np.fill_diagonal(similarity, np.inf)  # sorts each row before its own duplicates
    lengths = edge_lengths(
        similarity, kernel, n_features, threshold=threshold, n_neighbors=n_neighbors
    )
    graph = _sparse_graph(np.minimum(lengths, lengths.T))
    # Join components whose similarity is significant
    if connected_components(graph, directed=False)[0] > 1:
        rows, columns = _significant_tree(similarity, n_features)
        lengths[rows, columns] = _invert_to_lengths(similarity[rows, columns], kernel)
        graph = _sparse_graph(np.minimum(lengths, lengths.T))
    paths = dijkstra(graph)
    return np.square(np.minimum(paths, paths.T))


def _invert_to_lengths(similarity: NDArray, kernel: Kernel) -> NDArray:
    """Return √f⁻¹(s) of similarities clipped to the domain of f⁻¹."""
    squared = kernel.inverse(np.clip(similarity, MIN_SIMILARITY, 1.0))
    return np.sqrt(np.maximum(squared, 0.0))


def _sparse_graph(lengths: NDArray) -> csr_array:
    """Return the graph of the finite lengths.

    Zero lengths, between duplicates, are stored explicitly and therefore count as edges.
    """
    edges = np.nonzero(np.isfinite(lengths))
    return csr_array((lengths[edges], edges), shape=lengths.shape)


def _significant_tree(similarity: NDArray, n_features: int) -> tuple[NDArray, NDArray]:
    """Return the edges of the maximum spanning forest of the significant similarities."""
    # Largest similarity by chance, from the Fisher transform and a Gaussian tail over all pairs
    n_pairs = len(similarity) * (len(similarity) - 1) / 2
    chance = np.tanh(np.sqrt(2 * np.log(n_pairs) / max(n_features - 3, 1)))
    rows, columns = np.nonzero(np.triu(similarity, 1) > chance)
    weights = 2.0 - np.minimum(similarity[rows, columns], 1.0)  # > 0, since zeros are not edges
    tree = minimum_spanning_tree(csr_array((weights, (rows, columns)), shape=similarity.shape))
    return tree.nonzero()


def _lowest_precise_similarity(kernel: Kernel, n_features: int) -> float:
    """Return the lowest similarity whose squared length has a standard error of at most 0.1."""
    # Delta method, on a grid of Fisher transforms z = artanh s
    z = np.linspace(np.arctanh(MIN_SIMILARITY), np.arctanh(1 - 1e-6), 10_000)
    slope = -np.gradient(kernel.inverse(np.tanh(z)), z)
    error = slope / np.sqrt(max(n_features - 3, 1))
    precise = np.flatnonzero(error <= MAX_STANDARD_ERROR)
    return float(np.tanh(z[precise[0]])) if len(precise) else 1.0


def _edge_columns(similarity: NDArray, threshold: float, n_neighbors: int) -> NDArray:
    """Return the columns of the edges of each row; a column may occur more than once."""
    order = np.argsort(-similarity, axis=1)
    n_near = min(n_neighbors + 1, similarity.shape[1])
    # Evenly spaced ranks among the other rows above the threshold
    n_above = np.count_nonzero(similarity > threshold, axis=1)[:, np.newaxis]
    n_others = np.maximum(n_above - n_near, 0)
    far = n_near - 1 + n_others * np.arange(1, N_FAR_EDGES + 1) // N_FAR_EDGES
    return np.hstack([order[:, :n_near], np.take_along_axis(order, far, axis=1)])
