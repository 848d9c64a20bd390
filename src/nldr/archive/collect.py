"""Put what a build has made into the archive, beside what is there already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nldr.archive.contents import (
    Archive,
    DataArchive,
    Embedded,
    Keys,
    PlannedCell,
    Row,
    Trials,
    planned_cells,
)
from nldr.engine.files.layout import SCORE_CACHE, SCORES
from nldr.engine.files.score_cache import read_scores
from nldr.engine.files.status import Status
from nldr.engine.files.store import digest_of, read_if_whole
from nldr.engine.freshness.health import key_of
from nldr.engine.planning.plan import Job, Plan

DIGITS = 8  # significant ones of numbers; recomputed scores agree in six
FILE = ("trial", "file", "sha256", "bytes", "mtime_ns", "key")  # of a row: valid here alone


def collect(plan: Plan, archive: Archive) -> dict[str, int]:
    """Bring the cells of the archive up to date with those that are built.

    Cells that no study wants any more are removed. Cells that were not built here are kept, even
    where the code has changed since, so that they can be told from what was never computed. Returns
    how many cells were ``added`` or renewed, and how many there are in ``all``.
    """
    keys = Keys(plan)
    counts = {"added": 0, "all": 0}
    cells = planned_cells(plan)
    for data, methods in cells.items():
        archived = archive.read(data)
        content = _collect_data(plan, keys, data, methods, archived)
        if content is None:
            continue
        if content != archived:
            archive.write(data, content)
        before = archived.methods if archived else {}
        counts["added"] += sum(before.get(name) != cell for name, cell in content.methods.items())
        counts["all"] += len(content.methods)
    for data in set(archive.names()) - cells.keys():
        archive.remove(data)
    return counts


def _collect_data(
    plan: Plan,
    keys: Keys,
    data: str,
    methods: Mapping[str, PlannedCell],
    archived: DataArchive | None,
) -> DataArchive | None:
    """Return a dataset's cells, those that are built in place of those that are archived."""
    old = (
        {name: cell for name, cell in archived.methods.items() if name in methods}
        if archived
        else {}
    )
    numbers = {number for planned in methods.values() for number in planned.trials}
    sources = rows_built(
        (plan.data_file(data, n), plan.data_job(data, n)) for n in _falling(numbers)
    )
    key = keys.data(data)
    # What was made from other data is worth nothing beside the new ones.
    if sources and archived and archived.trials.key != key:
        old = {}
    for method, planned in methods.items() if sources else ():
        rows = rows_built(
            (plan.embedding_file(data, method, n), plan.embed_job(data, method, n))
            for n in _falling(planned.trials)
        )
        trials = Trials(keys.embedding(data, method), [_portable(row) for row in rows])
        if rows:
            data_rows = sources if len(sources) > 1 else sources * len(rows)
            scores = _scores(
                plan, keys, (data, method), planned, zip(data_rows, rows, strict=False)
            )
            old[method] = join(old.get(method), Embedded(trials, scores))
    if not old:
        return None
    # The longer list of datasets is kept.
    trials = Trials(key, [_portable(row) for row in sources])
    if archived and (not sources or _contains(archived.trials, trials)):
        trials = archived.trials
    return DataArchive(trials, old)


def join(archived: Embedded | None, built: Embedded) -> Embedded:
    """Return what is built joined with what the archive has of the same embeddings, if anything.

    Studies may want different numbers of trials, and each its own scores of them: of the trials,
    and of the scores by each scorer, the longer list is kept. Where the trials of both differ,
    those that are more count, and those built here if they are as many.
    """
    if archived is None or archived.trials.key != built.trials.key:
        return built
    more = archived if _contains(archived.trials, built.trials) else built
    contents = [[row.get("content") for row in cell.trials.rows] for cell in (archived, built)]
    if any(a != b for a, b in zip(*contents, strict=False)):
        return more
    scores = dict(archived.scores)
    for scorer, trials in built.scores.items():
        if not (scorer in scores and _contains(scores[scorer], trials)):
            scores[scorer] = trials
    return Embedded(more.trials, scores)


def _falling(numbers: set[int]) -> list[int]:
    return sorted(numbers, reverse=True)


def _contains(longer: Trials, shorter: Trials) -> bool:
    """Return whether trials of one key are more than others."""
    return longer.key == shorter.key and len(longer.rows) > len(shorter.rows)


def rows_built(candidates: Iterable[tuple[str, Job]]) -> list[Row]:
    """Return the rows of the first manifest that was made here from today's code, if any.

    A restored one has what the archive has, of data that may have other last digits there.
    """
    for manifest, job in candidates:
        content = read_if_whole(manifest)
        whole = content and content["key"] == key_of(job) and "restored" not in content
        if whole and not any(row.get("transient") for row in content["trials"]):
            return content["trials"]
    return []


def _portable(row: Row) -> Row:
    """Return a row without what only makes sense in this folder, its numbers as in tables."""
    return {name: _rounded(value) for name, value in row.items() if name not in FILE}


def _rounded(value: Any) -> Any:
    """Return a number, or all numbers in a value, with as many digits as archived tables have."""
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _scores(
    plan: Plan,
    keys: Keys,
    cell: tuple[str, str],
    planned: PlannedCell,
    trials: Iterable[tuple[Row, Row]],
) -> dict[str, Trials]:
    """Return the scores of an embedding by scorer, up to the first trial that was not scored."""
    place = Path(SCORES.format(data=cell[0], method=cell[1], scorers="none", trials=1))
    cache, _ = read_scores(place.parents[1] / SCORE_CACHE)
    pairs, scores = list(trials), dict[str, Trials]()
    for job in (plan.score_job(name) for name in sorted(planned.scorings)):
        rows: list[Row] = []
        for source, row in pairs:
            scored: Row | None = {}
            if Status(row["status"]).has_result:
                scored = cache.get(digest_of([job.facts(), source["content"], row["content"]]))
            if scored is None:
                break
            rows.append(_portable(scored))
        if rows:
            scores[job.name] = Trials(keys.scoring(job.name), rows)
    return scores
