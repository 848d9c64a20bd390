"""Trustworthiness and continuity with respect to the observations, noise included."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics.ranks import trustworthiness_continuity


def observed_ranks(data: Dataset, embedding: NDArray, *, k: Sequence[int]) -> dict[str, float]:
    """Score an embedding by the neighborhoods of the points that it was made from.

    :func:`nldr.metrics.ranks.ranks` compares with the clean observations where they are known. The
    released runs of Costa, *Maximum Variance Unfolding on Disjoint Manifolds*, compare with the
    noisy ones, and with as many neighbors as the method had.

    Returns
    -------
    dict of str to float
        For each ``k``, ``observed_trustworthiness_k<k>`` and ``observed_continuity_k<k>``, see
        :func:`nldr.metrics.ranks.trustworthiness_continuity`. NaN if ``k`` is not less than half of
        the number of points.

    Examples
    --------
    >>> import numpy as np
    >>> line = np.arange(9.0)[:, None]
    >>> observed_ranks(Dataset(X=line, clean=line[::-1] ** 2), line, k=[2])
    {'observed_trustworthiness_k2': 1.0, 'observed_continuity_k2': 1.0}
    """
    trustworthiness, continuity = trustworthiness_continuity(data.X, embedding, k)
    columns = {
        "observed_trustworthiness": trustworthiness,
        "observed_continuity": continuity,
    }
    return {
        f"{name}_k{n}": float(value)
        for name, values in columns.items()
        for n, value in zip(k, values, strict=True)
    }
