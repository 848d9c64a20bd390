"""Name the module, package or parameter that has changed since a result was made.

The digest of a job says that something changed, but not what. So a manifest also keeps the digests
of the job's fields, of the modules behind its fingerprints, and the versions of the packages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from nldr.engine.code.fingerprint import Closure, source_of
from nldr.engine.files.store import digest_of

CODE = 16  # digits of a fingerprint
DIGITS = 8  # of the digest of a part
SHOWN = 3  # changes that are named; the others are counted
Parts = dict[str, dict[str, str]]


def parts_of(job: Any, code: Mapping[str, Closure]) -> Parts:
    """Return what decides the digest of a job: a digest or version for each part, by its kind.

    Each field, parameter and list item with a name is a part, and so are the modules and packages
    of the code behind fingerprints.
    """
    parts: Parts = {"fields": dict(_fields("", asdict(job))), "modules": {}, "packages": {}}
    for name, value in parts["fields"].items():
        # A field of code has one fingerprint or several, joined.
        for start in range(0, len(value), CODE) if name.endswith("code") else ():
            closure = code.get(value[start : start + CODE], Closure({}, {}))
            parts["modules"] |= {k: v[:DIGITS] for k, v in closure.sources.items()}
            parts["packages"] |= closure.distributions
    parts["packages"]["Python"] = ".".join(map(str, sys.version_info[:2]))
    return parts


def _fields(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value and name.count(".") < 3:
        for key, inner in value.items():
            yield from _fields(f"{name}.{key}".removeprefix("."), inner)
    elif isinstance(value, list) and all(isinstance(v, dict) and "name" in v for v in value):
        for inner in value:
            yield from _fields(f"{name}.{inner['name']}", inner)
    else:
        yield name, value if name.endswith("code") else digest_of(value)[:DIGITS]


def differences(old: Parts, new: Parts) -> list[str]:
    """Return the names of the files, packages and fields in which the parts of two jobs differ."""
    modules = [_file_of(name) for name in _changed(old["modules"], new["modules"])]
    packages = [
        f"{name} {old['packages'].get(name, 'none')} to {new['packages'].get(name, 'none')}"
        for name in _changed(old["packages"], new["packages"])
    ]
    fields = _changed(old["fields"], new["fields"])
    # Changed fingerprints are told by what is behind them, if that is known.
    if modules or packages:
        fields = [name for name in fields if not name.endswith("code")]
    return [*modules, *packages, *fields]


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    return sorted(name for name in {*old, *new} if old.get(name) != new.get(name))


def _file_of(module: str) -> str:
    """Return the file of a module, as short as it can be told from others."""
    path = source_of(module)
    if path is None:
        return module
    depth = len(module.split(".")) + (path.name == "__init__.py")
    return "/".join(path.parts[-depth:])


def summarize(changes: list[str]) -> str:
    """Return changes as a short text.

    Examples
    --------
    >>> summarize(["a.py", "b.py", "c.py", "d.py", "e.py"])
    'a.py, b.py, c.py and 2 more'
    """
    more = len(changes) - SHOWN
    return ", ".join(changes[:SHOWN]) + (f" and {more} more" if more > 0 else "")
