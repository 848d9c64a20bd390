"""Preservation of the density of the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices
from nldr.metrics._distances import squared_distances
from nldr.metrics._large import MAX_EXACT
from nldr.metrics._sampled import chosen_points


def density(data: Dataset, embedding: NDArray, *, sigma: Sequence[float]) -> dict[str, float]:
    """Score an embedding by the divergence of its density from that of ``data.reference``.

    Parameters
    ----------
    sigma : sequence of float
        Bandwidths, in units of the squared largest distance.

    Returns
    -------
    dict of str to float
        ``kl_<sigma>`` for each ``sigma``, see :func:`kl_sigma`. NaN if all points of the data or of
        the embedding coincide.

    Examples
    --------
    >>> data = Dataset(X=np.random.default_rng(0).normal(size=(50, 3)))
    >>> density(data, data.X, sigma=[0.1, 1])
    {'kl_0.1': 0.0, 'kl_1': 0.0}
    """
    divergence = kl_sigma(data.reference, embedding, sigma)
    return {f"kl_{s}": float(d) for s, d in zip(sigma, divergence, strict=True)}


def kl_sigma(X: NDArray, embedding: NDArray, sigma: Sequence[float]) -> NDArray:
    r"""Return the Kullback-Leibler divergence between the densities of data and embedding.

    With :math:`D_{ij}` the Euclidean distance between two observations divided by the largest
    one, the density at a point is

    .. math:: p_i = \frac{\sum_j \exp(-D_{ij}^2 / \sigma)}{\sum_{lj} \exp(-D_{lj}^2 / \sigma)},

    where the sums include i = j; :math:`q_i` is the same in the embedding, and
    :math:`KL_\sigma = \sum_i p_i \ln(p_i / q_i)`. Takes O(n² (n_features + len(sigma))) time and
    O(n n_features) memory. More than 20 000 points are replaced by a random sample of that size,
    the same for all embeddings.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.
    sigma : sequence of float
        Bandwidths, in units of the squared largest distance.

    Returns
    -------
    ndarray of shape (len(sigma),)
        Divergences in nats, 0 is best. NaN if all observations or all embedded points coincide,
        where the density is undefined.

    References
    ----------
    M. Moor, M. Horn, B. Rieck & K. Borgwardt, *Topological Autoencoders*, ICML 2020.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(2000, 10))
    >>> kl_sigma(X, X[:, :2], [0.01, 0.1, 1.0]).round(8)
    array([0.16046695, 0.05040987, 0.00091278])
    """
    X, embedding = matching_matrices(X, embedding)
    widths = np.asarray(sigma, dtype=np.float64)
    if widths.ndim != 1 or widths.size == 0 or not (np.isfinite(widths) & (widths > 0)).all():
        raise ValueError(
            f"sigma must be a list of positive numbers such as [0.01, 0.1], got {sigma!r}"
        )
    if len(X) == 0:
        return np.full(len(widths), np.nan)
    rows = chosen_points(len(X), MAX_EXACT)
    p, q = _densities(X[rows], widths), _densities(embedding[rows], widths)
    # The divergence is nonnegative up to rounding
    return np.maximum((p * np.log(p / q)).sum(axis=1), 0.0)


def _densities(A: NDArray, widths: NDArray) -> NDArray:
    """Return the density at each point for each bandwidth, shape (len(widths), n_samples)."""
    density = np.zeros((len(widths), len(A)))
    largest = max(squared.max() for _, squared in squared_distances(A))
    if largest == 0:
        return np.full_like(density, np.nan)
    for start, squared in squared_distances(A):
        n_rows = len(squared)
        kernel = np.empty_like(squared)
        for total, width in zip(density, widths, strict=True):
            np.exp(np.multiply(squared, -1.0 / (largest * width), out=kernel), out=kernel)
            # Rows of the block, and the same pairs seen from the later points
            total[start : start + n_rows] += kernel.sum(axis=1)
            total[start + n_rows :] += kernel[:, n_rows:].sum(axis=0)
    return density / density.sum(axis=1, keepdims=True)
