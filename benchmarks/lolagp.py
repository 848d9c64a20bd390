"""LolaGP and the Bayesian GPLVM: CPU seconds of one evaluation and of a fit, and peak memory.

Each size runs in a new process, on noisy smooth functions of a two-dimensional latent. One
evaluation computes the bound and its gradient. For comparison across machines, it is divided by the
time of one Cholesky factorization of order 1000 in the same process. Example::

    OMP_NUM_THREADS=1 python benchmarks/lolagp.py --samples 1000 2500 5000 10000 20000
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
import warnings
from collections.abc import Callable


def main() -> None:
    """Measure and print one line per number of points."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, nargs="+", default=[1000, 2500], help="points")
    parser.add_argument("--features", type=int, default=64, help="of the data (64)")
    parser.add_argument("--inducing", type=int, default=50, help="inducing points (50)")
    parser.add_argument("--fit", type=int, default=0, help="iterations of LolaGP's fit (none)")
    options = parser.parse_args()
    print("     n   LolaGP    ratio   Bayesian  ratio   Cholesky(1000)   graph s   fit s     MB")
    context = multiprocessing.get_context("spawn")
    for n_samples in options.samples:
        with context.Pool(1) as pool:
            job = (n_samples, options.features, options.inducing, options.fit)
            print(pool.apply(measure, job), flush=True)


def measure(n_samples: int, n_features: int, n_inducing: int, max_iter: int) -> str:
    """Return the line of the table for one number of points."""
    import numpy as np

    from nldr.methods import LolaGP
    from nldr.methods.gp.bayesian_gplvm import BayesianBound
    from nldr.methods.gp.inducing._bound import reduced_columns, standard_scores
    from nldr.methods.gp.inducing._kernel import KernelParams
    from nldr.methods.gp.lola._bound import Layout, LolaBound
    from nldr.methods.gp.lola._graph import averaging_matrix

    # Data: sine waves of a latent, mixed, with noise.
    rng = np.random.default_rng(0)
    latent = rng.normal(size=(n_samples, 2))
    waves = np.sin(latent @ rng.normal(size=(2, 100)) + rng.uniform(0, 6, 100))
    data = waves @ rng.normal(size=(100, n_features)) + rng.normal(size=(n_samples, n_features))
    columns, _ = reduced_columns(data)
    X = standard_scores(columns, 2)

    # Neighborhood graph.
    start = time.process_time()
    P = averaging_matrix(X, n_neighbors=5, decay=40.0, n_steps=16, n_edges=50)
    graph = time.process_time() - start

    # One evaluation of each bound, and the factorization as a reference.
    kernel = KernelParams(0.5, np.ones(2), np.full(2, 0.25), 1e-4).pack()
    layout = Layout(n_samples, n_inducing, 2)
    lola = LolaBound(columns, n_features, P, 1.0, layout)
    x = layout.join(X, X[:n_inducing], kernel, kernel, 2.0)
    bayesian = BayesianBound(columns, n_features, n_inducing, 2)
    y = bayesian.join(X, np.full_like(X, -2.3), X[:n_inducing], kernel, 2.0)
    square = rng.normal(size=(1000, 1000))
    square = square @ square.T + 1000 * np.eye(1000)
    calls = (lambda: lola(x), lambda: bayesian(y), lambda: np.linalg.cholesky(square))
    one, two, root = map(seconds, calls)

    # A fit with a fixed number of iterations; that it does not converge is intended.
    fit = 0.0
    if max_iter:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.process_time()
            LolaGP(n_inducing=n_inducing, max_iter=max_iter, random_state=0).fit(data)
            fit = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{n_samples:6d} {one:8.4f} {one / root:8.2f} {two:10.4f} {two / root:6.2f} {root:16.4f} "
        f"{graph:9.1f} {fit:7.1f} {memory:6.0f}"
    )


def seconds(run: Callable[[], object], repeats: int = 5) -> float:
    """Return the median CPU time of a call."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return sorted(times)[repeats // 2]


if __name__ == "__main__":
    main()
