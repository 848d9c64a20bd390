"""Read a table from a file: CSV, TSV, Parquet, npy, npz or h5ad."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nldr.inputs.errors import InputError, line_place, listed, row_place, suggestion
from nldr.inputs.labels import Labels, as_labels
from nldr.inputs.matrix import Matrix, as_matrix

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".npy", ".npz", ".h5ad")
SEPARATORS = {";": ";", "\t": "\t", "|": "|"}
ROW_NAMES = ("id", "index", "row", "name", "")
DROP = "name it as the label (--label {column}) or leave it out (--drop {column})"


def read(
    file: str | Path, label: str | None = None, drop: Sequence[str] = ()
) -> tuple[Matrix, Labels | None]:
    r"""Read a table and the labels of its rows.

    Parameters
    ----------
    file : path-like
        A ``.csv``, ``.tsv`` or ``.parquet`` file with one column per feature, an ``.npy`` file, an
        ``.npz`` file with ``X`` and perhaps ``y``, or an ``.h5ad`` file. A first column of
        different names is taken as the names of the rows.
    label : str, optional
        Column of the labels; the name of an array in an ``.npz`` file, or of a column of ``obs``.
    drop : sequence of str
        Columns to leave out.

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
    path = Path(file).expanduser()
    if not path.is_file():
        folder = path.parent if path.parent.is_dir() else Path()
        names = [other.name for other in folder.iterdir() if other.suffix in SUFFIXES]
        hint = suggestion(path.name, names) if names else "give the path of a file"
        raise InputError(f"{path} does not exist: {hint}")
    if path.suffix not in SUFFIXES:
        raise InputError(
            f"{path.name}: files that can be read end in {', '.join(SUFFIXES)}; save the table as "
            "CSV"
        )
    if path.suffix in (".npy", ".npz"):
        return _read_arrays(path, label, drop)
    if path.suffix == ".h5ad":
        return _read_anndata(path, label)
    frame = _read_frame(path)
    place = row_place if path.suffix == ".parquet" else line_place
    for column in (*drop, *([label] if label else [])):
        if column not in frame.columns:
            raise InputError(
                f"{path.name} has no column '{column}': {suggestion(column, frame.columns)}"
            )
    frame = frame.drop(columns=[column for column in drop if column != label])
    labels = None
    if label:
        labels = as_labels(frame[label], len(frame), f"column '{label}' of {path.name}", place)
        labels = Labels(label, labels.values, labels.is_numeric)
        frame = frame.drop(columns=label)
    index, frame = _row_names(frame)
    matrix = as_matrix(frame, path.name, place, DROP)
    return Matrix(matrix.values, matrix.columns, index), labels


def _row_names(frame: pd.DataFrame) -> tuple[list[Any] | None, pd.DataFrame]:
    """Return the first column if it names the rows, and the other columns."""
    if frame.shape[1] < 2:
        return None, frame
    first, name = frame.iloc[:, 0], str(frame.columns[0]).strip().lower()
    is_text = not first.map(lambda value: isinstance(value, int | float)).any()
    are_names = is_text or name in ROW_NAMES or name.startswith("unnamed")
    if are_names and first.is_unique and first.notna().all():
        return first.tolist(), frame.iloc[:, 1:]
    return None, frame


def _read_frame(path: Path) -> pd.DataFrame:
    """Return a table with named columns."""
    import pandas as pd

    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        separator = "\t" if path.suffix == ".tsv" else ","
        frame = pd.read_csv(path, sep=separator)
        # Spreadsheets of many countries separate by semicolons
        if frame.shape[1] == 1:
            header = str(frame.columns[0])
            other = next((s for s in SEPARATORS if s in header), None)
            frame = pd.read_csv(path, sep=other) if other else frame
    except ImportError as error:
        raise InputError(
            f"{path.name}: reading .parquet files needs pyarrow: pip install pyarrow"
        ) from error
    except pd.errors.EmptyDataError as error:
        raise InputError(f"{path.name} is empty: it has not even a header") from error
    except pd.errors.ParserError as error:
        raise InputError(
            f"{path.name} is not a table: {' '.join(str(error).split())}. Every line needs as many "
            "values as the header"
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not UTF-8 text: save it as CSV (UTF-8)") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} cannot be read: {error}") from error
    if frame.columns.astype(str).str.fullmatch(r"-?\d+\.?\d*(\.\d+)?").all():
        raise InputError(
            f"{path.name} has no header: its first line holds the numbers "
            f"{listed(frame.columns)}. Add a line with the names of the columns"
        )
    return frame


def _read_arrays(
    path: Path, label: str | None, drop: Sequence[str]
) -> tuple[Matrix, Labels | None]:
    """Return the table of an .npy or .npz file."""
    import numpy as np

    if drop:
        raise InputError(f"{path.name} has no names of columns: --drop cannot name one")
    try:
        content = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(
            f"{path.name} cannot be read as an array of numbers: {error}; write it with np.save"
        ) from error
    if isinstance(content, np.ndarray):
        if label:
            raise InputError(
                f"{path.name} holds one array without labels: save both, "
                f"np.savez('{path.stem}.npz', X=X, {label}={label})"
            )
        return as_matrix(content, path.name), None
    with content:
        names = content.files
        if "X" not in names:
            raise InputError(
                f"{path.name} has no array X (it has {listed(names)}): write it with "
                "np.savez(file, X=X, y=y)"
            )
        if label and label not in names:
            raise InputError(f"{path.name} has no array '{label}': {suggestion(label, names)}")
        key = label or ("y" if "y" in names else None)
        matrix = as_matrix(_member(content, "X", path), f"X of {path.name}")
        if key is None:
            return matrix, None
        return matrix, as_labels(_member(content, key, path), len(matrix), key)


def _member(content: Any, name: str, path: Path) -> Any:
    """Return an array of an .npz file."""
    try:
        return content[name]
    except ValueError as error:
        raise InputError(
            f"the array {name} of {path.name} contains Python objects, which are not read for "
            f"safety: save text as np.savez(file, {name}={name}.astype(str))"
        ) from error


def _read_anndata(path: Path, label: str | None) -> tuple[Matrix, Labels | None]:
    """Return the table of an .h5ad file and a column of its observations."""
    try:
        import anndata
    except ImportError as error:
        raise InputError(
            f"{path.name}: reading .h5ad files needs anndata: pip install anndata"
        ) from error
    data = anndata.read_h5ad(path)
    matrix = as_matrix(data, path.name)
    if label is None:
        return matrix, None
    if label not in data.obs:
        raise InputError(f"{path.name} has no obs column '{label}': {suggestion(label, data.obs)}")
    return matrix, as_labels(data.obs[label], len(matrix), label)
