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

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import helmert, qr
from scipy.linalg.lapack import dpstrf
from scipy.sparse import block_diag, coo_array, csc_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components

RANK = 1e-9  # relative singular value that counts as zero
CLIQUES = 20  # cliques per node up to which all are listed
CHUNK = 4  # columns per row from which normals are reduced to an orthonormal basis
SPARSE = 0.1  # share of nonzero entries up to which sparse products are at least as fast


def cliques(edges: NDArray, n_samples: int, most: int | None = None) -> list[NDArray]:
    """Return all maximal cliques of a graph, or some that cover all edges if there are too many.

    The number of maximal cliques can be exponential. Any set of cliques gives a face that contains
    every feasible kernel matrix, so beyond `most` cliques, by default 20 per node, a greedy cover
    is returned instead. Nodes of a clique ascend.

    Examples
    --------
    >>> [c.tolist() for c in cliques(np.array([[0, 1], [1, 2], [0, 2], [2, 3]]), 4)]
    [[0, 1, 2], [2, 3]]
    """
    neighbors: list[set[int]] = [set() for _ in range(n_samples)]
    for i, j in edges.tolist():
        neighbors[i].add(j)
        neighbors[j].add(i)

    most = CLIQUES * n_samples if most is None else most
    maximal = list(islice(_maximal_cliques(neighbors), most + 1))
    return maximal if len(maximal) <= most else list(_clique_cover(neighbors, edges))


def _maximal_cliques(neighbors: list[set[int]]) -> Iterator[NDArray]:
    """Yield all maximal cliques (Bron & Kerbosch 1973, with pivots)."""
    # One search per node, for the cliques of which it is the first node
    for first, adjacent_to_first in enumerate(neighbors):
        later = {node for node in adjacent_to_first if node > first}
        # Each entry: current clique, nodes that may extend it, nodes already treated
        stack = [([first], later, adjacent_to_first - later)]
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


def _clique_cover(neighbors: list[set[int]], edges: NDArray) -> Iterator[NDArray]:
    """Yield maximal cliques that together contain all edges, each grown greedily."""
    covered = np.zeros((len(neighbors),) * 2, dtype=bool)
    for i, j in edges.tolist():
        if covered[i, j]:
            continue
        members, candidates = [i, j], neighbors[i] & neighbors[j]
        while candidates:
            node = max(sorted(candidates), key=lambda one: len(neighbors[one] & candidates))
            members.append(node)
            candidates = candidates & neighbors[node]
        covered[np.ix_(members, members)] = True
        yield np.array(sorted(members))


def face_basis(X: NDArray, groups: Iterable[NDArray]) -> NDArray | csr_array:
    """Return a basis of the orthogonal complement of constants and affine dependencies.

    `groups` are rows whose mutual distances are all fixed; those that share points are merged into
    blocks, each with its own small basis, which keeps the whole basis sparse. A Householder
    reflection that maps the constants to the first column removes them from the span. The constant
    that it adds to every other column is omitted, as differences along edges do not depend on it:
    columns are orthonormal once their means are subtracted.

    Examples
    --------
    Three points on a line, all joined, keep one degree of freedom:

    >>> basis = face_basis(np.array([[0.0], [1.0], [2.0]]), [np.arange(3)])
    >>> np.abs(basis - basis.mean(axis=0)).round(3).ravel()
    array([0.707, 0.   , 0.707])
    """
    return complement_basis(len(X), list(dependencies(X, groups)))[0]


def complement_basis(
    n_samples: int, dependent: Sequence[tuple[NDArray, NDArray]]
) -> tuple[NDArray | csr_array, csc_array]:
    """Return the basis of :func:`face_basis`, and dependencies that span all given ones.

    These are pairs of row indices and columns; the chosen ones are zero outside their group.

    Examples
    --------
    >>> basis, chosen = complement_basis(3, [(np.array([0, 2]), np.array([[1.0], [-1.0]]))])
    >>> basis.shape, chosen.toarray().ravel().tolist()
    ((3, 1), [1.0, 0.0, -1.0])
    """
    Q, chosen = _block_basis(n_samples, dependent)

    # Coefficients c of the unit constant vector: Qc = 1/√n
    c = Q.sum(axis=0) / np.sqrt(n_samples)

    # Columns of QH but the first, up to constants; H is the reflection of c to ±e₁
    first = Q[:, [0]] * np.copysign(1 / (1 + abs(c[0])), c[0])
    basis = csr_array(Q[:, 1:] - first @ csr_array(c[np.newaxis, 1:]))

    sparse = basis.nnz < SPARSE * np.prod(basis.shape)
    return basis if sparse else basis.toarray(), chosen


def dependencies(X: NDArray, groups: Iterable[NDArray]) -> Iterator[tuple[NDArray, NDArray]]:
    """Yield each group that has affine dependencies, Eq. 1, with an orthonormal basis of them.

    The dependencies, of shape (n_members, n_dependencies), sum to zero up to rounding.

    Examples
    --------
    >>> [(members, z)] = dependencies(np.array([[0.0], [1.0], [2.0]]), [np.arange(3)])
    >>> np.abs(z.round(3)).ravel()
    array([0.408, 0.816, 0.408])
    """
    for members in groups:
        # Points in a basis of the vectors of sum zero, scaled to make the rank scale-free
        contrasts = helmert(len(members)).T
        points = contrasts.T @ (X[members] - X[members[0]])
        size = np.abs(points).max(initial=0.0)
        points /= size if size > 0 else 1.0

        wide = points.shape[0] <= points.shape[1]
        left, values, _ = np.linalg.svd(points, full_matrices=not wide)
        rank = np.count_nonzero(values > RANK * values[0]) if size > 0 else 0
        if rank < len(members) - 1:
            yield members, contrasts @ left[:, rank:]


def _block_basis(
    n_samples: int, dependent: Sequence[tuple[NDArray, NDArray]]
) -> tuple[csr_array, csc_array]:
    """Return an orthonormal basis of the complement of all dependencies, and ones that span them.

    Small blocks are first.
    """
    # Blocks: connected components of the points, where each group is linked in a chain
    chains = [np.column_stack([m[:-1], m[1:]]) for m, _ in dependent]
    i, j = np.concatenate([np.empty((0, 2), dtype=int), *chains]).T
    linked = coo_array((np.ones(len(i)), (i, j)), shape=(n_samples, n_samples))
    n_blocks, labels = connected_components(linked, directed=False)
    order = np.argsort(labels, kind="stable")
    blocks = np.split(order, np.cumsum(np.bincount(labels))[:-1])

    normals: list[list[NDArray]] = [[] for _ in range(n_blocks)]
    for members, columns in dependent:
        label = labels[members[0]]
        block = blocks[label]
        in_block = np.zeros((len(block), columns.shape[1]))
        in_block[np.searchsorted(block, members)] = columns
        normals[label].append(in_block)

    # Complement per block; small blocks first, so that the first column has few entries
    by_size = sorted(range(n_blocks), key=lambda b: len(blocks[b]))
    alone = np.ones((1, 1)), np.empty((1, 0))
    pairs = [_complement(normals[b]) if normals[b] else alone for b in by_size]
    bases, chosen = zip(*pairs, strict=True)

    rows = np.argsort(np.concatenate([blocks[b] for b in by_size]))
    return (
        csr_array(block_diag(bases, format="csr"))[rows],
        csc_array(csr_array(block_diag(chosen, format="csr"))[rows]),
    )


def _complement(normals: list[NDArray]) -> tuple[NDArray, NDArray]:
    """Return an orthonormal basis of the complement of all columns, and columns that span them."""
    # Of many more columns than rows, a spanning subset
    columns = np.concatenate(normals, axis=1)
    if columns.shape[1] > CHUNK * len(columns):
        columns = _spanning_columns(normals)

    # Rank-revealing QR: the columns after the rank are orthogonal to the range
    basis, triangle, order = qr(columns, pivoting=True)
    pivots = np.abs(np.diag(triangle))
    rank = np.count_nonzero(pivots > RANK * pivots[0])
    return basis[:, rank:], columns[:, order[:rank]]


def _spanning_columns(normals: list[NDArray]) -> NDArray:
    """Return columns that span those of all matrices, one matrix at a time."""
    span = np.empty((len(normals[0]), 0))
    chosen = []
    for columns in normals:
        # What the span does not contain yet; twice, for accuracy
        new = columns - span @ (span.T @ columns)
        new = new - span @ (span.T @ new)
        basis, triangle, order = qr(new, mode="economic", pivoting=True)
        rank = np.count_nonzero(np.abs(np.diag(triangle)) > RANK)
        span = np.column_stack([span, basis[:, :rank]])
        chosen.append(columns[:, order[:rank]])
    return np.concatenate(chosen, axis=1)


def independent_edges(basis: NDArray | csr_array, edges: NDArray) -> NDArray:
    """Return a maximal linearly independent set of edge constraints, as ascending positions.

    The constraint of edge e is linear in K̂ with coefficient matrix b bᵀ, where b is the difference
    of the two rows of the basis. Two such matrices have the inner product (bᵀb')². Of dependent
    edges the longer ones in the subspace are kept, whatever their order.

    Examples
    --------
    >>> line = face_basis(np.array([[0.0], [1.0], [2.0]]), [np.arange(3)])
    >>> len(independent_edges(line, np.array([[0, 1], [0, 2], [1, 2]])))
    1
    """
    # Edge vectors b, without those of length zero on the whole subspace (equal rows)
    rows = basis[edges[:, 0]] - basis[edges[:, 1]]
    lengths = np.sqrt(rows.multiply(rows).sum(axis=1) if issparse(rows) else (rows**2).sum(axis=1))
    moving = np.flatnonzero(lengths > RANK)
    rows, lengths = rows[moving], lengths[moving]

    # Weights by length, so that equal pivots are not decided by the order of the edges
    weights = 1.0 + np.argsort(np.argsort(lengths)) / max(len(moving), 1)
    scales = weights / np.square(lengths)

    # Few unknowns: pivoted QR factorization of the matrices b bᵀ themselves
    n_free = basis.shape[1]
    if n_free * (n_free + 1) < len(moving):
        dense = rows.toarray() if issparse(rows) else rows
        i, j = np.triu_indices(n_free)
        entries = dense[:, i] * dense[:, j] * np.where(i == j, 1.0, np.sqrt(2.0))
        triangle, order = qr((entries * scales[:, np.newaxis]).T, mode="r", pivoting=True)
        rank = np.count_nonzero(np.square(np.diag(triangle)) > RANK)
        return np.sort(moving[order[:rank]])

    # Otherwise their Gram matrix, whose pivoted Cholesky factorization has the same pivots
    gram = rows @ rows.T
    gram = gram.toarray() if issparse(gram) else gram
    np.square(gram, out=gram)
    gram *= scales[:, np.newaxis] * scales
    _, order, rank, _ = dpstrf(gram, tol=RANK, lower=1, overwrite_a=1)
    return np.sort(moving[order[:rank] - 1])
