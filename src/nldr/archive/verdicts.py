"""Decide published numbers of the record again, from its tables, and claims, from its cells.

Rows of cells are those of a study's table, or else those of archived cells.
"""

from __future__ import annotations

import math
import re
import tempfile
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from nldr.archive.contents import Archive, DataArchive, compress
from nldr.archive.restore import score_rows
from nldr.claims.published.verdicts import decide
from nldr.engine.files.layout import Record
from nldr.engine.files.store import atomic
from nldr.engine.jobs.specs import Cell, ScoresJob
from nldr.engine.planning.plan import Plan
from nldr.engine.stages.claims import write_claims
from nldr.engine.stages.trials import CELL, PARAMETERS, TRIAL, Row, cell_rows
from nldr.engine.stages.verdicts import read_rows, write_verdicts
from nldr.tables import read_csv

RECORD = Record()
DATASETS = 8  # of the archive that are kept in memory
ROUNDING = 1e-5  # relative: tables keep six digits or more
LONG = re.compile(rb"\d+\.\d{6,}(?![\d.e])")  # numbers that may have too many digits


def decide_again(plan: Plan, root: Path) -> list[str]:
    """Decide the archived tables by today's rule; return the studies whose verdicts changed.

    A change of the rule, of margins or of ``workflow/published`` needs no build, because the tables
    have all trials.
    """
    changed = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "verdicts.csv"
        for name in plan.studies:
            table = root / RECORD.table.format(study=name)
            if not plan.verdict_files(name) or not table.is_file():
                continue
            job, (published,) = plan.verdict_job(name), plan.published_files(name)
            write_verdicts(source, decide(job, read_rows(table), root / published))
            if copy_compressed(source, root / RECORD.verdicts.format(study=name)):
                changed.append(name)
    return changed


def decide_claims_of(plan: Plan, root: Path) -> None:
    """Write the verdicts on all claims whose cells the archive has."""
    job = plan.claims_job()
    files = {file for name in job.studies for file in plan.published_files(name)}
    published = [str(root / file) for file in sorted(files)]
    targets = {"claims": RECORD.claims, "page": RECORD.claim_page, "details": RECORD.claim_details}
    with tempfile.TemporaryDirectory() as folder:
        outputs = {name: f"{folder}/{name}" for name in targets}
        write_claims(job, RecordRows(plan, root).of, published, outputs)
        for name, target in targets.items():
            copy_compressed(Path(outputs[name]), root / target)


def copy_compressed(source: Path, target: Path, digits: int | None = None) -> bool:
    """Copy a file, compressed if the name ends in ``.xz``; return whether anything changed.

    Numbers keep at most ``digits`` significant digits.
    """
    content = source.read_bytes()
    if digits is not None:
        content = LONG.sub(lambda number: f"{float(number[0]):.{digits}g}".encode(), content)
    if target.suffix == ".xz":
        content = compress(content)
    if target.is_file() and target.read_bytes() == content:
        return False
    with atomic(target) as temporary:
        temporary.write_bytes(content)
    return True


# --- rows of cells --------------------------------------------------------------------------------


class RecordRows:
    """Reads the rows of cells from the archive, whichever code made them.

    A study's table is what was published of it; cells that it does not have are read where cells
    are kept, so that a claim is decided before its study is complete.
    """

    def __init__(self, plan: Plan, root: Path) -> None:
        self._plan, self._root = plan, root
        self._read_data = lru_cache(DATASETS)(Archive(root).read)
        self._read_table = lru_cache(1)(self._table)

    def of(self, study: str, cell: Cell) -> list[Row] | None:
        """Return one row per trial of a cell of a study; None if the record does not have it."""
        rows = self._read_table(study).get((cell.data_cell, cell.method_cell))
        if rows and len(rows) == cell.trials:
            return rows
        # More trials than the table has, or other ones, after a stopping rule
        scores = self._plan.scores_job(cell.data_cell, self._plan.scorers(study), cell.trials)
        return _archived(self._read_data(cell.data_cell), cell, scores) or rows

    def outdated(self) -> list[str]:
        """Return the studies whose tables show other numbers than the cells of the archive.

        They do if their cells were embedded again for another study.
        """
        return [name for name in self._plan.studies if self._is_outdated(name)]

    def _is_outdated(self, study: str) -> bool:
        scorers = self._plan.scorers(study)
        rows_of = self._read_table(study)
        for cell in sorted(self._plan.studies[study].cells(), key=lambda cell: cell.data_cell):
            rows = rows_of.get((cell.data_cell, cell.method_cell), [])
            scores = self._plan.scores_job(cell.data_cell, scorers, cell.trials)
            archived = _archived(self._read_data(cell.data_cell), cell, scores) or []
            if len(rows) == len(archived) and any(map(_differ, rows, archived)):
                return True
        return False

    def _table(self, study: str) -> dict[tuple[str, str], list[Row]]:
        """Return the rows of a study's table and timings by cell, without the best of several."""
        table, timings = (
            self._root / name.format(study=study) for name in (RECORD.table, RECORD.timings)
        )
        cells: dict[tuple[str, str], list[Row]] = {}
        if not table.is_file():
            return cells
        groups = self._plan.studies[study].groups
        for row, clock in zip_longest(read_csv(table), read_csv(timings)):
            if not (row["method"] in groups and row.get("best_of") == ""):
                values = {name: _value(name, text) for name, text in (clock | row).items()}
                trial = values | {"trial": int(row["trial"])}
                trial["selecting"] = int(row.get("selecting", 0))
                cells.setdefault((row["data_cell"], row["method_cell"]), []).append(trial)
        return cells


def _value(column: str, text: str) -> Any:
    """Return an entry of a table: a number if it is one, None for an empty one."""
    if column.startswith(PARAMETERS) or column in (*CELL, *TRIAL):
        return text
    try:
        return float(text) if text else None
    except ValueError:
        return text


def _differ(row: Row, archived: Row) -> bool:
    """Return whether a trial has another status or number in a table than where cells are kept."""
    numbers = [(row[name], archived.get(name)) for name in row if isinstance(row[name], float)]
    return row["status"] != archived["status"] or any(
        not isinstance(other, int | float)
        or not math.isclose(number, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
        for number, other in numbers
        if not math.isnan(number)
    )


def _archived(content: DataArchive | None, cell: Cell, scores: ScoresJob) -> list[Row] | None:
    """Return the rows of an archived cell; None if trials or scores are missing."""
    embedded = content.methods.get(cell.method_cell) if content else None
    if embedded is None or any(scoring.name not in embedded.scores for scoring in scores.scorings):
        return None
    parts = [embedded.trials, *(embedded.scores[scoring.name] for scoring in scores.scorings)]
    if any(len(trials.rows) < cell.trials for trials in parts):
        return None
    return cell_rows(cell, score_rows(scores, embedded), embedded.trials.rows)
