"""Enclosure: discs in a circle, a class beside the others, and SciPy's hulls."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from nldr.dataset import Dataset
from nldr.metrics.enclosure import enclosure, in_hull

CENTERS = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 3.0]])


def discs_in_a_circle(rng, radius=9.0):
    """Return three discs of radius 1 inside a circle around the origin."""
    angles = 2 * np.pi * np.arange(60) / 60
    ring = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    steps = rng.uniform(-0.7, 0.7, (60, 2))
    return Dataset(
        X=np.concatenate([CENTERS[np.arange(60) % 3] + steps, ring]),
        y=np.concatenate([np.arange(60) % 3, np.full(60, 7)]),
    )


@pytest.mark.parametrize(
    ("n_moved", "scale", "place", "outside", "score"),
    [
        (60, 1.0, [0.0, 0.0], 1.0, 1.0),  # the circle around the discs, as it is
        (60, 1.0, [30.0, 30.0], 1.0, 0.0),  # the outer class beside the others
        (15, 0.0, [0.0, 1.0], 1.0, 0.75),  # a quarter of it between the discs
        (6, 0.0, CENTERS[0], 0.9, 0.9),  # a tenth of it on a disc
    ],
)
def test_moved_points_of_the_outer_class_are_counted(rng, n_moved, scale, place, outside, score):
    data = discs_in_a_circle(rng)
    embedding = data.X.copy()
    embedding[-n_moved:] = scale * embedding[-n_moved:] + place
    assert enclosure(data, embedding) == {"outer_outside": outside, "enclosure": score}


def test_outer_class_is_that_of_the_clean_data(rng):
    data = discs_in_a_circle(rng)
    noisy = Dataset(X=rng.standard_normal(data.X.shape), y=data.y, clean=data.X)
    assert enclosure(noisy, data.X)["enclosure"] == 1.0


def test_data_without_an_outer_class_have_no_score(rng):
    data = discs_in_a_circle(rng, radius=3.0)  # across the discs
    assert all(np.isnan(list(enclosure(data, data.X).values())))
    one = Dataset(X=data.X, y=np.zeros(120))
    assert all(np.isnan(list(enclosure(one, data.X).values())))
    # Nor has an embedding of another dimension
    assert all(np.isnan(list(enclosure(discs_in_a_circle(rng), data.X[:, :1]).values())))


def test_hull_agrees_with_scipy(rng):
    corners, points = rng.standard_normal((50, 2)), 2 * rng.standard_normal((500, 2))
    expected = Delaunay(corners).find_simplex(points) >= 0
    np.testing.assert_array_equal(in_hull(points, corners), expected)


@pytest.mark.parametrize(
    ("point", "inside"),
    [([1.5, 0.0], True), ([3.0, 0.0], True), ([3.5, 0.0], False), ([1.5, 0.1], False)],
)
def test_hull_of_points_on_a_line(point, inside):
    line = np.column_stack([np.arange(4.0), np.zeros(4)])
    assert in_hull(np.array([point]), line).tolist() == [inside]
