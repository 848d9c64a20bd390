"""The code that the archive is from, in a temporary worktree beside today's.

It is asked by two commands that must stay as they are: ``nldr archive --fingerprints`` and
``nldr recompute --trials``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nldr.archive.contents import Fingerprints, Trial
from nldr.engine.reading.parsing import PlanError

Result = dict[str, Any]  # ``status`` and ``scores`` of a trial


def compute_twice(
    trials: Mapping[Trial, Sequence[str]], roots: tuple[Path, Path], scale: str, seconds: float
) -> Iterator[tuple[Trial, Result, Result]]:
    """Compute trials by the code in two folders at the same time, until the time is over.

    ``trials`` have the names of their scorings; ``roots`` are the project's folder with the former
    code, and that with today's. Yields each trial with its result by both.
    """
    end, rest = time.monotonic() + seconds, dict(trials)
    while rest and (remaining := end - time.monotonic()) > 0:
        for trial, before, now in _compute_both(rest, roots, scale, remaining):
            yield trial, before, now
            del rest[trial]
        if rest:
            # The trial that ended a process, or the time, is left out.
            del rest[next(iter(rest))]


def _compute_both(
    trials: Mapping[Trial, Sequence[str]], roots: tuple[Path, Path], scale: str, seconds: float
) -> Iterator[tuple[Trial, Result, Result]]:
    """Compute trials until one of the two processes ends."""
    with tempfile.TemporaryDirectory(prefix="nldr-") as folder:
        request = Path(folder) / "trials.json"
        jobs = [asdict(trial) | {"scorings": list(names)} for trial, names in trials.items()]
        request.write_text(json.dumps(jobs), encoding="utf-8")
        processes = [
            _start(root, "recompute", "--scale", scale, "--trials", str(request)) for root in roots
        ]
        timer = threading.Timer(min(seconds, 1e6), _end, [processes])
        timer.daemon = True
        timer.start()
        try:
            for trial in list(trials):
                lines = [process.stdout.readline() for process in processes if process.stdout]
                if not all(lines):
                    return
                yield trial, *map(json.loads, lines)
        finally:
            timer.cancel()
            _end(processes)


def _end(processes: Sequence[subprocess.Popen]) -> None:
    for process in processes:
        process.terminate()
        process.wait()


def _start(root: Path, *arguments: str) -> subprocess.Popen:
    """Start a command of the code in a folder, whose output is lines of JSON."""
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    return subprocess.Popen(
        [sys.executable, "-m", "nldr", *arguments],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def fingerprints_of(root: Path, scale: str) -> Fingerprints:
    """Return the fingerprints of all cells by the code in a folder.

    Raises
    ------
    PlanError
        If that code cannot tell them.
    """
    process = _start(root, "archive", "--scale", scale, "--fingerprints")
    output, _ = process.communicate()
    if process.returncode:
        raise PlanError(f"{root}: the former code did not print its fingerprints: run it there")
    return Fingerprints(**json.loads(output))


@contextmanager
def worktree(root: Path, commit: str) -> Iterator[Path]:
    """Check out a commit in a temporary folder, and yield the project's folder in it.

    Raises
    ------
    PlanError
        If git fails, or the clone lacks the commit.
    """
    try:
        git(root, "cat-file", "-e", f"{commit}^{{commit}}")
    except PlanError:
        raise PlanError(
            f"this clone lacks commit {commit[:12]}, to compare with: run git fetch --unshallow"
        ) from None
    with tempfile.TemporaryDirectory(prefix="nldr-") as folder:
        tree = Path(folder) / "tree"
        prefix = git(root, "rev-parse", "--show-prefix")
        git(root, "worktree", "add", "--detach", str(tree), commit)
        try:
            yield tree / prefix
        finally:
            git(root, "worktree", "remove", "--force", str(tree))


def git(root: Path, *arguments: str) -> str:
    """Run git in a folder and return what it prints.

    Raises
    ------
    PlanError
        If git is missing or fails.
    """
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    except OSError as error:
        raise PlanError(f"git is needed to find the former code: {error}") from None
    if done.returncode:
        raise PlanError(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout.strip()
