"""Networks on one thread: time of an optimizer step, of a cold start, of a transform, and of fits.

All times are CPU seconds, which depend less on other jobs of the machine than wall time does.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

# XLA reads its number of threads when it is imported.
os.environ["NPROC"] = "1"
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits

from nldr.methods import DLMP, VAE, Autoencoder, ParametricTSNE, ParametricTSNERBM, ParametricUMAP

BATCH, N_BATCHES, RUNS = 256, 18, 3
START = """
from sklearn.datasets import load_digits
from nldr.methods import ParametricTSNE
ParametricTSNE(n_epochs=1).fit(load_digits().data[:1500])
"""
# Other networks, and how many times longer than parametric t-SNE their fit is claimed to take.
# Parametric UMAP has the settings of its authors' code.
RIVALS = {
    Autoencoder(random_state=0): 5,
    VAE(random_state=0): None,
    DLMP(random_state=0): None,
    ParametricUMAP(n_epochs=500, validation_fraction=0.0, random_state=0): 3,
    ParametricTSNERBM(random_state=0): 10,
}


def cpu_seconds(function, *arguments):
    start = time.process_time()
    function(*arguments)
    return time.process_time() - start


def fit_seconds(X, n_epochs):
    model = ParametricTSNE(n_epochs=n_epochs, validation_fraction=0, random_state=0)
    return cpu_seconds(model.fit, X)


def step():
    X = np.random.default_rng(0).standard_normal((BATCH * N_BATCHES, 64))
    fit_seconds(X, 1)  # triggers compilation
    for _ in range(RUNS):
        # The difference of two fits leaves out set-up.
        ms = 1e3 * (fit_seconds(X, 11) - fit_seconds(X, 1)) / (10 * N_BATCHES)
        print(f"one step at 64 features, batch {BATCH}: {ms:.1f} ms (at most 15)")


def start():
    wall = time.perf_counter()
    before = os.times()
    subprocess.run([sys.executable, "-W", "ignore", "-c", START], check=True)
    after = os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    print(
        f"a process that imports, compiles and trains one epoch: {cpu:.1f} CPU seconds, "
        f"{time.perf_counter() - wall:.1f} s (at most 6)"
    )


def transform():
    X = np.random.default_rng(0).uniform(0, 255, (60000, 784))
    model = ParametricTSNE(n_epochs=1, random_state=0).fit(X[:500])
    for _ in range(RUNS):
        seconds = cpu_seconds(model.transform, X)
        print(f"transform of 60 000 x 784: {seconds:.2f} CPU seconds (at most 3)")


def compiled_seconds(model, X):
    clone(model).set_params(n_epochs=1).fit(X)  # triggers imports and compilation
    return cpu_seconds(model.fit, X)


def rivals():
    X = load_digits().data[:1500]
    model = ParametricTSNE(random_state=0)
    base = compiled_seconds(model, X)
    print(f"ParametricTSNE on digits: {base:.1f} CPU seconds, {model.n_epochs_} epochs")
    for rival, limit in RIVALS.items():
        seconds = compiled_seconds(rival, X)
        text = (
            f"{seconds:.1f} CPU seconds, {rival.n_epochs_} epochs, {seconds / base:.1f} times ours"
        )
        bound = f" (at least {limit})" if limit else ""
        print(f"{type(rival).__name__}: {text}{bound}")


if __name__ == "__main__":
    step()
    start()
    transform()
    rivals()
