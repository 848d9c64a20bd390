"""Requests to the process that runs a job, and its replies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nldr.engine.jobs.specs import Limits

REPORT_LIMITS = Limits(seconds=1800, memory_mb=8192)  # of tables, verdicts, figures and claims


@dataclass(frozen=True)
class Request:
    """A job with its files, as it is sent to the process that runs it.

    Attributes
    ----------
    job : nldr.engine.planning.plan.Job
        What to do.
    key : str
        Digest of the job, which its manifest keeps.
    inputs : dict of str to list of str
        Files to read, by kind.
    outputs : dict of str to str
        Files to write, by kind; ``manifest`` is written last.
    log : str
        File for all that the job prints.
    imports : tuple of str
        Modules that the job needs.
    threads : int
        Cores that the job may use.
    cores : int
        Cores of the whole run, for the record.
    rows : int
        Number of points, which decides what is compiled before the fits.
    parts : dict of str to dict of str to str
        Digests of the parts of the job, which its manifest keeps.
    blamed : bool
        Whether each attempt to run the job has lost its process. The first task that is not done
        is then a failure, and is not run.
    """

    job: Any
    key: str
    inputs: dict[str, list[str]]
    outputs: dict[str, str]
    log: str
    imports: tuple[str, ...] = ()
    threads: int = 1
    cores: int = 1
    rows: int = 0
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    blamed: bool = False

    @property
    def manifest(self) -> str:
        """The file that says what was made."""
        return self.outputs["manifest"]


@dataclass(frozen=True)
class Reply:
    """Report of a job that has ended.

    Attributes
    ----------
    error : str
        Why nothing was recorded; empty if the manifest was written.
    killed : bool
        Whether a process was ended from outside, so that another attempt may succeed.
    made : int
        Number of trials that were computed, not taken from an earlier run.
    failures : list of (str, str)
        Status and message of each trial that failed.
    seconds : float
        Wall time of the job.
    cpu_seconds : float
        CPU time of the job and its children.
    peak_mb : float
        Largest memory of one of them.
    """

    error: str = ""
    killed: bool = False
    made: int = 0
    failures: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
