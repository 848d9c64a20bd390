"""Datasets of known truth: holes, rings, cubes, hierarchies, trees, cells, topics, the mammoth."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.spatial.distance import pdist
from synthetic import make

from nldr.datasets.mammoth import Ellipsoid, _ellipsoids, mammoth, sample_surface


def test_s_curve_is_isometric_to_its_latent_and_uniform_outside_the_hole(seed):
    data = make("s_curve_hole", seed, n_samples=4000)
    t, h = data.Z.T
    assert np.hypot(t, h - 2.5).min() > 1.5
    # Steps along the curve have their length in the latent, also across its middle
    order = np.argsort(t)
    steps = np.hypot(*np.diff(data.X[order][:, [0, 2]], axis=0).T)
    np.testing.assert_allclose(steps, np.diff(t[order]), rtol=1e-3, atol=1e-12)
    np.testing.assert_array_equal(data.X[:, 1], h)
    # Share of the points beside the hole
    beside = (3 * 5 - np.pi * 1.5**2) / (3 * np.pi * 5 - np.pi * 1.5**2)
    assert np.mean(abs(t) < 1.5) == pytest.approx(beside, abs=0.025)


@pytest.mark.parametrize("name", ["nested_rings", "hypercube"])
def test_subspaces_keep_the_distances_of_the_latent(name, seed):
    data = make(name, seed, n_samples=200, noise=0.0)
    np.testing.assert_allclose(pdist(data.X), pdist(data.Z), atol=1e-9)
    if name == "nested_rings":
        np.testing.assert_allclose(np.linalg.norm(data.Z, axis=1), data.y + 1)
    else:
        assert 0 <= data.Z.min() < 0.01 < 0.99 < data.Z.max() <= 1


def test_clusters_of_each_level_have_their_size(seed):
    params = {"n_samples": 6400, "n_features": 200, "n_children": 4}
    for level, spread in ((1, 27), (2, 9), (3, 3)):
        data = make("hierarchical_gaussians", seed, **params, label_level=level)
        means = np.array([data.X[data.y == label].mean(axis=0) for label in range(4**level)])
        np.testing.assert_array_equal(np.bincount(data.y), 6400 // 4**level)
        # Siblings are sqrt(2) times the spread apart, up to the levels below
        siblings = pdist(means[:4]).mean() / np.sqrt(2 * 200)
        assert siblings == pytest.approx(spread, rel=0.2)


@pytest.mark.parametrize("path", ["straight", "walk"])
def test_branches_start_where_their_parent_ends(path, seed):
    data = make("tree", seed, n_samples=7 * 400, noise=0.0, path=path)
    ends, starts = {}, {}
    for branch in range(7):
        points, Z = data.X[data.y == branch], data.Z[data.y == branch, 0]
        place = Z - np.floor(Z.min())
        ends[branch], starts[branch] = points[place.argmax()], points[place.argmin()]
        assert np.floor(Z.min()) == (0, 1, 1, 2, 2, 2, 2)[branch]
        length = np.linalg.norm(ends[branch] - starts[branch])
        assert length == pytest.approx(1, abs=0.25 if path == "walk" else 0.02)
        if path == "straight":
            np.testing.assert_allclose(pdist(points), pdist(place[:, None]), atol=1e-9)
        if branch:
            gap = np.linalg.norm(starts[branch] - ends[(branch - 1) // 2])
            assert gap < (0.2 if path == "walk" else 0.05)


def test_counts_of_cells_have_the_mean_and_variance_of_the_model(seed):
    plain = {"values": "counts", "library_sd": 0.0, "dropout": 0.0, "n_samples": 1200}
    data = make("single_cells", seed, **plain)
    mu = data.clean
    np.testing.assert_allclose(mu.sum(axis=1), 2000)
    assert np.mean(data.X) == pytest.approx(mu.mean(), rel=0.02)
    seen = mu > 1
    ratio = (data.X - mu)[seen] ** 2 / (mu + 0.3 * mu**2)[seen]
    assert ratio.mean() == pytest.approx(1, rel=0.05)
    # Library sizes and dropout are added to the same truth
    libraries = make("single_cells", seed, **plain | {"library_sd": 0.5, "dispersion": 0.0})
    np.testing.assert_array_equal(libraries.clean, mu)
    assert np.log(libraries.X.sum(axis=1)).std() == pytest.approx(0.5, rel=0.1)
    lost = make("single_cells", seed, **plain | {"dropout": 0.4, "dispersion": 0.0})
    assert np.mean(lost.X[mu > 20] == 0) == pytest.approx(0.4, abs=0.03)


def test_cells_lie_on_a_stem_and_fates_that_fan_out(seed):
    data = make("single_cells", seed)
    stem = data.Z[data.y == 0]
    assert (stem[:, 1] == 0).all()
    assert 0 <= stem[:, 0].min() <= stem[:, 0].max() <= 1
    for fate, angle in ((1, -np.pi / 3), (2, 0), (3, np.pi / 3)):
        steps = data.Z[data.y == fate] - (1, 0)
        np.testing.assert_allclose(np.arctan2(*steps.T[::-1]), angle, atol=1e-9)
        assert np.linalg.norm(steps, axis=1).max() <= 1
    # Normalized cells of the same place are alike but for noise: the truth explains the data
    assert np.corrcoef(data.X.ravel(), data.clean.ravel())[0, 1] > 0.6
    np.testing.assert_allclose(np.expm1(data.X).sum(axis=1), 2000)


def test_words_have_their_expected_counts_and_documents_few_topics(seed):
    data = make("topic_counts", seed)
    np.testing.assert_allclose(data.Z.sum(axis=1), 1)
    np.testing.assert_allclose(data.clean.sum(axis=1), 80)
    totals, expected = data.X.sum(axis=0), data.clean.sum(axis=0)
    frequent = expected > 20
    z = (totals - expected)[frequent] / np.sqrt(expected[frequent])
    assert abs(z).max() < 6
    assert z.std() == pytest.approx(1, abs=0.2)
    assert (data.Z.max(axis=1) == data.Z[np.arange(1000), data.y]).all()
    assert np.mean(data.Z.max(axis=1) > 0.5) > 0.8
    assert np.mean(data.X == 0) > 0.9


def test_surfaces_are_sampled_by_area(rng):
    # Spheres of radius 1 and 2, far apart, and an ellipsoid with semi-axes 3, 1, 1
    spheres = [Ellipsoid(np.full(3, 9.0 * r), np.full(3, float(r)), np.eye(3), r) for r in (1, 2)]
    parts = sample_surface(spheres, 20_000, rng)[1]
    assert np.mean(parts == 1) == pytest.approx(1 / 5, abs=0.012)
    points, _ = sample_surface(
        [Ellipsoid(np.zeros(3), np.array([3.0, 1, 1]), np.eye(3), 0)], 20_000, rng
    )

    def area(x):
        """Return the area of the ellipsoid per length of its long axis."""
        return np.sqrt(1 - x**2 / 9 + (x / 9) ** 2)

    expected = quad(area, 2, 3)[0] / quad(area, 0, 3)[0]
    assert np.mean(abs(points[:, 0]) > 2) == pytest.approx(expected, abs=0.012)


def test_mammoth_is_the_surface_of_a_union(seed):
    data = mammoth(n_samples=3000, noise=0.0, rng=np.random.default_rng(seed))
    depths = [np.linalg.norm((data.X - e.center) @ e.axes / e.radii, axis=1) for e in _ellipsoids()]
    np.testing.assert_allclose(np.min(depths, axis=0), 1, rtol=1e-9)
    # The left half is the mirror image of the right: as many points, legs included
    assert np.mean(data.X[:, 1] > 0) == pytest.approx(0.5, abs=0.03)
    assert len(np.unique(data.y)) == 10


def test_branches_grow_out_of_each_other(seed):
    data = make("branches", seed, n_samples=400, n_branches=6, noise=0.0)
    # Coordinates are 1 on the way from the root, a fraction on the own branch, 0 elsewhere
    inner = (data.Z > 0) & (data.Z < 1)
    np.testing.assert_array_equal(inner.argmax(axis=1), data.y)
    assert (inner.sum(axis=1) == 1).all()
    assert (data.Z[data.y > 0] == 1).any(axis=1).all()
    # Neighbors on a branch stay neighbors where it bends
    branch = data.y == 3
    order = np.argsort(data.Z[branch, 3])
    steps = np.linalg.norm(np.diff(data.X[branch][order], axis=0), axis=1)
    assert steps.max() < pdist(data.X[branch]).max() / 3
