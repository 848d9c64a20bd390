"""Digit images of scikit-learn, and datasets in the format of MNIST."""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._sampling import check_number, choose
from nldr.datasets.download import fetch

# Part of MNIST and Fashion-MNIST → names of its files
PARTS = {"all": ("train", "t10k"), "train": ("train",), "test": ("t10k",)}


def digits(*, classes: Sequence[int] = tuple(range(10))) -> Dataset:
    """Load the 1797 handwritten digits of scikit-learn, or those of some classes.

    Parameters
    ----------
    classes : sequence of int
        Digits to keep; all by default.

    Returns
    -------
    Dataset
        ``X`` of shape (1797, 64) with values 0 to 16, labels ``y`` 0 to 9, and ``image_shape``
        (8, 8).

    References
    ----------
    Alpaydin & Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository
    (its test set).

    Examples
    --------
    >>> digits().X.shape, digits(classes=[0, 1]).X.shape
    ((1797, 64), (360, 64))
    """
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    mask = np.isin(y, classes)
    return Dataset(X=X[mask].astype(np.float64), y=y[mask].astype(np.int64), image_shape=(8, 8))


def mnist(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load MNIST, or a random subset stratified by digit.

    The files are found or downloaded by :func:`nldr.datasets.download.fetch`.

    Parameters
    ----------
    n_samples : int
        Number of images, at most 70000, which is all of them.

    Returns
    -------
    Dataset
        Images in the order of the files, training before test: ``X`` of shape (n_samples, 784)
        with values 0 to 1 (gray values divided by 255), labels ``y`` 0 to 9, ``image_shape``
        (28, 28), and ``train``, True for the images of the training set.

    References
    ----------
    LeCun, Cortes & Burges, The MNIST database of handwritten digits.

    Examples
    --------
    >>> data = mnist(n_samples=1000, rng=np.random.default_rng(0))  # doctest: +SKIP
    >>> data.X.shape  # doctest: +SKIP
    (1000, 784)
    """
    return _load_idx_dataset("mnist", "MNIST", n_samples, rng)


def fashion_mnist(
    *, n_samples: int, part: str = "all", choice: str = "random", rng: np.random.Generator
) -> Dataset:
    """Load Fashion-MNIST, or some of its images.

    The files are found or downloaded by :func:`nldr.datasets.download.fetch`.

    Parameters
    ----------
    n_samples : int
        Number of images, at most all of the part.
    part : {"all", "train", "test"}, default="all"
        The 60000 training images, the 10000 test images, or all.
    choice : {"random", "first"}, default="random"
        A random subset stratified by class, or the first images of the part. The paper on IKD
        uses the first 3000 test images.
    rng : numpy.random.Generator
        Chooses the images, unless they are the first. For the same state, a smaller choice is a
        subset of a larger one.

    Returns
    -------
    Dataset
        Images in the order of the files, training before test, in the same form as :func:`mnist`;
        ``train`` is None if the images are of one part only. The labels ``y`` 0 to 9 are T-shirt
        or top, trouser, pullover, dress, coat, sandal, shirt, sneaker, bag and ankle boot.

    References
    ----------
    Xiao, Rasul & Vollgraf, Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine Learning
    Algorithms, 2017.

    Examples
    --------
    >>> data = fashion_mnist(n_samples=1000, rng=np.random.default_rng(0))  # doctest: +SKIP
    >>> data.X.shape  # doctest: +SKIP
    (1000, 784)
    """
    if part not in PARTS:
        raise ValueError(f"part must be one of {', '.join(PARTS)}, got {part!r}")
    if choice not in ("random", "first"):
        raise ValueError(f"choice must be random or first, got {choice!r}")
    picker = rng if choice == "random" else None
    return _load_idx_dataset("fashion_mnist", "Fashion-MNIST", n_samples, picker, PARTS[part])


def _load_idx_dataset(
    folder: str,
    name: str,
    n_samples: int,
    rng: np.random.Generator | None,
    parts: Sequence[str] = PARTS["all"],
) -> Dataset:
    """Load a dataset that has the same files and format as MNIST; without `rng`, its first rows."""
    # Labels of training and test set; choose before reading the larger image files
    labels = [read_idx(fetch(f"{folder}/{part}-labels-idx1-ubyte.gz"), 1) for part in parts]
    y = np.concatenate(labels).astype(np.int64)
    if rng is None:
        check_number(n_samples, len(y), name)
        rows = np.arange(n_samples)
    else:
        rows = choose(y, n_samples, rng, name)
    images = [read_idx(fetch(f"{folder}/{part}-images-idx3-ubyte.gz"), 3) for part in parts]
    pixels = np.concatenate(images)[rows]
    return Dataset(
        X=pixels.reshape(n_samples, -1) / 255.0,
        y=y[rows],
        image_shape=pixels.shape[1:],
        train=rows < len(labels[0]) if len(parts) > 1 else None,
    )


def read_idx(path: Path, n_dimensions: int) -> NDArray[np.uint8]:
    """Return the array of a gzipped IDX file of unsigned bytes, the format of MNIST, read-only.

    It has one dimension for labels, and three for images.

    Raises
    ------
    ValueError
        If the file is not a complete gzip file, if its magic number is not that of an array of
        bytes with ``n_dimensions`` dimensions, or if its size does not match its header.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(gzip.compress(bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 9])))
    ...     file.flush()
    ...     read_idx(Path(file.name), 1)
    array([7, 9], dtype=uint8)
    """
    try:
        content = gzip.decompress(path.read_bytes())
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is not a complete gzip file: {error}") from error
    # Magic number: two zeros, the type code of unsigned bytes, the number of dimensions
    magic = bytes([0, 0, 8, n_dimensions])
    if content[:4] != magic:
        raise ValueError(
            f"{path} is not an IDX file of bytes with {n_dimensions} dimension(s): it starts with "
            f"{content[:4].hex() or 'nothing'} instead of {magic.hex()}"
        )
    # Shape: one big-endian 32-bit integer per dimension
    start = 4 + 4 * n_dimensions
    if len(content) < start:
        raise ValueError(f"{path} ends within its header, after {len(content)} of {start} bytes")
    shape = tuple(np.frombuffer(content[4:start], ">u4").tolist())
    if len(content) - start != math.prod(shape):
        raise ValueError(
            f"{path} must contain {math.prod(shape)} bytes for its shape {shape}, "
            f"but contains {len(content) - start}"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
