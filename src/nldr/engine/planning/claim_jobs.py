"""Jobs that decide claims, from the cells that they select of studies, and published numbers.

They are methods of :class:`nldr.engine.planning.plan.Plan` too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from nldr.claims.jobs import FULL, OTHER, PART, REDUCED, ClaimJob, EvaluationJob
from nldr.claims.published.tally import Tally, count_numbers
from nldr.engine.files.layout import Outputs
from nldr.engine.jobs.report_specs import ClaimsJob, StudyEvidence, VerdictJob
from nldr.engine.planning.cells import Cells
from nldr.engine.planning.claims import (
    AMENDMENTS,
    Key,
    competing_cells,
    deciding_cells,
    read_registered,
    selected_cells,
)
from nldr.engine.planning.expand import Pair
from nldr.engine.reading.claims import Evaluation

CLAIM = "claim_"  # begins the name of Snakemake's target for the cells of a claim


def claims_job(plan: Cells) -> ClaimsJob:
    """Return the job that decides all claims."""
    ways = [way for claim in plan.claims.values() for way in claim.decided().values()]
    tests = {plan.catalog.fingerprint("", test.name) for way in ways for test in way.tests}
    registered = read_registered(plan.catalog.layers)
    amendments = plan.catalog.layers.rows(AMENDMENTS)
    pairs = claim_pairs(plan, plan.claims)
    claims = []
    for name, claim in plan.claims.items():
        entries = registered.get(name, {})
        job = ClaimJob(
            name=name,
            paper=claim.paper,
            statement=claim.statement,
            place=claim.place,
            quote=claim.quote,
            evaluations={
                basis: _evaluation(plan, spec) if isinstance(spec, Evaluation) else spec
                for basis, spec in claim.evaluations().items()
            },
            settings={basis: entry.settings for basis, entry in entries.items()},
            print_passes={b: e.print_passes for b, e in entries.items() if e.print_passes},
            amendments=[line for line in amendments if line["claim"] == name],
            stopped_at={b: n for (c, b), n in plan.claim_trials.items() if c == name},
        )
        claims.append(job)
    return ClaimsJob(
        claims=claims,
        studies={name: _evidence(plan, name, chosen) for name, chosen in pairs.items()},
        scale=plan.config.scale,
        code=plan.catalog.fingerprint(ClaimsJob.runs) + "".join(sorted(tests)),
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
        competing=competing_cells(plan.studies[name], cells) if evaluation.tuned else [],
        tuned=evaluation.tuned,
        size=_size(plan, cells, name, evaluation),
        tests=[(test.name, test.params) for test in evaluation.tests],
    )


def _size(plan: Cells, cells: list[tuple[str, str]], study: str, evaluation: Evaluation) -> str:
    """Return how the cells of a claim compare with those at scale ``paper``."""
    whole = plan.full_size(study)
    full = selected_cells(whole, evaluation)
    # Cells of the same parameters, or at least of the same datasets
    if {*cells} <= {*full}:
        return FULL if len(cells) == len(full) else PART
    here = {plan.studies[study].data[data].name for data, _ in cells}
    return REDUCED if here <= {whole.data[data].name for data, _ in full} else OTHER


def claim_pairs(plan: Cells, claims: Collection[str]) -> dict[str, list[Pair]]:
    """Return the cells from which claims are decided, by study."""
    asked, needed = plan.claim_studies(), defaultdict[str, set[Key]](set)
    for evaluation in (way for name in claims for way in plan.claims[name].decided().values()):
        if evaluation.study in asked:
            needed[evaluation.study] |= deciding_cells(plan.studies[evaluation.study], evaluation)
    studies = {name: study for name, study in plan.studies.items() if name in needed}
    return {k: [p for p in s.pairs if p.cell in needed[k]] for k, s in studies.items()}


def claim_files(
    plan: Cells, claims: Collection[str] | None = None, studies: Collection[str] | None = None
) -> dict[str, list[str]]:
    """Return the scores, embeddings and published numbers of claims and studies, all by default."""
    chosen = claim_pairs(plan, plan.claims if claims is None else claims)
    used = [name for name in chosen if studies is None or name in studies]
    pairs = [(name, pair) for name in used for pair in chosen[name]]
    files = {
        "scores": [plan.score_file(pair, name) for name, pair in pairs],
        "embeddings": [plan.embedding_file(*pair.cell, pair.trials) for _, pair in pairs],
        "published": [file for name in used for file in plan.published_files(name)],
    }
    # Studies share cells and published numbers
    return {kind: [*dict.fromkeys(paths)] for kind, paths in files.items()}


def _evidence(plan: Cells, name: str, pairs: Collection[Pair]) -> StudyEvidence:
    study = plan.studies[name]
    return StudyEvidence(
        cells=replace(study, pairs=[*pairs]).cells(),
        groups=study.groups,
        scorers=plan.scorers(name),
        methods=study.method_titles(),
        datasets=study.dataset_titles(),
        metrics=study.metric_facts(),
        exact=study.exact_cells(),
        verdicts=verdict_job(plan, name) if study.study.published else None,
        published=study.study.published.file if study.study.published else None,
    )


def verdict_job(plan: Cells, study: str) -> VerdictJob:
    """Return the job that decides the published numbers of a study."""
    planned, full = plan.studies[study], plan.full_size(study)
    join = full.published_join()
    if join is None:
        raise ValueError(f"study '{study}' declares no published numbers")
    # Names of other methods of the catalog are known too: their numbers belong to other studies.
    methods, catalog = join.titles["method"], plan.catalog.methods.items()
    others = {name: entry.title for name, entry in catalog if name not in methods}
    titles = join.titles | {"method": methods | others}
    return VerdictJob(
        scale=plan.config.scale,
        metrics={metric: entry.direction for metric, (_, entry) in planned.metrics.items()},
        full=[pair.cell for pair in full.pairs],
        exact=planned.exact_cells(),
        methods=list(methods),
        published=replace(join, titles=titles),
        code=plan.catalog.fingerprint(VerdictJob.runs),
    )


def count_published(plan: Cells, outputs: Outputs, root: Path = Path()) -> list[Tally]:
    """Return the outcomes of all published numbers by a build or the record, file by file."""
    paths = {name: root / outputs.verdicts.format(study=name) for name in plan.studies}
    return count_numbers(plan.printed_numbers, paths)
