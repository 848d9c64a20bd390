"""A user's own dataset, stored as arrays in a file."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import IO
from zipfile import ZipFile, is_zipfile

import numpy as np
import numpy.lib.format as npy
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._sampling import choose


def features(*, path: str, n_samples: int, n_features: int, rng: np.random.Generator) -> Dataset:
    """Load a dataset from a file of arrays, or a random subset of it.

    A ``.npz`` file contains the array ``X`` and, if there are labels, ``y`` (as written by
    ``numpy.savez``); a ``.npy`` file contains only ``X``. An unlabeled dataset needs a separate
    entry in ``workflow/catalog/datasets.yaml``, without ``labels: true``. Results are not updated
    when the content of a file changes, so give a changed file a new name.

    Parameters
    ----------
    path : str
        The file. A relative path starts at the folder given by ``data_dir`` in ``config.yaml`` (or
        by ``NLDR_DATA_DIR``), or else at the working directory of the run.
    n_samples : int
        Number of points, at most the number in the file; fewer are chosen at random, stratified
        by class.
    n_features : int
        Required number of columns of ``X``.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features) in the order of the file, and ``y`` if there
        are labels.

    Notes
    -----
    Lai et al. use image datasets (Cat & Dog, CIFAR-10, CIFAR-100, NORB, SVHN) as the 1920
    features per image that DenseNet201, trained on ImageNet, computes before its last layer. To
    compute them, install Keras in a separate environment, and store the images as an array of
    shape (n_images, height, width, 3) with values 0 to 255, here resized to 224 x 224::

        from keras.applications import DenseNet201
        from keras.applications.densenet import preprocess_input

        network = DenseNet201(include_top=False, weights="imagenet", pooling="max")
        X = network.predict(preprocess_input(images.astype("float32")), batch_size=64)
        numpy.savez("cifar10.npz", X=X, y=labels)

    Then write ``features: {path: cifar10.npz, n_samples: 20000, n_features: 1920}`` in a study.

    References
    ----------
    Lai et al., Parametric Dimension Reduction by Preserving Local Structure, Sec. 4.3.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(folder + "/mine.npz", X=np.eye(6), y=np.arange(6) % 2)
    ...     data = features(path=folder + "/mine.npz", n_samples=4, n_features=6,
    ...                     rng=np.random.default_rng(0))
    >>> data.X.shape, sorted(data.y.tolist())
    ((4, 6), [0, 0, 1, 1])
    """
    file = Path(os.environ.get("NLDR_DATA_DIR") or ".").expanduser() / Path(path).expanduser()
    X, y = _read_arrays(file)
    if X.ndim != 2 or X.shape[1] != n_features:
        raise ValueError(f"{file}: X must have shape (n, {n_features}), got {X.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"{file}: X must contain real numbers, got {X.dtype}")
    if y is not None and (y.shape != X.shape[:1] or y.dtype.kind not in "iu"):
        raise ValueError(
            f"{file}: y must contain {len(X)} integers, got shape {y.shape} and type {y.dtype}"
        )
    rows = choose(np.zeros(len(X)) if y is None else y, n_samples, rng, str(file))
    return Dataset(
        X=X[rows].astype(np.float64),
        y=None if y is None else y[rows].astype(np.int64),
    )


def _read_arrays(file: Path) -> tuple[NDArray, NDArray | None]:
    """Return the array ``X`` of a file, and ``y`` or None."""
    if not file.is_file():
        raise ValueError(
            f"{file} does not exist: give the path of a .npz or .npy file, absolute or relative to "
            "data_dir in config.yaml"
        )
    # A .npy file contains one array, a .npz file several
    try:
        if not is_zipfile(file):
            with file.open("rb") as stream:
                return _read_array(stream, file.stat().st_size), None
        with ZipFile(file) as members:
            arrays = {}
            for name in ("X", "y"):
                if f"{name}.npy" in members.namelist():
                    with members.open(f"{name}.npy") as member:
                        size = members.getinfo(f"{name}.npy").file_size
                        arrays[name] = _read_array(member, size)
        if "X" not in arrays:
            raise ValueError("it contains no array X")
        return arrays["X"], arrays.get("y")
    except Exception as error:  # damaged files raise many types
        raise ValueError(
            f"{file} is neither a .npy file nor a .npz file with an array X: {error}"
        ) from error


def _read_array(stream: IO[bytes], size: int) -> NDArray:
    """Return the array of a stream of ``size`` bytes, if there are as many as its header says."""
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    version = npy.read_magic(stream)
    if version not in readers:
        raise ValueError(f"its format version {version} is not supported")
    # Compare before memory is allocated
    shape, _, dtype = readers[version](stream)
    needed_size = stream.tell() + math.prod(shape) * dtype.itemsize
    if not dtype.hasobject and needed_size > size:
        raise ValueError(f"its header promises {needed_size} bytes, but there are {size}")
    stream.seek(0)
    return npy.read_array(stream, allow_pickle=False)
