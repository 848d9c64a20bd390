"""A small software renderer: lit triangle meshes on a turntable in orthographic projection.

The steps of :func:`render` are: projection of the vertices; rasterization of the triangles into
horizontal spans of samples; a z-buffer that keeps the nearest triangle at each sample; lighting by
interpolated normals (Phong 1975) with diffuse reflection (Lambert) and highlights (Blinn 1977); and
averaging of a square of samples per pixel.

World axes: the turntable rotates about z, which points up. Camera axes: x points to the right, y up
and z towards the viewer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

CREASE = 40.0  # degrees: faces that meet at a smaller angle are shaded as one smooth surface
WELD = 6  # decimals at which vertices with equal positions are merged


@dataclass(frozen=True)
class Mesh:
    """Triangles in space, each with one color and visible from both sides.

    Attributes
    ----------
    vertices : ndarray of shape (n_vertices, 3)
        Positions; z points up.
    triangles : ndarray of int of shape (n_triangles, 3)
        Indices of the corners.
    colors : ndarray of shape (n_triangles, n_channels)
        Reflectance in [0, 1]: one channel for gray, three for color.
    """

    vertices: NDArray
    triangles: NDArray
    colors: NDArray

    @cached_property
    def welded(self) -> NDArray:
        """Triangles as indices of distinct vertex positions, shape (n_triangles, 3)."""
        rounded = np.round(self.vertices, WELD) + 0.0  # no negative zeros
        _, which = np.unique(rounded, axis=0, return_inverse=True)
        return which.reshape(-1)[self.triangles]

    @cached_property
    def face_normals(self) -> NDArray:
        """Unit normals of the triangles, zero for degenerate ones, shape (n_triangles, 3)."""
        return _normalize(self._area_normals)

    @cached_property
    def corner_normals(self) -> NDArray:
        """Unit normals at the corners of the triangles, shape (n_triangles, 3, 3).

        A corner normal is the area-weighted mean over the triangles that share the vertex and
        form an angle of less than ``CREASE`` degrees with the triangle of the corner. Neighboring
        triangles must have the same orientation.
        """
        from scipy.sparse import coo_array

        # Pairs of corners at the same vertex position
        n_corners = self.triangles.size
        at = self.welded.ravel()
        incidence = coo_array((np.ones(n_corners), (np.arange(n_corners), at))).tocsr()
        pairs = (incidence @ incidence.T).tocoo()
        # Keep those whose triangles form a small angle
        one, other = pairs.row // 3, pairs.col // 3
        cosine = np.einsum("ij,ij->i", self.face_normals[one], self.face_normals[other])
        is_smooth = cosine > np.cos(np.deg2rad(CREASE))
        # Sum the area normals of these triangles
        weights = coo_array(
            (np.ones(is_smooth.sum()), (pairs.row[is_smooth], other[is_smooth])),
            shape=(n_corners, len(self.triangles)),
        )
        return _normalize(weights.tocsr() @ self._area_normals).reshape(-1, 3, 3)

    @cached_property
    def _area_normals(self) -> NDArray:
        """Normals of the triangles, with length twice the area, shape (n_triangles, 3)."""
        first, second, third = self.vertices[self.triangles].transpose(1, 0, 2)
        return np.cross(second - first, third - first)


def join(*meshes: Mesh) -> Mesh:
    """Merge meshes with the same number of channels into one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([m.triangles + s for m, s in zip(meshes, starts, strict=True)]),
        np.concatenate([mesh.colors for mesh in meshes]),
    )


def grid_triangles(n_rows: int, n_columns: int) -> NDArray:
    """Return the triangles of a grid of vertices, two per cell, in the order of the cells.

    Vertex (i, j) has the index ``i * n_columns + j``.

    Examples
    --------
    >>> grid_triangles(2, 2)
    array([[0, 2, 3],
           [0, 3, 1]])
    """
    corner = np.arange(n_rows * n_columns).reshape(n_rows, n_columns)[:-1, :-1].ravel()
    right, below, across = corner + 1, corner + n_columns, corner + n_columns + 1
    return np.stack([corner, below, across, corner, across, right], axis=1).reshape(-1, 3)


@dataclass(frozen=True)
class Camera:
    """An orthographic camera that points at the axis of the turntable.

    Attributes
    ----------
    shape : tuple of int
        Height and width of the image in pixels.
    elevation : float
        Angle in degrees at which the camera looks down from the horizontal.
    scale : float
        Pixels per unit of length.
    middle : float
        Position of the image center above the origin, along the image's vertical axis, in units
        of length.
    samples : int
        Samples per pixel in each direction.
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
        """Return a camera that shows every view of a mesh.

        The union of all views fills the fraction `filled` of the height or width. The other
        arguments are the attributes of the camera.
        """
        # Extent of all views: a vertex moves on a circle about the z axis
        radius = np.hypot(mesh.vertices[:, 0], mesh.vertices[:, 1])
        sine, cosine = np.sin(np.deg2rad(elevation)), np.cos(np.deg2rad(elevation))
        top = (mesh.vertices[:, 2] * cosine + radius * sine).max()
        bottom = (mesh.vertices[:, 2] * cosine - radius * sine).min()
        scale = filled * min(shape[0] / (top - bottom), shape[1] / (2 * radius.max()))
        return cls(shape, elevation, scale, (top + bottom) / 2, samples)

    def axes(self, angle: float) -> NDArray:
        """Return the rotation from world to camera axes at a turntable angle in degrees, (3, 3)."""
        sine, cosine = np.sin(np.deg2rad(angle % 360)), np.cos(np.deg2rad(angle % 360))
        up, away = np.cos(np.deg2rad(self.elevation)), np.sin(np.deg2rad(self.elevation))
        turn = np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
        return np.array([[1, 0, 0], [0, away, up], [0, -up, away]]) @ turn


@dataclass(frozen=True)
class Lighting:
    """Lights at infinity that are fixed to the camera.

    Attributes
    ----------
    directions : ndarray of shape (n_lights, 3)
        Directions towards the lights in camera axes; their lengths are ignored.
    colors : ndarray of shape (n_lights, n_channels)
        Intensity of each light in each channel.
    ambient : float
        Intensity of the ambient light.
    gloss : float
        Intensity of the highlights.
    shininess : float
        Exponent of the highlights; larger values give smaller, sharper highlights.
    """

    directions: NDArray
    colors: NDArray
    ambient: float = 0.0
    gloss: float = 0.0
    shininess: float = 20.0

    def shade(self, normals: NDArray, colors: NDArray) -> NDArray:
        """Return the light in [0, 1] that surface points reflect towards the viewer.

        The unit normals, in camera axes, face the viewer; the colors are the reflectance of the
        points. Shapes are (n_points, 3) and (n_points, n_channels).
        """
        # Ambient light and Lambert's diffuse reflection
        towards = _normalize(self.directions)
        light = self.ambient + np.maximum(normals @ towards.T, 0) @ self.colors
        shaded = light * colors
        # Blinn's highlights, from the direction halfway between light and viewer
        if self.gloss > 0:
            halfway = _normalize(towards + np.array([0, 0, 1]))
            mirrored = np.maximum(normals @ halfway.T, 0) ** self.shininess
            shaded += self.gloss * (mirrored @ self.colors)
        return np.clip(shaded, 0, 1)


def render(
    mesh: Mesh, angle: float, camera: Camera, lighting: Lighting, background: float | NDArray = 0.0
) -> NDArray:
    """Return one view of a mesh, of shape (height, width, n_channels), with values in [0, 1].

    The angle of the turntable is in degrees, counterclockwise seen from above. The background,
    which broadcasts to the image, is the color of what the mesh does not cover.

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
    sample, triangle, weights = rasterize(corners, (n * height, n * width))

    # Interpolated normals in camera axes, flipped where the back of a triangle is visible
    normals = np.einsum("ik,ikj->ij", weights, mesh.corner_normals[triangle])
    normals = _normalize(normals) @ axes.T
    facing = np.where(mesh.face_normals @ axes[2] < 0, -1.0, 1.0)
    normals *= facing[triangle, None]

    samples = np.zeros((n * height * n * width, n_channels))
    samples[sample] = lighting.shade(normals, mesh.colors[triangle])
    covered = np.zeros(len(samples))
    covered[sample] = 1
    # Average the samples of each pixel; the background fills the rest
    image, coverage = (_average(a, camera.shape, n) for a in (samples, covered[:, None]))
    return image + (1 - coverage) * background


def rasterize(
    corners: NDArray, shape: tuple[int, int]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray]:
    """Return the covered samples of a grid, the nearest triangle there, and barycentric weights.

    Samples are ascending indices ``row * n_columns + column``. The corners, (n_triangles, 3, 3),
    are column, row and depth, which increases towards the viewer. A sample on the common edge of
    two triangles is covered by exactly one of them.
    """
    n_rows, n_columns = shape
    # All pairs of a triangle and a sample that it covers
    triangle, row, left, right = _row_spans(corners, n_rows)
    span, column = _integers_in(left, right, n_columns)
    triangle, row = triangle[span], row[span]

    # Barycentric coordinates: gradients per triangle, then values at the samples
    (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = corners.transpose(1, 2, 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # degenerate triangles cover no sample
        inverse = 1 / ((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0))
        second_x, second_y = (y2 - y0) * inverse, (x0 - x2) * inverse
        third_x, third_y = (y0 - y1) * inverse, (x1 - x0) * inverse
    right_of, below = column - x0[triangle], row - y0[triangle]
    second = right_of * second_x[triangle] + below * second_y[triangle]
    third = right_of * third_x[triangle] + below * third_y[triangle]
    depth = z0[triangle] + second * (z1 - z0)[triangle] + third * (z2 - z0)[triangle]

    # z-buffer: write in order of depth, so that the nearest triangle is written last
    order = np.argsort(depth, kind="stable")
    nearest = np.full(n_rows * n_columns, -1)
    nearest[(row * n_columns + column)[order]] = order
    sample = np.flatnonzero(nearest >= 0)
    hit = nearest[sample]
    second, third = second[hit], third[hit]
    return sample, triangle[hit], np.column_stack([1 - second - third, second, third])


def _row_spans(corners: NDArray, n_rows: int) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Cut triangles into horizontal spans: triangle, row, left and right end of each span.

    Each edge is evaluated from its upper end, so that two triangles that share it get bitwise
    equal results.
    """
    # Corners sorted from top to bottom, and the rows between the first and the last
    order = np.argsort(corners[:, :, 1], axis=1)
    x, y = np.take_along_axis(corners[:, :, :2], order[:, :, None], axis=1).transpose(2, 1, 0)
    triangle, row = _integers_in(y[0], y[2], n_rows)

    def column_on_edge(upper: int, lower: int) -> NDArray:
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (x[lower] - x[upper]) / (y[lower] - y[upper])
            return x[upper][triangle] + (row - y[upper][triangle]) * slope[triangle]

    # A span lies between the long edge and one of the two short edges
    long = column_on_edge(0, 2)
    short = np.where(row < y[1][triangle], column_on_edge(0, 1), column_on_edge(1, 2))
    return triangle, row, np.minimum(long, short), np.maximum(long, short)


def _integers_in(start: NDArray, stop: NDArray, end: int) -> tuple[NDArray, NDArray]:
    """Return the index of the range and the value of all integers of several ranges.

    Range i contains the integers k of [0, end) with ``start[i] <= k < stop[i]``.
    """
    first = np.clip(np.ceil(start), 0, end).astype(np.intp)
    counts = np.clip(np.ceil(stop), 0, end).astype(np.intp) - first
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) + (first - np.cumsum(counts) + counts)[which]


def _average(samples: NDArray, shape: tuple[int, int], n: int) -> NDArray:
    """Return the mean over the n × n samples of each pixel, shape (height, width, n_channels)."""
    height, width = shape
    return samples.reshape(height, n, width, n, -1).mean(axis=(1, 3))


def _normalize(vectors: NDArray) -> NDArray:
    """Scale vectors to length 1; zero vectors stay zero."""
    length = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return vectors / np.where(length > 0, length, 1)[:, None]
