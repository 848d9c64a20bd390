"""Variants of IKD by name: their defaults, checks of parameters, and warnings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from nldr.methods.ikd._blocks import released_threshold
from nldr.methods.ikd._refined import RefinedVariant
from nldr.methods.ikd._variants import (
    BlockwiseVariant,
    FullVariant,
    GeodesicVariant,
    MetricGeodesicVariant,
    NeighborGeodesicVariant,
)
from nldr.neighborhoods.graphs import DisconnectedGraphWarning

# Variant → the default of `similarity` and of `reference`
DEFAULTS = {
    "refined": ("correlation", "center"),
    "full": ("covariance", "min_max"),
    "blockwise": ("correlation", "min_max"),
    "geodesic": ("correlation", "center"),
    "knn_geodesic": ("correlation", "center"),
    "metric_geodesic": ("correlation", "center"),
}
# Of the variants whose edges all exceed it, see the option `threshold`
THRESHOLDS = {"blockwise": 0.45, "geodesic": 0.6}
# Rows that refined fits without `landmarks`: at least so many entries, within limits
MIN_ENTRIES, MIN_FITTED, MAX_FITTED = 10_000, 500, 1000
# From so many rows on, refined fits as many sets of at most MAX_FITTED landmarks, and compares them
# by the likelihood of so many rows
MANY_ROWS, N_SETS, N_JUDGED = 10_000, 2, 500
GOLDEN = (np.sqrt(5) - 1) / 2


def default_landmarks(variant: str, n_samples: int, n_features: int) -> int:
    """Return how many rows are fitted if the number of landmarks is not given.

    Few features tell less about each row, so that more rows pay. Few of many rows leave gaps, at
    which some choices of rows fold the embedding.
    """
    if variant != "refined":
        return n_samples
    if n_samples >= MANY_ROWS:
        return MAX_FITTED
    return int(np.clip(MIN_ENTRIES // n_features, MIN_FITTED, MAX_FITTED))


def landmark_sets(
    n_samples: int, n_fitted: int, n_sets: int, random_state: Any
) -> list[NDArray[np.intp]]:
    """Return disjoint sets of rows, ascending: random ones if there is a seed, or by a rule.

    The rule orders rows by the fractions of the multiples of the golden ratio. Each set has gaps of
    at most three lengths, and none follows a period of the data.

    Examples
    --------
    >>> [rows.tolist() for rows in landmark_sets(12, 4, 2, None)]
    [[0, 2, 5, 10], [1, 4, 7, 9]]
    """
    if random_state is None:
        order = np.argsort(np.arange(n_samples) * GOLDEN % 1.0)
    else:
        order = check_random_state(random_state).permutation(n_samples)
    return [np.sort(rows) for rows in order[: n_sets * n_fitted].reshape(n_sets, n_fitted)]


def check_against_rows(estimator: Any, n_fitted: int) -> tuple[str, str | int]:
    """Check parameters against the number of fitted rows; return similarity and reference."""
    unit = "samples of X" if estimator.landmarks is None else "landmarks"
    n_components, reference = estimator.n_components, estimator.reference
    if n_components > n_fitted:
        raise ValueError(
            f"n_components={n_components} is more than the number of {unit}, {n_fitted}"
        )
    kind, default = DEFAULTS[estimator.variant]
    kind = estimator.similarity or kind
    if reference is None or isinstance(reference, str):
        return kind, reference or default
    if estimator.variant in ("blockwise", "refined"):
        raise ValueError(
            f"reference={reference} is a single row, but the variant {estimator.variant} needs a "
            "reference in each block: use min_max, min_mean or center"
        )
    if reference >= n_fitted:
        raise ValueError(
            f"reference={reference} must be less than the number of {unit}, {n_fitted}"
        )
    return kind, reference


def make_variant(estimator: Any) -> BlockwiseVariant | FullVariant | RefinedVariant:
    """Return the unfitted variant."""
    kernel, variant, threshold = estimator.kernel_, estimator.variant, estimator.threshold
    if threshold == "released" and variant not in THRESHOLDS:
        raise ValueError(
            f"threshold='released' is for {' and '.join(THRESHOLDS)}, not for {variant}: leave it "
            "out or give a number"
        )
    if variant == "refined":
        return RefinedVariant(kernel, estimator.n_neighbors, threshold, estimator.polish)
    if variant == "full":
        return FullVariant(kernel)
    if variant == "knn_geodesic":
        return NeighborGeodesicVariant(kernel, estimator.n_neighbors)
    if variant == "metric_geodesic":
        return MetricGeodesicVariant(
            kernel, estimator.n_features_in_, threshold, estimator.n_neighbors
        )
    if threshold == "released":
        threshold = released_threshold(estimator.n_features_in_)
    elif threshold is None:
        threshold = THRESHOLDS[variant]
    if variant == "geodesic":
        return GeodesicVariant(kernel, threshold)
    return BlockwiseVariant(kernel, threshold, estimator.max_cliques)


def warn_of_disconnection_and_rank(labels: NDArray, eigenvalues: NDArray) -> None:
    """Warn, as called from ``_fit``, of several connected components or columns of zeros."""
    sizes = np.sort(np.bincount(labels))[::-1]
    if len(sizes) > 1:
        shown = ", ".join(map(str, sizes[:5])) + ", …" * (len(sizes) > 5)
        warnings.warn(
            f"the graph of similar rows has {len(sizes)} connected "
            f"components ({shown} of {len(labels)} rows); each is embedded separately, "
            "and they are placed side by side. Lower the threshold, or raise n_neighbors for "
            "refined, knn_geodesic and metric_geodesic",
            DisconnectedGraphWarning,
            stacklevel=5,
        )
    if not eigenvalues.all():
        warnings.warn(
            f"only {np.count_nonzero(eigenvalues)} of {len(eigenvalues)} eigenvalues "
            "are positive, so the other columns of the embedding are zero; lower n_components",
            UserWarning,
            stacklevel=5,
        )
