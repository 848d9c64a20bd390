"""Settings of Snakemake that its command line does not offer.

Whenever Snakemake starts a job it looks at every job that is ready, which takes longer than most
jobs when thousands are ready. Its limit on the number of jobs per second, which cannot be switched
off, starts a thread for each look, which causes another look a second later, and so on. And it
prints several lines per job. All three are changed here, in its objects of this process; without
these changes the results are the same.
"""

from __future__ import annotations

import heapq
import logging
from collections.abc import Collection
from typing import Any

from snakemake_interface_logger_plugins.common import LogEvent

SHORTLIST = 64  # jobs with the highest priority among which the scheduler chooses
JOB_FAILED = "JobFailed in file"  # errors of jobs, which the progress display has reported


class _OnlyProblems(logging.Filter):
    """Lets through warnings, errors that are not of a job, and the news that all is built."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage() if record.msg else ""
        if getattr(record, "event", None) == LogEvent.JOB_ERROR:
            return False
        if record.levelno >= logging.WARNING:
            return JOB_FAILED not in text and not text.startswith("Exiting because a job")
        return text.startswith("Nothing to be done")


def silence(logger: logging.Logger) -> None:
    """Keep Snakemake's messages about single jobs out of the terminal; its log file has them."""
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler":
            handler.addFilter(_OnlyProblems())


def speed_up_scheduler() -> None:
    """Let Snakemake choose among the ready jobs of highest priority only, as often as it likes."""
    from snakemake.scheduling.job_scheduler import JobScheduler

    choose = JobScheduler.job_selector
    if getattr(choose, "shortlist", None):
        return

    def choose_from_shortlist(self: Any, jobs: Collection[Any]) -> Any:
        self.job_rate_limiter = None
        first = heapq.nlargest(SHORTLIST, jobs, key=lambda job: job.priority)
        return choose(self, first)

    choose_from_shortlist.shortlist = SHORTLIST  # type: ignore[attr-defined]
    JobScheduler.job_selector = choose_from_shortlist
