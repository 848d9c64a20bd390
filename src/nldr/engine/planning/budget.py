"""Costs of several studies together, and the studies that a budget allows."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import NamedTuple

from nldr.engine.planning.forecast import Job
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.steps import Step
from nldr.engine.reading.values import seconds_of

START_SECONDS = 5.0  # until the first job runs
STEP_SECONDS = 0.05  # of the main process, for each job


class Total(NamedTuple):
    """The cost of several jobs."""

    jobs: int
    embeddings: int  # to make
    cpu_seconds: float
    seconds: float  # on the clock
    peak_mb: float  # largest memory of a process
    size: float  # bytes on disk
    far: float  # CPU time of jobs more than ten times as large as the nearest recorded one
    unknown: float  # CPU time of jobs whose kind has no record at all

    @classmethod
    def of(cls, jobs: Iterable[Job], cores: int) -> Total:
        """Return the cost of jobs on a number of cores; those of a shared cell count once."""
        jobs = [job for job in distinct(jobs).values() if job.trials]
        occupied = sum(job.seconds(cores) for job in jobs) / cores
        # A job is never divided.
        longest = max((job.cpu_seconds for job in jobs), default=0.0)
        seconds = max(occupied, longest) + STEP_SECONDS * len(jobs)
        return cls(
            len(jobs),
            sum(job.trials for job in jobs if job.step.stage == "embed"),
            sum(job.cpu_seconds for job in jobs),
            seconds,
            max((job.cost.peak_mb for job in jobs), default=0.0),
            sum(job.trials * job.cost.size for job in jobs),
            sum(job.cpu_seconds for job in jobs if 10 < job.cost.reach < math.inf),
            sum(job.cpu_seconds for job in jobs if job.cost.reach == math.inf),
        )


def distinct(jobs: Iterable[Job]) -> dict[Step, Job]:
    """Return jobs by their step, each cell once, with the largest number of trials.

    Studies may ask for the same cell with 5 and with 20 trials: making 20 makes those 5, too. The
    steps have 0 in place of the number of trials.
    """
    largest: dict[Step, Job] = {}
    for job in jobs:
        cell = job.step._replace(trials=0)
        if cell not in largest or largest[cell].trials < job.trials:
            largest[cell] = job
    return largest


def further(jobs: Iterable[Job], others: Iterable[Job]) -> list[Job]:
    """Return jobs with the trials that remain to be made after ``others``, at least 0."""
    trials = {cell: job.trials for cell, job in distinct(others).items()}
    return [
        job._replace(trials=max(0, job.trials - trials.get(job.step._replace(trials=0), 0)))
        for job in jobs
    ]


def within(plan: Plan, cores: int, stale: Collection[str]) -> tuple[list[str], str]:
    """Return the studies that the plan's budget allows, and a text about them and the others.

    Headlines are taken first, then studies with published numbers, then the others; cheap ones
    before expensive ones. A study that does not fit is left out, and those after it are tried.
    Manifests that are ``stale`` are made again.
    """
    seconds = seconds_of(plan.config.budget or "0s")
    working = seconds - START_SECONDS
    jobs = {study: plan.forecast.jobs(study, stale) for study in plan.selected}

    def value(name: str) -> tuple[bool, bool, float]:
        study = plan.studies[name].study
        return not study.headline, study.published is None, Total.of(jobs[name], cores).seconds

    taken, chosen, skipped = list[Job](), [], []
    for study in sorted(jobs, key=value):
        if Total.of([*taken, *jobs[study]], cores).seconds <= working:
            taken += jobs[study]
            chosen.append(study)
        else:
            skipped.append(study)
    # What was left out is told with what it would add.
    named = ", ".join(chosen) or "nothing"
    about = format_duration(Total.of(taken, cores).seconds + START_SECONDS)
    lines = [f"budget of {format_duration(seconds)} on {cores} core(s): {named}: about {about}"]
    for study in skipped:
        total = Total.of(further(jobs[study], taken), cores)
        lines.append(f"  left out: {study}: about {format_duration(total.seconds)} more")
    return chosen, "\n".join(lines)


def format_duration(seconds: float) -> str:
    """Return a duration with a unit that suits it.

    Examples
    --------
    >>> format_duration(12), format_duration(90), format_duration(5400)
    ('12 s', '2 min', '1.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
