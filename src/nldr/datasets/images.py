"""Gray images of turning objects and faces: COIL-20, UMIST, teapots."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._sampling import choose
from nldr.datasets.download import fetch

UMIST_REPEATS = {("b", str(number)) for number in range(26, 36)}


def coil20(*, objects: Sequence[int], n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load COIL-20, objects on a turntable, 72 views each, or some of its objects or views.

    In a study the list of objects is nested, as lists are grids: LolaGP's five objects are
    ``coil20: {objects: [[1, 4, 6, 11, 13]], n_samples: 360}``.

    Parameters
    ----------
    objects : sequence of int
        Numbers of the objects, 1 to 20.
    n_samples : int
        Number of images, up to 72 an object; fewer are chosen at random, of all objects alike.
    rng : numpy.random.Generator
        Chooses the images.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 16384) with values 0 to 1 (gray values divided by 255), ordered
        by object and pose (5 degrees apart), the object's number as label ``y``, ``image_shape``
        (128, 128).

    Raises
    ------
    ValueError
        If there are no such objects or not so many images, or if the file is not as it should be.
    nldr.datasets.download.DownloadError
        If the file cannot be had; it has to be placed by hand.

    References
    ----------
    Nene, Nayar & Murase, Columbia Object Image Library (COIL-20), CUCS-005-96, 1996.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> data = coil20(objects=[1, 4], n_samples=144, rng=rng)  # doctest: +SKIP
    >>> data.X.shape  # doctest: +SKIP
    (144, 16384)
    """
    known = set(range(1, 21))
    if not objects or len(set(objects)) < len(objects) or not known.issuperset(objects):
        raise ValueError(f"objects must be different numbers from 1 to 20, got {list(objects)}")
    images = read_images(fetch("coil20/coil-20-proc.zip"), r"obj(\d+)__(\d+)\.png", (128, 128))
    names = [name for name in images if int(name[0]) in objects]
    names.sort(key=lambda name: (int(name[0]), int(name[1])))
    y = np.array([int(number) for number, _ in names], np.int64)
    chosen = choose(y, n_samples, rng, f"COIL-20 with {len(objects)} object(s)")
    return _gray([images[names[i]] for i in chosen], y[chosen])


def umist(
    *,
    distinct: bool,
    n_samples: int,
    people: Sequence[int] = tuple(range(20)),
    rng: np.random.Generator,
) -> Dataset:
    """Load the UMIST faces: 20 people who turn from profile to frontal view.

    Parameters
    ----------
    distinct : bool
        Leave out the ten images of the second person that repeat others exactly (b26 to b35).
        Some distances between the 575 images are zero with them.
    n_samples : int
        Number of images, up to 575, or 565 distinct ones; fewer are chosen at random, of all
        people in proportion.
    people : sequence of int
        Those who are kept.
    rng : numpy.random.Generator
        Chooses the images.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 10304) with values 0 to 1 (gray values divided by 255), ordered
        by person and number, the person as label ``y`` 0 to 19, ``image_shape`` (112, 92).

    Raises
    ------
    ValueError
        If there are not so many images, or if the file is not as it should be.
    nldr.datasets.download.DownloadError
        If the file cannot be had; it has to be placed by hand.

    References
    ----------
    Graham & Allinson, Characterizing Virtual Eigensignatures for General Purpose Face Recognition,
    1998 (the cropped version).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> data = umist(distinct=True, n_samples=565, rng=rng)  # doctest: +SKIP
    >>> data.X.shape  # doctest: +SKIP
    (565, 10304)
    """
    images = read_images(fetch("umist/umist_faces.zip"), r"([a-t])(\d+)\.pgm", (112, 92))
    others = {name for name in images if ord(name[0]) - ord("a") not in people}
    left_out = others | (UMIST_REPEATS if distinct else set())
    names = sorted(images.keys() - left_out, key=lambda name: (name[0], int(name[1])))
    y = np.array([ord(person) - ord("a") for person, _ in names], np.int64)
    chosen = choose(y, n_samples, rng, "distinct images of UMIST" if distinct else "UMIST")
    return _gray([images[names[i]] for i in chosen], y[chosen])


def teapots() -> Dataset:
    r"""Load 100 gray images of a teapot that turns once.

    They are by all signs every fourth of the 400 color images of Weinberger & Saul, gray and at
    half the size.

    Returns
    -------
    Dataset
        ``X`` of shape (100, 1900) with values 0 to 0.885 in the order of the turn, the points
        :math:`(\cos\varphi, \sin\varphi)` of the circle as latent ``Z``, ``image_shape`` (38, 50).
        The angle :math:`\varphi = 2 \pi i / 100` is nominal: only the order of the images
        and that the turn is full are known, and steps of about 3.6 degrees.

    Raises
    ------
    ValueError
        If the file is not as it should be.
    nldr.datasets.download.DownloadError
        If the file cannot be had.

    References
    ----------
    Weinberger & Saul, Unsupervised Learning of Image Manifolds by Semidefinite Programming,
    CVPR 2004.

    Examples
    --------
    >>> data = teapots()  # doctest: +SKIP
    >>> data.X.shape, data.Z.shape  # doctest: +SKIP
    ((100, 1900), (100, 2))
    """
    columns = read_mat(fetch("teapots/teapots.mat"), "teapotImages", (100, 1900))
    images = columns.reshape(100, 50, 38).transpose(0, 2, 1)
    angle = 2 * np.pi * np.arange(100) / 100
    return Dataset(
        X=images.reshape(100, -1),
        Z=np.column_stack([np.cos(angle), np.sin(angle)]),
        image_shape=(38, 50),
    )


def _gray(images: Sequence[NDArray[np.uint8]], y: NDArray) -> Dataset:
    """Return images of bytes as a dataset."""
    pixels = np.stack(images)
    return Dataset(X=pixels.reshape(len(y), -1) / 255.0, y=y, image_shape=pixels.shape[1:])


def read_images(
    path: Path, pattern: str, shape: tuple[int, int]
) -> dict[tuple[str, ...], NDArray[np.uint8]]:
    r"""Read a zip file of 8-bit gray images, in any format that Pillow reads.

    Parameters
    ----------
    path : Path
        The file.
    pattern : str
        Regular expression that the name of every member must match; folders do not matter.
    shape : tuple of int
        Height and width that every image must have.

    Returns
    -------
    dict of tuple of str to ndarray of uint8
        Each image under the groups of the pattern.

    Raises
    ------
    ValueError
        If the file is no zip file, or if one of its members has another name, is damaged or is no
        such image.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     with ZipFile(file, "w") as members:
    ...         members.writestr("a7.pgm", b"P5 3 2 255 " + bytes(range(6)))
    ...     read_images(Path(file.name), r"a(\d)\.pgm", (2, 3))
    {('7',): array([[0, 1, 2],
           [3, 4, 5]], dtype=uint8)}
    """
    from PIL import Image

    images = {}
    try:
        with ZipFile(path) as members:
            for member in members.namelist():
                if member.endswith("/"):
                    continue
                if (match := re.fullmatch(pattern, PurePosixPath(member).name)) is None:
                    raise ValueError(f"{path} holds '{member}', which does not match {pattern}")
                with members.open(member) as file, Image.open(file) as image:
                    if image.mode != "L" or image.size != shape[::-1]:
                        raise ValueError(
                            f"{path}: {member} should be 8-bit gray of {shape[0]} x {shape[1]} "
                            f"pixels, but is of mode {image.mode} and {image.height} x "
                            f"{image.width}"
                        )
                    images[match.groups()] = np.asarray(image)
    except (BadZipFile, OSError) as error:
        raise ValueError(f"{path} is no complete zip file of images: {error}") from error
    return images


def read_mat(path: Path, variable: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Read one array of a MATLAB file of version 5 to 7.

    Parameters
    ----------
    path : Path
        The file.
    variable : str
        Name of the array.
    shape : tuple of int
        Shape that it must have.

    Returns
    -------
    ndarray of float64
        The array.

    Raises
    ------
    ValueError
        If the file is no such file, or lacks an array of that name and shape.

    Examples
    --------
    >>> import scipy.io, tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".mat") as file:
    ...     scipy.io.savemat(file.name, {"a": np.eye(2)})
    ...     read_mat(Path(file.name), "a", (2, 2))
    array([[1., 0.],
           [0., 1.]])
    """
    import scipy.io

    try:
        arrays = scipy.io.loadmat(path, variable_names=[variable])
    except Exception as error:  # a damaged file fails in many ways
        raise ValueError(f"{path} is no MATLAB file of version 5 to 7: {error}") from error
    if variable not in arrays:
        raise ValueError(f"{path} holds no array '{variable}'")
    if arrays[variable].shape != shape:
        raise ValueError(
            f"{path}: '{variable}' should have the shape {shape}, but has {arrays[variable].shape}"
        )
    return arrays[variable].astype(np.float64)
