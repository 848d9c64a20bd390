"""Tables of measurements: single-cell qPCR, letters, a bank's clients."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._sampling import choose
from nldr.datasets.download import fetch

if TYPE_CHECKING:
    import pandas as pd

STAGES = ("1", "2", "4", "8", "16", "32 TE", "32 ICM", "64 PE", "64 TE", "64 EPI")
LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
BANK_NUMBERS = (
    "age", "duration", "campaign", "pdays", "previous", "emp.var.rate", "cons.price.idx",
    "cons.conf.idx", "euribor3m", "nr.employed",
)  # fmt: skip
BANK_CATEGORIES = (
    "job", "marital", "education", "default", "housing", "loan", "contact", "month", "day_of_week",
    "poutcome",
)  # fmt: skip


def qpcr() -> Dataset:
    """Load the expression of 48 genes in 437 cells of early mouse embryos.

    Returns
    -------
    Dataset
        ``X`` of shape (437, 48), every gene of mean 0 and standard deviation 1 as published, and
        the stage as label ``y``: the number of cells 1, 2, 4, 8 and 16 (labels 0 to 4), 32 by
        type trophectoderm and inner cell mass (5, 6), and 64 by type primitive endoderm,
        trophectoderm and epiblast (7, 8, 9).

    Raises
    ------
    ValueError
        If the file is not as it should be.
    nldr.datasets.download.DownloadError
        If the file cannot be had.

    References
    ----------
    Guo et al., Resolution of Cell Fate Decisions Revealed by Single-Cell Gene Expression Analysis
    from Zygote to Blastocyst, Developmental Cell 18, 2010.

    Examples
    --------
    >>> qpcr().X.shape  # doctest: +SKIP
    (437, 48)
    """
    path = fetch("guo_qpcr/guo_qpcr.csv")
    table = read_table(path, n_columns=49, header=0)
    return Dataset(X=_numbers(table.iloc[:, 1:], path), y=_codes(table.iloc[:, 0], STAGES, path))


def letter(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load the Letter Recognition data, or a random part that has all letters in proportion.

    Parameters
    ----------
    n_samples : int
        Number of letters, up to 20000, which is all of them.
    rng : numpy.random.Generator
        Chooses the letters. From the same state, a smaller choice is part of a larger one.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 16), integers 0 to 15 that describe the shape of a letter, in
        the order of the file, and labels ``y`` 0 to 25 for A to Z. Of all 20000 points, 1332
        repeat an earlier one.

    Raises
    ------
    ValueError
        If there are not so many letters, or if the file is not as it should be.
    nldr.datasets.download.DownloadError
        If the file cannot be had.

    References
    ----------
    Frey & Slate, Letter Recognition Using Holland-Style Adaptive Classifiers, Machine Learning 6,
    1991.

    Examples
    --------
    >>> letter(n_samples=1000, rng=np.random.default_rng(0)).X.shape  # doctest: +SKIP
    (1000, 16)
    """
    path = fetch("letter/letter-recognition.data")
    table = read_table(path, n_columns=17, header=None)
    y = _codes(table.iloc[:, 0], LETTERS, path)
    chosen = choose(y, n_samples, rng, "Letter Recognition")
    return Dataset(X=_numbers(table.iloc[:, 1:], path)[chosen], y=y[chosen])


def bank(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load Bank Marketing (2014), or a random part that has both outcomes in proportion.

    The parametric DR paper uses the data raw and cites the article of 2014, so these are the
    20 attributes of ``bank-additional-full.csv``, as 63 numbers: first the ten numeric attributes
    as they are (999 days for clients never contacted before), in the order of the file, then for
    each of the ten others, in that order, one column of zeros and ones for each of its values, in
    the order of the alphabet. Missing values are values of their own ("unknown").

    The units differ by three orders of magnitude: without standardization, distances are
    those of the duration of the call, of the days since the last one and of the number of
    employees. The duration is known only after the call, and so gives away part of the label.

    Parameters
    ----------
    n_samples : int
        Number of clients, up to 41188, which is all of them.
    rng : numpy.random.Generator
        Chooses the clients. From the same state, a smaller choice is part of a larger one.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 63) in the order of the file, and labels ``y``: 1 for clients
        who subscribed, 0 for others.

    Raises
    ------
    ValueError
        If there are not so many clients, or if the file is not as it should be.
    nldr.datasets.download.DownloadError
        If the file cannot be had; it has to be placed by hand.

    References
    ----------
    Moro, Cortez & Rita, A Data-Driven Approach to Predict the Success of Bank Telemarketing,
    Decision Support Systems 62, 2014.

    Examples
    --------
    >>> bank(n_samples=1000, rng=np.random.default_rng(0)).X.shape  # doctest: +SKIP
    (1000, 63)
    """
    import pandas as pd

    path = fetch("bank/bank-additional-full.csv.gz")
    table = read_table(path, n_columns=21, header=0, separator=";")
    if missing := {*BANK_NUMBERS, *BANK_CATEGORIES, "y"}.difference(table.columns):
        raise ValueError(f"{path} lacks the column(s) {', '.join(sorted(missing))}")
    y = _codes(table["y"], ("no", "yes"), path)
    chosen = choose(y, n_samples, rng, "Bank Marketing")
    numbers = _numbers(table[list(BANK_NUMBERS)], path)
    dummies = pd.get_dummies(table[list(BANK_CATEGORIES)], dtype=np.float64).to_numpy()
    return Dataset(X=np.hstack([numbers, dummies])[chosen], y=y[chosen])


def read_table(
    path: Path, n_columns: int, header: int | None, separator: str = ","
) -> pd.DataFrame:
    r"""Read a table of separated values, gzipped or not, as text.

    Parameters
    ----------
    path : Path
        The file.
    n_columns : int
        Number of columns that it must have.
    header : int or None
        0 if the first line names the columns.
    separator : str
        What stands between values.

    Returns
    -------
    pandas.DataFrame
        All values as they stand; missing ones are empty.

    Raises
    ------
    ValueError
        If the file is no such table.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"A,1\nNA,2\n")
    ...     file.flush()
    ...     read_table(Path(file.name), n_columns=2, header=None).to_numpy().tolist()
    [['A', '1'], ['NA', '2']]
    """
    import pandas as pd

    try:
        table = pd.read_csv(path, sep=separator, header=header, dtype=str, keep_default_na=False)
    except (OSError, EOFError, ValueError) as error:
        raise ValueError(f"{path} is no table: {error}") from error
    if table.shape[1] != n_columns:
        raise ValueError(f"{path} should have {n_columns} columns, but has {table.shape[1]}")
    return table


def _codes(column: pd.Series, labels: tuple[str, ...], path: Path) -> np.ndarray:
    """Return the position of each value in ``labels``."""
    positions = {label: position for position, label in enumerate(labels)}
    codes = column.map(positions)
    if codes.isna().any():
        row = int(np.argmax(codes.isna()))
        raise ValueError(
            f"{path}: row {row + 1} of the data has the label '{column.iloc[row]}', "
            f"known are {', '.join(labels)}"
        )
    return codes.to_numpy(np.int64)


def _numbers(columns: pd.DataFrame, path: Path) -> np.ndarray:
    """Return columns of text as numbers."""
    try:
        return columns.to_numpy().astype(np.float64)
    except ValueError as error:
        raise ValueError(f"{path} holds a value that is no number: {error}") from error
