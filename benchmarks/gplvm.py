"""GPLVM on one thread: an evaluation against one Cholesky factorization, and whole fits.

An evaluation is the log likelihood with its gradient; the factorization is that of the same
covariance matrix. Medians of alternated runs, in CPU time. Fits are of the data of IKD's Fig. 1,
from IKD until the gains are small and, for comparison, 1000 steps from the principal components.
"""

from __future__ import annotations

import time
from statistics import median

import numpy as np
from scipy.linalg.lapack import dpotrf
from threadpoolctl import threadpool_limits

from nldr.datasets.latent import gp
from nldr.methods.gp._kernels import NAMED, White
from nldr.methods.gp.gplvm import GPLVM, log_likelihood
from nldr.metrics.alignment import r2_affine

N_SAMPLES, N_FEATURES, N_COMPONENTS = 1000, 100, 3
RUNS = 15
AT_MOST = 5.0  # factorizations an evaluation, and
SECONDS = 15.0  # CPU seconds a fit from IKD should not exceed


def seconds(function, *arguments, **keywords):
    start = time.process_time()
    result = function(*arguments, **keywords)
    return time.process_time() - start, result


def evaluations(data):
    Y = data.X - data.X.mean(axis=0)
    for name in [name for name in NAMED if name != "white"]:
        kernel = NAMED[name]() + White(0.1)
        K = np.asfortranarray(kernel(data.Z))
        ours, reference = [], []
        for _ in range(RUNS):
            ours.append(seconds(log_likelihood, kernel, data.Z, Y, N_FEATURES)[0])
            reference.append(seconds(dpotrf, K, lower=True)[0])
        print(
            f"{name:>20}: evaluation {1e3 * median(ours):.1f} ms, factorization "
            f"{1e3 * median(reference):.1f} ms, ratio {median(ours) / median(reference):.2f} "
            f"(at most {AT_MOST})"
        )


def fits(data):
    fast, ikd = seconds(GPLVM(N_COMPONENTS).fit, data.X)
    slow, pca = seconds(GPLVM(N_COMPONENTS, init="pca", tol=None).fit, data.X)
    for start, cpu, gplvm in (("IKD", fast, ikd), ("PCA", slow, pca)):
        score = r2_affine(data.Z, gplvm.embedding_)
        print(
            f"from {start}: {cpu:.1f} s, {gplvm.n_iter_} steps, log likelihood "
            f"{gplvm.log_likelihood_:.0f}, R² {score:.4f}"
        )
    print(f"from IKD at most {SECONDS} s, to a log likelihood no lower than that from PCA")


if __name__ == "__main__":
    sample = gp(
        n_samples=N_SAMPLES,
        n_features=N_FEATURES,
        n_latent=N_COMPONENTS,
        length_scale=3.0,
        noise=0.05,
        rng=np.random.default_rng(0),
    )
    with threadpool_limits(limits=1):
        evaluations(sample)
        fits(sample)
