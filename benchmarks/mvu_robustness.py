"""Maximum variance unfolding on graphs that are hard for it: closed coils and near-duplicates.

Coils have 4 to 8 neighbors per point and ten seeds; of the other rolls, 40 of 200 points are
repeated with a jitter from 1e-2 to 1e-12. One line per group of fits: how many converged, how many
said that they did not, and the worst gap and violation. A fit whose variance is below that of the
data without a warning counts as useless. Example::

    OMP_NUM_THREADS=1 python benchmarks/mvu_robustness.py --constraints shrink --samples 200 400
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def main() -> None:
    """Fit all problems and print one line per group."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, nargs="+", default=[200], help="points of a coil")
    parser.add_argument("--constraints", nargs="+", default=["equal", "shrink"], help="which")
    parser.add_argument("--seeds", type=int, default=10, help="coils per size (10)")
    options = parser.parse_args()
    print(
        "constraint problem             fits  converged  warned  useless"
        "       gap  violation   CPU s"
    )
    for constraint in options.constraints:
        for n_samples in options.samples:
            for k in range(4, 9):
                coils = [coil(n_samples, seed) for seed in range(options.seeds)]
                report(constraint, f"coil n={n_samples} k={k}", coils, k)
        rolls = [jittered_roll(10.0**-power) for power in range(2, 13)]
        report(constraint, "near-duplicates", rolls, 5)


def report(constraint: str, name: str, problems: Iterable[NDArray], n_neighbors: int) -> None:
    """Fit some problems and print their line."""
    from sklearn.exceptions import ConvergenceWarning

    from nldr.methods import MVU

    warned, useless, gaps, violations = [], 0, [], []
    start = time.process_time()
    for X in problems:
        mvu = MVU(n_neighbors=n_neighbors, constraint=constraint, disconnected="bridges")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            mvu.fit(X)
        warned.append(any(issubclass(w.category, ConvergenceWarning) for w in caught))
        gaps.append(mvu.duality_gap_)
        violations.append(mvu.max_violation_)
        variance = np.square(X - X.mean(axis=0)).sum()
        useless += not warned[-1] and mvu.trace_ < variance * (1 - mvu.tol)
    worst = gaps[int(np.argmax(np.abs(gaps)))]
    print(
        f"{constraint:10s} {name:18s} {len(warned):5d} {len(warned) - sum(warned):10d} "
        f"{sum(warned):7d} {useless:8d} {worst:9.1e} {max(violations):10.1e} "
        f"{time.process_time() - start:7.1f}",
        flush=True,
    )


def coil(n_samples: int, seed: int) -> NDArray:
    """Return the closed coil of the catalog."""
    from nldr.datasets.shapes import helix

    return helix(n_samples=n_samples, noise=0.0, rng=np.random.default_rng(seed)).X


def jittered_roll(jitter: float) -> NDArray:
    """Return a Swiss roll of 160 points, 40 of them repeated with noise."""
    from nldr.datasets.manifolds import swiss_roll

    rng = np.random.default_rng(0)
    X = swiss_roll(n_samples=160, height=30.0, noise=0.0, rng=rng).X
    return np.concatenate([X, X[:40] + jitter * rng.standard_normal((40, 3))])


if __name__ == "__main__":
    main()
