"""Agreement of the nearest neighbors in data and embedding."""  # CHANGE: name the quality

# Copy this file to src/nldr/metrics/mine.py. CHANGE marks each line that your metric replaces.

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset


def mine(  # CHANGE: the scorer, named in workflow/catalog/metrics.yaml
    data: Dataset,
    embedding: NDArray,
    *,
    k: Sequence[int],  # CHANGE: your parameters, or none; their values are in the catalog
) -> dict[str, float]:
    """Score an embedding by the share of nearest neighbors that it keeps.

    CHANGE: say what is measured, and cite the source with the equation. A scorer returns several
    metrics at once where they share work.

    Parameters
    ----------
    data : Dataset
        The data: ``data.reference`` (clean observations, else ``X``), ``data.Z``, ``data.y``.
    embedding : ndarray of shape (n_samples, n_components)
        The embedding, with the rows of ``data``.
    k : sequence of int
        Numbers of neighbors.

    Returns
    -------
    dict of str to float
        For each ``k``, ``mine_k<k>`` in [0, 1], 1 is best. NaN where it is not defined.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> mine(Dataset(X=X), 3 * X, k=[5])  # CHANGE: an example whose result is known
    {'mine_k5': 1.0}
    """
    # CHANGE: from here on, your metric. Heavy packages are imported where they are used.
    from sklearn.neighbors import NearestNeighbors

    # Neighbors of each point, itself excluded, nearest first.
    near_data, near_embedding = (
        NearestNeighbors(n_neighbors=max(k)).fit(points).kneighbors(return_distance=False)
        for points in (data.reference, embedding)
    )

    # Share of the first k of one list that are among the first k of the other.
    scores = {}
    for n in k:
        pairs = zip(near_data[:, :n], near_embedding[:, :n], strict=True)
        n_shared = [len(np.intersect1d(*pair)) for pair in pairs]
        scores[f"mine_k{n}"] = float(np.mean(n_shared) / n)  # CHANGE: the name in the catalog
    return scores
