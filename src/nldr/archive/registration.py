"""The registration of claims: what each is tested by, fixed before its test may change.

``workflow/claims/registered.json`` has for each claim and basis the digest of its cells and tests,
the number of its settings at full size, its bounds with their sources, and whether the printed
numbers pass. A test that has changed, or has other cells, needs a line in
``workflow/claims/amendments.csv``; if the same cells stand in another study, nothing has changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from nldr.claims import CONVENTIONS, Evidence, Verdict, decide
from nldr.claims.conventions import KEYS, metrics_of
from nldr.claims.deciding import evidence_of, run_test
from nldr.claims.findings import Finding
from nldr.claims.jobs import ClaimJob, EvaluationJob
from nldr.claims.page import NOT_PRINTED
from nldr.claims.published.join import PublishedNumbers, PublishedValue
from nldr.claims.published.verdicts import decide_numbers
from nldr.claims.verdicts import parts_of
from nldr.claims.words import number
from nldr.engine.files.store import atomic, digest_of
from nldr.engine.jobs.report_specs import ClaimsJob
from nldr.engine.planning.catalog import PUBLISHED
from nldr.engine.planning.claims import AMENDMENTS, REGISTERED, read_registered
from nldr.engine.planning.plan import Plan, make_plan
from nldr.engine.reading.claims import Registered, Registration
from nldr.engine.stages.trials import Row, cell_rows
from nldr.statistics.outcomes import Outcome

if TYPE_CHECKING:
    from pandas import DataFrame

WORDS = {"cubic": 3.0, "half": 0.5, "eight": 8.0, "twelve": 12.0}  # numbers in words
LEVEL = 0.05  # of tests of printed numbers, which are exact
PLACEHOLDER = 0.5  # value of every score where only the number of settings counts
# Scores and embedding of a planned cell
SCORED: Row = {"scores": {}, "failures": []}
EMBEDDED: Row = {"status": "ok", "message": ""}


def check_registration(plan: Plan) -> list[str]:
    """Return what is wrong with the registration: claims that are missing, or that have changed."""
    registered, amendments = read_registered(plan.catalog.layers), _amendments(plan)
    problems = []
    for name, basis, entry in _entries(plan):
        former = registered.get(name, {}).get(basis)
        if former is None:
            problems.append(f"{name}, {basis}: is not registered: nldr register")
        elif former.digest != entry.digest:
            amended = amendments[name, basis] > former.amendments
            remedy = "" if amended else "add a line to workflow/claims/amendments.csv, then: "
            problems.append(f"{name}, {basis}: its test has changed: {remedy}nldr register")
        elif former != entry.model_copy(update={"date": former.date}):
            problems.append(f"{name}, {basis}: settings or printed numbers changed: nldr register")
    return problems


def register(plan: Plan) -> int:
    """Write the registration of all claims; return the number of entries that are new.

    Raises
    ------
    ValueError
        If a test has changed without an amendment.
    """
    registered, amendments = read_registered(plan.catalog.layers), _amendments(plan)
    entries: dict[str, dict[str, Registration]] = {}
    n_new = 0
    for name, basis, entry in _entries(plan):
        former = registered.get(name, {}).get(basis)
        if former and former.digest == entry.digest:
            entry = entry.model_copy(update={"date": former.date})
        elif former and amendments[name, basis] <= former.amendments:
            raise ValueError(
                f"{name}, {basis}: its test has changed: add a line to "
                "workflow/claims/amendments.csv, which says what and why"
            )
        else:
            n_new += 1
        entries.setdefault(name, {})[basis] = entry
    with atomic(str(plan.root / REGISTERED)) as temporary:
        text = Registered.dump_json(entries, indent=1, exclude_none=True)
        temporary.write_bytes(text + b"\n")
    return n_new


def _amendments(plan: Plan) -> Counter[tuple[str, str]]:
    """Return the number of amendments of each evaluation."""
    lines, bases = plan.catalog.layers.rows(AMENDMENTS), ("as_published", "equal_tuning")
    return Counter((x["claim"], b) for x in lines for b in bases if x["basis"] in (b, "both"))


def _entries(plan: Plan) -> Iterator[tuple[str, str, Registration]]:
    """Yield what is to be registered of each evaluation."""
    if not plan.config.environments:  # claims on methods with environments are registered as well
        plan = make_plan(plan.config.model_dump() | {"environments": True}, plan.root)
    job, amendments = plan.claims_job(), _amendments(plan)
    for claim in job.claims:
        for basis, evaluation in claim.evaluations.items():
            if isinstance(evaluation, str):
                continue
            is_print = basis == "as_published"
            entry = Registration(
                digest=_digest(evaluation),
                date=date.today().isoformat(),
                settings=_count_settings(plan, job, evaluation),
                bounds=[*_bounds(claim, evaluation)],
                amendments=amendments[claim.name, basis],
                print_passes=_print_passes(plan, job, evaluation) if is_print else None,
            )
            yield claim.name, basis, entry


def _digest(evaluation: EvaluationJob) -> str:
    """Return the digest of cells and tests, whatever the study with these cells is called."""
    return digest_of([sorted(evaluation.cells), evaluation.tuned, evaluation.tests])


def _bounds(claim: ClaimJob, evaluation: EvaluationJob) -> Iterator[str]:
    """Yield the bounds of the tests with their sources: a convention, or the print."""
    quote = claim.quote or ""
    printed = {float(n) for n in re.findall(r"\d*\.?\d+", quote)}
    printed |= {n for word, n in WORDS.items() if word in quote}
    for _, params in evaluation.tests:
        for key in KEYS:
            value = params.get(key)
            if isinstance(value, str) and value in CONVENTIONS:
                yield f"{key} {value} = {number(CONVENTIONS[value].bound)}: convention"
            elif isinstance(value, int | float):
                source = "printed" if abs(value) in printed else "ours"
                yield f"{key} {value:g}: {source}"


def _count_settings(plan: Plan, job: ClaimsJob, evaluation: EvaluationJob) -> int:
    """Return the number of settings that an evaluation has if all of its cells are run."""
    table = _planned_table(plan, evaluation)
    for metric in _metrics(evaluation):
        table[metric] = PLACEHOLDER
    findings = _find(_evidence(plan, job, evaluation, table), evaluation)
    return sum(len(finding.settings) for finding in findings)


def _print_passes(plan: Plan, job: ClaimsJob, evaluation: EvaluationJob) -> str:
    """Return whether the printed numbers pass the tests of an evaluation, and in how many settings.

    Printed means are compared as they stand, without intervals. A number that is printed for
    several of the cells counts for the first: it is not compared with itself.
    """
    study = job.studies[evaluation.study]
    if study.verdicts is None or study.published is None:
        return NOT_PRINTED
    file = plan.catalog.layers.find(f"{PUBLISHED}/{study.published}")
    numbers = PublishedNumbers(study.verdicts.published, file)
    table = _planned_table(plan, evaluation)
    rows: list[Mapping[str, PublishedValue]] = []
    for row in table.to_dict("records"):
        printed = numbers.of(row)
        rows.append({} if any(printed is other for other in rows) else printed)
    for metric in _metrics(evaluation):
        table[metric] = [row[metric].value if metric in row else float("nan") for row in rows]
    tests = [test for test in evaluation.tests if not test[0].endswith((".reproduced", ".fails"))]
    evidence = replace(_evidence(plan, job, evaluation, table), is_exact=True)
    findings = [f for f in _find(evidence, evaluation, tests) if _is_printed(f)]
    if not findings:
        return NOT_PRINTED
    text = passes(findings)
    whole = len(findings) == len(evaluation.tests)
    return text if whole else f"{text} ({len(findings)} of {len(evaluation.tests)} tests)"


def passes(findings: list[Finding]) -> str:
    """Return whether tests pass: yes, no, or in how many settings of those counted together."""
    if decide(findings, LEVEL).verdict is Verdict.HOLDS:
        return "yes"
    judged = [decide(part, LEVEL) for part in parts_of(findings)]
    if not any(judgment.counts[Outcome.BETTER] for judgment in judged):
        return "no"
    return "; ".join(f"{j.counts[Outcome.BETTER]} of {len(j.settings)}" for j in judged)


def _is_printed(finding: Finding) -> bool:
    """Return whether a printed number stands on both sides of some comparison."""
    return any(c.estimate.n for setting in finding.settings for c in setting.comparisons)


def _find(
    evidence: Evidence,
    evaluation: EvaluationJob,
    tests: list[tuple[str, dict[str, Any]]] | None = None,
) -> list[Finding]:
    """Return what the tests find that fit the evidence."""
    findings = []
    for path, params in evaluation.tests if tests is None else tests:
        try:
            findings.append(run_test(path, evidence, params))
        except ValueError:
            continue
    return findings


def _metrics(evaluation: EvaluationJob) -> set[str]:
    """Return the columns that the tests of an evaluation read."""
    return {name for _, params in evaluation.tests for name in metrics_of(params)}


def _planned_table(plan: Plan, evaluation: EvaluationJob) -> DataFrame:
    """Return the table of an evaluation with one exact trial per cell, before any metric."""
    import pandas as pd

    study, chosen = plan.studies[evaluation.study], {*evaluation.cells}
    rows: dict[object, Row] = {}
    for cell in study.cells():
        if (cell.data_cell, cell.method_cell) not in chosen:
            continue
        (row,) = cell_rows(replace(cell, trials=1, first=0), [SCORED], [EMBEDDED])
        row |= {"ok": True, "random": False}
        group = study.group_of(cell.method)
        if evaluation.tuned and group is not None:
            # The best of several settings has one row, whichever it is.
            key: object = (cell.data_cell, group, cell.method_params.get("n_components"))
            rows.setdefault(key, row | {"method": group, "method_cell": group})
        else:
            rows[cell.data_cell, cell.method_cell] = row
    return pd.DataFrame([*rows.values()])


def _evidence(plan: Plan, job: ClaimsJob, evaluation: EvaluationJob, table: DataFrame) -> Evidence:
    """Return planned cells as evidence, with some verdict on each published number."""
    study, verdicts = job.studies[evaluation.study], None
    if study.verdicts is not None and study.published is not None:
        values = dict.fromkeys(study.verdicts.metrics, str(PLACEHOLDER))
        rows = [row | values for row in table.to_dict("records")]
        file = plan.catalog.layers.find(f"{PUBLISHED}/{study.published}")
        verdicts = decide_numbers(study.verdicts, rows, file)
    return evidence_of(study, evaluation, table, verdicts)
