"""Forecast of the jobs of a plan: how many trials each will make, and what they cost."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

from nldr.engine.cost.records import SHIPPED, Cost, CostModel, CostRecord, Work, read_records
from nldr.engine.files import layout
from nldr.engine.jobs.requests import REPORT_LIMITS
from nldr.engine.jobs.specs import Limits
from nldr.engine.planning.cells import Cells
from nldr.engine.planning.steps import Step, cell_steps, manifest_of, steps_of

# Parameters that say how much a method iterates: phases that follow each other, and what each of
# their steps takes longer for.
PHASES = ("max_iter", "n_epochs", "n_iter")
REPETITIONS = ("n_inducing", "n_rounds")


class Job(NamedTuple):
    """A job with its cost."""

    step: Step
    trials: int  # trials that do not exist yet
    cost: Cost  # cost of a trial
    cores: int  # cores that it occupies while it uses one; 0 stands for all

    @property
    def cpu_seconds(self) -> float:
        """CPU time of all trials."""
        return self.trials * self.cost.cpu_seconds

    def seconds(self, cores: int) -> float:
        """Return the time of all cores that it occupies."""
        return self.cpu_seconds * (self.cores or cores)


class Forecast:
    """The costs of a plan's jobs."""

    def __init__(self, plan: Cells) -> None:
        self._plan = plan
        families = {name: method.family for name, method in plan.catalog.methods.items()}
        # Records that come with nldr, those of the project, those of this folder's runs.
        layers = plan.catalog.layers
        shipped: dict[Work, CostRecord] = {}
        for file in layers.versions(SHIPPED):
            shipped |= read_records(layers.root / file)
        model = CostModel(shipped, read_records(Path(layout.RECORDS)), families)
        self._predict = functools.cache(model.predict)

    def work(self, step: Step) -> Work:
        """Return what one trial of a job does."""
        plan = self._plan
        if step.stage in ("claims", "report"):
            number = len(plan.claims if step.stage == "claims" else plan.studies)
            return Work(step.stage, step.stage, n_samples=number)
        if step.stage in ("table", "verdict", "figure"):
            study = step.study or plan.owners[step.figure]
            trials = sum(pair.trials for pair in plan.studies[study].pairs)
            return Work(step.stage, step.cell, n_samples=trials)
        data = plan.data[step.data]
        n_samples, n_features = data.size("n_samples") or 1, data.size("n_features") or 1
        if step.stage in ("data", "score"):
            name = step.scorers or data.name
            return Work(step.stage, name, data.cell, "", n_samples, n_features)
        method = plan.methods[step.method]
        # Only placing new points one by one costs little compared with a fit.
        signature = plan.catalog.signatures[method.entry.class_]
        if data.split and signature.transforms and not signature.transforms_jointly:
            n_samples = min(n_samples, cast(int, data.transforms["n_train"]))
        n_components = cast(int, method.params["n_components"])
        steps = iterations(signature.defaults | method.params)
        cells, sizes = (data.cell, method.cell), (n_samples, n_features, n_components, steps)
        return Work("embed", method.name, *cells, *sizes)

    def cost(self, step: Step) -> Cost:
        """Return the cost of one trial of a job, which its limits bound."""
        cost, limits = self._predict(self.work(step)), self._limits(step)
        seconds = min(cost.cpu_seconds, limits.seconds)
        return cost._replace(cpu_seconds=seconds, peak_mb=min(cost.peak_mb, limits.memory_mb))

    def _limits(self, step: Step) -> Limits:
        plan = self._plan
        if step.stage == "embed":
            limits = plan.limits[step.data, step.method]
            return replace(limits, seconds=limits.seconds * plan.methods[step.method].entry.threads)
        if step.stage == "data":
            entry = plan.data[step.data].entry
            return Limits(entry.seconds, entry.memory_mb)
        if step.stage == "score":
            entries = [plan.scorings[name].entry for name in plan.scorer_sets[step.scorers]]
            memory_mb = max((e.memory_mb for e in entries), default=0)
            return Limits(sum(e.seconds for e in entries), memory_mb)
        return REPORT_LIMITS

    def job(self, step: Step, stale: Collection[str] | None) -> Job:
        """Return a job with its cost and the number of trials that it will make."""
        trials = missing(manifest_of(self._plan, step), step.trials or 1, stale)
        alone = step.stage == "embed" and (step.data, step.method) in self._plan.exclusive
        return Job(step, trials, self.cost(step), 0 if alone else 1)

    def needed(self, step: Step) -> Job:
        """Return a job that Snakemake runs, with the trials that it makes.

        They are those without a file; if all have one, the job runs because it is out of date, and
        makes all of them again.
        """
        job = self.job(step, ())
        return job if job.trials else self.job(step, None)

    def jobs(self, study: str, stale: Collection[str] | None) -> list[Job]:
        """Return all jobs of a study, each with the trials that it makes.

        ``stale`` is that of :func:`missing`.
        """
        plan = self._plan
        jobs: dict[Step, Job] = {}
        for pair in plan.studies[study].pairs:
            steps = cell_steps(plan, study, pair)
            data, embed, score = (jobs.get(step) or self.job(step, stale) for step in steps)
            # What is embedded anew is scored anew.
            score = score._replace(trials=max(score.trials, embed.trials))
            jobs |= zip(steps, (data, embed, score), strict=True)
        # Tables and figures are made again with anything that they are made from.
        changed = any(job.trials for job in jobs.values())
        for step in steps_of(plan, study):
            job = self.job(step, stale)
            jobs[step] = job._replace(trials=max(job.trials, int(changed)))
            changed = changed or job.trials > 0
        return list(jobs.values())

    @functools.cached_property
    def sizes(self) -> dict[str, float]:
        """CPU seconds of each study if nothing were there."""
        jobs = {study: self.jobs(study, None) for study in self._plan.studies}
        return {study: sum(job.cpu_seconds for job in jobs[study]) for study in jobs}


def iterations(params: Mapping[str, object]) -> int:
    """Return how much a method iterates.

    Examples
    --------
    >>> iterations({"max_iter": 10, "n_inducing": 50, "n_rounds": 2})
    1000
    """
    counts = {name: n for name, n in params.items() if isinstance(n, int) and n > 0}
    phases = sum(counts.get(name, 0) for name in PHASES)
    return (phases or 1) * math.prod(counts.get(name, 1) for name in REPETITIONS)


def missing(manifest: str, trials: int, stale: Collection[str] | None) -> int:
    """Return the number of trials of a manifest that a build has to make.

    ``stale`` names the manifests whose trials are all made again. None stands for a build from
    nothing: no result is looked for on disk, and all trials count.
    """
    if stale is None or manifest in stale:
        return trials
    if Path(manifest).is_file():
        return 0
    # Another number of trials may have been made, or a part of them.
    files = {path.name for path in Path(manifest).parent.glob("trial-*")}
    names = {layout.trial_file(manifest, trial).name for trial in range(trials)}
    return max(1, trials - len(names & files))
