"""The cells of a study that claims select, as a table of trials with published numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nldr.claims.published.verdicts import decide_numbers
from nldr.costs import COLUMNS
from nldr.engine.jobs.report_specs import StudyEvidence
from nldr.engine.jobs.specs import Cell
from nldr.engine.stages.trials import CELL, PARAMETERS, TRIAL, Row, add_best, selecting_metrics

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
