"""Solvers of maximum variance unfolding, given edges with squared lengths of mean one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import csc_array

from nldr.methods.mvu._bound import trace_bound
from nldr.methods.mvu._edges import squared_lengths
from nldr.methods.mvu._merge import merge_points
from nldr.methods.mvu._parts import MERGED
from nldr.methods.mvu._polish import restore_lengths
from nldr.methods.mvu._progress import Progress
from nldr.methods.mvu.certificate import violation
from nldr.methods.mvu.equal._augmented import start_coordinates, unfold_equal
from nldr.methods.mvu.interior._face import (
    cliques,
    complement_basis,
    dependencies,
    independent_edges,
)
from nldr.methods.mvu.interior._problem import UnfoldingProblem
from nldr.methods.mvu.interior._solver import FEASIBLE, unfold
from nldr.methods.mvu.shrink._lowrank import MOST_COLUMNS, unfold_low_rank
from nldr.methods.mvu.shrink._newton import EdgeSystem

TOO_MANY = 2500  # points from which the low-rank method is tried first
INTERIOR_STEPS, LOW_RANK_STEPS = 12, 60  # typical numbers of steps of the two methods
MOST_POINTS = 5000  # from which the interior-point method takes too long
FEWEST_COLUMNS = 5  # that make the low-rank method worth trying
SPARSE = 10  # cost of an operation with a sparse matrix, relative to a dense one
USELESS = 1e-2  # violation from which the data are a better solution, in mean squared lengths


@dataclass(frozen=True)
class Unfolding:
    """Unfolded points with what certifies them.

    Attributes
    ----------
    Y : ndarray of shape (n_samples, n_axes)
        Coordinates with kernel matrix YYᵀ.
    multipliers : ndarray of shape (n_edges,)
        Multipliers of the edges.
    bound : float
        Upper bound on the trace that they prove.
    n_iter : int
        Number of iterations.
    dependencies : csc_array of shape (n_samples, n_dependencies), default=None
        Affine dependencies on which the bound rests, if any.
    representatives : ndarray of shape (n_samples,), default=None
        Rows that represent nearly equal rows in the bound; by default, each its own.
    """

    Y: NDArray
    multipliers: NDArray
    bound: float
    n_iter: int
    dependencies: csc_array | None = None
    representatives: NDArray | None = None


def solve_interior_point(
    X: NDArray,
    edges: NDArray,
    squared: NDArray,
    *,
    shrink: bool,
    tol: float,
    max_iter: int,
    progress: Progress | None = None,
    repeated: float = MERGED**2,
) -> Unfolding:
    """Return the solution of the interior-point method, after a facial reduction.

    The solution is the data themselves if rounding errors prevent any useful one. `squared` lengths
    have mean 1, and may become smaller with `shrink`; otherwise the ends of edges up to `repeated`
    are merged. `tol` is the duality gap to reach, relative to the trace, and `progress` is called
    with number, relative gap and violation of each iteration.

    Examples
    --------
    >>> X, edges = np.array([[0.0], [1.0], [2.0]]), np.array([[0, 1], [1, 2]])
    >>> options = {"shrink": False, "tol": 1e-6, "max_iter": 100}
    >>> round(solve_interior_point(X, edges, np.ones(2), **options).bound, 4)
    2.0
    """
    # All distances given: nothing to optimize, and equal multipliers prove it
    if 2 * len(edges) == len(X) * (len(X) - 1):
        Y = X - X.mean(axis=0)
        return Unfolding(Y, np.full(len(edges), 1 / len(X)), float(np.square(Y).sum()), 0)

    # Nearly repeated points count as one, unless edges may shrink
    merged = merge_points(edges, squared, len(X), 0.0 if shrink else repeated)
    points = X[merged.representative]

    # Facial reduction: rigid groups are the cliques
    rigid = [] if shrink else cliques(merged.edges, len(X))
    basis, chosen = complement_basis(len(X), list(dependencies(points, [*rigid, *merged.pairs])))

    # Constraints that remain: independent equations, or all inequalities
    kept = slice(None) if shrink else independent_edges(basis, merged.edges)
    lengths = squared_lengths(points, merged.edges[kept])
    problem = UnfoldingProblem(basis, merged.edges[kept], lengths, shrink=shrink)
    solution = unfold(problem, tol, max_iter, progress)

    w = np.zeros(len(edges))
    w[merged.origin[kept]] = solution.multipliers

    Y = solution.coordinates
    if violation(squared, edges, Y, shrink=shrink) > FEASIBLE / 2:
        Y = restore_lengths(Y, edges, squared, shrink=shrink)
    if not shrink and violation(squared, edges, Y) > USELESS:
        Y = X - X.mean(axis=0)
    return Unfolding(Y, w, solution.bound, solution.n_iter, chosen, merged.representative)


def solve_sdp(
    X: NDArray,
    edges: NDArray,
    squared: NDArray,
    *,
    shrink: bool,
    tol: float,
    max_iter: int,
    progress: Progress | None = None,
    repeated: float = MERGED**2,
) -> Unfolding:
    """Return the same from CVXPY without facial reduction; `tol` to `repeated` are not used."""
    try:
        import cvxpy
    except ModuleNotFoundError as error:
        raise ImportError(f"{error}: pip install 'nldr[exact]'") from error

    i, j = edges.T
    kernel = cvxpy.Variable((len(X), len(X)), PSD=True)
    diagonal = cvxpy.diag(kernel)
    lengths = diagonal[i] + diagonal[j] - 2 * kernel[i, j]
    fixed = lengths <= squared if shrink else lengths == squared
    sdp = cvxpy.Problem(cvxpy.Maximize(cvxpy.trace(kernel)), [fixed, cvxpy.sum(kernel) == 0])
    sdp.solve(solver="CLARABEL", max_iter=max_iter)

    values, vectors = eigh(kernel.value)
    Y = vectors * np.sqrt(np.maximum(values, 0.0))

    # Bound from the multipliers; the wrong sign gives an infinite bound
    w = np.array(fixed.dual_value)
    bound, opposite = (trace_bound(squared, edges, sign * w, len(X)) for sign in (1, -1))
    if opposite < bound:
        w, bound = -w, opposite
    return Unfolding(Y, w, bound, int(sdp.solver_stats.num_iters or 0))


def solve_low_rank(
    X: NDArray,
    edges: NDArray,
    squared: NDArray,
    *,
    shrink: bool,
    tol: float,
    max_iter: int,
    progress: Progress | None = None,
    repeated: float = MERGED**2,
) -> Unfolding:
    """Return the solution of the low-rank methods, as :func:`solve_interior_point` does."""
    if shrink:
        solution = unfold_low_rank(edges, squared, len(X), tol, max_iter, progress=progress)
        return Unfolding(solution.Y, solution.multipliers, solution.bound, solution.n_iter)

    # Nearly repeated points, and rigid groups, as for the interior-point method
    merged = merge_points(edges, squared, len(X), repeated)
    points = X[merged.representative]
    groups = [*cliques(merged.edges, len(X)), *merged.pairs]
    chosen = complement_basis(len(X), list(dependencies(points, groups)))[1]
    lengths = squared_lengths(points, merged.edges)

    # First coordinates from the representatives, which the edges join
    rows, place = np.unique(merged.representative, return_inverse=True)
    start = start_coordinates(np.searchsorted(rows, merged.edges), lengths, len(rows))[place]
    unfolded = unfold_equal(merged.edges, lengths, chosen, start, tol, max_iter)

    w = np.zeros(len(edges))
    w[merged.origin] = unfolded.multipliers
    Y = unfolded.Y
    if violation(squared, edges, Y) > FEASIBLE / 2:
        Y = restore_lengths(Y, edges, squared, shrink=False)
    return Unfolding(Y, w, unfolded.bound, unfolded.n_iter, chosen, merged.representative)


def solve_by_size(
    X: NDArray,
    edges: NDArray,
    squared: NDArray,
    *,
    shrink: bool,
    tol: float,
    max_iter: int,
    progress: Progress | None = None,
    repeated: float = MERGED**2,
) -> Unfolding:
    """Return the solution of the faster method: the low-rank one for many points.

    If edges may shrink, the low-rank method also solves smaller problems whose solution has few
    dimensions. The interior-point method solves all others, and those on which that method fails.
    """
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "progress": progress}
    options |= {"shrink": shrink, "repeated": repeated}
    if not shrink and len(X) >= TOO_MANY:
        low_rank = solve_low_rank(X, edges, squared, **options)
        if low_rank.bound <= (1 + tol) * np.square(low_rank.Y).sum() or len(X) >= MOST_POINTS:
            return low_rank

    # Edges that may shrink, unless the solution has too many dimensions
    columns = _affordable_columns(edges, len(X)) if shrink else 0
    if columns >= FEWEST_COLUMNS:
        solution = unfold_low_rank(edges, squared, len(X), tol, max_iter, columns, progress)
        converged = solution.bound <= (1 + tol) * np.square(solution.Y).sum()
        if converged or len(X) >= TOO_MANY:
            return Unfolding(solution.Y, solution.multipliers, solution.bound, solution.n_iter)
    return solve_interior_point(X, edges, squared, **options)


def _affordable_columns(edges: NDArray, n_samples: int) -> int:
    """Return the number of columns up to which the low-rank method is expected to be faster."""
    if 2 * len(edges) == n_samples * (n_samples - 1):  # nothing to optimize
        return 0
    if n_samples >= TOO_MANY:
        return MOST_COLUMNS
    # Both methods are dominated by factorizations, with c³ times more work for c columns
    interior = INTERIOR_STEPS * len(edges) ** 3 / 3
    low_rank = LOW_RANK_STEPS * SPARSE * EdgeSystem(edges, n_samples).work
    return min(int((interior / low_rank) ** (1 / 3)), MOST_COLUMNS)


SOLVERS = {
    "auto": solve_by_size,
    "interior_point": solve_interior_point,
    "low_rank": solve_low_rank,
    "sdp": solve_sdp,
}
