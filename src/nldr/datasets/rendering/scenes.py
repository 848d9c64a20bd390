"""Rendered image datasets, in which the rotation angle of each image is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_positive
from nldr.datasets.rendering._solids import SOLIDS
from nldr.datasets.rendering._teapot import PATCHES, POINTS
from nldr.datasets.rendering.renderer import Camera, Lighting, Mesh, grid_triangles, render

# Turntable: a key light from the left and a fill light, both white
LIGHTS = np.array([[-0.6, 0.7, 0.8], [0.9, 0.1, 0.5]])
LAMPS = Lighting(LIGHTS, np.array([[0.9], [0.25]]), ambient=0.14, gloss=0.2, shininess=25)
# Teapot: the same directions with a warm key light and a cool fill light, and a wall behind
SUN = Lighting(
    LIGHTS, np.array([[0.8, 0.76, 0.68], [0.22, 0.26, 0.34]]), ambient=0.2, gloss=0.45, shininess=60
)
GLAZE, TRIM = (0.16, 0.42, 0.62), (0.86, 0.62, 0.26)
WALL_TOP, WALL_BOTTOM = (0.93, 0.92, 0.90), (0.62, 0.61, 0.60)
BODY = 12  # number of patches of rim and body, which come first; handle and spout follow
LID = 20  # index of the first patch of the lid; the bottom follows the lid
FINENESS = 10  # quadrilaterals along each side of a patch


def turntable(*, n_objects: int, n_views: int, size: int) -> Dataset:
    """Render solids on a turntable: a substitute for COIL-20 that needs no download.

    Up to twenty distinct solids, gray on black, are seen from 25 degrees above the horizontal
    during one full turn in equal steps. COIL-20 has 20 objects with 72 views of 128 x 128 pixels.

    Parameters
    ----------
    n_objects : int
        Number of solids, at most 20.
    n_views : int
        Number of views of each solid.
    size : int
        Height and width of the images in pixels.

    Returns
    -------
    Dataset
        Views ordered by solid and angle: ``X`` of shape (n_objects * n_views, size * size) with
        values 0 to 1; ``y``, the index of the solid; ``Z``, the cosine and sine of the angle; and
        ``image_shape`` (size, size).

    References
    ----------
    Nene, Nayar & Murase, Columbia Object Image Library (COIL-20), CUCS-005-96, 1996.

    Examples
    --------
    >>> data = turntable(n_objects=2, n_views=3, size=16)
    >>> data.X.shape, data.y
    ((6, 256), array([0, 0, 0, 1, 1, 1]))
    """
    check_positive(n_objects=n_objects, n_views=n_views, size=size)
    if n_objects > len(SOLIDS):
        raise ValueError(f"n_objects must be at most {len(SOLIDS)}, got {n_objects}")
    images = np.empty((n_objects * n_views, size, size, 1))
    for i, solid in enumerate(SOLIDS[:n_objects]):
        mesh = solid()
        camera = Camera.framing(mesh, (size, size), elevation=25)
        for j, angle in enumerate(_angles(n_views)):
            images[i * n_views + j] = render(mesh, angle, camera, LAMPS)
    return Dataset(
        X=images.reshape(len(images), -1),
        Z=np.tile(_on_circle(n_views), (n_objects, 1)),
        y=np.repeat(np.arange(n_objects), n_views),
        image_shape=(size, size),
    )


def utah_teapot(*, n_views: int, height: int, width: int) -> Dataset:
    """Render the Utah teapot in color during one full turn.

    It imitates the photographs of Weinberger & Saul: 400 color images of 76 x 101 pixels.

    Parameters
    ----------
    n_views : int
        Number of images, at equal steps of the angle.
    height, width : int
        Height and width of the images in pixels.

    Returns
    -------
    Dataset
        Views ordered by angle: ``X`` of shape (n_views, 3 * height * width) with values 0 to 1;
        ``Z``, the cosine and sine of the angle; and ``image_shape`` (height, width, 3).

    References
    ----------
    Weinberger & Saul, Unsupervised learning of image manifolds by semidefinite programming,
    International Journal of Computer Vision 70, 2006. The teapot: Martin Newell, 1975.

    Examples
    --------
    >>> data = utah_teapot(n_views=4, height=19, width=25)
    >>> data.X.shape, data.Z.round(6)[1]
    ((4, 1425), array([0., 1.]))
    """
    check_positive(n_views=n_views, height=height, width=width)
    mesh = teapot(FINENESS)
    camera = Camera.framing(mesh, (height, width), elevation=15, filled=0.96, samples=3)
    # Background: a wall that gets darker towards the bottom
    down = np.linspace(0, 1, height)[:, None, None]
    wall = (1 - down) * np.array(WALL_TOP) + down * np.array(WALL_BOTTOM)
    images = [render(mesh, angle, camera, SUN, wall).ravel() for angle in _angles(n_views)]
    return Dataset(X=np.array(images), Z=_on_circle(n_views), image_shape=(height, width, 3))


def teapot(n: int) -> Mesh:
    """Return the Utah teapot as a mesh of 64 n² triangles, in the order of the patches.

    Each side of a patch has `n` quadrilaterals.
    """
    # Bézier patches evaluated on a grid with the Bernstein polynomials of degree 3
    t = np.linspace(0, 1, n + 1)[:, None]
    k = np.arange(4)
    bernstein = np.array([1, 3, 3, 1]) * t**k * (1 - t) ** (3 - k)
    control = np.array(POINTS)[np.array(PATCHES) - 1].reshape(-1, 4, 4, 3)
    points = np.einsum("ui,vj,pijk->puvk", bernstein, bernstein, control)

    # The same triangulation for the vertices of each patch
    starts = np.arange(len(points)) * (n + 1) ** 2
    triangles = (starts[:, None, None] + grid_triangles(n + 1, n + 1)).reshape(-1, 3)

    # Glaze, and another color for handle and spout
    patch = np.repeat(np.arange(len(points)), 2 * n**2)
    glazed = (patch < BODY) | (patch >= LID)
    colors = np.where(glazed[:, None], GLAZE, TRIM)
    return Mesh(points.reshape(-1, 3), triangles, colors)


def _angles(n_views: int) -> NDArray:
    """Return the angles of one full turn in equal steps, in degrees."""
    return 360 / n_views * np.arange(n_views)


def _on_circle(n_views: int) -> NDArray:
    """Return the cosine and sine of the angles of one full turn, shape (n_views, 2)."""
    angle = np.deg2rad(_angles(n_views))
    return np.column_stack([np.cos(angle), np.sin(angle)])
