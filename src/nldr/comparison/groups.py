"""A test of groups in the data: gaps in density, beside those of data without groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nldr.comparison.neighbors import K as K_PARTS

N_NULLS = 5  # data sets without groups
MOST_POINTS = 1000  # that are looked at
K = 15  # neighbors that tell the density at a point of a curve or surface
K_WIDE = 8  # the same from 3 dimensions on, where a gap by chance has ways around it
WIDE = 3.0
SMALLEST = 0.05  # share of the points in a group
CLEAR = 3.0  # factor by which the density of K neighbors falls between groups
MOST_SHOWN = 1000  # largest factor that is written out
K_DIMENSION = 10  # neighbors that tell the dimension
DISTINCT = 0.5  # share of the rows that must differ from all others


@dataclass(frozen=True)
class Groups:
    """Gaps in density between parts of the data, and of data without groups.

    Attributes
    ----------
    gaps : list of float
        For each pair of parts, each with a twentieth of the points, that come together as density
        is lowered: the factor by which it falls between them. The largest come first.
    null : list of float
        The largest factor in each of five sets of normal data with the same covariance; nothing
        if most rows repeat others, so that gaps cannot be told from steps of the values.
    parts : int
        Number of parts, each with a twentieth of the points, into which the graph of neighbors
        falls.
    clear : float
        Factor from which a gap is clear.
    """

    gaps: list[float]
    null: list[float]
    parts: int = 1
    clear: float = CLEAR

    @property
    def count(self) -> int:
        """Number of groups between which the density falls clearly."""
        bound = max([self.clear, *self.null])
        return 1 + sum(gap > bound for gap in self.gaps)

    @property
    def are_real(self) -> bool:
        """True if there are groups with clear gaps between them, unlike in data without groups."""
        return self.count > 1

    @property
    def words(self) -> str:
        """The result as a sentence."""
        if not self.null:
            return "It is unknown whether there are groups: most rows repeat others."
        reference = f"{_factor(max(self.null))} in normal data with the same covariance"
        if self.are_real:
            return (
                f"The data fall into at least {self.count} groups with gaps between them: density "
                f"falls by a factor of {_factor(self.gaps[0])} at the widest gap ({reference})."
            )
        falls = (
            f"density falls by a factor of at most {_factor(max(self.gaps, default=1.0))} "
            f"({reference}; a clear gap needs {self.clear:.1f})"
        )
        if self.parts > 1:
            return (
                f"It is unclear whether there are groups: the graph of {K_PARTS} neighbors falls "
                f"into {self.parts} parts, but {falls}. Gaps between these parts in a map may be "
                "real, but their width means little."
            )
        return (
            f"The data show no clear gaps between groups: {falls}. Gaps in a map may be artifacts "
            "of the method. There may still be groups: if they overlap, or differ in only a few of "
            "many columns, they leave no gap in density."
        )


def _factor(value: float) -> str:
    return f"{value:.1f}" if value < MOST_SHOWN else f"over {MOST_SHOWN}"


def gaps_between_parts(points: NDArray, k: int = K) -> list[float]:
    """Return the factors by which density falls between parts of the data.

    Points are joined in the order of their mutual reachability distance, as in HDBSCAN. When two
    parts meet that both have a twentieth of the points, the distance is compared with the one at
    which the later of them reached that size; to the power of the intrinsic dimension, this is a
    ratio of densities. It does not depend on the shape of the parts.

    Parameters
    ----------
    points : ndarray of shape (n, n_features)
        Points.
    k : int
        Neighbors that tell the density at a point; at most a third of the points.

    Returns
    -------
    list of float
        Factors of at least 1, the largest first.

    References
    ----------
    R. Campello, D. Moulavi and J. Sander, "Density-based clustering based on hierarchical density
    estimates", PAKDD 2013, for the distance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> one, other = rng.normal(size=(2, 100, 3))
    >>> len(gaps_between_parts(np.concatenate([one, other + 20])))
    1
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist, squareform

    n, k = len(points), min(k, (len(points) - 1) // 3)
    distances = squareform(pdist(points))
    core = np.partition(distances, k, axis=1)[:, k]
    reach = np.maximum(distances, np.maximum(core[:, None], core[None, :]))
    np.fill_diagonal(reach, 0.0)
    smallest = max(int(SMALLEST * n), k)
    # Where a part reached the smallest size; NaN before
    born = np.full(2 * n - 1, np.nan)
    logs = []
    tree = linkage(squareform(reach, checks=False), "single")
    for part, (first, second, height, size) in enumerate(tree, start=n):
        births = born[[int(first), int(second)]]
        if not np.isnan(births).any():
            logs.append(np.log(height / births.max()) if births.max() > 0 else 0.0)
        if not np.isnan(births).all():
            born[part] = np.nanmin(births)
        elif size >= smallest:
            born[part] = height
    dimension = _dimension(points)
    return sorted((float(np.exp(min(dimension * log, 50.0))) for log in logs), reverse=True)


def _dimension(points: NDArray) -> float:
    """Return the intrinsic dimension, from few neighbors: those in other groups make it too low."""
    from nldr.neighborhoods.dimension import intrinsic_dimension

    return intrinsic_dimension(points, max(min(K_DIMENSION, (len(points) - 1) // 3), 3))


def look_for_groups(points: NDArray) -> Groups:
    """Compare gaps in prepared rows with those in normal data of the same covariance."""
    rng = np.random.default_rng(7)
    chosen = points[rng.permutation(len(points))[:MOST_POINTS]]
    if len(np.unique(chosen, axis=0)) < DISTINCT * len(chosen):
        return Groups([], [])
    _, scales, axes = np.linalg.svd(chosen - chosen.mean(axis=0), full_matrices=False)
    root = scales[:, None] * axes / np.sqrt(len(chosen) - 1)
    k = K_WIDE if _dimension(chosen) >= WIDE else K
    normal = (rng.standard_normal((len(chosen), len(root))) @ root for _ in range(N_NULLS))
    null = [max(gaps_between_parts(points, k), default=1.0) for points in normal]
    # The log of a density from k neighbors has errors in proportion to 1 / √k
    clear = float(CLEAR ** np.sqrt(K / k))
    return Groups(gaps_between_parts(chosen, k), null, _parts_of(chosen), clear)


def _parts_of(points: NDArray) -> int:
    """Return the number of parts of the graph of neighbors that are no handful of points."""
    from nldr.neighborhoods.graphs import component_labels, knn_graph

    sizes = np.bincount(component_labels(knn_graph(points, min(K_PARTS, len(points) - 1))))
    return max(int((sizes >= SMALLEST * len(points)).sum()), 1)
