"""Compute one embedding in a child process under enforced limits of time and memory.

The child runs :mod:`nldr.engine.jobs.worker`. Whatever happens to it, a file is written in the
end: the embedding, or the status and message of its failure.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, cast

from nldr.engine.jobs import worker
from nldr.engine.jobs.specs import EmbedJob
from nldr.engine.status import Status
from nldr.engine.store import atomic, provenance, write_npz

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NPROC",  # of XLA
)
Failure = tuple[Status, str]


def run_embedding(job: EmbedJob, data: Path, output: Path, log: Path) -> None:
    """Compute one embedding and write it to ``output``.

    Parameters
    ----------
    job : EmbedJob
        Estimator, parameters and limits.
    data, output, log : Path
        The dataset's file, the file to write, and the file for all that the child prints.
    """
    # Thread counts must be set before the child imports a numerical library.
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(job.threads))
    environment["PYTHONHASHSEED"] = "0"
    with atomic(output) as temporary, log.open("wb") as log_file:
        child = subprocess.Popen(
            [sys.executable, "-m", worker.__name__],
            stdin=subprocess.PIPE, stdout=log_file, stderr=log_file,
            env=environment, start_new_session=True,
        )  # fmt: skip
        started = time.monotonic()
        try:
            # The open pipe also tells the child that this process lives.
            files = {"data": str(data), "output": str(temporary)}
            pipe = cast(IO[bytes], child.stdin)
            pipe.write(json.dumps({"job": asdict(job), **files}).encode() + b"\n")
            pipe.flush()
            failure = _watch(child, job.seconds, job.memory_mb)
        except BrokenPipeError:
            # The child ended before it could read its job.
            failure = _died(child.wait())
        finally:
            _kill(child)
        if failure is None and not temporary.is_file():
            failure = (Status.ERROR, "the process ended without a result")
        if failure is not None:
            status, message = failure
            seconds = time.monotonic() - started
            facts = {"status": status, "message": message, "wall_seconds": seconds}
            write_npz(temporary, {}, provenance(job=asdict(job), **facts))


def _watch(child: subprocess.Popen, seconds: float, memory_mb: float) -> Failure | None:
    """Wait for the child and end it at a limit; return status and message if it failed."""
    import psutil

    process = psutil.Process(child.pid)
    runner = int(os.environ.get("NLDR_RUN_PID", 0))
    deadline = time.monotonic() + seconds
    pause = 0.01
    while True:
        # Wait a little longer each time: short fits end at once, long ones cost nothing.
        try:
            code = child.wait(timeout=pause)
            return None if code == 0 else _died(code)
        except subprocess.TimeoutExpired:
            pause = min(0.2, pause * 1.2)
        if time.monotonic() > deadline:
            return Status.TIMEOUT, f"ended at its limit of {seconds:g} s"
        if _memory(process) > memory_mb * 2**20:
            return Status.OUT_OF_MEMORY, f"ended at its limit of {memory_mb:g} MB"
        # A run that was killed cannot end its jobs, so they look for it.
        if runner and not psutil.pid_exists(runner):
            _kill(child)
            raise SystemExit("the run that asked for this embedding is gone")


def _memory(process: Any) -> int:
    """Return the resident memory of a process and its children in bytes."""
    import psutil

    # Children that end while they are counted do not matter.
    total = 0
    try:
        for member in [process, *process.children(recursive=True)]:
            total += member.memory_info().rss
    except psutil.NoSuchProcess:
        pass
    return total


def _died(code: int) -> Failure:
    """Return status and message for the exit code of a child that failed."""
    if code == -signal.SIGKILL:
        return Status.OUT_OF_MEMORY, "killed from outside, most likely for lack of memory"
    if code < 0:
        return Status.ERROR, f"the process died of {signal.Signals(-code).name}"
    return Status.ERROR, f"the process ended with code {code} and no result"


def _kill(child: subprocess.Popen) -> None:
    """End the child and all processes of its session."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    with suppress(BrokenPipeError):
        cast(IO[bytes], child.stdin).close()
