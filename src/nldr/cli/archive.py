"""``nldr archive``, ``restore`` and ``recompute``: results that are kept under version control."""

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
from functools import partial
from pathlib import Path

from nldr.archive.collect import collect
from nldr.archive.confirm import CONFIRMED, UNAVAILABLE, History, confirm
from nldr.archive.contents import ARCHIVE, Archive, CellState, Keys, Trial
from nldr.archive.figures import draw_figures
from nldr.archive.publish import publish, publish_points
from nldr.archive.recompute import Recomputation, Recomputed, compare, compute, sample
from nldr.archive.restore import Restored, lost_cells, write_agenda
from nldr.archive.restore import restore as restore_cells
from nldr.archive.verdicts import RecordRows, decide_again, decide_claims_of
from nldr.cli.project import enter
from nldr.engine.freshness import health
from nldr.engine.planning.plan import Plan
from nldr.engine.reading.parsing import PlanError
from nldr.engine.running.workers import Workers
from nldr.statistics.repeats import Match

_tell = partial(print, flush=True)
PARTS = 5  # of the time limit, of which no trial of a sample takes more than one


def archive(options: argparse.Namespace) -> int:
    """Bring the archive up to date, or one part of it, or print fingerprints."""
    plan = enter(options)
    if options.fingerprints:
        print(json.dumps(asdict(Keys(plan).everything())))
        return 0
    if options.verdicts:
        changed = decide_again(plan, Path())
        decide_claims_of(plan, Path())
        _draw_again(plan)
        print(f"verdicts of {len(changed)} studies changed: {', '.join(changed) or 'none'}")
        return 0
    archive = Archive(Path())
    if options.confirm:
        same = confirm(plan, archive, 60 * options.minutes, _seed(options), _tell)
        _close(plan, restore_cells(plan, archive, write=False))
        return 0 if same else 1
    return _update(plan, archive)


def _seed(options: argparse.Namespace) -> int:
    return secrets.randbelow(2**32) if options.seed is None else options.seed


def _update(plan: Plan, archive: Archive) -> int:
    """Bring the archive up to date with what is built."""
    counts = collect(plan, archive)
    restored = restore_cells(plan, archive, write=False)
    problems = health.find_problems(plan)
    studies = publish(plan, archive, problems, restored)
    decide_again(plan, Path())
    decide_claims_of(plan, Path())
    _draw_again(plan)
    points = publish_points(plan, archive)
    size = sum(file.stat().st_size for file in Path(ARCHIVE).rglob("*") if file.is_file())
    print(
        f"{ARCHIVE}: {counts['all']} cells, {counts['added']} of them new; {studies} studies "
        f"copied; {points} embeddings; {size / 1e6:.1f} MB"
    )
    _close(plan, restored)
    return 0


def _draw_again(plan: Plan) -> None:
    """Draw the figures of the record by today's code."""
    if changed := draw_figures(plan, Path()):
        print(f"figures drawn again: {', '.join(changed)}")


def _close(plan: Plan, restored: Restored) -> None:
    """Write what the archive covers and which commit has its fingerprints, and say so."""
    for study, number in lost_cells(Path(), restored).items():
        print(
            f"lost: {study}: {number} archived cell(s) are incomplete, since they need more trials "
            f"or were embedded again for another study: build {study}, and archive it"
        )
    if outdated := RecordRows(plan, Path()).outdated():
        print(
            "tables older than their cells, which were embedded again for another study: build "
            f"{' '.join(outdated)}, and archive again"
        )
    write_agenda(plan, Path(), restored)
    _tell_states(restored)
    history = History.read(Path())
    if not history.note_commit(Path(), not restored.total(CellState.STALE)):
        print(
            "src/ or workflow/ differs from the last commit: commit, and run nldr archive again, "
            "so that later changes of code can be confirmed"
        )
    history.write(Path())


def restore(options: argparse.Namespace) -> int:
    """Make all results that the archive has."""
    restored = restore_cells(enter(options), Archive())
    print(f"{restored.total(CellState.CURRENT)} cells restored from {ARCHIVE}")
    _tell_states(restored)
    return 0


def _tell_states(restored: Restored) -> None:
    """Say which studies are complete, and which have changed since they were archived."""
    complete = [
        name
        for name, counts in restored.counts.items()
        if counts[CellState.CURRENT] == sum(counts.values()) > 0
    ]
    confirmed = sum(len(pairs) for pairs in restored.confirmed.values())
    if confirmed:
        current = restored.total(CellState.CURRENT)
        print(f"{current} cells are current, {confirmed} of them confirmed by samples: {CONFIRMED}")
    print(f"{len(complete)} of {len(restored.counts)} studies are complete")
    for name in restored.stale:
        number = restored.counts[name][CellState.STALE]
        print(f"stale: {name}: {number} cell(s) were made from other code or parameters")


def recompute(options: argparse.Namespace) -> int:
    """Compute a sample of the archive, or the trials of a file, and compare it."""
    plan, archive = enter(options), Archive()
    if options.trials:
        return _compute(plan, options.trials)
    if not list(archive.names()):
        raise PlanError(f"{ARCHIVE} has no cells: build something, then: nldr archive")
    restored = restore_cells(plan, archive, write=False)
    _tell_states(restored)
    limit = float("inf") if options.full else 60 * options.minutes
    trials = sorted((t for t, spent in restored.trials.items() if spent <= limit / PARTS), key=str)
    seed = _seed(options)
    chosen = sample(trials, len(trials) if options.full else options.cells, seed)
    print(f"computing {len(chosen)} of {len(restored.trials)} trials again, seed {seed}")
    if left_out := len(restored.trials) - len(trials):
        print(f"left out: {left_out} trial(s), each of which took more than {limit / PARTS:.0f} s")
    counts: Counter[Match] = Counter()
    with _workers(plan) as (workers, folder):
        for comparison in compare(plan, archive, chosen, folder, workers.run, limit):
            counts[comparison.match] += 1
            _tell(_line(comparison))
    print("; ".join(f"{number} {kind}" for kind, number in counts.items()))
    if counts[Match.CLOSE]:
        print("On another processor, some scores may differ in their last digits, or by more.")
    return 1 if counts[Match.DIFFERENT] else 0


@contextmanager
def _workers(plan: Plan) -> Iterator[tuple[Workers, Path]]:
    """Start the processes that compute, and make a folder for their results."""
    with tempfile.TemporaryDirectory(prefix="nldr-") as folder:
        workers = Workers(plan.config.start, Path(folder) / "warm.log")
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
            _tell(json.dumps(asdict(result or Recomputed(UNAVAILABLE, {}))))
    return 0


def _line(comparison: Recomputation) -> str:
    detail = f": {comparison.detail}" if comparison.detail else ""
    return f"{comparison.trial}: {comparison.match}{detail} ({comparison.seconds:.1f} s)"
