"""Snakemake's terminal shows problems only, and its scheduler looks at few jobs."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake_interface_logger_plugins.common import LogEvent

from nldr.engine.running import tuning


@pytest.mark.parametrize(
    ("level", "text", "event", "shown"),
    [
        (logging.INFO, "rule embed:", None, False),
        (logging.INFO, "Nothing to be done (all requested files are present", None, True),
        (logging.WARNING, "the disk is nearly full", None, True),
        (logging.ERROR, "PlanError: unknown study", None, True),
        (logging.ERROR, "Error in rule embed", LogEvent.JOB_ERROR, False),
        (logging.ERROR, "JobFailed in file Snakefile", None, False),
        (logging.ERROR, "Exiting because a job execution failed", None, False),
    ],
)
def test_only_problems_are_shown(level: int, text: str, event: Any, shown: bool) -> None:
    logger, seen = logging.Logger("test"), []
    handler = logging.Handler()
    handler.name = "DefaultStreamHandler"
    handler.emit = lambda record: seen.append(record.getMessage())  # type: ignore[method-assign]
    other = logging.Handler()
    everything: list[str] = []
    other.emit = lambda record: everything.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    logger.addHandler(other)
    tuning.silence(logger)
    logger.log(level, text, extra={"event": event} if event else {})
    assert seen == ([text] if shown else [])
    assert everything == [text]


def test_scheduler_chooses_among_the_jobs_of_highest_priority(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(JobScheduler, "job_selector", lambda self, jobs: seen.extend(jobs))
    scheduler = SimpleNamespace(job_rate_limiter=object())
    tuning.speed_up_scheduler()
    tuning.speed_up_scheduler()  # a second time changes nothing
    jobs = [SimpleNamespace(priority=number % 500) for number in range(1000)]
    JobScheduler.job_selector(scheduler, jobs)
    assert len(seen) == tuning.SHORTLIST
    assert min(job.priority for job in seen) == 500 - tuning.SHORTLIST // 2
    assert scheduler.job_rate_limiter is None
