"""Single cells in an annotated file (.h5ad), as scanpy and its databases write them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nldr.dataset import Dataset
from nldr.datasets._sampling import choose

MEANING = ("counts", "as_is")


def annotated(
    *,
    path: str,
    label: str,
    values: str,
    n_samples: int,
    n_features: int,
    sha256: str | None = None,
    rng: np.random.Generator,
) -> Dataset:
    """Load cells and a column of their annotation, or a random subset of the cells.

    It needs the package anndata. Results are not updated when the content of a file changes, so
    give a changed file a new name; with ``sha256`` a changed file is refused.

    Parameters
    ----------
    path : str
        The ``.h5ad`` file. A relative path starts at the folder given by ``data_dir`` in
        ``config.yaml`` (or by ``NLDR_DATA_DIR``), or else at the working directory of the run.
    label : str
        Column of ``obs`` with the classes, which are numbered in alphabetical order.
    values : {"counts", "as_is"}
        ``counts`` takes the logarithm of one plus the counts, after the depth of each cell was
        made the median depth; ``as_is`` takes ``X`` as it stands in the file.
    n_samples : int
        Number of cells, at most the number in the file; fewer are chosen at random, stratified
        by class.
    n_features : int
        Required number of columns of ``X``.
    sha256 : str, optional
        SHA-256 of the file, as ``sha256sum`` prints it.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, n_features) in the order of the file, and labels ``y``.

    Raises
    ------
    ValueError
        If the file does not exist, cannot be read, or has another digest or shape, if it has no
        such column, if a cell has no class, or if counts are negative.

    Examples
    --------
    >>> annotated(path="pbmc3k_processed.h5ad", label="louvain", values="as_is", n_samples=2638,
    ...           n_features=1838, rng=np.random.default_rng(0)).X.shape  # doctest: +SKIP
    (2638, 1838)
    """
    if values not in MEANING:
        raise ValueError(f"values must be one of {', '.join(MEANING)}, got {values!r}")
    file = Path(os.environ.get("NLDR_DATA_DIR") or ".").expanduser() / Path(path).expanduser()
    cells = _read(file, sha256)
    if cells.shape[1] != n_features:
        raise ValueError(f"{file}: {n_features} columns are expected, it has {cells.shape[1]}")
    if label not in cells.obs:
        columns = ", ".join(cells.obs.columns)
        raise ValueError(f"{file}: no column '{label}' in obs, which has: {columns}")
    if n_missing := int(cells.obs[label].isna().sum()):
        raise ValueError(f"{file}: {n_missing} cells have no '{label}': leave them out of the file")
    _, classes = np.unique(cells.obs[label].astype(str), return_inverse=True)
    rows = choose(classes, n_samples, rng, str(file))
    X = cells.X[rows]
    X = np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
    if values == "counts":
        X = _log_normalized(X, file)
    return Dataset(X=X, y=classes[rows].astype(np.int64))


def _read(file: Path, sha256: str | None) -> Any:
    """Return the content of a file as AnnData, if it is the one that is expected."""
    try:
        import anndata
    except ImportError as error:
        raise ValueError(f"{file}: to read it, install anndata: pip install anndata") from error
    if not file.is_file():
        raise ValueError(
            f"{file} does not exist: give the path of an .h5ad file, absolute or relative to "
            "data_dir in config.yaml"
        )
    if sha256 is not None:
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if digest != sha256.lower():
            raise ValueError(
                f"{file}: its sha256 is {digest}, expected is {sha256}: get the expected file, or "
                "give this one a new name and its own sha256"
            )
    try:
        return anndata.read_h5ad(file)
    except Exception as error:  # damaged files raise many types
        raise ValueError(f"{file} cannot be read as an .h5ad file: {error}") from error


def _log_normalized(counts: NDArray, file: Path) -> NDArray:
    """Return log(1 + counts) of cells that were scaled to the median depth."""
    if counts.min(initial=0.0) < 0:
        raise ValueError(f"{file}: counts are negative: say values: as_is")
    depth = counts.sum(axis=1, keepdims=True)
    if not depth.all():
        raise ValueError(f"{file}: {int((depth == 0).sum())} cells have no counts: leave them out")
    return np.log1p(counts * (np.median(depth) / depth))
