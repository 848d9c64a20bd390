"""The definitions of a module and what each of them refers to: the units of a fingerprint.

A reference that cannot be resolved to one definition stands for the whole module.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

Reference = tuple[str, str]  # a module, and a name in it or one of the two below
WHOLE = "*"  # all of the module
BASE = ""  # what runs when the module is imported, definitions left out
Bindings = Callable[[ast.AST], Iterable[tuple[str, Reference]]]

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
MODULE_NAMES = {*dir(builtins), "__file__", "__spec__", "__path__"}
DYNAMIC = {"globals", "eval", "exec"}  # which may refer to anything


@dataclass(frozen=True)
class Piece:
    """A statement at the top of a module.

    Attributes
    ----------
    code : str
        Hash of its syntax tree.
    names : set of (str, str)
        Names that it uses, each with the attribute that is taken of it or an empty text.
    bound : set of str
        Names that it binds, parameters and local variables included.
    imports : list of Reference
        What it imports itself.
    """

    code: str
    names: set[tuple[str, str]]
    bound: set[str]
    imports: list[Reference]


def strip_docstrings(tree: ast.Module) -> None:
    """Remove the docstrings from a syntax tree: they do not change results."""
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]


class Definitions:
    """The statements at the top of a module, by the names that they define.

    Parameters
    ----------
    tree : ast.Module
        The module.
    bindings : callable
        Yields the names that an import binds with what they stand for, and the references of a
        text that is an import path, with an empty name.
    """

    def __init__(self, tree: ast.Module, bindings: Bindings) -> None:
        strip_docstrings(tree)
        self.defined: dict[str, list[Piece]] = {}
        self.imported: dict[str, list[Reference]] = {}
        self.always: list[Piece] = []
        self.ambiguous = {n for node in ast.walk(tree) if isinstance(node, ast.Global)
                          for n in node.names}  # fmt: skip
        decorated = []
        for statement in _statements(tree.body):
            names = _defined_names(statement)
            if isinstance(statement, ast.Import | ast.ImportFrom):
                for name, target in bindings(statement):
                    self.imported.setdefault(name, []).append(target)
            elif names:
                piece = _read(statement, bindings)
                for name in names:
                    self.defined.setdefault(name, []).append(piece)
                decorated += [(d, piece) for d in getattr(statement, "decorator_list", [])]
            else:
                self.always.append(_read(statement, bindings))
        # A decorator of ours may register what it decorates.
        for decorator, piece in decorated:
            if any(self._is_ours(node) for node in ast.walk(decorator)):
                self.always.append(piece)

    def _is_ours(self, node: ast.AST) -> bool:
        """Return whether a node is a name that is defined here or imported from our sources."""
        if not isinstance(node, ast.Name):
            return False
        targets = self.imported.get(node.id, [])
        ours = __name__.partition(".")[0]
        return node.id in self.defined or any(m.partition(".")[0] == ours for m, _ in targets)

    def expand(self, module: str, name: str) -> tuple[list[str], list[Reference]]:
        """Return the code behind a name of this module and all that it refers to directly.

        Parameters
        ----------
        module : str
            Dotted name of this module.
        name : str
            A name, ``<name of an imported module>.<attribute>``, :data:`WHOLE` or :data:`BASE`.
        """
        if name == BASE:
            runs = [(target, BASE) for target, _ in chain(*self.imported.values())]
            return [p.code for p in self.always], [*self._follow(module, self.always), *runs]
        if name == WHOLE:
            return self._expand_whole(module)
        local, _, attribute = name.partition(".")
        pieces, targets = self.defined.get(local, []), self.imported.get(local, [])
        always = any(local in piece.bound for piece in self.always if piece not in pieces)
        if local in self.ambiguous or len(pieces) + len(targets) + always != 1:
            # It may also be a module of this package that another one has imported.
            return [], [(module, WHOLE), (f"{module}.{local}", WHOLE)]
        if targets:
            (target,) = targets
            followed = (target[0], attribute) if attribute else target
            return [f"{local} = {target}"], [followed]
        return [p.code for p in pieces], list(self._follow(module, pieces))

    def _expand_whole(self, module: str) -> tuple[list[str], list[Reference]]:
        pieces = [*self.always, *chain(*self.defined.values())]
        used = {name for piece in pieces for name, _ in piece.names}
        followed = list(self._follow(module, pieces))
        # Imports that nothing here uses may be meant for others.
        for name, targets in self.imported.items():
            if name not in used or len(targets) > 1 or name in self.defined:
                followed += targets
        imports = [f"{name} = {targets}" for name, targets in self.imported.items()]
        return [*(p.code for p in pieces), *imports], followed

    def _follow(self, module: str, pieces: Iterable[Piece]) -> Iterator[Reference]:
        """Yield what pieces refer to; an unknown name stands for the whole module."""
        always = {name for piece in self.always for name in piece.bound}
        for piece in pieces:
            yield from piece.imports
            known = MODULE_NAMES | piece.bound | always
            for name, attribute in piece.names:
                targets = self.imported.get(name, [])
                if len(targets) == 1 and targets[0][1] == WHOLE and name not in self.defined:
                    yield module, f"{name}.{attribute}" if attribute else name
                elif targets or name in self.defined or name in self.ambiguous:
                    yield module, name
                elif name in DYNAMIC or name not in known:
                    yield module, WHOLE


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, also those for type checkers, but no mere texts."""
    for node in body:
        test = node.test if isinstance(node, ast.If) else None
        if isinstance(test, ast.Name) and test.id == "TYPE_CHECKING":
            yield from node.body  # type: ignore[attr-defined]
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield node


def _defined_names(statement: ast.stmt) -> list[str]:
    """Return the names that a definition or assignment binds, none for other statements."""
    if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
        targets = [statement.target]
    elif type(statement).__name__ == "TypeAlias":  # of Python 3.12
        targets = [statement.name]  # type: ignore[attr-defined]
    else:
        return []
    # Anything but names, such as an item of a dictionary, is a side effect.
    parts = [e for t in targets for e in (t.elts if isinstance(t, ast.Tuple | ast.List) else [t])]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) else []


def _read(statement: ast.stmt, bindings: Bindings) -> Piece:
    """Return a statement with all names in it."""
    names: set[tuple[str, str]] = set()
    bound: set[str] = set()
    imports: list[Reference] = []
    taken: set[int] = set()  # names of which an attribute is taken
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names.add((node.value.id, node.attr))
            taken.add(id(node.value))
        elif isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                bound.add(node.id)
            if id(node) not in taken:
                names.add((node.id, ""))
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom | ast.Constant):
            for name, target in bindings(node):
                bound.add(name)
                imports.append(target)
        else:
            # Functions, classes, handlers, patterns and type parameters.
            named = (getattr(node, "name", None), getattr(node, "rest", None))
            bound.update(name for name in named if isinstance(name, str))
    code = hashlib.sha256(ast.dump(statement).encode()).hexdigest()
    return Piece(code, names, bound, imports)
