"""Rows of a study's tables, as figures use them; claims read rows of cells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from nldr.engine.files.status import Status

if TYPE_CHECKING:
    from pandas import DataFrame


def read_table(table: str | TextIO, metrics: Iterable[str]) -> DataFrame:
    """Return a study's table; only metrics and recorded numbers can be missing."""
    import pandas as pd

    # The text "NA" of a parameter stays a text.
    rows = pd.read_csv(table, keep_default_na=False, na_values=dict.fromkeys(metrics, ""))
    for column in rows.columns[rows.columns.str.startswith("fit.")]:
        rows[column] = pd.to_numeric(rows[column])  # an empty text is a missing number
    return rows


def select_rows(rows: DataFrame, cells: Iterable[tuple[str, str]], tuned: bool) -> DataFrame:
    """Return the scored rows of some cells, with a column ``ok``.

    If ``tuned``, the best of several cells that compete is kept, in place of every candidate.
    """
    import pandas as pd

    chosen = set(cells)
    pairs = zip(rows["data_cell"], rows["method_cell"], strict=True)
    shown = pd.Series([cell in chosen for cell in pairs], index=rows.index)
    if "best_of" in rows:
        candidate = rows["best_of"].fillna("") != ""
        best = ~candidate & rows["method"].isin(rows.loc[candidate, "best_of"].unique())
        shown &= ~candidate if tuned else ~best
    if "selecting" in rows:
        shown &= rows["selecting"] == 0
    ok = rows["status"].map({status.value: status.is_ok for status in Status})
    return rows.assign(ok=ok)[shown].reset_index(drop=True)
