"""Jobs that report on studies: tables and figures.

They are methods of :class:`nldr.engine.planning.plan.Plan` too.
"""

from __future__ import annotations

from nldr.engine.jobs.report_specs import FigureJob, TableJob
from nldr.engine.planning.catalog import Catalog
from nldr.engine.planning.cells import Cells
from nldr.engine.reading.entries import MethodEntry


def table_job(plan: Cells, study: str) -> TableJob:
    """Return the job that makes a study's tables."""
    planned = plan.studies[study]
    return TableJob(
        cells=planned.cells(),
        metrics=list(planned.metrics),
        groups=planned.groups,
        published=planned.published_join(),
        code=plan.catalog.fingerprint(TableJob.runs),
    )


def figure_job(plan: Cells, figure: str) -> FigureJob:
    """Return the job that draws a figure."""
    study = plan.studies[plan.owners[figure]]
    spec, pairs = study.figures[figure], study.figure_pairs(figure)
    shown = study.shown_methods(figure)
    drawn_as = {name: plan.catalog.methods[like] for name, (_, like) in shown.items()}
    return FigureJob(
        title=spec.title or study.study.title,
        function=spec.function,
        params=spec.params,
        cells=[pair.cell for pair in pairs],
        panels=list(dict.fromkeys(pair.data for pair in plan.panels(figure))),
        groups=list(study.groups),
        tuned=spec.tuned,
        methods={name: title for name, (title, _) in shown.items()},
        datasets={plan.data[p.data].name: plan.data[p.data].entry.title for p in pairs},
        roles={name: entry.role for name, entry in drawn_as.items()},
        looks={name: look_of(plan.catalog, entry) for name, entry in drawn_as.items()},
        metrics=study.metric_facts(),
        published=study.published_join(),
        scale=plan.config.scale,
        code=plan.catalog.fingerprint(FigureJob.runs, spec.function),
    )


def look_of(catalog: Catalog, method: MethodEntry) -> dict[str, object]:
    """Return the look of a method, which its family decides."""
    family = catalog.families[method.family]
    facts = family.model_dump(include={"color", "marker"})
    return {**facts, "variant": method.variant, "control": method.role == "control"}
