"""Maximum variance unfolding on a Swiss roll: CPU seconds, memory and certified duality gap.

Each size runs in a new process. R² is that of a linear regression of the true coordinates (arc
length and height) on the embedding. Example::

    OMP_NUM_THREADS=1 python benchmarks/mvu.py --samples 100 200 800
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
import warnings


def main() -> None:
    """Measure and print one line per number of points."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, nargs="+", default=[100, 200, 400], help="points")
    parser.add_argument("--neighbors", type=int, default=5, help="neighbors per point (5)")
    parser.add_argument("--solver", default="auto", help="or low_rank, interior_point, sdp (auto)")
    parser.add_argument("--constraint", default="equal", help="or shrink (equal)")
    parser.add_argument("--height", type=float, default=30.0, help="height of the roll (30)")
    parser.add_argument("--tol", type=float, default=5e-3, help="duality gap to reach (0.005)")
    options = parser.parse_args()
    titles = (
        "     n  edges        trace        bound      gap  violation  steps   CPU s     MB     R²"
    )
    print(titles)
    context = multiprocessing.get_context("spawn")
    roll_of = (options.neighbors, options.height)
    for n_samples in options.samples:
        with context.Pool(1) as pool:
            job = (n_samples, *roll_of, options.constraint, options.solver, options.tol)
            print(pool.apply(measure, job), flush=True)


def measure(
    n_samples: int, n_neighbors: int, height: float, constraint: str, solver: str, tol: float
) -> str:
    """Fit a roll and return its line of the table."""
    from sklearn.linear_model import LinearRegression

    from nldr.methods import MVU

    X, truth = roll(n_samples, height)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the line shows the gap that was reached
        mvu = MVU(n_neighbors=n_neighbors, constraint=constraint, solver=solver, tol=tol).fit(X)
    seconds = time.process_time() - start
    score = LinearRegression().fit(mvu.embedding_, truth).score(mvu.embedding_, truth)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{n_samples:6d} {len(mvu.edges_):6d} {mvu.trace_:12.2f} {mvu.dual_bound_:12.2f} "
        f"{mvu.duality_gap_:8.1e}   {mvu.max_violation_:8.1e} {mvu.n_iter_:6d} {seconds:7.2f} "
        f"{memory:6.0f} {score:6.4f}"
    )


def roll(n_samples: int, height: float) -> tuple:
    """Return a Swiss roll, and the arc length and height of its points."""
    import numpy as np

    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n_samples))
    heights = height * rng.random(n_samples)
    arc = (t * np.sqrt(1 + t**2) + np.arcsinh(t)) / 2
    return np.column_stack([t * np.cos(t), heights, t * np.sin(t)]), np.column_stack([arc, heights])


if __name__ == "__main__":
    main()
