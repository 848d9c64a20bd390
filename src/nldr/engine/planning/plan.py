"""The plan of a run: the jobs that Snakemake starts, in their order, and what they cost."""

from __future__ import annotations

import functools
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from nldr.engine.code.imports import import_object
from nldr.engine.files.layout import STATE
from nldr.engine.files.method_environments import HOMES
from nldr.engine.files.store import cpu, digest_of
from nldr.engine.jobs.report_specs import ClaimsJob, FigureJob, PageJob, TableJob, VerdictJob
from nldr.engine.jobs.specs import DataJob, EmbedJob, ScoresJob
from nldr.engine.planning import claim_jobs
from nldr.engine.planning.cells import Cells
from nldr.engine.planning.forecast import Forecast
from nldr.engine.planning.steps import Step, cell_steps, step_of, steps_of
from nldr.engine.planning.studies import STAGES

Job = DataJob | EmbedJob | ScoresJob | TableJob | VerdictJob | FigureJob | ClaimsJob | PageJob
LONG_SECONDS = 600  # of a cell, from which its trials run at the same time
REPORT = "nldr.report.data.planning"  # knows what the page shows


class Plan(Cells):
    """Everything that Snakemake is to build: cells, and what is made from them."""

    def __init__(self, config: Mapping[str, object], root: Path, cache: Path) -> None:
        super().__init__(config, root, cache)
        self.forecast = Forecast(self)
        # Headlines first, and cheap studies before expensive ones.
        studies, sizes = self.studies, self.forecast.sizes
        self.order = sorted(studies, key=lambda n: (not studies[n].study.headline, sizes[n]))

    def priority(self, stage: str, wildcards: Mapping[str, str]) -> int:
        """Return the priority of a job: studies, of which the first needs it, follow each other."""
        rank = self._ranks.get(step_of(stage, wildcards), 0)
        return len(STAGES) * (len(self.order) - rank) + STAGES.index(stage)

    @functools.cached_property
    def _ranks(self) -> dict[Step, int]:
        """Position of the first study that needs a job, in the order of building."""
        ranks: dict[Step, int] = {}
        for rank, name in enumerate(self.order):
            cells = (s for pair in self.studies[name].pairs for s in cell_steps(self, name, pair))
            for step in (*cells, *steps_of(self, name)):
                ranks.setdefault(step, rank)
        return ranks

    def threads(self, data: str, method: str, trials: int, cores: int | None) -> int:
        """Return the cores of a cell: several for long trials, all where timing is exclusive."""
        of_trial = self.methods[method].entry.threads
        most = self.config.cluster.cores if self.config.cluster else cores or 1
        if (data, method) in self.exclusive:
            return max(of_trial, most)
        # A cell takes no longer than it must.
        cost = self.forecast.cost(Step("embed", data, method, trials=trials))
        at_once = min(trials, math.ceil(trials * cost.cpu_seconds / LONG_SECONDS) or 1)
        return max(of_trial, min(of_trial * at_once, most))

    def table_job(self, study: str) -> TableJob:
        """Return the job that makes a study's tables."""
        planned = self.studies[study]
        return TableJob(
            cells=planned.cells(),
            metrics=list(planned.metrics),
            groups=planned.groups,
            published=planned.published_join(),
            code=self.catalog.fingerprint(TableJob.runs),
        )

    def figure_job(self, figure: str) -> FigureJob:
        """Return the job that draws a figure."""
        study = self.studies[self.owners[figure]]
        spec, pairs = study.figures[figure], study.figure_pairs(figure)
        shown = study.shown_methods(figure)
        drawn_as = {name: self.catalog.methods[like] for name, (_, like) in shown.items()}
        return FigureJob(
            title=spec.title or study.study.title,
            function=spec.function,
            params=spec.params,
            cells=[pair.cell for pair in pairs],
            panels=list(dict.fromkeys(pair.data for pair in self.panels(figure))),
            groups=list(study.groups),
            tuned=spec.tuned,
            methods={name: title for name, (title, _) in shown.items()},
            datasets={self.data[p.data].name: self.data[p.data].entry.title for p in pairs},
            roles={name: entry.role for name, entry in drawn_as.items()},
            looks={name: self.catalog.look_of(entry) for name, entry in drawn_as.items()},
            metrics=study.metric_facts(),
            published=study.published_join(),
            scale=self.config.scale,
            code=self.catalog.fingerprint(FigureJob.runs, spec.function),
        )

    verdict_job = claim_jobs.verdict_job
    claims_job = claim_jobs.claims_job
    claim_files = claim_jobs.claim_files

    def report_job(self) -> PageJob:
        """Return the job that makes the report."""
        return import_object(f"{REPORT}.report_job")(self)

    def report_inputs(self, studies: list[str]) -> dict[str, list[str]]:
        """Return the files that the report on some studies is made from, by kind."""
        return import_object(f"{REPORT}.report_inputs")(self, studies)

    def job(self, step: Step) -> Job:
        """Return the job of a stage with these wildcards."""
        return JOBS[step.stage](self, step)

    def targets(self) -> dict[str, list[str]]:
        """Return what can be asked for by name: all files of a study, or one figure."""
        studies = {name: self.files(name) for name in self.studies}
        figures = {name: [self.outputs.figure.format(figure=name)] for name in self.owners}
        return figures | studies

    def all_files(self, selected: Iterable[str]) -> list[str]:
        """Return the files of studies, the claims if these have cells of any, and the report."""
        chosen = list(selected)
        claims = [self.outputs.claims] if self.decides_claims(chosen) else []
        files = [file for study in chosen for file in self.files(study)]
        return [*files, *claims, self.outputs.report]


JOBS: dict[str, Callable[[Plan, Step], Job]] = {
    "data": lambda plan, step: plan.data_job(step.data, step.trials),
    "embed": lambda plan, step: plan.embed_job(step.data, step.method, step.trials),
    "score": lambda plan, step: plan.scores_job(step.data, step.scorers, step.trials),
    "table": lambda plan, step: plan.table_job(step.study),
    "verdict": lambda plan, step: plan.verdict_job(step.study),
    "figure": lambda plan, step: plan.figure_job(step.figure),
    "claims": lambda plan, _: plan.claims_job(),
    "report": lambda plan, _: plan.report_job(),
}


def make_plan(config: Mapping[str, object], root: Path) -> Plan:
    """Plan a run in the current folder and set the environment variables that its jobs read."""
    plan = Plan(config, root, Path(STATE) / "signatures.json")
    # Jobs import the code of this project, also where it is not installed.
    paths = [str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    os.environ["NLDR_RUN"] = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}-{os.getpid()}"
    # Code that jax has compiled is kept for the next job, for each kind of processor.
    compiled = Path(STATE).absolute() / f"jax-{digest_of(cpu())}"
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(compiled))
    os.environ["NLDR_ENVIRONMENTS"] = str(HOMES.absolute())
    if plan.config.data_dir is not None:
        os.environ["NLDR_DATA_DIR"] = str(Path(plan.config.data_dir).expanduser().resolve())
    return plan
