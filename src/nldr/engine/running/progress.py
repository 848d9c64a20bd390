"""Display of a run: a forecast, one progress bar, and one line per finished study."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tqdm import tqdm

from nldr.claims.published.tally import total_counts
from nldr.claims.published.verdicts import NOT_RUN
from nldr.engine.files.layout import RESULTS, Record
from nldr.engine.files.status import Status
from nldr.engine.files.text import escape
from nldr.engine.jobs.requests import Reply
from nldr.engine.planning.budget import START_SECONDS, STEP_SECONDS, format_duration
from nldr.engine.planning.claim_jobs import count_published
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.steps import Step, step_of, steps_of
from nldr.engine.planning.studies import STAGES
from nldr.tables import read_csv

QUIET_SECONDS = 30.0  # without a terminal, the longest time without a line


class BuildProgress:
    """The display of a run: a bar on a terminal, and a line when a study is finished.

    Without a terminal, as in a log, a line tells every half minute how far the run is. ``dag`` has
    the jobs of Snakemake, of which ``cores`` run at a time.
    """

    def __init__(self, plan: Plan, dag: Any, cores: int) -> None:
        self._plan, self._cores = plan, cores
        self._started = time.monotonic()
        jobs_of_dag = [job for job in dag.jobs if job.rule.name in STAGES]
        needed = [job for job in jobs_of_dag if dag.needrun(job)]
        self._steps = [step_of(job.rule.name, job.wildcards_dict) for job in needed]
        jobs = {step: plan.forecast.needed(step) for step in self._steps}
        self._left = {s: job.seconds(cores) + STEP_SECONDS * cores for s, job in jobs.items()}
        self._expected = sum(self._left.values())
        self._failures: Counter[str] = Counter()
        self._n_lost = 0
        # A study is finished with its last figure.
        last = {study: {*self._steps} & {*steps_of(plan, study)} for study in plan.order}
        self._open = {study: steps for study, steps in last.items() if steps}
        about = format_duration(self._expected / cores + START_SECONDS)
        counts = f"{len(needed)} jobs to run, {len(jobs_of_dag) - len(needed)} done before"
        tell(f"{counts}: about {about} on {cores} core(s)")
        self._bar = tqdm(
            total=len(self._steps),
            disable=not sys.stderr.isatty(),
            leave=False,
            bar_format="{desc} {bar} {n_fmt}/{total_fmt} {postfix}",
        )
        self._closed = threading.Event()
        self._teller = threading.Thread(target=self._tell_often, daemon=True)
        if self._bar.disable:
            self._teller.start()

    def _tell_often(self) -> None:
        while not self._closed.wait(QUIET_SECONDS):
            done, spent = len(self._steps) - len(self._left), time.monotonic() - self._started
            tell(f"[{format_duration(spent)}] {done}/{len(self._steps)} jobs, {self._status()}")

    def finished(self, step: Step, reply: Reply, log: str) -> None:
        """Count a job that has ended."""
        self._left.pop(step, None)
        self._failures.update(status for status, _ in reply.failures)
        for note in reply.notes:
            tell(note)
        self._n_lost += bool(reply.error)
        failure = reply.failures[0][1] if reply.failures and step.stage == "data" else ""
        if reply.error or failure:
            tell(f"{step.stage} {step.cell}: {reply.error or failure}\n  log: {log}")
        self._bar.set_postfix_str(self._status(), refresh=False)
        self._bar.update()
        for study, steps in list(self._open.items()):
            # A figure that was not drawn leaves its study open.
            if not reply.error:
                steps.discard(step)
            if not steps:
                del self._open[study]
                tell(self._line(study))

    def close(self, all_went_well: bool) -> None:
        """Remove the bar and say how the run ended."""
        self._closed.set()
        if self._bar.disable:
            self._teller.join(timeout=1)  # no line of progress follows the last one
        self._bar.close()
        # A run may succeed without telling of each job: with --touch, or in processes of its own.
        for study in () if all_went_well else self._open:
            tell(f"{study}: not finished in this run: see the messages above")
        spent = format_duration(time.monotonic() - self._started)
        failed = _counted(sorted(self._failures.items()))
        where = f": see nldr status --scale {self._plan.config.scale}"
        tell(f"done in {spent}" + (f"; failed fits and scores: {failed}{where}" if failed else ""))
        tell_mistakes(self._plan, "was")
        if self._n_lost and not all_went_well:
            where = f"see above and {RESULTS}/logs"
            tell(f"{self._n_lost} job(s) recorded nothing, {where}; run the same command again")
        if all_went_well:
            self._tell_verdicts()

    def _tell_verdicts(self) -> None:
        """Say how many published numbers and claims are decided, and where."""
        outputs = self._plan.outputs
        if self._plan.config.scale != "paper" and Path(Record().claims).is_file():
            tell("verdicts come from the record; the report shows this run next to them")
            return
        total = total_counts(count_published(self._plan, outputs))
        if any(n for outcome, n in total.items() if outcome != NOT_RUN):
            numbers = f"{sum(total.values())} published numbers: {_counted(total.items())}"
            tell(f"{numbers} -> {outputs.verdicts.format(study='<study>')}")
        if Path(outputs.claims).is_file():
            verdicts = {row["claim"]: row["verdict"] for row in read_csv(outputs.claims)}
            counts = _counted(Counter(verdicts.values()).most_common())
            tell(f"claims: {counts} -> {outputs.claim_page}")

    def _status(self) -> str:
        # Of a copy, since jobs end in other threads
        remaining, elapsed = sum([*self._left.values()]), time.monotonic() - self._started
        # What has been estimated for the jobs that are done tells how far estimates are off.
        done = self._expected - remaining
        factor = elapsed * self._cores / done if done > 0.05 * self._expected else 1.0
        # Data that a method refuses, such as those with missing values, are no failure of the run.
        failures = sum(self._failures.values()) - self._failures[Status.INVALID_INPUT]
        text = f"{format_duration(remaining / self._cores * factor)} left"
        text = text if self._left else "making the report"
        return f"{failures} failed, {text}" if failures else text

    def _line(self, study: str) -> str:
        table = read_csv(self._plan.outputs.table.format(study=study))
        statuses = Counter(row["status"] for row in table)
        figures = ", ".join(self._plan.figure_files(study))
        spent = format_duration(time.monotonic() - self._started)
        return f"[{spent}] {study}: {_counted(sorted(statuses.items()))} -> {figures}"


def _counted(numbers: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{n} {word}" for word, n in numbers)


def tell_mistakes(plan: Plan, how: str) -> None:
    """Say what *is*, *was* or *will be* left out, because it has a mistake."""
    for error in plan.unused_mistakes:
        tell(f"catalog entry {how} left out: {error}")
    for name, error in plan.broken.items():
        tell(f"study {name} {how} left out: {error}")
    if plan.claims_mistake is not None:
        tell(f"the file of claims {how} left out: {plan.claims_mistake}")


def tell(text: str) -> None:
    """Print a message to the user, above the progress bar if there is one."""
    tqdm.write(escape(text), file=sys.stderr)
    sys.stderr.flush()
