"""Fingerprints of the code that a job runs: its import closure, found without importing it.

Our own sources enter by their syntax tree (so that comments, docstrings and formatting do not
matter), installed distributions by version, Python by its minor version.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from importlib.util import find_spec
from pathlib import Path

from nldr.engine.code.definitions import BASE, WHOLE, Definitions, Reference, strip_docstrings
from nldr.engine.reading.parsing import PlanError

PACKAGE = "nldr"
BY_DEFINITION = "nldr.engine"  # the package whose modules do not count as a whole
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Closure:
    """All code that a set of modules and scripts depends on.

    Attributes
    ----------
    sources : dict of str to str
        Hash of each of our source files, by module name (scripts by file name).
    distributions : dict of str to str
        Version of each installed distribution, including those that they require.
    imports : tuple of str
        Installed modules that our sources import, anywhere.
    """

    sources: dict[str, str]
    distributions: dict[str, str]
    imports: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change when any of the code changes."""
        text = repr((sys.version_info[:2], sorted(self.sources.items()),
                     sorted(self.distributions.items())))  # fmt: skip
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def closure(
    modules: Iterable[str], scripts: Iterable[Path] = (), entries: Iterable[str] = ()
) -> Closure:
    """Follow the imports of modules and scripts through our own sources.

    Modules count as a whole with all that they import. Those of :data:`BY_DEFINITION` are followed
    definition by definition instead: from the names that scripts and modules import, or from
    ``entries``, to the functions, classes and constants that these refer to. What has a side effect
    when a module is imported always counts.

    Parameters
    ----------
    modules : iterable of str
        Dotted module names, ours or installed ones, that count as a whole.
    scripts : iterable of Path
        Files that are run rather than imported.
    entries : iterable of str
        Import paths of functions and classes.

    Examples
    --------
    >>> sorted(closure(["nldr.kernels"]).sources)
    ['nldr.kernels']
    >>> found = closure([], entries=["nldr.engine.files.layout.seed"]).sources
    >>> sorted(found), found == closure(["nldr.engine.files.layout"]).sources
    (['nldr.engine.files.layout'], False)
    """
    codes: dict[str, set[str]] = {}
    installed: set[str] = set()
    seen: set[Reference] = set()
    tables = {script.name: _definitions(script, "") for script in scripts}
    followed = set(tables)
    source = functools.cache(source_of)
    waiting = [(module, WHOLE) for module in (*tables, *modules)]
    waiting += [_resolve(entry) for entry in entries]
    # Search through our own sources; packages of others end a branch.
    while waiting:
        module, name = waiting.pop()
        if (module, name) in seen:
            continue
        seen.add((module, name))
        whole = module not in followed and not _by_definition(module)
        if whole and name not in (WHOLE, BASE):
            waiting.extend((m, WHOLE) for m in (module, *_lazily_exported(module)))
            continue
        path = None if module in followed else source(module)
        package = module if path and path.name == "__init__.py" else module.rpartition(".")[0]
        if path is None and module not in followed:
            if name != BASE:
                installed.add(module)
        elif path is not None and whole and name == WHOLE:
            imports, digest = _parse(path, package)
            codes.setdefault(module, set()).add(digest)
            waiting.extend((imported, WHOLE) for imported in imports)
        else:
            if path is not None and module not in tables:
                tables[module] = _definitions(path, package)
                waiting.extend((parent, BASE) for parent in _packages(module))
            found, references = tables[module].expand(module, name)
            codes.setdefault(module, set()).update(found)
            waiting.extend(references)
    sources = {module: _hash("\n".join(sorted(found))) for module, found in codes.items() if found}
    known = {PACKAGE, *sys.stdlib_module_names}
    foreign = tuple(sorted(m for m in installed if m.partition(".")[0] not in known))
    roots = {module.partition(".")[0] for module in foreign}
    return Closure(sources, _distributions(roots), foreign)


def _by_definition(module: str) -> bool:
    return module == BY_DEFINITION or module.startswith(BY_DEFINITION + ".")


def _packages(module: str) -> Iterator[str]:
    """Yield a module and the packages around it: importing it imports them."""
    parts = module.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _resolve(path: str) -> Reference:
    """Return what an import path names: a module, or something in it."""
    module, _, name = path.rpartition(".")
    return (path, WHOLE) if not module or source_of(path) else (module, name)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def source_of(module: str) -> Path | None:
    """Return the source file of one of our modules, None for anything installed."""
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names:
        return None
    if root == PACKAGE:
        path = ROOT.joinpath(*module.split(".")[1:])
        return next((p for p in (path / "__init__.py", path.with_suffix(".py")) if p.is_file()),
                    None)  # fmt: skip
    if root in _providers():
        return None
    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _parse(path: Path, package: str) -> tuple[list[str], str]:
    """Return the modules that a file imports and the hash of its code."""
    return _parse_cached(path, package, path.stat().st_mtime_ns)


@functools.cache
def _parse_cached(path: Path, package: str, _mtime: int) -> tuple[list[str], str]:
    tree = _read_tree(path)
    imports = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for _, (module, name) in _bindings(node, package):
                imports += [module, *([] if name == WHOLE else _lazily_exported(module))]
    strip_docstrings(tree)
    return imports, _hash(ast.dump(tree))


def _definitions(path: Path, package: str) -> Definitions:
    """Return the definitions of a file."""
    return _definitions_cached(path, package, path.stat().st_mtime_ns)


@functools.cache
def _definitions_cached(path: Path, package: str, _mtime: int) -> Definitions:
    return Definitions(_read_tree(path), lambda node: _bindings(node, package))


def _read_tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file, which a user may be editing."""
    try:
        return ast.parse(path.read_bytes(), filename=str(path))
    except SyntaxError as error:
        line = f": line {error.lineno}" if error.lineno else ""
        raise PlanError(f"{path}{line}: {error.msg}: correct the module") from None
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{path}: cannot be parsed ({error}): correct the module") from None


def _bindings(node: ast.AST, package: str) -> Iterator[tuple[str, Reference]]:
    """Yield the names that an import binds with what they stand for, see Definitions."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], (alias.name, WHOLE)
    elif isinstance(node, ast.ImportFrom):
        # Resolve relative imports.
        base = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, base] if base else above)
        # An imported name may be a module, or an attribute of one.
        for alias in node.names:
            yield alias.asname or alias.name, _resolve(f"{base}.{alias.name}")
    elif isinstance(node, ast.Constant) and str(node.value).startswith(f"{PACKAGE}."):
        # A text may be an import path.
        module, name = _resolve(str(node.value))
        if source_of(module):
            yield "", (module, name)


def _lazily_exported(package: str) -> Iterator[str]:
    """Yield all modules of one of our packages that exports names by ``__getattr__``."""
    path = source_of(package)
    if path is not None and path.name == "__init__.py" and "__getattr__" in path.read_text():
        for file in path.parent.rglob("*.py"):
            parts = file.relative_to(path.parent).with_suffix("").parts
            if parts[-1] != "__init__":
                yield ".".join([package, *parts])


@functools.cache
def _providers() -> dict[str, list[str]]:
    """Return the distributions that provide each importable top-level name."""
    return {k: list(v) for k, v in packages_distributions().items()}


def _distributions(roots: Iterable[str]) -> dict[str, str]:
    """Return name and version of the distributions behind ``roots`` and of their requirements."""
    waiting = [name for root in roots for name in _providers().get(root, [])]
    found: dict[str, str] = {}
    while waiting:
        name = _normalize_name(waiting.pop())
        if name in found or name == PACKAGE:
            continue
        version, requires = _distribution(name)
        if version is not None:
            found[name] = version
            waiting.extend(requires)
    return found


def _normalize_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@functools.cache
def _distribution(name: str) -> tuple[str | None, tuple[str, ...]]:
    """Return version and requirements of an installed distribution, without extras."""
    from packaging.requirements import Requirement

    try:
        found = distribution(name)
    except PackageNotFoundError:
        return None, ()
    requirements = [Requirement(text) for text in found.requires or []]
    return found.version, tuple(
        r.name for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})
    )
