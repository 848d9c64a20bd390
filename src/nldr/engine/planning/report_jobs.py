"""Jobs that report on studies: tables, verdicts, figures and claims.

They are methods of :class:`nldr.engine.planning.plan.Plan` too.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import nldr
from nldr.engine.code.fingerprint import PACKAGE, Closure
from nldr.engine.files.store import digest_of
from nldr.engine.jobs.page_specs import ReportJob
from nldr.engine.jobs.report_specs import (
    FULL,
    OTHER,
    PART,
    REDUCED,
    ClaimJob,
    ClaimsJob,
    EvaluationJob,
    FigureJob,
    Look,
    PublishedJoin,
    StudyEvidence,
    TableJob,
    VerdictJob,
)
from nldr.engine.planning.cards import plan_cards
from nldr.engine.planning.catalog import Catalog
from nldr.engine.planning.cells import Cells
from nldr.engine.planning.claims import FOLDER, read_amendments, read_registered
from nldr.engine.planning.cloud_jobs import cloud_inputs, cloud_sources
from nldr.engine.planning.expand import keeps
from nldr.engine.planning.studies import FOLDER as STUDIES
from nldr.engine.planning.studies import StudyPlan
from nldr.engine.reading.claims import Claim, Evaluation
from nldr.engine.reading.entries import MethodEntry
from nldr.report.content import Study

# The functions that decide the results of each stage.
TABLE_CODE = "nldr.engine.stages.table.make_tables"
VERDICT_CODE = "nldr.engine.stages.verdicts.decide_published"
FIGURE_CODE = "nldr.engine.stages.figure.draw_figure"
CLAIMS_CODE = "nldr.engine.stages.claims.decide_claims"
REPORT_CODE = "nldr.report.data.report.make_report"


def table_job(plan: Cells, name: str) -> TableJob:
    """Return the job that makes a study's tables."""
    study = plan.studies[name]
    return TableJob(
        cells=study.cells(),
        metrics=list(study.metrics),
        groups=study.groups,
        published=_published_join(study),
        code=plan.catalog.fingerprint(TABLE_CODE),
    )


def _published_join(study: StudyPlan) -> PublishedJoin | None:
    """Return the numbers to compare with; both sides may use names or titles."""
    spec = study.study.published
    if spec is None:
        return None
    datasets = {cell.name: cell.entry.title for cell in study.data.values()}
    methods = {cell.name: cell.entry.title for cell in study.methods.values()}
    best = {name: best.title for name, best in study.study.best_of.items()}
    titles = {"dataset": datasets, "method": best | methods}
    return PublishedJoin(
        spec.keys, spec.names, spec.where, spec.values, titles, spec.margins, spec.n_trials
    )


# --- verdicts -----------------------------------------------------------------------------------


def verdict_job(plan: Cells, name: str) -> VerdictJob:
    """Return the job that decides the published numbers of a study."""
    study, full = plan.studies[name], plan.full_size(name)
    join = _published_join(full)
    if join is None:
        raise ValueError(f"study '{name}' declares no published numbers")
    # Names of other methods of the catalog are known too: their numbers belong to other studies.
    others = {method: entry.title for method, entry in plan.catalog.methods.items()}
    methods = join.titles["method"]
    titles = {
        **join.titles,
        "method": methods | {k: v for k, v in others.items() if k not in methods},
    }
    return VerdictJob(
        scale=plan.config.scale,
        metrics={metric: entry.direction for metric, (_, entry) in study.metrics.items()},
        full=[(pair.data, pair.method) for pair in full.pairs],
        exact=study.exact_cells(),
        methods=list(methods),
        published=PublishedJoin(**{**vars(join), "titles": titles}),
        code=plan.catalog.fingerprint(VERDICT_CODE),
    )


# --- figures ------------------------------------------------------------------------------------


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
        cells=[(pair.data, pair.method) for pair in pairs],
        panels=plan.panel_data(figure),
        groups=list(study.groups),
        tuned=spec.tuned,
        methods={name: title for name, (title, _) in shown.items()},
        datasets={plan.data[p.data].name: plan.data[p.data].entry.title for p in pairs},
        roles={name: entry.role for name, entry in drawn_as.items()},
        looks={name: _look(plan.catalog, entry) for name, entry in drawn_as.items()},
        metrics={name: metric.model_dump() for name, (_, metric) in study.metrics.items()},
        published=_published_join(study),
        scale=plan.config.scale,
        code=plan.catalog.fingerprint(FIGURE_CODE, spec.function),
    )


def _look(catalog: Catalog, method: MethodEntry) -> Look:
    """Return the look of a method, which its family decides."""
    family = catalog.families[method.family]
    return Look(family.color, family.marker, method.variant, method.role == "control")


# --- claims -------------------------------------------------------------------------------------


def claims_job(plan: Cells) -> ClaimsJob:
    """Return the job that decides all claims."""
    paths = {path for claim in plan.claims.values() for path in claim.functions()}
    tests = {plan.catalog.fingerprint("", path) for path in paths}
    registered = read_registered(plan.catalog.layers)
    amendments = read_amendments(plan.catalog.layers)
    claims = [
        replace(
            _claim_job(plan, name, claim),
            settings={b: entry.settings for b, entry in registered.get(name, {}).items()},
            print_passes={
                b: entry.print_passes
                for b, entry in registered.get(name, {}).items()
                if entry.print_passes
            },
            amendments=[line for line in amendments if line["claim"] == name],
        )
        for name, claim in plan.claims.items()
    ]
    return ClaimsJob(
        claims=claims,
        studies={name: _evidence(plan, name) for name in plan.claim_studies()},
        scale=plan.config.scale,
        code=plan.catalog.fingerprint(CLAIMS_CODE) + "".join(sorted(tests)),
    )


def _claim_job(plan: Cells, name: str, claim: Claim) -> ClaimJob:
    return ClaimJob(
        name=name,
        paper=claim.paper,
        statement=claim.statement,
        place=claim.place,
        quote=claim.quote,
        evaluations={
            basis: _evaluation(plan, spec) if isinstance(spec, Evaluation) else spec
            for basis, spec in claim.evaluations().items()
        },
    )


def _evaluation(plan: Cells, evaluation: Evaluation) -> EvaluationJob | str:
    """Return one way to decide a claim; a reason where its study cannot be built."""
    name = evaluation.study
    if name in plan.broken:
        return f"the study has a mistake: {plan.broken[name]}"
    cells = selected_cells(plan.studies[name], evaluation)
    return EvaluationJob(
        study=name,
        cells=cells,
        tuned=evaluation.tuned,
        size=_size(plan, cells, name, evaluation),
        tests=[(test.path, test.params) for test in evaluation.tests],
    )


def _size(plan: Cells, cells: list[tuple[str, str]], study: str, evaluation: Evaluation) -> str:
    """Return how the cells of a claim compare with those at scale ``paper``."""
    whole = plan.full_size(study)
    full = selected_cells(whole, evaluation)
    if {*cells} <= {*full}:
        return FULL if len(cells) == len(full) else PART
    here = {plan.studies[study].data[data].name for data, _ in cells}
    return REDUCED if here <= {whole.data[data].name for data, _ in full} else OTHER


def selected_cells(study: StudyPlan, evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return the cells of a study from which a claim is decided."""
    cells = []
    for pair in study.pairs:
        data, method = study.data[pair.data], study.methods[pair.method]
        if keeps(evaluation.select, data, method, study.group_of(method.name)):
            cells.append((pair.data, pair.method))
    return cells


def _evidence(plan: Cells, name: str) -> StudyEvidence:
    study = plan.studies[name]
    best = {group: best.title for group, best in study.study.best_of.items()}
    return StudyEvidence(
        methods={cell.name: cell.entry.title for cell in study.methods.values()} | best,
        datasets={cell.name: cell.entry.title for cell in study.data.values()},
        metrics={metric: entry.model_dump() for metric, (_, entry) in study.metrics.items()},
        exact=study.exact_cells(),
        verdicts=verdict_job(plan, name) if study.study.published else None,
        published=study.study.published.file if study.study.published else None,
    )


# --- the report -----------------------------------------------------------------------------------


def report_job(plan: Cells) -> ReportJob:
    """Return the job that makes the report on the studies that the config asks for."""
    broken = {
        name: error
        for name, error in plan.broken.items()
        if name != "claims" and plan.config.studies == "all"
    }
    studies = {name: _study(plan, name) for name in plan.selected}
    studies |= {
        name: Study(name, name, "", f"{STUDIES}/{name}.yaml", broken=str(error))
        for name, error in broken.items()
    }
    return ReportJob(
        scale=plan.config.scale,
        version=nldr.__version__,
        studies=studies,
        papers=_papers(plan),
        sources=_sources(plan),
        evidence={
            name: figure
            for name, claim in plan.claims.items()
            if (figure := _evidence_figure(plan, claim))
        },
        looks={name: _look(plan.catalog, entry) for name, entry in plan.catalog.methods.items()},
        cards=plan_cards(plan.catalog, [plan.studies[name] for name in plan.selected]),
        clouds=cloud_sources(plan, list(plan.selected)),
        numbers=plan.printed_numbers,
        code=plan.catalog.fingerprint(REPORT_CODE) + _assets(plan.catalog),
    )


def report_inputs(plan: Cells, studies: list[str]) -> dict[str, list[str]]:
    """Return the files that the report on some studies is made from, by kind."""
    outputs = plan.outputs
    kinds = ("table", "summary", "failures", "timings", "costs")
    files = {
        kind: [getattr(outputs, kind).format(study=name) for name in studies] for kind in kinds
    }
    files["verdicts"] = [file for name in studies for file in plan.verdict_files(name)]
    files["published"] = sorted({file for name in studies for file in plan.published_files(name)})
    files["drawings"] = [
        outputs.drawing.format(figure=figure)
        for name in studies
        for figure in plan.studies[name].figures
    ]
    used = {study for claim in plan.claims.values() for study in claim.studies()}
    files["claims"] = [outputs.claim_details] if plan.claims and used <= {*studies} else []
    return files | cloud_inputs(cloud_sources(plan, studies))


def _study(plan: Cells, name: str) -> Study:
    """Return a study before results."""
    study = plan.studies[name]
    evidence = _evidence(plan, name)
    sizes = {cell.size("n_samples") for cell in study.data.values()}
    scorings: dict[str, list[str]] = {}
    for metric, (scoring, _) in study.metrics.items():
        scorings.setdefault(scoring.name, []).append(metric)
    return Study(
        name=name,
        title=study.study.title,
        source=study.study.source,
        file=f"{STUDIES}/{name}.yaml",
        figures={figure: spec.title or study.study.title for figure, spec in study.figures.items()},
        cells=[(pair.data, pair.method) for pair in study.pairs],
        exact=evidence.exact,
        n_samples=sorted(size for size in sizes if size),
        trials=sorted({pair.trials for pair in study.pairs}),
        methods=evidence.methods,
        datasets=evidence.datasets,
        metrics=evidence.metrics,
        scorings=scorings,
        published=evidence.published or "",
    )


def _papers(plan: Cells) -> dict[str, str]:
    """Return the titles of the papers by the names of the files that have their claims."""
    files = _claim_files(plan)
    return {file: claim.paper for name, claim in plan.claims.items() for file in [files[name][0]]}


def _sources(plan: Cells) -> dict[str, str]:
    """Return file and line of each claim."""
    return {
        name: f"{FOLDER}/{file}.yaml:{line}" for name, (file, line) in _claim_files(plan).items()
    }


def _claim_files(plan: Cells) -> dict[str, tuple[str, int]]:
    """Return the name of the file and the line of each claim."""
    places = {}
    layers = plan.catalog.layers
    for path in (layers.root / file for file in layers.files(FOLDER)):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if (match := re.match(r"  ([\w.-]+):", line)) and match[1] in plan.claims:
                places[match[1]] = (path.stem, number)
    return places


def _evidence_figure(plan: Cells, claim: Claim) -> str | None:
    """Return the figure that shows most of the cells that decide a claim."""
    best, most = None, 0
    for evaluation in claim.evaluations().values():
        if not isinstance(evaluation, Evaluation) or evaluation.study not in plan.studies:
            continue
        study = plan.studies[evaluation.study]
        cells = {*selected_cells(study, evaluation)}
        for figure in study.figures:
            shared = len(cells & {(p.data, p.method) for p in study.figure_pairs(figure)})
            if shared > most:
                best, most = figure, shared
        # Cells of the paper's own settings go before those of equal tuning.
        if best is not None:
            return best
    return best


def _assets(catalog: Catalog) -> str:
    """Return a fingerprint of the templates, styles and scripts of the report."""
    folder = Path(nldr.__file__).parent / "report"
    files = [path for kind in ("assets", "templates") for path in sorted((folder / kind).glob("*"))]
    # A change of one is told by its name, as that of a module.
    contents = {
        f"{PACKAGE}/report/{path.parent.name}/{path.name}": digest_of(path.read_text("utf-8"))
        for path in files
        if path.is_file()
    }
    assets = Closure(contents, {})
    catalog.code[assets.fingerprint] = assets
    return assets.fingerprint
