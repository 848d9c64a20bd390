"""A folder of images as a table: one row per image, subfolders as labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nldr.inputs.errors import InputError
from nldr.inputs.labels import Labels, as_labels
from nldr.inputs.matrix import Matrix

SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp")
SIDE = 32  # pixels to which larger images, or images of different sizes, are reduced
MOST_IMAGES = 10_000
MOST_PIXELS = 50_000_000  # of one image
GRAY = ("1", "L", "LA")
DEEP = ("I", "I;16", "I;16B", "F")  # gray, with more than 8 bits


def read_images(folder: Path, label: str | None = None) -> tuple[Matrix, Labels | None]:
    """Read the images of a folder.

    Parameters
    ----------
    folder : Path
        A folder of images, or of subfolders that hold those of one class each. Hidden files and
        folders, such as ``.ipynb_checkpoints``, are passed over.
    label : str, optional
        What the subfolders mean; without, they are labels called ``folder``.

    Returns
    -------
    Matrix, Labels or None
        One row per image, named by its file: the brightness of its pixels from 0 to 255, of red,
        green and blue if any image has colors. Gray images with more than 8 bits keep their
        numbers if all images are gray; transparent images lie on white. Images of one size up to
        32 by 32 pixels are taken as they are, others are reduced to 32 by 32. Labels if there are
        subfolders.

    Raises
    ------
    InputError
        If there are no images, more than 10 000, or one that cannot be read or has more than 50
        million pixels.

    Examples
    --------
    >>> import tempfile
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for level in (0, 255):
    ...         Image.new("L", (2, 2), level).save(Path(folder, f"{level}.png"))
    ...     read_images(Path(folder))[0].values.tolist()
    [[0.0, 0.0, 0.0, 0.0], [255.0, 255.0, 255.0, 255.0]]
    """
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.suffix.lower() in SUFFIXES
        and file.is_file()
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )
    if not files:
        raise InputError(
            f"{folder} is a folder without images ({', '.join(SUFFIXES)}): give a table, or a "
            "folder of images"
        )
    if len(files) > MOST_IMAGES:
        raise InputError(
            f"{folder} holds {len(files)} images, more than {MOST_IMAGES}: put a random part of "
            "them into another folder"
        )
    looks = [_look(file) for file in files]
    modes = {mode for _, mode in looks}
    # Numbers beyond 255 are kept, unless there are colors
    mode = "RGB" if modes - {*GRAY, *DEEP} else "F" if modes & {*DEEP} else "L"
    sizes = {size for size, _ in looks}
    size = sizes.pop()
    if sizes or max(size) > SIDE:
        size = (SIDE, SIDE)
    values = np.array([_pixels(file, mode, size) for file in files], dtype=np.float64)
    channels = ["red", "green", "blue"] if mode == "RGB" else ["gray"]
    columns = [f"{c} {y},{x}" for y in range(size[1]) for x in range(size[0]) for c in channels]
    names = [file.relative_to(folder).as_posix() for file in files]
    matrix = Matrix(values, columns, list(names), unit="the columns are pixels")
    folders = [name.rpartition("/")[0] or "." for name in names]
    if len(set(folders)) == 1 and label is None:
        return matrix, None
    return matrix, as_labels(folders, len(files), label or "folder")


def _look(file: Path) -> tuple[tuple[int, int], str]:
    """Return the size of an image, and how its pixels are stored."""
    from PIL import Image

    try:
        with Image.open(file) as image:
            size, mode = image.size, image.mode
    except Exception as error:  # damaged files raise many types
        raise InputError(f"{file} cannot be read as an image: leave it out") from error
    if size[0] * size[1] > MOST_PIXELS:
        raise InputError(f"{file} has {size[0]} × {size[1]} pixels: reduce it, or leave it out")
    return size, mode


def _pixels(file: Path, mode: str, size: tuple[int, int]) -> NDArray:
    """Return the pixels of an image as one row."""
    from PIL import Image

    try:
        with Image.open(file) as opened:
            opened.draft(mode, (2 * size[0], 2 * size[1]))
            image: Image.Image = opened
            if opened.mode in DEEP:
                values = np.array(opened, dtype=np.float64)
                # Among images with colors, numbers beyond 255 would be cut off
                if mode != "F":
                    values *= 255 / max(values.max(), 255)
                image = Image.fromarray(values)
            elif opened.has_transparency_data:
                white = Image.new("RGBA", opened.size, "white")
                image = Image.alpha_composite(white, opened.convert("RGBA"))
            image = image.convert(mode)
            image = image if image.size == size else image.resize(size, Image.Resampling.BOX)
            return np.asarray(image).ravel()
    except Exception as error:  # damaged files raise many types
        raise InputError(f"{file} cannot be read as an image: {error}. Leave it out") from error
