"""Alignment matrices of LLE, Hessian eigenmaps and LTSA, for any lists of neighbors.

An alignment matrix is a sum over patches, which are lists of points. Its quadratic form measures
how much a function deviates from the local model of the method, so the embedding consists of its
eigenvectors of smallest eigenvalues. As in scikit-learn, the patch of a point contains its
neighbors but not the point itself, unless :func:`neighbor_lists` is asked to add it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import coo_array, csr_array, eye_array
from scipy.sparse.linalg import ArpackError, eigsh

# Shift of the shift-invert mode of ARPACK below zero, as a fraction of the mean diagonal entry.
SHIFT = 1e-12

# Regularization of local Gram matrices, as a fraction of their trace.
RIDGE = 1e-3


def neighbor_lists(graph: csr_array, with_self: NDArray) -> list[NDArray]:
    """Return the neighbors of each node of a graph, as lists of column indices.

    Parameters
    ----------
    graph : csr_array of shape (n_nodes, n_nodes)
        Adjacency matrix, edges from row to column.
    with_self : ndarray of int
        Nodes, in any shape, that are appended to their own list.

    Returns
    -------
    list of ndarray
        Neighbors of each node.

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
    """Return the weights, summing to one, that best reconstruct points from their neighbors.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points that the neighbors are taken from.
    neighbors : sequence of ndarray
        For each row of `Y`, the row indices of its neighbors in `X`.
    Y : ndarray of shape (n_queries, n_features)
        Points to be reconstructed.

    Returns
    -------
    csr_array of shape (n_queries, n_samples)
        Reconstruction weights (Roweis and Saul 2000). A ridge of 1e-3 times the trace of the
        local Gram matrix keeps them finite and unique.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0]])
    >>> barycentric_weights(X, [np.array([0, 1])], np.array([[0.25]])).toarray().round(2)
    array([[0.75, 0.25]])
    """
    rows, columns, values = [], [], []
    for queries, lists in _group_by_length(neighbors):
        # Local Gram matrices of the differences between neighbors and point
        differences = X[lists] - Y[queries, np.newaxis]
        gram = differences @ differences.transpose(0, 2, 1)

        # Regularization; by 1e-3 itself where all differences are zero
        trace = np.trace(gram, axis1=1, axis2=2)
        diagonal = np.arange(lists.shape[1])
        gram[:, diagonal, diagonal] += RIDGE * np.where(trace > 0, trace, 1.0)[:, np.newaxis]

        # Weights solve G w = 1 up to their sum
        weights = np.linalg.solve(gram, np.ones((*lists.shape, 1)))[..., 0]
        rows.append(np.repeat(queries, lists.shape[1]))
        columns.append(lists.ravel())
        values.append((weights / weights.sum(axis=1, keepdims=True)).ravel())
    return _assemble_sparse(rows, columns, values, (len(Y), len(X)))


def reconstruction_matrix(X: NDArray, neighbors: Sequence[NDArray]) -> csr_array:
    """Return the alignment matrix of LLE, (I − W)ᵀ(I − W).

    W contains the weights that reconstruct each point from its neighbors, see
    :func:`barycentric_weights`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    neighbors : sequence of ndarray
        Row indices of the neighbors of each point.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Symmetric positive semidefinite matrix with the constants in its null space.

    Examples
    --------
    >>> M = reconstruction_matrix(np.array([[0.0], [1.0], [2.0]]), [[1], [0, 2], [1]])
    >>> bool(np.allclose(M.sum(axis=0), 0))
    True
    """
    residual = eye_array(len(X), format="csr") - barycentric_weights(X, neighbors, X)
    return csr_array(residual.T @ residual)


def tangent_matrix(X: NDArray, neighbors: Sequence[NDArray], n_components: int) -> csr_array:
    """Return the alignment matrix of LTSA.

    Its quadratic form is the sum over patches of the squared residuals of a function after
    regression on an affine function of the local coordinates, which are the first principal
    components of the patch.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    neighbors : sequence of ndarray
        Row indices of the points of each patch.
    n_components : int
        Number of local coordinates.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Symmetric positive semidefinite matrix with the constants in its null space.

    Examples
    --------
    Affine functions on a line are in the null space:

    >>> line = np.arange(5.0)[:, np.newaxis]
    >>> M = tangent_matrix(line, [[0, 1, 2], [1, 2, 3], [2, 3, 4]], 1)
    >>> bool(np.allclose(M @ line, 0))
    True
    """
    return _sum_patch_projections(X, neighbors, n_components, hessian=False)


def hessian_matrix(X: NDArray, neighbors: Sequence[NDArray], n_components: int) -> csr_array:
    """Return the alignment matrix of Hessian eigenmaps.

    Its quadratic form is the sum over patches of the squared estimate of the Hessian of a function
    in local coordinates, which are the first principal components of the patch. The estimate is the
    projection onto the products of two local coordinates, orthogonalized against the constant and
    the coordinates (Donoho and Grimes 2003).

    scikit-learn projects onto the full orthogonal complement of the constant and the coordinates
    instead. With more than 1 + d + d(d + 1)/2 neighbors, its Hessian variant therefore equals
    LTSA; this one does not.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    neighbors : sequence of ndarray
        Row indices of the points of each patch.
    n_components : int
        Number d of local coordinates.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Symmetric positive semidefinite matrix with the constants in its null space.

    Examples
    --------
    >>> line = np.arange(5.0)[:, np.newaxis]
    >>> M = hessian_matrix(line, [[0, 1, 2, 3], [1, 2, 3, 4]], 1)
    >>> bool(np.allclose(M @ line, 0))
    True
    """
    return _sum_patch_projections(X, neighbors, n_components, hessian=True)


def _sum_patch_projections(
    X: NDArray, neighbors: Sequence[NDArray], n_components: int, *, hessian: bool
) -> csr_array:
    """Return the sum over patches of a projection, for Hessian eigenmaps or else for LTSA."""
    rows, columns, values = [], [], []
    for _, lists in _group_by_length(neighbors):
        # Local coordinates: leading left singular vectors of the centered patches
        size = lists.shape[1]
        points = X[lists]
        points -= points.mean(axis=1, keepdims=True)
        local = np.linalg.svd(points, full_matrices=False)[0][..., :n_components]

        # Orthonormal basis of the constant, the coordinates and, for the Hessian, their products
        i, j = np.triu_indices(n_components)
        products = local[..., i] * local[..., j] if hessian else local[..., :0]
        functions = np.concatenate([np.ones((*lists.shape, 1)), local, products], axis=2)
        basis = np.linalg.qr(functions)[0]

        # Projection onto the products (Hessian) or the complement of affine functions (LTSA)
        if hessian:
            quadratic = basis[..., 1 + n_components :]
            blocks = quadratic @ quadratic.transpose(0, 2, 1)
        else:
            blocks = np.eye(size) - basis @ basis.transpose(0, 2, 1)

        # Add each block at the rows and columns of its patch
        rows.append(np.repeat(lists, size, axis=1).ravel())
        columns.append(np.tile(lists, size).ravel())
        values.append(blocks.ravel())
    return _assemble_sparse(rows, columns, values, (len(X), len(X)))


def _group_by_length(lists: Sequence[NDArray]) -> Iterator[tuple[NDArray, NDArray]]:
    """Yield, for each length, the positions of lists of that length and these lists as an array."""
    lengths = np.array([len(row) for row in lists])
    for length in np.unique(lengths):
        positions = np.flatnonzero(lengths == length)
        yield positions, np.array([lists[i] for i in positions.tolist()])


def _assemble_sparse(
    rows: list[NDArray], columns: list[NDArray], values: list[NDArray], shape: tuple[int, int]
) -> csr_array:
    """Return a sparse matrix from blocks of coordinates and values; duplicates are added up."""
    positions = np.concatenate(rows), np.concatenate(columns)
    return coo_array((np.concatenate(values), positions), shape=shape).tocsr()


def smallest_eigenvectors(M: csr_array, n_vectors: int, *, dense: bool) -> tuple[NDArray, float]:
    """Return the eigenvectors of the smallest eigenvalues after the first, and the sum of these.

    Parameters
    ----------
    M : csr_array of shape (n, n)
        Symmetric positive semidefinite matrix with the constants in its null space.
    n_vectors : int
        Number of eigenvectors.
    dense : bool
        True to decompose M as a dense matrix, False to use ARPACK in shift-invert mode near zero.

    Returns
    -------
    vectors : ndarray of shape (n, n_vectors)
        Eigenvectors of unit length, by ascending eigenvalue.
    total : float
        Sum of their eigenvalues.

    Raises
    ------
    ValueError
        If ARPACK fails, which can happen if the null space contains more than the constants.

    Examples
    --------
    >>> chain = csr_array(np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]))
    >>> round(smallest_eigenvectors(chain, 1, dense=True)[1], 12)
    1.0
    """
    # Dense solver
    if dense:
        values, vectors = eigh(M.toarray(), subset_by_index=[1, n_vectors], overwrite_a=True)
        return vectors, float(values.sum())

    # ARPACK from a fixed start; slightly below zero, because M itself is singular
    start = np.random.default_rng(0).uniform(-1, 1, M.shape[0])
    sigma = -SHIFT * M.diagonal().mean()
    try:
        values, vectors = eigsh(
            M, n_vectors + 1, sigma=sigma, tol=1e-6, maxiter=100, v0=start, rng=0
        )
    except (ArpackError, RuntimeError) as error:
        raise ValueError(
            f"ARPACK failed to find the eigenvectors of smallest eigenvalues ({error}): use "
            "eigen_solver='dense'"
        ) from error

    # Ascending order without the constant vector
    order = np.argsort(values)[1:]
    return vectors[:, order], float(values[order].sum())
