"""Count how often a latent column that the data do not need keeps a spread.

    python benchmarks/ard.py --draws 50

Noisy lines in 20 dimensions are embedded in three components by the Bayesian GPLVM, with and
without the collapse of columns, and by LolaGP with it. Takes about two CPU minutes for 50 draws.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from nldr.methods.gp import bayesian_gplvm
from nldr.methods.gp.bayesian_gplvm import BayesianGPLVM
from nldr.methods.gp.lolagp import LolaGP

SPREAD = 0.05  # smallest standard deviation of a column that keeps a spread


def noisy_line(draw: int, n_samples: int = 80) -> np.ndarray:
    """Return a line in 20 dimensions with noise."""
    rng = np.random.default_rng(100 + draw)
    line = np.linspace(-2, 2, n_samples)
    return np.outer(line, rng.standard_normal(20)) + 0.1 * rng.standard_normal((n_samples, 20))


def main() -> None:
    """Print the number of draws with a useless column, and the CPU seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=50)
    draws = parser.parse_args().draws
    collapse = bayesian_gplvm.collapse
    models = {
        f"Bayesian GPLVM, {kernel}": BayesianGPLVM(3, n_inducing=15, kernel=kernel, random_state=0)
        for kernel in ("se", "se+linear+white")
    }
    models["LolaGP"] = LolaGP(3, n_inducing=15, collapse=True, random_state=0)
    for name, model in models.items():
        for collapses in (True,) if name == "LolaGP" else (False, True):
            # Without the collapse, the search is returned as it is
            bayesian_gplvm.collapse = collapse if collapses else lambda _, ascent, *a, **k: ascent
            begin = time.process_time()
            embeddings = [model.fit(noisy_line(draw)).embedding_ for draw in range(draws)]
            n_kept = sum(np.sort(Z.std(axis=0))[1] > SPREAD for Z in embeddings)
            seconds = time.process_time() - begin
            how = "with" if collapses else "without"
            print(f"{name}, {how} collapse: {n_kept} of {draws} draws, {seconds:.0f} s")


if __name__ == "__main__":
    main()
