"""Dual of maximum variance unfolding: multipliers that prove a small bound, from approximate ones.

The dual problem is to minimize Σ w_e d_e² subject to S = L(w) − I ⪰ 0 on the face, the vectors of
sum zero that are orthogonal to the affine dependencies Z of the cliques. S⁻¹ there is the limit of

    (L(w) + γZZᵀ − I)⁻¹                                                                      (1)

for large γ, up to constants, which have no effect on differences along edges. With the incidence
matrix B, C = B S⁻¹ Bᵀ, and coordinates Y that nearly solve the primal problem, each step is

    [C ∘ (B (YYᵀ + μ(S + θI)⁻¹) Bᵀ)] Δw = μ diag C − d².                                     (2)

This is the HKM direction (Eq. 7 of `_interior`) at a kernel matrix that is not updated: Y has its
large eigenvalues, which θ removes from the second term, and the latter has the small ones of the
central path. The sparse factorization of (1) replaces all dense ones, and conjugate gradients solve
the system roughly, with a matrix of single precision, since every w with S ≻ 0 proves a bound.

References
----------
R. Zhang and J. Lavaei, "Modified interior-point method for large-and-sparse low-rank semidefinite
programs", IEEE Conference on Decision and Control, 2017: conjugate gradients for such systems.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array, eye_array, kron
from scipy.sparse.linalg import LinearOperator, SuperLU, eigsh

from nldr.methods.mvu._bound import MARGIN, factorize
from nldr.methods.mvu._polish import incidence

FACE = 1e6  # weight γ of the dependencies, in mean absolute multipliers
INSIDE = 0.03  # first least eigenvalue of S
CENTERING, CENTER_DECREASE, LONG = 0.06, 0.8, 0.3  # first n μ / bound, its factor after long steps
SMOOTHING = 0.03  # θ of Eq. 2
TO_BOUNDARY = 0.9  # fraction of the way to the boundary that a step may go
BISECTIONS = 8  # of the step length
STALLED, PATIENCE = 5e-4, 3  # relative decrease of the bound in a few steps that ends the iteration
RIDGE = 1e-6  # added to the diagonal of Eq. 2, relative
CG_STEPS, CG_ACCURACY = 100, 0.1  # of the conjugate gradients
CHUNK = 500  # columns of the inverse that are computed at a time
LIFT, LIFTS = 0.1, 20  # share of negative multipliers removed from infeasible ones, and attempts


@dataclass
class DualProblem:
    """Lengths of edges, and the face.

    Attributes
    ----------
    edges : ndarray of shape (n_edges, 2)
        Pairs of points.
    squared : ndarray of shape (n_edges,)
        Squared lengths, with mean about 1.
    Z : csc_array of shape (n_samples, n_dependencies)
        Affine dependencies of cliques.
    """

    edges: NDArray
    squared: NDArray
    Z: csc_array
    B: csr_array = field(init=False)
    face: csc_array = field(init=False)

    def __post_init__(self) -> None:
        self.B = incidence(self.edges, self.Z.shape[0]).tocsr()
        self.face = csc_array(self.Z @ self.Z.T)

    @property
    def n_free(self) -> int:
        """Return the dimension of the face."""
        return self.Z.shape[0] - 1 - self.Z.shape[1]

    def laplacian(self, w: NDArray) -> csc_array:
        """Return L(w) + γZZᵀ."""
        weighted = self.B.T @ (diags_array(w) @ self.B)
        return csc_array(weighted + FACE * np.abs(w).mean() * self.face)

    def shifted(self, w: NDArray, sigma: float) -> SuperLU | None:
        """Return a factorization of L(w) + γZZᵀ − σI; None unless it is positive on sum zero."""
        n_samples = self.Z.shape[0]
        try:
            factor = factorize(csc_array(self.laplacian(w) - sigma * eye_array(n_samples)))
        except RuntimeError:  # singular
            return None
        # Inertia (Sylvester): the constants alone have a negative eigenvalue
        symmetric = np.array_equal(factor.perm_r, factor.perm_c)
        single = np.count_nonzero(factor.U.diagonal() < 0) == 1
        return factor if symmetric and single else None

    def lowest(self, w: NDArray, sigma: float, count: int) -> tuple[NDArray, NDArray]:
        """Return the least eigenvalues of L(w) on the face and their vectors, all above σ > 0.

        They are −∞ if any is below σ.
        """
        n_samples, factor = self.Z.shape[0], self.shifted(w, sigma)
        if factor is None:
            return np.full(count, -np.inf), np.zeros((n_samples, count))
        operator = LinearOperator((n_samples,) * 2, matvec=centered(factor), dtype=np.float64)
        start = np.random.default_rng(0).standard_normal(n_samples)
        values, vectors = eigsh(operator, k=count, which="LA", tol=1e-6, v0=start, rng=0)
        order = np.argsort(-values)
        return sigma + 1 / values[order], vectors[:, order]

    def bound(self, w: NDArray, sigma: float) -> float:
        """Return the bound that `w` proves, given a lower bound σ on the eigenvalues of L(w)."""
        least = sigma + (1 - MARGIN) * (self.lowest(w, sigma, 1)[0][0] - sigma)
        proven = np.isfinite(least) and self.shifted(w, least * (1 - MARGIN)) is not None
        return float(w @ self.squared / (least * (1 - MARGIN))) if proven else np.inf

    def feasible(self, w: NDArray) -> NDArray | None:
        """Return multipliers near `w` whose S has the least eigenvalue INSIDE; None on failure."""
        lifted, share = w, LIFT
        for _ in range(LIFTS):
            least = self.lowest(lifted, 0.3, 1)[0][0]
            if np.isfinite(least):
                return lifted * ((1 + INSIDE) / least)
            lifted = w + share * (np.maximum(-w, 0.0) + 0.1 * np.abs(w).mean())
            share *= 1.5
        return None


def centered(factor: SuperLU) -> Callable[[NDArray], NDArray]:
    """Return the solver of a factorized system, restricted to vectors of sum zero."""

    def solve(b: NDArray) -> NDArray:
        x = factor.solve(b.ravel() - b.mean())
        return x - x.mean()

    return solve


def improve_multipliers(
    problem: DualProblem, w: NDArray, Y: NDArray, enough: float, max_iter: int
) -> tuple[NDArray, int]:
    """Return multipliers that prove a smaller bound.

    Parameters
    ----------
    problem : DualProblem
        The problem.
    w : ndarray of shape (n_edges,)
        Multipliers whose S is positive definite on the face.
    Y : ndarray of shape (n_samples, n_columns)
        Coordinates that nearly solve the primal problem.
    enough : float
        Dual objective Σ w_e d_e² that needs no further step.
    max_iter : int
        Maximum number of steps.

    Returns
    -------
    w : ndarray of shape (n_edges,)
        The multipliers.
    n_iter : int
        Number of steps.
    """
    squared, differences = problem.squared, (problem.B @ Y).astype(np.float32)
    mu = CENTERING * (w @ squared) / problem.n_free
    bounds = [w @ squared]
    for n_iter in range(max_iter):
        slow = n_iter >= PATIENCE and bounds[-1] > (1 - STALLED) * bounds[-1 - PATIENCE]
        if bounds[-1] <= enough or slow:
            return w, n_iter

        # Newton system, Eq. 2
        matrix, resistance = _system(problem, w, differences, mu)
        rest = matrix.diagonal() - resistance * np.square(differences).sum(axis=1)
        rest = np.maximum(rest, 1e-6 * matrix.diagonal())
        precondition = _preconditioner(problem, w, differences, rest)
        dw = _solve(matrix, mu * resistance - squared, precondition)
        del matrix

        # Step to the boundary at most, by bisection with the inertia
        length = min(1.0, TO_BOUNDARY * _largest_step(problem, w, dw))
        w = w + length * dw
        bounds.append(w @ squared)
        if length > LONG:
            mu *= CENTER_DECREASE
    return w, max_iter


def _largest_step(problem: DualProblem, w: NDArray, dw: NDArray) -> float:
    """Return nearly the largest step that keeps S positive definite, at most 1 / TO_BOUNDARY."""
    low, high = 0.0, 1 / TO_BOUNDARY
    if problem.shifted(w + high * dw, 1.0) is not None:
        return high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        inside = problem.shifted(w + middle * dw, 1.0) is not None
        low, high = (middle, high) if inside else (low, middle)
    return low


def _system(
    problem: DualProblem, w: NDArray, differences: NDArray, mu: float
) -> tuple[NDArray, NDArray]:
    """Return the matrix of Eq. 2 in single precision, and the diagonal of C."""
    product, resistance = _edge_products(problem, w, 1.0)
    (i, j), (half, _) = problem.edges.T, _half_products(problem, w, 1.0 - SMOOTHING)
    for a in range(0, len(product), CHUNK):
        rows = slice(a, a + CHUNK)
        smooth = half[i[rows]] - half[j[rows]]
        product[rows] *= differences[rows] @ differences.T + np.float32(mu) * smooth
    product[np.diag_indices(len(product))] *= 1 + RIDGE
    return product, resistance


def _edge_products(problem: DualProblem, w: NDArray, sigma: float) -> tuple[NDArray, NDArray]:
    """Return B (L(w) + γZZᵀ − σI)⁻¹ Bᵀ in single precision, and its diagonal in double."""
    (i, j), n_edges = problem.edges.T, len(w)
    half, diagonal = _half_products(problem, w, sigma)

    # Differences along edges of the rows
    product = np.empty((n_edges, n_edges), dtype=np.float32)
    for a in range(0, n_edges, CHUNK):
        product[a : a + CHUNK] = half[i[a : a + CHUNK]] - half[j[a : a + CHUNK]]
    return product, diagonal


def _half_products(problem: DualProblem, w: NDArray, sigma: float) -> tuple[NDArray, NDArray]:
    """Return (L(w) + γZZᵀ − σI)⁻¹ Bᵀ in single precision, and the diagonal of B times it."""
    i, j = problem.edges.T
    n_samples, n_edges = problem.Z.shape[0], len(i)
    factor = factorize(csc_array(problem.laplacian(w) - sigma * eye_array(n_samples)))
    half = np.empty((n_samples, n_edges), dtype=np.float32)
    diagonal = np.zeros(n_edges)
    for a in range(0, n_samples, CHUNK):
        # Columns of the inverse, and their differences along edges
        chunk = np.arange(a, min(a + CHUNK, n_samples))
        columns = np.zeros((n_samples, len(chunk)))
        columns[chunk, chunk - a] = 1.0
        along = problem.B @ factor.solve(columns)
        half[chunk] = along.T
        for ends, sign in ((i, 1.0), (j, -1.0)):
            here = np.flatnonzero((ends >= a) & (ends < a + CHUNK))
            diagonal[here] += sign * along[here, ends[here] - a]
    return half, diagonal


def _preconditioner(
    problem: DualProblem, w: NDArray, differences: NDArray, diagonal: NDArray
) -> Callable[[NDArray], NDArray]:
    """Return the inverse of Eq. 2 with the diagonal of its second term only.

    With J_e = δ_e ⊗ b_e the first term is J (S⁻¹ ⊗ I) Jᵀ, so that (Sherman-Morrison-Woodbury)

        (Δ + J (S⁻¹ ⊗ I) Jᵀ)⁻¹ = Δ⁻¹ − Δ⁻¹ J (S ⊗ I + Jᵀ Δ⁻¹ J)⁻¹ Jᵀ Δ⁻¹.
    """
    n_samples, n_columns = problem.Z.shape[0], differences.shape[1]
    n_edges = len(w)

    # J, with unknowns ordered by point
    ends = problem.edges[:, :, np.newaxis] * n_columns + np.arange(n_columns)
    entries = np.stack([differences, -differences], axis=1).astype(np.float64)
    rows = np.repeat(np.arange(n_edges), 2 * n_columns)
    shape = (n_edges, n_samples * n_columns)
    J = csr_array((entries.ravel(), (rows, ends.ravel())), shape=shape)

    # S ⊗ I + Jᵀ Δ⁻¹ J
    S = csc_array(problem.laplacian(w) - eye_array(n_samples))
    inner = kron(S, eye_array(n_columns), format="csc") + J.T @ (diags_array(1 / diagonal) @ J)
    factor, Jt = factorize(csc_array(inner)), csr_array(J.T)

    def precondition(r: NDArray) -> NDArray:
        scaled = r / diagonal
        return scaled - (J @ factor.solve(Jt @ scaled)) / diagonal

    return precondition


def _solve(matrix: NDArray, b: NDArray, precondition: Callable[[NDArray], NDArray]) -> NDArray:
    """Solve Eq. 2 roughly, by conjugate gradients."""
    x, residual = np.zeros_like(b), b.copy()
    z = precondition(residual)
    d, rz = z, residual @ z
    goal = CG_ACCURACY**2 * rz
    for _ in range(CG_STEPS):
        product = (matrix @ d.astype(np.float32)).astype(np.float64)
        curvature = d @ product
        if curvature <= 0:
            break
        x = x + rz / curvature * d
        residual -= rz / curvature * product
        z = precondition(residual)
        rz, before = residual @ z, rz
        if rz <= goal:
            break
        d = z + rz / before * d
    return x
