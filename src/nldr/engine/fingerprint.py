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

PACKAGE = "nldr"
ROOT = Path(__file__).resolve().parents[1]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Closure:
    """All code that a set of modules and scripts depends on.

    Attributes
    ----------
    sources : dict of str to str
        Hash of each of our source files, by module name (scripts by file name).
    distributions : dict of str to str
        Version of each installed distribution, including those that they require.
    """

    sources: dict[str, str]
    distributions: dict[str, str]

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change when any of the code changes."""
        text = repr((sys.version_info[:2], sorted(self.sources.items()),
                     sorted(self.distributions.items())))  # fmt: skip
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def closure(modules: Iterable[str], scripts: Iterable[Path] = ()) -> Closure:
    """Follow the imports of modules and scripts through our own sources.

    Parameters
    ----------
    modules : iterable of str
        Dotted module names, ours or installed ones.
    scripts : iterable of Path
        Files that are run rather than imported.

    Examples
    --------
    >>> sorted(closure(["nldr.kernels"]).sources)
    ['nldr.kernels']
    """
    sources: dict[str, str] = {}
    roots: set[str] = set()
    waiting = list(modules)
    for script in scripts:
        imports, digest = _parse(script, "")
        sources[script.name] = digest
        waiting.extend(imports)
    # Breadth-first search through our own sources; packages of others end a branch.
    while waiting:
        module = waiting.pop()
        if module in sources or module in roots:
            continue
        path = _source(module)
        if path is None:
            roots.add(module.partition(".")[0])
            continue
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        imports, sources[module] = _parse(path, package)
        waiting.extend(imports)
    return Closure(sources, _distributions(roots - set(sys.stdlib_module_names)))


def _source(module: str) -> Path | None:
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
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    imports = [name for node in ast.walk(tree) for name in _imports(node, package)]
    # Docstrings do not change results.
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return imports, hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _imports(node: ast.AST, package: str) -> Iterator[str]:
    """Yield the modules that an import statement may load."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        # Resolve relative imports.
        base = node.module or ""
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, base] if base else above)
        # An imported name may be a module, or an attribute of one.
        for alias in node.names:
            if _source(f"{base}.{alias.name}"):
                yield f"{base}.{alias.name}"
            else:
                yield base
                yield from _lazily_exported(base)


def _lazily_exported(package: str) -> Iterator[str]:
    """Yield all modules of one of our packages that exports names by ``__getattr__``."""
    path = _source(package)
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
