"""The commands of the archive."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from nldr.archive.agenda import write_agenda
from nldr.archive.collect import collect
from nldr.archive.confirm import CONFIRMED, UNAVAILABLE, History, confirm
from nldr.archive.contents import ARCHIVE, Archive, Keys, State, Trial
from nldr.archive.publish import publish, publish_points
from nldr.archive.recompute import Comparison, Found, Result, compare, compute, sample
from nldr.archive.restore import Restored, restore
from nldr.engine.freshness import health
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.results import planned_results
from nldr.engine.reading.parsing import PlanError
from nldr.engine.running.workers import Workers

PARTS = 5  # of the time limit, of which no trial of a sample takes more than one


def archive(plan: Plan, options: argparse.Namespace) -> int:
    """Bring the archive up to date, print fingerprints, or confirm stale cells by a sample."""
    if options.fingerprints:
        print(json.dumps(asdict(Keys(plan).everything())))
        return 0
    archive = Archive(Path())
    if options.confirm:
        same = confirm(plan, archive, 60 * options.minutes, _seed(options), _tell)
        _close(plan, restore(plan, archive, write=False))
        return 0 if same else 1
    return _update(plan, archive)


def _tell(line: str) -> None:
    print(line, flush=True)


def _seed(options: argparse.Namespace) -> int:
    return secrets.randbelow(2**32) if options.seed is None else options.seed


def _update(plan: Plan, archive: Archive) -> int:
    """Bring the archive up to date with what is built."""
    counts = collect(plan, archive)
    found = restore(plan, archive, write=False)
    problems = health.find_problems(planned_results(plan), plan.catalog.code)
    studies = publish(plan, archive, problems, found)
    points = publish_points(plan, archive)
    size = sum(file.stat().st_size for file in Path(ARCHIVE).rglob("*") if file.is_file())
    print(f"{ARCHIVE}: {counts['all']} cells, {counts['added']} of them new; {studies} studies "
          f"copied; {points} embeddings; {size / 1e6:.1f} MB")  # fmt: skip
    _close(plan, found)
    return 0


def _close(plan: Plan, found: Restored) -> None:
    """Write what the archive covers and which commit has its fingerprints, and say so."""
    write_agenda(plan, Path(), found)
    _tell_states(found)
    history = History.read(Path())
    if not history.note_commit(Path(), not found.total(State.STALE)):
        print("src/ or workflow/ differs from the last commit: commit, and run nldr archive again, "
              "so that later changes of code can be confirmed")  # fmt: skip
    history.write(Path())


def restore_all(plan: Plan) -> int:
    """Make all results that the archive has."""
    found = restore(plan, Archive())
    print(f"{found.total(State.CURRENT)} cells restored from {ARCHIVE}")
    _tell_states(found)
    return 0


def _tell_states(found: Restored) -> None:
    """Say which studies are complete, and which have changed since they were archived."""
    complete = [name for name, known in found.counts.items()
                if known[State.CURRENT] == sum(known.values()) > 0]  # fmt: skip
    confirmed = sum(len(pairs) for pairs in found.confirmed.values())
    if confirmed:
        print(f"{found.total(State.CURRENT)} cells are current, {confirmed} of them confirmed by "
              f"samples: {CONFIRMED}")  # fmt: skip
    print(f"complete: {len(complete)} of {len(found.counts)} studies")
    for name in found.stale:
        number = found.counts[name][State.STALE]
        print(f"stale: {name}: {number} cell(s) were made from other code or parameters")


def recompute(plan: Plan, options: argparse.Namespace) -> int:
    """Compute a sample of the archive, or the trials of a file, and compare it."""
    archive = Archive()
    if options.trials:
        return _compute(plan, options.trials)
    if not list(archive.names()):
        raise PlanError(f"{ARCHIVE} has no cells: build something, then: nldr archive")
    known = restore(plan, archive, write=False)
    _tell_states(known)
    limit = float("inf") if options.full else 60 * options.minutes
    trials = sorted((t for t, spent in known.trials.items() if spent <= limit / PARTS), key=str)
    seed = _seed(options)
    chosen = sample(trials, len(trials) if options.full else options.cells, seed)
    print(f"{len(chosen)} of {len(known.trials)} trials, seed {seed}")
    if left_out := len(known.trials) - len(trials):
        print(f"left out, since each took more than {limit / PARTS:.0f} s: {left_out} trials")
    counts: Counter[Found] = Counter()
    with _workers(plan) as (workers, folder):
        for found in compare(plan, archive, chosen, folder, workers.run, limit):
            counts[found.found] += 1
            _tell(_line(found))
    print("; ".join(f"{number} {kind}" for kind, number in counts.items()))
    return 1 if counts[Found.DIFFERENT] else 0


@contextmanager
def _workers(plan: Plan) -> Iterator[tuple[Workers, Path]]:
    """Start the processes that compute, and make a folder for their results."""
    with tempfile.TemporaryDirectory(prefix="nldr-") as folder:
        workers = Workers(plan.config.start, Path(folder) / "warm.log")
        workers.launch()
        try:
            yield workers, Path(folder)
        finally:
            workers.stop()


def _compute(plan: Plan, file: Path) -> int:
    """Compute the trials of a file and print a line of JSON for each."""
    with _workers(plan) as (workers, folder):
        for row in json.loads(file.read_text(encoding="utf-8")):
            trial = Trial(row["data"], row["method"], row["number"])
            try:
                result = compute(plan, trial, row["scorings"], folder, workers.run)
            except RuntimeError as error:
                print(error, file=sys.stderr)
                result = None
            _tell(json.dumps(asdict(result or Result(UNAVAILABLE, {}))))
    return 0


def _line(found: Comparison) -> str:
    detail = f": {found.detail}" if found.detail else ""
    return f"{found.trial}: {found.found}{detail} ({found.seconds:.1f} s)"
