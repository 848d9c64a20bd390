"""The cells of a study that claims select, as a table of trials with published numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nldr.costs import COLUMNS
from nldr.engine.jobs.report_specs import StudyEvidence, VerdictJob
from nldr.engine.jobs.specs import Cell
from nldr.engine.stages.trials import CELL, PARAMETERS, TRIAL, Row, add_best, selecting_metrics
from nldr.engine.stages.verdicts import COLUMNS as VERDICT_COLUMNS
from nldr.engine.stages.verdicts import decide

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class CellTable:
    """Some cells of a study."""

    cells: set[tuple[str, str]]  # dataset and method cells that were run
    rows: DataFrame  # one row per trial, with those of the best of several cells
    # Verdicts on the published numbers of the study; None if these are not in this build
    verdicts: DataFrame | None


def table_of_cells(
    study: StudyEvidence,
    read: Callable[[Cell], list[Row] | None],
    published: Mapping[str, Path],
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


def decide_numbers(job: VerdictJob, rows: Sequence[Row], file: Path) -> DataFrame:
    """Return the verdicts on published numbers of a file, beside its columns."""
    import pandas as pd

    # Columns of ours go before those of the file
    lines: list[dict[str, Any]] = [
        {**row["line"], **{name: row[name] for name in VERDICT_COLUMNS}}
        for row in decide(job, rows, file)
    ]
    return pd.DataFrame(lines) if lines else pd.DataFrame(columns=VERDICT_COLUMNS)
