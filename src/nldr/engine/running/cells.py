"""Run one job: all trials of a cell, each in a child process, and write the manifest of the cell.

A trial that is done is not repeated: its file says what it was made from (``key``). So a job that
was killed goes on where it stopped, and more trials are added to those that exist.
"""

from __future__ import annotations

import fcntl
import functools
import os
import pickle
import resource
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nldr.engine.files import store
from nldr.engine.files.layout import trial_file
from nldr.engine.files.processes import die_with_parent
from nldr.engine.files.status import Status
from nldr.engine.jobs.requests import REPORT_LIMITS, Reply, Request
from nldr.engine.jobs.specs import DataJob, EmbedJob, Limits, ScoresJob
from nldr.engine.running.attempts import Row, located, outcomes, rows_by_trial, was_limited
from nldr.engine.running.children import ChildOutcome, Killed, Lost, Start, Task, run_tasks
from nldr.engine.running.scores import run_scores
from nldr.engine.stages.restored import keep_restored

UNTRUE = "its file is damaged: the method may have changed functions of a library"
PEAK_UNITS = 2**20 if sys.platform == "darwin" else 2**10  # of `ru_maxrss` in a megabyte
# Facts about a trial that its manifest does not repeat; tables need no others from its file.
APART = ("job", "warnings", "wall_seconds", "python", "versions", "commit")


def run(request: Request, start: Start) -> Reply:
    """Run a job in this process and its children, which are forked (warm) or new interpreters."""
    cpu = os.times()
    notes: list[str] = []
    stages: dict[type, Callable[[Request, Start], tuple[int, list[Row]]]] = {
        DataJob: _run_data,
        EmbedJob: _run_embed,
        ScoresJob: functools.partial(run_scores, tell=notes.append),
    }
    computed, error, killed = 0, "", False
    failures: list[Row] = []
    try:
        Path(request.log).unlink(missing_ok=True)
        with _locked(Path(request.manifest).parent):
            if not keep_restored(request):
                computed, failures = stages.get(type(request.job), _run_report)(request, start)
    except store.Damaged as damaged:
        # What is missing is noticed when the next run starts, and made again.
        error = damaged.remove()
    except (Lost, OSError) as lost:
        error, killed = str(lost), isinstance(lost, Killed)
    used = sum(os.times()[:4]) - sum(cpu[:4])
    named = tuple((row["status"], row["message"]) for row in failures)
    peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / PEAK_UNITS
    return Reply(error, killed, computed, named, used, peak_mb, tuple(notes))


def main() -> None:
    """Run the job on standard input and print the reply: the entry point of a new interpreter."""
    die_with_parent()
    reply = run(pickle.load(sys.stdin.buffer), "cold")
    sys.stdout.buffer.write(pickle.dumps(reply))


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other jobs out of a folder: two studies may ask for different trials of a cell."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _run_data(request: Request, start: Start) -> tuple[int, list[Row]]:
    job: DataJob = request.job
    keys = [store.digest_of(job.of_trial(trial)) for trial in range(job.trials)]
    files: list[tuple[()]] = [()] * job.trials
    return _run_trials(request, start, files, keys, {})


def _run_embed(request: Request, start: Start) -> tuple[int, list[Row]]:
    job: EmbedJob = request.job
    source = request.inputs["data"][0]
    sources = rows_by_trial(source, job.trials)
    # The result depends on the content of the data, not on when they were made.
    keys = [
        store.digest_of([job.of_trial(trial), row.get("content")])
        for trial, row in enumerate(sources)
    ]
    # Without data there is nothing to embed.
    failures = {
        trial: {
            "status": row["status"],
            "message": f"dataset: {row['message']}",
            "stage": "data",
            "transient": row.get("transient", False),
        }
        for trial, row in enumerate(sources)
        if not Status(row["status"]).has_result
    }
    files = [(located(source, row),) if "file" in row else () for row in sources]
    return _run_trials(request, start, files, keys, failures)


def _run_trials(
    request: Request,
    start: Start,
    files: Sequence[tuple[Any, ...]],
    keys: Sequence[str],
    failures: Mapping[int, Row],
) -> tuple[int, list[Row]]:
    """Run the trials that are not done yet and write the manifest of all."""
    job = request.job
    threads, exclusive = getattr(job, "threads", 1), getattr(job, "exclusive", False)
    circumstances = {"threads": threads, "exclusive": exclusive, "cores": request.cores}
    common = {"limits": asdict(job.limits), "start": start, "circumstances": circumstances}
    facts = [common | {"key": key} for key in keys]

    def read_row(trial: int) -> Row | None:
        return _done(trial_file(request.manifest, trial), keys[trial], job.limits)

    # Trials of earlier runs.
    rows = dict(failures)
    for trial in range(len(keys)):
        if trial not in rows and (row := read_row(trial)):
            rows[trial] = row
    missing = [trial for trial in range(len(keys)) if trial not in rows]
    # The others, several at once where the job has the cores.
    tasks = []
    for trial in missing:
        path = os.path.abspath(trial_file(request.manifest, trial))
        arguments = (job, trial, *files[trial], path, facts[trial])
        tasks.append(Task(job.runs, arguments, request.imports, job.limits, threads, request.log))
    at_once = 1 if exclusive else max(1, request.threads // threads)
    for trial, outcome in zip(missing, outcomes(request, tasks, start, at_once), strict=True):
        result: Row | None = outcome.value
        if result is not None and "file" in result:
            result = read_row(trial)
            if result is None:
                outcome = outcome._replace(status=Status.ERROR, message=UNTRUE)
        rows[trial] = result or _write_failure(request, trial, outcome, facts[trial])
    ordered = [{"trial": trial, **rows[trial]} for trial in range(len(keys))]
    for row in ordered:
        if "file" in row:
            row["mtime_ns"] = os.stat(trial_file(request.manifest, row["trial"])).st_mtime_ns
    store.write_manifest(request.manifest, key=request.key, parts=request.parts, trials=ordered)
    # A failure of the dataset is counted where it happened.
    lost = [row for row in ordered if not Status(row["status"]).has_result]
    return len(missing), [row for row in lost if "stage" not in row]


def _done(path: Path, key: str, limits: Limits) -> Row | None:
    """Return the row of a trial that an earlier run has made, if it is what is wanted and whole."""
    if not path.is_file():
        return None
    try:
        arrays, meta = store.read_npz(path)
    except store.Damaged:
        return None
    if meta.get("key") != key or meta["content"] != store.content_digest(arrays):
        return None
    # A trial that was ended at a limit is repeated under a larger one.
    if was_limited(meta, limits):
        return None
    facts = {name: value for name, value in meta.items() if name not in APART}
    return store.file_entry(path) | facts


def _write_failure(request: Request, trial: int, outcome: ChildOutcome, facts: Row) -> Row:
    """Write the file of a trial whose child was ended or died, and return its row."""
    failure = {"status": outcome.status, "message": outcome.message, **facts}
    if isinstance(request.job, DataJob):
        return failure
    job = request.job.of_trial(trial)
    meta = store.provenance(job=job, wall_seconds=outcome.seconds, **failure)
    entry = store.write_npz(trial_file(request.manifest, trial), {}, meta)
    return {**entry, **failure}


def _run_report(request: Request, start: Start) -> tuple[int, list[Row]]:
    """Make tables, verdicts, claims or a figure, and write the manifest of their files."""
    outputs = {kind: path for kind, path in request.outputs.items() if kind != "manifest"}
    # Tables must be what they were when they were made.
    for manifest in request.inputs.get("tables", ()):
        for row in store.read_manifest(manifest)["files"]:
            if problem := store.problem_of(row, Path(manifest).parent):
                raise store.Damaged(manifest, f"does not hold: {problem}")
    arguments = (request.job, request.inputs, outputs)
    task = Task(request.job.runs, arguments, request.imports, REPORT_LIMITS, 1, request.log)
    (outcome,) = run_tasks([task], start)
    if outcome.status is not Status.OK:
        raise Lost(f"{outcome.status}: {outcome.message}")
    folder = Path(request.manifest).parent
    files = [
        store.file_entry(path) | {"file": os.path.relpath(path, folder)}
        for path in outputs.values()
    ]
    store.write_manifest(request.manifest, key=request.key, parts=request.parts, files=files)
    return 1, []
