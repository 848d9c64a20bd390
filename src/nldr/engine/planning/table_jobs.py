"""Jobs that make the tables of a study, and decide its published numbers.

They are methods of :class:`nldr.engine.planning.plan.Plan` too.
"""

from __future__ import annotations

from dataclasses import replace

from nldr.engine.jobs.report_specs import PublishedJoin, TableJob, VerdictJob
from nldr.engine.planning.cells import Cells
from nldr.engine.planning.studies import StudyPlan


def table_job(plan: Cells, study: str) -> TableJob:
    """Return the job that makes a study's tables."""
    planned = plan.studies[study]
    return TableJob(
        cells=planned.cells(),
        metrics=list(planned.metrics),
        groups=planned.groups,
        published=published_join(planned),
        code=plan.catalog.fingerprint(TableJob.runs),
    )


def published_join(study: StudyPlan) -> PublishedJoin | None:
    """Return the numbers to compare with; both sides may use names or titles."""
    spec = study.study.published
    if spec is None:
        return None
    # Names for the best of several go before the methods that compete, which may share a title.
    best = {name: best.title for name, best in study.study.best_of.items()}
    titles = {"dataset": study.dataset_titles(), "method": best | study.method_titles()}
    return PublishedJoin(titles=titles, **spec.model_dump(exclude={"file"}))


def verdict_job(plan: Cells, study: str) -> VerdictJob:
    """Return the job that decides the published numbers of a study."""
    planned, full = plan.studies[study], plan.full_size(study)
    join = published_join(full)
    if join is None:
        raise ValueError(f"study '{study}' declares no published numbers")
    # Names of other methods of the catalog are known too: their numbers belong to other studies.
    others = {method: entry.title for method, entry in plan.catalog.methods.items()}
    methods = join.titles["method"]
    titles = {
        **join.titles,
        "method": methods | {k: v for k, v in others.items() if k not in methods},
    }
    return VerdictJob(
        scale=plan.config.scale,
        metrics={metric: entry.direction for metric, (_, entry) in planned.metrics.items()},
        full=[(pair.data, pair.method) for pair in full.pairs],
        exact=planned.exact_cells(),
        methods=list(methods),
        published=replace(join, titles=titles),
        code=plan.catalog.fingerprint(VerdictJob.runs),
    )
