"""Requests to the process that runs a job, and its replies."""

from __future__ import annotations

from typing import Any, NamedTuple

from nldr.engine.jobs.specs import Limits

REPORT_LIMITS = Limits(seconds=1800, memory_mb=8192)  # of tables, verdicts, figures and claims


class Request(NamedTuple):
    """A job with its files, as it is sent to the process that runs it."""

    job: Any  # what to do
    key: str  # digest of the job, which its manifest keeps
    inputs: dict[str, list[str]]  # files to read, by kind
    outputs: dict[str, str]  # files to write, by kind; ``manifest`` is written last
    log: str  # file for all that the job prints
    imports: tuple[str, ...] = ()  # modules that the job needs
    threads: int = 1  # cores that the job may use
    cores: int = 1  # cores of the whole run, for the record
    rows: int = 0  # number of points, which decides what is compiled before the fits
    parts: dict[str, dict[str, str]] = {}  # digests, for the manifest
    # Whether each attempt has lost its process: the first task that is not done is then a failure
    blamed: bool = False

    @property
    def manifest(self) -> str:
        """The file that says what was made."""
        return self.outputs["manifest"]


class Reply(NamedTuple):
    """Report of a job that has ended."""

    error: str = ""  # why nothing was recorded; empty if the manifest was written
    killed: bool = False  # whether by an end from outside, so that another attempt may succeed
    made: int = 0  # number of trials that were computed, not taken from an earlier run
    failures: tuple[tuple[str, str], ...] = ()  # status and message of each trial that failed
    cpu_seconds: float = 0.0  # CPU time of the job and its children
    peak_mb: float = 0.0  # largest memory of one of them
    notes: tuple[str, ...] = ()  # what the user should know
