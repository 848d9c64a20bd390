"""Files of trials and outcomes of tasks, which all stages of a job share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nldr.engine.files.status import Status
from nldr.engine.files.store import read_manifest
from nldr.engine.jobs.requests import Request
from nldr.engine.jobs.specs import DataJob, Limits
from nldr.engine.running.children import ChildOutcome, Start, Task, run_tasks

Row = dict[str, Any]
ATTEMPTS = 3  # to run a job whose process is lost
FATAL = f"the process of its job was ended in {ATTEMPTS} of {ATTEMPTS} attempts"


def outcomes(
    request: Request, tasks: Sequence[Task], start: Start, at_once: int = 1
) -> Iterator[ChildOutcome]:
    """Run the tasks of a job and yield their outcomes in order.

    If the process of the job was ended in each attempt (``request.blamed``), the first task, with
    which the last attempt began, is blamed: it fails without being run, and the others are run.
    """
    # Trials of a dataset are all blamed: a failed one leaves no file by which the next attempt
    # would skip it.
    blamed = (len(tasks) if isinstance(request.job, DataJob) else 1) if request.blamed else 0
    yield from [ChildOutcome(None, Status.ERROR, FATAL, 0.0)] * min(blamed, len(tasks))
    yield from run_tasks(tasks[blamed:], start, at_once)


def was_limited(row: Row, limits: Limits) -> bool:
    """Return whether a trial or score was ended at a limit that is larger today."""
    past = row.get("limits", {})
    larger = any(value > past.get(name, 0) for name, value in asdict(limits).items())
    return larger and row["status"] in (Status.TIMEOUT, Status.OUT_OF_MEMORY)


def rows_by_trial(manifest: str, trials: int) -> list[Row]:
    """Return one row per trial; a dataset without random numbers has the same in each."""
    rows = read_manifest(manifest)["trials"]
    return rows if len(rows) > 1 else rows * trials


def located(manifest: str, row: Mapping[str, Any]) -> tuple[str, str]:
    """Return path and SHA-256 of the file of a trial; a method may change the current folder."""
    return os.path.abspath(Path(manifest).with_name(row["file"])), row["sha256"]
