"""Preservation of clusters at all scales: persistent homology in dimension 0."""

from __future__ import annotations

from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.metrics._checks import matching_matrices
from nldr.metrics._distances import scaled_by_power_of_two
from nldr.metrics._sampled import chosen_points

_POINTS = 2000  # largest number of points used


def persistence(data: Dataset, embedding: NDArray) -> dict[str, float]:
    """Score an embedding by its persistence diagram compared with that of ``data.reference``.

    Returns
    -------
    dict of str to float
        ``persistence_distance``, see :func:`persistence_distance`. NaN if there are fewer than two
        points, or if all points of one side coincide.

    Examples
    --------
    >>> import numpy as np
    >>> data = Dataset(X=np.random.default_rng(0).normal(size=(50, 3)))
    >>> round(persistence(data, 5 - 2 * data.X)["persistence_distance"], 9)
    0.0
    """
    return {"persistence_distance": persistence_distance(data.reference, embedding)}


def persistence_distance(X: NDArray, embedding: NDArray) -> float:
    """Return the distance between the persistence diagrams of connected components.

    If balls around all points grow, components merge one by one. The radii at which they do so,
    the lengths of the edges of a minimum spanning tree, are the diagram of dimension 0: many
    small ones and few large ones mean separate clusters. The diagrams, each divided by its mean so
    that scale does not matter, are compared by the Wasserstein distance of their values. Of more
    than 2000 points, a random sample of that size is used, the same for all embeddings.

    Parameters
    ----------
    X, embedding : ndarray of shape (n_samples, n_features) and (n_samples, n_components)
        Observations and their embedding.

    Returns
    -------
    float
        Distance in [0, 2), 0 is best. NaN for fewer than two points, or if all points of the
        embedding or of the data coincide.

    References
    ----------
    B. Rieck & H. Leitte, *Persistent homology for the evaluation of dimensionality reduction
    schemes*, Computer Graphics Forum 34 (2015), for the comparison of persistence diagrams.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0], [10.0]])
    >>> round(persistence_distance(X, np.arange(5.0)[:, None]), 9)
    0.9
    """
    from scipy.stats import wasserstein_distance

    X, embedding = matching_matrices(X, embedding)
    if len(X) < 2:
        return float("nan")
    rows = chosen_points(len(X), _POINTS)
    diagrams = [_merging_distances(points[rows]) for points in (X, embedding)]
    if any(diagram.max() == 0 for diagram in diagrams):
        return float("nan")
    return float(wasserstein_distance(*(diagram / diagram.mean() for diagram in diagrams)))


def _merging_distances(points: NDArray) -> NDArray:
    """Return the lengths of the edges of a minimum spanning tree, up to a factor."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist

    return linkage(pdist(scaled_by_power_of_two(points)), "single")[:, 2]
