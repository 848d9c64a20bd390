"""Sparse symmetric systems of equations in coordinates, with one block per point and per edge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, eye_array
from scipy.sparse.linalg import splu

from nldr.methods.mvu._bound import factorize
from nldr.methods.mvu._polish import incidence


class EdgeSystem:
    """The matrix Σ_e (e_i − e_j)(e_i − e_j)ᵀ ⊗ M_e + cI with a small block M_e for each edge.

    The order of elimination depends on the graph only and is computed once. With c columns, a
    factorization takes about ``work`` × c³ operations.

    Examples
    --------
    >>> solve, n_negative = EdgeSystem(np.array([[0, 1]]), 2).factorize(np.ones((1, 1, 1)), 1.0)
    >>> n_negative, solve(np.array([[3.0], [0.0]])).round(6).ravel().tolist()
    (0, [2.0, 1.0])
    """

    def __init__(self, edges: NDArray, n_samples: int) -> None:
        i, j = edges.T
        self.n_samples = n_samples
        self.ends = csr_array(abs(incidence(edges, n_samples)).T)

        # Order of the points that leaves few entries in the factor
        links = coo_array((np.ones(len(edges)), (i, j)), shape=(n_samples, n_samples))
        graph = csc_array(links + links.T + 2 * len(edges) * eye_array(n_samples))
        factor = factorize(graph)
        self.place = factor.perm_c
        self.work = float(np.square(np.diff(factor.L.indptr), dtype=np.float64).sum())
        self.order = np.argsort(self.place)

        # Places of the blocks: those of (i, j), of (j, i), and of the points
        rows = np.concatenate([self.place[i], self.place[j], np.arange(n_samples)])
        columns = np.concatenate([self.place[j], self.place[i], np.arange(n_samples)])
        numbers = coo_array((np.arange(1, len(rows) + 1), (rows, columns)))
        pattern = csr_array(numbers)
        pattern.sort_indices()
        self.source, self.pattern = pattern.data - 1, (pattern.indices, pattern.indptr)

    def factorize(
        self, blocks: NDArray, diagonal: float
    ) -> tuple[Callable[[NDArray], NDArray], int]:
        """Return the solver of a system, and the number of negative eigenvalues of its matrix.

        The blocks M_e, of shape (n_edges, n_columns, n_columns), are symmetric. The solver maps
        right-hand sides to solutions, of shape (n_samples, n_columns); the number (Sylvester) is −1
        if the matrix is singular or it cannot be told.
        """
        n_columns = blocks.shape[1]
        shape = (self.n_samples, n_columns, n_columns)
        diagonal_blocks = (self.ends @ blocks.reshape(len(blocks), -1)).reshape(shape)[self.order]
        entries = np.concatenate([-blocks, -blocks, diagonal_blocks + diagonal * np.eye(n_columns)])
        size = self.n_samples * n_columns
        M = bsr_array((entries[self.source], *self.pattern), shape=(size, size)).tocsr()
        try:
            factor = splu(
                csc_array((M.data, M.indices, M.indptr), shape=M.shape),
                permc_spec="NATURAL",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError:  # singular
            return np.zeros_like, -1

        def solve(V: NDArray) -> NDArray:
            solution: NDArray = factor.solve(V[self.order].ravel()).reshape(V.shape)
            return solution[self.place]

        symmetric = np.array_equal(factor.perm_r, factor.perm_c)
        return solve, int(np.count_nonzero(factor.U.diagonal() < 0)) if symmetric else -1
