"""Decide the claims of the papers from the cells that they select of studies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nldr.claims.deciding import COLUMNS, decide_all, evidence_of
from nldr.claims.evidence import Evidence
from nldr.claims.jobs import EvaluationJob
from nldr.claims.page import format_details, format_page
from nldr.engine.files.layout import EMBEDDINGS, SCORES
from nldr.engine.files.store import atomic, read_manifest, write_csv
from nldr.engine.jobs.report_specs import ClaimsJob, StudyEvidence
from nldr.engine.jobs.specs import Cell
from nldr.engine.stages.claim_tables import CellTable, table_of_cells
from nldr.engine.stages.rows import select_rows
from nldr.engine.stages.trials import cell_rows

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

    rows = decide_all(job.claims, gather)
    write_csv(outputs["claims"], COLUMNS, ([row[name] for name in COLUMNS] for row in rows))
    with atomic(outputs["details"]) as temporary:
        temporary.write_text(format_details(rows, job.scale), encoding="utf-8")
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
