"""The optimization problem of maximum variance unfolding on a face, and its dual.

Let U be a basis of the face (see `_face`), b_e = U_i − U_j the difference of two of its rows for
each edge e = (i, j) of squared length d_e², and B the matrix with rows b_e. The primal problem is

    maximize tr K  subject to  b_eᵀ K b_e + s_e = d_e² for all e,  K ⪰ 0,  s ≥ 0,            (1)

with slack s = 0 if lengths must be kept. With L(w) = Σ w_e b_e b_eᵀ = Bᵀ diag(w) B, the dual is

    minimize Σ w_e d_e²  subject to  S = L(w) − I ⪰ 0,  and w ≥ 0 if lengths may shrink.     (2)

Any such w whose L(w) has least eigenvalue λ > 0 can be scaled to be feasible in (2) and proves

    tr K ≤ Σ w_e d_e² / λ  for all feasible K.                                               (3)

References
----------
J. Sun, S. Boyd, L. Xiao and P. Diaconis, "The fastest mixing Markov process on a graph and a
connection to a maximum variance unfolding problem", SIAM Review 48, 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array, eye_array, issparse


@dataclass
class State:
    """Primal and dual iterate in the basis of the face.

    Attributes
    ----------
    K : ndarray of shape (n_free, n_free)
        Kernel matrix, positive definite.
    w : ndarray of shape (n_edges,)
        Multipliers of the edges.
    S : ndarray of shape (n_free, n_free)
        Dual slack L(w) − I, positive definite.
    slack : ndarray of shape (n_edges,)
        Primal slack s of Eq. 1; zeros if lengths must be kept.
    lengths : ndarray of shape (n_edges,)
        Squared lengths of the edges under `K`.
    n_iter : int
        Number of iterations so far.
    """

    K: NDArray
    w: NDArray
    S: NDArray
    slack: NDArray
    lengths: NDArray
    n_iter: int = 0


class UnfoldingProblem:
    """Data of problems (1) and (2) and the linear maps that they need.

    Products with B use the cheaper of two factorizations B = incidence @ frame: the incidence
    matrix of the graph times the basis or, with fewer edges than points, the identity times B.
    The columns of `basis` are orthonormal once their means are subtracted, `squared` lengths have a
    mean of about 1, and edges may become shorter with `shrink`.
    """

    def __init__(
        self, basis: NDArray | csr_array, edges: NDArray, squared: NDArray, *, shrink: bool
    ) -> None:
        self.basis, self.squared, self.shrink = basis, squared, shrink
        self.n_free = basis.shape[1]
        n_edges = len(edges)

        ends = np.repeat([1.0, -1.0], n_edges), (np.tile(np.arange(n_edges), 2), edges.T.ravel())
        incidence = csr_array(ends, shape=(n_edges, basis.shape[0]))

        # B, and the cheaper of its two factorizations
        self.B = incidence @ basis
        few = n_edges < basis.shape[0]
        self.frame, self.incidence = (self.B, eye_array(n_edges)) if few else (basis, incidence)

    def laplacian(self, w: NDArray) -> NDArray:
        """Return L(w)."""
        weighted = csr_array(self.incidence.T @ (diags_array(w) @ self.incidence))
        product = self.frame.T @ (weighted @ self.frame)
        return product.toarray() if issparse(product) else product

    def laplacian_times(self, w: NDArray, M: NDArray) -> NDArray:
        """Return L(w)M, differences along edges first: accurate if M varies little along edges."""
        return self.B.T @ (w[:, np.newaxis] * (self.B @ M))

    def edge_products(self, M: NDArray) -> NDArray:
        """Return B M Bᵀ for symmetric M."""
        half = self.incidence @ (self.frame @ M @ self.frame.T)
        return self.incidence @ half.T

    def edge_lengths(self, M: NDArray) -> NDArray:
        """Return the squared lengths of the edges under M: the diagonal of B M Bᵀ."""
        half = self.B @ M
        if issparse(self.B):
            return np.asarray(self.B.multiply(half).sum(axis=1))
        return np.einsum("ei,ei->e", half, self.B)

    def trace_bound(self, w: NDArray) -> float:
        """Return the upper bound on the trace that `w` proves, Eq. 3."""
        least = eigh(self.laplacian(w), eigvals_only=True, subset_by_index=[0, 0])[0]
        return float(w @ self.squared / least) if least > 0 else np.inf

    def initial_state(self) -> State:
        """Return a starting point: w dual feasible, K a multiple of I with half w's bound."""
        # Equal multipliers, scaled so that L(w) has least eigenvalue 2, and S = L(w) − I ≻ 0
        w = np.ones(len(self.squared))
        w *= 2 / eigh(self.laplacian(w), eigvals_only=True, subset_by_index=[0, 0])[0]
        eye = np.eye(self.n_free)
        slack = self.squared.copy() if self.shrink else np.zeros_like(w)
        K = eye * (w @ self.squared / self.n_free / 2)
        S = self.laplacian(w) - eye
        return State(K=K, w=w, S=S, slack=slack, lengths=self.edge_lengths(K))

    def gap(self, state: State) -> float:
        """Return the complementarity ⟨K, S⟩ + wᵀs, the duality gap of feasible iterates."""
        return float(np.sum(state.K * state.S) + state.w @ state.slack)

    def residual(self, state: State) -> float:
        """Return the largest residual of Eq. 1, in mean squared edge lengths."""
        residual = state.lengths + state.slack - self.squared
        return float(np.abs(residual).max() / self.squared.mean())

    def violation(self, lengths: NDArray) -> float:
        """Return the largest violation of an edge constraint, in mean squared edge lengths."""
        excess = lengths - self.squared
        worst = excess.max() if self.shrink else np.abs(excess).max()
        return float(max(worst, 0.0) / self.squared.mean())
