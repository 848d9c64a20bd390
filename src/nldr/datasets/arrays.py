"""Datasets that a user has as arrays in a file."""

from __future__ import annotations

import os
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._sampling import choose


def features(*, path: str, n_samples: int, n_features: int, rng: np.random.Generator) -> Dataset:
    """Load any dataset from a file of arrays, or a random part of it.

    A ``.npz`` file holds the array ``X`` and, if there are labels, ``y`` (as ``numpy.savez``
    writes them); a ``.npy`` file holds ``X`` alone. An unlabeled dataset needs an entry
    of its own in ``workflow/catalog/datasets.yaml``, without ``labels: true``. As results do not
    know when a file's content changes, give a changed file a new name.

    Parameters
    ----------
    path : str
        The file. If relative, it is looked for in the folder that ``data_dir`` in ``config.yaml``
        (or ``NLDR_DATA_DIR``) names, else where the run was started.
    n_samples : int
        Number of points, at most the number in the file; fewer are chosen at random, of all
        classes in proportion.
    n_features : int
        Number of columns that ``X`` must have.
    rng : numpy.random.Generator
        Chooses the points. From the same state, a smaller choice is part of a larger one.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features) in the order of the file, and ``y`` if there.

    Raises
    ------
    ValueError
        If the file is missing, is no such file, or its arrays do not fit the parameters or each
        other.

    Notes
    -----
    The image sets of the parametric DR paper (Cat & Dog, CIFAR-10, CIFAR-100, NORB, SVHN) enter
    it as what DenseNet201, trained on ImageNet, makes of them before its last layer: 1920
    features an image. To have them, with Keras installed apart from this project and
    the images as an array of shape (n_images, height, width, 3) with values 0 to 255 (gray ones
    three times over; the paper does not say how it resized them, 224 x 224 is the network's
    own size)::

        from keras.applications import DenseNet201
        from keras.applications.densenet import preprocess_input

        network = DenseNet201(include_top=False, weights="imagenet", pooling="max")
        X = network.predict(preprocess_input(images.astype("float32")), batch_size=64)
        numpy.savez("cifar10.npz", X=X, y=labels)

    and in a study ``features: {path: cifar10.npz, n_samples: 20000, n_features: 1920}``. The paper
    chose 5000 points for training and 15000 for testing.

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
    X, y = _read(file)
    if X.ndim != 2 or X.shape[1] != n_features:
        raise ValueError(f"{file}: X should have the shape (n, {n_features}), but has {X.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"{file}: X should hold real numbers, but holds {X.dtype}")
    if y is not None and (y.shape != X.shape[:1] or y.dtype.kind not in "iu"):
        raise ValueError(
            f"{file}: y should hold {len(X)} integers, but has the shape {y.shape} and the type "
            f"{y.dtype}"
        )
    chosen = choose(np.zeros(len(X)) if y is None else y, n_samples, rng, str(file))
    return Dataset(
        X=X[chosen].astype(np.float64),
        y=None if y is None else y[chosen].astype(np.int64),
    )


def _read(file: Path) -> tuple[NDArray, NDArray | None]:
    """Return the arrays ``X`` and, if there, ``y`` of a file."""
    if not file.is_file():
        raise ValueError(
            f"{file} does not exist: give the path of a .npz or .npy file, from the folder that "
            "data_dir in config.yaml names if it is relative"
        )
    try:
        with file.open("rb") as opened:
            content = np.load(opened, allow_pickle=False)
            if isinstance(content, np.ndarray):
                return content, None
            if "X" not in content:
                raise ValueError("it holds no array X")
            return content["X"], content.get("y")
    except (OSError, EOFError, ValueError, BadZipFile) as error:
        raise ValueError(
            f"{file} is no .npy file, nor .npz file with an array X and labels y: {error}"
        ) from error
