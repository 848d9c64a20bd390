import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize, minimize_scalar
from scipy.spatial.distance import cdist, pdist

from nldr.methods.mvu.placement._stress import RigidStress, place_components
from nldr.neighborhoods.graphs import closest_pairs


@pytest.fixture
def groups(rng):
    """Points of three groups in the plane, and their labels."""
    offsets = np.array([[0.0, 0.0], [6.0, 1.0], [2.0, 7.0]])
    labels = np.repeat([0, 1, 2], [20, 15, 25])
    return rng.uniform(-1, 1, (60, 2)) * [2, 1] + offsets[labels], labels


def turn_groups(points, labels, rng):
    """Each group, rotated or reflected about its center, and moved."""
    turned = points.copy()
    for label in np.unique(labels):
        rows = labels == label
        rotation = np.linalg.qr(rng.standard_normal((points.shape[1],) * 2))[0]
        turned[rows] = points[rows] @ rotation + rng.standard_normal(points.shape[1])
    return turned


def test_known_placement_is_recovered_exactly(groups, rng):
    points, labels = groups
    placed = place_components(turn_groups(points, labels, rng), labels, points, separate=True)
    assert placed.scale == 1
    assert placed.stress < 1e-5
    assert_allclose(pdist(placed.points), pdist(points), atol=0.05)


@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_stress_is_the_sum_over_pairs_and_centers(scale, groups, rng):
    X, labels = groups
    Y = rng.standard_normal(X.shape)
    deviation = total = 0.0
    for a, b in [(0, 1), (0, 2), (1, 2)]:
        i, j = labels == a, labels == b
        expected = scale * cdist(X[i], X[j])
        far = scale * np.linalg.norm(X[i].mean(axis=0) - X[j].mean(axis=0))
        gap = np.linalg.norm(Y[i].mean(axis=0) - Y[j].mean(axis=0))
        deviation += np.square(cdist(Y[i], Y[j]) - expected).mean() + (gap - far) ** 2
        total += np.square(expected).mean() + far**2
    problem = RigidStress(X, labels)
    assert problem.stress(Y, scale) == pytest.approx(deviation / total)
    # The best scale, by search
    best = minimize_scalar(lambda s: problem.stress(s * Y, 1.0))
    assert problem.scaled_stress(Y) == pytest.approx(best.fun, abs=1e-6)


def test_descent_ends_at_a_local_minimum_over_rigid_motions(groups, rng):
    X, labels = groups
    problem = RigidStress(X**2 / 4, labels)
    placed = problem.descend(turn_groups(X, labels, rng), 1.0)

    def stress(motion):
        Y = placed.points.copy()
        for label, (angle, *shift) in enumerate(motion.reshape(3, 3)):
            rows = labels == label
            center = Y[rows].mean(axis=0)
            c, s = np.cos(angle), np.sin(angle)
            Y[rows] = (Y[rows] - center) @ [[c, s], [-s, c]] + center + shift
        return problem.stress(Y, 1.0)

    optimum = minimize(stress, np.zeros(9), method="BFGS")
    assert optimum.fun > placed.stress - 1e-4
    assert placed.movement < 1e-2


def test_groups_inside_each_other_are_moved_apart():
    ring = np.column_stack([np.cos(np.arange(40)), np.sin(np.arange(40))])
    X = np.concatenate([4 * ring, ring])  # no direction between the centers
    labels = np.repeat([0, 1], 40)
    points = np.concatenate([4 * ring, 4 * ring])  # as if unfolded
    placed = place_components(points, labels, X, separate=True)
    assert placed.scale > 1
    assert closest_pairs(placed.points, labels)[1] >= 0.97 * closest_pairs(X, labels)[1]
    together = place_components(points, labels, X, separate=False)
    assert together.scale == 1
    assert closest_pairs(together.points, labels)[1] < 0.5 * closest_pairs(X, labels)[1]
    # In their own shapes, they fit into each other as they are
    assert place_components(X, labels, X, separate=True).stress < 1e-9
