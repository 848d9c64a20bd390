"""What LLE, Hessian eigenmaps and LTSA punish, on any lists of neighbors.

scikit-learn's patches are the neighbors of a point without the point itself, in all three, and so
are these where the graph is a plain one of nearest neighbors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import coo_array, csr_array, eye_array
from scipy.sparse.linalg import ArpackError, eigsh

SHIFT = 1e-12  # of the point around which eigenvalues are sought, in mean diagonal entries
RIDGE = 1e-3  # share of the trace added to the diagonal of a local Gram matrix


def neighbor_lists(graph: csr_array, with_self: NDArray) -> list[NDArray]:
    """Return the columns of each row of a graph, and the row itself for rows of `with_self`.

    Examples
    --------
    >>> graph = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> [row.tolist() for row in neighbor_lists(graph, np.array([2]))]
    [[1], [0, 2], [1, 2]]
    """
    lists = np.split(graph.indices, graph.indptr[1:-1])
    for i in np.unique(with_self):
        lists[i] = np.append(lists[i], i)
    return lists


def barycentric_weights(X: NDArray, neighbors: Sequence[NDArray], Y: NDArray) -> csr_array:
    """Return the weights that best write each row of `Y` by some rows of `X` and sum to one.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points to write by.
    neighbors : sequence of ndarray
        For each row of `Y`, which rows of `X`.
    Y : ndarray of shape (n_queries, n_features)
        Points to be written.

    Returns
    -------
    csr_array of shape (n_queries, n_samples)
        The weights; the local Gram matrices have a ridge of 1e-3 of their trace.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0]])
    >>> barycentric_weights(X, [np.array([0, 1])], np.array([[0.25]])).toarray().round(2)
    array([[0.75, 0.25]])
    """
    rows, columns, values = [], [], []
    for queries, lists in _by_length(neighbors):
        steps = X[lists] - Y[queries, np.newaxis]
        gram = steps @ steps.transpose(0, 2, 1)
        trace = np.trace(gram, axis1=1, axis2=2)
        diagonal = np.arange(lists.shape[1])
        gram[:, diagonal, diagonal] += RIDGE * np.where(trace > 0, trace, 1.0)[:, np.newaxis]
        weights = np.linalg.solve(gram, np.ones((*lists.shape, 1)))[..., 0]
        rows.append(np.repeat(queries, lists.shape[1]))
        columns.append(lists.ravel())
        values.append((weights / weights.sum(axis=1, keepdims=True)).ravel())
    return _assembled(rows, columns, values, (len(Y), len(X)))


def reconstruction_matrix(X: NDArray, neighbors: Sequence[NDArray]) -> csr_array:
    """Return (I − W)ᵀ(I − W), W the weights that write each point by its neighbors (LLE).

    Examples
    --------
    >>> M = reconstruction_matrix(np.array([[0.0], [1.0], [2.0]]), [[1], [0, 2], [1]])
    >>> bool(np.allclose(M.sum(axis=0), 0))
    True
    """
    rest = eye_array(len(X), format="csr") - barycentric_weights(X, neighbors, X)
    return csr_array(rest.T @ rest)


def tangent_matrix(X: NDArray, neighbors: Sequence[NDArray], n_components: int) -> csr_array:
    """Return the sum over patches of what no affine function of local coordinates explains (LTSA).

    Examples
    --------
    On a line, affine functions cost nothing:

    >>> line = np.arange(5.0)[:, np.newaxis]
    >>> M = tangent_matrix(line, [[0, 1, 2], [1, 2, 3], [2, 3, 4]], 1)
    >>> bool(np.allclose(M @ line, 0))
    True
    """
    return _patchwork(X, neighbors, n_components, hessian=False)


def hessian_matrix(X: NDArray, neighbors: Sequence[NDArray], n_components: int) -> csr_array:
    """Return the sum over patches of squared Hessians in local coordinates (Hessian eigenmaps).

    The rows of a patch's Hessian are what orthonormalization leaves of the products of two local
    coordinates, after the constant and the coordinates. (scikit-learn's implementation takes the
    rest of the space as well, so that with more than 1 + d + d(d + 1)/2 neighbors its Hessian
    variant is LTSA.)

    Examples
    --------
    >>> line = np.arange(5.0)[:, np.newaxis]
    >>> M = hessian_matrix(line, [[0, 1, 2, 3], [1, 2, 3, 4]], 1)
    >>> bool(np.allclose(M @ line, 0))
    True
    """
    return _patchwork(X, neighbors, n_components, hessian=True)


def _patchwork(
    X: NDArray, neighbors: Sequence[NDArray], n_components: int, *, hessian: bool
) -> csr_array:
    """Return the sum of the patches' projections, see the two functions above."""
    rows, columns, values = [], [], []
    for _, lists in _by_length(neighbors):
        size = lists.shape[1]
        points = X[lists]
        points -= points.mean(axis=1, keepdims=True)
        local = np.linalg.svd(points, full_matrices=False)[0][..., :n_components]
        i, j = np.triu_indices(n_components)
        products = local[..., i] * local[..., j] if hessian else local[..., :0]
        functions = np.concatenate([np.ones((*lists.shape, 1)), local, products], axis=2)
        basis = np.linalg.qr(functions)[0]
        if hessian:
            curved = basis[..., 1 + n_components :]
            blocks = curved @ curved.transpose(0, 2, 1)
        else:
            blocks = np.eye(size) - basis @ basis.transpose(0, 2, 1)
        rows.append(np.repeat(lists, size, axis=1).ravel())
        columns.append(np.tile(lists, size).ravel())
        values.append(blocks.ravel())
    return _assembled(rows, columns, values, (len(X), len(X)))


def _by_length(lists: Sequence[NDArray]) -> Iterator[tuple[NDArray, NDArray]]:
    """Yield the positions of lists of equal length, and these lists as an array."""
    lengths = np.array([len(row) for row in lists])
    for length in np.unique(lengths):
        positions = np.flatnonzero(lengths == length)
        yield positions, np.array([lists[i] for i in positions.tolist()])


def _assembled(
    rows: list[NDArray], columns: list[NDArray], values: list[NDArray], shape: tuple[int, int]
) -> csr_array:
    places = np.concatenate(rows), np.concatenate(columns)
    return coo_array((np.concatenate(values), places), shape=shape).tocsr()


def smallest_vectors(M: csr_array, n_vectors: int, *, dense: bool) -> tuple[NDArray, float]:
    """Return the eigenvectors of the smallest eigenvalues but the first, and these values' sum.

    Parameters
    ----------
    M : csr_array of shape (n, n)
        Symmetric, positive semidefinite, with the constants in its null space.
    n_vectors : int
        How many.
    dense : bool
        Whether to decompose M as a full matrix; else by ARPACK around zero.

    Returns
    -------
    vectors : ndarray of shape (n, n_vectors)
        Unit eigenvectors, eigenvalues ascending.
    total : float
        Sum of their eigenvalues.

    Raises
    ------
    ValueError
        If ARPACK fails, as it may where more than the constants are in the null space.

    Examples
    --------
    >>> chain = csr_array(np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]))
    >>> round(smallest_vectors(chain, 1, dense=True)[1], 12)
    1.0
    """
    if dense:
        values, vectors = eigh(M.toarray(), subset_by_index=[1, n_vectors], overwrite_a=True)
        return vectors, float(values.sum())
    start = np.random.default_rng(0).uniform(-1, 1, M.shape[0])
    below = -SHIFT * M.diagonal().mean()  # at zero itself, M is singular
    try:
        values, vectors = eigsh(M, n_vectors + 1, sigma=below, tol=1e-6, maxiter=100, v0=start)
    except (ArpackError, RuntimeError) as error:
        raise ValueError(
            f"the eigenvectors of smallest eigenvalues cannot be found by ARPACK ({error}): "
            "eigen_solver='dense' finds them"
        ) from error
    order = np.argsort(values)[1:]
    return vectors[:, order], float(values[order].sum())
