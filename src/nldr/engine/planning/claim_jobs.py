"""Jobs that decide claims, from the cells that they select of studies, and published numbers.

They are methods of :class:`nldr.engine.planning.plan.Plan` too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from nldr.engine.jobs.report_specs import (
    FULL,
    OTHER,
    PART,
    REDUCED,
    ClaimJob,
    ClaimsJob,
    EvaluationJob,
    StudyEvidence,
    VerdictJob,
)
from nldr.engine.planning.cells import Cells
from nldr.engine.planning.claims import read_amendments, read_registered
from nldr.engine.planning.expand import Pair
from nldr.engine.planning.studies import StudyPlan
from nldr.engine.reading.claims import Claim, Evaluation, Registration

CLAIM = "claim_"  # begins the name of Snakemake's target for the cells of a claim
Key = tuple[str, str]  # dataset and method cell


def claims_job(plan: Cells) -> ClaimsJob:
    """Return the job that decides all claims."""
    paths = {path for claim in plan.claims.values() for path in claim.functions()}
    tests = {plan.catalog.fingerprint("", path) for path in paths}
    registered = read_registered(plan.catalog.layers)
    amendments = read_amendments(plan.catalog.layers)
    pairs = claim_pairs(plan, plan.claims)
    return ClaimsJob(
        claims=[_claim_job(plan, name, registered, amendments) for name in plan.claims],
        studies={name: _evidence(plan, name, chosen) for name, chosen in pairs.items()},
        scale=plan.config.scale,
        code=plan.catalog.fingerprint(ClaimsJob.runs) + "".join(sorted(tests)),
    )


def _claim_job(
    plan: Cells,
    name: str,
    registered: Mapping[str, Mapping[str, Registration]],
    amendments: list[dict[str, str]],
) -> ClaimJob:
    claim, entries = plan.claims[name], registered.get(name, {})
    passes = {basis: entry.print_passes for basis, entry in entries.items()}
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
        settings={basis: entry.settings for basis, entry in entries.items()},
        print_passes={basis: text for basis, text in passes.items() if text},
        amendments=[line for line in amendments if line["claim"] == name],
        stopped_at={b: n for (c, b), n in plan.claim_trials.items() if c == name},
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
        tests=[(test.path, test.params) for test in evaluation.tests],
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


def selected_cells(study: StudyPlan, evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return the cells of a study from which a claim is decided."""
    return [pair.cell for pair in study.chosen(evaluation.select)]


def competing_cells(study: StudyPlan, cells: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the other cells of a study that compete with some to be the best of a tuned method."""
    # Settings compete on each dataset, or on all of them together.
    rivals = set()
    for data, method in cells:
        group = study.group_of(study.methods[method].name)
        if group is not None:
            rivals.add((None if study.groups[group].one_setting else data, group))
    chosen, competing = {*cells}, []
    for pair in study.pairs:
        group = study.group_of(study.methods[pair.method].name)
        if {(None, group), (pair.data, group)} & rivals and pair.cell not in chosen:
            competing.append(pair.cell)
    return competing


def claim_pairs(plan: Cells, claims: Collection[str]) -> dict[str, list[Pair]]:
    """Return the cells from which claims are decided, by study."""
    needed: dict[str, set[Key]] = {}
    for name in claims:
        for _, study, cells in _needed_cells(plan, plan.claims[name]):
            needed.setdefault(study, set()).update(cells)
    return {
        name: [pair for pair in study.pairs if pair.cell in needed[name]]
        for name, study in plan.studies.items()
        if name in needed
    }


def grow_studies(plan: Cells) -> None:
    """Give cells of studies the trials that a stopping rule has reached for a claim.

    Tables and verdicts on published numbers have these trials, too.
    """
    for name in {name for name, _ in plan.claim_trials} & plan.claims.keys():
        for basis, study, cells in _needed_cells(plan, plan.claims[name]):
            number, planned = plan.claim_trials.get((name, basis), 0), plan.studies[study]
            chosen = {*cells}
            pairs = [
                _grown(planned, pair, number) if pair.cell in chosen else pair
                for pair in planned.pairs
            ]
            plan.studies[study] = replace(planned, pairs=pairs)


def _needed_cells(plan: Cells, claim: Claim) -> Iterator[tuple[str, str, list[Key]]]:
    """Yield basis, study and cells of each evaluation of a claim."""
    asked = plan.claim_studies()
    for basis, evaluation in claim.evaluations().items():
        if isinstance(evaluation, Evaluation) and evaluation.study in asked:
            study = plan.studies[evaluation.study]
            cells = selected_cells(study, evaluation)
            # The best setting is known only beside all that compete with it.
            competing = competing_cells(study, cells) if evaluation.tuned else []
            yield basis, study.name, cells + competing


def _grown(study: StudyPlan, pair: Pair, trials: int) -> Pair:
    """Return a pair with the trials of a stopping rule, if they are more and anything is random."""
    seeded = study.data[pair.data].seeded or study.methods[pair.method].seeded
    if trials <= pair.scored or not seeded:
        return pair
    return replace(pair, trials=trials + pair.trials - pair.scored, scored=trials)


def claim_files(
    plan: Cells, claims: Collection[str] | None = None, studies: Collection[str] | None = None
) -> dict[str, list[str]]:
    """Return the files from which claims are decided, by default all claims of all studies.

    These are scores, embeddings and published numbers.
    """
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
    others = {method: entry.title for method, entry in plan.catalog.methods.items()}
    methods = join.titles["method"]
    titles = {
        **join.titles,
        "method": methods | {k: v for k, v in others.items() if k not in methods},
    }
    return VerdictJob(
        scale=plan.config.scale,
        metrics={metric: entry.direction for metric, (_, entry) in planned.metrics.items()},
        full=[pair.cell for pair in full.pairs],
        exact=planned.exact_cells(),
        methods=list(methods),
        published=replace(join, titles=titles),
        code=plan.catalog.fingerprint(VerdictJob.runs),
    )
