"""Time and memory of `nldr compare` and of `nldr.evaluate` on two cores.

The tables have a few groups with correlated columns and noise, so that no method has an easy time.
Memory is the peak of the largest process. Each job runs in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

# points, columns, limits of wall seconds and of gigabytes
TABLES = [(5_000, 50, 120.0, 4.0), (100_000, 50, 600.0, 4.0)]
# points, columns, limits of CPU seconds and of gigabytes
MAPS = [(10_000, 50, 40.0, 1.0)]
EVALUATE = """
import sys
import numpy as np
import nldr
X = np.load(sys.argv[1])
Z = np.linalg.svd(X - X.mean(0), full_matrices=False)[0][:, :2]
nldr.evaluate(X, Z)
"""


def table(n_samples: int, n_features: int, path: Path) -> None:
    """Write points of eight groups on curved sheets."""
    rng = np.random.default_rng(0)
    group = rng.integers(8, size=n_samples)
    Z = rng.standard_normal((n_samples, 4)) + 3 * rng.standard_normal((8, 4))[group]
    W = rng.standard_normal((4, n_features))
    X = np.tanh(Z @ W / 3) + 0.1 * rng.standard_normal((n_samples, n_features))
    np.save(path, X)


def measure(command: list[str]) -> tuple[float, float, float]:
    """Run a command and return its wall seconds, CPU seconds and peak of memory in gigabytes."""
    environment = os.environ | {"OMP_NUM_THREADS": "2"}
    start = time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - start
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20


def main() -> None:
    """Measure all jobs and print them beside their limits."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "points.npy"
        for n_samples, n_features, seconds, gigabytes in TABLES:
            table(n_samples, n_features, path)
            command = ["-m", "nldr", "compare", str(path), "--out", str(path.with_suffix(".html"))]
            wall, cpu, peak = measure([sys.executable, *command])
            print(
                f"compare {n_samples} x {n_features}: {wall:.0f} s (limit {seconds:.0f}), "
                f"{cpu:.0f} CPU s, {peak:.2f} GB (limit {gigabytes:.0f})"
            )
        for n_samples, n_features, seconds, gigabytes in MAPS:
            table(n_samples, n_features, path)
            wall, cpu, peak = measure([sys.executable, "-c", EVALUATE, str(path)])
            print(
                f"evaluate {n_samples} x {n_features}: {cpu:.0f} CPU s (limit {seconds:.0f}), "
                f"{wall:.0f} s, {peak:.2f} GB (limit {gigabytes:.0f})"
            )


if __name__ == "__main__":
    main()
