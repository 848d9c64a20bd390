"""Make results from the archive, as far as today's code is that which made them.

Manifests are written as a build writes them, but without the files of trials. Tables, verdicts,
claims and most figures need no more. Where something does need the points of an embedding, a
build computes it again, see :func:`nldr.engine.freshness.health.find_problems`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from nldr.archive.contents import (
    ARCHIVE,
    POINTS,
    Archive,
    CellState,
    DataArchive,
    Embedded,
    Keys,
    Row,
    Trial,
)
from nldr.engine.files.status import Status
from nldr.engine.files.store import file_entry, read_if_whole, write_csv, write_manifest
from nldr.engine.freshness.health import key_of
from nldr.engine.jobs.specs import ScoresJob
from nldr.engine.planning.expand import Pair
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.results import Result, cell_results
from nldr.engine.running.scores import add_scores
from nldr.engine.stages.restored import copy_of
from nldr.tables import read_csv

AGENDA = ARCHIVE + "/plan.csv"  # the order of building
COLUMNS = ("study", "cpu_hours", "cells", "archived", "confirmed", "stale")


@dataclass
class Restored:
    """States of the pairs of each study in the archive."""

    # Numbers of pairs in each state, by study
    counts: dict[str, dict[CellState, int]] = field(default_factory=dict)
    # Trials with scores that today's code made, with the CPU seconds of their fits
    trials: dict[Trial, float] = field(default_factory=dict)
    # Current pairs that former code computed and a sample confirmed, by study
    confirmed: dict[str, set[Pair]] = field(default_factory=dict)

    @property
    def stale(self) -> list[str]:
        """Studies of which a cell is stale."""
        return [name for name, counts in self.counts.items() if counts[CellState.STALE]]

    def total(self, state: CellState) -> int:
        """Return the number of pairs in a state."""
        return sum(counts[state] for counts in self.counts.values())


def restore(plan: Plan, archive: Archive, write: bool = True) -> Restored:
    """Write the manifests of all cells of the archive that are current and not built yet.

    Without ``write``, cells are only counted.
    """
    keys, read = Keys(plan), cache(archive.read)
    restored = Restored()
    for name, study in plan.studies.items():
        scorings = plan.scorings_of(name)
        for pair in study.pairs:
            content = read(pair.data)
            state = keys.state(content, pair, scorings)
            restored.counts.setdefault(name, dict.fromkeys(CellState, 0))[state] += 1
            if content is not None and state is CellState.CURRENT:
                if content.is_confirmed(pair, scorings):
                    restored.confirmed.setdefault(name, set()).add(pair)
                rows = content.methods[pair.method].trials.rows[: pair.trials]
                restored.trials |= {
                    Trial(pair.data, pair.method, number): row["cpu_seconds"]
                    for number, row in enumerate(rows)
                    if Status(row["status"]).has_result
                }
                if write:
                    _restore_pair(plan, archive, name, pair, content)
    return restored


def _restore_pair(
    plan: Plan, archive: Archive, study: str, pair: Pair, content: DataArchive
) -> None:
    """Write the manifests of data, embeddings and scores, in this order."""
    data, embeddings, scores = cell_results(plan, study, pair)
    cell = content.methods[pair.method]
    _write(plan, data, content.trials.rows[: pair.trials if plan.data[pair.data].seeded else 1])
    rows = [dict(row) for row in cell.trials.rows[: pair.trials]]
    points = archive.root / POINTS.format(data=pair.data, method=pair.method)
    if points.is_file():
        place = {"file": os.path.relpath(points, (archive.root / embeddings.path).parent)}
        rows[0] |= file_entry(points) | place
    _write(plan, embeddings, rows)
    job = plan.scores_job(pair.data, plan.scorers(study), pair.trials)
    _write(plan, scores, score_rows(job, cell))


def _write(plan: Plan, result: Result, rows: Sequence[Row]) -> None:
    """Write a manifest unless it is there and current; one older than its inputs is touched."""
    key, manifest = key_of(plan.job(result.step)), result.path
    if _key(manifest) != key:
        numbered = [{"trial": trial, **row} for trial, row in enumerate(rows)]
        inputs = dict(zip(("data", "embeddings"), map(_key, result.inputs), strict=False))
        write_restored(manifest, key, inputs, numbered)
    elif any(os.path.getmtime(file) > os.path.getmtime(manifest) for file in result.inputs):
        os.utime(manifest)


def write_restored(manifest: str, key: str, inputs: Mapping[str, str], rows: Sequence[Row]) -> None:
    """Write a manifest as a job would, and a copy that the job returns to.

    ``inputs`` has the digest of the job behind each input.
    """
    for path in (copy_of(manifest), Path(manifest)):
        write_manifest(path, key=key, restored=dict(inputs), trials=list(rows))


@cache
def _key_at(manifest: str, _mtime: int) -> str:
    return read_if_whole(manifest).get("key", "")


def _key(manifest: str) -> str:
    path = Path(manifest)
    return _key_at(manifest, path.stat().st_mtime_ns) if path.is_file() else ""


def score_rows(job: ScoresJob, cell: Embedded) -> list[Row]:
    """Return the rows of a manifest of scores, as a build writes them."""
    rows: list[Row] = [{"scores": {}, "failures": []} for _ in range(job.trials)]
    for scoring in job.scorings:
        for row, score in zip(rows, cell.scores[scoring.name].rows, strict=False):
            # An embedding that failed has no scores.
            if score:
                add_scores(row, scoring.name, scoring.metrics, score)
    return rows


# --- the order of building -----------------------------------------------------------------------


def lost_cells(root: Path, restored: Restored) -> dict[str, int]:
    """Return how many cells of the last agenda the archive has lost, by study.

    A cell that was embedded again for another study loses the scores of its earlier coordinates.
    Studies that have more or fewer cells than at that time are left out.
    """
    lost = {}
    for row in read_csv(root / AGENDA) if (root / AGENDA).is_file() else ():
        counts = restored.counts.get(row["study"], {})
        missing = int(row["cells"]) - int(row["archived"]) - int(row["stale"])
        if sum(counts.values()) == int(row["cells"]):
            lost[row["study"]] = counts[CellState.MISSING] - missing
    return {study: number for study, number in lost.items() if number > 0}


def write_agenda(plan: Plan, root: Path, restored: Restored) -> None:
    """Write one row per study, in the order in which to build them.

    The columns are the study, the forecast CPU hours of all its cells (two digits; cells that it
    shares with other studies are counted for each), the number of its cells, and how many of them
    are archived, how many of these former code computed and a sample confirmed, and how many are
    from other code or parameters. ``restored`` is what the archive's cells cover.
    """
    sizes, rows = plan.forecast.sizes, []
    for name in sorted(restored.counts, key=lambda study: sizes[study]):
        counts = restored.counts[name]
        rows.append(
            (
                name,
                f"{sizes[name] / 3600:.2g}",
                sum(counts.values()),
                counts[CellState.CURRENT],
                len(restored.confirmed.get(name, ())),
                counts[CellState.STALE],
            )
        )
    write_csv(root / AGENDA, COLUMNS, rows)
