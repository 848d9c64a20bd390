"""Gather all results of a scale and make the report."""

from __future__ import annotations

import base64
import html
import io
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nldr.claims.published.tally import count_numbers, total_counts
from nldr.engine.files.layout import LOG, Outputs, Record
from nldr.engine.files.store import atomic
from nldr.engine.files.text import escape
from nldr.figures.style import look
from nldr.figures.svg import read_alt
from nldr.report.content import ClaimContent, Drawing, Failure, Look, Paper, Report, StudyContent
from nldr.report.data.cards import complete_cards
from nldr.report.data.claims import read_claims
from nldr.report.data.clouds import gather_clouds
from nldr.report.data.guide import gather_guide
from nldr.report.data.here import Agreement, compare_cells, describe_agreement
from nldr.report.data.jobs import CloudSource, ReportJob
from nldr.report.data.report_tables import cost_table, published_table, result_table, titles_of
from nldr.report.data.thumbnails import gather_thumbnails
from nldr.report.page import make_parts, write
from nldr.report.thumbnails import Thumbnail
from nldr.tables import open_table, read_csv

MAX_BYTES = 15_000_000  # of the page
# Of the embeddings in the explorer, while all else leaves room; images and an index come on top.
CLOUD_BYTES = {"smoke": 1_300_000, "quick": 1_300_000, "paper": 5_000_000}
CLOUD_SHARE = 0.88  # of what all else leaves
LOG_LINES = 15  # of a log that are shown where a trial failed
LOG_WIDTH = 500  # characters of such a line
PNG = re.compile(r"data:image/png;base64,([^\"]*)")
SCALE = re.compile(r"Scale\s\w+; ")  # in the note under a figure
STUDY_FILES = ("table", "summary", "failures", "timings", "costs", "verdicts")
TABLES = {"table", "summary", "timings", "costs"}  # without which a study is not shown


def make_report(
    job: ReportJob,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, str],
    begin: Callable[[], None],
) -> None:
    """Write the page that shows all results.

    ``inputs`` are files of all kinds; one that the job expects but that is not among them is shown
    as not built. The page is ``outputs["report"]``, and ``begin`` is called when the work that is
    limited begins.
    """
    begin()
    available = {file for files in inputs.values() for file in files}
    record = Results(Record(), job.record, available)
    here = Results(Outputs(job.scale), job.studies, available)
    agreements = _agreements(record, here)
    claims = read_claims(job, available, agreements)
    studies = [_shown(name, record, here, agreements, claims) for name in job.record | job.studies]
    looks = {name: _look(facts) for name, facts in job.looks.items()}
    sources = _sources(job, available)
    report = Report(
        version=job.version,
        scale=job.scale,
        made=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        facts={"Scale": job.scale, **_facts(here), "Version": job.version},
        record=_facts(record) if record.built("table") else {},
        papers=_papers(job, claims, record, here),
        studies=studies,
        cards=complete_cards(
            job.cards,
            job.studies | job.record,
            looks,
            _thumbnails(job, sources, available),
            tables=here.built("table") | record.built("table"),
            failures=here.built("failures") | record.built("failures"),
        ),
        looks=looks,
        guide=gather_guide(
            job.record, record.built("table"), record.built("timings"), job.cards, job.families
        ),
        clouds=gather_clouds(sources, 0.0),
        max_bytes=MAX_BYTES,
    )
    parts = make_parts(report)
    room = min(CLOUD_BYTES[job.scale], CLOUD_SHARE * (report.max_bytes - parts.size))
    report = replace(report, clouds=gather_clouds(sources, max(0.0, room)))
    with atomic(outputs["report"]) as temporary:
        write(report, temporary, parts)


@dataclass(frozen=True)
class Results:
    """Results of studies: those of the record, or of this machine."""

    outputs: Outputs  # where they are
    studies: Mapping[str, StudyContent]  # the studies, before results
    available: set[str]  # files that are there

    def built(self, kind: str) -> dict[str, str]:
        """Return the files of a kind that are there, by the names of the studies."""
        pattern = getattr(self.outputs, kind)
        files = {name: pattern.format(study=name) for name in self.studies}
        return {name: file for name, file in files.items() if file in self.available}

    @property
    def of_record(self) -> bool:
        """Flag of results of the record."""
        return isinstance(self.outputs, Record)


def _sources(job: ReportJob, available: set[str]) -> list[CloudSource]:
    """Return the embeddings that are there."""
    sources = []
    for source in job.clouds:
        there = [
            replace(embedding, scores=[file for file in embedding.scores if file in available])
            for embedding in source.embeddings
            if embedding.manifest in available
        ]
        if there and source.manifest in available:
            sources.append(replace(source, embeddings=there))
    return sources


def _thumbnails(
    job: ReportJob, sources: Sequence[CloudSource], available: set[str]
) -> dict[tuple[str, str], Thumbnail]:
    """Return the small maps of the cards, of what is there and of what the record keeps."""
    cells = dict.fromkeys(cell for study in job.record.values() for cell in study.cells)
    files = {cell: Record().points.format(data=cell[0], method=cell[1]) for cell in cells}
    archived = {cell: Path(file) for cell, file in files.items() if file in available}
    return gather_thumbnails(
        sources, job.samples, archived, {(card.kind, card.name): card.title for card in job.cards}
    )


# --- papers -------------------------------------------------------------------------------------


def _papers(
    job: ReportJob, claims: Mapping[str, tuple[str, ClaimContent]], record: Results, here: Results
) -> list[Paper]:
    """Return the papers; a study belongs to the paper that its source names."""
    papers = []
    studies_of_all = job.studies | job.record
    files_of_verdicts = here.built("verdicts") | record.built("verdicts")
    verdicts = {name: Path(file) for name, file in files_of_verdicts.items()}
    for key, title in job.papers.items():
        studies = [name for name, study in studies_of_all.items() if title in study.source]
        files = {studies_of_all[name].published for name in studies}
        tallies = count_numbers([n for n in job.numbers if n.name in files], verdicts)
        claims_of_paper = [claim for paper, claim in claims.values() if paper == title]
        papers.append(Paper(key, title, claims_of_paper, studies, total_counts(tallies)))
    return papers


# --- studies ------------------------------------------------------------------------------------


def _agreements(record: Results, here: Results) -> dict[str, Agreement]:
    """Return, for each study of both, which cells agree."""
    tables = here.built("table")
    return {
        name: compare_cells(record.studies[name], file, tables[name])
        for name, file in record.built("table").items()
        if name in tables
    }


def _shown(
    name: str,
    record: Results,
    here: Results,
    agreements: Mapping[str, Agreement],
    claims: Mapping[str, tuple[str, ClaimContent]],
) -> StudyContent:
    """Return a study with the results of the record and, beside them, those of this machine."""
    ours = _study(name, here) if name in here.studies else None
    study = _study(name, record) if name in record.studies else ours
    assert study is not None
    beside = None
    if study is not ours and ours is not None and ours.tables:
        beside = _beside(study, ours)
    return replace(
        study,
        of_record=name in record.studies,
        here=beside,
        agreement=describe_agreement(agreements.get(name, {})),
        claims=[
            claim.name
            for _, claim in claims.values()
            if any(evaluation.study == name for evaluation in claim.evaluations)
        ],
    )


def _beside(record: StudyContent, ours: StudyContent) -> StudyContent:
    """Return what this machine adds to the page of a study: no figure that came out the same."""
    marks = {_marks(drawing) for drawing in record.drawings}
    same = [drawing.title for drawing in ours.drawings if _marks(drawing) in marks]
    drawings = [
        replace(drawing, name=f"{drawing.name}_here")
        for drawing in ours.drawings
        if _marks(drawing) not in marks
    ]
    facts = {"Figures equal to those of the record": "; ".join(same)} if same else {}
    return replace(ours, drawings=drawings, facts=ours.facts | facts)


def _marks(drawing: Drawing) -> str:
    """Return what is drawn, without the scale that the note under it names."""
    return SCALE.sub("", drawing.svg.rpartition("</desc>")[2])


def _study(name: str, results: Results) -> StudyContent:
    """Return a study with its results."""
    study, outputs, available = results.studies[name], results.outputs, results.available
    files = {kind: getattr(outputs, kind).format(study=name) for kind in STUDY_FILES}
    files = {kind: file for kind, file in files.items() if file in available}
    built = files.keys() >= TABLES and not study.broken
    verdicts = read_csv(files["verdicts"]) if "verdicts" in files else []
    drawings = [
        _drawing(outputs, figure, title, available) for figure, title in study.figures.items()
    ]
    if results.of_record:  # which keeps no figures that show coordinates
        drawings = [drawing for drawing in drawings if drawing.svg]
    tables = []
    if built:
        titles = titles_of(study, files["summary"])
        tables.append(result_table(study, files["summary"], titles, verdicts))
        if verdicts:
            tables.append(published_table(study, verdicts, files["verdicts"]))
        tables.append(cost_table(files["costs"], titles))
    return replace(
        study,
        facts=_study_facts(study, files["timings"]) if built else {},
        drawings=drawings,
        tables=tables,
        verdicts=dict(Counter(row["verdict"] for row in verdicts)),
        failures=_failures(files["failures"]) if "failures" in files else [],
    )


def _failures(file: str) -> list[Failure]:
    """Return what failed in a study; trials of a cell that failed alike are one failure."""
    trials_of_failure: dict[tuple[str, ...], list[int]] = {}
    for row in read_csv(file):
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


def _drawing(outputs: Outputs, figure: str, title: str, available: Set[str]) -> Drawing:
    """Return a figure; one that is not there has no picture.

    Its images are lossless WebP, which takes a sixth less than PNG. ``available`` are the files
    that are there.
    """
    svg, picture = (p.format(figure=figure) for p in (outputs.drawing, outputs.picture))
    text = ""
    if svg in available:
        with open_table(svg) as file:
            original = file.read()
        text = PNG.sub(lambda match: _as_webp(base64.b64decode(match[1]))[0], original)
    elif picture in available:
        image, width, height = _as_webp(Path(picture).read_bytes())
        size = f"{width * 72 / 150:.2f} {height * 72 / 150:.2f}"  # at 150 dots per inch
        text = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}">'
            f"<title>{html.escape(title)}</title>"
            f'<image width="100%" height="100%" href="{image}"/></svg>'
        )
    return Drawing(figure, title, text, read_alt(text) or title, svg)


def _as_webp(png: bytes) -> tuple[str, int, int]:
    """Return an image with the same pixels as a URL, its width and its height."""
    from PIL import Image

    image, file = Image.open(io.BytesIO(png)), io.BytesIO()
    image.save(file, "WEBP", lossless=True)
    return f"data:image/webp;base64,{base64.b64encode(file.getvalue()).decode()}", *image.size


# --- facts --------------------------------------------------------------------------------------


def _study_facts(study: StudyContent, timings: str) -> dict[str, str]:
    rows = read_csv(timings)
    return {
        "Datasets": f"{len({data for data, _ in study.cells})}",
        "Points": _range(study.n_samples),
        "Methods": f"{len(study.methods)}",
        "Trials": _range(study.trials),
        "Embeddings": f"{len(rows)}",
        "CPU time": _duration(_cpu_seconds(rows)),
    }


def _facts(results: Results) -> dict[str, str]:
    """Return what was run: embeddings that several studies share count once."""
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    files = results.built("timings")
    for row in (row for file in files.values() for row in read_csv(file)):
        cells[row["data_cell"], row["method_cell"], row["trial"]] = row
    rows = list(cells.values())
    machines = Counter(f"{row['cpu']}, {row['cores']} core(s)" for row in rows if row["cpu"])
    failed = Counter(row["status"] for row in rows if row["status"] != "ok")
    return {
        "Studies": f"{len(files)}",
        "Embeddings": f"{len(rows):,}",
        "CPU time of the embeddings": _duration(_cpu_seconds(rows)),
        "Failed": ", ".join(f"{n} {status}" for status, n in failed.most_common()) or "none",
        "Machine": "; ".join(name for name, _ in machines.most_common()) or "unknown",
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
    lengths = () if isinstance(style.linestyle, str) else style.linestyle[1]
    dashes = " ".join(str(2 * length) for length in lengths)
    return Look(style.color, style.marker, style.filled, dashes)
