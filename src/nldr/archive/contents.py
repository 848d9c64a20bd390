"""Cells of the archive: rows of trials and scores, without the points that they were made from.

There is one file for each dataset cell. Whatever was made from other code or parameters than
today's is told by a key; unlike the keys of a build it leaves out the versions of installed
packages and the engine, since neither is meant to change a result. Whether they do is found by
computing a sample again.
"""

from __future__ import annotations

import builtins
import json
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from nldr.engine.files.layout import RESULTS, Record
from nldr.engine.files.store import atomic, digest_of
from nldr.engine.jobs.specs import DataJob, EmbedJob, Limits, ScoreJob
from nldr.engine.planning.expand import Pair
from nldr.engine.planning.plan import Plan
from nldr.engine.running.attempts import was_limited

ARCHIVE = RESULTS + "/archive"
CELLS = ARCHIVE + "/cells/{data}.json.xz"
POINTS = Record().points
Row = dict[str, Any]
# Of a job, what does not decide results or is decided by the number of trials alone
RUNNING = ("limits", "threads", "seeds", "transform_seeds", "random_states")
APART = ("code", *RUNNING, "metrics", "uses")


def compress(content: bytes) -> bytes:
    """Return content compressed as in all files of the archive, the same for the same content."""
    return lzma.compress(content, preset=6 | lzma.PRESET_EXTREME)


class CellState(StrEnum):
    """CellState of a pair of a study in the archive."""

    CURRENT = "current"
    STALE = "stale"  # from other code or parameters
    MISSING = "missing"


@dataclass(frozen=True)
class Trial:
    """One trial of a cell of the archive."""

    # The cells
    data: str
    method: str
    number: int  # the trial

    def __str__(self) -> str:
        return f"{self.data}/{self.method}, trial {self.number}"


@dataclass
class Trials:
    """Rows of all trials of a dataset or of an embedding, or the scores of one scorer."""

    key: str  # digest of code and parameters, see :class:`Keys`
    # One per trial; empty where an embedding failed and has no scores
    rows: list[Row] = field(default_factory=list)
    # Day on which a sample showed that today's code computes the same; empty where today's code
    # computed the rows itself
    confirmed: str = ""


@dataclass
class Embedded:
    """A method on a dataset: the trials, and their scores by scorer."""

    trials: Trials
    scores: dict[str, Trials] = field(default_factory=dict)


@dataclass
class DataArchive:
    """A dataset with all its embeddings, by name of the method's cell."""

    trials: Trials
    methods: dict[str, Embedded] = field(default_factory=dict)

    def is_confirmed(self, pair: Pair, scorings: Sequence[str]) -> bool:
        """Return whether data, embeddings or scores of a pair are from former code, see Trials."""
        embedded = self.methods[pair.method]
        scores = [embedded.scores[name] for name in scorings]
        return any(trials.confirmed for trials in (self.trials, embedded.trials, *scores))


_CONTENT = TypeAdapter(DataArchive)


class Archive:
    """Reads and writes the files of the archive below ``root``, the project's folder.

    Examples
    --------
    >>> import tempfile
    >>> archive = Archive(Path(tempfile.mkdtemp()))
    >>> archive.write("line", DataArchive(Trials("a", [{"status": "ok"}])))
    >>> list(archive.names()), archive.read("line").trials.rows
    (['line'], [{'status': 'ok'}])
    """

    def __init__(self, root: Path = Path()) -> None:
        self.root = root

    def names(self) -> Iterator[str]:
        """Yield the names of the dataset cells in the archive."""
        folder = (self.root / CELLS).parent
        yield from sorted(path.name.removesuffix(".json.xz") for path in folder.glob("*.json.xz"))

    def read(self, data: str) -> DataArchive | None:
        """Return what is known of a dataset cell; None if that is nothing."""
        path = self.root / CELLS.format(data=data)
        if not path.is_file():
            return None
        return _CONTENT.validate_python(json.loads(lzma.decompress(path.read_bytes())))

    def write(self, data: str, content: DataArchive) -> None:
        """Write the file of a dataset cell; equal content makes an equal file."""
        # Only what was confirmed says so.
        facts = asdict(
            content, dict_factory=lambda items: dict(i for i in items if i != ("confirmed", ""))
        )
        text = json.dumps(facts, separators=(",", ":"), sort_keys=True)
        with atomic(self.root / CELLS.format(data=data)) as temporary:
            temporary.write_bytes(compress(text.encode()))

    def remove(self, data: str) -> None:
        """Remove the file of a dataset cell."""
        (self.root / CELLS.format(data=data)).unlink()


class Keys:
    """Digests of all that decides the results of a cell, apart from engine and packages."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.data = cache(self._data)
        self.embedding = cache(self._embedding)
        self.scoring = cache(self._scoring)

    def _data(self, data: str) -> str:
        job = self._plan.data_job(data, 1)
        return self._digest(job, job.function, takes_seed=job.seeds[0] is not None)

    def _embedding(self, data: str, method: str) -> str:
        job = self._plan.embed_job(data, method, 1)
        return self._digest(job, job.estimator, takes_seed=job.random_states[0] is not None)

    def _scoring(self, name: str) -> str:
        job = self._plan.score_job(name)
        return self._digest(job, job.function)

    def state(self, content: DataArchive | None, pair: Pair, scorings: Sequence[str]) -> CellState:
        """Return what the archive of a dataset knows of a pair with some scorings."""
        cell = content.methods.get(pair.method) if content else None
        if content is None or cell is None or any(name not in cell.scores for name in scorings):
            return CellState.MISSING
        plan, number = self._plan, pair.trials if self._plan.data[pair.data].seeded else 1
        data, scores = plan.data_job(pair.data, 1), [plan.score_job(name) for name in scorings]
        parts = [
            (content.trials, self.data(pair.data), number, data.limits),
            (cell.trials, self.embedding(*pair.cell), pair.trials, plan.limits[pair.cell]),
            *((cell.scores[s.name], self.scoring(s.name), pair.trials, s.limits) for s in scores),
        ]
        if any(trials.key != key for trials, key, _, _ in parts):
            return CellState.STALE
        if pair.cell in plan.exclusive and not all(
            map(_ran_alone, cell.trials.rows[: pair.trials])
        ):
            return CellState.MISSING
        sufficient = all(_suffices(trials, n, limits) for trials, _, n, limits in parts)
        return CellState.CURRENT if sufficient else CellState.MISSING

    def everything(self) -> Fingerprints:
        """Return the digests of all cells that studies want."""
        cells = planned_cells(self._plan)
        return Fingerprints(
            data={data: self.data(data) for data in cells},
            embeddings={
                data: {method: self.embedding(data, method) for method in methods}
                for data, methods in cells.items()
            },
            scorings={name: self.scoring(name) for name in self._plan.scorings},
        )

    def _digest(self, job: DataJob | EmbedJob | ScoreJob, path: str, **facts: Any) -> str:
        """Return the digest of a job's fields and of our own modules behind an import path."""
        fields = {name: value for name, value in asdict(job).items() if name not in APART}
        # A method computes the same alone on the machine: see `state`.
        if "exclusive" in fields:
            fields["exclusive"] = False
        return digest_of(
            [fields, facts, sorted(self._plan.catalog.closure("", path).sources.items())]
        )


@dataclass
class Fingerprints:
    """Digests of all cells of a plan, as ``nldr archive --fingerprints`` prints them."""

    data: dict[str, str]  # by dataset cell
    embeddings: dict[str, dict[str, str]]  # by dataset cell and method cell
    scorings: dict[str, str]  # by scoring


@dataclass
class PlannedCell:
    """Demand of studies for a method on a dataset: numbers of trials, and scorings by name."""

    trials: set[int] = field(default_factory=set)
    scorings: set[str] = field(default_factory=set)


def planned_cells(plan: Plan) -> dict[str, dict[str, PlannedCell]]:
    """Return what studies ask for, by dataset and method cell."""
    cells: dict[str, dict[str, PlannedCell]] = {}
    for name, study in plan.studies.items():
        scorings = plan.scorings_of(name)
        for pair in study.pairs:
            cell = cells.setdefault(pair.data, {}).setdefault(pair.method, PlannedCell())
            cell.trials.add(pair.trials)
            cell.scorings.update(scorings)
    return cells


def _ran_alone(row: Row) -> bool:
    """Return whether a trial had the machine for itself, so that its seconds count."""
    return bool(row["circumstances"]["exclusive"])


def _suffices(trials: Trials, number: int, limits: Limits) -> bool:
    """Return whether all trials are there, and none of them has to be repeated."""
    rows = trials.rows[:number]
    return len(rows) == number and not any(
        row and (was_limited(row, limits) or _machine_failed(row)) for row in rows
    )


def _machine_failed(row: Row) -> bool:
    """Return whether a trial could not read a file or import a package.

    Methods and metrics of the record neither read nor write files: the machine failed, not they.
    """
    kind = getattr(builtins, row.get("message", "").partition(":")[0], None)
    return isinstance(kind, type) and issubclass(kind, OSError | ImportError)
