"""Tabular data: single-cell qPCR, letter shapes and bank clients."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nldr.dataset import Dataset
from nldr.datasets._labels import encode_labels
from nldr.datasets._sampling import choose
from nldr.datasets.download import fetch

if TYPE_CHECKING:
    import pandas as pd

# Labels in the order of their codes
STAGES = ("1", "2", "4", "8", "16", "32 TE", "32 ICM", "64 PE", "64 TE", "64 EPI")
LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
# Columns of the bank table
BANK_NUMBERS = [
    "age",
    "duration",
    "campaign",
    "pdays",
    "previous",
    "emp.var.rate",
    "cons.price.idx",
    "cons.conf.idx",
    "euribor3m",
    "nr.employed",
]
BANK_CATEGORIES = [
    "job",
    "marital",
    "education",
    "default",
    "housing",
    "loan",
    "contact",
    "month",
    "day_of_week",
    "poutcome",
]


def qpcr() -> Dataset:
    """Load the expression levels of 48 genes in 437 cells of early mouse embryos.

    Returns
    -------
    Dataset
        ``X`` of shape (437, 48), each gene with mean 0 and standard deviation 1 as published, and
        the stage as label ``y``: 1, 2, 4, 8 and 16 cells (labels 0 to 4); 32 cells, trophectoderm
        and inner cell mass (5, 6); 64 cells, primitive endoderm, trophectoderm and epiblast
        (7, 8, 9).

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
    y = encode_labels(table.iloc[:, 0].tolist(), STAGES, str(path))
    return Dataset(X=_parse_numbers(table.iloc[:, 1:], path), y=y)


def letter(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load the Letter Recognition data, or a random subset stratified by letter.

    Parameters
    ----------
    n_samples : int
        Number of letters, at most 20000, which is all of them.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 16), integers 0 to 15 that describe the shape of a letter, in
        the order of the file, and labels ``y`` 0 to 25 for A to Z. Of all 20000 points, 1332 are
        duplicates of an earlier one.

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
    y = encode_labels(table.iloc[:, 0].tolist(), LETTERS, str(path))
    rows = choose(y, n_samples, rng, "Letter Recognition")
    return Dataset(X=_parse_numbers(table.iloc[:, 1:], path)[rows], y=y[rows])


def bank(*, n_samples: int, rng: np.random.Generator) -> Dataset:
    """Load Bank Marketing (2014), or a random subset stratified by outcome.

    These are the 20 attributes of ``bank-additional-full.csv``, encoded as 63 numbers like those of
    Espadoto et al., whom Lai et al. (parametric DR) follow: first the ten numeric attributes (999
    days for clients never contacted before), in the order of the file; then, for each of the ten
    categorical attributes in that order, one indicator column per value, in alphabetical order.
    Missing values are a separate category, "unknown". Each column is scaled to [0, 1] over all
    clients.

    The duration of the call is among them, although it reveals part of the label.

    Parameters
    ----------
    n_samples : int
        Number of clients, at most 41188, which is all of them.

    Returns
    -------
    Dataset
        ``X`` of shape (n_samples, 63) in the order of the file, and labels ``y``: 1 for clients
        who subscribed, 0 for others.

    References
    ----------
    Moro, Cortez & Rita, A Data-Driven Approach to Predict the Success of Bank Telemarketing,
    Decision Support Systems 62, 2014. Espadoto et al., Toward a Quantitative Survey of Dimension
    Reduction Techniques, IEEE TVCG 27, 2021.

    Examples
    --------
    >>> bank(n_samples=1000, rng=np.random.default_rng(0)).X.shape  # doctest: +SKIP
    (1000, 63)
    """
    import pandas as pd
    from sklearn.preprocessing import minmax_scale

    path = fetch("bank/bank-additional-full.csv.gz")
    table = read_table(path, n_columns=21, header=0, separator=";")
    if missing := {*BANK_NUMBERS, *BANK_CATEGORIES, "y"}.difference(table.columns):
        raise ValueError(f"{path} lacks the column(s) {', '.join(sorted(missing))}")
    y = encode_labels(table["y"].tolist(), ("no", "yes"), str(path))
    rows = choose(y, n_samples, rng, "Bank Marketing")
    # Numeric attributes, then one indicator column per value of each categorical attribute
    numbers = _parse_numbers(table[BANK_NUMBERS], path)
    dummies = pd.get_dummies(table[BANK_CATEGORIES], dtype=np.float64).to_numpy()
    return Dataset(X=minmax_scale(np.hstack([numbers, dummies]))[rows], y=y[rows])


def read_table(
    path: Path, n_columns: int, header: int | None, separator: str = ","
) -> pd.DataFrame:
    r"""Return a table of delimited values as text; the file may be gzipped.

    Missing values are empty strings. `header` is 0 if the first line contains the column names.

    Raises
    ------
    ValueError
        If the file is not such a table.

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
        raise ValueError(f"{path} is not a valid table: {error}") from error
    if table.shape[1] != n_columns:
        raise ValueError(f"{path} should have {n_columns} columns, but has {table.shape[1]}")
    return table


def _parse_numbers(columns: pd.DataFrame, path: Path) -> np.ndarray:
    """Return columns of text as numbers, or raise ValueError with the path of the file."""
    try:
        return columns.to_numpy().astype(np.float64)
    except ValueError as error:
        raise ValueError(f"{path} contains a value that is not a number: {error}") from error
