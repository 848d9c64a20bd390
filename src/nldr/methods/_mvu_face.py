"""Which kernel matrices the edges of a graph allow at all.

Points that are all joined to each other are rigid: wherever they have an affine dependency z
(sum z = 0, sum z_i x_i = 0), every kernel matrix K that keeps their distances has K z = 0. With
such dependencies the programme has no interior, and no solver can be accurate. On the subspace
orthogonal to all of them, it has one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.linalg.lapack import dpstrf

RANK = 1e-9  # relative singular value that counts as zero


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


def face_basis(X: NDArray, groups: Iterator[NDArray]) -> NDArray:
    """Return a basis of what is orthogonal to the constants and to all groups' dependencies.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Points.
    groups : iterator of ndarray
        Row indices of points whose mutual distances are all fixed.

    Returns
    -------
    ndarray of shape (n_samples, n_free)
        Orthonormal columns.

    Examples
    --------
    Three points on a line, all joined, keep one degree of freedom:

    >>> basis = face_basis(np.array([[0.0], [1.0], [2.0]]), iter([np.arange(3)]))
    >>> np.abs(basis).round(3).ravel()
    array([0.707, 0.   , 0.707])
    """
    n_samples = len(X)
    normals = [np.ones((1, n_samples)) / np.sqrt(n_samples)]
    for members in groups:
        points = X[members] - X[members].mean(axis=0)
        size = np.abs(points).max()
        affine = np.column_stack([np.ones(len(members)), points / (size if size > 0 else 1.0)])
        wide = affine.shape[0] <= affine.shape[1]
        left, values, _ = np.linalg.svd(affine, full_matrices=not wide)
        rank = np.count_nonzero(values > RANK * values[0])
        if rank < len(members):
            rows = np.zeros((len(members) - rank, n_samples))
            rows[:, members] = left[:, rank:].T
            normals.append(rows)
    stacked = np.concatenate(normals)
    basis, triangle, _ = qr(stacked.T, pivoting=True)
    pivots = np.abs(np.diag(triangle))
    rank = np.count_nonzero(pivots > RANK * pivots[0])
    return basis[:, rank:]


def independent_edges(basis: NDArray, edges: NDArray) -> NDArray:
    """Return a greatest set of edges whose constraints do not follow from each other.

    Parameters
    ----------
    basis : ndarray of shape (n_samples, n_free)
        Basis of the subspace to which the kernel matrix is confined.
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
    lengths = np.linalg.norm(rows, axis=1)
    moving = np.flatnonzero(lengths > RANK)
    rows = rows[moving] / lengths[moving, np.newaxis]
    gram = np.square(rows @ rows.T)
    _, order, rank, _ = dpstrf(gram, tol=RANK, lower=1, overwrite_a=1)
    return np.sort(moving[order[:rank] - 1])
