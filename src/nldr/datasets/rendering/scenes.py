"""Image datasets that are drawn, not downloaded, so that the angle behind each image is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._synthetic import check_positive
from nldr.datasets.rendering._solids import SOLIDS
from nldr.datasets.rendering._teapot import PATCHES, POINTS
from nldr.datasets.rendering.renderer import Camera, Lighting, Mesh, render

LIGHTS = np.array([[-0.6, 0.7, 0.8], [0.9, 0.1, 0.5]])  # a key light from the left, a fill light
LAMPS = Lighting(LIGHTS, np.array([[0.9], [0.25]]), ambient=0.14, gloss=0.2, shininess=25)
# The teapot: warm key light, cool fill light, a wall behind.
SUN = Lighting(
    LIGHTS, np.array([[0.8, 0.76, 0.68], [0.22, 0.26, 0.34]]), ambient=0.2, gloss=0.45, shininess=60
)
GLAZE, TRIM = (0.16, 0.42, 0.62), (0.86, 0.62, 0.26)
WALL_TOP, WALL_BOTTOM = (0.93, 0.92, 0.90), (0.62, 0.61, 0.60)
BODY = 12  # patches of rim and body, which come first; handle and spout follow
LID = 20  # first patch of the lid; the bottom follows
FINENESS = 10  # quadrangles along each side of a patch


def turntable(*, n_objects: int, n_views: int, size: int) -> Dataset:
    """Draw solids on a turntable: a stand-in for COIL-20 that needs no download.

    Up to twenty distinct solids, each seen from above at an angle of 25 degrees while it makes a
    full turn in equal steps, gray on black. COIL-20 has as many objects, views and pixels.

    Parameters
    ----------
    n_objects : int
        Number of solids, up to 20; fewer are the first of them.
    n_views : int
        Views of each solid.
    size : int
        Height and width of the images, pixels.

    Returns
    -------
    Dataset
        Views in the order of their angle, solid after solid: ``X`` of shape
        (n_objects * n_views, size * size) with values 0 to 1, ``y`` the solid, ``Z`` the cosine
        and sine of the angle, ``image_shape`` (size, size).

    Raises
    ------
    ValueError
        If a number is not positive, or there are not so many solids.

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
    """Draw the Utah teapot in color while it makes a full turn.

    As in the photographs of Weinberger & Saul, which are 400 of 76 x 101 pixels in color.

    Parameters
    ----------
    n_views : int
        Number of images, at equal steps of the angle.
    height, width : int
        Size of the images, pixels.

    Returns
    -------
    Dataset
        Views in the order of their angle: ``X`` of shape (n_views, 3 * height * width) with
        values 0 to 1, ``Z`` the cosine and sine of the angle, ``image_shape`` (height, width, 3).

    Raises
    ------
    ValueError
        If a number is not positive.

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
    down = np.linspace(0, 1, height)[:, None, None]
    wall = (1 - down) * np.array(WALL_TOP) + down * np.array(WALL_BOTTOM)
    images = [render(mesh, angle, camera, SUN, wall).ravel() for angle in _angles(n_views)]
    return Dataset(X=np.array(images), Z=_on_circle(n_views), image_shape=(height, width, 3))


def teapot(n: int) -> Mesh:
    """Return the Utah teapot as triangles.

    Parameters
    ----------
    n : int
        Quadrangles along each side of a patch.

    Returns
    -------
    Mesh
        Of 64 n² triangles, in the order of the patches.
    """
    t = np.linspace(0, 1, n + 1)[:, None]
    k = np.arange(4)
    bernstein = np.array([1, 3, 3, 1]) * t**k * (1 - t) ** (3 - k)
    control = np.array(POINTS)[np.array(PATCHES) - 1].reshape(-1, 4, 4, 3)
    points = np.einsum("ui,vj,pijk->puvk", bernstein, bernstein, control)

    corner = np.arange((n + 1) ** 2).reshape(n + 1, n + 1)[:-1, :-1].ravel()
    right, below, across = corner + 1, corner + n + 1, corner + n + 2
    quads = np.stack([corner, below, across, corner, across, right], axis=1).reshape(-1, 3)
    starts = np.arange(len(points)) * (n + 1) ** 2
    triangles = (starts[:, None, None] + quads).reshape(-1, 3)

    patch = np.repeat(np.arange(len(points)), 2 * n**2)
    glazed = (patch < BODY) | (patch >= LID)
    colors = np.where(glazed[:, None], GLAZE, TRIM)
    return Mesh(points.reshape(-1, 3), triangles, colors)


def _angles(n_views: int) -> NDArray:
    """Return equal steps of a full turn, degrees."""
    return 360 / n_views * np.arange(n_views)


def _on_circle(n_views: int) -> NDArray:
    angle = np.deg2rad(_angles(n_views))
    return np.column_stack([np.cos(angle), np.sin(angle)])
