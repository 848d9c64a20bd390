"""Small jobs by planted methods, with their files, run as a build runs them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from conftest import ROOT

from nldr.engine.files import layout
from nldr.engine.files.store import read_manifest, read_npz
from nldr.engine.freshness.health import key_of
from nldr.engine.jobs.requests import Reply, Request
from nldr.engine.jobs.specs import DataJob, EmbedJob, Limits, ScoreJob, ScoresJob
from nldr.engine.running.cells import run
from nldr.engine.running.workers import Workers

SOURCES = os.pathsep.join(str(ROOT / folder) for folder in ("tests", "src"))
LIMITS = Limits(seconds=60, memory_mb=2000)
DATA = DataJob(
    name="line", function="planted.line", params={"n_samples": 20}, seeds=[None], transforms={},
    transform_seeds=[0], limits=LIMITS, code="",
    expected={"n_samples": 20, "n_features": 3, "n_latent": None, "labels": False},
)  # fmt: skip
EMBED = EmbedJob(
    name="planted", estimator="planted.Fine", params={"n_components": 2}, random_states=[None],
    needs=None, split=False, warm_up=[], attributes=[], histories=[], threads=1, exclusive=False,
    limits=LIMITS, code="",
)  # fmt: skip
SCORE = ScoreJob(
    name="spread", function="planted.spread", params={}, rows="all", half=None,
    metrics=["spread", "count"], threads=1, limits=LIMITS, code="",
)  # fmt: skip


class Small:
    """One dataset cell, one method cell and their scores in a folder.

    Jobs are run by ``workers`` or, if ``cold``, by new interpreters.
    """

    def __init__(self, folder: Path, workers: Workers | None) -> None:
        self.folder, self.workers, self.cold = folder, workers, workers is None

    def run(self, stage: str, job: Any, inputs: dict[str, str], output: str, **more: Any) -> Reply:
        request = Request(
            job, key_of(job), {kind: [file] for kind, file in inputs.items()},
            {"manifest": output}, str(self.folder / f"{stage}.log"), **more,
        )  # fmt: skip
        if self.cold or self.workers is None:
            return run(request, "cold")
        return self.workers.run(request)

    def file(self, pattern: str, trials: int) -> str:
        """Return the path of a manifest."""
        names = {"data": "line", "method": "planted", "scorers": "spread", "trials": trials}
        return str(self.folder / pattern.format(**names))

    def data(self, function: str = "line", trials: int = 1, **changes: Any) -> Reply:
        """Make the dataset; ``scatter`` takes random numbers."""
        seeds = list(range(trials)) if function == "scatter" else [None] * trials
        job = replace(DATA, function=f"planted.{function}", seeds=seeds,
                      transform_seeds=list(range(trials)), **changes)  # fmt: skip
        return self.run("data", job, {}, self.file(layout.DATA, trials))

    def embed_job(self, method: str = "Fine", trials: int = 1, **changes: Any) -> EmbedJob:
        """Return the job of a planted method; ``limits`` are given as keywords."""
        params = EMBED.params | changes.pop("params", {})
        limits = replace(LIMITS, **{name: changes.pop(name) for name in ("seconds", "memory_mb")
                                    if name in changes})  # fmt: skip
        states = [100 + t if method == "Random" else None for t in range(trials)]
        return replace(EMBED, estimator=f"planted.{method}", params=params, limits=limits,
                       random_states=states, **changes)  # fmt: skip

    def embed(
        self, method: str = "Fine", trials: int = 1, data_trials: int = 1, threads: int = 1,
        imports: tuple[str, ...] = (), **changes: Any,
    ) -> Reply:  # fmt: skip
        """Embed the dataset by a planted method."""
        job = self.embed_job(method, trials, **changes)
        inputs = {"data": self.file(layout.DATA, data_trials)}
        output = self.file(layout.EMBEDDINGS, trials)
        return self.run("embed", job, inputs, output, threads=threads, imports=imports)

    def score(
        self, *functions: str, trials: int = 1, data_trials: int = 1, **changes: Any
    ) -> Reply:
        """Score the embeddings by planted metrics."""
        scorings = [replace(SCORE, name=f, function=f"planted.{f}", **changes) for f in functions]
        inputs = {"data": self.file(layout.DATA, data_trials),
                  "embeddings": self.file(layout.EMBEDDINGS, trials)}  # fmt: skip
        job = ScoresJob(scorings, trials)
        return self.run("score", job, inputs, self.file(layout.SCORES, trials))

    def rows(self, pattern: str = layout.EMBEDDINGS, trials: int = 1) -> list[dict[str, Any]]:
        """Return the rows of a manifest."""
        return read_manifest(self.file(pattern, trials))["trials"]

    def made(self, pattern: str = layout.EMBEDDINGS, trial: int = 0) -> Path:
        """Return the path of the file of a trial."""
        return layout.trial_file(self.file(pattern, 1), trial)

    def read(self, pattern: str = layout.EMBEDDINGS, trial: int = 0) -> tuple[dict, dict]:
        """Return arrays and provenance of a trial."""
        return read_npz(self.made(pattern, trial))

    def outcome(self, method: str, **changes: Any) -> tuple[str, str]:
        """Embed by a method and return status and message."""
        reply = self.embed(method, **changes)
        assert reply.error == ""
        (row,) = self.rows()
        return row["status"], row["message"]

    def log(self, stage: str = "embed") -> str:
        """Return the log of the last job of a stage."""
        return (self.folder / f"{stage}.log").read_text()

    def leftovers(self) -> list[Path]:
        """Return temporary files."""
        return list(self.folder.rglob(".tmp-*"))
