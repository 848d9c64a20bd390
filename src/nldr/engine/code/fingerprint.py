"""Fingerprints of the code that a job runs: its import closure, found without importing it.

Our own sources enter by their syntax tree (so that comments, docstrings and formatting do not
matter), installed distributions by version, Python by its minor version.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from importlib.util import find_spec
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from nldr.engine.code.parsed import parse_code
from nldr.engine.reading.parsing import PlanError

PACKAGE = "nldr"
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Closure:
    """All code that a set of modules depends on."""

    sources: dict[str, str]  # hash of each of our source files, by module name
    distributions: dict[str, str]  # versions of those that are installed, and of what they require
    imports: tuple[str, ...] = ()  # installed modules that our sources import, anywhere

    @functools.cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change when any of the code changes."""
        sources, distributions = sorted(self.sources.items()), sorted(self.distributions.items())
        text = repr((sys.version_info[:2], sources, distributions))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def closure(modules: Iterable[str]) -> Closure:
    """Follow the imports of modules, ours or installed ones, through our own sources.

    A module counts as a whole, with all modules that it imports anywhere.

    Examples
    --------
    >>> sorted(closure(["nldr.kernels"]).sources)
    ['nldr.kernels']
    """
    sources: dict[str, str] = {}
    installed: set[str] = set()
    waiting = list(modules)
    # Search through our own sources; packages of others end a branch.
    while waiting:
        module = waiting.pop()
        if module in sources or module in installed:
            continue
        path = source_of(module)
        if path is None:
            installed.add(module)
            continue
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        imports, sources[module] = _parse(path, package, path.stat().st_mtime_ns)
        waiting += imports
    not_foreign = {PACKAGE, *sys.stdlib_module_names}
    foreign = tuple(sorted(m for m in installed if m.partition(".")[0] not in not_foreign))
    return Closure(sources, _distributions({m.partition(".")[0] for m in foreign}), foreign)


def source_of(module: str) -> Path | None:
    """Return the source file of one of our modules, None for anything installed."""
    root = module.partition(".")[0]
    if root == PACKAGE:
        path = ROOT.joinpath(*module.split(".")[1:])
        files = (path / "__init__.py", path.with_suffix(".py"))
        return next((file for file in files if file.is_file()), None)
    if root in sys.stdlib_module_names or root in _providers():
        return None
    try:
        spec = find_spec(root)
    except ValueError:
        return None
    # `find_spec` itself would import the packages around a module.
    for end in (i for i, letter in enumerate(f"{module}.") if letter == "." and i > len(root)):
        places = spec.submodule_search_locations if spec else None
        spec = PathFinder.find_spec(module[:end], places) if places else None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


@functools.cache
def _parse(path: Path, package: str, _mtime: int) -> tuple[list[str], str]:
    """Return the modules that a file imports and the hash of its code."""
    try:
        code = parse_code(path.read_bytes())
    except SyntaxError as error:  # a user may be editing the file
        line = f": line {error.lineno}" if error.lineno else ""
        raise PlanError(f"{path}{line}: {error.msg}: correct the module") from None
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{path}: cannot be parsed ({error}): correct the module") from None
    return [module for stmt in code.imports for module in _imports(*stmt, package)], code.digest


def _imports(level: int, base: str, names: list[str], package: str) -> Iterator[str]:
    """Yield the modules that a statement of a package's module imports."""
    if level < 0:
        yield from names
        return
    # Resolve relative imports.
    if level:
        above = package.split(".")[: len(package.split(".")) - level + 1]
        base = ".".join([*above, base] if base else above)
    # An imported name may be a module, or an attribute of one.
    for name in names:
        is_module = source_of(f"{base}.{name}") is not None
        yield f"{base}.{name}" if is_module else base
        if not is_module:
            yield from _lazily_exported(base)


def _lazily_exported(package: str) -> Iterator[str]:
    """Yield all modules of one of our packages that exports names by ``__getattr__``."""
    path = source_of(package)
    if path is not None and path.name == "__init__.py" and "__getattr__" in path.read_text():
        for file in path.parent.rglob("*.py"):
            parts = file.relative_to(path.parent).with_suffix("").parts
            if parts[-1] != "__init__":
                yield ".".join([package, *parts])


# The distributions that provide each importable top-level name
_providers = functools.cache(packages_distributions)


def _distributions(roots: Iterable[str]) -> dict[str, str]:
    """Return name and version of the distributions behind ``roots`` and of their requirements."""
    waiting = [name for root in roots for name in _providers().get(root, [])]
    versions: dict[str, str] = {}
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in versions or name == PACKAGE:
            continue
        version, requires = _distribution(name)
        if version is not None:
            versions[name] = version
            waiting.extend(requires)
    return versions


@functools.cache
def _distribution(name: str) -> tuple[str | None, tuple[str, ...]]:
    """Return version and requirements of an installed distribution, without extras."""
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        return None, ()
    requirements = [Requirement(text) for text in installed.requires or []]
    return installed.version, tuple(
        r.name for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})
    )
