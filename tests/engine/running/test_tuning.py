"""Snakemake's terminal shows problems only, its scheduler looks at few jobs; or a run says why."""

import logging
import os
import re
import sys
from logging.handlers import QueueHandler
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
from conftest import ROOT
from snakemake.exceptions import WorkflowError
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
def test_only_problems_are_shown(level, text, event, shown):
    logger, seen = logging.Logger("test"), []
    handler = logging.Handler()
    handler.name = "DefaultStreamHandler"
    handler.emit = lambda record: seen.append(record.getMessage())  # type: ignore[method-assign]
    other = logging.Handler()
    everything = []
    other.emit = lambda record: everything.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    logger.addHandler(other)
    tuning.silence(logger)
    logger.log(level, text, extra={"event": event} if event else {})
    assert seen == ([text] if shown else [])
    assert everything == [text]


def test_messages_to_a_closed_pipe_go_nowhere(monkeypatch):
    reader, writer = os.pipe()
    stream = os.fdopen(writer, "w", encoding="utf-8")
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "stdout", None)  # closed before Python started
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    tuning.outlive_readers(logger)
    print("heard", file=sys.stderr, flush=True)
    assert os.read(reader, 100) == b"heard\n"
    os.close(reader)
    for _ in range(2):
        print("unheard", file=sys.stderr, flush=True)
        print("unheard", flush=True)
        logger.warning("unheard")
    stream.close()
    sys.stdout.close()


def test_scheduler_chooses_among_the_jobs_of_highest_priority(monkeypatch):
    seen = []
    monkeypatch.setattr(JobScheduler, "job_selector", lambda self, jobs: seen.extend(jobs))
    scheduler = SimpleNamespace(job_rate_limiter=object())
    tuning.speed_up_scheduler()
    tuning.speed_up_scheduler()  # a second time changes nothing
    jobs = [SimpleNamespace(priority=number % 500) for number in range(1000)]
    JobScheduler.job_selector(scheduler, jobs)
    assert len(seen) == tuning.SHORTLIST
    assert min(job.priority for job in seen) == 500 - tuning.SHORTLIST // 2
    assert scheduler.job_rate_limiter is None


def test_the_version_that_was_tested_is_the_one_of_the_lock_file():
    lock = (ROOT / "envs/requirements.lock").read_text(encoding="utf-8")
    assert re.search(r"^snakemake==(\S+)", lock, re.M)[1] == tuning.TESTED


def message_of(part):
    """Return a pattern of the error for a part that Snakemake does not have."""
    return rf"Snakemake \S+ has no {part}, .* pip install snakemake=={re.escape(tuning.TESTED)}"


def test_plugins_may_print_in_place_of_the_handler_for_the_terminal(tmp_path):
    logger = logging.Logger("test")
    logger.addHandler(QueueHandler(SimpleQueue()))
    logger.addHandler(logging.FileHandler(tmp_path / "log"))
    tuning.silence(logger)
    assert not any(handler.filters for handler in logger.handlers)


def test_messages_of_an_unknown_kind_end_the_run(monkeypatch):
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler())
    with pytest.raises(WorkflowError, match=message_of(r"handler of messages called \w+")):
        tuning.silence(logger)
    monkeypatch.setattr("snakemake_interface_logger_plugins.common.LogEvent", object())
    with pytest.raises(WorkflowError, match=message_of("LogEvent.JOB_ERROR")):
        tuning.silence(logging.Logger("test"))


def test_a_scheduler_that_chooses_otherwise_ends_the_run(monkeypatch):
    monkeypatch.setattr(JobScheduler, "job_selector", lambda self, jobs, limit: jobs)
    with pytest.raises(WorkflowError, match=message_of(r"JobScheduler.job_selector\(self, jobs\)")):
        tuning.speed_up_scheduler()
    monkeypatch.delattr(JobScheduler, "job_selector")
    with pytest.raises(WorkflowError, match=message_of("JobScheduler.job_selector")):
        tuning.speed_up_scheduler()


def test_a_scheduler_with_another_limit_ends_the_run(monkeypatch):
    monkeypatch.setattr(JobScheduler, "job_selector", lambda self, jobs: jobs)
    tuning.speed_up_scheduler()
    with pytest.raises(WorkflowError, match=message_of("JobScheduler.job_rate_limiter")):
        JobScheduler.job_selector(SimpleNamespace(), [])
