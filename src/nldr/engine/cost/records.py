"""Records of what jobs have cost, CSV files with a row per job, and the costs of other jobs."""

from __future__ import annotations

import csv
import functools
import math
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from nldr.engine.files.store import read_if_whole, write_csv
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


class CostRecord(NamedTuple):
    """Cost of one trial of a job, as it was measured."""

    work: Work
    trials: Count  # number of trials that were made
    failed: int  # and of those that failed
    cpu_seconds: Amount  # CPU time of a trial in all
    fit_seconds: Amount  # and of the fit alone where there is one
    peak_mb: Amount  # largest memory of a process
    size: Amount  # bytes on disk


COLUMNS = (*Work._fields, *CostRecord._fields[1:])
_RECORD = TypeAdapter(CostRecord)


def record_of(work: Work, manifest: str, reply: Reply, tasks: int = 1) -> CostRecord:
    """Return the record of a job that has ended, each of whose trials took some processes."""
    trials = max(1, round(reply.made / tasks))
    content = read_if_whole(manifest)
    rows = content.get("trials", content.get("files", []))
    stored = sum(row.get("bytes", 0) for row in rows)
    size = (stored + os.path.getsize(manifest)) / (len(content.get("trials", [])) or 1)
    fits = [row["cpu_seconds"] for row in rows if "cpu_seconds" in row]
    failed = len(reply.failures)
    fit = sum(fits) / len(fits) if fits else 0.0
    return CostRecord(work, trials, failed, reply.cpu_seconds / trials, fit, reply.peak_mb, size)


def append_record(path: Path, record: CostRecord) -> None:
    """Append a record to a file, which gets a header first if it is new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        header = [COLUMNS] if file.tell() == 0 else []
        csv.writer(file, lineterminator="\n").writerows([*header, _texts(record)])


def write_records(path: Path, records: Iterable[CostRecord]) -> None:
    """Write a file of records in order of their names."""
    write_csv(path, COLUMNS, sorted(map(_texts, records), key=",".join))


def _texts(record: CostRecord) -> list[str]:
    values = (*record.work, *record[1:])
    return [f"{v:.4g}" if isinstance(v, float) else str(v) for v in values]


def read_records(path: Path) -> dict[Work, CostRecord]:
    """Return the records of a file by what was done; damaged lines are skipped.

    Of several records of equal work the medians of the latest ones are returned.
    """
    by_work: dict[Work, list[CostRecord]] = defaultdict(list)
    n_facts, text = len(Work._fields), ""
    with suppress(OSError):
        text = path.read_text(encoding="utf-8", errors="replace")
    for line in text.splitlines():
        with suppress(ValueError, csv.Error):
            (row,) = csv.reader([line])
            record = _RECORD.validate_python((row[:n_facts], *row[n_facts:]))
            by_work[record.work].append(record)
    return {work: _middle(records[-LATEST:]) for work, records in by_work.items()}


def _middle(records: list[CostRecord]) -> CostRecord:
    costs = (median(values) for values in zip(*(record[3:] for record in records), strict=True))
    return CostRecord(*records[-1][:3], *costs)


# The record of equal work is the best prediction. Otherwise the cost is that of the nearest work on
# record times a power of each ratio of sizes: of points, features, components and steps.


class Growth(NamedTuple):
    """How the costs of a stage grow with sizes, and what they are without a record."""

    # Exponents of the four sizes; those that are left out are 0
    seconds: tuple[float, ...]
    memory: tuple[float, ...]
    size: tuple[float, ...]
    guess: tuple[float, float, float]  # CPU seconds, megabytes and bytes


GROWTH = {
    "data": Growth((0.7, 0.6), (1, 0.8), (1, 1), (0.2, 300, 1e5)),
    "embed": Growth((1.25, 0.2, 0.3, 0.8), (1.5, 0.3), (1, 0, 1), (2, 300, 1e4)),
    "score": Growth((1.25, 0.2), (1.5, 0.3), (), (0.3, 300, 3e3)),
    "table": Growth((0.5,), (0.5,), (1,), (0.3, 300, 1e5)),
    "verdict": Growth((0.1,), (0.1,), (0.1,), (0.3, 300, 1e5)),
    "figure": Growth((0.1,), (0.1,), (0.1,), (2, 400, 2e5)),
    "claims": Growth((1,), (1,), (1,), (5, 500, 1e6)),
    "report": Growth((1,), (1,), (1,), (20, 1000, 6e6)),
}
BASE_MB = 150.0  # of any process, whatever the sizes
OTHER_CELL = 0.3  # distance to work on another dataset, or with other parameters
LEAST_WEIGHT = 0.1  # of the logarithm of a ratio of sizes in a distance
UNKNOWN = math.inf


class Cost(NamedTuple):
    """The predicted cost of a trial."""

    cpu_seconds: float
    peak_mb: float
    size: float  # bytes on disk
    # How far it is from the nearest record: 10 for ten times as many points or steps, infinite
    # without a record of the same method
    reach: float


class CostModel:
    """Predicts the costs of work from records: those of the project, and those of this machine.

    Equal work in both tells how fast this machine is, and its record is preferred. A method without
    a record is taken for one of its family.
    """

    def __init__(
        self,
        shipped: Mapping[Work, CostRecord],
        local: Mapping[Work, CostRecord] | None = None,
        families: Mapping[str, str] | None = None,
    ) -> None:
        local, self._families = local or {}, families or {}
        # The time that this machine takes, divided by that of the shipped records
        ratios = [
            record.cpu_seconds / shipped[work].cpu_seconds
            for work, record in local.items()
            if work in shipped and min(record.cpu_seconds, shipped[work].cpu_seconds) > 0.05
        ]
        speed = median(ratios) if len(ratios) >= 5 else 1.0
        scaled = {
            work: r._replace(cpu_seconds=r.cpu_seconds * speed, fit_seconds=r.fit_seconds * speed)
            for work, r in shipped.items()
        }
        self._records = {**scaled, **local}
        self._by_name: dict[tuple[str, str], list[CostRecord]] = defaultdict(list)
        for work, record in self._records.items():
            for key in self._names(work):
                self._by_name[key].append(record)
        self._group = functools.cache(self._comparable)

    def predict(self, work: Work) -> Cost:
        """Return the cost of one trial."""
        if (record := self._records.get(work)) is not None:
            return Cost(record.cpu_seconds, record.peak_mb, record.size, 1.0)
        growth, names = GROWTH[work.stage], self._names(work)
        key = next((key for key in names if key in self._by_name), None)
        if key is None:
            return Cost(*growth.guess, UNKNOWN)
        # The nearest record, by what its cost would change.
        records, sizes = self._group(key)
        ratios = _logarithms(work) - sizes
        weights = np.maximum(growth.seconds, LEAST_WEIGHT)
        cells = [(r.work.data != work.data) + (r.work.method != work.method) for r in records]
        distances = np.abs(ratios[:, : len(weights)]) @ weights
        nearest = int(np.argmin(distances + OTHER_CELL * np.array(cells)))
        record = records[nearest]

        def scaled(cost: float, exponents: tuple[float, ...], constant: float = 0.0) -> float:
            power = float(ratios[nearest, : len(exponents)] @ exponents)
            return constant + (cost - constant) * math.exp(min(power, 60.0))

        # Starting processes, reading and writing do not depend on the sizes of an embedding.
        is_fit = work.stage == "embed"
        start = max(0.0, record.cpu_seconds - record.fit_seconds) if is_fit else 0.0
        further = max(1.0, work.n_samples / record.work.n_samples)
        further *= max(1.0, work.steps / record.work.steps)
        return Cost(
            scaled(record.cpu_seconds, growth.seconds, start),
            scaled(record.peak_mb, growth.memory, min(record.peak_mb, BASE_MB)),
            scaled(record.size, growth.size),
            further if key == names[0] else UNKNOWN,
        )

    def _names(self, work: Work) -> list[tuple[str, str]]:
        """Return the kinds of a work: its name, its family and its stage."""
        family = self._families.get(work.name) if work.stage == "embed" else None
        families = [("family", family)] if family else []
        return [(work.stage, work.name), *families, (work.stage, "")]

    def _comparable(self, key: tuple[str, str]) -> tuple[list[CostRecord], NDArray]:
        """Return the records of a kind, and the logarithms of their sizes."""
        # A trial that failed says little about one that does not.
        succeeded = [record for record in self._by_name[key] if not record.failed]
        records = succeeded or self._by_name[key]
        return records, np.array([_logarithms(record.work) for record in records])


def _logarithms(work: Work) -> NDArray:
    return np.log([work.n_samples, work.n_features, work.n_components, work.steps])
