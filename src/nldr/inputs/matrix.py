"""A table of numbers from whatever holds it: arrays, frames, sparse matrices, AnnData, tensors."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from nldr.inputs.categories import MOST_VALUES, Categories, encode, indicator
from nldr.inputs.errors import InputError, Place, as_word, listed, remedy_of, row_place, suggestion

if TYPE_CHECKING:
    import pandas as pd

DROP = "pass it as y, or leave it out: {name}.drop(columns='{column}')"
DATE = re.compile(r"\d{4}-\d\d?-\d\d?.*|\d\d?[./]\d\d?[./]\d{2,4}.*")
# Numbers with units, signs or separators
MEASURE = re.compile(r"[^\w.]*\d([\d.,']|\s(?=\d{3}\b))*\s*(%|[a-zA-Zµ°]{1,3})?")
SMALLEST, LARGEST = 1e-152, 1e152  # numbers whose squares are still some


@dataclass(frozen=True)
class Matrix:
    """A table of numbers.

    Attributes
    ----------
    values : ndarray or csr_array of shape (n_rows, n_columns)
        Numbers in double precision; NaN where a value is missing.
    columns : list of str
        Names of the columns; their numbers if they have none.
    index : list or None
        Names of the rows, where the table has some.
    index_name : str
        The column of a file that names the rows.
    categories : dict of str to list of str
        Columns of categories and their values. Each value has a column of its own, such as
        ``color=red``, which is 1 in rows of the category and 0 in others.
    unit : str
        What the columns are, if all have one unit: "the columns are pixels".
    """

    values: Any
    columns: list[str]
    index: list[Any] | None = None
    index_name: str = ""
    categories: Mapping[str, list[str]] = field(default_factory=dict)
    unit: str = ""

    @property
    def indicators(self) -> NDArray:
        """True for columns that stand for categories."""
        names = {indicator(column, v) for column, vs in self.categories.items() for v in vs}
        return np.array([column in names for column in self.columns], dtype=bool)

    @property
    def n_columns(self) -> int:
        """Number of columns, of which each that holds categories counts once."""
        return len(self.columns) - int(self.indicators.sum()) + len(self.categories)

    @property
    def is_sparse(self) -> bool:
        """True if the values are a sparse matrix."""
        return issparse(self.values)

    def __len__(self) -> int:
        return self.values.shape[0]

    def without(self, columns: Collection[str], name: str) -> Matrix:
        """Return the table, called ``name``, without some of its columns."""
        if not columns:
            return self
        for column in columns:
            if column not in self.columns:
                hint = suggestion(column, self.columns)
                raise InputError(f"{name} has no column '{column}': {hint}")
        kept = [j for j, column in enumerate(self.columns) if column not in columns]
        names = [self.columns[j] for j in kept]
        return _checked(replace(self, values=self.values[:, kept], columns=names), name, row_place)


def as_matrix(
    X: Any,
    name: str = "X",
    place: Place = row_place,
    remedy: str = DROP,
    categories: Categories = (),
) -> Matrix:
    """Return a table of numbers.

    Parameters
    ----------
    X : object
        An array, list, masked array, sparse matrix, pandas or polars frame, AnnData object, or
        tensor.
    name : str
        Its name in messages.
    place : callable
        Words for the place of a row.
    remedy : str
        What to do with a column of text; ``{column}`` stands for its name, ``{word}`` and
        ``{words}`` for this as a word of a command, the latter where there may be several, and
        ``{name}`` for the name of the table.
    categories : sequence of str, or mapping of str to list of str
        Columns of a frame that hold categories, or these with the values that they may have.

    Returns
    -------
    Matrix
        The table. Masked values and empty entries of frames are NaN.

    Raises
    ------
    InputError
        If it is not a table, is empty, or contains text, dates, complex numbers or infinity.

    Examples
    --------
    >>> import pandas as pd
    >>> as_matrix(pd.DataFrame({"a": [1, 2], "b": [0.5, None]})).values
    array([[1. , 0.5],
           [2. , nan]])
    >>> frame = pd.DataFrame({"a": [1, 2], "color": ["red", "blue"]})
    >>> as_matrix(frame, categories=["color"]).columns
    ['a', 'color=blue', 'color=red']
    """
    if isinstance(X, Matrix):
        return X
    if categories and not hasattr(X, "columns") and not isinstance(X, str):
        raise InputError(f"categories name columns, but {name} has none: pass a frame")
    if hasattr(X, "obs_names") and hasattr(X, "var_names"):  # AnnData
        if X.X is None or getattr(X, "isbacked", False):
            raise InputError(
                f"{name} has no matrix in memory: pass {name}.to_memory(), or an array of "
                f"{name}.obsm or {name}.layers"
            )
        inner = as_matrix(X.X, f"{name}.X", place, remedy)
        return Matrix(inner.values, [str(v) for v in X.var_names], list(X.obs_names))
    if issparse(X):
        return _from_sparse(X, name, place)
    X = computed(X, name)
    frame = _as_frame(X, name)
    if frame is None:
        array = _as_array(X, name)
        if array.dtype.kind in "fiub":
            matrix = Matrix(array.astype(np.float64), [str(j) for j in range(array.shape[1])])
            return _checked(matrix, name, place)
        import pandas as pd

        index, frame = None, pd.DataFrame(array)
    else:
        index = list(frame.index)
    columns = [str(column) for column in frame.columns]
    _refuse_repeated(columns, name)
    for column in categories:
        if column not in columns:
            raise InputError(f"{name} has no column '{column}': {suggestion(column, columns)}")
    parts, names, levels, problems = [], [], {}, {}
    for j, column in enumerate(columns):
        if column in categories:
            some = categories[column] if isinstance(categories, Mapping) else None
            values, levels[column] = encode(frame.iloc[:, j], column, name, place, some)
            parts.append(values)
            names += [indicator(column, value) for value in levels[column]]
            continue
        try:
            parts.append(_numbers(frame.iloc[:, j], column, name, place, remedy)[:, None])
            names.append(column)
        except InputError as error:
            problems[column] = str(error)
    if problems:
        # Remedies for a map know no categories
        hint = _categories_among(frame, problems) if "categories" in remedy else ""
        raise InputError(_together(problems) + hint)
    table = np.concatenate(parts, axis=1) if parts else np.empty((len(frame), 0))
    return _checked(Matrix(table, names, index, categories=levels), name, place)


def dense(X: Any, name: str = "X") -> NDArray:
    """Return a table of finite numbers as an array, or say which value is missing.

    Examples
    --------
    >>> dense([[1, 2]])
    array([[1., 2.]])
    """
    matrix = as_matrix(X, name)
    if matrix.is_sparse:
        raise InputError(
            f"{name} is a sparse matrix: reduce it first, with "
            "sklearn.decomposition.TruncatedSVD(50), or make it dense: X.toarray()"
        )
    missing = np.isnan(matrix.values)
    if missing.any():
        i, j = np.argwhere(missing)[0]
        raise InputError(
            f"{name} contains NaN or infinity in {missing.any(axis=1).sum()} of {len(matrix)} "
            f"rows, first in row {i}, column '{matrix.columns[j]}': fill in what is missing, "
            "with sklearn.impute.KNNImputer for example, or leave out the rows"
        )
    values: NDArray = matrix.values
    return values


def computed(X: Any, name: str = "X") -> Any:
    """Return an Arrow table as a frame of pandas, refuse a lazy frame of polars, keep the rest.

    Examples
    --------
    >>> computed([[1, 2]])
    [[1, 2]]
    """
    if hasattr(X, "collect_schema") and not hasattr(X, "get_columns"):
        raise InputError(f"{name} is a lazy frame: pass {name}.collect()")
    return X.to_pandas() if hasattr(X, "column_names") and hasattr(X, "to_pandas") else X


def _as_frame(X: Any, name: str) -> pd.DataFrame | None:
    """Return a pandas frame of a frame, None of anything else."""
    if hasattr(X, "iloc"):
        if X.ndim == 1:
            raise InputError(_one_dimension(name, len(X)))
        return X
    if hasattr(X, "get_columns") and hasattr(X, "to_dict"):  # polars
        import pandas as pd

        return pd.DataFrame({column.name: column.to_list() for column in X.get_columns()})
    return None


def _as_array(X: Any, name: str) -> NDArray:
    """Return an array of two dimensions."""
    # Tensors that record gradients, or lie elsewhere
    if hasattr(X, "detach") and hasattr(X, "cpu"):
        try:
            X = X.detach().cpu().numpy()
        except TypeError as error:
            raise InputError(
                f"{name} is a tensor of a type that numpy lacks: pass {name}.float()"
            ) from error
    if np.ma.isMaskedArray(X) and X.dtype.kind != "c":
        X = np.ma.asarray(X, dtype=np.float64).filled(np.nan)
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise InputError(f"the rows of {name} differ in length: {error}") from error
    if array.dtype.names is not None:
        raise InputError(
            f"{name} is an array of records: pass pandas.DataFrame(X), which has columns"
        )
    if array.ndim == 0:
        what = "an array or a frame, such as pandas.read_csv returns"
        raise InputError(f"{name} is {type(X).__name__}, not a table: pass {what}")
    if array.ndim == 1:
        raise InputError(_one_dimension(name, len(array)))
    if array.ndim > 2:
        raise InputError(
            f"{name} has {array.ndim} dimensions, shape {array.shape}: pass one row per point, "
            "X.reshape(len(X), -1)"
        )
    if array.dtype.kind == "c":
        raise InputError(
            f"{name} contains complex numbers: pass real and imaginary parts as columns, "
            "np.hstack([X.real, X.imag])"
        )
    return array


def _one_dimension(name: str, length: int) -> str:
    other = "pass one column per coordinate"
    if name == "X":
        other = "were X and y swapped? For a single row, pass X.reshape(1, -1)"
    return f"{name} has one dimension ({length} values), not one row per point: {other}"


def _refuse_repeated(columns: list[str], name: str) -> None:
    repeated = sorted({column for column in columns if columns.count(column) > 1})
    if repeated:
        raise InputError(
            f"{name} has several columns of the same name ({listed(repeated)}): rename them"
        )


def _numbers(series: pd.Series, column: str, name: str, place: Place, remedy: str) -> NDArray:
    """Return a column as numbers, or say which value is none."""
    import pandas as pd

    if series.dtype.kind == "c":
        raise InputError(_complex(column, name))
    if series.dtype.kind in "mM":
        raise InputError(_dates(column, name, remedy))
    if pd.api.types.is_bool_dtype(series) or series.dtype.kind in "fiu":
        return series.to_numpy(np.float64, na_value=np.nan)
    objects = series.astype(object)
    numbers = pd.to_numeric(objects, errors="coerce")
    if numbers.dtype.kind == "c":
        raise InputError(_complex(column, name))
    text = (numbers.isna() & objects.notna()).to_numpy()
    if text.any():
        row = int(text.argmax())
        value, where = objects.iloc[row], f"{place(row)}, column '{column}' of {name}"
        if isinstance(value, list | tuple | np.ndarray):
            raise InputError(
                f"column '{column}' of {name} holds {len(value)} values in {place(row)}: give each "
                f"number a column of its own, as np.stack(frame['{column}']) does"
            )
        if DATE.fullmatch(str(value)):
            raise InputError(_dates(column, name, remedy))
        if MEASURE.fullmatch(str(value)):
            raise InputError(
                f"{where} is '{value}': write numbers with a decimal point, without separators of "
                "thousands and without units"
            )
        if text.mean() < 0.2:
            raise InputError(
                f"{where} is '{value}', not a number ({text.sum()} of {len(text)} values of that "
                "column): correct it, or leave the entry empty if the value is missing"
            )
        raise InputError(
            f"column '{column}' of {name} contains text: {place(row)} is '{value}': "
            f"{remedy_of(remedy, column, name)}"
        )
    return numbers.to_numpy(np.float64, na_value=np.nan)


def _together(problems: dict[str, str]) -> str:
    """Return the first problem, and the names of the other columns that have one."""
    first, *others = problems
    return problems[first] + (f"; not numbers either: {listed(others)}" if others else "")


def _categories_among(frame: pd.DataFrame, problems: Mapping[str, str]) -> str:
    """Return the names of columns that may be categories, in full, to be pasted."""
    most, columns = min(MOST_VALUES, len(frame) // 2), frame.rename(columns=str)
    # As text, since values may be lists
    few = [name for name in problems if columns[name].dropna().map(str).nunique() <= most]
    text = f". Perhaps categories, since they have few values: {as_word(few)}"
    return text if few and len(problems) > 1 else ""


def _complex(column: str, name: str) -> str:
    return (
        f"column '{column}' of {name} contains complex numbers: pass real and imaginary parts as "
        "two columns"
    )


def _dates(column: str, name: str, remedy: str) -> str:
    return (
        f"column '{column}' of {name} contains dates or durations: turn them into numbers, such as "
        f"days since the first; otherwise {remedy_of(remedy, column, name)}"
    )


def _from_sparse(X: Any, name: str, place: Place) -> Matrix:
    if X.dtype.kind == "c":
        raise InputError(f"{name} contains complex numbers: pass real and imaginary parts")
    if X.ndim != 2:
        raise InputError(_one_dimension(name, X.shape[0]))
    values = csr_array(X, dtype=np.float64)
    bad = ~np.isfinite(values.data)
    if bad.any():
        row = int(np.searchsorted(values.indptr, bad.argmax(), side="right")) - 1
        column = values.indices[bad.argmax()]
        raise InputError(
            f"{name} contains NaN or infinity in {place(row)}, column {column}: a sparse matrix "
            "cannot have missing values; set them to 0 or leave out the row"
        )
    return _checked(Matrix(values, [str(j) for j in range(values.shape[1])]), name, place)


def _checked(matrix: Matrix, name: str, place: Place) -> Matrix:
    """Return a table that is not empty and has no infinite value and no empty row."""
    n_rows, n_columns = matrix.values.shape
    if not n_rows:
        raise InputError(f"{name} has no rows: it contains nothing but a header, or nothing")
    if not n_columns:
        raise InputError(f"{name} has no column of numbers: nothing is left to embed")
    sizes = np.abs(matrix.values.data) if matrix.is_sparse else np.abs(matrix.values)
    largest = sizes[np.isfinite(sizes)].max(initial=0)
    if largest > LARGEST or 0 < largest < SMALLEST:
        raise InputError(
            f"{name} has values up to {largest:.0e}, which distances cannot be computed from: give "
            "them in another unit, or leave out what is wrong"
        )
    if matrix.is_sparse:
        return matrix
    infinite = np.isinf(matrix.values)
    if infinite.any():
        i, j = np.argwhere(infinite)[0]
        raise InputError(
            f"{name} is infinite in {place(int(i))}, column '{matrix.columns[j]}' "
            f"({infinite.sum()} such values): correct it, or make it missing (NaN)"
        )
    return matrix
