"""Decide the claims of the papers from the cells that they select of studies."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nldr.claims import (
    CONVENTIONS,
    Comparison,
    Evidence,
    Finding,
    Judgment,
    Verdict,
    decide,
    final_verdict,
    judge,
    with_bounds,
)
from nldr.claims.conventions import FACTORS, conventions_of, metrics_of
from nldr.claims.findings import second_opinion
from nldr.claims.jobs import ClaimJob, EvaluationJob
from nldr.claims.stopping import needs_trials
from nldr.engine.code.imports import import_object
from nldr.engine.files.layout import EMBEDDINGS, SCORES
from nldr.engine.files.store import atomic, read_manifest, write_csv
from nldr.engine.jobs.report_specs import ClaimsJob, StudyEvidence
from nldr.engine.jobs.specs import Cell
from nldr.engine.stages.claim_page import format_page
from nldr.engine.stages.claim_tables import CellTable, table_of_cells
from nldr.engine.stages.rows import select_rows
from nldr.engine.stages.trials import cell_rows
from nldr.statistics.outcomes import Outcome

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = (
    "claim",
    "paper",
    "verdict",
    "basis",
    "decision",
    *(outcome.value for outcome in Outcome),
    "strip",
    "print_passes",
    "size",
    "study",
    "effect",
    "low",
    "high",
    "threshold",
    "unit",
    "p_value",
    "level",
    "n",
    "test",
    "sentence",
    "bounds",
    "statement",
    "place",
)
NOT_APPLICABLE = "not applicable"
Row = dict[str, Any]


def decide_claims(
    job: ClaimsJob,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, str],
    begin: Callable[[], None],
) -> None:
    """Write the verdict on each claim, with what it rests on.

    Parameters
    ----------
    job : ClaimsJob
        The claims, and the studies that have their cells.
    inputs : dict of str to sequence of str
        ``scores`` and ``embeddings``: manifests of the cells of claims, as far as these exist;
        ``published``: all files of published numbers that the studies compare with.
    outputs : dict of str to str
        ``claims``: a CSV file with the columns :data:`COLUMNS`, two rows per claim, as published
        and under equal tuning; ``page``: the same for readers, in Markdown; ``details``: the same
        as JSON, with the cells and the comparisons that each decision rests on.
    begin : callable
        Called when the work that is limited begins.
    """
    begin()
    existing = {*inputs["scores"], *inputs["embeddings"]}

    def read(study: str, cell: Cell) -> list[Row] | None:
        name = {"data": cell.data_cell, "method": cell.method_cell, "trials": cell.trials}
        files = [
            SCORES.format(scorers=job.studies[study].scorers, **name),
            EMBEDDINGS.format(**name),
        ]
        if not existing.issuperset(files):
            return None
        scored, embedded = (read_manifest(file)["trials"] for file in files)
        return cell_rows(cell, scored, embedded)

    write_claims(job, read, inputs["published"], outputs)


def write_claims(
    job: ClaimsJob,
    read: Callable[[str, Cell], list[Row] | None],
    published: Sequence[str],
    outputs: Mapping[str, str],
) -> None:
    """Write the verdict on each claim from the rows of its cells, see :func:`decide_claims`.

    ``read`` returns the rows of a study's cell; None if the cell was not run.
    """
    files = {Path(file).name: Path(file) for file in published}
    tables = {
        name: table_of_cells(study, partial(read, name), files)
        for name, study in job.studies.items()
    }

    def gather(evaluation: EvaluationJob) -> Evidence | str:
        name = evaluation.study
        if name not in tables:
            return f"study {name} was not run"
        return _gather(job.studies[name], evaluation, tables[name])

    papers: dict[str, list[ClaimJob]] = {}
    for claim in job.claims:
        papers.setdefault(claim.paper, []).append(claim)
    rows = [row for claims in papers.values() for row in _decide_paper(claims, gather)]
    write_csv(outputs["claims"], COLUMNS, ([row[name] for name in COLUMNS] for row in rows))
    details = {"scale": job.scale, "claims": rows}
    with atomic(outputs["details"]) as temporary:
        temporary.write_text(json.dumps(_plain(details), indent=1) + "\n", encoding="utf-8")
    with atomic(outputs["page"]) as temporary:
        temporary.write_text(format_page(rows, job.scale), encoding="utf-8")


def _gather(study: StudyEvidence, evaluation: EvaluationJob, table: CellTable) -> Evidence | str:
    """Return the cells that decide an evaluation, or why there are none."""
    if not evaluation.cells:
        return "no cell of this claim is run at this scale"
    needed = [*evaluation.cells, *evaluation.competing]
    missing = len({*needed} - table.cells)
    if missing:
        return f"{missing} of {len(needed)} cells of study {evaluation.study} were not run"
    rows = select_rows(table.rows, evaluation.cells, evaluation.tuned)
    exact = {*study.exact}
    pairs = zip(rows["data_cell"], rows["method_cell"], strict=True)
    rows["random"] = [pair not in exact for pair in pairs]
    return evidence_of(study, evaluation, rows, table.verdicts)


def evidence_of(
    study: StudyEvidence, evaluation: EvaluationJob, rows: DataFrame, verdicts: DataFrame | None
) -> Evidence:
    """Return rows of cells as evidence, with the verdicts on published numbers of these cells."""
    if verdicts is not None:
        verdicts = verdicts[verdicts["cell"].isin(["/".join(cell) for cell in evaluation.cells])]
    return Evidence(
        table=rows,
        methods=study.methods,
        datasets=study.datasets,
        metrics=study.metrics,
        published=verdicts,
    )


def find(evaluation: EvaluationJob, evidence: Evidence, factor: float = 1.0) -> list[Finding] | str:
    """Return what the tests of an evaluation find, or why they could not be made.

    ``factor`` is that of the conventions among their bounds.
    """
    try:
        return [
            import_object(path)(evidence, **with_bounds(params, factor))
            for path, params in evaluation.tests
        ]
    except ValueError as error:
        # A test that does not fit the cells of this scale says so.
        return str(error)


def _decide_paper(
    claims: Sequence[ClaimJob], gather: Callable[[EvaluationJob], Evidence | str]
) -> list[Row]:
    """Return two rows per claim of a paper, judged together."""
    # The settings of all claims share a level, apart for each basis
    bases = {basis: _decide_basis(claims, basis, gather) for basis in claims[0].evaluations}
    rows = []
    for claim in claims:
        both = [bases[basis][claim.name] for basis in claim.evaluations]
        as_published, equal_tuning = (row["decision"] for row in both)
        applies = equal_tuning != NOT_APPLICABLE
        verdict = final_verdict(Verdict(as_published), Verdict(equal_tuning) if applies else None)
        rows += [row | {"verdict": verdict.value} for row in both]
    return rows


def _decide_basis(
    claims: Sequence[ClaimJob], basis: str, gather: Callable[[EvaluationJob], Evidence | str]
) -> dict[str, Row]:
    """Return a row for each claim of a paper on one basis."""
    evidence: dict[str, Evidence] = {}
    findings: dict[str, list[Finding]] = {}
    reasons: dict[str, str] = {}
    for claim in claims:
        evaluation = claim.evaluations[basis]
        if isinstance(evaluation, str):
            reasons[claim.name] = evaluation.removeprefix(f"{NOT_APPLICABLE}: ")
            continue
        gathered = gather(evaluation)
        result = gathered if isinstance(gathered, str) else find(evaluation, gathered)
        if isinstance(result, str) or isinstance(gathered, str):
            reasons[claim.name] = str(result)
        else:
            evidence[claim.name], findings[claim.name] = gathered, result
    # Claims that were not run count with their registered settings
    judged = judge(
        {claim.name: findings.get(claim.name) for claim in claims},
        {claim.name: claim.settings.get(basis, 0) for claim in claims},
    )
    # A row for each claim, with or without a result
    rows = {}
    for claim in claims:
        judgment, evaluation = judged[claim.name], claim.evaluations[basis]
        row = _row_without_result(claim, basis, reasons.get(claim.name))
        if judgment is not None and isinstance(evaluation, EvaluationJob):
            row |= _result(judgment) | {
                "size": evaluation.size,
                "bounds": _bounds(evaluation, evidence[claim.name], judgment),
            }
        rows[claim.name] = row
    return rows


def _bounds(evaluation: EvaluationJob, evidence: Evidence, judgment: Judgment) -> str:
    """Return how the verdict depends on conventions: what it is with half and twice of them."""
    names = [name for _, params in evaluation.tests for name in conventions_of(params)]
    if not names:
        return ""
    # The same tests at the same level, with other bounds
    changed = []
    for factor in FACTORS:
        findings = find(evaluation, evidence, factor)
        verdict = None if isinstance(findings, str) else decide(findings, judgment.level).verdict
        if verdict not in (None, judgment.verdict):
            bounds = [CONVENTIONS[name].words(factor) for name in dict.fromkeys(names)]
            changed.append(f"{verdict} with a bound of {' and '.join(bounds)}")
    return "; ".join(changed)


def _row_without_result(claim: ClaimJob, basis: str, reason: str | None) -> Row:
    """Return the row of one evaluation of a claim before its verdict."""
    evaluation = claim.evaluations[basis]
    row = dict.fromkeys(COLUMNS) | {
        "claim": claim.name,
        "paper": claim.paper,
        "basis": basis,
        "decision": NOT_APPLICABLE if isinstance(evaluation, str) else Verdict.NOT_RUN.value,
        "sentence": reason,
        "print_passes": claim.print_passes.get(basis),
        "statement": claim.statement,
        "quote": claim.quote,
        "place": claim.place,
        "amendments": claim.amendments,
        "stopped_at": claim.stopped_at.get(basis),
        "needs_trials": False,
        "settings": [],
        "comparisons": [],
        "cells": [],
        "metrics": [],
    }
    if isinstance(evaluation, EvaluationJob):
        metrics = [name for _, params in evaluation.tests for name in metrics_of(params)]
        row["study"], row["metrics"] = evaluation.study, [*dict.fromkeys(metrics)]
        row["cells"] = ["/".join(cell) for cell in evaluation.cells]
    return row


def _result(judgment: Judgment) -> Row:
    """Return what was found: verdict, settings, and the comparison that decides."""
    finding, key = judgment.finding, judgment.comparison
    effect, low, high = key.ends
    # Effect, interval, p-value and number of trials are those of one comparison
    return {
        **{outcome.value: judgment.counts[outcome] for outcome in Outcome},
        "decision": judgment.verdict.value,
        "strip": judgment.strip,
        "needs_trials": needs_trials(judgment),
        "effect": effect,
        "low": low,
        "high": high,
        "threshold": key.bound,
        "above": key.above,
        "unit": finding.unit,
        "p_value": key.p_value,
        "level": judgment.level,
        "n": key.estimate.n,
        "test": "; ".join(filter(None, [finding.test(), second_opinion(key)])),
        "sentence": judgment.sentence,
        "settings": [
            {
                "title": setting.title,
                "outcome": outcome.value,
                "small": setting.tests.is_small(judgment.level),
                "p_value": setting.tests.p_value,
            }
            for setting, outcome in zip(judgment.settings, judgment.outcomes, strict=True)
        ],
        "comparisons": [_comparison(f, c, judgment.level) for f, c in judgment.comparisons],
    }


def _comparison(finding: Finding, comparison: Comparison, level: float) -> Row:
    """Return a row of the forest plot."""
    effect, low, high = comparison.ends
    return {
        "label": comparison.label,
        "effect": effect,
        "low": low,
        "high": high,
        "n": comparison.estimate.n,
        "decision": comparison.tests.outcome(level).value,
        "solved": comparison.solved,
        "unit": finding.unit,
        "threshold": comparison.bound,
        "above": comparison.above,
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: numbers that are not finite become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
