"""Decide the claims of the papers from the cells that they select of studies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nldr.claims.deciding import COLUMNS as CLAIM_COLUMNS
from nldr.claims.deciding import decide_all, evidence_of
from nldr.claims.evidence import Evidence
from nldr.claims.jobs import EvaluationJob
from nldr.claims.page import format_details, format_page
from nldr.claims.published.verdicts import decide_numbers
from nldr.costs import COLUMNS
from nldr.engine.files.layout import EMBEDDINGS, SCORES
from nldr.engine.files.store import atomic, read_manifest, write_csv
from nldr.engine.jobs.report_specs import ClaimsJob, StudyEvidence
from nldr.engine.jobs.specs import Cell
from nldr.engine.stages.trials import (
    CELL,
    PARAMETERS,
    TRIAL,
    Row,
    add_best,
    cell_rows,
    select_rows,
    selecting_metrics,
)

if TYPE_CHECKING:
    from pandas import DataFrame


def decide_claims(
    job: ClaimsJob,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, str],
    begin: Callable[[], None],
) -> None:
    """Write the verdict on each claim, with what it rests on.

    ``inputs`` has the manifests of ``scores`` and ``embeddings`` of the cells of claims, as far as
    these exist, and all files of ``published`` numbers. ``claims`` has two rows per claim, as
    published and under equal tuning, ``page`` the same in Markdown, ``details`` all as JSON.
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
    decided = ([row[name] for name in CLAIM_COLUMNS] for row in rows)
    write_csv(outputs["claims"], CLAIM_COLUMNS, decided)
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


@dataclass(frozen=True)
class CellTable:
    """Some cells of a study."""

    cells: set[tuple[str, str]]  # dataset and method cells that were run
    rows: DataFrame  # one row per trial, with those of the best of several cells
    # Verdicts on the published numbers of the study; None if these are not in this build
    verdicts: DataFrame | None


def table_of_cells(
    study: StudyEvidence, read: Callable[[Cell], list[Row] | None], published: Mapping[str, Path]
) -> CellTable:
    """Return the cells of a study that claims select, as far as they were run.

    ``read`` returns the rows of a cell, None if it was not run; ``published`` has the files of
    published numbers by name.
    """
    import pandas as pd

    cells, rows = set(), list[Row]()
    for cell in study.cells:
        trials = read(cell)
        if trials is not None:
            cells.add((cell.data_cell, cell.method_cell))
            rows += trials
    rows = add_best(rows, study.groups)
    # Columns as in the tables of the study
    named = [key for row in rows for key in row if key.startswith((*PARAMETERS, "fit."))]
    groups = ["best_of"] if study.groups else []
    metrics = [*study.metrics, *selecting_metrics(study.groups)]
    columns = [*CELL, *TRIAL, *groups, "selecting", *metrics, *named, *COLUMNS]
    table = pd.DataFrame(rows, columns=list(dict.fromkeys(columns)))
    verdicts, file = None, published.get(study.published or "")
    if study.verdicts is not None and file is not None:
        scored = [row for row in rows if not row.get("best_of") and not row["selecting"]]
        verdicts = decide_numbers(study.verdicts, scored, file)
    return CellTable(cells, table, verdicts)
