"""Score the embeddings of a cell: what was scored before is not scored again.

Scorers of this package share a process per embedding, since a process costs more than most of them
do; any other scorer has one of its own. If a shared process ends without a result, each of its
scorers is run alone, so that the one at fault costs its own scores only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from nldr.engine.files.layout import SCORE_CACHE
from nldr.engine.files.score_cache import append_score, forget, read_scores
from nldr.engine.files.status import Status
from nldr.engine.files.store import digest_of, read_manifest, write_manifest
from nldr.engine.jobs.requests import Request
from nldr.engine.jobs.specs import ScoreJob, ScoresJob
from nldr.engine.running.attempts import Row, located, outcomes, rows_by_trial, was_limited
from nldr.engine.running.children import Start, Task
from nldr.engine.stages.score import score

SHARING = "nldr."  # import paths of scorers that share a process
SCORE_ALL = f"{__name__}.score_all"
Call = tuple[ScoreJob, tuple[str, str], tuple[str, str], dict[str, float]]  # arguments of `score`
Missing = tuple[int, ScoreJob, str]  # trial, scorer and key of a score


def run_scores(
    request: Request, start: Start, tell: Callable[[str], object]
) -> tuple[int, list[Row]]:
    """Score all embeddings of a job and write the manifest of the scores.

    ``tell`` is called with what the user should know.
    """
    job: ScoresJob = request.job
    data, embeddings = request.inputs["data"][0], request.inputs["embeddings"][0]
    sources = rows_by_trial(data, job.trials)
    rows = read_manifest(embeddings)["trials"]
    cache_path = Path(request.manifest).parents[1] / SCORE_CACHE
    cache, damaged = read_scores(cache_path)
    if damaged:
        tell(f"{cache_path}: {damaged} line(s) are damaged; their scores are computed again")
        forget(cache_path)
    # Scores by embedding and scorer
    required = [
        (trial, scoring, digest_of([scoring.facts(), sources[trial]["content"], row["content"]]))
        for trial, row in enumerate(rows)
        if Status(row["status"]).has_result
        for scoring in job.scorings
    ]
    missing = [
        (trial, scoring, key)
        for trial, scoring, key in required
        if key not in cache or was_limited(cache[key], scoring.limits)
    ]
    # Scorers that use the scores of others come second
    keys = {(trial, scoring.name): key for trial, scoring, key in required}
    for is_second in (False, True):
        batch: list[tuple[Missing, Call]] = []
        for trial, scoring, key in (entry for entry in missing if bool(entry[1].uses) == is_second):
            used = [keys[trial, name] for name in scoring.uses if (trial, name) in keys]
            values = [item for other in used for item in cache[other]["values"].items()]
            scores = {name: value for name, value in values if value is not None}
            files = (located(data, sources[trial]), located(embeddings, rows[trial]))
            batch.append(((trial, scoring, key), (scoring, *files, scores)))
        for (_, scoring, key), result in _results(request, start, batch):
            cache[key] = result | {"limits": asdict(scoring.limits)}
            append_score(cache_path, key, cache[key])
    # One row per trial with the scores of all scorers
    scored: list[Row] = [
        {"trial": trial, "scores": {}, "failures": []} for trial in range(len(rows))
    ]
    for trial, scoring, key in required:
        add_scores(scored[trial], scoring.name, scoring.metrics, cache[key])
    write_manifest(request.manifest, key=request.key, parts=request.parts, trials=scored)
    return len(missing), [failure for row in scored for failure in row["failures"]]


def score_all(calls: Sequence[Call], begin: Callable[[], None]) -> list[Row]:
    """Score one after the other in this process: return what ``score`` returns for each call.

    The clock of the limit starts again with each scorer.
    """
    return [score(*call, begin) for call in calls]


def add_scores(row: Row, scorer: str, metrics: Sequence[str], score: Mapping[str, Any]) -> None:
    """Add the scores of one scorer to the row of a trial; a missing metric is a failure."""
    row["scores"] |= score["values"]
    status, message = score["status"], score["message"]
    absent = [name for name in metrics if name not in score["values"]]
    if status == Status.OK and absent:
        status, message = "error", f"the scorer did not return {', '.join(absent)}"
    if status != Status.OK:
        row["failures"].append({"scorer": scorer, "status": status, "message": message})


def _results(
    request: Request, start: Start, batch: Sequence[tuple[Missing, Call]]
) -> Iterator[tuple[Missing, Row]]:
    """Run scorers and yield what each returned, or its failure, as soon as it is there."""
    alone: list[tuple[Missing, Call]] = []
    for shares, group in groupby(batch, lambda pair: _process(request, pair[0])):
        together = list(group)
        if shares is None or len(together) == 1:
            alone += together
            continue
        calls = [call for _, call in together]
        task = Task(SCORE_ALL, (calls,), request.imports, calls[0][0].limits, 1, request.log)
        (outcome,) = outcomes(request, [task], start)
        if outcome.value is None:
            alone += together
        else:
            yield from zip((entry for entry, _ in together), outcome.value, strict=True)
    tasks = [
        Task(ScoreJob.runs, call, request.imports, call[0].limits, 1, request.log)
        for _, call in alone
    ]
    for (entry, _), outcome in zip(alone, outcomes(request, tasks, start), strict=True):
        failure = {"values": {}, "status": outcome.status, "message": outcome.message}
        yield entry, outcome.value or failure


def _process(request: Request, entry: Missing) -> Any:
    """Return what the scorers of one process have in common, or None for one that is run alone."""
    trial, scoring, _ = entry
    if request.blamed or not scoring.function.startswith(SHARING):
        return None
    return trial, asdict(scoring.limits)
