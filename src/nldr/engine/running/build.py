"""One run: its lock, its workers, and what the user sees of it."""

from __future__ import annotations

import fcntl
import functools
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from nldr.engine.cost.records import append_record, record_of
from nldr.engine.files.layout import LOG, RECORDS, RESULTS, STATE
from nldr.engine.files.method_environments import install, is_installed
from nldr.engine.files.store import atomic
from nldr.engine.freshness import health
from nldr.engine.jobs.report_specs import FigureJob
from nldr.engine.jobs.requests import Request
from nldr.engine.jobs.specs import DataJob, EmbedJob, ScoresJob
from nldr.engine.planning.budget import within
from nldr.engine.planning.claim_jobs import CLAIM
from nldr.engine.planning.plan import Job, Plan
from nldr.engine.planning.steps import step_of
from nldr.engine.reading.parsing import PlanError
from nldr.engine.running.progress import BuildProgress, tell
from nldr.engine.running.workers import Workers
from nldr.inputs.errors import suggestion

if TYPE_CHECKING:
    from nldr.engine.running.cluster import Pool

REASONS = 10  # why results are out of date: lines that are shown


class Busy(RuntimeError):
    """Another run works in the same folder."""


class JobFailed(RuntimeError):
    """A job recorded nothing, because the machine failed or a figure could not be drawn."""


class Build:
    """Runs the jobs that Snakemake asks for, and reports on them.

    ``targets`` returns the files and rules that are asked for, as soon as the DAG is built; none
    stands for everything. If it ``tells``, it says why results are out of date.
    """

    def __init__(
        self, plan: Plan, targets: Callable[[], Collection[str]] = tuple, tells: bool = False
    ) -> None:
        self.plan = plan
        self._targets, self._tells = targets, tells
        self._workers: Workers | Pool | None = None
        self._progress: BuildProgress | None = None
        self._lock: IO[str] | None = None
        self._cores = 1
        self._interrupted = self._is_stopping = self._reported = False
        self._recording = threading.Lock()

    @functools.cached_property
    def _problems(self) -> dict[str, health.Problem]:
        """The results that are damaged or out of date; found, and told, as the DAG is built."""
        try:
            # The report of each run needs what decides and explains published numbers.
            _ = self.plan.printed_numbers
        except PlanError as mistake:
            self.refuse(mistake)
        problems = health.find_problems(self.plan, self._targets())
        self.plan.catalog.signatures.save()
        for line in health.tell_changes(problems)[:REASONS] if self._tells else ():
            tell(line)
        return problems

    @functools.cached_property
    def _markers(self) -> dict[str, str]:
        return health.mark(self._problems)

    def outdated(self, manifest: str) -> Callable[[Any], str | list[str]]:
        """Return an input function that gives results which are out of date one input more."""
        return lambda wildcards: self._markers.get(manifest.format(**dict(wildcards.items())), [])

    def outdated_claims(self, cores: int | None) -> str | list[str]:
        """Return one input more for claims that are out of date, or were decided without cells.

        Claims may be decided from the cells that are there, and Snakemake makes no missing file
        behind a result that exists.
        """
        manifest = self.plan.outputs.claimed
        if manifest not in self._markers and Path(manifest).is_file():
            files = chain.from_iterable(self.plan.claim_files(studies=self.claimed(cores)).values())
            if missing := next((file for file in files if not Path(file).is_file()), None):
                problem = health.Problem(health.INPUTS, missing)
                self._markers.update(health.mark({manifest: problem}))
        return self._markers.get(manifest, [])

    def refuse(self, mistake: PlanError) -> None:
        """End the run with the mistake of a study that is asked for.

        Snakemake would show any other error as one of the rules, with their lines and a traceback.
        """
        tell(str(mistake))
        sys.exit(1)

    def owner(self, figure: str) -> str:
        """Return the study that has a figure; refuse a name that no figure has."""
        if figure not in self.plan.owners:
            self.refuse_name(figure)
        return self.plan.owners[figure]

    def refuse_name(self, word: str) -> None:
        """Refuse a target that is the name of nothing, with the most similar name."""
        claims = [CLAIM + name for name in self.plan.claims]
        names = [*self.plan.targets(), *self.plan.broken, *claims, "claims", "report"]
        problem = f"{word}: no study, figure or claim has this name"
        self.refuse(PlanError(f"{problem}: {suggestion(word, names)}"))

    @functools.cache  # noqa: B019 - a build lives as long as its process
    def selected(self, cores: int | None) -> list[str]:
        """Return the studies to build if none is asked for by name: those that fit the budget."""
        if self.plan.config.budget is None:
            return self.plan.selected
        chosen, text = within(self.plan, cores or 1, self._problems)
        tell(text)
        return chosen

    def claimed(self, cores: int | None) -> Collection[str]:
        """Return the studies whose claims are decided: all if claims are asked for by name."""
        return self.plan.studies if self._targets() else self.selected(cores)

    def hold_lock(self) -> None:
        """Lock the folder until this process ends; raise Busy if another run holds the lock."""
        path = Path(STATE) / "lock"
        path.parent.mkdir(parents=True, exist_ok=True)
        # The lock of the operating system ends with this process, however it ends.
        self._lock = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise Busy("another run works in this folder: wait for it or end it") from None
        except OSError:  # a file system without locks
            pass

    def begin(self, workflow: Any) -> None:
        """Start the workers and the display before the first job.

        Raises Busy if another run works in this folder.
        """
        self.hold_lock()
        self._tidy()
        self._install(workflow.dag)
        self._cores = workflow.cores or 1
        self._workers = self._start()
        for ending in (signal.SIGINT, signal.SIGTERM):
            signal.signal(ending, self._interrupt)
        self._progress = BuildProgress(self.plan, workflow.dag, self._cores)

    def _install(self, dag: Any) -> None:
        """Install the environments of methods that are to be run, if the config allows it."""
        jobs = (job for job in dag.jobs if job.rule.name == "embed" and dag.needrun(job))
        names = {self.plan.methods[job.wildcards.method].entry.environment for job in jobs}
        for name in sorted(filter(None, names)):
            folder = self.plan.catalog.environment_folder("methods", name)
            if is_installed(folder):
                continue
            if not self.plan.config.environments:
                problem = "has an environment of its own, which is not installed"
                raise PlanError(f"{name} {problem}: add `--config environments=true`")
            try:
                install(folder, tell)
            except OSError as error:
                raise PlanError(f"{name}: its environment cannot be installed: {error}") from None

    def _tidy(self) -> None:
        """Delete the remains of a crash, and date results that are newer than the clock as new."""
        # Snakemake refuses a job whose inputs are newer than its outputs.
        now, n_newer = time.time(), 0
        for file in Path(RESULTS).rglob("*"):
            if file.name.startswith(".tmp-"):
                file.unlink(missing_ok=True)
            elif file.lstat().st_mtime > now:
                os.utime(file, follow_symlinks=False)
                n_newer += 1
        if n_newer:
            tell(f"the clock was set back: {n_newer} result(s) get the current date")

    def _start(self) -> Workers | Pool:
        """Start what runs the jobs: a warm parent on this machine, or blocks on a cluster."""
        if self.plan.config.cluster is not None:
            from nldr.engine.running.cluster import Pool

            return Pool(self.plan.config.cluster, tell)
        return Workers(self.plan.config.start, Path(RESULTS) / "logs/warm.log")

    def run(
        self,
        stage: str,
        wildcards: Any,
        inputs: Mapping[str, Any],
        outputs: Mapping[str, Any],
        log: Sequence[str],
        threads: int,
    ) -> None:
        """Run one job and wait for it.

        What failed in a method, dataset or metric is recorded; JobFailed is raised if nothing was.
        """
        step = step_of(stage, wildcards)
        job = self.plan.job(step)
        request = Request(
            job=job,
            key=health.key_of(job),
            inputs={
                kind: [str(files)] if isinstance(files, str | os.PathLike) else [*map(str, files)]
                for kind, files in inputs.items()
            },
            outputs={kind: str(file) for kind, file in outputs.items()},
            log=log[0],
            imports=imports_of(self.plan, job),
            threads=threads,
            cores=self._cores,
            rows=self.plan.data[step.data].size("n_samples") or 0 if stage == "embed" else 0,
            parts=health.parts_of(job, self.plan.catalog.code),
        )
        self._reported |= stage == "report"
        # Without a beginning there is no warm parent: Snakemake runs this job in a process alone.
        workers = self._workers or Workers("cold", Path(RESULTS) / "logs/warm.log")
        reply = workers.run(request)
        with self._recording:
            if reply.made and not reply.error:
                tasks = len(job.scorings) if isinstance(job, ScoresJob) else 1
                work = self.plan.forecast.work(step)
                with suppress(OSError):  # without a record, later forecasts are less precise
                    append_record(Path(RECORDS), record_of(work, request.manifest, reply, tasks))
            if self._progress is not None:
                self._progress.finished(step, reply, request.log)
        if reply.error:
            raise JobFailed(f"{stage} {step.cell}: {reply.error}")

    def end(self, all_went_well: bool) -> None:
        """End the workers and say how the run ended, and where to look."""
        named = [name for name in self._targets() if name in self.plan.studies]
        # Where a job failed, or studies were named, Snakemake does not make a report of its own.
        if (named or not all_went_well) and not (self._interrupted or self._reported):
            # A study of which a job failed may have no table by which the report knows it.
            self.plan.selected = list(dict.fromkeys([*named, *self.plan.selected]))
            with suppress(JobFailed, KeyboardInterrupt):
                self.report()
        if self._workers is not None:
            self._workers.stop()
        if self._progress is not None:
            self._progress.close(all_went_well)
        if Path(self.plan.outputs.report).is_file():
            link = Path(RESULTS) / Path(self.plan.outputs.report).name
            with atomic(link) as temporary:
                shutil.copyfile(self.plan.outputs.report, temporary)
            page = f"#/study/{named[0]}" if named else ""
            is_new = self._reported and not self._interrupted
            older = "" if is_new else " (of an earlier run; `nldr report` updates it)"
            tell(f"report: {link}{page}{older}")
        if all_went_well and self._interrupted:
            tell("interrupted while making the report: `nldr report` makes it from what is built")
            sys.exit(128 + signal.SIGINT)

    def claims(self) -> None:
        """Decide claims from the cells that are there, without making any other."""
        outputs, files = self.plan.outputs, self.plan.claim_files().items()
        inputs = {kind: [f for f in paths if f not in self._problems] for kind, paths in files}
        targets = {
            "claims": outputs.claims,
            "page": outputs.claim_page,
            "details": outputs.claim_details,
            "manifest": outputs.claimed,
        }
        self._run_on_existing("claims", inputs, targets)

    def report(self) -> None:
        """Make the report from the results that are there, without making any other."""
        outputs = self.plan.outputs
        targets = {"report": outputs.report, "manifest": outputs.reported}
        self._run_on_existing("report", self.plan.report_inputs(self.plan.reported()), targets)

    def _run_on_existing(
        self, stage: str, inputs: Mapping[str, list[str]], targets: Mapping[str, str]
    ) -> None:
        """Run a job outside of Snakemake with those of its inputs that exist."""
        existing = {kind: [f for f in files if Path(f).is_file()] for kind, files in inputs.items()}
        log = [LOG.format(stage=stage, cell=stage)]
        self.run(stage, {}, existing, targets, log, 1)

    def _interrupt(self, *_: Any) -> None:
        # The workers cannot be stopped again while they are stopped.
        if self._is_stopping:
            return
        self._interrupted = self._is_stopping = True
        # Jobs end first: Snakemake waits for the threads that wait for them.
        if self._workers is not None:
            self._workers.stop()
        self._is_stopping = False
        raise KeyboardInterrupt


def imports_of(plan: Plan, job: Job) -> tuple[str, ...]:
    """Return the installed modules that the code of a job imports, anywhere."""
    if isinstance(job, ScoresJob):
        paths = [scoring.function for scoring in job.scorings]
    elif isinstance(job, EmbedJob):
        paths = [job.estimator]
    else:
        paths = [job.function] if isinstance(job, DataJob | FigureJob) else []
    return tuple(sorted({m for path in paths for m in plan.catalog.closure("", path).imports}))
