"""Records of what jobs have cost: those that a run writes, and those shipped with the project.

Both are CSV files with the same columns and one row per job. A row tells what was done (stage,
names and sizes), how many trials were made, and what one of them cost.
"""

from __future__ import annotations

import csv
import io
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Annotated, NamedTuple

from pydantic import Field, TypeAdapter

from nldr.engine.files.manifests import read_if_whole
from nldr.engine.files.store import atomic
from nldr.engine.jobs.requests import Reply

SHIPPED = "workflow/records.csv"
LATEST = 5  # records of equal jobs that count


Count = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0, lt=1e15, allow_inf_nan=False)]


class Work(NamedTuple):
    """Work of one trial of a job, as far as its cost depends on it."""

    stage: str
    name: str  # what is run: dataset, method or study in the catalog, set of scorers, figure
    # Cells, as far as the job has them. The cost of scores does not depend on the method
    data: str = ""
    method: str = ""
    # Sizes; of a table or figure the number of its embeddings
    n_samples: Count = 1
    n_features: Count = 1
    n_components: Count = 1
    steps: Count = 1  # how much a method iterates, by its parameters


class Record(NamedTuple):
    """Cost of one trial of a job, as it was measured."""

    work: Work
    # Number of trials that were made, and of those that failed
    trials: Count
    failed: int
    # CPU time of a trial in all, and of the fit alone where there is one
    cpu_seconds: Amount
    fit_seconds: Amount
    peak_mb: Amount  # largest memory of a process
    size: Amount  # bytes on disk


COLUMNS = (*Work._fields, *Record._fields[1:])
_RECORD = TypeAdapter(Record)


def record_of(work: Work, manifest: str, reply: Reply, tasks: int = 1) -> Record:
    """Return the record of a job that has ended, each of whose trials took some processes."""
    trials = max(1, round(reply.made / tasks))
    content = read_if_whole(manifest)
    rows = content.get("trials", content.get("files", []))
    stored = sum(row.get("bytes", 0) for row in rows)
    size = (stored + os.path.getsize(manifest)) / (len(content.get("trials", [])) or 1)
    fits = [row["cpu_seconds"] for row in rows if "cpu_seconds" in row]
    failed = len(reply.failures)
    fit = sum(fits) / len(fits) if fits else 0.0
    return Record(work, trials, failed, reply.cpu_seconds / trials, fit, reply.peak_mb, size)


def append_record(path: Path, record: Record) -> None:
    """Append a record to a file, which gets a header first if it is new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        if file.tell() == 0:
            file.write(",".join(COLUMNS) + "\n")
        file.write(_line(record))


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write a file of records in order of their names."""
    with atomic(path) as temporary:
        lines = sorted(map(_line, records))
        temporary.write_text("".join([",".join(COLUMNS) + "\n", *lines]), encoding="utf-8")


def _line(record: Record) -> str:
    buffer = io.StringIO()
    values = [*record.work, *(f"{v:.4g}" if isinstance(v, float) else v for v in record[1:])]
    csv.writer(buffer, lineterminator="\n").writerow(values)
    return buffer.getvalue()


def read_records(path: Path) -> dict[Work, Record]:
    """Return the records of a file by what was done; damaged lines are skipped.

    Of several records of equal work the medians of the latest ones are returned.
    """
    by_work: dict[Work, list[Record]] = defaultdict(list)
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    for line in text.splitlines():
        if (record := _parse(line)) is not None:
            by_work[record.work].append(record)
    return {work: _middle(records[-LATEST:]) for work, records in by_work.items()}


def _parse(line: str) -> Record | None:
    """Return the record of a line, or None if it is none."""
    n_facts = len(Work._fields)
    try:
        (row,) = csv.reader([line])
        return _RECORD.validate_python((row[:n_facts], *row[n_facts:]))
    except (ValueError, csv.Error):
        return None


def _middle(records: list[Record]) -> Record:
    if len(records) == 1:
        return records[0]
    costs = (median(values) for values in zip(*(record[3:] for record in records), strict=True))
    last = records[-1]
    return Record(last.work, last.trials, last.failed, *costs)
