"""Areas, shading and depth order of rendered images, against closed forms."""

import numpy as np
import pytest

from nldr.datasets.rendering.renderer import Camera, Lighting, Mesh, join, rasterize, render

PLAIN = Lighting(np.array([[0, 0, 1]]), np.ones((1, 1)))  # from the viewer
FLAT = Lighting(np.array([[0, 0, 1]]), np.zeros((1, 1)), ambient=1.0)  # colors unchanged


def flat(points, y=0.0, color=1.0):
    """Return a convex polygon that faces the viewer, at distance ``y`` behind the axis."""
    vertices = np.array([(x, y, z) for x, z in points], float)
    fan = [(0, i, i + 1) for i in range(1, len(points) - 1)]
    return Mesh(vertices, np.array(fan), np.full((len(fan), 1), color))


def sphere(n=60):
    polar, angle = np.linspace(0, np.pi, n + 1)[:, None], np.linspace(0, 2 * np.pi, 2 * n + 1)
    grid = [np.sin(polar) * np.cos(angle), np.sin(polar) * np.sin(angle), np.cos(polar) + 0 * angle]
    corner = np.arange((n + 1) * (2 * n + 1)).reshape(n + 1, -1)[:-1, :-1].ravel()
    right, below = corner + 1, corner + 2 * n + 1
    triangles = np.stack([corner, below, below + 1, corner, below + 1, right], 1).reshape(-1, 3)
    return Mesh(np.stack(grid, -1).reshape(-1, 3), triangles, np.ones((len(triangles), 1)))


def gray(mesh, camera, lighting=PLAIN, angle=0):
    return render(mesh, angle, camera, lighting)[:, :, 0]


def test_area_of_triangle():
    corners = [(-10.3, -7.1), (11.7, -9.4), (2.2, 12.9)]
    (a, b), (c, d), (e, f) = corners
    area = abs((c - a) * (f - b) - (e - a) * (d - b)) / 2
    assert gray(flat(corners), Camera((32, 32), samples=8)).sum() == pytest.approx(area, rel=2e-3)


def test_position_of_square():
    image = gray(flat([(1, 2), (5, 2), (5, 4.5), (1, 4.5)]), Camera((16, 16)))
    expected = np.zeros((16, 16))
    expected[4:6, 9:13] = 1  # up the image is up, right is right
    expected[3, 9:13] = 0.5
    np.testing.assert_allclose(image, expected, atol=1e-12)


def test_tiling_covers_each_sample_once(rng):
    n = 6
    column, row = np.meshgrid(np.linspace(0, 30, n + 1), np.linspace(0, 30, n + 1))
    inner = np.pad(np.ones((n - 1, n - 1)), 1)
    column, row = (a + rng.integers(-1, 2, a.shape) * inner for a in (column, row))
    points = np.stack([column, row, 0 * row], -1).reshape(-1, 3)
    corner = np.arange((n + 1) ** 2).reshape(n + 1, -1)[:-1, :-1].ravel()
    quads = [corner, corner + 1, corner + n + 2, corner, corner + n + 2, corner + n + 1]
    triangles = points[np.stack(quads, 1).reshape(-1, 3)]
    hits = np.concatenate([rasterize(t[None], (31, 31))[0] for t in triangles])
    rows, columns = np.mgrid[:30, :30]  # the last row and column belong to the next tiles
    np.testing.assert_array_equal(np.sort(hits), (rows * 31 + columns).ravel())


def test_barycentric_weights():
    corners = np.array([[[1.2, 2.3, 5], [17.8, 4.1, 1], [6.6, 18.9, -3]]])
    sample, triangle, weights = rasterize(corners, (20, 20))
    assert (triangle == 0).all()
    assert weights.min() > -1e-12
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    expected = np.column_stack([sample % 20, sample // 20])
    np.testing.assert_allclose(weights @ corners[0, :, :2], expected, atol=1e-12)


def test_clipping_at_image_border():
    big = flat([(-100, -100), (100, -100), (100, 100), (-100, 100)])
    np.testing.assert_allclose(gray(big, Camera((9, 13))), 1)
    away = flat([(50, -1), (60, -1), (60, 1)])
    np.testing.assert_array_equal(gray(away, Camera((9, 13))), 0)


def test_nearest_surface_is_visible():
    far = flat([(-4, -4), (4, -4), (4, 4), (-4, 4)], y=1, color=0.2)
    near = flat([(-2, -2), (2, -2), (2, 2), (-2, 2)], y=-1, color=0.9)
    expected = np.pad(np.full((4, 4), 0.9), 2, constant_values=0.2)
    for both in (join(far, near), join(near, far)):
        np.testing.assert_allclose(gray(both, Camera((8, 8)), FLAT), expected)
    behind = np.full((8, 8), 0.2)
    np.testing.assert_allclose(gray(join(near, far), Camera((8, 8)), FLAT, 180), behind)


def test_intersecting_planes():
    rising = Mesh(
        np.array([[-8, 8, -8], [8, -8, -8], [8, -8, 8], [-8, 8, 8]]),
        np.array([[0, 1, 2], [0, 2, 3]]),
        np.full((2, 1), 0.9),
    )
    image = gray(
        join(rising, flat([(-8, -8), (8, -8), (8, 8), (-8, 8)], color=0.3)), Camera((16, 16)), FLAT
    )
    np.testing.assert_allclose(image, np.tile(np.repeat([0.3, 0.9], 8), (16, 1)))


def test_sphere_is_shaded_by_cosine():
    radius = 24.0
    image = gray(sphere(), Camera((64, 64), scale=radius, samples=4))
    row, column = np.mgrid[:64, :64] - 31.5
    square = (row**2 + column**2) / radius**2
    inside = square < 0.8
    np.testing.assert_allclose(image[inside], np.sqrt(1 - square[inside]), atol=4e-3)
    assert (image[square > 1.1] == 0).all()
    covered = gray(sphere(), Camera((64, 64), scale=radius, samples=4), FLAT)
    assert covered.sum() == pytest.approx(np.pi * radius**2, rel=2e-3)
    assert image.sum() == pytest.approx(2 / 3 * np.pi * radius**2, rel=2e-3)  # Lambert's mean


def test_light_from_the_side():
    side = Lighting(np.array([[3.0, 0, 0]]), np.array([[0.5]]), ambient=0.1)
    image = gray(sphere(), Camera((64, 64), scale=24), side)
    column = (np.arange(64) - 31.5) / 24
    np.testing.assert_allclose(
        image[31, 12:52], 0.1 + 0.5 * np.maximum(column, 0)[12:52], atol=9e-3
    )


def test_highlight_is_halfway_between_light_and_viewer():
    light = Lighting(np.array([[1.0, 0, 1]]), np.ones((1, 1)), gloss=0.5, shininess=20)
    black = Mesh(sphere().vertices, sphere().triangles, np.zeros((len(sphere().triangles), 1)))
    image = gray(black, Camera((65, 65), scale=30), light)
    row, column = np.unravel_index(image.argmax(), image.shape)
    assert (row, column) == (32, pytest.approx(32 + 30 * np.sin(np.pi / 8), abs=1))
    assert image.max() == pytest.approx(0.5, abs=5e-3)


def test_smooth_and_sharp_edges():
    ball = sphere(30)
    corners = ball.vertices[ball.triangles]
    area = np.linalg.norm(ball.face_normals, axis=1) > 0
    cosine = np.einsum("ijk,ijk->ij", corners, ball.corner_normals)[area]
    assert cosine.min() > 0.998  # poles and seam included
    box = join(
        flat([(0, 0), (1, 0), (1, 1), (0, 1)]),
        Mesh(np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1]]), np.array([[0, 1, 2]]), np.ones((1, 1))),
    )
    np.testing.assert_allclose(box.corner_normals, np.repeat(box.face_normals[:, None], 3, 1))


def test_turntable_turns_counterclockwise():
    camera = Camera((16, 16), elevation=90)  # from above, the front at the lower edge
    dot = Mesh(
        np.array([[4, -1, 0], [6, -1, 0], [6, 1, 0], [4, 1, 0]]),
        np.array([[0, 1, 2], [0, 2, 3]]),
        np.ones((2, 1)),
    )
    centers = []
    for angle in (0, 90, 180, 270, 360):
        row, column = np.nonzero(gray(dot, camera, angle=angle))
        centers.append((column.mean() - 7.5, 7.5 - row.mean()))
    np.testing.assert_allclose(centers, [(5, 0), (0, 5), (-5, 0), (0, -5), (5, 0)], atol=0.3)


@pytest.mark.parametrize("shape", [(40, 40), (30, 60), (60, 30)])
def test_framing_fits_all_views(shape):
    blade = Mesh(
        np.array([[-0.3, 0, -2], [1, 0, -2], [1, 0, 1], [-0.3, 0.1, 1]]),
        np.array([[0, 1, 2], [0, 2, 3]]),
        np.ones((2, 1)),
    )
    camera = Camera.framing(blade, shape, elevation=30, filled=0.9)
    union = np.max([gray(blade, camera, FLAT, angle) for angle in range(0, 360, 5)], axis=0)
    rows, columns = np.flatnonzero(union.any(axis=1)), np.flatnonzero(union.any(axis=0))
    high, wide = np.ptp(rows) + 1, np.ptp(columns) + 1
    assert max(high / shape[0], wide / shape[1]) == pytest.approx(0.9, abs=2.1 / min(shape))
    assert rows[0] + rows[-1] == pytest.approx(shape[0] - 1, abs=1)
    assert columns[0] + columns[-1] == pytest.approx(shape[1] - 1, abs=1)


def test_background_fills_uncovered_pixels():
    wall = np.array([0.2, 0.4, 0.6])
    half = flat([(0, -9), (9, -9), (9, 9), (0, 9)])
    colored = Mesh(half.vertices, half.triangles, np.tile([1.0, 0.5, 0.0], (2, 1)))
    light = Lighting(np.array([[0, 0, 1]]), np.zeros((1, 3)), ambient=1.0)
    image = render(colored, 0, Camera((6, 7)), light, wall)
    np.testing.assert_allclose(image[:, :3], np.broadcast_to(wall, (6, 3, 3)))
    np.testing.assert_allclose(image[:, 4:], np.broadcast_to([1, 0.5, 0], (6, 3, 3)))
    mixed = np.mean([wall, [1, 0.5, 0]], axis=0)
    np.testing.assert_allclose(image[:, 3], np.broadcast_to(mixed, (6, 3)))
