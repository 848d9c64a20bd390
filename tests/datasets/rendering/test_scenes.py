"""Rendered datasets are closed curves of distinct solids; shape of the teapot."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist

from nldr.datasets.rendering._solids import SOLIDS
from nldr.datasets.rendering.scenes import teapot, turntable, utah_teapot


@pytest.fixture(scope="module")
def small():
    return turntable(n_objects=20, n_views=72, size=32)


def assert_ring(X, margin=1.0):
    """Assert that the two nearest views of each view are the previous and the next one."""
    n = len(X)
    distance = cdist(X, X)
    here = np.arange(n)
    beside = np.maximum(distance[here, (here + 1) % n], distance[here, here - 1])
    for step in (-1, 0, 1):
        distance[here, (here + step) % n] = np.inf
    assert (distance.min(axis=1) > margin * beside).all()


def edges(mesh):
    """Return the directed edges of all nondegenerate triangles, between merged vertices."""
    corners = mesh.welded[np.linalg.norm(mesh.face_normals, axis=1) > 0]
    return corners.ravel(), np.roll(corners, -1, axis=1).ravel()


def unmatched(mesh):
    """Return the edges, shape (n, 2), whose reverse is not an edge."""
    start, end = edges(mesh)
    number = mesh.welded.max() + 1
    return np.column_stack([start, end])[~np.isin(start * number + end, end * number + start)]


def test_turntable_arrays(small):
    assert small.X.shape == (1440, 1024)
    assert small.X.dtype == np.float64
    assert small.image_shape == (32, 32)
    assert small.X.min() == 0
    assert 0.8 < small.X.max() <= 1
    np.testing.assert_array_equal(np.bincount(small.y), [72] * 20)
    np.testing.assert_allclose(np.hypot(*small.Z.T), 1)
    steps = np.diff(np.unwrap(np.arctan2(*small.Z[:72].T[::-1])))
    np.testing.assert_allclose(steps, np.deg2rad(5))
    np.testing.assert_array_equal(small.Z[:72], small.Z[-72:])


@pytest.mark.parametrize("solid", range(20), ids=[solid.__name__ for solid in SOLIDS])
def test_views_of_solid_form_closed_ring(small, solid):
    assert_ring(small.X[small.y == solid])


def test_solids_are_distinct(small):
    views = [small.X[small.y == solid] for solid in range(20)]
    between = [cdist(a, b).min() for i, a in enumerate(views) for b in views[:i]]
    within = [np.linalg.norm(np.diff(a, axis=0), axis=1).max() for a in views]
    assert min(between) > max(within)


def test_views_lie_within_the_image(small):
    images = small.X.reshape(-1, 32, 32)
    for border in (images[:, 0], images[:, -1], images[:, :, 0], images[:, :, -1]):
        assert (border == 0).all()


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda solid: solid.__name__)
def test_solids_are_closed(solid):
    mesh = solid()
    assert len(unmatched(mesh)) == 0
    assert ((mesh.colors > 0) & (mesh.colors <= 1)).all()


def test_fewer_objects_and_views_are_a_subset(small):
    part = turntable(n_objects=2, n_views=18, size=32)
    np.testing.assert_allclose(part.X, small.X[:144:4], atol=1e-12)
    np.testing.assert_array_equal(part.y, small.y[:144:4])


@pytest.mark.parametrize(
    ("scene", "params", "message"),
    [
        (turntable, {"n_objects": 21}, "n_objects must be at most 20, got 21"),
        (turntable, {"n_views": 0}, "n_views must be greater than 0, got 0"),
        (turntable, {"size": -1}, "size must be greater than 0, got -1"),
        (utah_teapot, {"height": 0}, "height must be greater than 0, got 0"),
    ],
)
def test_bad_parameters_raise(scene, params, message):
    sizes = {"n_objects": 1, "size": 8} if scene is turntable else {"height": 5, "width": 5}
    with pytest.raises(ValueError, match=f"^{message}$"):
        scene(**{"n_views": 1, **sizes, **params})


def test_teapot_bounding_box():
    vertices = teapot(24).vertices
    np.testing.assert_allclose(vertices.min(axis=0), [-3, -2, 0], atol=1e-12)
    t = np.linspace(0, 1, 1001)  # the spout's tip is a cubic between these control points
    tip = np.polynomial.Polynomial([3.3, 0.675, -0.9, 0.125])(t)
    np.testing.assert_allclose(tip[[0, -1]], [3.3, 3.2])
    np.testing.assert_allclose(vertices.max(axis=0), [tip.max(), 2, 3.15], atol=1e-4)


def test_open_edges_of_teapot():
    mesh = teapot(5)
    loose = unmatched(mesh)
    number = mesh.welded.max() + 1
    position = np.empty((number, 3))
    position[mesh.welded.ravel()] = mesh.vertices[mesh.triangles.ravel()]
    graph = coo_array((np.ones(len(loose)), loose.T), shape=(number, number))
    _, loop = connected_components(graph, directed=False)
    middles = [position[loop == i].mean(axis=0) for i in np.unique(loop[loose[:, 0]])]
    # Rim and lid, between which there is a gap; both ends of handle and spout.
    expected = [
        (-1.95, 0, 0.75),
        (-1.55, 0, 2.14),
        (0, 0, 2.4),
        (0, 0, 2.4),
        (1.7, 0, 1.0),
        (3.0, 0, 2.4),
    ]
    np.testing.assert_allclose(
        np.sort(np.round(middles, 6), axis=0), np.sort(expected, axis=0), atol=0.05
    )


def test_teapot_views_form_closed_ring():
    data = utah_teapot(n_views=120, height=38, width=50)
    assert data.X.shape == (120, 38 * 50 * 3)
    assert data.image_shape == (38, 50, 3)
    assert data.y is None
    assert data.X.min() >= 0
    assert data.X.max() <= 1
    np.testing.assert_allclose(data.Z @ data.Z[0], np.cos(np.arange(120) * np.pi / 60), atol=1e-12)
    assert_ring(data.X, margin=1.05)
    images = data.X.reshape(120, 38, 50, 3)
    assert np.ptp(images, axis=3).max() > 0.2  # not gray
    np.testing.assert_array_equal(images[:, 0], np.broadcast_to(images[0, 0, 0], (120, 50, 3)))
