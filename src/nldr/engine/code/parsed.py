"""Files of Python code, parsed once and remembered from run to run."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from nldr.engine.files.store import atomic

# Syntax trees depend on the version of Python.
FILE = f"code-{sys.version_info[0]}.{sys.version_info[1]}.json"
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class Code(NamedTuple):
    """The imports of a file, and the hash of its code."""

    # Level, package and names of each import; of ``import names`` the level is -1
    imports: list[tuple[int, str, list[str]]]
    digest: str  # the hash, to which comments, docstrings and formatting do not matter


_remembered: dict[str, Code] = {}  # by the hash of the file


def parse_code(content: bytes) -> Code:
    """Parse the content of a file, which raises an error of ``ast.parse`` if it is not Python."""
    name = hashlib.sha256(content).hexdigest()
    if name not in _remembered:
        _remembered[name] = _parse(ast.parse(content))
    return _remembered[name]


def _parse(tree: ast.Module) -> Code:
    imports: list[tuple[int, str, list[str]]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imports.append((-1, "", [alias.name for alias in node.names]))
        elif isinstance(node, ast.ImportFrom):
            imports.append((node.level, node.module or "", [alias.name for alias in node.names]))
        # Docstrings do not change results.
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    # Keys of the archive have the hash of the hash.
    digest = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return Code(imports, hashlib.sha256(digest.encode()).hexdigest())


def load(folder: Path) -> None:
    """Remember what earlier runs have parsed: to parse all of nldr takes more than a second."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        content = json.loads((folder / FILE).read_text(encoding="utf-8"))
        for name, (imports, digest) in content.items():
            _remembered[name] = Code([(level, package, n) for level, package, n in imports], digest)


def save(folder: Path) -> None:
    """Write what is remembered, if more was parsed than the file has."""
    file = folder / FILE
    text = json.dumps(_remembered, separators=(",", ":"))
    if not file.is_file() or file.stat().st_size != len(text):
        with atomic(file) as temporary:
            temporary.write_text(text, encoding="utf-8")
