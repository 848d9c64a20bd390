"""Running time of IKD's fit on one thread.

The full variant is compared with the linear algebra that it cannot avoid: the product X Xᵀ, the
inverse kernel of every entry (not counted for the first size) and the three leading eigenpairs by
SciPy. The blockwise variant is timed in seconds, as in the paper's Fig. 1. All times are medians of
alternating runs.
"""

from __future__ import annotations

import time
from statistics import median

import numpy as np
from scipy.sparse.linalg import eigsh
from threadpoolctl import threadpool_limits

from nldr.datasets.latent import gp
from nldr.kernels import SquaredExponential
from nldr.methods.ikd.ikd import IKD

N_COMPONENTS = 3
RUNS = 9
# samples, features, whether the inverse kernel counts, limit for the ratio
SIZES = [(1000, 1000, False, 2.0), (3000, 784, True, 1.5)]
# samples, features, limit for the seconds of the blockwise variant
BLOCKWISE_SIZES = [(1000, 1000, 0.4), (3000, 1000, 3.0)]


def seconds(function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, result


def inner_products(rows):
    return rows @ rows.T


def inverse_kernel(similarity):
    return SquaredExponential().inverse(np.clip(similarity, 1e-3, 1))


def leading(matrix):
    return eigsh(matrix, N_COMPONENTS, which="LA")


def observations(n_samples, n_features):
    return gp(
        n_samples=n_samples,
        n_features=n_features,
        n_latent=N_COMPONENTS,
        length_scale=3.0,
        noise=0.05,
        rng=np.random.default_rng(0),
    ).X


def full():
    for n_samples, n_features, with_kernel, limit in SIZES:
        X = observations(n_samples, n_features)
        # The unavoidable part starts from rows of mean 0 and length 1.
        centered = X - X.mean(axis=1, keepdims=True)
        centered /= np.linalg.norm(centered, axis=1, keepdims=True)
        fits, references = [], []
        for _ in range(RUNS):
            fits.append(seconds(IKD(N_COMPONENTS, variant="full").fit, X)[0])
            # X Xᵀ, inverse kernel, leading eigenpairs of the Gram matrix.
            product, similarity = seconds(inner_products, centered)
            inversion, distances = seconds(inverse_kernel, similarity)
            nearest = distances.max(axis=1).argmin()
            gram = (distances[nearest] + distances[nearest][:, np.newaxis] - distances) / 2
            eigen = seconds(leading, gram)[0]
            references.append(product + eigen + with_kernel * inversion)
        parts = "X Xᵀ + inverse kernel + eigsh" if with_kernel else "X Xᵀ + eigsh"
        print(
            f"IKD, {n_samples} x {n_features}: fit {1e3 * median(fits):.1f} ms, {parts} "
            f"{1e3 * median(references):.1f} ms, ratio {median(fits) / median(references):.2f} "
            f"(at most {limit})"
        )


def blockwise():
    for n_samples, n_features, limit in BLOCKWISE_SIZES:
        X = observations(n_samples, n_features)
        ikd = IKD(N_COMPONENTS, variant="blockwise", threshold=0.6, max_cliques=0)
        fits = [seconds(ikd.fit, X)[0] for _ in range(RUNS)]
        print(
            f"IKD, blockwise, {n_samples} x {n_features}: fit {median(fits):.2f} s, "
            f"{len(ikd.cliques_)} blocks (at most {limit} s)"
        )


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        full()
        blockwise()
