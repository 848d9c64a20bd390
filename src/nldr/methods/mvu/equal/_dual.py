"""Dual of maximum variance unfolding: multipliers that prove a small bound, from approximate ones.

The dual problem is to minimize Σ w_e d_e² subject to S = L(w) − I ⪰ 0 on the face, the vectors of
sum zero that are orthogonal to the affine dependencies Z of the cliques. S⁻¹ there is the limit of

    (L(w) + γZZᵀ − I)⁻¹                                                                      (1)

for large γ, up to constants, which have no effect on differences along edges. With the incidence
matrix B and coordinates Y that nearly solve the primal problem, split

    C = B S⁻¹ Bᵀ = VVᵀ + R,  D = B YYᵀ Bᵀ,                                                   (2)

where V comes from the few eigenvectors of S with the smallest eigenvalues. The step is

    [(VVᵀ + 2R) ∘ D + μ R ∘ R + δ diag(μ R ∘ R)] Δw = μ diag C − d².                         (3)

For δ = 0 and μVVᵀ ≈ D, which holds on the central path, the matrix is that of the HKM direction
(Eq. 7 of `interior/_solver`) at the kernel matrix YYᵀ + μR, which is not updated; that matrix is
also near μ C ∘ C, the Newton matrix of the dual barrier. Far from the central path the damping δ
keeps steps from leaving the feasible set at once.

The first term, (2C − VVᵀ) ∘ D, needs few sparse solutions for each product with a vector. Entries
of R ∘ R are stored in single precision. Conjugate gradients solve the system roughly, since every
w with S ≻ 0 proves a bound.

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

from nldr.methods.mvu._bound import factorize
from nldr.methods.mvu._polish import incidence

FACE = 1e6  # weight γ of the dependencies, in mean absolute multipliers
MARGINS = (1e-6, 1e-5, 1e-4, 1e-3)  # by which a computed eigenvalue is reduced until it is proven
INSIDE = 0.03  # first least eigenvalue of S
CENTERING = 0.2  # first n μ, relative to the bound
FULL, LONG, SHORT = 0.85, 0.5, 0.1  # lengths of steps, relative to the way to the boundary
FAST, SLOW = 0.5, 0.8  # factors of μ after full and after long steps
DAMPING, LESS, MORE = 1.0, 0.01, 10.0  # first δ, its factors after long and for short steps
TRIALS = 4  # of the damping
DAMPED, USELESS = 1e-3, 1e6  # δ between which slow progress does not end the iteration
MODES = 5  # eigenvectors of S with small eigenvalues
TO_BOUNDARY = 0.9  # fraction of the way to the boundary that a step may go
SMALLEST = 1e-6  # diagonal of R ∘ R, relative to that of C ∘ C
BISECTIONS = 8  # of the step length
STALLED, PATIENCE = 5e-4, 3  # relative decrease of the bound in a few steps that ends the iteration
RIDGE = 1e-6  # least damping δ of Eq. 3
CG_STEPS, CG_ACCURACY = 200, 0.03  # of the conjugate gradients
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
        least = self.lowest(w, sigma, 1)[0][0]
        for reduced in (least * (1 - margin) for margin in MARGINS if np.isfinite(least)):
            if self.shifted(w, reduced) is not None:
                return float(w @ self.squared / reduced)
        return np.inf

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
    """Return multipliers that prove a smaller bound, and the number of steps.

    `w` are multipliers whose S is positive definite on the face, and `Y` are coordinates that
    nearly solve the primal problem. A dual objective Σ w_e d_e² of `enough` needs no further step.
    """
    squared = problem.squared
    mu = CENTERING * (w @ squared) / problem.n_free
    bounds, damping = [w @ squared], DAMPING
    for n_iter in range(max_iter):
        stalled = n_iter >= PATIENCE and bounds[-1] > (1 - STALLED) * bounds[-1 - PATIENCE]
        if bounds[-1] <= enough or (stalled and not DAMPED < damping < USELESS):
            return w, n_iter

        # Newton step, Eq. 3, to the boundary at most; a short one again with more damping
        system = _System(problem, w, Y, mu)
        for _ in range(TRIALS):
            dw = system.solve(mu * system.resistance - squared, damping)
            length = min(1.0, TO_BOUNDARY * _largest_step(problem, w, dw))
            if length >= SHORT:
                break
            damping *= MORE
        w = w + length * dw
        bounds.append(w @ squared)
        mu *= FAST if length > FULL else SLOW if length > LONG else 1.0
        damping = max(damping * (LESS if length > LONG else 1.0), RIDGE)
        del system  # most of the memory, before the next one is made
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


class _System:
    """The Newton system, Eq. 3, for multipliers w, coordinates Y and μ."""

    def __init__(self, problem: DualProblem, w: NDArray, Y: NDArray, mu: float) -> None:
        self.problem, self.mu = problem, mu

        # Eigenvectors of S with small eigenvalues, scaled so that S⁻¹ = VVᵀ + R
        count = max(1, min(MODES, problem.n_free - 1))
        values, vectors = problem.lowest(w, 1.0, count)
        self.V = vectors / np.sqrt(values - 1)
        self.Bt, self.differences = csr_array(problem.B.T), problem.B @ Y
        self.S = csc_array(problem.laplacian(w) - eye_array(len(Y)))
        self.inverse = factorize(self.S)
        self._edge_products()

        smallest = SMALLEST * np.square(self.resistance)
        self.diagonal = mu * np.maximum(self.squares.diagonal().astype(np.float64), smallest)

    def _edge_products(self) -> None:
        """Set the squares of B R Bᵀ, in single precision, and the diagonal of B S⁻¹ Bᵀ."""
        n_samples, (i, j) = self.S.shape[0], self.problem.edges.T
        B, n_edges = self.problem.B, len(i)
        along = np.square(B @ self.V).sum(axis=1)

        R = np.empty((n_samples, n_samples), dtype=np.float32)
        for a in range(0, n_samples, CHUNK):
            chunk = np.arange(a, min(a + CHUNK, n_samples))
            columns = np.zeros((n_samples, len(chunk)))
            columns[chunk, chunk - a] = 1.0
            R[chunk] = (self.inverse.solve(columns) - self.V @ self.V[chunk].T).T

        self.squares = np.empty((n_edges, n_edges), dtype=np.float32)
        self.resistance = np.empty(n_edges)
        for a in range(0, n_edges, CHUNK):
            rows = slice(a, a + CHUNK)
            half = R[i[rows]] - R[j[rows]]
            product = half[:, i] - half[:, j]
            self.resistance[rows] = along[rows] + product.diagonal(a)
            np.square(product, out=self.squares[rows])

    def times(self, v: NDArray, damping: float) -> NDArray:
        """Return the product of the matrix of Eq. 3 and a vector."""
        pull = self.Bt @ (v[:, np.newaxis] * self.differences)
        moved = 2 * self.inverse.solve(pull) - self.V @ (self.V.T @ pull)
        stiff = np.einsum("ea,ea->e", self.differences, self.problem.B @ moved)
        loose = self.squares @ v.astype(np.float32)
        return stiff + self.mu * loose + damping * self.diagonal * v

    def preconditioner(self, damping: float) -> Callable[[NDArray], NDArray]:
        """Return the inverse of Eq. 3 with only the diagonal of R ∘ R, and for 2C ∘ D."""
        return _preconditioner(
            self.S, self.problem.edges, np.sqrt(2) * self.differences, (1 + damping) * self.diagonal
        )

    def solve(self, b: NDArray, damping: float) -> NDArray:
        """Return a rough solution, by conjugate gradients."""
        precondition = self.preconditioner(damping)
        x, residual = np.zeros_like(b), b.copy()
        z = precondition(residual)
        d, rz = z, residual @ z
        goal = CG_ACCURACY**2 * rz
        for _ in range(CG_STEPS):
            product = self.times(d, damping)
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


def _preconditioner(
    S: csc_array, edges: NDArray, differences: NDArray, diagonal: NDArray
) -> Callable[[NDArray], NDArray]:
    """Return the inverse of Δ + J (S⁻¹ ⊗ I) Jᵀ with J_e = δ_e ⊗ b_e and a diagonal Δ.

    By Sherman, Morrison and Woodbury it is

        Δ⁻¹ − Δ⁻¹ J (S ⊗ I + Jᵀ Δ⁻¹ J)⁻¹ Jᵀ Δ⁻¹.
    """
    (n_edges, n_columns), n_samples = differences.shape, S.shape[0]

    # J, with unknowns ordered by point
    ends = edges[:, :, np.newaxis] * n_columns + np.arange(n_columns)
    entries = np.stack([differences, -differences], axis=1)
    rows = np.repeat(np.arange(n_edges), 2 * n_columns)
    shape = (n_edges, n_samples * n_columns)
    J = csr_array((entries.ravel(), (rows, ends.ravel())), shape=shape)

    inner = kron(S, eye_array(n_columns), format="csc") + J.T @ (diags_array(1 / diagonal) @ J)
    factor, Jt = factorize(csc_array(inner)), csr_array(J.T)

    def precondition(r: NDArray) -> NDArray:
        scaled = r / diagonal
        return scaled - (J @ factor.solve(Jt @ scaled)) / diagonal

    return precondition
