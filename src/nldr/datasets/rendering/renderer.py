"""A small software renderer: triangle meshes on a turntable, lit, in orthographic projection.

A mesh is projected, its triangles are cut into spans of samples row by row, a z-buffer keeps the
nearest sample, and each is lit by its interpolated normal (Phong 1975) with diffuse reflection
(Lambert) and highlights (Blinn 1977). Pixels are means over a square of samples.

World axes: the turntable turns about z, which points up. Camera axes: x to the right, y up, z
towards the viewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

CREASE = 40.0  # degrees: faces that meet at less look smooth, at more they have an edge
WELD = 6  # decimals to which positions must agree to be one vertex


@dataclass(frozen=True)
class Mesh:
    """Triangles in space, each of one color and seen from both sides.

    Attributes
    ----------
    vertices : ndarray of shape (n_vertices, 3)
        Positions; z points up.
    triangles : ndarray of int of shape (n_triangles, 3)
        Indices of the corners.
    colors : ndarray of shape (n_triangles, n_channels)
        Share of light that is reflected, in [0, 1]: one channel for gray, three for color.
    """

    vertices: NDArray
    triangles: NDArray
    colors: NDArray

    @cached_property
    def welded(self) -> NDArray:
        """Triangles as indices of distinct positions, of shape (n_triangles, 3)."""
        rounded = np.round(self.vertices, WELD) + 0.0  # no negative zeros
        _, which = np.unique(rounded, axis=0, return_inverse=True)
        return which.reshape(-1)[self.triangles]

    @cached_property
    def face_normals(self) -> NDArray:
        """Unit normals of the triangles (zero if without area), of shape (n_triangles, 3)."""
        return _unit(self._areas)

    @cached_property
    def corner_normals(self) -> NDArray:
        """Unit normals of the triangles' corners, of shape (n_triangles, 3, 3).

        The mean over the triangles that meet there at an angle of less than ``CREASE``, weighted
        by area; it wants neighbors whose corners run the same way round.
        """
        from scipy.sparse import coo_array

        n_corners = self.triangles.size
        at = self.welded.ravel()
        incidence = coo_array((np.ones(n_corners), (np.arange(n_corners), at))).tocsr()
        pairs = (incidence @ incidence.T).tocoo()
        one, other = pairs.row // 3, pairs.col // 3
        cosine = np.einsum("ij,ij->i", self.face_normals[one], self.face_normals[other])
        near = cosine > np.cos(np.deg2rad(CREASE))
        weights = coo_array(
            (np.ones(near.sum()), (pairs.row[near], other[near])),
            shape=(n_corners, len(self.triangles)),
        )
        return _unit(weights.tocsr() @ self._areas).reshape(-1, 3, 3)

    @cached_property
    def _areas(self) -> NDArray:
        """Normals of the triangles, as long as twice their area."""
        first, second, third = self.vertices[self.triangles].transpose(1, 0, 2)
        return np.cross(second - first, third - first)


def join(*meshes: Mesh) -> Mesh:
    """Put meshes with equally many channels into one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([m.triangles + s for m, s in zip(meshes, starts, strict=True)]),
        np.concatenate([mesh.colors for mesh in meshes]),
    )


@dataclass(frozen=True)
class Camera:
    """An orthographic camera that looks at the axis of the turntable.

    Attributes
    ----------
    shape : tuple of int
        Height and width of the image, pixels.
    elevation : float
        Angle of the line of sight below the horizontal, degrees.
    scale : float
        Pixels per unit of length.
    middle : float
        What is in the middle of the image, in units of length up the image from the origin.
    samples : int
        Samples per pixel along each side.
    """

    shape: tuple[int, int]
    elevation: float = 0.0
    scale: float = 1.0
    middle: float = 0.0
    samples: int = 2

    @classmethod
    def framing(
        cls,
        mesh: Mesh,
        shape: tuple[int, int],
        *,
        elevation: float,
        filled: float = 0.92,
        samples: int = 2,
    ) -> Camera:
        """Return a camera whose image every view of a mesh just fits, but for a margin.

        Parameters
        ----------
        mesh : Mesh
            The mesh.
        shape : tuple of int
            Height and width of the image, pixels.
        elevation : float
            Angle of the line of sight below the horizontal, degrees.
        filled : float
            Share of the height or width that the union of all views fills.
        samples : int
            Samples per pixel along each side.
        """
        radius = np.hypot(mesh.vertices[:, 0], mesh.vertices[:, 1])
        sine, cosine = np.sin(np.deg2rad(elevation)), np.cos(np.deg2rad(elevation))
        top = (mesh.vertices[:, 2] * cosine + radius * sine).max()
        bottom = (mesh.vertices[:, 2] * cosine - radius * sine).min()
        scale = filled * min(shape[0] / (top - bottom), shape[1] / (2 * radius.max()))
        return cls(shape, elevation, scale, (top + bottom) / 2, samples)

    def axes(self, angle: float) -> NDArray:
        """Return the rows that take world to camera axes when the table is at ``angle`` degrees."""
        sine, cosine = np.sin(np.deg2rad(angle % 360)), np.cos(np.deg2rad(angle % 360))
        up, away = np.cos(np.deg2rad(self.elevation)), np.sin(np.deg2rad(self.elevation))
        turn = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
        return np.array([[1, 0, 0], [0, away, up], [0, -up, away]]) @ turn


@dataclass(frozen=True)
class Lighting:
    """Lights at infinity that stay with the camera.

    Attributes
    ----------
    directions : ndarray of shape (n_lights, 3)
        Towards the lights, in camera axes, of any length.
    colors : ndarray of shape (n_lights, n_channels)
        Strength of the lights.
    ambient : float
        Strength of the light from all around.
    gloss : float
        Strength of the highlights.
    shininess : float
        Exponent of the highlights: larger is smaller and sharper.
    """

    directions: NDArray
    colors: NDArray
    ambient: float = 0.0
    gloss: float = 0.0
    shininess: float = 20.0

    def shade(self, normals: NDArray, colors: NDArray) -> NDArray:
        """Return the light that points reflect towards the viewer.

        Parameters
        ----------
        normals : ndarray of shape (n_points, 3)
            Unit normals in camera axes, on the viewer's side.
        colors : ndarray of shape (n_points, n_channels)
            Share of light that is reflected.

        Returns
        -------
        ndarray of shape (n_points, n_channels)
            Colors in [0, 1].
        """
        towards = _unit(self.directions)
        light = self.ambient + np.maximum(normals @ towards.T, 0) @ self.colors
        shaded = light * colors
        if self.gloss > 0:
            halfway = _unit(towards + np.array([0, 0, 1]))
            mirrored = np.maximum(normals @ halfway.T, 0) ** self.shininess
            shaded += self.gloss * (mirrored @ self.colors)
        return np.clip(shaded, 0, 1)


def render(
    mesh: Mesh, angle: float, camera: Camera, lighting: Lighting, background: float | NDArray = 0.0
) -> NDArray:
    """Draw one view of a mesh.

    Parameters
    ----------
    mesh : Mesh
        What is drawn.
    angle : float
        By how much the turntable has turned, degrees, counterclockwise seen from above.
    camera : Camera
        Where it is seen from.
    lighting : Lighting
        How it is lit.
    background : float or ndarray that broadcasts to (height, width, n_channels)
        What is seen beside the mesh.

    Returns
    -------
    ndarray of shape (height, width, n_channels)
        The image, values in [0, 1].

    Examples
    --------
    >>> square = Mesh(np.array([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]]),
    ...               np.array([[0, 1, 2], [0, 2, 3]]), np.ones((2, 1)))
    >>> light = Lighting(np.array([[0, 0, 1]]), np.ones((1, 1)))
    >>> render(square, 0, Camera((4, 4)), light)[:, :, 0].round(6)
    array([[0., 0., 0., 0.],
           [0., 1., 1., 0.],
           [0., 1., 1., 0.],
           [0., 0., 0., 0.]])
    """
    height, width = camera.shape
    n, n_channels = camera.samples, mesh.colors.shape[1]
    axes = camera.axes(angle)
    x, y, depth = axes @ mesh.vertices.T * camera.scale
    column = n * (x + width / 2) - 0.5
    row = n * (height / 2 - y + camera.middle * camera.scale) - 0.5
    corners = np.column_stack([column, row, depth])[mesh.triangles]
    place, triangle, weights = rasterize(corners, (n * height, n * width))

    normals = np.einsum("ik,ikj->ij", weights, mesh.corner_normals[triangle])
    normals = _unit(normals) @ axes.T
    facing = np.where(mesh.face_normals @ axes[2] < 0, -1.0, 1.0)
    normals *= facing[triangle, None]

    samples = np.zeros((n * height * n * width, n_channels))
    samples[place] = lighting.shade(normals, mesh.colors[triangle])
    covered = np.zeros(len(samples))
    covered[place] = 1
    image, share = (_pixels(part, camera.shape, n) for part in (samples, covered[:, None]))
    return image + (1 - share) * background


def rasterize(
    corners: NDArray, shape: tuple[int, int]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray]:
    """Find the nearest triangle at each sample of a grid.

    A sample on an edge that two triangles share belongs to exactly one of them.

    Parameters
    ----------
    corners : ndarray of shape (n_triangles, 3, 3)
        Column, row and depth of the corners; depth grows towards the viewer. Samples are at
        whole columns and rows.
    shape : tuple of int
        Numbers of rows and columns of samples.

    Returns
    -------
    place : ndarray of int of shape (n_hits,)
        Samples that a triangle covers, ascending, as ``row * n_columns + column``.
    triangle : ndarray of int of shape (n_hits,)
        The nearest triangle there.
    weights : ndarray of shape (n_hits, 3)
        Barycentric coordinates of the sample in it.
    """
    n_rows, n_columns = shape
    triangle, row, left, right = _spans(corners, n_rows)
    span, column = _ranges(left, right, n_columns)
    triangle, row = triangle[span], row[span]

    (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = corners.transpose(1, 2, 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # triangles without area have no samples
        inverse = 1 / ((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0))
        second_x, second_y = (y2 - y0) * inverse, (x0 - x2) * inverse
        third_x, third_y = (y0 - y1) * inverse, (x1 - x0) * inverse
    right_of, below = column - x0[triangle], row - y0[triangle]
    second = right_of * second_x[triangle] + below * second_y[triangle]
    third = right_of * third_x[triangle] + below * third_y[triangle]
    depth = z0[triangle] + second * (z1 - z0)[triangle] + third * (z2 - z0)[triangle]

    order = np.argsort(depth, kind="stable")
    nearest = np.full(n_rows * n_columns, -1)
    nearest[(row * n_columns + column)[order]] = order  # of several the last is kept
    place = np.flatnonzero(nearest >= 0)
    hit = nearest[place]
    second, third = second[hit], third[hit]
    return place, triangle[hit], np.column_stack([1 - second - third, second, third])


def _spans(corners: NDArray, n_rows: int) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Cut triangles into rows: triangle, row, and where it begins and ends.

    Each edge is followed from its upper end, so that neighbors agree on it to the last bit.
    """
    order = np.argsort(corners[:, :, 1], axis=1)
    x, y = np.take_along_axis(corners[:, :, :2], order[:, :, None], axis=1).transpose(2, 1, 0)
    triangle, row = _ranges(y[0], y[2], n_rows)

    def along(upper: int, lower: int) -> NDArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (x[lower] - x[upper]) / (y[lower] - y[upper])
            return x[upper][triangle] + (row - y[upper][triangle]) * slope[triangle]

    straight = along(0, 2)
    broken = np.where(row < y[1][triangle], along(0, 1), along(1, 2))
    return triangle, row, np.minimum(straight, broken), np.maximum(straight, broken)


def _ranges(start: NDArray, stop: NDArray, end: int) -> tuple[NDArray, NDArray]:
    """List all whole numbers k of [0, end) with start <= k < stop, and of which range each is."""
    first = np.clip(np.ceil(start), 0, end).astype(np.intp)
    counts = np.clip(np.ceil(stop), 0, end).astype(np.intp) - first
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) + (first - np.cumsum(counts) + counts)[which]


def _pixels(samples: NDArray, shape: tuple[int, int], n: int) -> NDArray:
    height, width = shape
    return samples.reshape(height, n, width, n, -1).mean(axis=(1, 3))


def _unit(vectors: NDArray) -> NDArray:
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return vectors / np.where(length > 0, length, 1)[:, None]
