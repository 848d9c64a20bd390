"""Columns of categories, each value a column of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nldr.inputs.errors import InputError, Place, listed

if TYPE_CHECKING:
    import pandas as pd

Categories = Sequence[str] | Mapping[str, list[str]]
MOST_VALUES = 50  # of a column of categories


def indicator(column: str, value: str) -> str:
    """Return the name of the column that stands for a category.

    Examples
    --------
    >>> indicator("color", "red")
    'color=red'
    """
    return f"{column}={value}"


def encode(
    series: pd.Series, column: str, name: str, place: Place, values: list[str] | None = None
) -> tuple[NDArray, list[str]]:
    """Return a column of categories as indicators.

    Parameters
    ----------
    series : Series
        The column.
    column, name : str
        Its name and that of the table, for messages.
    place : callable
        Words for the place of a row.
    values : list of str, optional
        The categories; by default those that occur.

    Returns
    -------
    ndarray of shape (n_rows, n_values), list of str
        1 in the column of a row's category, else 0; NaN in rows where it is missing. The values.

    Raises
    ------
    InputError
        If there are more than 50 different values, or one that is not among those expected.

    Examples
    --------
    >>> import pandas as pd
    >>> encode(pd.Series(["u", "v", "u"]), "type", "X", str)
    (array([[1., 0.],
           [0., 1.],
           [1., 0.]]), ['u', 'v'])
    """
    missing = series.isna().to_numpy()
    texts = np.array([_text(value) for value in series], dtype=object)
    if values is None:
        values = sorted(set(texts[~missing]))
        if len(values) > MOST_VALUES:
            raise InputError(
                f"column '{column}' of {name} has {len(values)} different values, more than the "
                f"{MOST_VALUES} that categories may have: leave it out"
            )
    else:  # maps that earlier versions saved have 1.0 for 1
        decimals = {value for value in values if value.endswith(".0")}
        texts[:] = [f"{text}.0" if f"{text}.0" in decimals else text for text in texts]
    new = ~missing & ~np.isin(texts, values)
    if new.any():
        row = int(new.argmax())
        raise InputError(
            f"{place(row)}, column '{column}' of {name} is '{texts[row]}', a category that the "
            f"map was not fitted to (it has {listed(values)}): leave out the row"
        )
    indicators = (texts[:, None] == np.array(values, dtype=object)).astype(np.float64)
    indicators[missing] = np.nan
    return indicators, values


def _text(value: Any) -> str:
    """Return a category as text, whole numbers without decimals, as columns with gaps have them."""
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if is_whole else str(value)
