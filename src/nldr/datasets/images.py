"""Gray images of rotating objects and faces: COIL-20, UMIST, ORL, teapots."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._sampling import choose
from nldr.datasets.download import fetch

COIL_VIEWS = 72  # views of each object during one full turn
# Images of the second person that are exact copies of others
UMIST_REPEATS = {("b", str(number)) for number in range(26, 36)}


def coil20(*, objects: Sequence[int], n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load COIL-20, 20 objects on a turntable with 72 views each, or a subset of it.

    In a study, the list of objects is nested, since a plain list is a grid of values:
    ``coil20: {objects: [[1, 4, 6, 11, 13]], n_samples: 360}``.

    Parameters
    ----------
    objects : sequence of int
        Distinct numbers of objects, 1 to 20.
    n_samples : int
        Number of images, at most 72 per object; fewer are chosen at random, stratified by object.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 16384) with values 0 to 1 (gray values divided by 255), ordered
        by object and pose (5 degrees apart); ``Z``, the cosine and sine of the pose; the number of
        the object as label ``y``; and ``image_shape`` (128, 128).

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
    valid = set(range(1, 21))
    if not objects or len(set(objects)) < len(objects) or not valid.issuperset(objects):
        raise ValueError(f"objects must be distinct numbers from 1 to 20, got {list(objects)}")
    images = read_images(fetch("coil20/coil-20-proc.zip"), r"obj(\d+)__(\d+)\.png", (128, 128))
    names = [name for name in images if int(name[0]) in objects]
    names.sort(key=lambda name: (int(name[0]), int(name[1])))
    y = np.array([int(number) for number, _ in names], np.int64)
    rows = choose(y, n_samples, rng, f"COIL-20 with {len(objects)} object(s)")
    pose = 2 * np.pi * np.array([int(names[i][1]) for i in rows]) / COIL_VIEWS
    Z = np.column_stack([np.cos(pose), np.sin(pose)])
    return _gray_dataset([images[names[i]] for i in rows], y[rows], Z)


def umist(
    *,
    distinct: bool,
    n_samples: int,
    people: Sequence[int] = tuple(range(20)),
    rng: np.random.Generator,
) -> Dataset:
    """Load the UMIST faces: 20 people turning from profile to frontal view.

    Parameters
    ----------
    distinct : bool
        Leave out the ten images of the second person that are exact copies of others (b26 to
        b35). With them, some distances between the 575 images are zero.
    n_samples : int
        Number of images, at most 575, or 565 distinct ones; fewer are chosen at random,
        stratified by person.
    people : sequence of int
        People to keep, 0 to 19; all by default.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 10304) with values 0 to 1 (gray values divided by 255), ordered
        by person and number; the person as label ``y``, 0 to 19; and ``image_shape`` (112, 92).

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
    # Leave out other people and, if distinct, the copies
    other_people = {name for name in images if ord(name[0]) - ord("a") not in people}
    excluded = other_people | (UMIST_REPEATS if distinct else set())
    names = sorted(images.keys() - excluded, key=lambda name: (name[0], int(name[1])))
    y = np.array([ord(person) - ord("a") for person, _ in names], np.int64)
    rows = choose(y, n_samples, rng, "distinct images of UMIST" if distinct else "UMIST")
    return _gray_dataset([images[names[i]] for i in rows], y[rows])


def orl(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load the ORL faces: 40 people, ten frontal images each.

    Parameters
    ----------
    n_samples : int
        Number of images, at most 400; fewer are chosen at random, stratified by person.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 10304) with values 0 to 1 (gray values divided by 255), ordered
        by person and number; the person as label ``y``, 1 to 40; and ``image_shape`` (112, 92).

    References
    ----------
    Samaria & Harter, Parameterisation of a stochastic model for human face identification, 1994;
    Olivetti Research Laboratory.

    Examples
    --------
    >>> data = orl(n_samples=400, rng=np.random.default_rng(0))  # doctest: +SKIP
    >>> data.X.shape  # doctest: +SKIP
    (400, 10304)
    """
    file = fetch("orl/orl_faces.zip")
    images = read_images(file, r"s(\d+)/(\d+)\.pgm", (112, 92), folders=1)
    names = sorted(images, key=lambda name: (int(name[0]), int(name[1])))
    y = np.array([int(person) for person, _ in names], np.int64)
    rows = choose(y, n_samples, rng, "ORL")
    return _gray_dataset([images[names[i]] for i in rows], y[rows])


def teapots() -> Dataset:
    r"""Load 100 gray images of a teapot during one full turn.

    The images appear to be every fourth of the 400 color images of Weinberger & Saul, converted to
    gray and to half the size.

    Returns
    -------
    Dataset
        ``X`` of shape (100, 1900) with values 0 to 0.885, ordered by angle; the points
        :math:`(\cos\varphi, \sin\varphi)` of the circle as latent ``Z``; and ``image_shape``
        (38, 50). The angle :math:`\varphi = 2 \pi i / 100` is nominal.

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
    # The file stores each image column by column
    images = columns.reshape(100, 50, 38).transpose(0, 2, 1)
    angle = 2 * np.pi * np.arange(100) / 100
    return Dataset(
        X=images.reshape(100, -1),
        Z=np.column_stack([np.cos(angle), np.sin(angle)]),
        image_shape=(38, 50),
    )


def _gray_dataset(
    images: Sequence[NDArray[np.uint8]], y: NDArray, Z: NDArray | None = None
) -> Dataset:
    """Return images of bytes as a dataset with values 0 to 1."""
    pixels = np.stack(images)
    X = pixels.reshape(len(y), -1) / 255.0
    return Dataset(X=X, Z=Z, y=y, image_shape=pixels.shape[1:])


def read_images(
    path: Path, pattern: str, shape: tuple[int, int], *, folders: int = 0
) -> dict[tuple[str, ...], NDArray[np.uint8]]:
    r"""Return the 8-bit gray images of a zip file, in any format that Pillow supports.

    The key of an image is the tuple of groups matched in its name. The name of every member,
    without its folder but for the last `folders` ones, must match the regular expression `pattern`,
    and every image must have the given height and width.

    Raises
    ------
    ValueError
        If the file is not a zip file, or if a member has a different name, is damaged or is not
        such an image.

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
                # Skip folders; every file must be an image of the right name, mode and size
                if member.endswith("/"):
                    continue
                name = "/".join(PurePosixPath(member).parts[-1 - folders :])
                if (match := re.fullmatch(pattern, name)) is None:
                    raise ValueError(f"{path} contains '{member}', which does not match {pattern}")
                with members.open(member) as file, Image.open(file) as image:
                    if image.mode != "L" or image.size != shape[::-1]:
                        raise ValueError(
                            f"{path}: {member} must be an 8-bit gray image of {shape[0]} x "
                            f"{shape[1]} pixels, got mode {image.mode} and {image.height} x "
                            f"{image.width} pixels"
                        )
                    images[match.groups()] = np.asarray(image)
    except (BadZipFile, OSError, RuntimeError, zlib.error, Image.DecompressionBombError) as error:
        # RuntimeError: encrypted, or a compression that Python does not know
        raise ValueError(f"{path} is not a complete zip file of images: {error}") from error
    return images


def read_mat(path: Path, variable: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return one array of a MATLAB file, version 5 to 7, of the given name and shape.

    Raises
    ------
    ValueError
        If the file is not a MATLAB file of these versions, or lacks an array of that name and
        shape.

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
    except Exception as error:  # damaged files raise many types
        raise ValueError(f"{path} is not a MATLAB file of version 5 to 7: {error}") from error
    if variable not in arrays:
        raise ValueError(f"{path} contains no array '{variable}'")
    if arrays[variable].shape != shape:
        raise ValueError(
            f"{path}: '{variable}' must have shape {shape}, got {arrays[variable].shape}"
        )
    return arrays[variable].astype(np.float64)
