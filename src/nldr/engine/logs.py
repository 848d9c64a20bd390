"""Log files of jobs, and records of how long they took."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path


@contextmanager
def job_log(log: str, records: str, stage: str, cell: str) -> Iterator[None]:
    """Redirect the output of a job to its log file; record its time, or end it with its error.

    Parameters
    ----------
    log : str
        The log file.
    records : str
        The file of durations that the next run's forecast reads.
    stage, cell : str
        Stage and cell of the job.

    Raises
    ------
    SystemExit
        With one line that names the failure; the traceback is in the log.
    """
    # Everything printed goes to the log, the traceback of an error too.
    path = Path(log)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        try:
            yield
        except Exception as error:
            traceback.print_exc()
            raise SystemExit(f"{stage} {cell}: {type(error).__name__}: {error}") from None
    record(records, stage, cell)


def record(records: str, stage: str, cell: str) -> None:
    """Append the age of this process to the file of durations."""
    import psutil

    # The age of the process includes its imports, unlike the duration of the job.
    seconds = time.time() - psutil.Process().create_time()
    with Path(records).open("a", encoding="utf-8") as file:
        file.write(f"{stage}\t{cell}\t{seconds:.2f}\n")
