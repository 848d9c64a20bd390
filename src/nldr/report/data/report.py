"""Gather all results of a scale and make the report."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from nldr.engine.files.layout import LOG, Outputs
from nldr.engine.files.store import atomic
from nldr.engine.files.text import escape
from nldr.engine.jobs.page_specs import ReportJob
from nldr.engine.stages.tally import count_numbers, total_counts
from nldr.figures.style import look
from nldr.figures.svg import read_alt
from nldr.report.clouds import Cloud
from nldr.report.content import (
    Bar,
    Claim,
    Drawing,
    Evaluation,
    Failure,
    Look,
    Paper,
    Report,
    Study,
)
from nldr.report.data.cards import complete_cards
from nldr.report.data.clouds import gather_clouds
from nldr.report.data.report_tables import (
    cost_table,
    published_table,
    result_table,
    text_rows,
    titles_of,
)
from nldr.report.page import render, write

MAX_BYTES = {"smoke": 6_000_000, "quick": 6_000_000, "paper": 25_000_000}
CLOUD_SHARE = 0.88  # of the bytes that all else leaves; images and an index come on top
LOG_LINES = 15  # of a log that are shown where a trial failed
LOG_WIDTH = 500  # characters of such a line
EVALUATION = (
    "basis",
    "decision",
    "sentence",
    "study",
    "size",
    "effect",
    "low",
    "high",
    "threshold",
    "unit",
    "test",
    "p_value",
    "level",
    "strip",
    "print_passes",
    "bounds",
    "n",
    "cells",
)
# Verdicts in the colors of which the outcomes of comparisons are drawn
TONES = {"better": "holds", "tie": "tie", "worse": "fails", "unclear": "open"}
STUDY_FILES = ("table", "summary", "failures", "timings", "costs", "verdicts")
TABLES = {"table", "summary", "timings", "costs"}  # without which a study is not shown
NOT_BUILT = "not built: no table of this study is there"


def make_report(
    job: ReportJob,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, str],
    begin: Callable[[], None],
) -> None:
    """Write the page that shows all results.

    Parameters
    ----------
    job : ReportJob
        What is to be shown.
    inputs : dict of str to sequence of str
        Files of all kinds. One that the job expects but that is not among them is shown as not
        built.
    outputs : dict of str to str
        ``report``: the page.
    begin : callable
        Called when the work that is limited begins.
    """
    begin()
    available = {file for files in inputs.values() for file in files}
    claims = _read_claims(job, available)
    studies = [_study(job.scale, study, available, claims) for study in job.studies.values()]
    looks = {name: _look(asdict(facts)) for name, facts in job.looks.items()}
    report = Report(
        version=job.version,
        scale=job.scale,
        made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        facts=_facts(job, available),
        papers=_papers(job, claims, available),
        studies=studies,
        cards=complete_cards(
            job.cards,
            job.studies,
            looks,
            tables=_built(job, "table", available),
            failures=_built(job, "failures", available),
        ),
        looks=looks,
        max_bytes=MAX_BYTES[job.scale],
    )
    room = report.max_bytes - len(render(report).encode())
    report = replace(report, clouds=_clouds(job, available, CLOUD_SHARE * room))
    with atomic(outputs["report"]) as temporary:
        write(report, temporary)


def _built(job: ReportJob, kind: str, available: set[str]) -> dict[str, str]:
    """Return the files of a kind that are there, by the names of the studies."""
    files = {name: getattr(Outputs(job.scale), kind).format(study=name) for name in job.studies}
    return {name: file for name, file in files.items() if file in available}


def _clouds(job: ReportJob, available: set[str], max_bytes: float) -> list[Cloud]:
    """Return the embeddings that are there and fit."""
    sources = []
    for source in job.clouds:
        there = [
            replace(embedding, scores=[file for file in embedding.scores if file in available])
            for embedding in source.embeddings
            if embedding.manifest in available
        ]
        if there and source.manifest in available:
            sources.append(replace(source, embeddings=there))
    return gather_clouds(sources, max(0.0, max_bytes))


# --- claims -------------------------------------------------------------------------------------


def _read_claims(job: ReportJob, available: set[str]) -> dict[str, tuple[str, Claim]]:
    """Return the paper and the verdict of each claim."""
    file = Outputs(job.scale).claim_details
    if file not in available:
        return {}
    rows_of_claim: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads(Path(file).read_text(encoding="utf-8"))["claims"]:
        # A claim that was removed since then has no page.
        if row["claim"] in job.sources:
            rows_of_claim.setdefault(row["claim"], []).append(row)
    return {
        name: (rows[0]["paper"], _claim(job, name, rows)) for name, rows in rows_of_claim.items()
    }


def _claim(job: ReportJob, name: str, rows: list[dict[str, Any]]) -> Claim:
    first = rows[0]
    evaluations = [
        Evaluation(
            **{key: row[key] for key in EVALUATION}
            | {
                "unit": row["unit"] or "",
                "test": row["test"] or "",
                "strip": row["strip"] or "",
                "sentence": row["sentence"] or "not run",
                "above": row.get("above", True),
            },
            comparisons=[
                Bar(**bar | {"decision": TONES[bar["decision"]]}) for bar in row["comparisons"]
            ],
        )
        for row in rows
    ]
    return Claim(
        name,
        first["statement"],
        first["place"],
        first["verdict"],
        job.sources[name],
        evaluations,
        job.evidence.get(name),
        first["quote"] or "",
        [
            f"{line['date']}: {line['what']} ({line['why']}), {line['data_seen']} the data were "
            f"seen; verdict of the first test: {line['first_verdict']}"
            for line in first["amendments"]
        ],
    )


def _papers(
    job: ReportJob, claims: Mapping[str, tuple[str, Claim]], available: set[str]
) -> list[Paper]:
    """Return the papers; a study belongs to the paper that its source names."""
    papers = []
    verdicts = {name: Path(file) for name, file in _built(job, "verdicts", available).items()}
    for key, title in job.papers.items():
        studies = [name for name, study in job.studies.items() if title in study.source]
        files = {job.studies[name].published for name in studies}
        tallies = count_numbers([n for n in job.numbers if n.name in files], verdicts)
        claims_of_paper = [claim for paper, claim in claims.values() if paper == title]
        papers.append(Paper(key, title, claims_of_paper, studies, total_counts(tallies)))
    return papers


# --- studies ------------------------------------------------------------------------------------


def _study(
    scale: str, study: Study, available: set[str], claims: Mapping[str, tuple[str, Claim]]
) -> Study:
    """Return a study with its results."""
    outputs = Outputs(scale)
    files = {kind: getattr(outputs, kind).format(study=study.name) for kind in STUDY_FILES}
    files = {kind: file for kind, file in files.items() if file in available}
    broken = study.broken or ("" if files.keys() >= TABLES else NOT_BUILT)
    verdicts = text_rows(files["verdicts"]) if "verdicts" in files else []
    tables = []
    if not broken:
        titles = titles_of(study, files["summary"])
        tables.append(result_table(study, files["summary"], titles, verdicts))
        if verdicts:
            tables.append(published_table(study, verdicts, files["verdicts"]))
        tables.append(cost_table(files["costs"], titles))
    return replace(
        study,
        broken=broken,
        facts={} if broken else _study_facts(study, files["timings"]),
        drawings=[
            _drawing(outputs, name, title, available) for name, title in study.figures.items()
        ],
        tables=tables,
        verdicts=dict(Counter(row["verdict"] for row in verdicts)),
        failures=_failures(files["failures"]) if "failures" in files else [],
        claims=[
            claim.name
            for _, claim in claims.values()
            if any(evaluation.study == study.name for evaluation in claim.evaluations)
        ],
    )


def _drawing(outputs: Outputs, figure: str, title: str, available: set[str]) -> Drawing:
    """Return a figure; one that is not there has no picture."""
    svg = outputs.drawing.format(figure=figure)
    text = Path(svg).read_text(encoding="utf-8") if svg in available else ""
    return Drawing(figure, title, text, read_alt(text) or title, f"figures/{figure}.pdf")


def _failures(file: str) -> list[Failure]:
    """Return what failed in a study; trials of a cell that failed alike are one failure."""
    trials_of_failure: dict[tuple[str, ...], list[int]] = {}
    for row in text_rows(file):
        cell = "/".join(filter(None, (row["data_cell"], row["method_cell"])))
        stage = row["stage"] + (f" ({row['scorer']})" if row["scorer"] else "")
        key = (row["stage"], stage, cell, row["status"], row["message"])
        trials_of_failure.setdefault(key, []).append(int(row["trial"] or 0))
    return [
        Failure(stage, cell, status, message, trials, _log(name, cell))
        for (name, stage, cell, status, message), trials in trials_of_failure.items()
    ]


def _log(stage: str, cell: str) -> str:
    """Return the last lines of the logs of a cell, long ones cut."""
    folder = Path(LOG.format(stage=stage, cell=cell)).with_suffix("")
    lines: list[str] = []
    for path in sorted(folder.rglob("*.log")) if folder.is_dir() else []:
        lines += path.read_text(encoding="utf-8", errors="replace").splitlines()
    cut = [line if len(line) <= LOG_WIDTH else f"{line[:LOG_WIDTH]}…" for line in lines]
    return escape("\n".join(cut[-LOG_LINES:]))


# --- facts --------------------------------------------------------------------------------------


def _study_facts(study: Study, timings: str) -> dict[str, str]:
    rows = text_rows(timings)
    return {
        "Datasets": f"{len({data for data, _ in study.cells})}",
        "Points": _range(study.n_samples),
        "Methods": f"{len(study.methods)}",
        "Trials": _range(study.trials),
        "Embeddings": f"{len(rows)}",
        "CPU time": _duration(_cpu_seconds(rows)),
    }


def _facts(job: ReportJob, available: set[str]) -> dict[str, str]:
    """Return what was run: embeddings that several studies share count once."""
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for name in job.studies:
        file = Outputs(job.scale).timings.format(study=name)
        for row in text_rows(file) if file in available else []:
            cells[row["data_cell"], row["method_cell"], row["trial"]] = row
    rows = list(cells.values())
    machines = Counter(f"{row['cpu']}, {row['cores']} cores" for row in rows if row["cpu"])
    failed = Counter(row["status"] for row in rows if row["status"] != "ok")
    return {
        "Scale": job.scale,
        "Studies": f"{len(job.studies)}",
        "Embeddings": f"{len(rows):,}",
        "CPU time of the embeddings": _duration(_cpu_seconds(rows)),
        "Failed": ", ".join(f"{n} {status}" for status, n in failed.most_common()) or "none",
        "Machine": "; ".join(name for name, _ in machines.most_common()) or "unknown",
        "Version": job.version,
    }


def _cpu_seconds(rows: Sequence[Mapping[str, str]]) -> float:
    return sum(float(row["cpu_seconds"] or 0) for row in rows)


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers, default=0), max(numbers, default=0)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _duration(seconds: float) -> str:
    """Return a time in the unit that suits it.

    Examples
    --------
    >>> _duration(5.04), _duration(90), _duration(7200)
    ('5.0 s', '1.5 min', '2.0 h')
    """
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def _look(facts: dict[str, Any]) -> Look:
    """Return the look of a method as the page draws it."""
    style = look(**facts)
    dashes = (
        ""
        if isinstance(style.linestyle, str)
        else " ".join(str(2 * length) for length in style.linestyle[1])
    )
    return Look(style.color, style.marker, style.filled, dashes)
