"""Name the module, package or parameter that has changed since a result was made.

The digest of a job says that something changed, but not what. So each job that is run leaves the
digests of its parts in a file of the run's state, with those of the modules behind a fingerprint.
Without that file results are made again just as well, but no one can say why.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nldr.engine.code.fingerprint import Closure, source_of
from nldr.engine.files.layout import STATE
from nldr.engine.files.store import digest_of

HISTORY = Path(STATE) / "made.jsonl"
CODE = 16  # digits of a fingerprint
SHOWN = 3  # changes that are named; the others are counted


class History:
    """The parts of jobs that were run, kept in a file of one line per job.

    Parameters
    ----------
    path : Path
        The file.

    Examples
    --------
    >>> from dataclasses import make_dataclass
    >>> Job = make_dataclass("Job", ["name", "params"])
    >>> made = {"parts": parts_of(Job("isomap", {"k": 5}))}
    >>> History(Path("made.jsonl")).differences(made, Job("isomap", {"k": 6}), {})
    ['params.k']
    """

    def __init__(self, path: Path = HISTORY) -> None:
        self._path = path
        self._jobs: dict[str, dict[str, Any]] = {}
        self._code: dict[str, dict[str, dict[str, str]]] = {}
        with suppress(OSError):
            for line in path.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError, LookupError, TypeError):
                    self._take(json.loads(line))

    def _take(self, entry: dict[str, Any]) -> None:
        if "manifest" in entry:
            self._jobs[entry["manifest"]] = entry
        else:
            self._code[entry["code"]] = entry

    def add(self, manifest: str, key: str, job: Any, code: Mapping[str, Closure]) -> None:
        """Keep the parts of a job that was run, and the modules behind its fingerprints."""
        # One line for the job, and one for each fingerprint that is new.
        parts = parts_of(job)
        entries: list[dict[str, Any]] = [{"manifest": manifest, "key": key, "parts": parts}]
        for found in set(_fingerprints(parts)) & code.keys() - self._code.keys():
            modules = {name: digest[:CODE] for name, digest in code[found].sources.items()}
            packages = code[found].distributions
            entries.append({"code": found, "modules": modules, "packages": packages})
        for entry in entries:
            self._take(entry)
        with suppress(OSError):  # without it, reasons are told less precisely
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(entry) + "\n" for entry in entries)

    def explain(self, manifest: str, key: str, job: Any, code: Mapping[str, Closure]) -> list[str]:
        """Return what has changed since a manifest was written; nothing where that is not known.

        Parameters
        ----------
        manifest, key : str
            The manifest and the digest of the job that made it.
        job : object
            The job as it is now.
        code : mapping of str to Closure
            The code behind the fingerprints of today.
        """
        made = self._jobs.get(manifest)
        if made is None or made["key"] != key:
            return []
        return self.differences(made, job, code)

    def differences(self, made: Mapping[str, Any], job: Any, code: Mapping[str, Closure]
                    ) -> list[str]:  # fmt: skip
        """Return the names of modules, packages and parts in which a job differs from one made."""
        old, new = made["parts"], parts_of(job)
        found: list[str] = []
        for name in sorted({*old, *new}):
            if old.get(name) == new.get(name):
                continue
            # Of two fingerprints the modules behind them are compared.
            if name.endswith("code") and name in old and name in new:
                changes = list(self._code_differences(old[name], new[name], code))
            else:
                changes = [name]
            found += [change for change in changes if change not in found]
        return found

    def _code_differences(self, old: str, new: str, code: Mapping[str, Closure]) -> Iterator[str]:
        """Yield the files and packages in which two fingerprints differ."""
        known = [self._code[part] for part in _split(old) if part in self._code]
        today = [code[part] for part in _split(new) if part in code]
        if len(known) < len(_split(old)) or len(today) < len(_split(new)):
            yield "code"
            return
        # Our modules by their code, then packages by version.
        before = {k: v for entry in known for k, v in entry["modules"].items()}
        now = {k: v[:CODE] for closure in today for k, v in closure.sources.items()}
        yield from (_file_of(name) for name in _changed(before, now))
        packages = {k: v for entry in known for k, v in entry["packages"].items()}
        installed = {k: v for closure in today for k, v in closure.distributions.items()}
        for name in _changed(packages, installed):
            yield f"{name} {packages.get(name, 'none')} to {installed.get(name, 'none')}"


def parts_of(job: Any) -> dict[str, str]:
    """Return a digest for each field of a job, each parameter and each part that has a name.

    Fields of fingerprints keep them.
    """
    return dict(_parts("", asdict(job)))


def _parts(where: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value and where.count(".") < 3:
        for key, inner in value.items():
            yield from _parts(f"{where}.{key}".removeprefix("."), inner)
    elif isinstance(value, list) and all(isinstance(v, dict) and "name" in v for v in value):
        for inner in value:
            yield from _parts(f"{where}.{inner['name']}", inner)
    else:
        yield where, value if where.endswith("code") else digest_of(value)


def _fingerprints(parts: Mapping[str, str]) -> Iterator[str]:
    for name, value in parts.items():
        if name.endswith("code"):
            yield from _split(value)


def _split(code: str) -> list[str]:
    """Return the fingerprints of a job that has several, joined."""
    return [code[start : start + CODE] for start in range(0, len(code), CODE)]


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
