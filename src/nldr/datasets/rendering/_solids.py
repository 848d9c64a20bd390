"""Twenty solids for the turntable, built from a few kinds of surface.

The unit of length is arbitrary, z points up, and the turntable rotates about the z axis. No solid
is rotationally symmetric: each looks different at every angle.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from nldr.datasets.rendering.renderer import Mesh, grid_triangles, join

TURN = 2 * np.pi

# Building blocks


def sheet(points: NDArray, color: ArrayLike) -> Mesh:
    """Return a surface over a grid of points, of shape (n_u, n_v, 3).

    The gray value is that of the surface, or of each of its quadrilaterals.
    """
    n_u, n_v, _ = points.shape
    # Two triangles of the same color per quadrilateral
    triangles = grid_triangles(n_u, n_v)
    colors = np.broadcast_to(color, (n_u - 1, n_v - 1)).reshape(-1)
    return Mesh(points.reshape(-1, 3), triangles, np.repeat(colors, 2)[:, None].astype(float))


def placed(mesh: Mesh, *, shift: ArrayLike = (0, 0, 0), turn: ArrayLike = (0, 0, 0)) -> Mesh:
    """Rotate a mesh about the x, y and z axes (degrees, in this order), then shift it."""
    vertices = Rotation.from_euler("xyz", turn, degrees=True).apply(mesh.vertices)
    return Mesh(vertices + np.asarray(shift), mesh.triangles, mesh.colors)


def _closed_angles(n: int) -> NDArray:
    """Return n + 1 angles of a full turn, of which the last is exactly the first."""
    angle = np.linspace(0, TURN, n + 1)
    angle[-1] = 0
    return angle


def revolved(profile: ArrayLike, color: ArrayLike = 0.8, n: int = 48) -> Mesh:
    """Return the surface of revolution of radii and heights, shape (n_points, 2), about z."""
    radius, height = np.asarray(profile, float).T[:, :, None]
    angle = _closed_angles(n)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle), height + 0 * angle], axis=-1)
    return sheet(points, color)


def smooth(points: ArrayLike, n: int = 32) -> NDArray:
    """Return ``n`` points of the cubic spline through points of shape (n_points, 2 or 3)."""
    points = np.asarray(points, float)
    length = np.append(0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
    return CubicSpline(length, points)(np.linspace(0, length[-1], n))


def tube(
    curve: NDArray, radius: ArrayLike, across: tuple[int, int, int], color: float = 0.8
) -> Mesh:
    """Return a tube around a curve of shape (n_points, 3), which may be closed.

    ``across`` is a direction to which the curve is never parallel. Open ends are capped.
    """
    closed = np.allclose(curve[0], curve[-1])
    tangent = np.gradient(curve, axis=0)
    if closed:
        tangent[0] = tangent[-1] = curve[1] - curve[-2]
    normal = np.cross(tangent, across)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    binormal = np.cross(tangent, normal)
    binormal /= np.linalg.norm(binormal, axis=1, keepdims=True)
    angle = _closed_angles(18)[:, None, None]
    radius = np.broadcast_to(radius, len(curve))[:, None]
    rings = curve + radius * (np.cos(angle) * normal + np.sin(angle) * binormal)
    # Caps: rings of radius zero
    if not closed:
        ends = np.broadcast_to(curve[[0, -1]], (19, 2, 3))
        rings = np.concatenate([ends[:, :1], rings, ends[:, 1:]], axis=1)
    return sheet(rings, color)


def prism(outline: ArrayLike, height: float, color: float = 0.8, top: float = 1.0) -> Mesh:
    """Return a prism over an outline of shape (n_points, 2), star-shaped about its center.

    ``top`` scales the upper outline.
    """
    outline = np.asarray(outline, float)
    outline = np.concatenate([outline, outline[:1]])
    middle = outline[:-1].mean(axis=0)
    # Center and outline at the bottom, outline and center at the top
    flat = [0 * outline + middle, outline, top * outline, 0 * outline + top * middle]
    levels = [-height / 2, -height / 2, height / 2, height / 2]
    heights = np.broadcast_to(np.array(levels)[:, None, None], (4, len(outline), 1))
    return sheet(np.concatenate([np.stack(flat), heights], axis=2), color)


def box(size: ArrayLike, middle: ArrayLike, color: float = 0.8) -> Mesh:
    """Return a box with given side lengths and center."""
    x, y, z = np.asarray(size, float)
    corners = np.array([[-x, -y], [x, -y], [x, y], [-x, y]]) / 2
    return placed(prism(corners, z, color), shift=middle)


def cylinder(radius: float, length: float, color: float = 0.8) -> Mesh:
    """Return an upright cylinder centered at the origin."""
    angle = np.arange(36) * TURN / 36
    return prism(radius * np.column_stack([np.cos(angle), np.sin(angle)]), length, color)


def blob(
    shape: Callable[[NDArray], NDArray], color: ArrayLike = 0.8, n_up: int = 28, n_round: int = 48
) -> Mesh:
    """Return the image of the unit sphere under a function of points, shape (..., 3)."""
    polar = np.linspace(0, np.pi, n_up + 1)[:, None]
    angle = _closed_angles(n_round)
    flat, up = np.sin(polar), np.cos(polar) + 0 * angle
    sphere = np.stack([flat * np.cos(angle), flat * np.sin(angle), up], axis=-1)
    return sheet(shape(sphere), color)


def ellipsoid(radii: ArrayLike, middle: ArrayLike = (0, 0, 0), color: float = 0.8) -> Mesh:
    """Return an ellipsoid with axes parallel to x, y and z."""
    return blob(lambda p: p * np.asarray(radii) + np.asarray(middle), color, 20, 36)


def superquadric(p: NDArray, exponent: float) -> NDArray:
    """Map the unit sphere to a superquadric: cube-like for exponents below 1, spiky above 2."""
    flat = np.linalg.norm(p[..., :2], axis=-1, keepdims=True)
    round_ = np.divide(p[..., :2], flat, out=np.zeros_like(p[..., :2]), where=flat > 1e-9)
    signed = np.concatenate([round_, p[..., 2:]], axis=-1)
    power = np.sign(signed) * np.abs(signed) ** exponent
    return np.concatenate([power[..., :2] * flat**exponent, power[..., 2:]], axis=-1)


# The solids


def bumpy_ball() -> Mesh:
    """Return a ball with seven bumps of different heights."""
    # Directions on a spiral from pole to pole
    k = np.arange(7)
    up = 1 - (2 * k + 1) / 7
    flat = np.sqrt(1 - up**2)
    centers = np.column_stack([flat * np.cos(2.4 * k), flat * np.sin(2.4 * k), up])
    heights = 0.25 + 0.06 * k

    def shape(p: NDArray) -> NDArray:
        bumps = np.exp(12 * (p @ centers.T - 1)) @ heights
        return p * (1 + bumps[..., None])

    return blob(shape, 0.75, 40, 60)


def stairs() -> Mesh:
    """Return four steps."""
    grays = (0.9, 0.7, 0.85, 0.65)
    steps = [(0.5 * k - 0.75, 0.35 * (k + 1), gray) for k, gray in enumerate(grays)]
    return join(*[box((0.5, 1.2, h), (x, 0, h / 2), gray) for x, h, gray in steps])


def ring() -> Mesh:
    """Return a standing ring that is thicker on one side."""
    t = np.linspace(0, TURN, 61)
    curve = np.column_stack([np.cos(t), 0 * t, np.sin(t)])
    return placed(tube(curve, 0.27 + 0.13 * np.cos(t - 0.6), (0, 1, 0), 0.8), turn=(15, 0, 0))


def oblique_cone() -> Mesh:
    """Return a cone whose apex is not above the center of its base."""
    angle = _closed_angles(48)
    base = np.stack([np.cos(angle) - 0.2, np.sin(angle), 0 * angle - 0.9], axis=-1)
    ring_, tip = base[None], np.array([0.75, 0, 1.1])
    sides = ring_ + np.linspace(0, 1, 9)[:, None, None] * (tip - ring_)
    return sheet(np.concatenate([0 * ring_ + [-0.2, 0, -0.9], sides]), 0.85)


def pillow() -> Mesh:
    """Return a rounded box that is wider at one end and bent."""

    def shape(p: NDArray) -> NDArray:
        x, y, z = np.moveaxis(superquadric(p, 0.4), -1, 0)
        wide = 0.6 + 0.25 * x
        return np.stack([x, wide * y, 0.9 * wide * z - 0.3 * x**2 + 0.2 * x], axis=-1)

    return blob(shape, 0.8, 36, 60)


def spikes() -> Mesh:
    """Return an eight-sided star body with arms of different lengths."""

    def shape(p: NDArray) -> NDArray:
        q = superquadric(p, 2.2)
        return q * np.where(q > 0, [1.5, 1.1, 1.2], [0.9, 0.75, 1.0])

    return blob(shape, 0.85, 40, 64)


def mug() -> Mesh:
    """Return a mug, with the axis in the middle of body and handle."""
    wall = [(0, 0), (0.62, 0), (0.7, 0.08), (0.7, 1.5), (0.6, 1.5), (0.6, 0.15), (0, 0.15)]
    handle = smooth([(0.65, 0, 1.3), (1.1, 0, 1.3), (1.3, 0, 0.8), (1.1, 0, 0.3), (0.65, 0, 0.3)])
    parts = join(revolved(wall, 0.85), tube(handle, 0.1, (0, 1, 0), 0.6))
    return placed(parts, shift=(-0.35, 0, 0))


def jug() -> Mesh:
    """Return an oval jug with lip and handle."""
    outside = smooth([(0.5, 0), (0.75, 0.4), (0.72, 0.8), (0.42, 1.3), (0.5, 1.7)])
    inside = outside[::-1] - [0.06, 0]
    body = revolved([(0, 0), *outside, *inside, (0, 0.1)], 0.7)
    x, y, z = body.vertices.T
    lip = np.clip((z - 1.3) / 0.4, 0, 1) ** 2 * np.exp(-((y / 0.25) ** 2)) * (x < 0)
    vertices = np.column_stack([x - 0.45 * lip, 0.8 * y, z + 0.1 * lip])
    handle = smooth([(0.45, 0, 1.6), (0.8, 0, 2), (1.2, 0, 1.6), (1.05, 0, 0.9), (0.68, 0, 0.55)])
    return join(Mesh(vertices, body.triangles, body.colors), tube(handle, 0.08, (0, 1, 0), 0.7))


def star_column() -> Mesh:
    """Return a tapered column over a star with rays of different lengths."""
    angle = np.arange(10) * TURN / 10
    radius = np.array([1.2, 0.5, 0.65, 0.35, 1.0, 0.5, 0.6, 0.4, 0.95, 0.3])
    outline = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return prism(outline, 1.7, 0.85, top=0.7)


def spring() -> Mesh:
    """Return a spring that narrows towards the top."""
    t = np.linspace(0, 3.6, 150)
    radius = 0.85 - 0.12 * t
    curve = np.column_stack([radius * np.cos(TURN * t), radius * np.sin(TURN * t), 0.45 * t])
    return tube(curve, 0.12, (0, 0, 1), 0.85)


def knot() -> Mesh:
    """Return a tilted trefoil knot."""
    t = np.linspace(0, TURN, 141)
    flat = [np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -1.2 * np.sin(3 * t)]
    return placed(tube(np.column_stack(flat), 0.5, (0, 0, 1), 0.75), turn=(70, 25, 0))


def gear() -> Mesh:
    """Return a standing gear wheel with a hub and a crank pin on one side."""
    k = np.arange(48)
    radius = np.where(k % 4 < 2, 1.0, 0.82)
    outline = radius[:, None] * np.column_stack([np.cos(k * TURN / 48), np.sin(k * TURN / 48)])
    pin = placed(cylinder(0.12, 0.6, 0.95), shift=(0.35, 0.4, 0.4))
    hub = placed(cylinder(0.3, 0.3, 0.5), shift=(0, 0, 0.25))
    return placed(join(prism(outline, 0.35, 0.75), hub, pin), turn=(90, 0, 0))


def house() -> Mesh:
    """Return a house with a chimney, a door and a lean-to."""
    front = [(-0.6, -0.5), (0.6, -0.5), (0.6, 0.3), (0, 0.9), (-0.6, 0.3)]
    lean_to = [(-1.15, -0.5), (-0.55, -0.5), (-0.55, 0.2), (-1.15, -0.05)]
    walls = placed(prism(front, 1.6, 0.9), turn=(90, 0, 90))
    shed = placed(prism(lean_to, 0.9, 0.45), shift=(-0.35, 0, 0), turn=(90, 0, 90))
    chimney = box((0.22, 0.22, 0.7), (0.45, 0.28, 0.75), 0.55)
    return join(walls, shed, chimney, box((0.06, 0.35, 0.6), (0.8, -0.1, -0.2), 0.3))


def dumbbell() -> Mesh:
    """Return two balls of different sizes and grays on a tilted bar."""
    bar = tube(np.linspace([-0.8, 0, 0], [0.9, 0, 0], 5), 0.14, (0, 0, 1), 0.6)
    ends = ellipsoid([0.55] * 3, (-0.8, 0, 0), 0.85), ellipsoid([0.36] * 3, (0.9, 0, 0), 0.7)
    return placed(join(bar, *ends), turn=(0, -35, 0))


def chair() -> Mesh:
    """Return a chair."""
    legs = [box((0.12, 0.12, 0.8), (x, y, -0.4), 0.6) for x in (-0.4, 0.4) for y in (-0.4, 0.4)]
    slats = [box((0.1, 0.92, 0.22), (-0.41, 0, z), 0.8) for z in (0.45, 0.85)]
    posts = [box((0.12, 0.12, 1.0), (-0.4, y, 0.5), 0.6) for y in (-0.4, 0.4)]
    return join(box((0.95, 0.95, 0.12), (0, 0, 0), 0.9), *legs, *slats, *posts)


def car() -> Mesh:
    """Return a toy car."""
    side = [(-1.1, -0.2), (1.15, -0.2), (1.15, 0.1), (0.55, 0.2), (-1.1, 0.2)]
    cabin = [(-1.0, 0), (0.5, 0), (0.1, 0.42), (-0.8, 0.42)]
    wheel = placed(cylinder(0.27, 0.2, 0.3), turn=(90, 0, 0))
    wheels = [placed(wheel, shift=(x, y, -0.25)) for x in (-0.65, 0.7) for y in (-0.5, 0.5)]
    body = placed(prism(side, 1.0, 0.85), turn=(90, 0, 0))
    roof = placed(prism(cabin, 0.8, 0.55), shift=(0, 0, 0.2), turn=(90, 0, 0))
    return join(body, roof, *wheels)


def duck() -> Mesh:
    """Return a rubber duck."""

    def body(p: NDArray) -> NDArray:
        x, y, z = np.moveaxis(p * [0.95, 0.62, 0.5], -1, 0)
        return np.stack([x, y * (1 + 0.2 * x), z + 0.45 * np.clip(-x - 0.2, 0, 1) ** 1.5], axis=-1)

    head = ellipsoid([0.4, 0.38, 0.38], (0.5, 0, 0.72), 0.85)
    beak = ellipsoid([0.28, 0.2, 0.08], (0.92, 0, 0.66), 0.5)
    eyes = [ellipsoid([0.06] * 3, (0.78, y, 0.84), 0.1) for y in (-0.21, 0.21)]
    return join(blob(body, 0.85), head, beak, *eyes)


def shell() -> Mesh:
    """Return a snail's shell."""
    t = np.linspace(0, 3.2, 160)
    grown = 1.9 ** (t - 3.2)
    curve = np.column_stack([np.cos(TURN * t), np.sin(TURN * t), -2.2 + 0 * t]) * grown[:, None]
    return tube(0.75 * curve, 0.48 * grown, (0, 0, 1), 0.8)


def painted_ball() -> Mesh:
    """Return a ball with sectors of six grays, dark caps and a belt."""
    polar, gore = np.mgrid[:36, :60]
    color = np.array([0.95, 0.35, 0.7, 0.2, 0.85, 0.5])[gore // 10]
    color = np.where((polar < 4) | (polar >= 32), 0.15, color)
    color = np.where((polar >= 17) & (polar < 20), 0.9 - 0.9 * color, color)
    return blob(lambda p: p, color, 36, 60)


def bottle() -> Mesh:
    """Return a dark bottle with two printed labels."""
    profile = smooth([(0.5, 0), (0.5, 0.5), (0.5, 1.1), (0.2, 1.55), (0.18, 1.9)], 40)
    profile = np.array([(0, 0), (0.46, -0.04), *profile, (0.23, 1.9), (0.23, 2.05), (0, 2.05)])
    height = (profile[1:, 1] + profile[:-1, 1])[:, None] / 2
    sector = np.arange(60)
    # Front and back label
    front = (height > 0.25) & (height < 1.05) & (sector < 26)
    back = (height > 0.4) & (height < 0.9) & (sector > 36) & (sector < 50)
    # Lines of print on both labels
    lines = (np.abs(height - 0.8) < 0.1) & (sector > 3) & (sector < 22)
    lines |= (np.abs(height - 0.45) < 0.1) & (sector > 3) & (sector < 10)
    lines |= (np.abs(height - 0.65) < 0.12) & (sector > 43) & (sector < 47)
    color = np.where(lines, 0.25, np.where(front, 0.95, np.where(back, 0.75, 0.4)))
    return revolved(profile, color, 60)


# The solids in the order of their labels
SOLIDS: tuple[Callable[[], Mesh], ...] = (
    duck,
    stairs,
    bumpy_ball,
    ring,
    car,
    mug,
    spring,
    oblique_cone,
    house,
    painted_ball,
    chair,
    knot,
    jug,
    pillow,
    gear,
    shell,
    bottle,
    star_column,
    dumbbell,
    spikes,
)
