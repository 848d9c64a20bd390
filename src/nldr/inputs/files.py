"""Read a table from a file: CSV, TSV, Parquet, npy, npz or h5ad, or from a folder of images."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import load_npz

from nldr.inputs.delimited import line_of, read_delimited, suffix_of
from nldr.inputs.errors import (
    InputError,
    Place,
    listed,
    refuse_named_twice,
    row_place,
    suggestion,
)
from nldr.inputs.images import read_images
from nldr.inputs.labels import Labels, as_labels
from nldr.inputs.matrix import MEASURE, Matrix, as_matrix

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".npy", ".npz", ".h5ad")
TEXTS = (".csv", ".tsv", ".txt")  # perhaps compressed, such as .csv.gz
ROW_NAMES = ("id", "index", "row", "name", "")
ROW_ID = re.compile(r"(?i:(.*[\W_])?id|unnamed.*)|.*[a-z](Id|ID)")
DROP = (
    "name it as the label (--label {word}), as categories (--categories {words}), or leave it out "
    "(--drop {words})"
)
COORDINATES = "keep only the coordinates, and perhaps a first column of row names"
NUMBERS = "an array must hold numbers; write text as labels y, or a table as CSV"


def read(
    file: str | Path,
    label: str | None = None,
    drop: Sequence[str] = (),
    categories: Sequence[str] = (),
) -> tuple[Matrix, Labels | None]:
    r"""Read a table and the labels of its rows.

    Parameters
    ----------
    file : path-like
        A ``.csv``, ``.tsv``, ``.csv.gz``, ``.tsv.gz`` or ``.parquet`` file with one column per
        feature, an ``.npy`` file, an ``.npz`` file with ``X`` and perhaps ``y`` or with a sparse
        matrix of SciPy, an ``.h5ad`` file, or a folder of images, see
        :func:`nldr.inputs.read_images`. A first column of different names is taken as the names
        of the rows.
    label : str, optional
        Column of the labels; the name of an array in an ``.npz`` file, or of a column of ``obs``.
    drop : sequence of str
        Columns to leave out, of an ``.h5ad`` file genes.
    categories : sequence of str
        Columns that hold categories, see :func:`nldr.inputs.as_matrix`.

    Returns
    -------
    Matrix, Labels or None
        The table, and its labels if there are some.

    Raises
    ------
    InputError
        If the file or a column does not exist or contains something else.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("x,y,type\n1,2,a\n3,4,b\n5,6,a\n")
    ...     matrix, labels = read(Path(folder, "a.csv"), label="type")
    >>> matrix.columns, labels.values.tolist()
    (['x', 'y'], ['a', 'b', 'a'])
    """
    path = _existing(Path(file).expanduser())
    suffix = path.suffix.lower()
    refuse_named_twice([*drop, *categories, *([label] if label else [])])
    is_annotated = suffix == ".h5ad"
    if path.is_dir() or suffix in (".npy", ".npz") or is_annotated:
        what = "columns of text" if is_annotated else "names of columns"
        for option, names in (("--drop", drop), ("--categories", categories)):
            if names and not (is_annotated and option == "--drop"):
                raise InputError(f"{path.name} has no {what}: {option} cannot name one")
    if path.is_dir():
        return read_images(path, label)
    if suffix in (".npy", ".npz"):
        return _read_arrays(path, label, ("X",))
    if is_annotated:
        return _read_anndata(path, label, drop)
    frame = _read_frame(path, {*drop, *categories, *([label] if label else [])})
    for column in (*drop, *([label] if label else []), *categories):
        if column not in frame.columns:
            raise InputError(
                f"{path.name} has no column '{column}': {suggestion(column, frame.columns)}"
            )
    rest = frame.drop(columns=[*drop, *([label] if label else [])])
    matrix = _as_named_rows(rest, path, DROP, categories)
    if not label:
        return matrix, None
    labels = as_labels(frame[label], len(frame), f"column '{label}' of {path.name}", place_of(path))
    return matrix, Labels(label, labels.values, labels.is_numeric)


def read_map(file: str | Path) -> Matrix:
    r"""Read the coordinates of a map.

    Parameters
    ----------
    file : path-like
        A table with one column per coordinate, perhaps with ``trusted`` and what follows it, as
        comparisons save it; or an ``.npz`` file with ``embedding`` (as maps are saved), ``Z`` or
        ``X``.

    Returns
    -------
    Matrix
        The coordinates.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("id,x,y\np,1,2\nq,3,4\n")
    ...     read_map(Path(folder, "a.csv")).index
    ['p', 'q']
    """
    path = _existing(Path(file).expanduser())
    if path.is_dir():
        raise InputError(f"{path} is a folder: give the file with the coordinates of the map")
    if path.suffix.lower() in (".npy", ".npz"):
        matrix = _read_arrays(path, None, ("embedding", "Z", "X"))[0]
        return replace(matrix, index=_saved_names(path))
    if path.suffix.lower() == ".h5ad":
        raise InputError(
            f"{path.name} may hold several maps: save one as CSV, with pandas.DataFrame("
            "adata.obsm['X_umap'], index=adata.obs_names).to_csv('map.csv')"
        )
    return _as_named_rows(coordinates_of(_read_frame(path)), path, COORDINATES, ())


def coordinates_of(Z: Any) -> Any:
    """Return the coordinates of a fitted map, or of a table that tells which points to trust.

    Whatever else there is, is returned as it is.

    Examples
    --------
    >>> import pandas as pd
    >>> coordinates_of(pd.DataFrame({"x": [1], "y": [2], "trusted": [True]})).columns.tolist()
    ['x', 'y']
    """
    import pandas as pd

    if hasattr(Z, "embedding_"):
        index = getattr(Z, "index_", None)
        return Z.embedding_ if index is None else pd.DataFrame(Z.embedding_, index=index)
    if hasattr(Z, "obsm"):
        maps = listed(Z.obsm) or "none"
        raise InputError(f"AnnData may hold several maps (it has {maps}): pass one, adata.obsm[…]")
    if isinstance(Z, pd.DataFrame) and "trusted" in Z:
        return Z.iloc[:, : Z.columns.get_loc("trusted")]
    return Z


def _saved_names(path: Path) -> list[Any] | None:
    """Return the names of rows that a saved map holds."""
    if path.suffix.lower() == ".npy":
        return None
    with np.load(path, allow_pickle=False) as content:
        is_named = {"about", "index"} <= {*content.files}
        return _member(content, "index", path).tolist() if is_named else None


def place_of(path: Path) -> Place:
    """Return words for the place of a row of a file: its line, if it is a text."""
    return partial(line_of, path) if suffix_of(path) in TEXTS else row_place


def _existing(path: Path) -> Path:
    """Return the path of a file that can be read, or of a folder."""
    if path.is_dir():
        return path
    if not path.is_file():
        folder = path.parent if path.parent.is_dir() else Path()
        names = sorted(other.name for other in folder.iterdir() if _is_readable(other))
        hint = suggestion(path.name, names) if names else "give the path of a file"
        raise InputError(f"{path} does not exist: {hint}")
    if not _is_readable(path):
        raise InputError(
            f"{path.name}: files that can be read end in {', '.join(SUFFIXES)}, .csv.gz or "
            ".tsv.gz; save the table as CSV"
        )
    return path


def _is_readable(path: Path) -> bool:
    is_compressed = path.suffix.lower() == ".gz"
    return suffix_of(path) in (TEXTS if is_compressed else SUFFIXES)


def _as_named_rows(
    frame: pd.DataFrame, path: Path, remedy: str, categories: Sequence[str]
) -> Matrix:
    """Return the numbers of a table, its first column as names of rows if they are some."""
    import pandas as pd

    index, rest = _row_names(frame)
    if index is not None and frame.columns[0] in categories:
        index, rest = None, frame
    title = "" if index is None else str(frame.columns[0])
    # Parquet stores the names of rows apart from the columns
    is_counted = isinstance(frame.index, pd.RangeIndex) and frame.index.name is None
    if index is None and frame.index.is_unique and not is_counted:
        index, title = frame.index.tolist(), str(frame.index.name or "")
    matrix = as_matrix(rest, path.name, place_of(path), remedy, categories)
    return replace(matrix, index=index, index_name=title)


def _row_names(frame: pd.DataFrame) -> tuple[list[Any] | None, pd.DataFrame]:
    """Return the first column if it names the rows, and the other columns."""
    if frame.shape[1] < 2:
        return None, frame
    first, name = frame.iloc[:, 0], str(frame.columns[0])
    is_text = not first.map(lambda value: isinstance(value, int | float)).any()
    is_text = is_text and not first.astype(str).str.fullmatch(MEASURE).any()
    is_whole = first.dtype.kind != "f" or (first == first.round()).all()
    are_names = is_text or (names_rows(name) and is_whole)
    if are_names and first.is_unique and first.notna().all():
        return first.tolist(), frame.iloc[:, 1:]
    return None, frame


def names_rows(column: str) -> bool:
    """Tell whether the name of a column says that it names the rows.

    Examples
    --------
    >>> [names_rows(name) for name in ("id", "patient_id", "cellID", "grid")]
    [True, True, True, False]
    """
    return column.strip().lower() in ROW_NAMES or bool(ROW_ID.fullmatch(column.strip()))


def numbers_rows(column: str, values: NDArray) -> bool:
    """Tell whether a column is named as one of row names, and holds a whole number for each.

    Examples
    --------
    >>> numbers_rows("id", np.array([7.0, 3.0])), numbers_rows("id", np.array([7.0, 7.0]))
    (True, False)
    """
    is_whole = bool(np.all(values == np.round(values)))
    return names_rows(column) and is_whole and len(np.unique(values)) == len(values)


def _read_frame(path: Path, codes: Collection[str] = ()) -> pd.DataFrame:
    """Return a table with named columns."""
    if path.suffix.lower() != ".parquet":
        return read_delimited(path, codes)
    import pandas as pd

    try:
        frame = pd.read_parquet(path)
    except ImportError as error:
        raise InputError(
            f"{path.name}: reading .parquet files needs pyarrow: pip install pyarrow"
        ) from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} cannot be read as Parquet: {error}") from error
    return frame.rename(columns=str)


def _read_arrays(
    path: Path, label: str | None, arrays: Sequence[str]
) -> tuple[Matrix, Labels | None]:
    """Return the table of an .npy or .npz file, the first of some arrays that it has."""
    try:
        content = np.load(path, allow_pickle=False)
    except Exception as error:  # damaged files raise many types
        is_safe = not _holds_objects(error)
        reason = "is damaged" if is_safe else "holds Python objects, which are not read for safety"
        raise InputError(
            f"{path.name} cannot be read as an array of numbers, it {reason}: write it with "
            "np.save(file, X.astype(float))"
        ) from error
    if isinstance(content, np.ndarray):
        if label:
            raise InputError(
                f"{path.name} holds one array without labels: save both, "
                f"np.savez('{path.stem}.npz', X=X, {label}={label})"
            )
        return as_matrix(content, path.name, remedy=NUMBERS), None
    with content:
        names = content.files
        if {"format", "shape", "data"} <= set(names):
            if label:
                raise InputError(f"{path.name} holds a sparse matrix, no labels: pass them as y")
            return as_matrix(_sparse(path), path.name), None
        name = next((name for name in arrays if name in names), None)
        if name is None:
            raise InputError(
                f"{path.name} has no array {arrays[-1]} (it has {listed(names)}): write it with "
                f"np.savez(file, {arrays[-1]}={arrays[-1]}, y=y)"
            )
        if label and label not in names:
            raise InputError(f"{path.name} has no array '{label}': {suggestion(label, names)}")
        key = label or ("y" if "y" in names else None)
        matrix = as_matrix(_member(content, name, path), f"{name} of {path.name}", remedy=NUMBERS)
        if key is None or name != "X":
            return matrix, None
        labels = as_labels(_member(content, key, path), len(matrix), f"{key} of {path.name}")
        return matrix, replace(labels, name=key)


def _member(content: Any, name: str, path: Path) -> Any:
    """Return an array of an .npz file."""
    try:
        return content[name]
    except Exception as error:  # damaged files raise many types
        if not _holds_objects(error):
            raise _damaged(f"the array {name} of {path.name}", error) from error
        raise InputError(
            f"the array {name} of {path.name} contains Python objects, which are not read for "
            f"safety: save text as np.savez(file, {name}={name}.astype(str))"
        ) from error


def _sparse(path: Path) -> Any:
    """Return the sparse matrix of an .npz file."""
    try:
        return load_npz(path)
    except Exception as error:  # damaged files raise many types
        raise _damaged(f"the sparse matrix of {path.name}", error) from error


def _holds_objects(error: Exception) -> bool:
    """Tell whether NumPy refused an array because reading it could run code."""
    return isinstance(error, ValueError) and "Object arrays" in str(error)


def _damaged(what: str, error: Exception) -> InputError:
    """Return the error for a part of a file that cannot be read."""
    # The type tells more than some messages, such as that of a missing key
    problem = f"{type(error).__name__}: {error}"
    return InputError(f"{what} cannot be read ({problem}): it is damaged, so write the file again")


def _read_anndata(
    path: Path, label: str | None, drop: Sequence[str]
) -> tuple[Matrix, Labels | None]:
    """Return the table of an .h5ad file and a column of its observations."""
    try:
        import anndata
    except ImportError as error:
        raise InputError(
            f"{path.name}: reading .h5ad files needs anndata: pip install anndata"
        ) from error
    try:
        data = anndata.read_h5ad(path)
    except OSError as error:
        raise InputError(f"{path.name} is damaged, or no .h5ad file: {error}") from error
    matrix = as_matrix(data, path.name).without(drop, path.name)
    if label is None:
        return matrix, None
    if label not in data.obs:
        raise InputError(f"{path.name} has no obs column '{label}': {suggestion(label, data.obs)}")
    return matrix, as_labels(data.obs[label], len(matrix), label)
