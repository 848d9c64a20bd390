"""The error that every mistake in a user's data raises, and words that its messages share."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path

Place = Callable[[int], str]
SHOWN = 8  # names that a message lists


class InputError(ValueError):
    """A mistake in the data or arguments of a user; the message says what to do."""


def refuse_missing_folder(file: str | PathLike) -> None:
    """Refuse to write a file to a folder that does not exist.

    Examples
    --------
    >>> refuse_missing_folder("missing/map.npz")
    Traceback (most recent call last):
        ...
    nldr.inputs.errors.InputError: the folder missing of map.npz does not exist: create it first
    """
    path = Path(file)
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} of {path.name} does not exist: create it first")


def refuse_named_twice(columns: Sequence[object]) -> None:
    """Refuse a column that is named twice, as label, to leave out, or as categories.

    Examples
    --------
    >>> refuse_named_twice(["id", "type", "type"])
    Traceback (most recent call last):
        ...
    nldr.inputs.errors.InputError: column 'type' is named twice: it can be the label, be left out, \
or hold categories
    """
    names = [str(column) for column in columns]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"column '{name}' is named twice: it can be the label, be left out, or hold "
                "categories"
            )


def as_word(columns: Iterable[str]) -> str:
    """Return names of columns as one word of a command; one with a comma is in double quotes.

    Examples
    --------
    >>> print(as_word(["id", "size, mm"]))
    'id,"size, mm"'
    """
    return shlex.quote(",".join(f'"{name}"' if "," in name else name for name in columns))


def remedy_of(remedy: str, column: str, name: str) -> str:
    """Return what to do with a column of a table, with both names filled in.

    Examples
    --------
    >>> print(remedy_of("leave it out (--drop {words})", "size, mm", "a.csv"))
    leave it out (--drop '"size, mm"')
    """
    word, words = shlex.quote(column), as_word([column])
    return remedy.format(column=column, word=word, words=words, name=name)


def row_place(row: int) -> str:
    """Return the place of a row of an array.

    Examples
    --------
    >>> row_place(3)
    'row 3'
    """
    return f"row {row}"


def listed(names: Iterable[object]) -> str:
    """Return names for a message, the first ones only if there are many.

    Examples
    --------
    >>> listed(["a", "b"]), listed(range(20))
    ('a, b', '0, 1, 2, 3, 4, 5, 6, 7, … (20 in all)')
    """
    texts = [str(name) for name in names]
    rest = f", … ({len(texts)} in all)" if len(texts) > SHOWN else ""
    return ", ".join(texts[:SHOWN]) + rest


def suggestion(word: object, names: Iterable[object]) -> str:
    """Return the most similar of some names, whatever their case, as a question, else the names.

    Examples
    --------
    >>> suggestion("TYP", ["Type", "size"]), suggestion("q", ["type", "size"])
    ("did you mean 'Type'?", 'there are: type, size')
    """
    texts = [str(name) for name in names]
    close = nearest(word, texts, n=1)
    return f"did you mean '{close[0]}'?" if close else f"there are: {listed(texts)}"


def nearest(word: object, names: Iterable[str], n: int) -> list[str]:
    """Return up to ``n`` names that are similar to a word, whatever their case, the nearest first.

    Names that differ in leading zeros only are the nearest, then those that begin with the word or
    have its letters in another order.

    Examples
    --------
    >>> nearest("rol", ["Roll", "role", "swiss"], 2)
    ['Roll', 'role']
    >>> nearest("ikd-6", ["ikd-36", "ikd-06"], 1), nearest("phate", ["pca", "mds"], 1)
    (['ikd-06'], [])
    """
    names = list(names)
    lower = [name.lower() for name in names]
    start = str(word).lower()
    alike = [name for name in lower if start and name.startswith(start)]
    alike += [name for name in lower if sorted(name) == sorted(start)]
    close = [*alike, *get_close_matches(start, lower, max(n, 10), 0.6)]
    close.sort(key=lambda name: _without_zeros(name) != _without_zeros(start))
    return [names[lower.index(name)] for name in dict.fromkeys(close)][:n]


def _without_zeros(name: str) -> str:
    """Return a name without the leading zeros of its numbers."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", name)
