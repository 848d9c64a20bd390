"""Settings of Snakemake that its command line does not offer.

To start a job, Snakemake looks at every job that is ready, which takes longer than most jobs when
thousands are; its limit on jobs per second starts a thread for each look. It prints several lines
per job. An error of printing, as when the reader of a pipe is gone, leaves it waiting forever.

The objects that are changed here are not public. If a later version has none of them, the run ends
with an error that names the version that was tested; results are the same without the changes.
"""

from __future__ import annotations

import heapq
import inspect
import logging
import os
import sys
from collections.abc import Callable, Collection
from importlib.metadata import version
from typing import Any, TextIO

from snakemake.exceptions import WorkflowError

TESTED = "9.27.1"  # the version of Snakemake whose objects are changed here
SHORTLIST = 64  # jobs with the highest priority among which the scheduler chooses
TERMINAL = "DefaultStreamHandler"  # name of the handler that prints to the terminal
JOB_FAILED = "JobFailed in file"  # errors of jobs, which the progress display has reported


class _Lasting:
    """A stream that goes nowhere once its reader is gone, instead of raising an error."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, or nothing if nobody reads it."""
        self._try(self._stream.write, text)
        return len(text)

    def flush(self) -> None:
        """Write what is buffered, or nothing if nobody reads it."""
        self._try(self._stream.flush)

    def _try(self, action: Callable[..., object], *arguments: str) -> None:
        try:
            action(*arguments)
        except OSError:
            with open(os.devnull, "wb") as null:
                os.dup2(null.fileno(), self._stream.fileno())


def outlive_readers(logger: logging.Logger) -> None:
    """Let the run go on without messages once the terminal or pipe that shows them is closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name) or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        lasting = _Lasting(stream)
        setattr(sys, name, lasting)
        for handler in logger.handlers:
            if getattr(handler, "stream", None) is stream:
                handler.setStream(lasting)  # type: ignore[attr-defined]


def silence(logger: logging.Logger) -> None:
    """Keep Snakemake's messages about single jobs out of the terminal; its log file has them."""
    try:
        from snakemake_interface_logger_plugins.common import LogEvent

        job_error = LogEvent.JOB_ERROR
    except (ImportError, AttributeError):
        raise _gone("LogEvent.JOB_ERROR") from None
    terminals = [handler for handler in logger.handlers if handler.name == TERMINAL]
    # Those of plugins print nothing: they stand behind a queue.
    streams = [h for h in logger.handlers if isinstance(h, logging.StreamHandler)]
    if not terminals and any(not isinstance(h, logging.FileHandler) for h in streams):
        raise _gone(f"handler of messages called {TERMINAL}")

    def is_news(record: logging.LogRecord) -> bool:
        # Warnings, errors that are not of a job, and that all is built
        text = record.getMessage() if record.msg else ""
        if getattr(record, "event", None) == job_error:
            return False
        if record.levelno >= logging.WARNING:
            return JOB_FAILED not in text and not text.startswith("Exiting because a job")
        return text.startswith("Nothing to be done")

    for handler in terminals:
        handler.addFilter(is_news)


def speed_up_scheduler() -> None:
    """Let Snakemake choose among the ready jobs of highest priority only, as often as it likes."""
    try:
        from snakemake.scheduling.job_scheduler import JobScheduler

        choose = JobScheduler.job_selector
    except (ImportError, AttributeError):
        raise _gone("JobScheduler.job_selector") from None
    if list(inspect.signature(choose).parameters) != ["self", "jobs"]:
        raise _gone("JobScheduler.job_selector(self, jobs)")

    def choose_from_shortlist(self: Any, jobs: Collection[Any]) -> Any:
        if not hasattr(self, "job_rate_limiter"):
            raise _gone("JobScheduler.job_rate_limiter")
        self.job_rate_limiter = None
        first = heapq.nlargest(SHORTLIST, jobs, key=lambda job: job.priority)
        return choose(self, first)

    JobScheduler.job_selector = choose_from_shortlist


def _gone(name: str) -> WorkflowError:
    """Return the error for a part of Snakemake that a later version does not have."""
    problem = f"Snakemake {version('snakemake')} has no {name}, which nldr changes in {__name__}"
    return WorkflowError(f"{problem}: it was tested with {TESTED}: pip install snakemake=={TESTED}")
