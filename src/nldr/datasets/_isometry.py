"""Random isometric maps into spaces of more dimensions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def into_features(points: NDArray, n_features: int, rng: np.random.Generator) -> NDArray:
    """Return points in a random subspace of a space with more features, with the same distances.

    Raises
    ------
    ValueError
        If there are too few features.

    Examples
    --------
    >>> X = into_features(np.array([[0.0, 0.0], [3.0, 4.0]]), 7, np.random.default_rng(0))
    >>> round(np.linalg.norm(X[1] - X[0]), 12)
    np.float64(5.0)
    """
    n_dimensions = points.shape[1]
    if n_features < n_dimensions:
        raise ValueError(f"n_features must be at least {n_dimensions}, got {n_features}")
    # Orthonormal basis of a random subspace
    basis = np.linalg.qr(rng.standard_normal((n_features, n_dimensions)))[0]
    return points @ basis.T
