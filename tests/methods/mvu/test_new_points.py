"""Placement of new points: exact where the truth is known, near it on held-out points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist, pdist
from sklearn.linear_model import LinearRegression

from nldr.datasets.manifolds import swiss_roll
from nldr.methods.mvu._new_points import LocalMaps
from nldr.methods.mvu.mvu import MVU


@pytest.fixture
def sheet(rng):
    """Return points of a flat rectangle in five dimensions, and their coordinates in it."""
    Z = rng.random((70, 2)) * [2, 1]
    axes = np.linalg.qr(rng.standard_normal((5, 5)))[0][:2]
    return Z @ axes + 3, Z


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_new_points_of_a_linear_manifold_are_placed_exactly(metric, sheet):
    X, Z = sheet
    train = X[:50]
    distances = metric == "precomputed"
    # Complete graph: the solution is known, and has no gap
    mvu = MVU(n_neighbors=49, metric=metric).fit(cdist(train, train) if distances else train)
    Y = mvu.transform(cdist(X, train) if distances else X)
    assert_allclose(pdist(Y), pdist(Z), atol=1e-10)


@pytest.mark.parametrize("constraint", ["equal", "shrink"])
def test_held_out_points_of_a_roll_are_as_accurate_as_the_fit(constraint, rng):
    data = swiss_roll(n_samples=500, height=8.0, noise=0.05, rng=rng)
    mvu = MVU(n_neighbors=6, constraint=constraint, disconnected="bridges").fit(data.X[:200])
    truth = LinearRegression().fit(mvu.embedding_, data.Z[:200])

    def error(Y, Z):
        return np.sqrt(np.mean(np.square(truth.predict(Y) - Z)))

    own = error(mvu.embedding_, data.Z[:200])
    new = error(mvu.transform(data.X[200:]), data.Z[200:])
    # At most 3 % of the roll's height beyond the error of the training points themselves
    assert new < own + 0.25


def test_maps_use_points_of_one_component_only(rng):
    # Two parallel lines, unfolded in opposite directions
    t = np.linspace(0, 1, 11)
    data = np.concatenate([np.column_stack([t, 0 * t]), np.column_stack([t, 0 * t + 0.15])])
    coordinates = np.concatenate([t, -t - 3])[:, np.newaxis]
    path = np.column_stack([np.arange(10), np.arange(1, 11)])
    maps = LocalMaps(data, coordinates, np.concatenate([path, path + 11]), 4)
    new = rng.random(20)
    below = maps(np.column_stack([new, np.full(20, 0.05)]))
    above = maps(np.column_stack([new, np.full(20, 0.12)]))
    assert_allclose(below[:, 0], new, atol=1e-12)
    assert_allclose(above[:, 0], -new - 3, atol=1e-12)


def test_maps_do_not_lengthen(rng):
    data, coordinates = rng.standard_normal((30, 3)), 50 * rng.standard_normal((30, 2))
    edges = np.argwhere(np.triu(np.ones((30, 30)), 1))
    maps = LocalMaps(data, coordinates, edges, 6)
    x = rng.standard_normal(3)
    near = x + 1e-6 * rng.standard_normal((20, 3))
    steps = np.linalg.norm(maps(near) - maps(x[np.newaxis]), axis=1)
    assert np.all(steps <= np.linalg.norm(near - x, axis=1) * (1 + 1e-6))
