"""Certificates of unfolded components, and measurements of their placement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from nldr.methods.mvu.certificate import Certificate
from nldr.methods.mvu.placement._stress import RigidStress, choose_evenly
from nldr.neighborhoods.graphs import closest_pairs

MOST = 1000  # points that the recomputed stress counts


@dataclass(frozen=True)
class DisjointCertificate:
    """Certificates of components, and measurements of their placement.

    Attributes
    ----------
    components : tuple of Certificate
        Bound, gap and violation of each component in all its dimensions, by label: proven.
    variance_shares : tuple of float
        Share of the variance of each unfolded component that the embedding shows: measured.
    rigidity : float
        Largest difference of a distance within a component between the embedding and the unfolded
        component's shown axes, relative to the largest distance: measured.
    separation : float
        Smallest distance of the closest points of two components, relative to that in the data,
        over all pairs of components; infinite with a single one: measured.
    stress : float
        Squared differences between the distances of components in data and embedding, relative to
        the squared distances, at the best scale. That no other placement has less is not proven.
    """

    components: tuple[Certificate, ...]
    variance_shares: tuple[float, ...]
    rigidity: float
    separation: float
    stress: float


def certify_placement(
    X: NDArray,
    embedding: NDArray,
    labels: NDArray,
    coordinates: list[NDArray],
    components: tuple[Certificate, ...],
) -> DisjointCertificate:
    """Return the certificates of components with measurements of their placement.

    `coordinates` are those of each unfolded component, in all its dimensions.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> parts = [X[:2] - 0.5, X[2:] - 3.5]
    >>> placed = certify_placement(X, X, np.array([0, 0, 1, 1]), parts, ())
    >>> placed.rigidity, placed.separation, placed.stress
    (0.0, 1.0, 0.0)
    """
    shares, deviations = [], [0.0]
    for label, points in enumerate(coordinates):
        placed = embedding[labels == label]
        variance = np.square(points - points.mean(axis=0)).sum()
        shown = np.square(placed - placed.mean(axis=0)).sum()
        shares.append(float(shown / variance) if variance > 0 else 1.0)
        distances = pdist(points[:, : embedding.shape[1]])
        if variance > 0:
            deviations.append(np.abs(pdist(placed) - distances).max() / distances.max())

    if len(coordinates) == 1:
        return DisjointCertificate(components, tuple(shares), max(deviations), np.inf, 0.0)
    ratio = closest_pairs(embedding, labels)[1] / closest_pairs(X, labels)[1]
    chosen = choose_evenly(embedding, labels, MOST)
    stress = RigidStress(X[chosen], labels[chosen]).scaled_stress(embedding[chosen])
    return DisjointCertificate(
        components, tuple(shares), float(max(deviations)), float(ratio.min()), stress
    )
