"""Arrangement of components by an unfolding of their reference points, as in the paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nldr.methods.mvu._edges import squared_lengths
from nldr.methods.mvu.placement._references import UnfoldedReferences, unfold_references
from nldr.methods.mvu.placement._stress import SHORTFALL, move_rigidly, scale_centers
from nldr.neighborhoods.graphs import closest_pairs
from nldr.neighborhoods.joining import join_nearest

ATTAINED = 1e-3  # violation up to which a length counts as attained, in mean squared lengths
ROUNDING = 1e-9  # relative distance to an affine hull that counts as zero
PRECISION = 1.01  # ratio of bounds at which the bisection for the separation factor stops
MAX_FACTOR = 2.0**10  # separation factor at which the search is given up


@dataclass(frozen=True)
class Arrangement:
    """Components in a common coordinate system.

    Attributes
    ----------
    points : ndarray of shape (n_samples, n_dimensions)
        All points, each component moved rigidly.
    references : ndarray of shape (n_references,)
        Rows that are reference points.
    pairs : ndarray of shape (n_pairs, 2)
        Pairs of rows in different components whose distance was fixed.
    unfolded : UnfoldedReferences
        Unfolding of the reference points.
    error : float
        Root mean squared distance of the moved reference points from the unfolded ones.
    """

    points: NDArray
    references: NDArray
    pairs: NDArray
    unfolded: UnfoldedReferences
    error: float


def arrange_components(
    X: NDArray, coordinates: NDArray, labels: NDArray, *, tol: float, max_iter: int
) -> Arrangement:
    """Return components placed by the unfolding of their reference points, Eqs. 43 to 48 of Costa.

    Each component of `coordinates` is in a system of its own; there are at least two. `tol` is the
    duality gap to reach, relative to the trace.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> arranged = arrange_components(X, X, np.array([0, 0, 1, 1]), tol=1e-4, max_iter=100)
    >>> round(float(np.ptp(arranged.points)), 2)
    3.0
    """
    # Reference points: far from each other, and closest to other components
    members = [np.flatnonzero(labels == c) for c in range(labels.max() + 1)]
    n_dimensions = coordinates.shape[1]
    pairs, _ = closest_pairs(X, labels)
    far = [rows[farthest_points(coordinates[rows], n_dimensions + 1)] for rows in members]
    references = np.unique(np.concatenate([*far, pairs.ravel()]))
    groups = [np.flatnonzero(labels[references] == c) for c in range(len(members))]

    def unfold(fixed: NDArray) -> UnfoldedReferences:
        between = np.searchsorted(references, fixed)
        lengths = squared_lengths(X, fixed)
        return unfold_references(
            coordinates[references], groups, between, lengths, tol=tol, max_iter=max_iter
        )

    # MVU of the reference points; if the distances are contradictory, those of a tree only
    unfolded = unfold(pairs)
    if unfolded.violation > ATTAINED:
        pairs = join_nearest(X, labels, 1)
        unfolded = unfold(pairs)

    targets = np.zeros((len(references), n_dimensions))
    width = min(n_dimensions, unfolded.coordinates.shape[1])
    targets[:, :width] = unfolded.coordinates[:, :width]

    moved, errors = coordinates.copy(), []
    for rows, group in zip(members, groups, strict=True):
        start, goal = coordinates[references[group]], targets[group]
        moved[rows] = move_rigidly(coordinates[rows], start, goal)
        errors.append(np.square(moved[references[group]] - goal).sum(axis=1))
    error = float(np.sqrt(np.concatenate(errors).mean()))
    return Arrangement(moved, references, pairs, unfolded, error)


def farthest_points(points: NDArray, n_points: int) -> NDArray:
    """Return rows of points that span a simplex of large volume.

    The first two are the farthest from each other, and each further point is the farthest from the
    affine hull of those before. There are fewer than `n_points` if they span the hull of all.

    Examples
    --------
    >>> farthest_points(np.array([[0.0, 0], [1, 0], [5, 0], [2, 0.5], [9, 0]]), 3)
    array([0, 4, 3])
    """
    from scipy.spatial.distance import pdist

    if len(points) == 1:
        return np.array([0])

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


def separation_factor(points: NDArray, labels: NDArray, required: NDArray) -> float:
    """Return the factor for :func:`scale_centers` at which all groups are far enough apart.

    `required` are distances of the closest points of each pair of groups, in the order of
    :func:`nldr.neighborhoods.graphs.closest_pairs`; 98 % of it are accepted. The factor is the
    smallest to within one percent, at least 1; exactly 1 if no factor up to 1024 suffices, for
    example because centers coincide.

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

    high = 2.0
    while not are_apart(high) and high < MAX_FACTOR:
        high *= 2
    if high >= MAX_FACTOR:
        return 1.0

    low = high / 2
    while high > PRECISION * low:
        middle = (low + high) / 2
        low, high = (low, middle) if are_apart(middle) else (middle, high)
    return high
