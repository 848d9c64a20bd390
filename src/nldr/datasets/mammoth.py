"""A mammoth: a surface in three dimensions with large and small parts, made of ellipsoids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_positive, observe

# Corners of chains of ellipsoids: x to the front, y to the left, z up; legs touch the ground at 0
TRUNK = ((4.3, 0, 4.6), (4.9, 0, 3.9), (5.2, 0, 3.0), (5.2, 0, 2.1), (5.5, 0, 1.4), (6.0, 0, 1.1))
TUSK = ((4.1, 0.6, 3.9), (4.8, 1.0, 3.0), (5.7, 1.3, 2.6), (6.5, 1.2, 2.9), (6.9, 0.8, 3.6))
TAIL = ((-2.6, 0, 3.9), (-3.0, 0, 3.2), (-3.1, 0, 2.4))
LEG = ((0, 0, 2.8), (0, 0, 1.4), (0, 0, 0))
FEET = ((1.6, 0.8, 0), (1.6, -0.8, 0), (-1.6, 0.8, 0), (-1.6, -0.8, 0))


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid in three dimensions.

    Attributes
    ----------
    center, radii : ndarray of shape (3,)
        Center and semi-axes.
    axes : ndarray of shape (3, 3)
        Directions of the semi-axes, orthonormal columns.
    part : int
        Number of the part to which it belongs.
    """

    center: NDArray
    radii: NDArray
    axes: NDArray
    part: int

    @property
    def largest_stretch(self) -> float:
        """Largest factor by which the map from the unit sphere stretches areas."""
        return float(np.prod(self.radii) / self.radii.min())

    def contains(self, points: NDArray) -> NDArray:
        """Return which points lie inside."""
        scaled = (points - self.center) @ self.axes / self.radii
        return np.einsum("ij,ij->i", scaled, scaled) < 1


def mammoth(*, n_samples: int, noise: float, rng: np.random.Generator) -> Dataset:
    """Sample the surface of a mammoth uniformly.

    Body, head, trunk, tusks, ears, tail and legs are ellipsoids or chains of them; what lies
    inside another ellipsoid is no surface.

    Returns
    -------
    Dataset
        ``X`` with three features; ``y``, the part: body, head, ears, trunk, tusks, tail, and the
        legs from 6 to 9; and ``clean`` if there is noise.

    Examples
    --------
    >>> data = mammoth(n_samples=500, noise=0.0, rng=np.random.default_rng(0))
    >>> data.X.shape, len(np.unique(data.y))
    ((500, 3), 10)
    """
    check_positive(n_samples=n_samples)
    noise_rng = rng.spawn(1)[0]
    clean, y = sample_surface(_ellipsoids(), n_samples, rng)
    return observe(clean, noise, noise_rng, y=y)


def sample_surface(
    ellipsoids: Sequence[Ellipsoid], n_samples: int, rng: np.random.Generator
) -> tuple[NDArray, NDArray]:
    """Return uniform points of the surface of a union of ellipsoids, and the part of each.

    Examples
    --------
    >>> sphere = Ellipsoid(np.zeros(3), np.ones(3), np.eye(3), 7)
    >>> points, parts = sample_surface([sphere], 4, np.random.default_rng(0))
    >>> np.linalg.norm(points, axis=1).round(9).tolist(), parts.tolist()
    ([1.0, 1.0, 1.0, 1.0], [7, 7, 7, 7])
    """
    stretch = np.array([e.largest_stretch for e in ellipsoids])
    chunks: list[tuple[NDArray, NDArray]] = []
    while sum(len(points) for points, _ in chunks) < n_samples:
        # Uniform directions on ellipsoids, chosen in proportion to the largest stretch …
        index = rng.choice(len(ellipsoids), n_samples, p=stretch / stretch.sum())
        directions = rng.standard_normal((n_samples, 3))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        radii = np.array([e.radii for e in ellipsoids])[index]
        # … and accepted in proportion to the stretch in that direction, are uniform by area
        areas = np.linalg.norm(directions / radii, axis=1) * radii.prod(axis=1)
        accepted = rng.random(n_samples) * stretch[index] < areas
        axes = np.array([e.axes for e in ellipsoids])[index]
        points = np.einsum("nij,nj->ni", axes, radii * directions)
        points += np.array([e.center for e in ellipsoids])[index]
        # Points inside another ellipsoid are not on the surface of the union
        for number, ellipsoid in enumerate(ellipsoids):
            accepted &= (index == number) | ~ellipsoid.contains(points)
        parts = np.array([e.part for e in ellipsoids])[index]
        chunks.append((points[accepted], parts[accepted]))
    points, parts = (np.concatenate(arrays)[:n_samples] for arrays in zip(*chunks, strict=True))
    return points, parts


def _ellipsoids() -> list[Ellipsoid]:
    """Return all ellipsoids of the mammoth."""
    mirror = np.array([1, -1, 1])
    shapes = [
        _upright((0, 0, 3.6), (2.8, 1.3, 1.4), 0),
        _upright((1.2, 0, 4.6), (1.2, 0.9, 0.9), 0),  # hump
        _upright((3.4, 0, 4.8), (1.1, 0.9, 1.1), 1),
        *(_upright((2.9, 1.2 * side, 4.7), (0.3, 0.6, 0.7), 2) for side in (1, -1)),
        *_chain(TRUNK, 0.45, 0.2, 3),
        *_chain(TUSK, 0.22, 0.1, 4),
        *_chain(np.array(TUSK) * mirror, 0.22, 0.1, 4),
        *_chain(TAIL, 0.15, 0.08, 5),
    ]
    for number, foot in enumerate(FEET):
        shapes += _chain(np.add(LEG, foot), 0.6, 0.45, 6 + number)
    return shapes


def _upright(center: Sequence[float], radii: Sequence[float], part: int) -> Ellipsoid:
    return Ellipsoid(np.array(center, float), np.array(radii, float), np.eye(3), part)


def _chain(corners: NDArray | Sequence, first: float, last: float, part: int) -> list[Ellipsoid]:
    """Return ellipsoids along the segments between corners, from thick to thin."""
    points = np.array(corners, float)
    shapes = []
    thickness = np.linspace(first, last, len(points) - 1)
    for start, end, thick in zip(points[:-1], points[1:], thickness, strict=True):
        # The first axis is that of the segment; it overlaps with the next one
        length = np.linalg.norm(end - start)
        axes = np.linalg.qr(np.column_stack([end - start, np.eye(3)]))[0]
        radii = np.array([0.6 * length + 0.3 * thick, thick, thick])
        shapes.append(Ellipsoid((start + end) / 2, radii, axes, part))
    return shapes
