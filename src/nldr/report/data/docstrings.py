"""Docstrings, defaults and places of classes and functions, read from their sources.

Nothing is imported: the packages behind all methods of the catalog would take many seconds.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Definition = ast.ClassDef | ast.FunctionDef
SHORT = 120  # characters of a first paragraph that calls for more
MAX_HOPS = 8  # imports that are followed from a package to the module of a definition
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
class Described:
    """A class or function as its source describes it.

    Attributes
    ----------
    summary : str
        First paragraph of its docstring as plain text, and the next one where the first is short.
    place : str
        File and line, relative to the project's folder; empty for installed packages.
    defaults : dict of str to value
        Parameters with their defaults; those without one are left out.
    """

    summary: str = ""
    place: str = ""
    defaults: dict[str, Any] = field(default_factory=dict)


def describe_source(path: str) -> Described:
    """Return what the source behind an import path says.

    Parameters
    ----------
    path : str
        Import path of a class or function, ours or of an installed package.

    Returns
    -------
    Described
        Empty where there is no Python source.

    Examples
    --------
    >>> found = describe_source("nldr.methods.spectral.mds.MetricMDS")
    >>> found.defaults
    {'n_components': 2, 'max_iter': 1000, 'eps': 1e-06}
    >>> describe_source("sklearn.manifold.Isomap").summary
    'Isomap Embedding. Non-linear dimensionality reduction through Isometric Mapping'
    """
    module, _, name = path.rpartition(".")
    found = _find(module, name)
    if found is None:
        return Described()
    home, definition = found
    summary, defaults = "", None
    fields: dict[str, Any] = {}
    # What a class does not say itself, its bases say.
    for _, ancestor in _ancestors(home, definition):
        summary = summary or summarize(ast.get_docstring(ancestor) or "")
        if defaults is None:
            fields = _fields(ancestor) | fields
            defaults = _defaults(ancestor)
    file = _file(home)
    place = f"{shown}:{definition.lineno}" if file and (shown := _shown(file)) else ""
    return Described(summary, place, defaults or fields)


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


# --- search -------------------------------------------------------------------------------------


def _find(module: str, name: str, hops: int = 0) -> tuple[str, Definition] | None:
    """Return the module that defines a name, and its definition, following imports."""
    file = _file(module)
    if file is None or hops > MAX_HOPS:
        return None
    names = _names(file)
    found = names.get(name)
    if isinstance(found, Definition):
        return module, found
    if isinstance(found, ast.ImportFrom):
        package = module if file.name == "__init__.py" else module.rpartition(".")[0]
        target = _target(found, package)
        original = next(a.name for a in found.names if (a.asname or a.name) == name)
        return _find(target, original, hops + 1)
    return None


def _target(node: ast.ImportFrom, package: str) -> str:
    """Return the module that a statement imports from."""
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    above = parts[: len(parts) - node.level + 1]
    return ".".join([*above, *filter(None, [node.module])])


@functools.cache
def _names(file: Path) -> dict[str, Definition | ast.ImportFrom]:
    """Return definitions and imports of a module, those under ``if`` and ``try`` included."""
    names: dict[str, Definition | ast.ImportFrom] = {}
    waiting: list[ast.AST] = []
    with suppress(OSError, SyntaxError):
        waiting.append(ast.parse(file.read_bytes()))
    while waiting:
        node = waiting.pop()
        if isinstance(node, Definition):
            names[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                names.setdefault(alias.asname or alias.name, node)
        elif isinstance(node, ast.Module | ast.If | ast.Try):
            waiting.extend(ast.iter_child_nodes(node))
    return names


@functools.cache
def _file(module: str) -> Path | None:
    """Return the source file of a module; only its top-level package is looked up."""
    top, *rest = module.split(".")
    with suppress(ImportError, ValueError):
        spec = find_spec(top)
        origin = Path(spec.origin) if spec and spec.origin else None
        if origin is None or origin.suffix != ".py":
            return None
        if not rest:
            return origin
        base = origin.parent.joinpath(*rest)
        files = (base / "__init__.py", base.with_name(base.name + ".py"))
        return next((file for file in files if file.is_file()), None)
    return None


def _ancestors(module: str, definition: Definition) -> Iterator[tuple[str, Definition]]:
    """Yield a class with the classes that it derives from, the first base first."""
    waiting, seen = [(module, definition)], 0
    while waiting and seen <= MAX_HOPS:
        seen += 1
        home, node = waiting.pop(0)
        yield home, node
        if isinstance(node, ast.ClassDef):
            named = [base.id for base in node.bases if isinstance(base, ast.Name)]
            waiting += [found for name in named if (found := _find(home, name)) is not None]


# --- contents -----------------------------------------------------------------------------------


def _defaults(definition: Definition) -> dict[str, Any] | None:
    """Return the defaults of a function, or of the constructor of a class if it has one."""
    function: ast.AST | None = definition
    if isinstance(definition, ast.ClassDef):
        function = next((node for node in definition.body if isinstance(node, ast.FunctionDef)
                         and node.name == "__init__"), None)  # fmt: skip
    if not isinstance(function, ast.FunctionDef):
        return None
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(given.defaults))
    pairs = [*zip(positional, [*missing, *given.defaults], strict=True),
             *zip(given.kwonlyargs, given.kw_defaults, strict=True)]  # fmt: skip
    return {a.arg: _value(default) for a, default in pairs
            if default is not None and a.arg not in NOT_SHOWN}  # fmt: skip


def _fields(definition: Definition) -> dict[str, Any]:
    """Return the defaults of the fields that a dataclass adds or changes, none for others."""
    if not any("dataclass" in ast.unparse(node) for node in definition.decorator_list):
        return {}
    fields = {}
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            default: ast.expr | None = node.value
            if isinstance(default, ast.Call):  # field(default=2, kw_only=False)
                default = next((k.value for k in default.keywords if k.arg == "default"), None)
            if default is not None and "ClassVar" not in ast.unparse(node.annotation):
                fields[node.target.id] = _value(default)
    return fields


def _value(node: ast.expr) -> Any:
    """Return a value, or the text of an expression that is none."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def _shown(file: Path) -> str:
    """Return the path of a file of ours, or of the user's project, as readers know it."""
    package = Path(__file__).resolve().parents[2]
    file = file.resolve()
    if file.is_relative_to(package):
        prefix = "src/" if package.parent.name == "src" else ""
        return prefix + file.relative_to(package.parent).as_posix()
    here = Path.cwd().resolve()
    if file.is_relative_to(here) and "site-packages" not in file.parts:
        return file.relative_to(here).as_posix()
    return ""
