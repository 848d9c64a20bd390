"""Decide the claims of the papers from the tables of studies."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nldr.claims import Evidence, Finding, Judgment, combine, final_verdict, judge
from nldr.engine.code.imports import import_object
from nldr.engine.files.store import atomic, write_csv
from nldr.engine.jobs.report_specs import ClaimJob, ClaimsJob, EvaluationJob, StudyEvidence
from nldr.engine.stages.claim_page import format_page
from nldr.engine.stages.rows import read_study, select_rows
from nldr.engine.stages.verdicts import COLUMNS as VERDICT_COLUMNS
from nldr.engine.stages.verdicts import decide, read_rows

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = (
    "claim",
    "paper",
    "verdict",
    "basis",
    "decision",
    "size",
    "study",
    "effect",
    "low",
    "high",
    "threshold",
    "unit",
    "p_value",
    "p_corrected",
    "n",
    "test",
    "sentence",
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
        The claims, and the studies from which they are decided.
    inputs : dict of str to sequence of str
        ``table`` and ``timings``: the tables of ``job.studies``, in order; ``published``: all files
        of published numbers that these compare with.
    outputs : dict of str to str
        ``claims``: a CSV file with the columns :data:`COLUMNS`, two rows per claim, as published
        and under equal tuning; ``page``: the same for readers, in Markdown; ``details``: the same
        as JSON, with the cells and the comparisons that each decision rests on.
    begin : callable
        Called when the work that is limited begins.
    """
    begin()
    published = {Path(file).name: Path(file) for file in inputs["published"]}
    verdicts, studies = {}, {}
    for name, table, timings in zip(job.studies, inputs["table"], inputs["timings"], strict=True):
        verdicts[name] = _verdicts(job.studies[name], table, published)
        studies[name] = read_study(table, timings, job.studies[name].metrics)

    def find(evaluation: EvaluationJob) -> Finding | str:
        if evaluation.study not in studies:
            return f"study {evaluation.study} is not among those that were asked for"
        return _find(job, evaluation, studies[evaluation.study], verdicts[evaluation.study])

    rows = [row for claims in _by_paper(job.claims) for row in _decide_paper(job, claims, find)]
    write_csv(outputs["claims"], COLUMNS, ([row[name] for name in COLUMNS] for row in rows))
    details = {"scale": job.scale, "claims": rows}
    with atomic(outputs["details"]) as temporary:
        temporary.write_text(json.dumps(_plain(details), indent=1) + "\n", encoding="utf-8")
    with atomic(outputs["page"]) as temporary:
        temporary.write_text(format_page(rows, job.scale), encoding="utf-8")


def _by_paper(claims: Sequence[ClaimJob]) -> list[list[ClaimJob]]:
    """Return the claims paper by paper."""
    papers: dict[str, list[ClaimJob]] = {}
    for claim in claims:
        papers.setdefault(claim.paper, []).append(claim)
    return list(papers.values())


def _verdicts(
    evidence: StudyEvidence, table: str, published: Mapping[str, Path]
) -> DataFrame | None:
    """Return the verdicts on the published numbers of a study, beside the columns of their file."""
    import pandas as pd

    if evidence.verdicts is None or evidence.published is None:
        return None
    decided = decide(evidence.verdicts, read_rows(Path(table)), published[evidence.published])
    # Columns of ours go before those of the file
    rows = [{**row["line"], **{name: row[name] for name in VERDICT_COLUMNS}} for row in decided]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=VERDICT_COLUMNS)


def _find(
    job: ClaimsJob, evaluation: EvaluationJob, rows: DataFrame, verdicts: DataFrame | None
) -> Finding | str:
    """Return what the tests of an evaluation find, or why they could not be made."""
    study = job.studies[evaluation.study]
    table = select_rows(rows, evaluation.cells, evaluation.tuned)
    exact = {*study.exact}
    pairs = zip(table["data_cell"], table["method_cell"], strict=True)
    table["random"] = [pair not in exact for pair in pairs]
    if verdicts is not None:
        cells = {"/".join(cell) for cell in evaluation.cells}
        verdicts = verdicts[verdicts["cell"].isin(cells)]
    if table.empty:
        return "no cell of this claim is run at this scale"
    evidence = Evidence(
        table=table,
        methods=study.methods,
        datasets=study.datasets,
        metrics=study.metrics,
        published=verdicts,
    )
    findings = []
    for path, params in evaluation.tests:
        # A test that does not fit the cells of this scale says so.
        try:
            findings.append(import_object(path)(evidence, **params))
        except ValueError as error:
            return str(error)
    return combine(findings)


def _decide_paper(
    job: ClaimsJob, claims: Sequence[ClaimJob], find: Callable[[EvaluationJob], Finding | str]
) -> list[Row]:
    """Return two rows per claim of a paper; p-values are corrected for the number of its claims."""
    findings: dict[tuple[str, str], Finding | str] = {}
    for claim in claims:
        for basis, evaluation in claim.evaluations.items():
            findings[claim.name, basis] = (
                evaluation if isinstance(evaluation, str) else find(evaluation)
            )
    judged: dict[str, dict[str, Judgment]] = {}
    for basis in claims[0].evaluations:
        tested = {claim.name: findings[claim.name, basis] for claim in claims}
        judged[basis] = judge({k: f if isinstance(f, Finding) else None for k, f in tested.items()})
    rows = []
    for claim in claims:
        both = {basis: judged[basis][claim.name] for basis in claim.evaluations}
        # A sentence in place of an evaluation says why there is none.
        tuned = claim.evaluations["equal_tuning"]
        verdict = final_verdict(
            both["as_published"].decision,
            None if isinstance(tuned, str) else both["equal_tuning"].decision,
        )
        for basis, judgment in both.items():
            rows.append(_row(claim, basis, verdict.value, judgment, findings[claim.name, basis]))
    return rows


def _row(
    claim: ClaimJob, basis: str, verdict: str, judgment: Judgment, finding: Finding | str
) -> Row:
    """Return the row of one evaluation of a claim."""
    evaluation = claim.evaluations[basis]
    row = dict.fromkeys(COLUMNS) | {
        "claim": claim.name,
        "paper": claim.paper,
        "verdict": verdict,
        "basis": basis,
        "decision": NOT_APPLICABLE if isinstance(evaluation, str) else judgment.decision.value,
        "statement": claim.statement,
        "place": claim.place,
        "comparisons": [],
        "cells": [],
    }
    if isinstance(evaluation, EvaluationJob):
        row |= {"study": evaluation.study, "cells": ["/".join(cell) for cell in evaluation.cells]}
    if isinstance(finding, str) or isinstance(evaluation, str):
        return row | {"sentence": str(finding).removeprefix(f"{NOT_APPLICABLE}: ")}
    numbers = {name: getattr(finding, name) for name in COLUMNS if hasattr(finding, name)}
    return {
        **row,
        **numbers,
        "decision": row["decision"],
        "size": evaluation.size,
        "p_corrected": judgment.p_value,
        "comparisons": [asdict(comparison) for comparison in finding.comparisons],
        "above": finding.above,
    }


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: numbers that are not finite become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
