"""Decide the claims of the papers from the cells that they select of studies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from nldr.claims.conventions import CONVENTIONS, FACTORS, conventions_of, metrics_of, with_bounds
from nldr.claims.evidence import Evidence
from nldr.claims.findings import Effect, Finding, second_opinion
from nldr.claims.jobs import ClaimJob, EvaluationJob, StudyFacts
from nldr.claims.stopping import needs_trials
from nldr.claims.verdicts import ClaimJudgment, Verdict, decide, final_verdict, judge
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
Gather = Callable[[EvaluationJob], Evidence | str]


def evidence_of(
    study: StudyFacts, evaluation: EvaluationJob, rows: DataFrame, verdicts: DataFrame | None
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


def decide_all(claims: Iterable[ClaimJob], gather: Gather) -> list[Row]:
    """Return two rows per claim, as published and under equal tuning, judged paper by paper.

    ``gather`` returns the cells that decide an evaluation, or why there are none. Rows have the
    columns :data:`COLUMNS`, and the settings, comparisons and cells that decisions rest on.
    """
    papers: dict[str, list[ClaimJob]] = {}
    for claim in claims:
        papers.setdefault(claim.paper, []).append(claim)
    return [row for of_paper in papers.values() for row in _decide_paper(of_paper, gather)]


def _decide_paper(claims: Sequence[ClaimJob], gather: Gather) -> list[Row]:
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


def _decide_basis(claims: Sequence[ClaimJob], basis: str, gather: Gather) -> dict[str, Row]:
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
        result = gathered if isinstance(gathered, str) else _find(evaluation, gathered)
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


def run_test(path: str, evidence: Evidence, params: dict[str, Any], factor: float = 1.0) -> Finding:
    """Return what a test finds; ``factor`` is that of the conventions among its bounds."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)(evidence, **with_bounds(params, factor))


def _find(
    evaluation: EvaluationJob, evidence: Evidence, factor: float = 1.0
) -> list[Finding] | str:
    """Return what the tests of an evaluation find, or why they could not be made."""
    try:
        return [run_test(path, evidence, params, factor) for path, params in evaluation.tests]
    except ValueError as error:
        # A test that does not fit the cells of this scale says so.
        return str(error)


def _bounds(evaluation: EvaluationJob, evidence: Evidence, judgment: ClaimJudgment) -> str:
    """Return how the verdict depends on conventions: what it is with half and twice of them."""
    names = [name for _, params in evaluation.tests for name in conventions_of(params)]
    if not names:
        return ""
    # The same tests at the same level, with other bounds
    changed = []
    for factor in FACTORS:
        findings = _find(evaluation, evidence, factor)
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


def _result(judgment: ClaimJudgment) -> Row:
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


def _comparison(finding: Finding, comparison: Effect, level: float) -> Row:
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
