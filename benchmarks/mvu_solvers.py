"""Maximum variance unfolding by our solvers and by general ones, on the same graphs.

Besides the solvers of :class:`nldr.methods.MVU`, these solve the problem as it stands:

- ``clarabel`` and ``scs``: interior-point and splitting methods, through CVXPY.
- ``sdpa``: a primal-dual interior-point method, through CVXPY (``pip install sdpa-python``).
- ``pymanopt``: augmented Lagrangian of coordinates in a few dimensions, the method of SDPLR, with
  the trust-region method of Pymanopt (``pip install pymanopt``); only if edges may shrink.

SDPLR, LoRADS and ManiSDP themselves are not on PyPI, nor in Debian. A line shows the trace relative
to the least bound of all solvers, the largest violation of a squared length in mean squared
lengths, CPU seconds and memory. A solver that takes longer than the limit is not run on larger
graphs. Example::

    OMP_NUM_THREADS=1 python benchmarks/mvu_solvers.py --samples 50 100 200
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

PENALTY, GROWTH, ROUNDS = 10.0, 1.5, 40  # of the augmented Lagrangian
COLUMNS = 5  # of its coordinates


def main() -> None:
    """Measure and print one line per number of points and solver."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, nargs="+", default=[50, 100], help="points")
    parser.add_argument("--neighbors", type=int, default=5, help="neighbors per point (5)")
    parser.add_argument("--height", type=float, default=15.0, help="height of the roll (15)")
    parser.add_argument("--constraint", default="shrink", help="or equal (shrink)")
    parser.add_argument("--solvers", nargs="+", default=list(SOLVERS), help="which (all)")
    parser.add_argument("--tol", type=float, default=1e-3, help="gap to reach (0.001)")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds per solver (300)")
    options = parser.parse_args()
    print("     n  edges  solver             trace / bound - 1  violation    CPU s     MB")
    context = multiprocessing.get_context("spawn")
    solvers = list(options.solvers)
    for n_samples in options.samples:
        results = {}
        for solver in list(solvers):
            problem = (n_samples, options.neighbors, options.height)
            job = (solver, *problem, options.constraint == "shrink", options.tol)
            with context.Pool(1) as pool:
                try:
                    results[solver] = pool.apply_async(measure, job).get(options.limit)
                except multiprocessing.TimeoutError:
                    print(f"{n_samples:6d}         {solver}: more than {options.limit:g} seconds")
                    solvers.remove(solver)
                except Exception as error:  # a solver that fails does not end the others
                    print(f"{n_samples:6d}         {solver}: {type(error).__name__}: {error}")
                    solvers.remove(solver)
        bound = min((result[2] for result in results.values()), default=np.inf)
        for solver, (n_edges, trace, _, worst, seconds, memory) in results.items():
            print(
                f"{n_samples:6d} {n_edges:6d}  {solver:15s} {trace / bound - 1:20.2e} "
                f"{worst:10.1e} {seconds:8.2f} {memory:6.0f}",
                flush=True,
            )


def measure(
    solver: str, n_samples: int, n_neighbors: int, height: float, shrink: bool, tol: float
) -> tuple[int, float, float, float, float, float]:
    """Return edges, trace, proven bound, violation, CPU seconds and megabytes."""
    from nldr.methods.mvu._bound import trace_bound
    from nldr.methods.mvu._edges import edges_and_squared_lengths
    from nldr.methods.mvu.certificate import violation
    from nldr.neighborhoods.graphs import knn_graph

    X = roll(n_samples, height)
    edges, squared = edges_and_squared_lengths(knn_graph(X, n_neighbors), X)
    scale = squared.mean()
    X, squared = X / np.sqrt(scale), squared / scale
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the line shows the gap
        Y, w, bound = SOLVERS[solver](X, edges, squared, shrink, tol)
    seconds = time.process_time() - start
    if bound is None:  # multipliers of either sign
        bound = min(trace_bound(squared, edges, sign * w, n_samples) for sign in (1, -1))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    worst = violation(squared, edges, Y, shrink=shrink)
    return len(edges), float(np.square(Y).sum()), bound, worst, seconds, memory


def roll(n_samples: int, height: float) -> NDArray:
    """Return a Swiss roll."""
    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n_samples))
    return np.column_stack([t * np.cos(t), height * rng.random(n_samples), t * np.sin(t)])


def ours(name: str) -> Callable:
    """Return one of our solvers."""

    def solve(X: NDArray, edges: NDArray, squared: NDArray, shrink: bool, tol: float) -> tuple:
        from nldr.methods.mvu._solvers import SOLVERS as OURS

        solution = OURS[name](X, edges, squared, shrink=shrink, tol=tol, max_iter=100)
        return solution.Y, solution.multipliers, solution.bound

    return solve


def with_cvxpy(name: str) -> Callable:
    """Return a solver of the semidefinite program as it stands."""

    def solve(X: NDArray, edges: NDArray, squared: NDArray, shrink: bool, tol: float) -> tuple:
        import cvxpy

        i, j = edges.T
        kernel = cvxpy.Variable((len(X), len(X)), PSD=True)
        diagonal = cvxpy.diag(kernel)
        lengths = diagonal[i] + diagonal[j] - 2 * kernel[i, j]
        fixed = lengths <= squared if shrink else lengths == squared
        sdp = cvxpy.Problem(cvxpy.Maximize(cvxpy.trace(kernel)), [fixed, cvxpy.sum(kernel) == 0])
        options = {"eps_rel": tol / 10, "eps_abs": tol / 10} if name == "SCS" else {}
        sdp.solve(solver=name, **options)
        if kernel.value is None:
            raise RuntimeError(sdp.status)
        values, vectors = np.linalg.eigh(kernel.value)
        Y = vectors * np.sqrt(np.maximum(values, 0.0))
        return Y - Y.mean(axis=0), np.array(fixed.dual_value), None

    return solve


def with_pymanopt(X: NDArray, edges: NDArray, squared: NDArray, shrink: bool, tol: float) -> tuple:
    """Return the solution of the augmented Lagrangian method of Burer and Monteiro."""
    import pymanopt
    from pymanopt.manifolds import Euclidean
    from pymanopt.optimizers import TrustRegions

    from nldr.methods.mvu._bound import trace_bound
    from nldr.methods.mvu._polish import incidence
    from nldr.methods.mvu.shrink._lowrank import geodesic_start

    if not shrink:
        raise ValueError("only if edges may shrink")
    B = incidence(edges, len(X)).tocsr()
    Y = np.zeros((len(X), COLUMNS))
    start = geodesic_start(edges, np.maximum(squared, 1e-10), len(X))
    Y[:, : start.shape[1]] = start
    Y += 0.01 * np.random.default_rng(0).standard_normal(Y.shape)
    w = np.full(len(edges), np.square(Y).sum() / len(edges))
    rho, bound = PENALTY * w[0], np.inf
    manifold = Euclidean(*Y.shape)
    for _ in range(ROUNDS):

        @pymanopt.function.numpy(manifold)
        def cost(Y: NDArray, w: NDArray = w, rho: float = rho) -> float:
            u = np.maximum(w + rho * (np.square(B @ Y).sum(axis=1) - squared), 0.0)
            return float((u @ u - w @ w) / (2 * rho) - np.square(Y).sum())

        @pymanopt.function.numpy(manifold)
        def gradient(Y: NDArray, w: NDArray = w, rho: float = rho) -> NDArray:
            D = B @ Y
            u = np.maximum(w + rho * (np.square(D).sum(axis=1) - squared), 0.0)
            return 2 * (B.T @ (u[:, np.newaxis] * D)) - 2 * Y

        @pymanopt.function.numpy(manifold)
        def hessian(Y: NDArray, V: NDArray, w: NDArray = w, rho: float = rho) -> NDArray:
            D, along = B @ Y, B @ V
            u = np.maximum(w + rho * (np.square(D).sum(axis=1) - squared), 0.0)
            stretch = 4 * rho * (u > 0) * np.einsum("ea,ea->e", D, along)
            return B.T @ (2 * u[:, np.newaxis] * along + stretch[:, np.newaxis] * D) - 2 * V

        problem = pymanopt.Problem(
            manifold, cost, euclidean_gradient=gradient, euclidean_hessian=hessian
        )
        accuracy = 10 * tol * float(np.linalg.norm(Y))
        optimizer = TrustRegions(verbosity=0, min_gradient_norm=accuracy, max_iterations=100)
        Y = optimizer.run(problem, initial_point=Y).point
        Y = Y - Y.mean(axis=0)
        excess = np.square(B @ Y).sum(axis=1) - squared
        w = np.maximum(w + rho * excess, 0.0)
        bound = min(bound, trace_bound(squared, edges, w + 1e-6 * w.mean(), len(X)))
        if bound <= (1 + tol) * np.square(Y).sum() and excess.max() <= tol:
            break
        rho *= GROWTH
    return Y, w, bound


SOLVERS = {
    "low_rank": ours("low_rank"),
    "interior_point": ours("interior_point"),
    "clarabel": with_cvxpy("CLARABEL"),
    "scs": with_cvxpy("SCS"),
    "sdpa": with_cvxpy("SDPA"),
    "pymanopt": with_pymanopt,
}


if __name__ == "__main__":
    main()
