"""Where a job's words go, and how long it took."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from nldr.engine.layout import RECORDS


@contextmanager
def job_log(log: str, stage: str, cell: str) -> Iterator[None]:
    """Send what a job prints to its log file; note its time, or end it with its error.

    Parameters
    ----------
    log : str
        The log file.
    stage, cell : str
        What the job is, for the record that the next run's forecast reads.

    Raises
    ------
    SystemExit
        With one line that says what failed; the traceback is in the log.
    """
    path = Path(log)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        try:
            yield
        except Exception as error:
            traceback.print_exc()
            raise SystemExit(f"{stage} {cell}: {type(error).__name__}: {error}") from None
    record(stage, cell)


def record(stage: str, cell: str) -> None:
    """Note how long this process took."""
    import psutil

    seconds = time.time() - psutil.Process().create_time()
    with Path(RECORDS).open("a", encoding="utf-8") as file:
        file.write(f"{stage}\t{cell}\t{seconds:.2f}\n")
