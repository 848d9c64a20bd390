"""Find results that are not what the plan asks for.

A manifest says what its files were made from and what they contain. For one that does not hold, the
rules of Snakemake have one input more, a file that is named after the reason and newer than the
result; so Snakemake makes it again, with all that depends on it. Trials that are still valid stay.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from nldr.engine.code.fingerprint import Closure, source_of
from nldr.engine.files.layout import STATE
from nldr.engine.files.store import Damaged, digest_of, problem_of, read_manifest
from nldr.engine.planning.plan import Job, Plan
from nldr.engine.planning.results import Result, planned_results
from nldr.engine.stages.restored import is_restored, lacks_points

CHANGED = "code_or_parameters_changed"
DAMAGED = "manifest_damaged"
FILES = "files_missing_or_changed"
INPUTS = "inputs_missing"
TRANSIENT = "failure_that_may_have_passed"
POINTS = "points_needed_that_the_archive_lacks"
CODE = 16  # digits of a fingerprint
DIGITS = 8  # of the digest of a part
SHOWN = 3  # changes that are named; the others are counted
Parts = dict[str, dict[str, str]]


class Problem(NamedTuple):
    """Why results must be made again: one of the reasons above, and its detail if there is any."""

    reason: str
    detail: str = ""

    @property
    def changes(self) -> str:
        """Name of the code or parameters that have changed, if they are known."""
        return self.detail if self.reason == CHANGED else ""


def key_of(job: Job) -> str:
    """Return the digest of a job, which the manifest of its results keeps."""
    return digest_of(asdict(job))


def problem_with(plan: Plan, result: Result, thorough: bool) -> Problem | None:
    """Return why a result must be made again, or None."""
    try:
        manifest = read_manifest(result.path)
    except Damaged as damaged:
        return Problem(DAMAGED, str(damaged))
    job = plan.job(result.step)
    if manifest.get("key") != key_of(job):
        parts = manifest.get("parts")
        changes = differences(parts, parts_of(job, plan.catalog.code)) if parts else []
        return Problem(CHANGED, summarize(changes))
    rows = manifest.get("trials", manifest.get("files", []))
    if any(row.get("transient") for row in rows):
        return Problem(TRANSIENT)
    if missing := next((path for path in result.inputs if not Path(path).is_file()), None):
        return Problem(INPUTS, missing)
    folder = Path(result.path).parent
    listed = [row for row in rows if "file" in row]
    if "restored" in manifest:
        # Points that the archive no longer keeps are not missed before they are needed.
        listed = [row for row in listed if (folder / row["file"]).is_file()]
    problems = filter(None, (problem_of(row, folder, thorough) for row in listed))
    return next((Problem(FILES, problem) for problem in problems), None)


def find_problems(
    plan: Plan, targets: Collection[str] = (), thorough: bool = False
) -> dict[str, Problem]:
    """Return the manifests whose results must be made again, each with the reason.

    Results that do not exist yet are none of them. ``targets`` are the files and rules that are
    asked for; none stands for everything. Only files whose time or size has changed are read, all
    of them if ``thorough``.
    """
    problems: dict[str, Problem] = {}
    results = planned_results(plan, targets)
    for result in results:
        # For Snakemake a pipe or a link to a device exists, too
        exists = any(Path(file).exists() for file in (result.path, result.output) if file)
        if exists and (problem := problem_with(plan, result, thorough)):
            problems[result.path] = problem
    return problems | dict.fromkeys(_points_needed(results, problems), Problem(POINTS))


def _points_needed(results: Sequence[Result], problems: Collection[str]) -> set[str]:
    """Return restored manifests whose points, which the archive lacks, a job is going to read.

    `nldr restore` restores scores without points. These are missed only if a job runs that reads
    them, such as that of a new metric; then the embedding is computed again.
    """

    def can_be_read(path: str) -> bool:
        return path not in problems and Path(path).is_file()

    needed: set[str] = set()
    # From the last job to the first: one that runs needs points, so another one runs.
    for result in reversed(results):
        if result.path in needed or (result.is_asked and not can_be_read(result.path)):
            needed |= {path for path in result.points if can_be_read(path) and is_restored(path)}
            needed |= {path for path in result.panels if can_be_read(path) and lacks_points(path)}
    return needed


def tell_changes(problems: Mapping[str, Problem]) -> list[str]:
    """Return one line for each reason why results are out of date, the most frequent first."""
    words = Counter(
        f"{problem.changes} changed" if problem.changes else problem.reason.replace("_", " ")
        for problem in problems.values()
    )
    return [f"{n} result(s) out of date: {why}" for why, n in words.most_common()]


def mark(problems: Mapping[str, Problem]) -> dict[str, str]:
    """Write a file for each reason, newer than all results; return it for each manifest."""
    # Snakemake takes an input for unchanged if it had the same content the last time.
    content = str(time.time_ns())
    markers = {}
    for path, problem in problems.items():
        marker = Path(STATE) / "reasons" / problem.reason
        # Snakemake shows the name of the file as its reason.
        if problem.changes:
            marker = marker.with_name("changed") / re.sub(r"[^\w.+/-]+", "_", problem.changes)
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(content, encoding="ascii")
        markers[path] = str(marker)
    return markers


def parts_of(job: Any, code: Mapping[str, Closure]) -> Parts:
    """Return a digest or version of each field of a job, and of the code behind it, by kind."""
    parts: Parts = {"fields": dict(_fields("", asdict(job))), "modules": {}, "packages": {}}
    for name, value in parts["fields"].items():
        # A field of code has one fingerprint or several, joined.
        for start in range(0, len(value), CODE) if _is_code(name) else ():
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
        # An entry that a user has named "code" is no fingerprint.
        is_fingerprint = _is_code(name) and isinstance(value, str)
        yield name, value if is_fingerprint else digest_of(value)[:DIGITS]


def _is_code(name: str) -> bool:
    return name.rpartition(".")[2] == "code"


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
        fields = [name for name in fields if not _is_code(name)]
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
    """Return changes as a short text."""
    more = len(changes) - SHOWN
    return ", ".join(changes[:SHOWN]) + (f" and {more} more" if more > 0 else "")
