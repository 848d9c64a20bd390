"""Interior-point solution of maximum variance unfolding on a graph, with its certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, eigh, solve_triangular
from scipy.linalg.blas import dtrsv
from scipy.linalg.lapack import dpotri
from scipy.sparse import csr_array, diags_array, eye_array, issparse
from scipy.sparse.linalg import LinearOperator, eigsh

TO_BOUNDARY = 0.95  # share of the way to the boundary that a step may go
RIDGES = (1e-14, 1e-12, 1e-10, 1e-8)  # relative, on diagonals; as little as will do
LANCZOS = 200  # rows from which a least eigenvalue is found by Lanczos' method
REFINEMENTS = 2  # of the solution of a linear system
FEASIBLE = 3e-5  # violation that is asked for, in mean squared edge lengths
ROUND = 1e-8  # share of the trace by which the metric of a restoration is lifted


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
        By how much squared lengths fall short; zeros where they are to be equal.
    lengths : ndarray of shape (n_edges,)
        Squared lengths of the edges under `K`.
    n_iter : int
        Number of steps so far.
    """

    K: NDArray
    w: NDArray
    S: NDArray
    slack: NDArray
    lengths: NDArray
    n_iter: int = 0


class Program:
    """Maximize tr K over K ⪰ 0 with squared lengths of edges equal to, or at most, d².

    In the basis U of the face, the edge (i, j) is b = U_i − U_j; the squared length it has under K
    is bᵀKb, and L(w) = Σ w b bᵀ. The dual is: minimize Σ w d² subject to L(w) ⪰ I, and
    w ≥ 0 where lengths may shrink (Sun, Boyd, Xiao & Diaconis 2006).

    Parameters
    ----------
    basis : ndarray or csr_array of shape (n_samples, n_free)
        Basis of the face, orthonormal once the columns' means are subtracted.
    edges : ndarray of shape (n_edges, 2)
        Pairs of rows of the basis.
    squared : ndarray of shape (n_edges,)
        Squared lengths, of mean about 1.
    shrink : bool
        Whether lengths may be smaller.
    """

    def __init__(
        self, basis: NDArray | csr_array, edges: NDArray, squared: NDArray, *, shrink: bool
    ) -> None:
        self.basis, self.squared, self.shrink = basis, squared, shrink
        self.n_free = basis.shape[1]
        n_edges = len(edges)
        ends = np.repeat([1.0, -1.0], n_edges), (np.tile(np.arange(n_edges), 2), edges.T.ravel())
        joins = csr_array(ends, shape=(n_edges, basis.shape[0]))
        self.rows = joins @ basis
        few = n_edges < basis.shape[0]
        self.frame, self.joins = (self.rows, eye_array(n_edges)) if few else (basis, joins)

    def laplacian(self, w: NDArray) -> NDArray:
        """Return L(w)."""
        full = csr_array(self.joins.T @ (diags_array(w) @ self.joins))
        product = self.frame.T @ (full @ self.frame)
        return product.toarray() if issparse(product) else product

    def laplacian_times(self, w: NDArray, M: NDArray) -> NDArray:
        """Return L(w)M, by differences first, where M is nearly constant along edges."""
        return self.rows.T @ (w[:, np.newaxis] * (self.rows @ M))

    def products(self, M: NDArray) -> NDArray:
        """Return bᵀMc of all pairs of edges, for symmetric M."""
        half = self.joins @ (self.frame @ M @ self.frame.T)
        return self.joins @ half.T

    def lengths(self, M: NDArray) -> NDArray:
        """Return bᵀMb of all edges."""
        half = self.rows @ M
        if issparse(self.rows):
            return np.asarray(self.rows.multiply(half).sum(axis=1))
        return np.einsum("ei,ei->e", half, self.rows)

    def bound(self, w: NDArray) -> float:
        """Return the least upper bound on the trace that a scaled `w` proves."""
        least = eigh(self.laplacian(w), eigvals_only=True, subset_by_index=[0, 0])[0]
        return float(w @ self.squared / least) if least > 0 else np.inf

    def start(self) -> State:
        """Return a dual feasible point, and a primal one of the size of half its bound."""
        w = np.ones(len(self.squared))
        w *= 2 / eigh(self.laplacian(w), eigvals_only=True, subset_by_index=[0, 0])[0]
        eye = np.eye(self.n_free)
        slack = self.squared.copy() if self.shrink else np.zeros_like(w)
        K = eye * (w @ self.squared / self.n_free / 2)
        return State(K=K, w=w, S=self.laplacian(w) - eye, slack=slack, lengths=self.lengths(K))

    def gap(self, state: State) -> float:
        """Return the complementarity ⟨K, S⟩ + ⟨w, slack⟩."""
        return float(np.sum(state.K * state.S) + state.w @ state.slack)

    def residual(self, state: State) -> float:
        """Return the greatest failure of length plus slack, in mean squared edge lengths."""
        failure = state.lengths + state.slack - self.squared
        return float(np.abs(failure).max() / self.squared.mean())

    def violation(self, lengths: NDArray) -> float:
        """Return the greatest violation of an edge, in mean squared edge lengths."""
        excess = lengths - self.squared
        worst = excess.max() if self.shrink else np.abs(excess).max()
        return float(max(worst, 0.0) / self.squared.mean())


def unfold(program: Program, tol: float, max_iter: int) -> tuple[NDArray, float, int]:
    """Solve a program and restore feasibility.

    Parameters
    ----------
    program : Program
        What to solve.
    tol : float
        Duality gap to reach, relative to the trace.
    max_iter : int
        Greatest number of steps.

    Returns
    -------
    places : ndarray of shape (n_samples, n_free)
        Y with K = YYᵀ, along principal axes, greatest first.
    bound : float
        Upper bound on the trace of every feasible K.
    n_iter : int
        Number of steps.
    """
    state = solve(program, 0.8 * tol, max_iter)
    values, vectors = eigh(restore(program, state.K))
    values = np.maximum(values[::-1], 0.0)
    places = program.basis @ (vectors[:, ::-1] * np.sqrt(values))
    places -= places.mean(axis=0)
    return places, program.bound(state.w), state.n_iter


def solve(program: Program, tol: float, max_iter: int) -> State:
    """Solve a program by a primal-dual interior-point method.

    HKM direction (Helmberg, Rendl, Vanderbei & Wolkowicz 1996) with Mehrotra's predictor and
    corrector. The linear system in the multipliers is (B K Bᵀ) ∘ (B S⁻¹ Bᵀ), rows of B the edges.

    Parameters
    ----------
    program : Program
        What to solve.
    tol : float
        Complementarity to reach, relative to the trace.
    max_iter : int
        Greatest number of steps.

    Returns
    -------
    State
        The last iterate; its multipliers are dual feasible. It stops early where rounding
        errors allow no further step, or the program proves infeasible.
    """
    state = program.start()
    # Multipliers that bound the trace below zero prove that no kernel matrix has these lengths.
    while state.n_iter < max_iter and state.w @ program.squared >= 0:
        feasible = program.violation(state.lengths) <= FEASIBLE
        if feasible and program.gap(state) <= tol * np.trace(state.K):
            break
        try:
            after = _step(program, state)
        except LinAlgError:
            break
        if program.residual(after) > max(3 * program.residual(state), FEASIBLE):
            break
        state = after
    return state


def restore(program: Program, K: NDArray) -> NDArray:
    """Return the kernel matrix with the edges' lengths put right, staying near `K`.

    Adds G L(y) G with G = K + εI, the least change in the metric of G, so that directions that `K`
    does not use stay nearly unused; then drops negative eigenvalues. Repeated while it helps.
    """
    lengths = program.lengths(K)
    for _ in range(5):
        if program.violation(lengths) <= 1e-2 * FEASIBLE:
            break
        missing = program.squared - lengths
        if program.shrink:
            missing = np.minimum(missing, 0.0)
        metric = K + ROUND * np.trace(K) * np.eye(len(K))
        try:
            y = _solver(np.square(program.products(metric)))(missing)
        except LinAlgError:
            break
        values, vectors = eigh(K + metric @ program.laplacian(y) @ metric)
        better = (vectors * np.maximum(values, 0.0)) @ vectors.T
        after = program.lengths(better)
        if program.violation(after) >= program.violation(lengths):
            break
        K, lengths = better, after
    return K


def _solver(M: NDArray) -> Callable[[NDArray], NDArray]:
    """Return a function that solves Mx = b, or raise LinAlgError."""
    for ridge in RIDGES:
        lifted = M.copy()
        lifted[np.diag_indices(len(M))] *= 1 + ridge
        try:
            factor = cho_factor(lifted, lower=True, overwrite_a=True)
        except LinAlgError:
            continue
        return partial(_refined, M, factor)
    raise LinAlgError("the constraints are too near to dependent")


def _refined(M: NDArray, factor: tuple[NDArray, bool], b: NDArray) -> NDArray:
    x: NDArray = cho_solve(factor, b)
    for _ in range(REFINEMENTS):
        x = x + cho_solve(factor, b - M @ x)
    return x


def _step(program: Program, state: State) -> State:
    """Return the next iterate, or raise LinAlgError."""
    K, w, S, slack = state.K, state.w, state.S, state.slack
    n_free = program.n_free
    root_K, root_S = cholesky(K, lower=True), cholesky(S, lower=True)
    inverse = np.tril(dpotri(root_S, lower=1)[0])
    inverse += np.tril(inverse, -1).T
    order = n_free + (len(w) if program.shrink else 0)
    mu = program.gap(state) / order
    system = program.products(inverse)
    barrier = system.diagonal() + (1 / w if program.shrink else 0.0)
    system *= program.products(K)
    if program.shrink:
        system[np.diag_indices(len(w))] += slack / w
    solution = _solver(system)

    def direction(target: float, bend: NDArray, bend_slack: NDArray) -> tuple[NDArray, ...]:
        bent = program.lengths(bend) if bend.any() else 0.0
        change = target * barrier - program.squared - bent - bend_slack
        dw = solution(change)
        dS = program.laplacian(dw)
        dS_inverse = program.laplacian_times(dw, inverse)
        turned = K @ dS_inverse
        dK = target * inverse - K - (turned + turned.T) / 2 - bend
        dslack = np.zeros_like(w)
        if program.shrink:
            dslack = target / w - slack - slack / w * dw - bend_slack
        return dK, dw, dS, dslack, dS_inverse

    def shares(dK: NDArray, dw: NDArray, dS: NDArray, dslack: NDArray) -> tuple[float, float]:
        primal, dual = _share(root_K, dK), _share(root_S, dS)
        if program.shrink:
            primal, dual = min(primal, _share_of(slack, dslack)), min(dual, _share_of(w, dw))
        return primal, dual

    dK, dw, dS, dslack, dS_inverse = direction(0.0, np.zeros_like(K), np.zeros_like(w))
    primal, dual = shares(dK, dw, dS, dslack)
    ahead = float(np.sum((K + primal * dK) * (S + dual * dS)))
    ahead += float((w + dual * dw) @ (slack + primal * dslack))
    target = mu * min(1.0, max(ahead / order / mu, 1e-3) ** 2)
    bend = dK @ dS_inverse
    bend_slack = dslack * dw / w if program.shrink else np.zeros_like(w)
    dK, dw, dS, dslack, _ = direction(target, (bend + bend.T) / 2, bend_slack)
    primal, dual = shares(dK, dw, dS, dslack)
    w = w + dual * dw
    S = program.laplacian(w) - np.eye(n_free)
    slack = slack + primal * dslack
    K = K + primal * dK
    lengths = program.lengths(K)
    return State(K=K, w=w, S=S, slack=slack, lengths=lengths, n_iter=state.n_iter + 1)


def _share(root: NDArray, change: NDArray) -> float:
    """Return how far LLᵀ may go along a change and stay positive definite, at most 1."""
    size = len(root)
    if size < LANCZOS:
        half = solve_triangular(root, change, lower=True)
        scaled = solve_triangular(root, half.T, lower=True)
        least = eigh((scaled + scaled.T) / 2, eigvals_only=True, subset_by_index=[0, 0])[0]
    else:

        def scaled_times(v: NDArray) -> NDArray:
            return dtrsv(root, change @ dtrsv(root, v, lower=1, trans=1), lower=1)

        scaled = LinearOperator((size, size), matvec=scaled_times, dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(size)
        least = eigsh(scaled, k=1, which="SA", tol=1e-2, v0=start, return_eigenvectors=False)[0]
    return 1.0 if least >= -TO_BOUNDARY else -TO_BOUNDARY / least


def _share_of(values: NDArray, change: NDArray) -> float:
    least = (change / values).min()
    return 1.0 if least >= -TO_BOUNDARY else -TO_BOUNDARY / least
