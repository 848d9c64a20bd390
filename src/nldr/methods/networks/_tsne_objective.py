"""The objective of t-SNE on batches of rows: affinities of the data and losses of the embedding.

Equation numbers are those of Lai et al., "Parametric Dimension Reduction by Preserving Local
Structure", IEEE VIS 2022.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, triu

if TYPE_CHECKING:
    from jax import Array


def feasible_perplexity(X: NDArray, perplexity: float) -> float:
    """Return the perplexity, lowered to ``(n_samples - 1) / 3`` with a warning if it is larger.

    Raises
    ------
    ValueError
        If the perplexity is below 1 or all rows are equal.

    Examples
    --------
    >>> feasible_perplexity(np.arange(32.0).reshape(16, 2), 4)
    4.0
    """
    if perplexity < 1:
        raise ValueError(f"perplexity={perplexity:g} must be at least 1, one neighbor")
    if np.all(X[0] == X):
        raise ValueError(f"all {len(X)} rows of X are equal: there is nothing to embed")
    largest = (len(X) - 1) / 3
    if perplexity > largest:
        warnings.warn(
            f"perplexity={perplexity:g} is too high for {len(X)} samples, {largest:g} is used",
            UserWarning,
            stacklevel=6,  # the caller of fit, behind fit's own three levels and _fit_network
        )
    return min(float(perplexity), largest)


def affinities(X: NDArray, perplexity: float, n_jobs: int = 1) -> csr_matrix:
    """Return the upper triangle of t-SNE's symmetric affinities over exact nearest neighbors.

    They are p of Eq. 2, normalized so that all pairs of rows, both triangles counted, sum to 1. The
    search is for three times as many neighbors as the perplexity.
    """
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import Sklearn

    # Pass an index: given a name, openTSNE also imports approximate searches, most of a second
    neighbors = Sklearn(X, k=min(len(X) - 1, int(3 * perplexity)), n_jobs=n_jobs)
    P = PerplexityBasedNN(knn_index=neighbors, perplexity=perplexity, n_jobs=n_jobs).P
    return triu(P, 1).tocsr()


def sub_affinities(upper: csr_matrix, batches: NDArray) -> NDArray:
    """Return the affinities within each batch, of shape (n_batches, size, size).

    They are symmetric blocks of the matrix with the given upper triangle, not normalized.

    Examples
    --------
    >>> upper = csr_matrix([[0, 0.1, 0.4], [0, 0, 0], [0, 0, 0]])
    >>> sub_affinities(upper, np.array([[2, 0]])).round(6).tolist()
    [[[0.0, 0.4000000059604645], [0.4000000059604645, 0.0]]]
    """
    n_batches, size = batches.shape
    # Batch of each row, and its position there; -1 for rows that are in no batch
    batch_of = np.full(upper.shape[0], -1, np.int32)
    position_of = np.empty(upper.shape[0], np.int32)
    batch_of[batches] = np.arange(n_batches, dtype=np.int32)[:, np.newaxis]
    position_of[batches] = np.arange(size, dtype=np.int32)
    row_batch = np.repeat(batch_of, np.diff(upper.indptr))
    inside = np.flatnonzero((row_batch == batch_of[upper.indices]) & (row_batch >= 0))
    i = np.searchsorted(upper.indptr, inside, side="right") - 1
    j = upper.indices[inside]
    blocks = np.zeros((n_batches, size, size), np.float32)
    blocks[batch_of[i], position_of[i], position_of[j]] = upper.data[inside]
    blocks[batch_of[i], position_of[j], position_of[i]] = upper.data[inside]
    return blocks


def _log_kernel(Y: Array) -> Array:
    """Return log w of Eq. 3 for all pairs of rows, for Student's t in any dimension."""
    import jax.numpy as jnp

    dof = max(Y.shape[1] - 1, 1)
    squared = sum((y[:, None] - y[None, :]) ** 2 for y in Y.T)
    return -(dof + 1) / 2 * jnp.log1p(squared / dof)


def kl_loss(network: Any, X: Array, batch: tuple[Array, Array, Array]) -> Array:
    """Return the Kullback-Leibler divergence within a batch, Eq. 4, in nats.

    Its gradient with respect to the weights of the network is Eq. 8. A batch has row numbers
    (size,), their affinities (size, size), which are normalized to sum to 1, and the exaggeration:
    the factor on the affinities in the attractive term. The loss is 0 without neighbors in a batch.
    """
    import jax.numpy as jnp
    from jax.scipy.special import xlogy

    rows, p, exaggeration = batch
    log_w = _log_kernel(network(X[rows]))
    # Normalize the affinities within the batch
    p = p / jnp.maximum(jnp.sum(p), jnp.finfo(p.dtype).tiny)
    # Logarithm of the denominator of Eq. 3; each diagonal entry of w, to be left out, is 1
    normalizer = jnp.log(jnp.sum(jnp.exp(log_w)) - len(rows))
    # Eq. 4 with log q = log w - normalizer
    attraction = exaggeration * jnp.sum(p * log_w)
    return jnp.sum(xlogy(p, p)) - attraction + jnp.sum(p) * normalizer


def released_loss(network: Any, X: Array, batch: tuple[Array, Array, Array]) -> Array:
    """Return the loss of the authors' released code, a variant of Eq. 4.

    It differs from :func:`kl_loss` in three ways: affinities do not sum to 1 in the batch, the
    diagonal counts in the normalization of the similarities, and exaggeration multiplies the
    whole loss, which may be negative.
    """
    import jax.numpy as jnp
    from jax.scipy.special import xlogy

    rows, p, exaggeration = batch
    log_w = _log_kernel(network(X[rows]))
    p = exaggeration * p
    return jnp.sum(xlogy(p, p) - p * (log_w - jnp.log(jnp.sum(jnp.exp(log_w)))))
