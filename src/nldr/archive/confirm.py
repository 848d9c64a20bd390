"""Confirm that code which has changed computes the numbers of the archive, by a sample.

A refactoring makes cells stale although their numbers are the same. For each method, dataset and
metric, some trials of its stale cells are computed by the code that the archive is from and by
today's, both on this machine, since another processor alone moves some scores. Where all scores of
the sample agree, the other cells get today's fingerprint.
"""

from __future__ import annotations

import json
import lzma
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from nldr.archive.contents import (
    ARCHIVE,
    Archive,
    DataArchive,
    Fingerprints,
    Keys,
    Trial,
    Trials,
    compress,
)
from nldr.archive.former import Result, compute_twice, fingerprints_of, git, worktree
from nldr.engine.files.status import Status
from nldr.engine.files.store import atomic
from nldr.engine.planning.plan import Plan
from nldr.engine.reading.parsing import PlanError

CONFIRMED = ARCHIVE + "/confirmed.json.xz"
TOLERANCE = 1e-6  # relative, and absolute below 1
UNAVAILABLE = "unavailable"  # status of a trial whose dataset is not here
SMALLEST, SHARE = 3, 0.05  # cells of a sample, and the share of all that it has at least


class CodePart(NamedTuple):
    """Code that decides numbers: a ``dataset``, ``method`` or ``metric`` of the catalog."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class CellName(NamedTuple):
    """A method cell on a dataset cell."""

    data: str
    method: str


@dataclass
class Confirmation:
    """Finding of a sample about the stale cells of a dataset, method or metric."""

    # The part, see :class:`Part`
    kind: str
    name: str
    date: str  # day of the computation
    commit: str  # commit of the former code
    cells: int  # number of stale cells
    sample: list[str]  # trials that were computed by both codes
    largest_difference: float  # of any score in the sample, relative, and absolute below 1


@dataclass
class History:
    """Commits whose fingerprints the archive has, newest first, and all confirmations."""

    commits: list[str] = field(default_factory=list)
    confirmations: list[Confirmation] = field(default_factory=list)

    @classmethod
    def read(cls, root: Path) -> History:
        """Return the history that the archive keeps; an empty one if there is none."""
        path = root / CONFIRMED
        if not path.is_file():
            return cls()
        return TypeAdapter(cls).validate_json(lzma.decompress(path.read_bytes()))

    def write(self, root: Path) -> None:
        """Write the file of the archive."""
        with atomic(root / CONFIRMED) as temporary:
            temporary.write_bytes(compress(json.dumps(asdict(self), indent=1).encode()))

    def note_commit(self, root: Path, all_current: bool) -> bool:
        """Note that the archive has the fingerprints of the current commit; tell whether it has.

        It has not if files differ from the commit, or without git. If ``all_current``, no former
        commit is needed any more.
        """
        try:
            changes = git(root, "status", "--porcelain", "--", "src", "workflow")
            commit = git(root, "rev-parse", "HEAD")
        except PlanError:
            return False
        if changes:
            return False
        former = [] if all_current else [c for c in self.commits if c != commit]
        self.commits = [commit, *former]
        return True


class Stale:
    """Stale cells of the archive that a former commit computed, by the parts that make them stale.

    ``before`` and ``now`` are the fingerprints of the former commit and of today's code.
    """

    def __init__(
        self, plan: Plan, archive: Archive, before: Fingerprints, now: Fingerprints
    ) -> None:
        self._plan, self._archive, self._before, self._now = plan, archive, before, now
        self.cells: dict[CodePart, list[CellName]] = {}
        self.contents: dict[str, DataArchive] = {}
        for data in archive.names():
            content = archive.read(data)
            if content is None or data not in now.data:
                continue
            self.contents[data] = content
            for method in content.methods:
                cell = CellName(data, method)
                for part, trials, new in self._parts(cell):
                    if trials.key != new:
                        self.cells.setdefault(part, []).append(cell)

    def _parts(self, cell: CellName) -> Iterator[tuple[CodePart, Trials, str]]:
        """Yield each part of a cell with its trials and the digest that today's code has.

        A cell has none if the former code would not compute it.
        """
        data, method = cell
        content, (before, now) = self.contents[data], (self._before, self._now)
        embedded = content.methods[method]
        if method not in now.embeddings[data]:
            return
        dataset = CodePart("dataset", self._plan.data[data].name)
        estimator = CodePart("method", self._plan.methods[method].name)
        former, today = before.embeddings.get(data, {}), now.embeddings[data]
        parts = [
            (dataset, content.trials, before.data.get(data), now.data[data]),
            (estimator, embedded.trials, former.get(method), today[method]),
        ]
        for name, trials in embedded.scores.items():
            if name in now.scorings:
                metric = CodePart("metric", self._plan.scorings[name].scorer)
                parts.append((metric, trials, before.scorings.get(name), now.scorings[name]))
        if all(trials.key in (old, new) for _, trials, old, new in parts):
            yield from ((part, trials, new) for part, trials, _, new in parts)

    def seconds(self, cell: CellName) -> dict[int, float]:
        """Return the CPU seconds of the fits of a cell's trials, failed ones left out."""
        rows = self.contents[cell.data].methods[cell.method].trials.rows
        return {
            number: row["cpu_seconds"]
            for number, row in enumerate(rows)
            if Status(row["status"]).has_result
        }

    def cost(self, cell: CellName) -> float:
        """Return the CPU seconds of a cell's cheapest fit."""
        return min(self.seconds(cell).values())

    def draw(self, cell: CellName, rng: random.Random) -> Trial:
        """Return a random trial of a cell that has a result."""
        return Trial(*cell, rng.choice(list(self.seconds(cell))))

    def scorings(self, trial: Trial) -> list[str]:
        """Return the names of the scorings that the archive has of a trial."""
        scores = self.contents[trial.data].methods[trial.method].scores
        return sorted(name for name in scores if name in self._now.scorings)

    def stamp(self, part: CodePart, date: str) -> None:
        """Give the stale cells of a part the fingerprint of today's code."""
        cells = self.cells[part]
        for cell in cells:
            for other, trials, new in self._parts(cell):
                if other == part and trials.key != new:
                    trials.key, trials.confirmed = new, date
        for data in dict.fromkeys(cell.data for cell in cells):
            self._archive.write(data, self.contents[data])


def _has_stale_cells(archive: Archive, now: Fingerprints) -> bool:
    """Return whether today's code has another fingerprint of any cell of the archive."""
    for data, methods in now.embeddings.items():
        content = archive.read(data)
        if content is None:
            continue
        for method in methods.keys() & content.methods.keys():
            cell = content.methods[method]
            keys = [(content.trials.key, now.data[data]), (cell.trials.key, methods[method])]
            keys += [(s.key, now.scorings.get(name, s.key)) for name, s in cell.scores.items()]
            if any(key != today for key, today in keys):
                return True
    return False


def draw_samples(stale: Stale, rng: random.Random) -> dict[CodePart, list[CellName]]:
    """Return the cells of which each part needs a trial, drawn from its cheaper half.

    A cell that is drawn for one part counts for the others. Parts with few cells come first.
    """
    chosen: set[CellName] = set()
    samples: dict[CodePart, list[CellName]] = {}
    for part, cells in sorted(stale.cells.items(), key=lambda item: (len(item[1]), item[0])):
        size = max(SMALLEST, math.ceil(SHARE * len(cells)))
        by_cost = sorted(filter(stale.seconds, cells), key=stale.cost)
        pool = by_cost[: max(2 * size, len(cells) // 2)]
        sample = [cell for cell in pool if cell in chosen][:size]
        others = [cell for cell in pool if cell not in chosen]
        sample += rng.sample(others, min(size - len(sample), len(others)))
        chosen.update(sample)
        samples[part] = sample
    return samples


def in_order(samples: Mapping[CodePart, Sequence[CellName]], stale: Stale) -> list[CellName]:
    """Return the cells of samples, cheap samples first, and then all others for a larger sample."""
    parts = sorted(samples, key=lambda part: sum(map(stale.cost, samples[part])))
    others = {cell for cells in stale.cells.values() for cell in cells if stale.seconds(cell)}
    ordered = [*(cell for part in parts for cell in samples[part]), *sorted(others, key=stale.cost)]
    return list(dict.fromkeys(ordered))


def difference(before: Result, now: Result) -> float:
    """Return the largest difference of two results, relative, and absolute below 1.

    It is infinite if statuses or metrics differ.

    Examples
    --------
    >>> difference({"status": "ok", "scores": {"r2": 0.5}}, {"status": "ok", "scores": {"r2": 0.5}})
    0.0
    """
    scores, others = before["scores"] or {}, now["scores"] or {}
    if before["status"] != now["status"] or scores.keys() != others.keys():
        return math.inf
    return max((_distance(scores[name], others[name]) for name in scores), default=0.0)


def _distance(a: float | None, b: float | None) -> float:
    if a is None or b is None or a != a or b != b:
        same = a == b or (a is not None and b is not None and a != a and b != b)
        return 0.0 if same else math.inf
    return 0.0 if a == b else abs(a - b) / max(1.0, abs(a))


def confirm(
    plan: Plan, archive: Archive, seconds: float, seed: int, tell: Callable[[str], None]
) -> bool:
    """Confirm what a sample shows to be unchanged, and give its cells today's fingerprint.

    The longer the limit of ``seconds``, the larger are the samples; a part whose smallest sample
    does not fit stays stale. ``tell`` receives a line for each trial and each part. Returns whether
    no score differs.

    Raises
    ------
    PlanError
        If the archive does not know a commit of the code that computed it.
    """
    history, now = History.read(archive.root), Keys(plan).everything()
    if not history.commits:
        raise PlanError(f"{CONFIRMED} has no commit to compare with: nldr archive writes it")
    end, same, rng = time.monotonic() + seconds, True, random.Random(seed)
    for number, commit in enumerate(history.commits):
        if not _has_stale_cells(archive, now):
            tell("no cell is stale: there is nothing to confirm")
            break
        if time.monotonic() >= end:
            tell(f"the time is up: {len(history.commits) - number} former commits are left out")
            break
        with worktree(plan.root, commit) as former:
            stale = Stale(plan, archive, fingerprints_of(former, plan.config.scale), now)
            samples = draw_samples(stale, rng)
            trials = {stale.draw(cell, rng): cell for cell in in_order(samples, stale)}
            smallest = len({cell for sample in samples.values() for cell in sample})
            tell(
                f"{len(trials)} cells are from commit {commit[:12]}: at least {smallest} of them "
                f"are computed, seed {seed}"
            )
            tests: dict[CellName, tuple[Trial, float]] = {}
            wishes = {trial: stale.scorings(trial) for trial in trials}
            roots = (former, plan.root)
            for trial, *both in compute_twice(
                wishes, roots, plan.config.scale, end - time.monotonic()
            ):
                if all(result["status"] != UNAVAILABLE for result in both):
                    tests[trials[trial]] = trial, difference(*both)
                    tell(f"{trial}: largest difference {tests[trials[trial]][1]:.1e}")
            same &= _conclude(stale, samples, tests, (history, commit), tell)
        history.write(archive.root)
    return same


def _conclude(
    stale: Stale,
    samples: Mapping[CodePart, Sequence[CellName]],
    tests: Mapping[CellName, tuple[Trial, float]],
    source: tuple[History, str],
    tell: Callable[[str], None],
) -> bool:
    """Confirm each part whose sample agrees; say so of all parts, and return if none differs."""
    (history, commit), same = source, True
    date = time.strftime("%Y-%m-%d", time.gmtime())
    for part, sample in samples.items():
        size, cells = len(stale.cells[part]), f"{part}: {len(stale.cells[part])} cells"
        computed = [tests[cell] for cell in stale.cells[part] if cell in tests]
        worst, largest = max(computed, key=lambda test: test[1], default=(None, math.inf))
        missing = sum(cell not in tests for cell in sample)
        if computed and largest > TOLERANCE:
            same = False
            tell(f"different: {cells} stay stale: {worst} differs by {largest:.1e}")
        elif missing or not sample:
            tell(f"open: {cells} stay stale: {missing} of {len(sample)} trials were not computed")
        else:
            tell(f"confirmed: {cells}, by {len(computed)} trials, largest difference {largest:.1e}")
            names = [str(trial) for trial, _ in computed]
            history.confirmations.append(Confirmation(*part, date, commit, size, names, largest))
            stale.stamp(part, date)
    return same
