"""The job that makes the report: what it shows of a plan, and the files that it reads."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import nldr
from nldr.engine.code.fingerprint import PACKAGE, Closure
from nldr.engine.files.layout import Record
from nldr.engine.files.store import digest_of
from nldr.engine.planning.catalog import Catalog
from nldr.engine.planning.cells import Cells
from nldr.engine.planning.claims import FOLDER, printed_numbers, selected_cells
from nldr.engine.planning.studies import FOLDER as STUDIES
from nldr.engine.planning.studies import StudyPlan
from nldr.engine.reading.claims import Claim, Evaluation
from nldr.report.content import StudyContent
from nldr.report.data.catalog_cards import plan_cards, plan_samples
from nldr.report.data.jobs import CloudSource, EmbeddingSource, ReportJob


def report_job(plan: Cells) -> ReportJob:
    """Return the job that makes the report."""
    reported = plan.reported()
    studies = {name: _study(plan.studies[name]) for name in reported}
    record = {name: plan.full_size(name) for name in recorded(plan)}
    # In the record, the cells of full size decide published numbers.
    full = {name: plan.full_size(name) for name in plan.studies if record}
    places = _claim_places(plan)
    studies |= {
        name: StudyContent(name, name, "", f"{STUDIES}/{name}.yaml", broken=str(error))
        for name, error in plan.broken.items()
        if plan.config.studies in ("all", "headline")
    }
    return ReportJob(
        scale=plan.config.scale,
        version=nldr.__version__,
        studies=studies,
        record={name: _study(study) for name, study in record.items()},
        papers={file: plan.claims[name].paper for name, (file, _) in places.items()},
        sources={name: f"{FOLDER}/{file}.yaml:{line}" for name, (file, line) in places.items()},
        headlines=[name for name, claim in plan.claims.items() if claim.headline],
        evidence={
            name: figure
            for name, claim in plan.claims.items()
            if (figure := _evidence_figure(plan, claim))
        },
        looks={name: plan.catalog.look_of(entry) for name, entry in plan.catalog.methods.items()},
        families=_families(plan),
        cards=plan_cards(
            plan.catalog, [*record.values(), *(plan.studies[name] for name in reported)]
        ),
        samples=plan_samples(plan.catalog),
        clouds=cloud_sources(plan, reported),
        numbers=printed_numbers(full or plan.studies, plan.broken, plan.catalog),
        code=plan.catalog.fingerprint(ReportJob.runs) + _assets(plan.catalog),
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
    files["record"] = recorded_files(plan)
    files["claims"] = [outputs.claim_details] if plan.decides_claims(studies) else []
    # Files of embeddings for the explorer
    sources = cloud_sources(plan, studies)
    embeddings = [embedding for source in sources for embedding in source.embeddings]
    files["data"] = [source.manifest for source in sources]
    files["embeddings"] = [embedding.manifest for embedding in embeddings]
    files["scores"] = sorted({file for embedding in embeddings for file in embedding.scores})
    return files


def cloud_sources(plan: Cells, studies: list[str]) -> list[CloudSource]:
    """Return all embeddings of some studies, dataset by dataset."""
    # A cell that several studies share is shown with the largest number of its trials.
    trials: dict[str, dict[str, int]] = {}
    scores: dict[tuple[str, str], list[str]] = {}
    for name in studies:
        for pair in plan.studies[name].pairs:
            methods = trials.setdefault(pair.data, {})
            methods[pair.method] = max(methods.get(pair.method, 0), pair.trials)
            scores.setdefault(pair.cell, []).append(plan.score_file(pair, name))
    return [
        CloudSource(
            name=plan.data[data].name,
            cell=data,
            title=_cell_title(plan.data[data].entry.title, data),
            manifest=plan.data_file(data, max(methods.values())),
            embeddings=[
                EmbeddingSource(
                    method=plan.methods[method].name,
                    cell=method,
                    title=_cell_title(plan.methods[method].entry.title, method),
                    manifest=plan.embedding_file(data, method, number),
                    scores=scores[data, method],
                )
                for method, number in methods.items()
            ],
        )
        for data, methods in trials.items()
    ]


def _cell_title(title: str, cell: str) -> str:
    """Return a title with the parameters in which a cell differs from the catalog.

    Examples
    --------
    >>> _cell_title("Swiss roll", "swiss_roll@n_samples=200@noise=0.5")
    'Swiss roll, n_samples = 200, noise = 0.5'
    """
    params = [part.replace("=", " = ", 1) for part in cell.split("@")[1:]]
    shown = [unquote(part.replace("~", "%")) for part in params if part != "n_components = 2"]
    return ", ".join([title, *shown])


def recorded(plan: Cells) -> list[str]:
    """Return the studies that the record has."""
    table = Record().table
    return [name for name in plan.studies if (plan.root / table.format(study=name)).is_file()]


def recorded_files(plan: Cells) -> list[str]:
    """Return the files of the record that the report shows."""
    record, names = Record(), recorded(plan)
    tables = (record.table, record.summary, record.failures, record.timings, record.costs)
    files = [pattern.format(study=name) for name in names for pattern in (*tables, record.verdicts)]
    figures = [figure for name in names for figure in plan.full_size(name).figures]
    files += [p.format(figure=f) for f in figures for p in (record.drawing, record.picture)]
    cells = dict.fromkeys(pair.cell for name in names for pair in plan.full_size(name).pairs)
    files += [record.points.format(data=data, method=method) for data, method in cells]
    return [file for file in (*files, record.claim_details) if (plan.root / file).is_file()]


def _study(study: StudyPlan) -> StudyContent:
    """Return a study before results."""
    declared = study.study.published
    sizes = {cell.size("n_samples") for cell in study.data.values()}
    scorings: dict[str, list[str]] = {}
    for metric, (scoring, _) in study.metrics.items():
        scorings.setdefault(scoring.name, []).append(metric)
    return StudyContent(
        name=study.name,
        title=study.study.title,
        source=study.study.source,
        file=f"{STUDIES}/{study.name}.yaml",
        figures={figure: spec.title or study.study.title for figure, spec in study.figures.items()},
        cells=[pair.cell for pair in study.pairs],
        exact=study.exact_cells(),
        n_samples=sorted(size for size in sizes if size),
        trials=sorted({pair.trials for pair in study.pairs}),
        methods=study.method_titles(),
        datasets=study.dataset_titles(),
        metrics=study.metric_facts(),
        scorings=scorings,
        published=declared.file if declared else "",
    )


def _families(plan: Cells) -> dict[str, str]:
    """Return the families of datasets that figures declare, by the names of the datasets."""
    declared = [
        spec.params.get("families")
        for study in plan.studies.values()
        for spec in study.figures.values()
    ]
    return {
        dataset: family
        for families in declared
        if isinstance(families, dict)
        for family, datasets in families.items()
        for dataset in datasets
    }


def _claim_places(plan: Cells) -> dict[str, tuple[str, int]]:
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
    # Cells of the paper's own settings go before those of equal tuning.
    for evaluation in claim.evaluations().values():
        if isinstance(evaluation, Evaluation) and evaluation.study in plan.studies:
            study = plan.studies[evaluation.study]
            cells = {*selected_cells(study, evaluation)}
            shown = {f: {pair.cell for pair in study.figure_pairs(f)} for f in study.figures}
            best = max(shown, key=lambda figure: len(cells & shown[figure]))
            if cells & shown[best]:
                return best
    return None


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
