"""Decide the published numbers of a study, each by the cells of ours that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from nldr.claims.published.verdicts import COLUMNS, Row, decide, format_page
from nldr.engine.files.store import atomic, write_csv
from nldr.engine.jobs.report_specs import VerdictJob
from nldr.tables import read_csv


def decide_published(
    job: VerdictJob,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, str],
    begin: Callable[[], None],
) -> None:
    """Write one row per published number of a study, with its verdict.

    ``inputs`` has the study's ``table`` and the file of ``published`` numbers. ``verdicts`` has the
    columns :data:`COLUMNS`; ``page`` is the same in Markdown, without numbers that were not run.
    """
    begin()
    (table,), (published,) = inputs["table"], inputs["published"]
    rows = decide(job, read_rows(Path(table)), Path(published))
    # A file of times only has nothing to decide.
    scores = set(job.published.values) & set(job.metrics)
    if job.scale == "paper" and scores and not any(row["cell"] for row in rows):
        raise ValueError(
            f"{published}: no number belongs to a cell of the study: correct "
            "published.keys or published.names"
        )
    write_verdicts(outputs["verdicts"], rows)
    with atomic(outputs["page"]) as temporary:
        temporary.write_text(format_page(rows), encoding="utf-8")


def write_verdicts(path: str | Path, rows: Iterable[Row]) -> None:
    """Write the columns :data:`COLUMNS` of decided numbers."""
    write_csv(path, COLUMNS, ([row[name] for name in COLUMNS] for row in rows))


def read_rows(table: Path) -> list[Row]:
    """Return the scored trials of a study's table: those of the best cell of a tuned method."""
    rows = read_csv(table)
    return [r for r in rows if not r.get("best_of") and r.get("selecting", "0") == "0"]
