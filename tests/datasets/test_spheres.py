"""Radii, centers and labels of the nested spheres."""

import numpy as np
import pytest
from synthetic import make


def center_of(points):
    """Return the point that has the same distance from all points."""
    middle = points.mean(axis=0)
    centered = points - middle
    squares = (centered**2).sum(axis=1)
    solution = np.linalg.lstsq(
        np.column_stack([2 * centered, np.ones(len(points))]), squares, rcond=None
    )[0]
    return solution[:-1] + middle


def test_points_are_on_their_spheres(seed):
    # 220 points per small sphere, enough to determine a center in 101 dimensions
    data = make("spheres", seed, n_samples=4400, noise=0.0)
    np.testing.assert_array_equal(np.bincount(data.y), [220] * 10 + [2200])
    for sphere in range(11):
        points = data.X[data.y == sphere]
        center = center_of(points)
        np.testing.assert_allclose(
            np.linalg.norm(points - center, axis=1), 25 if sphere == 10 else 5, rtol=1e-9
        )
        # Uniform directions have a mean with norm about 1/sqrt(n).
        directions = (points - center) / np.linalg.norm(points - center, axis=1, keepdims=True)
        assert np.linalg.norm(directions.mean(axis=0)) * np.sqrt(len(points)) < 1.3
    assert np.linalg.norm(center) < 1e-9


def test_spread_of_centers(seed):
    many = {"n_samples": 4000, "n_spheres": 1000, "n_features": 41}
    data = make("spheres", seed, radius=1e-9, spread=7.0, noise=0.0, **many)
    centers = data.X[:2000:2]
    assert np.sqrt((centers**2).mean()) == pytest.approx(7 / np.sqrt(40), rel=0.02)
    assert np.linalg.norm(centers, axis=1).mean() == pytest.approx(7, rel=0.02)


def test_clean_points_can_be_left_out(seed):
    data = make("spheres", seed, noise=0.3, keep_clean=False)
    np.testing.assert_array_equal(data.X, make("spheres", seed, noise=0.3).X)
    assert data.clean is None
    assert data.reference is data.X
