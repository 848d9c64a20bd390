"""Random samples of the points of large data, for metrics that compare each point with all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.metrics._sampled import SEED

MAX_EXACT = 20_000  # points that are all compared with all
_POINTS = 10_000  # points of larger data that are compared with all,
_PAIRS = 10**9  # or fewer, so that there are at most so many pairs,
_FEWEST = 1024  # but at least so many, so that no block has more rows than the buffers of a Space


def sample_first(*spaces: NDArray) -> tuple[tuple[NDArray, ...], int]:
    """Return the points in each space, and how many of the first ones to compare with all.

    Of at most `MAX_EXACT` points, these are all. Otherwise, the points are returned in a random
    order, the same for all embeddings, so that the first ones are a random sample.

    Examples
    --------
    >>> points = np.arange(3.0)[:, None]
    >>> spaces, n_rows = sample_first(points, -points)
    >>> spaces[0] is points, n_rows
    (True, 3)
    """
    n_samples = len(spaces[0])
    if n_samples <= MAX_EXACT:
        return spaces, n_samples
    order = np.random.default_rng(SEED).permutation(n_samples)
    return tuple(points[order] for points in spaces), min(
        _POINTS, max(_PAIRS // n_samples, _FEWEST)
    )
