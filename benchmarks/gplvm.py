"""GPLVM on one thread: CPU seconds of one evaluation of the likelihood, and of whole fits.

One evaluation computes the log likelihood and its gradient. It is compared with one Cholesky
factorization of the same covariance matrix; both are medians of alternating runs. The fits use the
data of IKD's Fig. 1: one starts at IKD's embedding and stops when the likelihood no longer
increases, the other makes 1000 iterations from the principal components.
"""

from __future__ import annotations

import time
from statistics import median

import numpy as np
from scipy.linalg.lapack import dpotrf
from threadpoolctl import threadpool_limits

from nldr.datasets.latent import gp
from nldr.methods.gp.exact._likelihood import log_likelihood
from nldr.methods.gp.gplvm import GPLVM
from nldr.methods.gp.kernels import NAMED, White
from nldr.metrics.alignment import r2_affine

N_SAMPLES, N_FEATURES, N_COMPONENTS = 1000, 100, 3
RUNS = 15
MAX_RATIO = 5.0  # limit for the time of an evaluation, in factorizations
MAX_SECONDS = 15.0  # limit for the CPU seconds of a fit from IKD


def seconds(function, *arguments, **keywords):
    start = time.process_time()
    result = function(*arguments, **keywords)
    return time.process_time() - start, result


def evaluations(data):
    Y = data.X - data.X.mean(axis=0)
    # White noise alone has no covariance to factorize.
    for name in [name for name in NAMED if name != "white"]:
        kernel = NAMED[name]() + White(0.1)
        K = np.asfortranarray(kernel(data.Z))
        # Alternate the two, so that a busy machine slows both.
        times, references = [], []
        for _ in range(RUNS):
            times.append(seconds(log_likelihood, kernel, data.Z, Y, N_FEATURES)[0])
            references.append(seconds(dpotrf, K, lower=True)[0])
        time_, reference = median(times), median(references)
        print(
            f"{name:>20}: evaluation {1e3 * time_:.1f} ms, factorization {1e3 * reference:.1f} ms, "
            f"ratio {time_ / reference:.2f} (at most {MAX_RATIO})"
        )


def fits(data):
    fast, ikd = seconds(GPLVM(N_COMPONENTS).fit, data.X)
    slow, pca = seconds(GPLVM(N_COMPONENTS, init="pca", tol=None).fit, data.X)
    for start, cpu, gplvm in (("IKD", fast, ikd), ("PCA", slow, pca)):
        score = r2_affine(data.Z, gplvm.embedding_)
        print(
            f"from {start}: {cpu:.1f} s, {gplvm.n_iter_} iterations, log likelihood "
            f"{gplvm.log_likelihood_:.0f}, R² {score:.4f}"
        )
    print(f"goal: from IKD at most {MAX_SECONDS} s, and a log likelihood at least that from PCA")


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
