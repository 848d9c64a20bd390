"""Claims of the papers as the report shows them: by the record, and what this machine says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from nldr.claims.page import say_amendments, say_print
from nldr.engine.files.layout import Outputs, Record
from nldr.report.content import Bar, ClaimContent, EvaluationContent
from nldr.report.data.here import Agreement, describe_here
from nldr.report.data.jobs import ReportJob
from nldr.tables import open_table

FIELDS = {field.name for field in fields(EvaluationContent)}
# Verdicts in the colors of which the outcomes of comparisons are drawn
TONES = {"better": "holds", "tie": "tie", "worse": "fails", "unclear": "open"}
Row = dict[str, Any]


def read_claims(
    job: ReportJob, available: set[str], agreements: Mapping[str, Agreement]
) -> dict[str, tuple[str, ClaimContent]]:
    """Return the paper and the verdict of each claim.

    The verdict is that of the record; a claim that the record does not have is decided by what this
    machine has computed.

    ``available`` are the files that are there, and ``agreements`` the cells of the record and of
    this machine that agree, by study.
    """
    record = _rows(Record().claim_details, job, available)
    here = _rows(Outputs(job.scale).claim_details, job, available)
    claims = {}
    for name in job.sources:
        rows = record.get(name) or here.get(name)
        if rows is None:
            continue
        beside = {}
        if name in record:
            ours = {row["basis"]: row for row in here.get(name, [])}
            beside = {
                row["basis"]: describe_here(
                    row, ours.get(row["basis"]), agreements.get(row["study"] or "", {})
                )
                for row in rows
                if row["study"]
            }
        claims[name] = (rows[0]["paper"], _claim(job, name, rows, beside))
    return claims


def _rows(file: str, job: ReportJob, available: set[str]) -> dict[str, list[Row]]:
    """Return the evaluations of each claim that the project still has."""
    if file not in available:
        return {}
    rows_of_claim: dict[str, list[Row]] = {}
    with open_table(Path(file)) as lines:
        rows = json.load(lines)["claims"]
    for row in rows:
        if row["claim"] in job.sources:
            rows_of_claim.setdefault(row["claim"], []).append(row)
    return rows_of_claim


def _claim(job: ReportJob, name: str, rows: list[Row], here: Mapping[str, str]) -> ClaimContent:
    first = rows[0]
    evaluations = [
        EvaluationContent(
            **{key: value for key, value in row.items() if key in FIELDS}
            | {key: row[key] or "" for key in ("unit", "test", "strip")}
            | {
                "sentence": row["sentence"] or "not run",
                "print_passes": say_print(row["print_passes"]),
                "comparisons": [
                    Bar(**bar | {"decision": TONES[bar["decision"]]}) for bar in row["comparisons"]
                ],
                "datasets": _datasets(job, row),
                "here": here.get(row["basis"], ""),
            }
        )
        for row in rows
    ]
    return ClaimContent(
        name,
        first["statement"],
        first["place"],
        first["verdict"],
        job.sources[name],
        evaluations,
        job.evidence.get(name),
        first["quote"] or "",
        say_amendments(first["amendments"]),
        name in job.headlines,
    )


def _datasets(job: ReportJob, row: Row) -> list[str]:
    """Return the titles of the datasets that an evaluation rests on."""
    study = job.record.get(row["study"]) or job.studies.get(row["study"])
    if study is None:
        return []
    names = dict.fromkeys(cell.partition("/")[0].partition("@")[0] for cell in row["cells"] or [])
    return [study.datasets.get(name, name) for name in names]
