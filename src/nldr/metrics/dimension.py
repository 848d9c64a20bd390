"""Intrinsic dimension of the data and of the embedding."""

from __future__ import annotations

from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices
from nldr.neighborhoods.dimension import intrinsic_dimension


def dimension(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by its intrinsic dimension compared with that of ``data.reference``.

    Strings and clumps, in which some methods arrange points, lower the dimension of an embedding
    below the number of its components.

    Returns
    -------
    dict of str to float
        ``dimension_data`` and ``dimension_map``, the estimates of
        :func:`nldr.neighborhoods.intrinsic_dimension` with 10 neighbors, and
        ``dimension_difference``, the absolute difference of the two.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.random.default_rng(0).uniform(size=(1000, 2))
    >>> scores = dimension(Dataset(X=np.hstack([Z, Z**2])), Z)
    >>> {name: round(score) for name, score in scores.items()}
    {'dimension_data': 2, 'dimension_map': 2, 'dimension_difference': 0}
    """
    dimensions = [
        intrinsic_dimension(points) for points in matching_matrices(data.reference, embedding)
    ]
    return {
        "dimension_data": dimensions[0],
        "dimension_map": dimensions[1],
        "dimension_difference": abs(dimensions[0] - dimensions[1]),
    }
