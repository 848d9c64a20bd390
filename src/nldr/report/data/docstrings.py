"""Docstrings, defaults and places of the classes and functions of the catalog."""

from __future__ import annotations

import functools
import inspect
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nldr
from nldr.engine.code.imports import import_object

SHORT = 120  # characters of a first paragraph that calls for more
NOT_SHOWN = {"self", "data", "embedding", "rng"}  # parameters that the engine passes
ENDS = re.compile(r"^-{3,}$|^\.\. |^>>>|[:,]$|:math:", re.MULTILINE)
MARKUP = (
    (r":\w+:`[~!]?(?:[\w.]*\.)?(\w+)`", r"\1"),  # a reference, of which the last name is shown
    (r"``([^`]*)``", r"\1"),
    (r"`([^`<]*)( <[^`]*>)?`_{0,2}", r"\1"),
    (r"\*\*([^*]+)\*\*", r"\1"),
    (r"\s+", " "),
)


@dataclass(frozen=True)
class Description:
    """A class or function as its source describes it."""

    # First paragraph of its docstring as plain text, and the next one if the first is short
    summary: str = ""
    place: str = ""  # file and line, relative to the project's folder; empty for installed packages
    # Parameters with their defaults; those without one are left out
    defaults: dict[str, Any] = field(default_factory=dict)


@functools.cache
def describe_source(path: str) -> Description:
    """Return the description of the class or function behind an import path.

    It is ours or of an installed package; the description is empty if it cannot be imported.

    Examples
    --------
    >>> describe_source("nldr.methods.spectral.mds.MetricMDS").defaults
    {'n_components': 2, 'max_iter': 1000, 'eps': 1e-06, 'verbose': False}
    >>> describe_source("sklearn.manifold.Isomap").summary
    'Isomap Embedding. Non-linear dimensionality reduction through Isometric Mapping'
    """
    try:
        entry = import_object(path)
        signature = inspect.signature(entry)
    except Exception:  # an import may fail in any way
        return Description()
    defaults = {
        name: parameter.default
        for name, parameter in signature.parameters.items()
        if parameter.default is not parameter.empty and name not in NOT_SHOWN
    }
    return Description(summarize(inspect.getdoc(entry) or ""), _place(entry), defaults)


def summarize(docstring: str) -> str:
    r"""Return the first paragraph of a docstring as plain text, and the next one if it is short.

    Examples
    --------
    >>> summarize("Score by :func:`nldr.metrics.ranks.q_nx` of ``X``.\n\nMore.")
    'Score by q_nx of X. More.'
    >>> summarize("Embed.\n\nParameters\n----------\nX : ndarray")
    'Embed.'
    """
    first, *rest = inspect.cleandoc(docstring).split("\n\n")
    # A section, a formula or an example ends the summary.
    if rest and len(first) < SHORT and not ENDS.search(rest[0]):
        first += "\n" + rest[0]
    for pattern, plain in MARKUP:
        first = re.sub(pattern, plain, first)
    return first.strip()


def _place(entry: Any) -> str:
    """Return file and line of source of ours or of the user's project, as readers know it."""
    try:
        file, line = Path(inspect.getfile(entry)).resolve(), inspect.getsourcelines(entry)[1]
    except (OSError, TypeError):
        return ""
    package, here = Path(nldr.__file__).resolve().parent, Path.cwd().resolve()
    if file.is_relative_to(package):
        prefix = "src/" if package.parent.name == "src" else ""
        return f"{prefix}{file.relative_to(package.parent).as_posix()}:{line}"
    if file.is_relative_to(here) and "site-packages" not in file.parts:
        return f"{file.relative_to(here).as_posix()}:{line}"
    return ""
