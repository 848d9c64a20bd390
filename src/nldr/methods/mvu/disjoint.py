"""Maximum variance unfolding of data on several disjoint manifolds, with changes of ours.

The published form is in :mod:`nldr.methods.mvu.published`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.methods._base import Embedder, fix_signs
from nldr.methods.mvu._edges import UNFOLDING_CONSTRAINTS, squared_lengths
from nldr.methods.mvu._references import separate_components, unfold_references
from nldr.methods.mvu.mvu import MVU
from nldr.neighborhoods.dimension import eigengap
from nldr.neighborhoods.graphs import closest_pairs
from nldr.neighborhoods.joining import join_nearest

ATTAINED = 1e-3  # violation up to which a length counts as attained, in mean squared lengths
ROUNDING = 1e-9  # relative distance to an affine hull that counts as zero
SHORTFALL = 0.98  # share of the required distance that separated components must have
PRECISION = 1.01  # ratio of bounds at which the bisection for the separation factor stops
MAX_FACTOR = 2.0**10  # separation factor at which the search is given up


class DisjointMVU(Embedder):
    """Unfold each connected component, then arrange the components by another unfolding.

    Each component of the neighborhood graph is unfolded separately, to `n_components` dimensions.
    Reference points are then chosen in each: ``n_components + 1`` points far from each other, and
    the points closest to the other components. MVU of the reference points, with all distances
    within a component fixed, and the shortest distance between each pair of components, determines
    where the components lie; each one is moved there rigidly.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding, at most ``n_samples``.
    n_neighbors : int, default=5
        Number of neighbors of a point, itself not counted.
    separate : bool, default=True
        Whether to move components apart that come closer to each other than they are in the data.
        All centers are moved away from their mean by the smallest common factor that suffices.
        This is not part of the published method, see Notes.
    tol : float, default=1e-2
        Duality gap to reach in each of the problems, relative to the trace.
    max_iter : int, default=100
        Maximum number of iterations of each problem.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Embedding of the training rows, on principal axes. The entry of largest magnitude of each
        column is positive.
    labels_ : ndarray of shape (n_samples,)
        Connected component of each row.
    n_connected_components_ : int
        Number of connected components.
    component_mvus_ : list of MVU
        Estimator fitted on each component, by label.
    dimensions_ : ndarray of shape (n_connected_components_,)
        Dimension of each unfolded component, by the gap in its eigenvalues
        (:func:`nldr.neighborhoods.eigengap`).
    references_ : ndarray of shape (n_references,)
        Rows that are reference points; empty if there is a single component.
    added_edges_ : ndarray of shape (n_added, 2)
        Pairs of rows in different components whose distance was fixed.
    placement_error_ : float
        Root mean squared distance, in units of the data, between the reference points of the
        moved components and the first `n_components` axes of the reference points' own MVU,
        before components are moved apart.
    separation_ : float
        Factor by which the centers of the components were moved apart.

    Raises
    ------
    ValueError
        If there are too few rows.

    Warns
    -----
    ConvergenceWarning
        If a component is not unfolded to within `tol`.

    Notes
    -----
    :class:`~nldr.methods.PublishedDisjointMVU` follows the paper and the author's released runs.
    This implementation makes choices of its own.

    - Each component is moved rigidly within `n_components` dimensions, by the least-squares fit of
      its reference points to the first `n_components` principal axes of their MVU. Two sheets
      joined by one edge can rotate about it freely, so the MVU of their reference points has more
      dimensions than the sheets; projecting the sheets as well would fold one of them.
    - In fewer dimensions, the components may overlap. This is unavoidable, for example, if the
      closest points of two rolled-up sheets are in the middle of both. Therefore `separate` moves
      components apart, at the cost of the fixed distances between them.
    - The points "furthest apart" are the two farthest points, then repeatedly the point farthest
      from the affine hull of those chosen before. On a long strip, points that are merely far from
      each other may all lie on a line, which does not determine on which side of the line the rest
      of the strip lies.
    - The closest points of two components, and their distance, are those in the data, because the
      unfolded components have no common coordinate system.
    - With three or more components, these distances may contradict each other, because unfolding
      moves points apart that are close to other components. In that case only the edges of a
      minimum spanning tree of the components are fixed, which is always possible.
    - Unfolded components with fewer dimensions, such as those with fewer than ``n_components + 1``
      points, have zeros in the remaining columns, and as many reference points as are affinely
      independent. Each component has at least ``n_neighbors + 1`` points.
    - Components at distance zero, which repeated points can cause, count as one.

    References
    ----------
    Costa, Maximum Variance Unfolding on Disjoint Manifolds, §4.2, Eqs. 43 to 48.

    Examples
    --------
    Two bent lines, one behind the other, become one straight line with a gap:

    >>> angle = np.append(np.linspace(0, 1, 20), np.linspace(2, 3, 20))
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> disjoint = DisjointMVU(1, n_neighbors=2, tol=1e-4).fit(X)
    >>> disjoint.n_connected_components_
    2
    >>> round(float(np.ptp(disjoint.embedding_)), 2), round(float(1 + 2 * np.sin(0.5) + 1), 2)
    (2.96, 2.96)
    """

    _parameter_constraints: dict = {
        **UNFOLDING_CONSTRAINTS,
        "separate": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        separate: bool = True,
        tol: float = 1e-2,
        max_iter: int = 100,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.separate = separate
        self.tol = tol
        self.max_iter = max_iter

    def _fit(self, data: NDArray) -> None:
        if self.n_components > len(data):
            raise ValueError(
                f"n_components={self.n_components} is too high for {len(data)} samples: it must "
                "be at most n_samples"
            )

        # Connected components
        self.labels_ = separate_components(data, self.n_neighbors)
        self.n_connected_components_ = int(self.labels_.max()) + 1
        members = [np.flatnonzero(self.labels_ == c) for c in range(self.n_connected_components_)]

        # MVU of each component
        self.component_mvus_ = [self._unfold_component(data[rows]) for rows in members]
        self.dimensions_ = np.array([eigengap(mvu.eigenvalues_) for mvu in self.component_mvus_])
        coordinates = np.zeros((len(data), self.n_components))
        for rows, mvu in zip(members, self.component_mvus_, strict=True):
            coordinates[rows, : mvu.n_components] = mvu.embedding_

        # Common coordinate system, by MVU of the reference points
        self.references_ = np.empty(0, dtype=int)
        self.added_edges_ = np.empty((0, 2), dtype=int)
        self.placement_error_, self.separation_ = 0.0, 1.0
        if len(members) > 1:
            coordinates = self._arrange_components(data, coordinates, members)

        # Components at least as far from each other as in the data
        if len(members) > 1 and self.separate:
            distances = closest_pairs(data, self.labels_)[1]
            self.separation_ = separation_factor(coordinates, self.labels_, distances)
            coordinates = scale_centers(coordinates, self.labels_, self.separation_)

        # Principal axes with deterministic signs
        centered = coordinates - coordinates.mean(axis=0)
        left, values, _ = np.linalg.svd(centered, full_matrices=False)
        self.embedding_ = fix_signs(left) * values

    def _unfold_component(self, X: NDArray) -> MVU:
        """Return the MVU of one component."""
        # Ties between repeated points may be broken differently than in the graph of all points,
        # so the graph of a component can be disconnected
        return MVU(
            min(self.n_components, len(X)),
            n_neighbors=self.n_neighbors,
            disconnected="bridges",
            tol=self.tol,
            max_iter=self.max_iter,
        ).fit(X)

    def _arrange_components(
        self, X: NDArray, coordinates: NDArray, members: list[NDArray]
    ) -> NDArray:
        """Return coordinates in a common system, given those of each component in its own."""
        # Reference points: far from each other, and closest to other components
        pairs, _ = closest_pairs(X, self.labels_)
        far = [rows[farthest_points(coordinates[rows], self.n_components + 1)] for rows in members]
        self.references_ = np.unique(np.concatenate([*far, pairs.ravel()]))

        # MVU of the reference points; if the distances are contradictory, those of a tree only
        targets, attained = self._unfold_references(X, coordinates, pairs)
        if not attained:
            pairs = join_nearest(X, self.labels_, 1)
            targets, _ = self._unfold_references(X, coordinates, pairs)
        self.added_edges_ = pairs

        # Rigid motion of each component to its reference points
        moved, errors = coordinates.copy(), []
        for label, rows in enumerate(members):
            own = self.labels_[self.references_] == label
            start, goal = coordinates[self.references_[own]], targets[own]
            moved[rows] = _move_rigidly(coordinates[rows], start, goal)
            errors.append(np.square(moved[self.references_[own]] - goal).sum(axis=1))
        self.placement_error_ = float(np.sqrt(np.concatenate(errors).mean()))
        return moved

    def _unfold_references(
        self, X: NDArray, coordinates: NDArray, pairs: NDArray
    ) -> tuple[NDArray, bool]:
        """Return the MVU of the reference points, and whether it attains all fixed distances.

        The distances of `pairs`, rows in different components, are fixed.
        """
        labels = self.labels_[self.references_]
        groups = [np.flatnonzero(labels == c) for c in range(self.n_connected_components_)]
        points = coordinates[self.references_]

        between = np.searchsorted(self.references_, pairs)
        unfolded = unfold_references(
            points, groups, between, squared_lengths(X, pairs),
            tol=self.tol, max_iter=self.max_iter,
        )  # fmt: skip

        # First principal axes
        targets = np.zeros((len(points), self.n_components))
        width = min(self.n_components, unfolded.coordinates.shape[1])
        targets[:, :width] = unfolded.coordinates[:, :width]
        return targets, unfolded.violation <= ATTAINED


def _move_rigidly(points: NDArray, start: NDArray, goal: NDArray) -> NDArray:
    """Return points after the rigid motion that best maps `start` to `goal` (least squares)."""
    # Orthogonal Procrustes problem, reflections included
    left, _, right = np.linalg.svd(
        (start - start.mean(axis=0)).T @ (goal - goal.mean(axis=0)), full_matrices=False
    )
    return (points - start.mean(axis=0)) @ (left @ right) + goal.mean(axis=0)


def farthest_points(points: NDArray, n_points: int) -> NDArray:
    """Return rows of points that span a simplex of large volume.

    The first two are the farthest from each other, and each further point is the farthest from the
    affine hull of those before.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Points.
    n_points : int
        Number of points to return; fewer are returned if they span the affine hull of all.

    Returns
    -------
    ndarray of shape (n_found,)
        Row indices.

    Examples
    --------
    >>> farthest_points(np.array([[0.0, 0], [1, 0], [5, 0], [2, 0.5], [9, 0]]), 3)
    array([0, 4, 3])
    """
    from scipy.spatial.distance import pdist

    if len(points) == 1:
        return np.array([0])

    # The two farthest points
    first, second = np.triu_indices(len(points), 1)
    farthest = pdist(points).argmax()
    chosen = [int(first[farthest])]
    residual = points - points[chosen[0]]
    candidate = int(second[farthest])
    size = np.linalg.norm(residual[candidate])

    # Gram-Schmidt: add the farthest point from the hull, then project its direction out
    while len(chosen) < n_points and np.linalg.norm(residual[candidate]) > ROUNDING * size:
        axis = residual[candidate] / np.linalg.norm(residual[candidate])
        chosen.append(candidate)
        residual = residual - np.outer(residual @ axis, axis)
        candidate = int(np.linalg.norm(residual, axis=1).argmax())
    return np.array(chosen)


def scale_centers(points: NDArray, labels: NDArray, factor: float) -> NDArray:
    """Move groups of points so that their centers' distances are multiplied by a factor.

    Examples
    --------
    >>> scale_centers(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([0, 0, 1, 1]), 2.0).ravel()
    array([-2.,  0.,  6.,  8.])
    """
    centers = np.stack([points[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
    return points + (factor - 1) * (centers - centers.mean(axis=0))[labels]


def separation_factor(points: NDArray, labels: NDArray, required: NDArray) -> float:
    """Return the factor for :func:`scale_centers` at which all groups are far enough apart.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        Points.
    labels : ndarray of shape (n_samples,)
        Group of each point, from 0.
    required : ndarray of shape (n_pairs,)
        Required distance of the closest points of each pair of groups, in the order of
        :func:`nldr.neighborhoods.graphs.closest_pairs`; 98 % of it are accepted.

    Returns
    -------
    float
        Smallest factor to within one percent, at least 1; exactly 1 if no factor up to 1024
        suffices, for example because centers coincide.

    Examples
    --------
    >>> points = np.array([[0.0], [2.0], [4.0], [6.0]])
    >>> round(separation_factor(points, np.array([0, 0, 1, 1]), np.array([4.0])), 1)
    1.5
    """

    def are_apart(factor: float) -> bool:
        distances = closest_pairs(scale_centers(points, labels, factor), labels)[1]
        return bool(np.all(distances >= SHORTFALL * required))

    if are_apart(1.0):
        return 1.0

    # Double the factor until it suffices
    high = 2.0
    while not are_apart(high) and high < MAX_FACTOR:
        high *= 2
    if high >= MAX_FACTOR:
        return 1.0

    # Bisection
    low = high / 2
    while high > PRECISION * low:
        middle = (low + high) / 2
        low, high = (low, middle) if are_apart(middle) else (middle, high)
    return high
