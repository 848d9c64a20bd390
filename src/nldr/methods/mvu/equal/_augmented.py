"""Maximum variance unfolding that keeps all lengths, by a low-rank augmented Lagrangian.

The kernel matrix is YYᵀ with few columns. With incidence matrix B, differences δ_e = (BY)_e along
the edges, multipliers w of either sign, penalties ρ_e, affine dependencies Z of the cliques (see
`interior/_face`), which every feasible kernel matrix maps to zero, and a penalty γ of these,

    F(Y) = −|Y|² + γ|ZᵀY|² + Σ (u_e² − w_e²) / 2ρ_e,  u_e = w_e + ρ_e (|δ_e|² − d_e²),        (1)
    ∇F(Y) = 2 (L(u) + γZZᵀ − I) Y,  L(u) = Bᵀ diag(u) B,                                     (2)
    ∇²F(Y)[V] = 2 (L(u) + γZZᵀ − I) V + 4 Bᵀ (ρ_e ⟨δ_e, (BV)_e⟩ δ_e).                        (3)

Each minimization over Y is followed by w ← u and a larger ρ. The penalty of the dependencies keeps
the multipliers of cliques bounded, and a penalty ρ_e ∝ 1/d_e⁴ treats short edges, whose
multipliers are large, like long ones. The multipliers of an early round are a start for the dual
problem (`_dual`), whose bound needs no accurate minimum.

References
----------
S. Burer and R. Monteiro, "A nonlinear programming algorithm for solving semidefinite programs via
low-rank factorization", Mathematical Programming 95, 2003.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, eye_array, kron
from scipy.sparse.linalg import splu

from nldr.methods.mvu._bound import factorize
from nldr.methods.mvu._polish import incidence, restore_lengths
from nldr.methods.mvu.equal._dual import DualProblem, improve_multipliers
from nldr.methods.mvu.shrink._lowrank import geodesic_start

COLUMNS = 5  # of Y
NOISE = 0.01  # standard deviation of columns beyond those of the start
PENALTY, GROWTH = 10.0, 3.0  # first penalty, in mean multipliers, and its factor per round
FACE = 100.0  # penalty of the dependencies, in penalties of the edges
SHORTEST = 1e-3  # squared length below which edges have equal penalties
ROUNDS = 25  # at most
NEWTON_STEPS = 40  # at most, per round
PROGRESS = 1e-5  # mean relative decrease of F per step, over three steps, that ends a round
IMPROVED, LEAST_PROGRESS = 0.8, 1e-8  # factor of the violation that needs no smaller progress
CG_STEPS, CG_ACCURACY = 20, 0.1  # of the conjugate gradients
SHIFT = 0.1  # added to the diagonal of the preconditioner
STIFFER = (0.0, 0.3, 1.0, 3.0)  # shares of negative multipliers removed from the preconditioner
FLAT = 1e-11  # curvature relative to the preconditioner's that counts as negative
FEASIBLE = 3e-5  # deviation of a squared length that ends the rounds, in mean squared lengths
DUAL_STEPS, ENOUGH = 40, 0.95  # dual steps at most, and the gap that ends them, relative to tol
CERTIFIABLE = 0.5  # least eigenvalue of L(u) on the face that is good enough for the dual problem


@dataclass
class _Point:
    """Coordinates with differences, squared lengths, ZᵀY, multipliers u and F."""

    Y: NDArray
    differences: NDArray
    lengths: NDArray
    off_face: NDArray
    u: NDArray
    value: float


class _Lagrangian:
    """The function (1) for given multipliers and penalty."""

    def __init__(self, edges: NDArray, squared: NDArray, Z: csc_array, n_samples: int) -> None:
        self.edges, self.squared, self.n_samples = edges, squared, n_samples
        self.B = incidence(edges, n_samples).tocsr()
        self.Bt = csr_array(self.B.T)
        self.Z, self.Zt = csr_array(Z), csr_array(Z.T)
        self.relative = 1 / np.square(np.maximum(squared, SHORTEST))
        self.w, self.penalty = np.zeros(len(edges)), 0.0
        self._prepare_matrix()

    @property
    def rho(self) -> NDArray:
        """Return the penalties of the edges."""
        return self.penalty * self.relative

    @property
    def gamma(self) -> float:
        """Return the penalty of the dependencies."""
        return FACE * self.penalty

    def at(self, Y: NDArray) -> _Point:
        """Return the point Y."""
        differences, off_face = self.B @ Y, self.Zt @ Y
        lengths = np.square(differences).sum(axis=1)
        u = self.w + self.rho * (lengths - self.squared)
        value = (((u - self.w) * (u + self.w)) / self.rho).sum() / 2 - np.square(Y).sum()
        return _Point(
            Y,
            differences,
            lengths,
            off_face,
            u,
            float(value + self.gamma * np.square(off_face).sum()),
        )

    def gradient(self, p: _Point) -> NDArray:
        """Return the gradient, Eq. 2."""
        pull = self.Bt @ (p.u[:, np.newaxis] * p.differences)
        return 2 * (pull + self.gamma * (self.Z @ p.off_face) - p.Y)

    def direction(self, p: _Point, gradient: NDArray) -> NDArray:
        """Return a descent direction, by conjugate gradients on Eq. 3."""
        solve, rho = self._preconditioner(p), self.rho

        def hessian_times(V: NDArray) -> NDArray:
            along = self.B @ V
            stretch = 2 * rho * np.einsum("ea,ea->e", p.differences, along)
            bent = p.u[:, np.newaxis] * along + stretch[:, np.newaxis] * p.differences
            return 2 * (self.Bt @ bent + self.gamma * (self.Z @ (self.Zt @ V)) - V)

        step, residual = np.zeros_like(gradient), gradient.copy()
        z = solve(residual)
        d, rz = -z, np.vdot(residual, z)
        goal = CG_ACCURACY**2 * rz
        for count in range(CG_STEPS):
            curved = hessian_times(d)
            curvature = np.vdot(d, curved)
            # Where F is concave, go as far as it was convex
            if curvature <= FLAT * rz:
                return step if count else d
            step = step + rz / curvature * d
            residual += rz / curvature * curved
            z = solve(residual)
            rz, before = np.vdot(residual, z), rz
            if rz <= goal:
                break
            d = rz / before * d - z
        return step

    def _prepare_matrix(self) -> None:
        """Find where the entries of the blocks of the edges and of ZZᵀ belong in Eq. 3."""
        # Points in an order with little fill-in
        n, r = self.n_samples, COLUMNS
        face = csc_array(self.Z @ self.Zt)
        graph = abs(csc_array(self.Bt @ self.B)) + abs(face)
        order = factorize(csc_array(graph + n * eye_array(n))).perm_c
        self.order = (order[:, np.newaxis] * r + np.arange(r)).ravel()

        # Four blocks per edge, ZZᵀ for each column, and the diagonal
        i, j = (order[self.edges] * r).T[:, :, np.newaxis, np.newaxis]
        a, b = np.arange(r)[:, np.newaxis], np.arange(r)
        shape = (len(self.edges), r, r)
        rows = [np.broadcast_to(k + a, shape).ravel() for k in (i, j, i, j)]
        columns = [np.broadcast_to(k + b, shape).ravel() for k in (i, j, j, i)]
        wide = kron(face, eye_array(r), format="coo")
        self.face_entries = wide.data
        rows += [self.order[wide.row], np.arange(n * r)]
        columns += [self.order[wide.col], np.arange(n * r)]
        keys = np.concatenate(columns).astype(np.int64) * (n * r) + np.concatenate(rows)

        unique, self.place = np.unique(keys, return_inverse=True)
        self.row = (unique % (n * r)).astype(np.int32)
        starts = np.searchsorted(unique, np.arange(n * r + 1, dtype=np.int64) * (n * r))
        self.start = starts.astype(np.int32)

    def _preconditioner(self, p: _Point) -> Callable[[NDArray], NDArray]:
        """Return the solver of a system with Eq. 3, made positive definite."""
        size = len(self.start) - 1
        pull = 4 * self.rho[:, np.newaxis] * p.differences
        outer = pull[:, :, np.newaxis] * p.differences[:, np.newaxis, :]
        for share in STIFFER:
            # Negative multipliers are reduced until all pivots are positive
            stiffness = 2 * (p.u + share * np.maximum(-p.u, 0.0))
            blocks = outer + stiffness[:, np.newaxis, np.newaxis] * np.eye(COLUMNS)
            entries = np.concatenate(
                [
                    *map(np.ravel, (blocks, blocks, -blocks, -blocks)),
                    2 * self.gamma * self.face_entries,
                    np.full(size, SHIFT),
                ]
            )
            data = np.bincount(self.place, weights=entries, minlength=len(self.row))
            matrix = csc_array((data, self.row, self.start), shape=(size, size))
            factor = splu(
                matrix,
                permc_spec="NATURAL",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
            if share == STIFFER[-1] or np.all(factor.U.diagonal() > 0):
                break

        def solve(V: NDArray) -> NDArray:
            permuted = np.empty(size)
            permuted[self.order] = V.ravel()
            return factor.solve(permuted)[self.order].reshape(V.shape)

        return solve

    def step_length(self, p: _Point, step: NDArray) -> float:
        """Return the first minimizer of F along a descent direction: F is a quartic there."""
        along, off = self.B @ step, self.Zt @ step
        linear = 2 * np.einsum("ea,ea->e", p.differences, along)
        square = np.einsum("ea,ea->e", along, along)
        rho, gamma = self.rho, self.gamma

        # Coefficients of the derivative
        second = p.u @ square - np.vdot(step, step) + gamma * np.vdot(off, off)
        first = p.u @ linear - 2 * np.vdot(p.Y, step) + 2 * gamma * np.vdot(p.off_face, off)
        cubic = [
            2 * (rho * square) @ square,
            3 * (rho * linear) @ square,
            2 * second + (rho * linear) @ linear,
            first,
        ]
        roots = np.roots(cubic)
        real = roots[np.abs(roots.imag) <= 1e-9 * np.abs(roots)].real
        return float(real[real > 0].min(initial=np.inf)) if np.any(real > 0) else 1.0

    def minimize(self, Y: NDArray, progress: float) -> _Point:
        """Return a point near `Y` at which F decreases slowly."""
        p, values = self.at(Y), []
        for _ in range(NEWTON_STEPS):
            gradient = self.gradient(p)
            step = self.direction(p, gradient)
            Y = p.Y + self.step_length(p, step) * step
            p = self.at(Y - Y.mean(axis=0))
            values.append(p.value)
            if len(values) > 3 and values[-4] - p.value <= 3 * progress * abs(p.value):
                break
        return p


@dataclass(frozen=True)
class EqualSolution:
    """Coordinates with few columns, multipliers and the bound that they prove."""

    Y: NDArray
    multipliers: NDArray
    bound: float
    n_iter: int


def unfold_equal(
    edges: NDArray, squared: NDArray, Z: csc_array, Y: NDArray, tol: float, max_iter: int
) -> EqualSolution:
    """Maximize the variance, given the lengths of edges that join all points.

    `squared` lengths have a mean of about 1, `Z` has affine dependencies of cliques as columns, and
    `Y` of shape (n_samples, COLUMNS) is the start. `tol` is the duality gap to reach, relative to
    the trace; `max_iter` limits the minimizations and dual steps together.

    Examples
    --------
    >>> edges, nothing = np.array([[0, 1], [1, 2]]), csc_array((3, 0))
    >>> Y = start_coordinates(edges, np.ones(2), 3)
    >>> solution = unfold_equal(edges, np.ones(2), nothing, Y, 1e-2, 100)
    >>> 1.99 < np.square(solution.Y).sum() < 2.01 and 1.99 < solution.bound < 2.03
    True
    """
    n_samples = Z.shape[0]
    problem, function = DualProblem(edges, squared, Z), _Lagrangian(edges, squared, Z, n_samples)

    function.w[:] = np.square(Y).sum() / squared.sum()
    function.penalty = PENALTY * function.w[0]
    first, bound, n_iter = function.w, np.inf, 0
    progress, violation = PROGRESS, np.inf
    while n_iter < min(ROUNDS, max_iter):
        n_iter += 1
        p = function.minimize(Y, progress)
        Y, function.w = p.Y, p.u

        # Start of the dual problem: the multipliers with the least bound
        least = problem.lowest(p.u, CERTIFIABLE, 1)[0][0]
        if least > 0 and p.u @ squared / least < bound:
            first, bound = p.u, float(p.u @ squared / least)

        # A larger penalty where the lengths improve, else a more accurate minimum
        before, violation = violation, np.abs(p.lengths - squared).max()
        if violation <= FEASIBLE:
            break
        if violation <= IMPROVED * before:
            function.penalty *= GROWTH
        else:
            progress = max(progress / 10, LEAST_PROGRESS)

    Y = restore_lengths(Y, edges, squared, shrink=False)
    Y = Y - Y.mean(axis=0)

    # Multipliers whose bound is near their trace
    w = problem.feasible(first)
    if w is None:
        return EqualSolution(Y, first, np.inf, n_iter)
    enough = (1 + ENOUGH * tol) * np.square(Y).sum()
    w, steps = improve_multipliers(problem, w, Y, enough, min(DUAL_STEPS, max_iter - n_iter))
    return EqualSolution(Y, w, problem.bound(w, CERTIFIABLE), n_iter + steps)


def start_coordinates(edges: NDArray, squared: NDArray, n_samples: int) -> NDArray:
    """Return coordinates from geodesic distances, with noise in further columns.

    Examples
    --------
    >>> start_coordinates(np.array([[0, 1], [1, 2]]), np.ones(2), 3).shape == (3, COLUMNS)
    True
    """
    Y = geodesic_start(edges, squared, n_samples)[:, :COLUMNS]
    noise = np.random.default_rng(1).standard_normal((n_samples, COLUMNS - Y.shape[1]))
    Y = np.column_stack([Y, NOISE * noise])
    return Y - Y.mean(axis=0)
