"""Predict what a job costs from records of earlier jobs.

The record of equal work is the best prediction. Otherwise the cost is that of the nearest work on
record times a power of each ratio of sizes. The exponents are fixed, one set for each stage.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Mapping
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nldr.engine.cost.records import Record, Work

# Exponents of points, features, components and steps, for each stage.
Exponents = dict[str, tuple[float, float, float, float]]
SECONDS: Exponents = {
    "data": (0.7, 0.6, 0.0, 0.0),
    "embed": (1.25, 0.2, 0.3, 0.8),
    "score": (1.25, 0.2, 0.0, 0.0),
    "table": (0.5, 0.0, 0.0, 0.0),
    "verdict": (0.1, 0.0, 0.0, 0.0),
    "figure": (0.1, 0.0, 0.0, 0.0),
    "claims": (1.0, 0.0, 0.0, 0.0),
    "report": (1.0, 0.0, 0.0, 0.0),
}
MEMORY: Exponents = SECONDS | {
    "data": (1.0, 0.8, 0.0, 0.0),
    "embed": (1.5, 0.3, 0.0, 0.0),
    "score": (1.5, 0.3, 0.0, 0.0),
}
BYTES: Exponents = SECONDS | {
    "data": (1.0, 1.0, 0.0, 0.0),
    "embed": (1.0, 0.0, 1.0, 0.0),
    "score": (0.0, 0.0, 0.0, 0.0),
    "table": (1.0, 0.0, 0.0, 0.0),
}
# CPU seconds, megabytes and bytes of work of a stage without a record.
GUESS = {
    "data": (0.2, 300.0, 1e5),
    "embed": (2.0, 300.0, 1e4),
    "score": (0.3, 300.0, 3e3),
    "table": (0.3, 300.0, 1e5),
    "verdict": (0.3, 300.0, 1e5),
    "figure": (2.0, 400.0, 2e5),
    "claims": (5.0, 500.0, 1e6),
    "report": (20.0, 1000.0, 6e6),
}
BASE_MB = 150.0  # of any process, whatever the sizes
OTHER_CELL = 0.3  # distance to work on another dataset, or with other parameters
LEAST_WEIGHT = 0.1  # of the logarithm of a ratio of sizes in a distance
UNKNOWN = math.inf


class Cost(NamedTuple):
    """The predicted cost of a trial."""

    # CPU time, memory and bytes on disk
    cpu_seconds: float
    peak_mb: float
    size: float
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
        shipped: Mapping[Work, Record],
        local: Mapping[Work, Record] | None = None,
        families: Mapping[str, str] | None = None,
    ) -> None:
        local, self._families = local or {}, families or {}
        speed = _speed(shipped, local)
        scaled = {
            work: record._replace(
                cpu_seconds=record.cpu_seconds * speed, fit_seconds=record.fit_seconds * speed
            )
            for work, record in shipped.items()
        }
        self._records = {**scaled, **local}
        self._by_name: dict[tuple[str, str], list[Record]] = defaultdict(list)
        for work, record in self._records.items():
            for key in self._names(work):
                self._by_name[key].append(record)
        self._group = functools.cache(self._comparable)

    def predict(self, work: Work) -> Cost:
        """Return the cost of one trial."""
        if (record := self._records.get(work)) is not None:
            return Cost(record.cpu_seconds, record.peak_mb, record.size, 1.0)
        names = self._names(work)
        key = next((key for key in names if key in self._by_name), None)
        if key is None:
            return Cost(*GUESS[work.stage], UNKNOWN)
        # The nearest record, by what its cost would change.
        (records, sizes), stage = self._group(key), work.stage
        ratios = _logarithms(work) - sizes
        weights = np.maximum(SECONDS[stage], LEAST_WEIGHT)
        cells = [(r.work.data != work.data) + (r.work.method != work.method) for r in records]
        nearest = int(np.argmin(np.abs(ratios) @ weights + OTHER_CELL * np.array(cells)))
        record = records[nearest]

        def scaled(cost: float, exponents: Exponents, constant: float = 0.0) -> float:
            growth = math.exp(min(float(ratios[nearest] @ exponents[stage]), 60.0))
            return constant + (cost - constant) * growth

        # Starting processes, reading and writing do not depend on the sizes of an embedding.
        start = max(0.0, record.cpu_seconds - record.fit_seconds) if stage == "embed" else 0.0
        further = max(1.0, work.n_samples / record.work.n_samples)
        further *= max(1.0, work.steps / record.work.steps)
        return Cost(
            scaled(record.cpu_seconds, SECONDS, start),
            scaled(record.peak_mb, MEMORY, min(record.peak_mb, BASE_MB)),
            scaled(record.size, BYTES),
            further if key == names[0] else UNKNOWN,
        )

    def _names(self, work: Work) -> list[tuple[str, str]]:
        """Return the kinds of a work: its name, its family and its stage."""
        family = self._families.get(work.name) if work.stage == "embed" else None
        families = [("family", family)] if family else []
        return [(work.stage, work.name), *families, (work.stage, "")]

    def _comparable(self, key: tuple[str, str]) -> tuple[list[Record], NDArray]:
        """Return the records of a kind, and the logarithms of their sizes."""
        # A trial that failed says little about one that does not.
        records = self._by_name[key]
        records = [record for record in records if not record.failed] or records
        return records, np.array([_logarithms(record.work) for record in records])


def _logarithms(work: Work) -> NDArray:
    return np.log([work.n_samples, work.n_features, work.n_components, work.steps])


def _speed(shipped: Mapping[Work, Record], local: Mapping[Work, Record]) -> float:
    """Return the time that this machine takes, divided by that of the shipped records."""
    ratios = [
        record.cpu_seconds / shipped[work].cpu_seconds
        for work, record in local.items()
        if work in shipped and min(record.cpu_seconds, shipped[work].cpu_seconds) > 0.05
    ]
    return median(ratios) if len(ratios) >= 5 else 1.0
