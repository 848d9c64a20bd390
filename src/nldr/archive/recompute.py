"""Compute a sample of the archive again, on this machine, and compare the scores."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nldr.archive.contents import Archive, Embedded, Trial
from nldr.engine.files.status import Status
from nldr.engine.files.store import read_manifest
from nldr.engine.freshness.health import key_of
from nldr.engine.jobs.requests import Reply, Request
from nldr.engine.jobs.specs import ScoresJob
from nldr.engine.planning.plan import Job, Plan
from nldr.engine.running.build import imports_of
from nldr.statistics.repeats import Match, match_values

Run = Callable[[Request], Reply]
NUDGES = (0.5e-10, 1e-10, 2e-10)  # standard deviations of noise, tiny against the data


@dataclass(frozen=True)
class Recomputation:
    """Scores of one trial, of the archive and computed again."""

    trial: Trial  # the trial
    match: Match  # the worst of its metrics
    detail: str  # the metric that differs most, with both values; empty if none does
    seconds: float  # time that it took


def compare(
    plan: Plan,
    archive: Archive,
    trials: Sequence[Trial],
    folder: Path,
    run: Run,
    seconds: float,
) -> Iterator[Recomputation]:
    """Compute trials again, one after the other, and yield how their scores compare.

    A trial that differs is computed from data with tiny noise as well: if that moves its scores at
    least half as far, another processor's rounding explains the difference. ``folder`` is an empty
    one for the results, ``run`` runs a job, and no trial begins after ``seconds``.
    """
    began = time.monotonic()
    for trial in trials:
        start = time.monotonic()
        if start - began > seconds:
            return
        content = archive.read(trial.data)
        assert content is not None
        cell = content.methods[trial.method]
        scorings = sorted(cell.scores)
        result = compute(plan, trial, scorings, folder, run)
        if result is None:
            yield Recomputation(trial, Match.UNAVAILABLE, "", time.monotonic() - start)
            continue
        match, detail = judge(cell, trial.number, result.scores)
        if match is Match.DIFFERENT:
            again = [compute(plan, trial, scorings, folder, run, nudge) for nudge in NUDGES]
            nudged = [result.scores for result in again if result]
            match, detail = judge(cell, trial.number, result.scores, nudged)
        yield Recomputation(trial, match, detail, time.monotonic() - start)


@dataclass(frozen=True)
class Recomputed:
    """Status of an embedding that was computed again, and its scores by metric."""

    status: str
    scores: dict[str, Any]


def compute(
    plan: Plan,
    trial: Trial,
    scorings: Sequence[str],
    folder: Path,
    run: Run,
    nudge: float = 0.0,
) -> Recomputed | None:
    """Compute one trial with some scorings; return None if the dataset is not here.

    ``folder`` is for the results, ``run`` runs a job, and ``nudge`` is the standard deviation of
    noise to add to the data.
    """
    number, place = trial.number, folder / f"{str(trial).replace('/', '_')}-{nudge}"
    of_data = number if plan.data[trial.data].seeded else 0
    whole = plan.data_job(trial.data, of_data + 1)
    data_job = replace(
        whole, seeds=whole.seeds[of_data:], transform_seeds=whole.transform_seeds[of_data:]
    )
    if nudge:
        noise = nudge + whole.transforms.get("gaussian_noise", 0.0)
        data_job = replace(data_job, transforms={**whole.transforms, "gaussian_noise": noise})
    embed = plan.embed_job(trial.data, trial.method, number + 1)
    embed_job = replace(embed, random_states=embed.random_states[number:])
    scores_job = ScoresJob([plan.score_job(name) for name in scorings], 1)
    data, embeddings, scores = (
        place / f"{kind}/trials-1.json" for kind in ("data", "embeddings", "scores/of")
    )

    def make(job: Job, manifest: Path, **inputs: Path) -> list[dict[str, Any]]:
        request = Request(
            job=job,
            key=key_of(job),
            inputs={kind: [str(file)] for kind, file in inputs.items()},
            outputs={"manifest": str(manifest)},
            log=str(manifest.with_suffix(".log")),
            imports=imports_of(plan, job),
            rows=plan.data[trial.data].size("n_samples") or 0 if job is embed_job else 0,
        )
        reply = run(request)
        if reply.error:
            raise RuntimeError(f"{trial}: {reply.error}")
        return read_manifest(manifest)["trials"]

    if not Status(make(data_job, data)[0]["status"]).has_result:
        return None
    status = make(embed_job, embeddings, data=data)[0]["status"]
    return Recomputed(
        status, make(scores_job, scores, data=data, embeddings=embeddings)[0]["scores"]
    )


def judge(
    cell: Embedded,
    number: int,
    scores: dict[str, Any],
    nudged: Sequence[dict[str, Any]] = (),
) -> tuple[Match, str]:
    """Return the worst comparison of all metrics, and which one it is.

    ``scores`` are those of trial ``number`` of the archived ``cell``, computed again, by metric,
    and ``nudged`` the same from data with tiny noise.
    """
    worst, detail, largest = Match.SAME, "", 0.0
    order = list(Match)
    # Of another study's metric, fewer trials may be known.
    for scored in (trials for trials in cell.scores.values() if number < len(trials.rows)):
        for metric, before in (scored.rows[number].get("values") or {}).items():
            after = scores.get(metric)
            if metric not in scores or before is None or before != before:
                continue
            values = [(row.get("values") or {}).get(metric) for row in scored.rows]
            trials = [value for value in values if value is not None]
            match, error = match_values(before, after, trials)
            # A failure with noise, such as of counts that are no longer whole, explains nothing
            others = [other[metric] for other in nudged if other.get(metric) is not None]
            moves = [abs(other - after) for other in others if after is not None]
            if match is Match.DIFFERENT and max(moves, default=0.0) >= error / 2:
                match = Match.ROUNDING
            if (order.index(match), error) > (order.index(worst), largest):
                worst, largest = match, error
                detail = f"{metric} {after} for {before}"
    return worst, detail if worst is not Match.SAME else ""


def sample(trials: Sequence[Trial], number: int, seed: int) -> list[Trial]:
    """Return trials in random order, one of each cell before a second one of any."""
    rng = random.Random(seed)
    mixed = rng.sample(list(trials), len(trials))
    firsts: dict[tuple[str, str], Trial] = {}
    for trial in mixed:
        firsts.setdefault((trial.data, trial.method), trial)
    chosen = list(firsts.values())
    others = [trial for trial in mixed if firsts[trial.data, trial.method] is not trial]
    return [*chosen, *others][:number]
