"""Facial reduction: restrict the kernel matrix to the subspace that rigid groups leave free.

Points that are all joined to each other form a clique of the graph, and their mutual distances are
fixed. If the points x_i of a clique have an affine dependency z, that is

    Σ z_i = 0  and  Σ z_i x_i = 0,                                                          (1)

then every feasible kernel matrix K satisfies zᵀKz = −½ Σ z_i z_j d_ij² = 0, hence

    K z = 0.                                                                                (2)

With such dependencies the feasible set has no interior, and interior-point methods lose accuracy
or fail. Every feasible K lies in a face of the semidefinite cone, K = U K̂ Uᵀ with K̂ ⪰ 0 and the
columns of U spanning the orthogonal complement of the constants and of all dependencies. On that
subspace the problem generally has an interior.

References
----------
N. Krislock and H. Wolkowicz, "Explicit sensor network localization using semidefinite
representations and facial reductions", SIAM Journal on Optimization 20, 2010.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.linalg.lapack import dpstrf
from scipy.sparse import block_diag, coo_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components

RANK = 1e-9  # relative singular value that counts as zero
SPARSE = 0.1  # share of nonzero entries up to which sparse products are at least as fast


def cliques(edges: NDArray, n_samples: int) -> Iterator[NDArray]:
    """Yield all maximal cliques of a graph (Bron & Kerbosch 1973, with pivots).

    Parameters
    ----------
    edges : ndarray of shape (n_edges, 2)
        Pairs of nodes.
    n_samples : int
        Number of nodes.

    Yields
    ------
    ndarray of shape (n_members,)
        Nodes of a clique, ascending.

    Examples
    --------
    >>> [c.tolist() for c in cliques(np.array([[0, 1], [1, 2], [0, 2], [2, 3]]), 4)]
    [[0, 1, 2], [2, 3]]
    """
    # Adjacency sets
    neighbors: list[set[int]] = [set() for _ in range(n_samples)]
    for i, j in edges.tolist():
        neighbors[i].add(j)
        neighbors[j].add(i)

    # One search per node, for the cliques of which it is the first node
    for first in range(n_samples):
        later = {node for node in neighbors[first] if node > first}
        # Each entry: current clique, nodes that may extend it, nodes already treated
        stack = [([first], later, neighbors[first] - later)]
        while stack:
            members, candidates, excluded = stack.pop()
            # Maximal if no node is adjacent to all members
            if not candidates and not excluded:
                yield np.array(sorted(members))
            if not candidates:
                continue
            # Pivot: only its non-neighbors need to be tried
            pivot = max(candidates | excluded, key=lambda node: len(neighbors[node] & candidates))
            for node in sorted(candidates - neighbors[pivot]):
                adjacent = neighbors[node]
                stack.append(([*members, node], candidates & adjacent, excluded & adjacent))
                candidates, excluded = candidates - {node}, excluded | {node}


def face_basis(X: NDArray, groups: Iterator[NDArray]) -> NDArray | csr_array:
    """Return a basis of the orthogonal complement of constants and affine dependencies.

    Groups that share points are merged into blocks. Each block has its own small basis, which
    keeps the whole basis sparse. A Householder reflection that maps the constants to the first
    column removes them from the span. The reflection adds a constant to every other column;
    differences along edges do not depend on it, so it is omitted. Only rows in the support of the
    first column become dense.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    groups : iterator of ndarray
        Row indices of points whose mutual distances are all fixed.

    Returns
    -------
    ndarray or csr_array of shape (n_samples, n_free)
        Columns that are orthonormal once their means are subtracted; sparse if fewer than a
        tenth of the entries are nonzero.

    Examples
    --------
    Three points on a line, all joined, keep one degree of freedom:

    >>> basis = face_basis(np.array([[0.0], [1.0], [2.0]]), iter([np.arange(3)]))
    >>> np.abs(basis - basis.mean(axis=0)).round(3).ravel()
    array([0.707, 0.   , 0.707])
    """
    # Orthogonal complement of the dependencies; it contains the constants
    Q = _block_basis(len(X), list(_dependencies(X, groups)))

    # Coefficients c of the unit constant vector: Qc = 1/√n
    c = Q.sum(axis=0) / np.sqrt(len(X))

    # Columns of QH but the first, up to constants; H is the reflection of c to ±e₁
    first = Q[:, [0]] * np.copysign(1 / (1 + abs(c[0])), c[0])
    basis = csr_array(Q[:, 1:] - first @ csr_array(c[np.newaxis, 1:]))

    return basis if basis.nnz < SPARSE * np.prod(basis.shape) else basis.toarray()


def _dependencies(X: NDArray, groups: Iterator[NDArray]) -> Iterator[tuple[NDArray, NDArray]]:
    """Yield each group that has affine dependencies, Eq. 1, with an orthonormal basis of them."""
    for members in groups:
        # Rows (1, x_i), with x centered and scaled to make the rank decision scale-free
        points = X[members] - X[members].mean(axis=0)
        size = np.abs(points).max()
        affine = np.column_stack([np.ones(len(members)), points / (size if size > 0 else 1.0)])

        # Left null space by singular value decomposition
        wide = affine.shape[0] <= affine.shape[1]
        left, values, _ = np.linalg.svd(affine, full_matrices=not wide)
        rank = np.count_nonzero(values > RANK * values[0])
        if rank < len(members):
            yield members, left[:, rank:]


def _block_basis(n_samples: int, dependencies: list[tuple[NDArray, NDArray]]) -> csr_array:
    """Return an orthonormal basis of the complement of all dependencies, small blocks first."""
    # Blocks: connected components of the points, where each group is linked in a chain
    chains = [np.column_stack([m[:-1], m[1:]]) for m, _ in dependencies]
    i, j = np.concatenate([np.empty((0, 2), dtype=int), *chains]).T
    linked = coo_array((np.ones(len(i)), (i, j)), shape=(n_samples, n_samples))
    n_blocks, labels = connected_components(linked, directed=False)
    order = np.argsort(labels, kind="stable")
    blocks = np.split(order, np.cumsum(np.bincount(labels))[:-1])

    # Dependencies of each block, in the rows of the block
    normals: list[list[NDArray]] = [[] for _ in range(n_blocks)]
    for members, columns in dependencies:
        label = labels[members[0]]
        block = blocks[label]
        in_block = np.zeros((len(block), columns.shape[1]))
        in_block[np.searchsorted(block, members)] = columns
        normals[label].append(in_block)

    # Complement per block; small blocks first, so that the first column has few entries
    by_size = sorted(range(n_blocks), key=lambda b: len(blocks[b]))
    bases = [_complement(normals[b]) if normals[b] else np.ones((1, 1)) for b in by_size]

    # Block-diagonal matrix, with rows back in the order of the points
    rows = np.concatenate([blocks[b] for b in by_size])
    return csr_array(block_diag(bases, format="csr"))[np.argsort(rows)]


def _complement(normals: list[NDArray]) -> NDArray:
    """Return an orthonormal basis of the orthogonal complement of all columns."""
    # Rank-revealing QR: the columns after the rank are orthogonal to the range
    basis, triangle, _ = qr(np.concatenate(normals, axis=1), pivoting=True)
    pivots = np.abs(np.diag(triangle))
    return basis[:, np.count_nonzero(pivots > RANK * pivots[0]) :]


def independent_edges(basis: NDArray | csr_array, edges: NDArray) -> NDArray:
    """Return a maximal linearly independent set of edge constraints.

    The constraint of edge e is linear in K̂ with coefficient matrix b bᵀ, where b is the difference
    of the two rows of the basis. Two such matrices have the inner product (bᵀb')². Of dependent
    edges the longer ones in the subspace are kept, whatever their order.

    Parameters
    ----------
    basis : ndarray or csr_array of shape (n_samples, n_free)
        Basis of the subspace to which the kernel matrix is restricted; adding a constant to a
        column changes nothing.
    edges : ndarray of shape (n_edges, 2)
        Pairs of nodes.

    Returns
    -------
    ndarray of shape (n_independent,)
        Positions in `edges`, ascending.

    Examples
    --------
    >>> line = face_basis(np.array([[0.0], [1.0], [2.0]]), iter([np.arange(3)]))
    >>> len(independent_edges(line, np.array([[0, 1], [0, 2], [1, 2]])))
    1
    """
    # Inner products of the edge vectors b
    rows = basis[edges[:, 0]] - basis[edges[:, 1]]
    gram = rows @ rows.T
    gram = gram.toarray() if issparse(gram) else gram

    # Drop edges of length zero on the whole subspace (equal rows)
    lengths = np.sqrt(gram.diagonal())
    moving = np.flatnonzero(lengths > RANK)
    gram = gram[np.ix_(moving, moving)]

    # Gram matrix of the normalized constraints b bᵀ
    gram /= lengths[moving, np.newaxis] * lengths[moving]
    np.square(gram, out=gram)

    # Weights by length, so that equal pivots are not decided by the order of the edges
    weights = 1.0 + np.argsort(np.argsort(lengths[moving])) / len(moving)
    gram *= weights[:, np.newaxis] * weights

    # Pivoted Cholesky factorization: its pivots are an independent set
    _, order, rank, _ = dpstrf(gram, tol=RANK, lower=1, overwrite_a=1)
    return np.sort(moving[order[:rank] - 1])
