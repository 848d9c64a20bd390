"""Paragraphs of docstrings that several estimators share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T", bound=type)

ENTRY = re.compile(r"^(\w+) : .+\n(?: +.+\n?)+", re.MULTILINE)  # a name, its type, its description
NAMES = re.compile(r"^\w+(?:, \w+)*$(?!\n[ -])", re.MULTILINE)  # names without a description


def inherit_docs(*sources: type) -> Callable[[T], T]:
    """Complete the parameters and attributes that a class's docstring names without a description.

    A line with one name or several, such as ``tol, max_iter``, stands for the paragraphs of these
    names in the docstrings of the sources. The default of a parameter is that of the class.

    Parameters
    ----------
    *sources : type
        Classes with these paragraphs; the first one that has a name counts.

    Returns
    -------
    callable
        Decorator of a class.

    Raises
    ------
    KeyError
        When the class is defined, if no source describes a name.

    Examples
    --------
    >>> from sklearn.decomposition import PCA
    >>> @inherit_docs(PCA)
    ... class Whitened:
    ...     '''A method.
    ...
    ...     Parameters
    ...     ----------
    ...     whiten
    ...     scale : float
    ...         A factor.
    ...     '''
    ...     def __init__(self, whiten=True, scale=1.0): ...
    >>> Whitened.__doc__.splitlines()[4]
    'whiten : bool, default=True'
    """
    entries: dict[str, str] = {}
    for source in reversed(sources):
        text = inspect.cleandoc(source.__doc__ or "")
        entries |= {entry[1]: entry[0].rstrip() for entry in ENTRY.finditer(text)}

    def decorate(cls: T) -> T:
        if cls.__doc__ is None:  # python -OO
            return cls
        parameters = inspect.signature(cls).parameters
        sections = inspect.cleandoc(cls.__doc__).split("\n\n")
        for number, section in enumerate(sections):
            if section.startswith(("Parameters\n", "Attributes\n")):
                sections[number] = NAMES.sub(lambda names: fill(names[0], parameters), section)
        cls.__doc__ = "\n\n".join(sections)
        return cls

    def fill(names: str, parameters: Any) -> str:
        return "\n".join(_with_default(entries[n], parameters.get(n)) for n in names.split(", "))

    return decorate


def _with_default(entry: str, parameter: inspect.Parameter | None) -> str:
    """Return the paragraph of a parameter with its default; that of an attribute has none."""
    if parameter is None or parameter.default is parameter.empty:
        return entry
    head, _, description = entry.partition("\n")
    value = parameter.default
    shown = f'"{value}"' if isinstance(value, str) else repr(value)
    return f"{head.partition(', default=')[0]}, default={shown}\n{description}"
