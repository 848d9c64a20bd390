"""Networks on a GPU against one CPU core: seconds of a fit, and how far the results are apart.

A fit of one epoch compiles the functions of the one that is timed, in a process for each pair.
The difference is the largest relative one of the mean losses of the first three epochs, in which
rounding errors begin to grow.

    python benchmarks/gpu.py > docs/found/gpu.csv
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

N_EPOCHS, FIRST = 20, 3
N_TRUSTED = 2000
SIZES = (5000, 20_000)
# The default of JAX rounds the factors of matrix products to 11 bits on recent GPUs.
ON_GPU = {"JAX_DEFAULT_MATMUL_PRECISION": "highest", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}

HEADER = (
    'GPU,method,rows,"seconds, one CPU core","seconds, GPU",difference of the losses,'
    '"trustworthiness, CPU","trustworthiness, GPU"'
)


def estimators():
    from nldr.methods import VAE, Autoencoder, ParametricTSNE, ParametricUMAP

    wide = {"hidden": (500, 500, 2000)}
    fixed = {"n_epochs": N_EPOCHS, "validation_fraction": 0.0, "random_state": 0}
    return {
        "autoencoder": Autoencoder(**fixed),
        "VAE": VAE(**fixed),
        "parametric t-SNE": ParametricTSNE(**fixed),
        "parametric t-SNE of 500-500-2000 units": ParametricTSNE(**fixed, **wide),
        "parametric UMAP": ParametricUMAP(**fixed),
    }


def clusters(n_samples):
    """Return rows of 784 features: ten clusters of ten coordinates through a random layer."""
    import numpy as np

    rng = np.random.default_rng(0)
    centers = 3 * rng.standard_normal((10, 10))
    latent = centers[rng.integers(10, size=n_samples)] + rng.standard_normal((n_samples, 10))
    return np.tanh(latent @ rng.standard_normal((10, 784)) / 5)


def measure(name, n_samples):
    """Print seconds, first losses and the trustworthiness of a fit on JAX's first platform."""
    import jax
    from sklearn.base import clone
    from sklearn.manifold import trustworthiness

    X = clusters(n_samples)
    estimator = estimators()[name]
    clone(estimator).set_params(n_epochs=1).fit(X)
    start = time.perf_counter()
    model = estimator.fit(X)
    seconds = time.perf_counter() - start
    rows = slice(N_TRUSTED)
    result = {
        "platform": jax.default_backend(),
        "device": jax.devices()[0].device_kind,
        "seconds": seconds,
        "losses": [float(x) for x in model.loss_[:FIRST]],
        "trust": trustworthiness(X[rows], model.embedding_[rows], n_neighbors=12),
    }
    print(json.dumps(result))


def run(name, n_samples, **environment):
    command = [sys.executable, "-W", "ignore", __file__, name, str(n_samples)]
    output = subprocess.run(
        command, env=os.environ | environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return json.loads(output.splitlines()[-1])


def main():
    pairs = [(name, n_samples) for n_samples in SIZES for name in estimators()]
    print(HEADER)
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 2)) as pool:
        one_core = {"JAX_PLATFORMS": "cpu", "NPROC": "1", "OMP_NUM_THREADS": "1"}
        on_cpu = [pool.submit(run, *pair, **one_core) for pair in pairs]
        for (name, n_samples), future in zip(pairs, on_cpu, strict=True):
            gpu = run(name, n_samples, **ON_GPU)
            if gpu["platform"] == "cpu":
                pool.shutdown(cancel_futures=True)
                raise SystemExit("JAX has no GPU here: install nldr[gpu] where there is one")
            cpu = future.result()
            losses = zip(cpu["losses"], gpu["losses"], strict=True)
            difference = max(abs(a - b) / abs(a) for a, b in losses)
            print(
                f"{gpu['device']},{name},{n_samples},{cpu['seconds']:.1f},{gpu['seconds']:.1f},"
                f"{difference:.0e},{cpu['trust']:.4f},{gpu['trust']:.4f}",
                flush=True,
            )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        measure(sys.argv[1], int(sys.argv[2]))
    else:
        main()
