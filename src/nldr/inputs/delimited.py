"""Tables in text files: their separator, decimal commas, and headers and lines that do not fit."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Collection
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from nldr.inputs.errors import InputError, listed

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = (",", ";", "\t", "|")
SPACES = r"\s+"
LONGEST = 2**31 - 1  # value of a row, as the whole row is if another sign separates
MONOTONE = 7  # steps in one direction that are hardly a row of data
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
ZEROS = re.compile(r"0\d+")  # of codes, such as 007, which is another than 7
OTHERS = "~^:/!#&"  # that separate columns in some files, and are not known
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?")
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}([.,]\d{3})+")
SMALL = re.compile(r"[-+]?\d{1,3}")  # whole numbers that need no separator of thousands


def read_delimited(path: Path, codes: Collection[str] = ()) -> pd.DataFrame:
    r"""Return the table of a text file.

    Parameters
    ----------
    path : Path
        A file with a header, perhaps compressed by gzip. The separator is guessed; numbers may have
        decimal commas if columns are not separated by commas.
    codes : collection of str
        Columns that hold no measurements: labels, categories, and those to leave out. Their numbers
        keep zeros at their beginning.

    Returns
    -------
    DataFrame
        The table.

    Raises
    ------
    InputError
        If the file is empty, has no header, a repeated name, or lines of different lengths.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("a;b\n1,5;2\n3,5;4\n")
    ...     read_delimited(Path(folder, "a.csv")).values.tolist()
    [[1.5, 2.0], [3.5, 4.0]]
    """
    import pandas as pd

    try:
        header, first, separator = _beginning(path)
        _check_header(header, path.name)
        _check_separator(header, first, path.name)
        options: dict[str, Any] = {"sep": separator, "skipinitialspace": separator != SPACES}
        frame = pd.read_csv(path, **options)
        if separator != "," and _has_decimal_commas(frame):
            frame = pd.read_csv(path, decimal=",", **options)
            _refuse_points_of_thousands(frame, path, codes)
        of_codes = [column for column in frame if str(column).strip() in codes]
        words = pd.read_csv(path, usecols=of_codes, dtype=str, **options) if of_codes else frame[[]]
        for column in words:
            if words[column].str.fullmatch(ZEROS).any():
                frame[column] = words[column]
    except pd.errors.ParserError as error:
        line = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        where = "line {1} has {2} values, the header {0}".format(*line.groups()) if line else error
        if "inside string" in str(error):
            where = "a quotation mark is not closed"
        raise InputError(
            f"{path.name} is not a table: {where}. Every line needs as many values as the header"
        ) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path.name} is damaged: it cannot be unpacked by gzip") from error
    except UnicodeDecodeError as error:
        with _open(path, errors="replace") as stream:
            number = next(i for i, line in enumerate(stream, 1) if "\ufffd" in line)
        raise InputError(
            f"{path.name} is not UTF-8 text, first in line {number}: save it as CSV (UTF-8)"
        ) from error
    frame = frame.rename(columns=lambda column: str(column).strip())
    for column in _texts(frame):
        frame[column] = frame[column].map(lambda v: v.strip() if isinstance(v, str) else v)
    if len(first) > len(header):
        frame = _with_row_names(frame, len(first), path.name)
    _refuse_short_lines(frame, path, separator)
    return frame


def suffix_of(path: Path) -> str:
    """Return the end of a file's name that tells its format.

    Examples
    --------
    >>> suffix_of(Path("cells.CSV.gz"))
    '.csv'
    """
    return Path(path.name.lower().removesuffix(".gz")).suffix


def line_of(path: Path, row: int) -> str:
    r"""Return the line at which a row begins, for there are empty lines, and line breaks in quotes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text('a,b\n"x\ny",2\n\n3,4\n')
    ...     line_of(Path(folder, "a.csv"), 1)
    'line 5'
    """
    separator = _beginning(path)[2]
    end, n_rows = 0, -1
    with _open(path) as stream:
        lines = _reader(stream, separator)
        for fields in lines:
            n_rows += fields not in ([], [""])
            if n_rows > row:
                break
            end = lines.line_num
    return f"line {end + 1}"


def _beginning(path: Path) -> tuple[list[str], list[str], str]:
    """Return the values of the header and of the first row of a file, and its separator."""
    with _open(path) as stream:
        start = next((line for line in stream if line.strip()), None)
    if start is None:
        raise InputError(f"{path.name} is empty: it has not even a header")
    usual = "\t" if suffix_of(path) == ".tsv" else ","
    candidates = [usual, *(s for s in SEPARATORS if s != usual), SPACES]
    # The one that splits header and first row into as many values
    for separator in candidates:
        try:
            header, first = _first_two(path, separator, strict=True)
        except csv.Error:  # quotation marks that do not stand where it would need them
            continue
        if len(header) == len(first) > 1:
            return header, first, separator
    separator = next((s for s in candidates[:-1] if s in start), usual)
    return *_first_two(path, separator), separator


def _first_two(path: Path, separator: str, strict: bool = False) -> tuple[list[str], list[str]]:
    """Return the values of header and first row; the header twice if there is no row."""
    with _open(path) as stream:
        if separator == SPACES:
            rows = [line.split() for line in islice((s for s in stream if s.strip()), 2)]
        else:
            values = ([v.strip() for v in row] for row in _reader(stream, separator, strict))
            rows = list(islice((row for row in values if row not in ([], [""])), 2)) or [[""]]
    return rows[0], rows[-1]


def _reader(stream: TextIO, separator: str, strict: bool = False) -> Any:
    """Return a reader of the values of each row, of any length."""
    csv.field_size_limit(LONGEST)
    delimiter = " " if separator == SPACES else separator
    return csv.reader(stream, delimiter=delimiter, skipinitialspace=True, strict=strict)


def _open(path: Path, errors: str = "strict") -> TextIO:
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", errors=errors, newline="")
    return path.open(encoding="utf-8-sig", errors=errors, newline="")


def _texts(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.select_dtypes(["object", "string"]).astype(str)


def _has_decimal_commas(frame: pd.DataFrame) -> bool:
    """Tell decimal commas from those that separate thousands.

    The latter stand beside whole numbers below 1000, or beside numbers with a decimal point.

    Examples
    --------
    >>> import pandas as pd
    >>> [_has_decimal_commas(pd.DataFrame({"a": a})) for a in (["1,234", "2,5"], ["1,234", "950"])]
    [True, False]
    """
    texts, numbers = _texts(frame), frame.select_dtypes("number")
    mixed = [name for name in texts if texts[name].str.fullmatch(DECIMAL_COMMA).any()]
    values = {value for name in mixed for value in texts[name].unique()}
    if any(DECIMAL_COMMA.fullmatch(v) and not THOUSANDS.fullmatch(v) for v in values):
        return True
    has_points = any((numbers[name].dropna() % 1 != 0).any() for name in numbers)
    return bool(mixed) and not has_points and not any(SMALL.fullmatch(v) for v in values)


def _refuse_points_of_thousands(frame: pd.DataFrame, path: Path, codes: Collection[str]) -> None:
    """Refuse points that separate thousands beside decimal commas: they are no decimal points."""
    for column, values in _texts(frame).items():
        points = values[values.str.contains(r"\d\.\d")]
        if column not in codes and len(points) and points.str.fullmatch(THOUSANDS).all():
            raise InputError(
                f"{line_of(path, int(points.index[0]))}, column '{column}' of {path.name} is "
                f"'{points.iloc[0]}' beside decimal commas: write numbers without separators of "
                "thousands"
            )


def _check_separator(header: list[str], first: list[str], name: str) -> None:
    """Refuse lines that another sign seems to separate."""
    signs = [s for s in OTHERS if 0 < header[0].count(s) == sum(v.count(s) for v in first)]
    if len(header) == 1 and signs:
        raise InputError(
            f"{name} seems to separate its columns by '{signs[0]}': separate them by commas, "
            "semicolons, tabs, | or spaces"
        )


def _check_header(header: list[str], name: str) -> None:
    """Refuse a first line that is no header."""
    if header[0].startswith("<"):
        raise InputError(f"{name} is a web page, not a table: download the file itself")
    if header[0].startswith("sep="):
        raise InputError(f"{name} begins with '{header[0]}', meant for Excel: delete this line")
    if header[0].startswith("#"):
        raise InputError(
            f"{name} begins with a comment, '{header[0]}': the first line must hold the names of "
            "the columns"
        )
    if not _is_header(header):
        raise InputError(
            f"{name} has no header: its first line holds the numbers "
            f"{listed(column for column in header if NUMBER.fullmatch(column))}. Add a line with "
            "the names of the columns"
        )
    repeated = sorted({column for column in header if column and header.count(column) > 1})
    if repeated:
        raise InputError(
            f"{name} has several columns of the same name ({listed(repeated)}): rename them"
        )


def _is_header(header: list[str]) -> bool:
    """Tell names from data: text, or numbers that count the columns or lie on a scale."""
    is_named = not NUMBER.fullmatch(header[0])
    if not all(NUMBER.fullmatch(column) for column in header[1:]) or (is_named and len(header) < 3):
        return True
    steps = [round(float(b) - float(a), 9) for a, b in pairwise(header[1:])]
    # The wavelengths of a spectrum
    if len(steps) >= MONOTONE and (min(steps) > 0 or max(steps) < 0):
        return True
    # Years beside the name of a first column
    if is_named:
        return set(steps) == {1.0} or (len(steps) > 1 and len(set(steps)) == 1)
    return header == [str(j) for j in range(len(header))]


def _with_row_names(frame: pd.DataFrame, n_values: int, name: str) -> pd.DataFrame:
    """Return the table with a first column for names of rows without a header, as R writes them."""
    index = frame.index
    is_counted = index.dtype.kind == "i" and index[0] in (0, 1) and (index.diff()[1:] == 1).all()
    are_names = (
        index.nlevels == 1 and index.is_unique and (is_counted or index.dtype.kind not in "if")
    )
    if not are_names or frame.iloc[:, -1].isna().all():
        raise InputError(
            f"{name} is not a table: line 2 has {n_values} values, the header "
            f"{frame.shape[1]}. Every line needs as many values as the header (does it end in a "
            "separator, or are there decimal commas?)"
        )
    frame.insert(0, "", index)
    return frame.reset_index(drop=True)


def _refuse_short_lines(frame: pd.DataFrame, path: Path, separator: str) -> None:
    """Refuse lines with fewer values than the header, which would be missing at their end."""
    if separator == SPACES or not len(frame) or not frame.iloc[:, -1].isna().any():
        return
    with _open(path) as stream:
        lines = _reader(stream, separator)
        for fields in lines:
            if fields and len(fields) < frame.shape[1]:
                if frame.columns[0] == "" and lines.line_num == 1:
                    continue
                raise InputError(
                    f"{path.name} is not a table: line {lines.line_num} has {len(fields)} values, "
                    f"the header {frame.shape[1]}. Every line needs as many values as the header"
                )
