"""Maximum variance unfolding with edges that may shrink, by a low-rank interior-point method.

The kernel matrix is YYᵀ with few columns. With incidence matrix B, differences δ_e = (BY)_e along
the edges, slacks s_e = d_e² − |δ_e|² > 0 and a barrier parameter μ, Y minimizes

    φ(Y) = −|Y|² − μ Σ log s_e,                                                              (1)
    ∇φ(Y) = −2Y + 2 L(μ/s) Y,  L(w) = Bᵀ diag(w) B.                                          (2)

Multipliers w replace μ/s in the second derivative, so that Newton's method does not slow down as
μ decreases (primal-dual method):

    [2 (L(w) − I) + 4 Σ (w_e/s_e) ∇_e ∇_eᵀ] ΔY = −∇φ(Y),  ∇_e = (e_i − e_j) ⊗ δ_e,           (3)
    Δw = μ/s − w + 2 (w/s) ⟨δ_e, (BΔY)_e⟩.                                                   (4)

The matrix has one small block per point and per edge. On coordinates of sum zero it is positive
definite near a minimum; elsewhere a multiple of the identity is added. Translations are a
separate eigenspace, so that directions of sum zero remain so.

At a minimum (L(w) − I) Y = 0, hence |Y|² = ⟨L(w), YYᵀ⟩ = Σ w_e (d_e² − s_e). If also L(w) ⪰ I on
vectors of sum zero, then w proves the bound Σ w_e d_e², and the duality gap is Σ w_e s_e. Otherwise
Y is a saddle point: an eigenvector of L(w) with an eigenvalue below 1 is a new column along which φ
decreases. All iterates are feasible.

References
----------
S. Burer and R. Monteiro, "A nonlinear programming algorithm for solving semidefinite programs via
low-rank factorization", Mathematical Programming 95, 2003. A. Wächter and L. Biegler, "On the
implementation of an interior-point filter line-search algorithm for large-scale nonlinear
programming", Mathematical Programming 106, 2006 (inertia correction, Section 3.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from nldr.methods.mvu._bound import connectivity
from nldr.methods.mvu._polish import incidence
from nldr.methods.mvu._progress import Progress
from nldr.methods.mvu.shrink._newton import EdgeSystem

COLUMNS, MOST_COLUMNS = 3, 40  # of Y: at first, and at most
SHORTEST_EDGE = 1e-10  # squared length to which shorter limits are raised, in mean squared lengths
LANDMARKS = 40  # from which the first Y is computed
INSIDE = 0.9  # largest squared length of the first Y, relative to its limit
GAP = 0.3  # first value of Σ w s, relative to the trace of geodesic distances
DECREASE = 0.2  # factor of μ
NEWTON_STEPS = 100  # at most, per value of μ
CENTERED = 0.9  # largest deviation of w s from μ, relative to μ, at which μ is reduced
SHIFTS = (0.02, 4.0, 2.5)  # of the matrix in Eq. 3: the least, their ratio, the largest
LEAST_SHIFT = 1e-6  # for rotations, along which φ is constant
TO_BOUNDARY = 0.99  # fraction of the way to the boundary that a step may go
SUFFICIENT = 1e-4  # decrease of φ, relative to that along its tangent, that a step must reach
ROUNDING = 1e-10  # of φ, relative to its size
SHORTEST = 1e-8  # step length below which the search ends
SPREAD = 1e3  # largest ratio of w s and μ, either way
HALVINGS = 12  # of the length of a new column
UNUSED = 1e-3  # standard deviation of an axis, relative to the first, that is left out


@dataclass(frozen=True)
class _Point:
    """Coordinates with their differences along the edges and slacks."""

    Y: NDArray
    differences: NDArray
    slacks: NDArray


class _Barrier:
    """The function (1) of Y, with the multipliers and μ."""

    def __init__(self, edges: NDArray, squared: NDArray, n_samples: int, mu: float) -> None:
        self.squared, self.mu = squared, mu
        self.B = incidence(edges, n_samples).tocsr()
        self.Bt = csr_array(self.B.T)
        self.system = EdgeSystem(edges, n_samples)
        self.w, self.shift = np.zeros(len(edges)), 0.0

    def at(self, Y: NDArray) -> _Point:
        """Return the point Y."""
        differences = self.B @ Y
        return _Point(Y, differences, self.squared - np.square(differences).sum(axis=1))

    def value(self, p: _Point) -> float:
        """Return φ, Eq. 1."""
        return float(-np.square(p.Y).sum() - self.mu * np.log(p.slacks).sum())

    def gradient(self, p: _Point, w: NDArray) -> NDArray:
        """Return 2 L(w) Y − 2Y: the gradient of φ for w = μ/s, Eq. 2."""
        return 2 * (self.Bt @ (w[:, np.newaxis] * p.differences)) - 2 * p.Y

    def gap(self, p: _Point) -> float:
        """Return the duality gap of a minimum, relative to its trace."""
        return float(self.w @ p.slacks / np.square(p.Y).sum())

    def is_minimum(self, p: _Point) -> bool:
        """Return whether a point is so close to the minimum that μ can be reduced."""
        size = np.linalg.norm(self.gradient(p, self.w)) / np.linalg.norm(p.Y)
        off_center = np.abs(self.w * p.slacks / self.mu - 1).max()
        return bool(size < min(1.0, self.gap(p)) and off_center < CENTERED)

    def direction(self, p: _Point, gradient: NDArray) -> NDArray:
        """Return a descent direction, Eq. 3."""
        n_columns = p.Y.shape[1]
        pull = (4 * self.w / p.slacks)[:, np.newaxis] * p.differences
        blocks = pull[:, :, np.newaxis] * p.differences[:, np.newaxis, :]
        blocks += 2 * self.w[:, np.newaxis, np.newaxis] * np.eye(n_columns)

        # Only translations may have negative eigenvalues, −2 plus the shift
        least, ratio, largest = SHIFTS
        while True:
            solve, n_negative = self.system.factorize(blocks, self.shift + LEAST_SHIFT - 2)
            if n_negative == (n_columns if self.shift < 2 else 0) or self.shift == largest:
                break
            self.shift = min(max(ratio * self.shift, least), largest)
        self.shift = self.shift / ratio if self.shift > least else 0.0
        step = -solve(gradient)
        return step - step.mean(axis=0)

    def newton_step(self, p: _Point) -> _Point | None:
        """Return the next point and update the multipliers; None if φ no longer decreases."""
        target = self.mu / p.slacks
        gradient = self.gradient(p, target)
        step = self.direction(p, gradient)

        # Longest step that keeps all slacks positive
        along = self.B @ step
        linear = np.einsum("ea,ea->e", p.differences, along)
        square = np.maximum(np.einsum("ea,ea->e", along, along), np.finfo(float).tiny)
        root = np.sqrt(linear**2 + square * p.slacks)
        ends = np.where(linear > 0, p.slacks / (linear + root), (root - linear) / square)
        t = min(1.0, TO_BOUNDARY * float(ends.min()))

        # Halve it until φ decreases enough
        before, slope = self.value(p), float(np.vdot(gradient, step))
        allowed = ROUNDING * abs(before)
        while True:
            following = self.at(p.Y + t * step)
            if following.slacks.min() > 0 and (
                self.value(following) <= before + SUFFICIENT * t * slope + allowed
            ):
                break
            t /= 2
            if t < SHORTEST:
                return None

        # Multipliers, Eq. 4, positive and near the central path
        change = target - self.w + 2 * self.w / p.slacks * linear
        decrease = max(float((-change / self.w).max()), TO_BOUNDARY)
        target = self.mu / following.slacks
        w = self.w + min(1.0, TO_BOUNDARY / decrease) * change
        self.w = np.clip(w, target / SPREAD, target * SPREAD)
        return following

    def minimize(self, p: _Point) -> tuple[_Point, bool]:
        """Return a point near the minimum for the present μ, and whether it was reached."""
        for _ in range(NEWTON_STEPS):
            following = self.newton_step(p)
            if following is None:
                return p, False
            p = following
            if self.is_minimum(p):
                return p, True
        return p, False

    def leave_saddle(self, p: _Point, vector: NDArray) -> _Point:
        """Return a point with a multiple of a vector as a new column, along which φ decreases."""
        left, values, _ = np.linalg.svd(p.Y, full_matrices=False)
        kept = values > UNUSED * values[0]
        Y = left[:, kept] * values[kept]
        slacks = self.at(Y).slacks

        square = np.square(self.B @ vector)
        longest = (slacks / np.maximum(square, np.finfo(float).tiny)).min()
        lengths = TO_BOUNDARY * longest / 2.0 ** np.arange(HALVINGS)
        heights = [-t - self.mu * np.log(slacks - t * square).sum() for t in lengths]
        length = lengths[int(np.argmin(heights))]
        return self.at(np.column_stack([Y, np.sqrt(length) * vector]))


@dataclass(frozen=True)
class LowRankSolution:
    """Coordinates with few columns, multipliers and the bound that they prove."""

    Y: NDArray
    multipliers: NDArray
    bound: float
    n_iter: int


def unfold_low_rank(
    edges: NDArray,
    squared: NDArray,
    n_samples: int,
    tol: float,
    max_iter: int,
    most_columns: int = MOST_COLUMNS,
    progress: Progress | None = None,
) -> LowRankSolution:
    """Maximize the variance, given upper limits of the lengths of edges that join all points.

    The squared limits have a mean of about 1, and `tol` is the duality gap to reach, relative to
    the trace. Coordinates are feasible up to 1e-10 mean squared lengths. The iteration stops early
    if rounding errors prevent progress, or if more than `most_columns` columns would be needed.
    `progress` is called with number, relative gap and violation after each minimization.

    Examples
    --------
    >>> solution = unfold_low_rank(np.array([[0, 1], [1, 2]]), np.ones(2), 3, 1e-4, 100)
    >>> round(solution.bound, 3)
    2.0
    """
    # First Y: geodesic distances, shorter so that it is feasible; no limit may be zero
    limits = np.maximum(squared, SHORTEST_EDGE)
    Y = geodesic_start(edges, limits, n_samples)
    trace = np.square(Y).sum()
    lengths = np.square(Y[edges[:, 0]] - Y[edges[:, 1]]).sum(axis=1)
    Y *= np.sqrt(INSIDE / (lengths / limits).max())

    # Multipliers for a gap that the final trace determines, not that of Y
    barrier = _Barrier(edges, limits, n_samples, GAP * trace / len(edges))
    p = barrier.at(Y)
    barrier.w = barrier.mu / p.slacks
    best_w, bound, n_iter, reached = barrier.w, np.inf, 0, True
    while n_iter < max_iter and reached:
        n_iter += 1
        p, reached = barrier.minimize(p)

        w = barrier.w
        least, vector = connectivity(edges, w, n_samples)
        if least > 0 and w @ squared / least < bound:
            best_w, bound = w, float(w @ squared / least)
        trace = np.square(p.Y).sum()
        if progress is not None:
            progress(n_iter, bound / trace - 1, 0.0)  # every point is feasible
        if bound <= (1 + tol) * trace:
            break

        # A saddle point gets a new column, a minimum a smaller μ
        if 0 < least < 1 - max(barrier.gap(p), tol / 2):
            if p.Y.shape[1] >= min(most_columns, n_samples - 1):
                break
            p = barrier.leave_saddle(p, vector)
        else:
            barrier.mu = DECREASE * min(barrier.mu, float(w @ p.slacks) / len(w))
    return LowRankSolution(p.Y, best_w, bound, n_iter)


def geodesic_start(edges: NDArray, squared: NDArray, n_samples: int) -> NDArray:
    """Return coordinates from geodesic distances to landmarks far from each other.

    Examples
    --------
    >>> Y = geodesic_start(np.array([[0, 1], [1, 2], [2, 3]]), np.ones(3), 4)
    >>> round(float(np.ptp(Y[:, 0])), 4)
    3.0
    """
    shape = (n_samples, n_samples)
    lengths = np.sqrt(np.maximum(squared, SHORTEST_EDGE))
    graph = csr_array((lengths, tuple(edges.T)), shape=shape)

    # Landmarks: repeatedly the point farthest from all others
    n_landmarks = min(LANDMARKS, n_samples)
    landmarks, rows = [0], []
    nearest = np.full(n_samples, np.inf)
    for _ in range(n_landmarks):
        rows.append(dijkstra(graph, directed=False, indices=landmarks[-1]))
        nearest = np.minimum(nearest, rows[-1])
        landmarks.append(int(nearest.argmax()))
    distances = np.square(np.array(rows))

    # Classical scaling of the landmarks, and of all points relative to them
    between = distances[:, landmarks[:n_landmarks]]
    means = between.mean(axis=0)
    gram = -(between - means - means[:, np.newaxis] + means.mean()) / 2
    values, vectors = np.linalg.eigh(gram)
    values, vectors = values[::-1][:COLUMNS], vectors[:, ::-1][:, :COLUMNS]
    used = values > UNUSED**2 * values[0]
    Y = (means - distances.T) / 2 @ (vectors[:, used] / np.sqrt(values[used]))
    return Y - Y.mean(axis=0)
