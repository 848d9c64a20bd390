"""Predict what a job costs from records of earlier jobs.

The record of equal work is the best prediction. Otherwise the logarithm of a cost is linear in the
logarithms of the sizes: a power law for each method, dataset and set of scorers. Its exponents are
estimated from the records (Bayesian linear regression with Gaussian priors), so that many
records at several sizes decide them, and few leave them near what is usual.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import median
from typing import NamedTuple

import numpy as np

from nldr.engine.cost.records import Record, Work

# Expected exponent and its standard deviation for points, features, components and steps.
Prior = tuple[tuple[float, float], ...]
SECONDS: dict[str, Prior] = {
    "data": ((0.9, 0.4), (0.6, 0.3), (0.0, 0.1), (0.0, 0.1)),
    "embed": ((1.5, 0.5), (0.2, 0.2), (0.3, 0.2), (0.8, 0.2)),
    "score": ((1.5, 0.4), (0.4, 0.2), (0.0, 0.1), (0.0, 0.1)),
    "table": ((1.0, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "verdict": ((1.0, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "figure": ((0.5, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "claims": ((1.0, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "report": ((1.0, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
}
MEMORY: dict[str, Prior] = {
    "data": ((1.0, 0.2), (0.8, 0.2), (0.0, 0.1), (0.0, 0.1)),
    "embed": ((1.5, 0.4), (0.3, 0.2), (0.0, 0.1), (0.0, 0.1)),
    "score": ((1.5, 0.3), (0.3, 0.2), (0.0, 0.1), (0.0, 0.1)),
    "table": ((1.0, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "verdict": ((1.0, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "figure": ((0.3, 0.1), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "claims": ((1.0, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "report": ((1.0, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
}
BYTES: dict[str, Prior] = {
    "data": ((1.0, 0.1), (1.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "embed": ((1.0, 0.1), (0.0, 0.1), (1.0, 0.1), (0.0, 0.1)),
    "score": ((0.0, 0.1), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "table": ((1.0, 0.1), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "verdict": ((1.0, 0.1), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "figure": ((0.5, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "claims": ((1.0, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
    "report": ((1.0, 0.2), (0.0, 0.1), (0.0, 0.1), (0.0, 0.1)),
}
BOUNDS = (0.0, 3.2)  # of the exponent of the number of points
# CPU seconds, megabytes and bytes of work that nothing is known about.
GUESS = {"data": (0.2, 300.0, 1e5), "embed": (2.0, 300.0, 1e4), "score": (0.3, 300.0, 3e3),
         "table": (0.3, 300.0, 1e5), "verdict": (0.3, 300.0, 1e5), "figure": (2.0, 400.0, 2e5),
         "claims": (5.0, 500.0, 1e6), "report": (20.0, 1000.0, 6e6)}  # fmt: skip
UNKNOWN = math.inf


class Cost(NamedTuple):
    """The predicted cost of a trial.

    Attributes
    ----------
    cpu_seconds, peak_mb, size : float
        CPU time, memory and bytes on disk.
    reach : float
        How far it is from the records: 1 within their sizes, 10 for ten times as many points or
        steps, infinite without a record of the same method.
    """

    cpu_seconds: float
    peak_mb: float
    size: float
    reach: float


class Law:
    """A power law, cost = exp(a) · Π sizeᵉ, fitted to work of different sizes.

    Parameters
    ----------
    known : list of (Work, float)
        Work and its costs; at least one.
    prior : tuple of (float, float)
        Expected exponents with standard deviations.
    precise : float
        Smaller costs are less precise than their logarithms tell.
    """

    def __init__(self, known: list[tuple[Work, float]], prior: Prior, precise: float) -> None:
        costs = np.array([max(cost, precise / 10) for _, cost in known])
        y, X = np.log(costs), np.array([_logarithms(work) for work, _ in known])
        self._center = np.array([0.0, *X[:, 1:].mean(axis=0)])
        X -= self._center
        mean = np.array([y.mean(), *(e for e, _ in prior)])
        sd = np.array([10.0, *(s for _, s in prior)])
        noise = 0.3**2 + (precise / costs) ** 2
        # Outliers lose weight in two rounds; an exponent beyond its bounds is set to the bound.
        weights = 1 / noise
        for _ in range(3):
            A = X.T @ (weights[:, None] * X) + np.diag(sd**-2)
            self._exponents = np.linalg.solve(A, X.T @ (weights * y) + mean / sd**2)
            within = float(np.clip(self._exponents[1], *BOUNDS))
            if within != self._exponents[1]:
                mean[1], sd[1] = within, 1e-4
            residuals = y - X @ self._exponents
            weights = 1 / (noise * np.maximum(1, np.abs(residuals) / np.sqrt(noise) / 2))
        # One setting of a method may be faster than the others.
        by_method = defaultdict(list)
        for (work, _), residual, weight in zip(known, residuals, weights, strict=True):
            by_method[work.method].append((residual, weight * 0.3**2))
        self._offsets = {
            method: sum(r * w for r, w in found) / (sum(w for _, w in found) + 0.5)
            for method, found in by_method.items()
        }

    @property
    def exponent(self) -> float:
        """Exponent of the number of points."""
        return float(self._exponents[1])

    def __call__(self, work: Work) -> float:
        """Return the cost of work."""
        sizes = np.array(_logarithms(work)) - self._center
        log = self._exponents @ sizes + self._offsets.get(work.method, 0.0)
        return math.exp(min(float(log), 60.0))


def _logarithms(work: Work) -> list[float]:
    sizes = (work.n_samples, work.n_features, work.n_components, work.steps)
    return [1.0, *map(math.log, sizes)]


class _Laws(NamedTuple):
    """The laws of one method, dataset, or set of scorers, each added to a constant."""

    seconds: Law
    peak_mb: Law
    size: Law
    constants: tuple[float, float, float]
    n_samples: int
    steps: int


class CostModel:
    """Predicts the costs of work from records.

    Parameters
    ----------
    shipped, local : mapping of Work to Record
        Records of the project and of this machine. Equal work in both tells how fast this machine
        is, and the record of this machine is preferred.
    families : mapping of str to str
        Methods to their families: a method without a record is taken for one of its family.
    """

    def __init__(
        self,
        shipped: Mapping[Work, Record],
        local: Mapping[Work, Record] | None = None,
        families: Mapping[str, str] | None = None,
    ) -> None:
        local, self._families = local or {}, families or {}
        speed = _speed(shipped, local)
        scaled = {work: r._replace(cpu_seconds=r.cpu_seconds * speed,
                                   fit_seconds=r.fit_seconds * speed)
                  for work, r in shipped.items()}  # fmt: skip
        self._records = {**scaled, **local}
        self._groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
        for record in self._records.values():
            work = record.work
            self._groups[work.stage, work.name].append(record)
            if (family := self._families.get(work.name)) and work.stage == "embed":
                self._groups["family", family].append(record)
            self._groups[work.stage, ""].append(record)
        self._known: dict[tuple[str, str], _Laws] = {}

    def predict(self, work: Work) -> Cost:
        """Return the cost of one trial."""
        # Equal work.
        if (record := self._records.get(work)) is not None:
            return Cost(record.cpu_seconds, record.peak_mb, record.size, 1.0)
        # Work of the same name at other sizes, of the same family, or of the same stage.
        names = [(work.stage, work.name), (work.stage, "")]
        if work.stage == "embed" and work.name in self._families:
            names.insert(1, ("family", self._families[work.name]))
        key = next((key for key in names if key in self._groups), None)
        if key is None:
            return Cost(*GUESS[work.stage], UNKNOWN)
        if key not in self._known:
            self._known[key] = self._fit(work.stage, self._groups[key])
        laws = self._known[key]
        seconds, peak_mb, size = (
            constant + law(work) for constant, law in zip(laws.constants, laws[:3], strict=True)
        )
        further = max(1, work.n_samples / laws.n_samples) * max(1, work.steps / laws.steps)
        return Cost(seconds, peak_mb, size, further if key == names[0] else UNKNOWN)

    def _fit(self, stage: str, records: list[Record]) -> _Laws:
        """Return the laws of records of one kind."""
        # A trial that failed says little about one that does not.
        good = [record for record in records if not record.failed] or records
        whole = [record for record in self._groups[stage, ""] if not record.failed] or good
        # What does not depend on sizes: starting processes, reading and writing.
        starts = median(max(0.0, r.cpu_seconds - r.fit_seconds) for r in good)
        if stage != "embed":
            starts = 0.9 * min(r.cpu_seconds for r in whole)
        base_mb, base_size = 0.95 * min(r.peak_mb for r in whole), 0.9 * min(r.size for r in good)

        def law(costs: Iterable[float], prior: Prior, precise: float) -> Law:
            return Law(
                [(r.work, cost) for r, cost in zip(good, costs, strict=True)], prior, precise
            )

        fits = (r.fit_seconds if stage == "embed" else r.cpu_seconds - starts for r in good)
        return _Laws(
            law(fits, SECONDS[stage], 0.02),
            law((r.peak_mb - base_mb for r in good), MEMORY[stage], 10.0),
            law((r.size - base_size for r in good), BYTES[stage], 100.0),
            (starts, base_mb, base_size),
            max(r.work.n_samples for r in good),
            max(r.work.steps for r in good),
        )


def _speed(shipped: Mapping[Work, Record], local: Mapping[Work, Record]) -> float:
    """Return the time that this machine takes, divided by that of the shipped records."""
    ratios = [
        record.cpu_seconds / shipped[work].cpu_seconds
        for work, record in local.items()
        if work in shipped and min(record.cpu_seconds, shipped[work].cpu_seconds) > 0.05
    ]
    return median(ratios) if len(ratios) >= 5 else 1.0
