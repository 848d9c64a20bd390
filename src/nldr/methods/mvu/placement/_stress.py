"""Placement of rigid components by the distances between them.

The stress of a placement is the sum, over all pairs of components a and b, of

    mean over i in a, j in b of (|y_i − y_j| − s d_ij)²  +  (|c_a − c_b| − s d_ab)²,          (1)

with the distances d_ij of points and d_ab of centers in the data, the centers c in the placement,
and a common scale s. Each component may only be moved rigidly, reflections included. With all
others fixed, the stress is majorized at the current directions by a weighted sum of the mean of
|y_i − g_i|² and |c_a − h|², where

    g_i = mean over b and j in b of y_j + s d_ij (y_i − y_j) / |y_i − y_j|,
    h = mean over b of c_b + s d_ab (c_a − c_b) / |c_a − c_b|.                                (2)

Its minimum has the center halfway from the mean of the g_i to h, and the orientation of a
Procrustes rotation to the g_i. Doing this for one component after another never raises the stress:
J. de Leeuw and W. Heiser, "Multidimensional scaling with restrictions on the configuration", in
Multivariate Analysis V, 1980.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from nldr.methods._base import fix_signs
from nldr.neighborhoods.graphs import closest_pairs

TINY = 1e-12  # distance, relative to the mean one, below which two points have no direction
PRECISION = 1e-6  # relative decrease of the stress in one sweep at which the descent stops
MAX_SWEEPS = 500  # maximum number of times that all components are moved
N_STARTS = 4  # number of starts, the first along the principal axes of the data
SHORTFALL = 0.98  # share of the required distance that separated components must have
STEP = 2.0**0.125  # ratio of successive scales
MAX_SCALE = 2.0**10  # scale at which the search is given up
MOST_SAMPLES = 200  # points that the stress counts


@dataclass(frozen=True)
class Placement:
    """Components in a common coordinate system.

    Attributes
    ----------
    points : ndarray of shape (n_samples, n_dimensions)
        All points, each component moved rigidly.
    stress : float
        Eq. 1, relative to its value with all points in one place: 0 if all distances between
        components are `scale` times those in the data.
    scale : float
        Factor of the distances in the data.
    movement : float
        Root mean squared movement of the points in the last sweep, relative to the mean distance
        between components in the data, times the scale: 0 at a stationary point of the stress.
    n_sweeps : int
        Number of times that all components were moved.
    """

    points: NDArray
    stress: float
    scale: float
    movement: float
    n_sweeps: int


def move_rigidly(points: NDArray, start: NDArray, goal: NDArray) -> NDArray:
    """Return points after the rigid motion that best maps `start` to `goal` (least squares).

    `start` and `goal` have shape (n_references, n_dimensions); the motion may reflect.

    Examples
    --------
    >>> corner = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> move_rigidly(corner, corner, corner * [1, -1] + 5).round(9).tolist()
    [[5.0, 5.0], [6.0, 5.0], [5.0, 3.0]]
    """
    # Orthogonal Procrustes problem, reflections included
    origin, target = start.mean(axis=0), goal.mean(axis=0)
    left, _, right = np.linalg.svd((start - origin).T @ (goal - target), full_matrices=False)
    return (points - origin) @ (left @ right) + target


class RigidStress:
    """Stress of components that move rigidly, Eq. 1.

    The components, at least two, are those of the rows of `X` with equal labels, from 0.

    Examples
    --------
    Two segments of length 1 in a row, of which one was turned away:

    >>> line = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [4.0, 0.0]])
    >>> problem = RigidStress(line, np.array([0, 0, 1, 1]))
    >>> turned = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.6], [3.0, -0.4]])
    >>> problem.descend(turned, 1.0).stress < 1e-6 < problem.stress(turned, 1.0)
    True
    """

    def __init__(self, X: NDArray, labels: NDArray) -> None:
        counts = np.bincount(labels)
        self.labels = labels
        self.members = [np.flatnonzero(labels == c) for c in range(len(counts))]
        self.distances = cdist(X, X)
        self.center_distances = cdist(self.centers(X), self.centers(X))

        # Weights with sum 1 in each component; mean distance of points of different components
        self.weights = 1.0 / counts[labels]
        self.mean = self.distances[labels[:, np.newaxis] != labels].mean()

    def centers(self, Y: NDArray) -> NDArray:
        """Return the mean of each component."""
        return np.stack([Y[rows].mean(axis=0) for rows in self.members])

    def stress(self, Y: NDArray, scale: float) -> float:
        """Return the stress, Eq. 1, relative to that of all points in one place."""
        apart = self.labels[:, np.newaxis] != self.labels
        weights = np.outer(self.weights, self.weights) * apart
        scaled_distances, far = scale * self.distances, scale * self.center_distances
        centers = self.centers(Y)
        deviation = np.sum(weights * np.square(cdist(Y, Y) - scaled_distances))
        deviation += np.square(cdist(centers, centers) - far).sum()
        total = np.sum(weights * np.square(scaled_distances)) + np.square(far).sum()
        return float(deviation / total) if total > 0 else 0.0

    def scaled_stress(self, Y: NDArray) -> float:
        """Return the stress relative to the squared distances in Y, at the best scale."""
        apart = self.labels[:, np.newaxis] != self.labels
        weights = np.outer(self.weights, self.weights) * apart
        centers = self.centers(Y)
        placed, far = cdist(Y, Y), cdist(centers, centers)
        both = np.sum(weights * placed * self.distances) + np.sum(far * self.center_distances)
        squares = np.sum(weights * placed**2) + np.sum(far**2)
        data = np.sum(weights * self.distances**2) + np.sum(self.center_distances**2)
        return float(max(1 - both**2 / (squares * data), 0.0)) if squares * data > 0 else 0.0

    def _goals(self, Y: NDArray, scale: float, label: int) -> NDArray:
        """Return where the points of a component should move, Eq. 2; the mean is the center's."""
        rows, others = self.members[label], np.flatnonzero(self.labels != label)
        tiny = TINY * self.mean + np.finfo(float).tiny

        placed = np.maximum(cdist(Y[rows], Y[others]), tiny)
        share = self.weights[others] / self.weights[others].sum()
        pull = share * scale * self.distances[np.ix_(rows, others)] / placed
        goals = share @ Y[others] - pull @ Y[others] + pull.sum(axis=1, keepdims=True) * Y[rows]

        centers = self.centers(Y)
        away = np.delete(centers[label] - centers, label, axis=0)
        lengths = np.maximum(np.linalg.norm(away, axis=1), tiny)
        ratio = scale * np.delete(self.center_distances[label], label) / lengths
        center = np.mean(centers[label] - away + ratio[:, np.newaxis] * away, axis=0)
        return goals + (center - goals.mean(axis=0)) / 2

    def descend(self, Y: NDArray, scale: float) -> Placement:
        """Return the placement at which majorization from a given one ends.

        Distances within components are kept, and the stress is no higher than at the start.
        """
        Y, stress, sweep, last = Y.copy(), self.stress(Y, scale), 0, Y
        while sweep < MAX_SWEEPS:
            sweep, last = sweep + 1, Y.copy()
            for label, rows in enumerate(self.members):
                Y[rows] = move_rigidly(Y[rows], Y[rows], self._goals(Y, scale, label))

            if sweep % 10 == 0:
                before, stress = stress, self.stress(Y, scale)
                if before - stress <= 10 * PRECISION * before:
                    break
        movement = np.sqrt(np.square(Y - last).sum(axis=1).mean()) / (scale * self.mean)
        return Placement(Y, self.stress(Y, scale), scale, float(movement), sweep)

    def starts(self, points: NDArray, scale: float, n_starts: int) -> list[NDArray]:
        """Return components turned to the principal axes of the data, then turned at random."""
        n_samples, n_dimensions = points.shape
        squared = np.square(scale * self.distances)
        centered = squared - squared.mean(axis=0)
        values, vectors = np.linalg.eigh(-(centered.T - centered.mean(axis=1)) / 2)
        axes, width = np.zeros(points.shape), min(n_dimensions, n_samples)
        top = np.argsort(values)[::-1][:width]
        axes[:, :width] = fix_signs(vectors[:, top]) * np.sqrt(np.maximum(values[top], 0))

        # Random turns, with centers shifted by a fraction of the mean distance
        rng, starts = np.random.default_rng(0), []
        for number in range(n_starts):
            Y = np.empty_like(points)
            for rows in self.members:
                goal = axes[rows]
                if number > 0:
                    turn = np.linalg.qr(rng.standard_normal((n_dimensions, n_dimensions)))[0]
                    shift = rng.standard_normal(n_dimensions) / np.sqrt(n_dimensions)
                    turned = (points[rows] - points[rows].mean(axis=0)) @ turn
                    goal = turned + goal.mean(axis=0) + 0.3 * scale * self.mean * shift
                Y[rows] = move_rigidly(points[rows], points[rows], goal)
            starts.append(Y)
        return starts


def place_components(points: NDArray, labels: NDArray, X: NDArray, *, separate: bool) -> Placement:
    """Return the components of an embedding where the distances in the data place them.

    The scale is 1 unless components would come closer to each other than they are in the data, with
    98 % accepted, and `separate` is true. In that case, the placement starts at a power of 2 at
    which they do not, and the scale is lowered from there, with a descent of the stress at each
    step, as far as they stay apart; it is 1 if none up to 1024 suffices. The stress counts about
    200 points, spread over all components.

    Examples
    --------
    Two flat sheets return to where they were:

    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.uniform(size=(20, 2)), rng.uniform(size=(20, 2)) + [3, 1]])
    >>> labels = np.repeat([0, 1], 20)
    >>> turned = np.where(labels[:, np.newaxis] == 0, X[:, ::-1], -X)
    >>> placed = place_components(turned, labels, X, separate=True)
    >>> placed.scale, placed.stress < 1e-4
    (1.0, True)
    """
    # Points that count in the stress, and required distances between components
    chosen = choose_evenly(points, labels, MOST_SAMPLES)
    problem, sample = RigidStress(X[chosen], labels[chosen]), points[chosen]
    required = SHORTFALL * closest_pairs(X, labels)[1]

    def all_points(placed: NDArray) -> NDArray:
        moved = np.empty_like(points)
        for label, positions in enumerate(problem.members):
            rows = labels == label
            moved[rows] = move_rigidly(points[rows], sample[positions], placed[positions])
        return moved

    def are_apart(placed: Placement) -> bool:
        distances = closest_pairs(all_points(placed.points), labels)[1] if separate else required
        return bool(np.all(distances >= required))

    # Smallest power of 2 at which the components are apart, else 1
    scale = 1.0
    while not are_apart(problem.descend(problem.starts(sample, scale, 1)[0], scale)):
        scale *= 2
        if scale >= MAX_SCALE:
            scale = 1.0
            break

    # Least stress of several starts, of those that are apart if any is
    placements = [problem.descend(Y, scale) for Y in problem.starts(sample, scale, N_STARTS)]
    apart = [placed for placed in placements if are_apart(placed)]
    best = min(apart or placements, key=lambda placed: placed.stress)

    while best.scale > 1:
        lower = max(best.scale / STEP, 1.0)
        closer = scale_centers(best.points, problem.labels, lower / best.scale)
        trial = problem.descend(closer, lower)
        if not are_apart(trial):
            break
        best = trial
    return replace(best, points=all_points(best.points))


def scale_centers(points: NDArray, labels: NDArray, factor: float) -> NDArray:
    """Return points moved such that the centers of groups are scaled about their mean.

    Examples
    --------
    >>> scale_centers(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([0, 0, 1, 1]), 2.0).ravel()
    array([-2.,  0.,  6.,  8.])
    """
    centers = np.stack([points[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
    return points + (factor - 1) * (centers - centers.mean(axis=0))[labels]


def choose_evenly(points: NDArray, labels: NDArray, most: int) -> NDArray:
    """Return rows of about `most` points, spread evenly along the first axis of each group.

    Examples
    --------
    >>> points = np.array([[0.0], [3.0], [1.0], [2.0], [4.0], [7.0]])
    >>> choose_evenly(points, np.array([0, 0, 0, 0, 0, 1]), 6)
    array([0, 3, 4, 5])
    """
    n_groups = int(labels.max()) + 1
    most, chosen = max(most // n_groups, points.shape[1] + 2), []
    for label in range(n_groups):
        rows = np.flatnonzero(labels == label)
        ordered = rows[np.argsort(points[rows, 0], kind="stable")]
        positions = np.linspace(0, len(rows) - 1, min(most, len(rows))).round().astype(int)
        chosen.append(ordered[positions])
    return np.sort(np.concatenate(chosen))
