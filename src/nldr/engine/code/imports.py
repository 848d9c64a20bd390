"""Objects named by import paths, and a cache of their signatures."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from nldr.engine.code import parsed
from nldr.engine.files.processes import die_with_parent
from nldr.engine.files.store import atomic


def import_object(path: str) -> Any:
    """Import ``package.module.name``; raise ImportError if there is no such module or name."""
    module, _, name = path.rpartition(".")
    if not module:
        raise ImportError(f"'{path}' is not an import path: write package.module.name")
    # The import error of a missing name tells it apart from a missing module.
    try:
        return getattr(importlib.import_module(module), name)
    except AttributeError:
        raise ImportError(f"module '{module}' has no '{name}'") from None


def import_modules(names: Iterable[str]) -> None:
    """Import modules; one that cannot be imported is left to the code that uses it."""
    for name in names:
        if name not in sys.modules:
            with suppress(Exception):
                importlib.import_module(name)


# Packages that every job needs, or that are imported in no time.
SHARED = {"numpy", "pandas", "scipy", "sklearn", "psutil", "threadpoolctl", "joblib", "nldr"}


def group_of(modules: Iterable[str]) -> str | None:
    """Return a name for the packages among modules that only some jobs need, None without any.

    Examples
    --------
    >>> group_of(["numpy", "sklearn.manifold"])
    >>> group_of(["numpy", "optax", "jax.numpy"])
    'jax+optax'
    """
    packages = {module.partition(".")[0] for module in modules} - SHARED
    return "+".join(sorted(packages)) or None


@dataclass(frozen=True)
class Signature:
    """Parameters of a class or function."""

    parameters: list[str]  # names of the parameters
    defaults: dict[str, int] = field(default_factory=dict)  # default values that are whole numbers
    numbers: list[str] = field(default_factory=list)  # parameters that only take numbers
    open: bool = False  # whether it accepts any other keyword
    estimator: bool = False  # whether it is a class with ``get_params`` and ``fit_transform``
    transforms: bool = False  # whether it has ``transform`` too
    transforms_jointly: bool = False  # whether those of new points depend on each other
    missing: bool = False  # whether it takes data with missing values, as NaN
    error: str | None = None  # reason why it cannot be imported


IMPORT_SECONDS = 30
AWAKE = 0.02  # CPU seconds of a second in which a process computes
METHODS = ("get_params", "fit_transform", "transform")


def describe(path: str) -> Signature:
    """Import an object and return its signature, or the error of an import that fails."""
    try:
        target = import_object(path)
    except (Exception, SystemExit) as error:  # an import may fail in any way
        return Signature([], error=f"{type(error).__name__}: {error}")
    if not callable(target):
        return Signature([], error=f"{path} is not a class or function")
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except ValueError as error:
        return Signature([], error=str(error))
    # An estimator is recognized by its methods: any scikit-learn class will do.
    methods = {name for name in METHODS if inspect.isclass(target) and hasattr(target, name)}
    # Classes check their parameters themselves, and many of their numbers may be None
    numbers = () if inspect.isclass(target) else (int, float, "int", "float")
    depends_on_other_rows, takes_missing = _tags_of(target) if methods else (False, False)
    return Signature(
        parameters=[p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)],
        defaults={p.name: p.default for p in parameters if type(p.default) is int},
        numbers=[p.name for p in parameters if type(p.default) is int or p.annotation in numbers],
        open=any(p.kind == p.VAR_KEYWORD for p in parameters),
        estimator={"get_params", "fit_transform"} <= methods,
        transforms="transform" in methods,
        transforms_jointly="transform" in methods and depends_on_other_rows,
        missing=takes_missing,
    )


def _tags_of(estimator: type) -> tuple[bool, bool]:
    """Return whether a row has other coordinates among other rows, and may lack values."""
    from sklearn.utils import get_tags

    with suppress(Exception):  # without defaults, or without tags
        tags = get_tags(estimator())
        return bool(tags.non_deterministic), bool(tags.input_tags.allow_nan)
    return False, False


class Importer:
    """A process that imports objects for this one, which no module can then stop, delay or fill."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def describe(self, path: str) -> Signature:
        """Return the signature of an object, or why it cannot be imported."""
        process = self._process = self._process or _start_importer()
        with suppress(BrokenPipeError):
            print(path, file=process.stdin, flush=True)
        ready = _waits(process)
        answer = process.stdout.readline() if ready and process.stdout else ""
        if answer:
            return Signature(**json.loads(answer))
        self.close()
        why = "its module ends the process" if ready else f"this takes more than {IMPORT_SECONDS} s"
        return Signature([], error=why)

    def close(self) -> None:
        """End the process; another import starts one again."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _waits(process: subprocess.Popen[str]) -> bool:
    """Return whether a process answers before it has used, or slept, the time for an import."""
    # A busy machine has the time that it needs: seconds in which it stands still count as neither.
    start = used = _cpu_seconds(process)
    slept = 0
    while slept < IMPORT_SECONDS and used - start < IMPORT_SECONDS:
        if wait([process.stdout], 1):  # type: ignore[list-item]
            return True
        before, used = used, _cpu_seconds(process)
        slept += used - before < AWAKE
    return False


def _cpu_seconds(process: subprocess.Popen[str]) -> float:
    import psutil

    try:
        return float(sum(psutil.Process(process.pid).cpu_times()[:2]))
    except psutil.NoSuchProcess:
        return 0.0


def _start_importer() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import serve; serve()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def serve() -> None:
    """Describe each object that standard input names, as a line of JSON."""
    die_with_parent()
    # What modules read and print is kept apart.
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(null, standard)
    for line in questions:
        print(json.dumps(asdict(describe(line.strip()))), file=answers, flush=True)


_KEYS = {field.name for field in fields(Signature)}


class SignatureCache:
    """Signatures by import path and fingerprint, kept in a file between runs.

    Importing every estimator of the catalog takes seconds, and a signature changes only with its
    code. Failed imports are never kept.
    """

    def __init__(self, path: Path, fingerprint: Callable[[str], str]) -> None:
        self._path, self._fingerprint = path, fingerprint
        self._importer = Importer()
        parsed.load(path.parent)
        try:
            self._known = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self._known = {}
        self._changed = False

    def __getitem__(self, path: str) -> Signature:
        # The fingerprint makes a changed class a new key.
        key = f"{path} {self._fingerprint(path)}"
        # A file of an earlier version lacks keys.
        if self._known.get(key, {}).keys() != _KEYS:
            signature = self._importer.describe(path)
            if signature.error is not None:
                return signature
            self._known[key] = asdict(signature)
            self._changed = True
        return Signature(**self._known[key])

    def save(self) -> None:
        """Write the file if there is a new signature, and what was parsed for fingerprints."""
        self._importer.close()
        parsed.save(self._path.parent)
        if self._changed:
            with atomic(self._path) as temporary:
                temporary.write_text(json.dumps(self._known, indent=1), encoding="utf-8")
