"""Error of the observations that the neighbors in an embedding predict."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices, neighbor_counts


def reconstruction(data: Dataset, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding by how well neighbors predict the observations, leaving each point out.

    The decoder is the same for all methods, with or without their own.

    Returns
    -------
    dict of str to float
        ``reconstruction_error_k<k>`` for each ``k``: Σᵢ ‖xᵢ − x̂ᵢ‖² / Σᵢ ‖xᵢ − x̄‖², with the mean x̂ᵢ
        of the observations of the k nearest neighbors of i in the embedding; NaN if all
        observations are equal.

    Examples
    --------
    >>> line = np.arange(9.0)[:, None]
    >>> reconstruction(Dataset(X=line), line, k=[2])
    {'reconstruction_error_k2': 0.075}
    """
    X, embedding = matching_matrices(data.reference, embedding)
    counts = neighbor_counts(k).tolist()
    if max(counts) >= len(X):
        raise ValueError(f"k = {max(counts)} is too high for {len(X)} points")
    neighbors = NearestNeighbors(n_neighbors=max(counts)).fit(embedding).kneighbors()[1]
    total = np.square(X - X.mean(axis=0)).sum()
    # Sums over more and more neighbors
    predicted, errors = np.zeros_like(X), {}
    for number, nearest in enumerate(neighbors.T, start=1):
        predicted += X[nearest]
        errors[number] = np.square(X - predicted / number).sum() if number in counts else 0.0
    share = {n: float(errors[n] / total) if total else float("nan") for n in counts}
    return {f"reconstruction_error_k{n}": value for n, value in share.items()}
