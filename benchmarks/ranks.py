"""Trustworthiness and continuity: time and memory of our code and of scikit-learn's.

Each runs in a new process; memory is the growth of the peak of that process. Example::

    OMP_NUM_THREADS=1 python benchmarks/ranks.py --samples 10000 --k 3 5 7 12
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable

Sample = tuple[int, int, int]  # samples, features, components


def main() -> None:
    """Measure and print one line per implementation."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=10_000, help="points (10000)")
    parser.add_argument("--features", type=int, default=50, help="dimension of the data (50)")
    parser.add_argument("--components", type=int, default=2, help="dimension of the embedding (2)")
    parser.add_argument("--k", type=int, nargs="+", default=[12], help="neighbors (12)")
    parser.add_argument("--only", choices=CONTENDERS, help="run one implementation only")
    options = parser.parse_args()
    sample = (options.samples, options.features, options.components)
    context = multiprocessing.get_context("spawn")
    for name in [options.only] if options.only else CONTENDERS:
        with context.Pool(1) as pool:
            seconds, memory, scores = pool.apply(measure, (name, sample, options.k))
        text = " ".join(f"{score:.6f}" for score in scores)
        print(f"{name:<13}{seconds:8.2f} s {memory:8.0f} MB   {text}")


def measure(name: str, sample: Sample, k: list[int]) -> tuple[float, float, list[float]]:
    """Return seconds, growth of peak memory in MB, and the scores of both metrics for all k."""
    function = CONTENDERS[name]
    function(*points(4 * max(k), *sample[1:]), k)  # imports and first calls are not timed
    X, embedding = points(*sample)
    before = peak_mb()
    start = time.perf_counter()
    scores = function(X, embedding, k)
    return time.perf_counter() - start, peak_mb() - before, scores


def points(n_samples: int, n_features: int, n_components: int) -> tuple:
    """Return Gaussian data and a noisy projection of it."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    projection = X @ rng.normal(size=(n_features, n_components))
    return X, projection + rng.normal(size=projection.shape)


def peak_mb() -> float:
    """Return the peak memory of this process in MB."""
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def ours(X, embedding, k: list[int]) -> list[float]:
    """Compute both metrics for all k in one pass."""
    from nldr.metrics.ranks import trustworthiness_continuity

    both = trustworthiness_continuity(X, embedding, k)
    return [float(score) for scores in both for score in scores]


def scikit_learn(X, embedding, k: list[int]) -> list[float]:
    """Call scikit-learn once for each metric and k."""
    from sklearn.manifold import trustworthiness

    pairs = (X, embedding), (embedding, X)
    return [float(trustworthiness(*pair, n_neighbors=n)) for pair in pairs for n in k]


CONTENDERS: dict[str, Callable] = {"nldr": ours, "scikit-learn": scikit_learn}

if __name__ == "__main__":
    main()
