"""Which kernel matrices the edges of a graph allow at all.

Points that are all joined to each other are rigid: wherever they have an affine dependency z
(sum z = 0, sum z_i x_i = 0), every kernel matrix K that keeps their distances has K z = 0. With
such dependencies the program has no interior, and no solver can be accurate. On the subspace
orthogonal to all of them, it has one.
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
SPARSE = 0.1  # share of entries up to which sparse products are at least as fast


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
    near: list[set[int]] = [set() for _ in range(n_samples)]
    for i, j in edges.tolist():
        near[i].add(j)
        near[j].add(i)
    for first in range(n_samples):
        later = {node for node in near[first] if node > first}
        stack = [([first], later, near[first] - later)]
        while stack:
            members, open_nodes, done = stack.pop()
            if not open_nodes and not done:
                yield np.array(sorted(members))
            if not open_nodes:
                continue
            pivot = max(open_nodes | done, key=lambda node: len(near[node] & open_nodes))
            for node in sorted(open_nodes - near[pivot]):
                stack.append(([*members, node], open_nodes & near[node], done & near[node]))
                open_nodes, done = open_nodes - {node}, done | {node}


def face_basis(X: NDArray, groups: Iterator[NDArray]) -> NDArray | csr_array:
    """Return a basis of what is orthogonal to the constants and to all groups' dependencies.

    Points that share dependencies form blocks, and each block has a basis of its own, so that the
    whole is sparse. Of these bases' span the constants are taken out by a Householder reflection
    of all columns but the first. That adds a constant to each column, which edges do not see: it
    is left out, and the rest has as many dense rows as the first column has entries.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    groups : iterator of ndarray
        Row indices of points whose mutual distances are all fixed.

    Returns
    -------
    ndarray or csr_array of shape (n_samples, n_free)
        Columns that are orthonormal once their means are subtracted; sparse where most of it is
        zero.

    Examples
    --------
    Three points on a line, all joined, keep one degree of freedom:

    >>> basis = face_basis(np.array([[0.0], [1.0], [2.0]]), iter([np.arange(3)]))
    >>> np.abs(basis - basis.mean(axis=0)).round(3).ravel()
    array([0.707, 0.   , 0.707])
    """
    Q = _block_basis(len(X), list(_dependencies(X, groups)))
    c = Q.sum(axis=0) / np.sqrt(len(X))
    first = Q[:, [0]] * np.copysign(1 / (1 + abs(c[0])), c[0])
    basis = csr_array(Q[:, 1:] - first @ csr_array(c[np.newaxis, 1:]))
    return basis if basis.nnz < SPARSE * np.prod(basis.shape) else basis.toarray()


def _dependencies(X: NDArray, groups: Iterator[NDArray]) -> Iterator[tuple[NDArray, NDArray]]:
    """Yield the groups that have affine dependencies, with an orthonormal basis of these."""
    for members in groups:
        points = X[members] - X[members].mean(axis=0)
        size = np.abs(points).max()
        affine = np.column_stack([np.ones(len(members)), points / (size if size > 0 else 1.0)])
        wide = affine.shape[0] <= affine.shape[1]
        left, values, _ = np.linalg.svd(affine, full_matrices=not wide)
        rank = np.count_nonzero(values > RANK * values[0])
        if rank < len(members):
            yield members, left[:, rank:]


def _block_basis(n_samples: int, dependencies: list[tuple[NDArray, NDArray]]) -> csr_array:
    """Return an orthonormal basis of what is orthogonal to all dependencies, small blocks first."""
    chains = [np.column_stack([m[:-1], m[1:]]) for m, _ in dependencies]
    i, j = np.concatenate([np.empty((0, 2), dtype=int), *chains]).T
    joined = coo_array((np.ones(len(i)), (i, j)), shape=(n_samples, n_samples))
    n_blocks, labels = connected_components(joined, directed=False)
    order = np.argsort(labels, kind="stable")
    blocks = np.split(order, np.cumsum(np.bincount(labels))[:-1])
    normals: list[list[NDArray]] = [[] for _ in range(n_blocks)]
    for members, columns in dependencies:
        block = blocks[labels[members[0]]]
        placed = np.zeros((len(block), columns.shape[1]))
        placed[np.searchsorted(block, members)] = columns
        normals[labels[members[0]]].append(placed)
    by_size = sorted(range(n_blocks), key=lambda b: len(blocks[b]))
    parts = [_complement(normals[b]) if normals[b] else np.ones((1, 1)) for b in by_size]
    rows = np.concatenate([blocks[b] for b in by_size])
    return csr_array(block_diag(parts, format="csr"))[np.argsort(rows)]


def _complement(normals: list[NDArray]) -> NDArray:
    """Return an orthonormal basis of what is orthogonal to all columns."""
    basis, triangle, _ = qr(np.concatenate(normals, axis=1), pivoting=True)
    pivots = np.abs(np.diag(triangle))
    return basis[:, np.count_nonzero(pivots > RANK * pivots[0]) :]


def independent_edges(basis: NDArray, edges: NDArray) -> NDArray:
    """Return a greatest set of edges whose constraints do not follow from each other.

    Parameters
    ----------
    basis : ndarray or csr_array of shape (n_samples, n_free)
        Basis of the subspace to which the kernel matrix is confined; constants do not matter.
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
    rows = basis[edges[:, 0]] - basis[edges[:, 1]]
    gram = rows @ rows.T
    gram = gram.toarray() if issparse(gram) else gram
    lengths = np.sqrt(gram.diagonal())
    moving = np.flatnonzero(lengths > RANK)
    gram = gram[np.ix_(moving, moving)]
    gram /= lengths[moving, np.newaxis] * lengths[moving]
    np.square(gram, out=gram)
    _, order, rank, _ = dpstrf(gram, tol=RANK, lower=1, overwrite_a=1)
    return np.sort(moving[order[:rank] - 1])
