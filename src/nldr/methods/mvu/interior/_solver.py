"""Primal-dual interior-point method for maximum variance unfolding.

Notation and Eqs. 1 to 3 are those of `_problem`. The gap ⟨K, S⟩ + wᵀs of feasible iterates vanishes
at the optimum. The central path leads there as μ decreases to zero:

    K S = μ I,  w_e s_e = μ.                                                                 (4)

The HKM direction linearizes (4). With sym M = (M + Mᵀ)/2,

    ΔS = L(Δw),  ΔK = μ S⁻¹ − K − sym(K ΔS S⁻¹) − R,  R = sym(ΔK ΔS S⁻¹),                    (5)
    Δs = μ/w − s − (s/w) Δw − r,                      r = Δs Δw / w.                         (6)

R and r are the second-order terms: zero in the predictor, and in the corrector computed from the
predictor's direction. Inserting (5) and (6) into the constraints of (1) leaves the Newton system in
the multipliers, ∘ being the entrywise product:

    [(B K Bᵀ) ∘ (B S⁻¹ Bᵀ) + diag(s/w)] Δw
        = μ (diag(B S⁻¹ Bᵀ) + 1/w) − d² − diag(B R Bᵀ) − r.                                  (7)

If lengths must be kept, (6), r, s/w and 1/w are absent. Primal and dual variables have separate
step lengths. For K = C Cᵀ let λ be the least eigenvalue of C⁻¹ ΔK C⁻ᵀ, likewise for S; for the
vectors s and w let it be the least ratio Δs/s or Δw/w. The step length is

    α = 1 if λ ≥ −0.95, else 0.95/|λ|.                                                       (8)

The corrector aims at μ reduced by a factor that depends on the gap that the predictor reaches:

    σ = min(1, max(10⁻³, gap ahead / gap)²).                                                 (9)

References
----------
C. Helmberg, F. Rendl, R. Vanderbei and H. Wolkowicz, "An interior-point method for semidefinite
programming", SIAM Journal on Optimization 6, 1996. S. Mehrotra, "On the implementation of a
primal-dual interior point method", SIAM Journal on Optimization 2, 1992.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, eigh, solve_triangular
from scipy.linalg.blas import dtrsv
from scipy.linalg.lapack import dpotri
from scipy.sparse.linalg import LinearOperator, eigsh

from nldr.methods.mvu._progress import Progress
from nldr.methods.mvu.interior._problem import State, UnfoldingProblem

TO_BOUNDARY = 0.95  # fraction of the way to the boundary that a step may go, Eq. 8
MIN_CENTERING = 1e-3  # least ratio of gaps before squaring, Eq. 9
RIDGES = (1e-14, 1e-12, 1e-10, 1e-8)  # relative to the diagonal; the first that works is used
LANCZOS = 200  # matrix size from which least eigenvalues are found by the Lanczos method
REFINEMENTS = 2  # steps of iterative refinement of a linear system
FEASIBLE = 3e-5  # accepted violation of a constraint, in mean squared edge lengths
METRIC_SHIFT = 1e-8  # shift of the metric in the restoration of feasibility, relative to the trace
RESTORATIONS = 5  # maximum number of restoration steps
GAP_MARGIN = 0.8  # share of the tolerance used by the solver; the rest is for the restoration


@dataclass(frozen=True)
class Solution:
    """Solution of an unfolding problem.

    Attributes
    ----------
    coordinates : ndarray of shape (n_samples, n_axes)
        Y with kernel matrix YYᵀ, on principal axes in descending order of variance.
    multipliers : ndarray of shape (n_edges,)
        Multipliers of the edges of the problem.
    bound : float
        Upper bound on the trace of every feasible K.
    n_iter : int
        Number of iterations.
    """

    coordinates: NDArray
    multipliers: NDArray
    bound: float
    n_iter: int


def unfold(
    problem: UnfoldingProblem, tol: float, max_iter: int, progress: Progress | None = None
) -> Solution:
    """Solve a problem to a duality gap `tol`, restore feasibility and return coordinates."""
    state = solve_interior_point(problem, GAP_MARGIN * tol, max_iter, progress)
    K = restore_feasibility(problem, state.K)

    values, vectors = eigh(K)
    values = np.maximum(values[::-1], 0.0)
    coordinates = problem.basis @ (vectors[:, ::-1] * np.sqrt(values))
    coordinates -= coordinates.mean(axis=0)
    return Solution(coordinates, state.w, problem.trace_bound(state.w), state.n_iter)


def solve_interior_point(
    problem: UnfoldingProblem, tol: float, max_iter: int, progress: Progress | None = None
) -> State:
    """Follow the central path with Mehrotra's predictor and corrector.

    `tol` is the complementarity to reach, relative to the trace; `progress` is called with number,
    relative gap and violation of each iteration. The multipliers of the returned state are dual
    feasible. The iteration stops early if rounding errors allow no further step, or if the problem
    is shown to be infeasible.
    """
    state = problem.initial_state()
    # A negative bound on the trace proves that no kernel matrix has these lengths
    while state.n_iter < max_iter and state.w @ problem.squared >= 0:
        # Stop at a feasible iterate with a small gap
        gap, violation = problem.gap(state), problem.violation(state.lengths)
        if progress is not None:
            progress(state.n_iter, gap / np.trace(state.K), violation)
        if violation <= FEASIBLE and gap <= tol * np.trace(state.K):
            break

        # Stop where rounding errors prevent a step, or make the residual grow
        try:
            following = _predictor_corrector_step(problem, state)
        except LinAlgError:
            break
        if problem.residual(following) > max(3 * problem.residual(state), FEASIBLE):
            break
        state = following
    return state


def restore_feasibility(problem: UnfoldingProblem, K: NDArray) -> NDArray:
    """Return a kernel matrix near `K` that satisfies the edge constraints more accurately.

    Alternates between the edge constraints and the semidefinite cone. The correction G L(y) G with
    G = K + εI is the smallest one in the metric of G, so that directions in which `K` has almost
    no variance keep almost none. Then negative eigenvalues are set to zero.
    """
    lengths = problem.edge_lengths(K)
    for _ in range(RESTORATIONS):
        if problem.violation(lengths) <= 1e-2 * FEASIBLE:
            break

        missing = problem.squared - lengths
        if problem.shrink:
            missing = np.minimum(missing, 0.0)

        # Solve diag(B G L(y) G Bᵀ) = missing, with the matrix (B G Bᵀ) ∘ (B G Bᵀ)
        metric = K + METRIC_SHIFT * np.trace(K) * np.eye(len(K))
        try:
            y = _factorize(np.square(problem.edge_products(metric)))(missing)
        except LinAlgError:
            break

        values, vectors = eigh(K + metric @ problem.laplacian(y) @ metric)
        restored = (vectors * np.maximum(values, 0.0)) @ vectors.T

        restored_lengths = problem.edge_lengths(restored)
        if problem.violation(restored_lengths) >= problem.violation(lengths):
            break
        K, lengths = restored, restored_lengths
    return K


def _factorize(M: NDArray) -> Callable[[NDArray], NDArray]:
    """Return a function that solves Mx = b, or raise LinAlgError."""
    # The smallest ridge for which the Cholesky factorization succeeds
    for ridge in RIDGES:
        lifted = M.copy()
        lifted[np.diag_indices(len(M))] *= 1 + ridge
        try:
            factor = cho_factor(lifted, lower=True, overwrite_a=True)
        except LinAlgError:
            continue
        return partial(_solve_refined, M, factor)
    raise LinAlgError("the edge constraints are nearly linearly dependent")


def _solve_refined(M: NDArray, factor: tuple[NDArray, bool], b: NDArray) -> NDArray:
    """Solve Mx = b from a factorization of nearly M, with iterative refinement."""
    x: NDArray = cho_solve(factor, b)
    for _ in range(REFINEMENTS):
        x = x + cho_solve(factor, b - M @ x)
    return x


@dataclass
class _Direction:
    """Search direction; `dS_inverse` is the product ΔS S⁻¹."""

    dK: NDArray
    dw: NDArray
    dS: NDArray
    dslack: NDArray
    dS_inverse: NDArray


class _NewtonSystem:
    """Newton system (7) at an iterate, factorized once for predictor and corrector."""

    def __init__(self, problem: UnfoldingProblem, state: State) -> None:
        self.problem, self.state = problem, state
        w, slack = state.w, state.slack

        # Cholesky factors, and S⁻¹ (dpotri returns the lower triangle only)
        self.root_K, self.root_S = cholesky(state.K, lower=True), cholesky(state.S, lower=True)
        inverse = np.tril(dpotri(self.root_S, lower=1)[0])
        inverse += np.tril(inverse, -1).T
        self.inverse = inverse

        matrix = problem.edge_products(inverse)
        self.barrier = matrix.diagonal() + (1 / w if problem.shrink else 0.0)
        matrix *= problem.edge_products(state.K)
        if problem.shrink:
            matrix[np.diag_indices(len(w))] += slack / w
        self.solve = _factorize(matrix)

    def direction(self, mu: float, R: NDArray, r: NDArray) -> _Direction:
        """Return the direction to a point of the central path, given second-order terms R and r."""
        problem, K, w, slack = self.problem, self.state.K, self.state.w, self.state.slack

        curvature = problem.edge_lengths(R) if R.any() else 0.0
        dw = self.solve(mu * self.barrier - problem.squared - curvature - r)

        # Dual slack and kernel matrix, Eq. 5
        dS = problem.laplacian(dw)
        dS_inverse = problem.laplacian_times(dw, self.inverse)
        product = K @ dS_inverse
        dK = mu * self.inverse - K - (product + product.T) / 2 - R

        dslack = np.zeros_like(w)
        if problem.shrink:
            dslack = mu / w - slack - slack / w * dw - r
        return _Direction(dK, dw, dS, dslack, dS_inverse)

    def step_lengths(self, step: _Direction) -> tuple[float, float]:
        """Return the primal and the dual step length, Eq. 8."""
        primal = _cone_step_length(self.root_K, step.dK)
        dual = _cone_step_length(self.root_S, step.dS)
        if self.problem.shrink:
            primal = min(primal, _positive_step_length(self.state.slack, step.dslack))
            dual = min(dual, _positive_step_length(self.state.w, step.dw))
        return primal, dual


def _predictor_corrector_step(problem: UnfoldingProblem, state: State) -> State:
    """Return the next iterate, or raise LinAlgError if rounding errors prevent it."""
    K, w, S, slack = state.K, state.w, state.S, state.slack
    system = _NewtonSystem(problem, state)
    degree = problem.n_free + (len(w) if problem.shrink else 0)
    mu = problem.gap(state) / degree

    # Predictor: affine direction, without centering and second-order terms
    affine = system.direction(0.0, np.zeros_like(K), np.zeros_like(w))
    primal, dual = system.step_lengths(affine)

    # Centering parameter from the gap that the predictor would reach, Eq. 9
    gap_ahead = float(np.sum((K + primal * affine.dK) * (S + dual * affine.dS)))
    gap_ahead += float((w + dual * affine.dw) @ (slack + primal * affine.dslack))
    target = mu * min(1.0, max(gap_ahead / degree / mu, MIN_CENTERING) ** 2)

    # Corrector: centered direction with the second-order terms R and r of Eqs. 5 and 6
    product = affine.dK @ affine.dS_inverse
    r = affine.dslack * affine.dw / w if problem.shrink else np.zeros_like(w)
    step = system.direction(target, (product + product.T) / 2, r)
    primal, dual = system.step_lengths(step)

    w = w + dual * step.dw
    S = problem.laplacian(w) - np.eye(problem.n_free)
    slack = slack + primal * step.dslack
    K = K + primal * step.dK
    lengths = problem.edge_lengths(K)
    return State(K=K, w=w, S=S, slack=slack, lengths=lengths, n_iter=state.n_iter + 1)


def _cone_step_length(root: NDArray, change: NDArray) -> float:
    """Return the step length, Eq. 8, along `change` from the matrix root @ root.T."""
    size = len(root)
    if size < LANCZOS:
        # Least eigenvalue of C⁻¹ ΔK C⁻ᵀ by a dense decomposition
        half = solve_triangular(root, change, lower=True)
        scaled = solve_triangular(root, half.T, lower=True)
        least = eigh((scaled + scaled.T) / 2, eigvals_only=True, subset_by_index=[0, 0])[0]
    else:
        # Same by the Lanczos method, which needs matrix-vector products only
        def scaled_times(v: NDArray) -> NDArray:
            return dtrsv(root, change @ dtrsv(root, v, lower=1, trans=1), lower=1)

        scaled = LinearOperator((size, size), matvec=scaled_times, dtype=np.float64)
        # A fixed start, and a fixed seed of the restarts: repeated fits are identical
        start = np.random.default_rng(0).standard_normal(size)
        options = {"tol": 1e-2, "v0": start, "rng": 0, "return_eigenvectors": False}
        least = eigsh(scaled, k=1, which="SA", **options)[0]
    return 1.0 if least >= -TO_BOUNDARY else -TO_BOUNDARY / least


def _positive_step_length(values: NDArray, change: NDArray) -> float:
    """Return the step length, Eq. 8, along `change` from positive values."""
    least = (change / values).min()
    return 1.0 if least >= -TO_BOUNDARY else -TO_BOUNDARY / least
