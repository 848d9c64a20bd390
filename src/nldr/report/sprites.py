"""Small images of points, and one sheet of all that a dataset has."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

SIDE, MIN_SIDE = 32, 14  # longest side of a small image, pixels
FEW_PIXELS = 800_000  # of all images of a dataset: many images are smaller, down to MIN_SIDE
MAX_PIXELS = 4_000_000  # of a sheet; of more images, the first ones are shown
LOSSLESS_SIDE = 12  # images up to this size stay exact
QUALITY = 55  # of WebP, for larger images


def thumbnails(X: NDArray, shape: tuple[int, ...]) -> NDArray:
    """Return rows of data as small images.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Images, one per row; their smallest value becomes black, their largest white.
    shape : tuple of int
        Height and width, and 3 for colors.

    Returns
    -------
    ndarray of uint8 of shape (n_samples, height, width) or (n_samples, height, width, 3)
        The images, at most 32 pixels high and wide, fewer if there are many; never enlarged.

    Examples
    --------
    >>> thumbnails(np.arange(64.0 * 48)[None], (64, 48)).shape
    (1, 32, 24)
    """
    from PIL import Image

    low, high = X.min(initial=0.0), X.max(initial=0.0)
    factor = 255.0 / (high - low or 1.0)
    side = min(SIDE, max(MIN_SIDE, int(np.sqrt(FEW_PIXELS / max(len(X), 1)))))
    scale = min(side / max(shape[:2]), 1.0)
    height, width = (max(round(length * scale), 1) for length in shape[:2])
    result = np.empty((len(X), height, width, *shape[2:]), np.uint8)
    for small, row in zip(result, X, strict=True):
        image = np.rint((row.reshape(shape) - low) * factor).astype(np.uint8)
        picture = Image.fromarray(image).resize((width, height), Image.Resampling.BOX)
        small[:] = np.asarray(picture)
    return result


def sheet(images: NDArray) -> tuple[dict[str, Any], bytes]:
    """Return images as one picture: PNG if they are tiny, else WebP, which is smaller.

    Parameters
    ----------
    images : ndarray of uint8 of shape (n, height, width) or (n, height, width, 3)
        The images.

    Returns
    -------
    about : dict
        Media type as ``kind``, ``width`` and ``height`` of an image in pixels, ``columns``, the
        images in a row, and their number ``n``: as many of the first as fit into ``MAX_PIXELS``.
    file : bytes
        The picture.

    Examples
    --------
    >>> sheet(np.zeros((5, 8, 8), np.uint8))[0]
    {'kind': 'image/png', 'width': 8, 'height': 8, 'columns': 3, 'n': 5}
    """
    from PIL import Image

    height, width = images.shape[1:3]
    images = images[: MAX_PIXELS // (height * width)]
    columns = int(np.ceil(np.sqrt(len(images) * height / width)))
    rows = -(-len(images) // columns)
    # Rows of images side by side
    tiles = np.zeros((rows * columns, *images.shape[1:]), np.uint8)
    tiles[: len(images)] = images
    tiles = tiles.reshape(rows, columns, *images.shape[1:]).swapaxes(1, 2)
    picture = Image.fromarray(tiles.reshape(rows * height, columns * width, *images.shape[3:]))
    file = io.BytesIO()
    if max(height, width) <= LOSSLESS_SIDE:
        picture.save(file, "PNG", optimize=True)
        kind = "image/png"
    else:
        picture.save(file, "WEBP", quality=QUALITY, method=4)
        kind = "image/webp"
    about = {"kind": kind, "width": width, "height": height, "columns": columns}
    return about | {"n": len(images)}, file.getvalue()


def distinct(images: NDArray, numbers: dict[bytes, int]) -> NDArray:
    """Return the number of each image; equal images share one.

    Parameters
    ----------
    images : ndarray of uint8 of shape (n, height, width) or (n, height, width, 3)
        The images.
    numbers : dict of bytes to int
        Numbers of the images that have one; new ones are added.

    Returns
    -------
    ndarray of int of shape (n,)
        The numbers.

    Examples
    --------
    >>> numbers = {}
    >>> distinct(np.uint8([[[7]], [[9]], [[7]]]), numbers).tolist(), len(numbers)
    ([0, 1, 0], 2)
    """
    return np.array([numbers.setdefault(image.tobytes(), len(numbers)) for image in images], int)
