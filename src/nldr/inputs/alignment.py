"""Rows of several tables brought into one order by their names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nldr.inputs.errors import InputError, listed


def words_on_position(
    index: list[Any] | None, other: list[Any] | None, names: tuple[str, str]
) -> list[str]:
    """Return a line if the order of rows is a guess, since only one of two tables names them.

    Row numbers are no names. An array (None) is meant to go by position.

    Examples
    --------
    >>> words_on_position([0, 1, 2], ["c", "a", "b"], ("X", "Z"))
    ['rows were matched by position, since only Z names them: check that the order agrees']
    >>> words_on_position(None, ["c", "a", "b"], ("X", "Z"))
    []
    """
    if index is None or other is None:
        return []
    named = [rows != list(range(len(rows))) for rows in (index, other)]
    if all(named) or not any(named):
        return []
    name = names[named.index(True)]
    return [
        f"rows were matched by position, since only {name} names them: check that the order agrees"
    ]


def words_on_order(index: list[Any], other: list[Any], names: tuple[str, str]) -> list[str]:
    """Return a line if rows in different orders were matched though only one index is shuffled.

    So it is if a frame was shuffled, and its map put into a new frame, whose rows are only counted.

    Examples
    --------
    >>> words_on_order([2, 0, 1], [0, 1, 2], ("X", "Z"))[0][:47]
    'Z has its rows in a different order than X, so '
    >>> words_on_order(["a", "b"], ["b", "a"], ("X", "Z"))
    []
    """
    counted = list(range(len(index)))
    if counted not in (index, other):
        return []
    first, second = names
    return [
        f"{second} has its rows in a different order than {first}, so they were matched by index; "
        "if only one of the two indices was reset, pass both without names (frame.to_numpy()), to "
        "match them by position"
    ]


def align(
    index: list[Any] | None, other: list[Any] | None, names: tuple[str, str]
) -> NDArray | None:
    """Return the order in which the rows of another table are those of a first one.

    Parameters
    ----------
    index, other : list or None
        Names of the rows of both tables; None if a table has none.
    names : (str, str)
        Names of the tables in messages.

    Returns
    -------
    ndarray of int or None
        Positions in the other table; None if the order is the same, or rows have no names in one
        of the tables, so that only their position says which is which.

    Raises
    ------
    InputError
        If both tables name their rows, but not the same rows.

    Examples
    --------
    >>> align(["a", "b", "c"], ["c", "a", "b"], ("X", "Z"))
    array([1, 2, 0])
    """
    if index is None or other is None:
        return None
    # NaN differs from itself
    index = [None if name != name else name for name in index]
    other = [None if name != name else name for name in other]
    if index == other:
        return None
    first, second = names
    if len(index) != len(other):
        raise InputError(
            f"{second} has {len(other)} rows, {first} has {len(index)}: they must be about the "
            "same points"
        )
    positions = {name: position for position, name in enumerate(other)}
    if len(positions) == len(other) and set(index) == set(other):
        return np.array([positions[name] for name in index])
    # Rows that are just counted have no names to align
    counted = list(range(len(index)))
    if not set(index) & set(other) and counted in (index, other):
        return None
    strangers = [name for name in index if name not in positions]
    raise InputError(
        f"the rows of {first} and {second} have different names "
        + (f"({listed(strangers)} are not in {second})" if strangers else "or repeated ones")
        + ": give both the same names, or none, to match rows by position (frame.to_numpy())"
    )
