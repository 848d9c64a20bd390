"""Small jobs by planted methods, with their files, run as a build runs them."""

import os
from dataclasses import replace

from conftest import ROOT

from nldr.engine.files import layout
from nldr.engine.files.store import read_manifest, read_npz
from nldr.engine.freshness.health import key_of
from nldr.engine.jobs.requests import Request
from nldr.engine.jobs.specs import DataJob, EmbedJob, Limits, ScoreJob, ScoresJob
from nldr.engine.running.cells import run

SOURCES = os.pathsep.join(str(ROOT / folder) for folder in ("tests", "src"))
LIMITS = Limits(seconds=60, memory_mb=2000)
DATA = DataJob(
    name="line",
    function="planted.line",
    params={"n_samples": 20},
    seeds=[None],
    transforms={},
    transform_seeds=[0],
    limits=LIMITS,
    code="",
    expected={"n_samples": 20, "n_features": 3, "n_latent": None, "labels": False},
)
EMBED = EmbedJob(
    name="planted",
    estimator="planted.Fine",
    params={"n_components": 2},
    random_states=[None],
    needs=None,
    split=False,
    warm_up=[],
    attributes=[],
    histories=[],
    threads=1,
    exclusive=False,
    limits=LIMITS,
    code="",
)
SCORE = ScoreJob(
    name="spread",
    function="planted.spread",
    params={},
    rows="all",
    half=None,
    metrics=["spread", "count"],
    uses=[],
    threads=1,
    limits=LIMITS,
    code="",
)


class Small:
    """One dataset cell, one method cell and their scores in a folder.

    Jobs are run by ``workers`` or, if ``cold``, by new interpreters.
    """

    def __init__(self, folder, workers):
        self.folder, self.workers, self.cold = folder, workers, workers is None

    def run(self, stage, job, inputs, output, **more):
        request = Request(
            job,
            key_of(job),
            {kind: [file] for kind, file in inputs.items()},
            {"manifest": output},
            str(self.folder / f"{stage}.log"),
            **more,
        )
        if self.cold or self.workers is None:
            return run(request, "cold")
        return self.workers.run(request)

    def file(self, pattern, trials):
        """Return the path of a manifest."""
        names = {"data": "line", "method": "planted", "scorers": "spread", "trials": trials}
        return str(self.folder / pattern.format(**names))

    def data(self, function="line", trials=1, **changes):
        """Make the dataset; ``scatter`` takes random numbers."""
        seeds = list(range(trials)) if function == "scatter" else [None] * trials
        job = replace(
            DATA,
            function=function if "." in function else f"planted.{function}",
            seeds=seeds,
            transform_seeds=list(range(trials)),
            **changes,
        )
        return self.run("data", job, {}, self.file(layout.DATA, trials))

    def embed_job(self, method="Fine", trials=1, **changes):
        """Return the job of a planted method; ``limits`` are given as keywords."""
        params = EMBED.params | changes.pop("params", {})
        limits = replace(
            LIMITS,
            **{name: changes.pop(name) for name in ("seconds", "memory_mb") if name in changes},
        )
        states = [100 + t if method == "Random" else None for t in range(trials)]
        return replace(
            EMBED,
            estimator=f"planted.{method}",
            params=params,
            limits=limits,
            random_states=states,
            **changes,
        )

    def embed(self, method="Fine", trials=1, data_trials=1, threads=1, imports=(), **changes):
        """Embed the dataset by a planted method."""
        job = self.embed_job(method, trials, **changes)
        inputs = {"data": self.file(layout.DATA, data_trials)}
        output = self.file(layout.EMBEDDINGS, trials)
        return self.run("embed", job, inputs, output, threads=threads, imports=imports)

    def score(self, *functions, trials=1, data_trials=1, **changes):
        """Score the embeddings by planted metrics."""
        uses = {"doubled": ["spread"]}
        paths = {f: f if "." in f else f"planted.{f}" for f in functions}
        scorings = [
            replace(SCORE, name=n, function=f, uses=uses.get(n, []), **changes)
            for n, f in paths.items()
        ]
        inputs = {
            "data": self.file(layout.DATA, data_trials),
            "embeddings": self.file(layout.EMBEDDINGS, trials),
        }
        job = ScoresJob(scorings, trials)
        return self.run("score", job, inputs, self.file(layout.SCORES, trials))

    def rows(self, pattern=layout.EMBEDDINGS, trials=1):
        """Return the rows of a manifest."""
        return read_manifest(self.file(pattern, trials))["trials"]

    def made(self, pattern=layout.EMBEDDINGS, trial=0):
        """Return the path of the file of a trial."""
        return layout.trial_file(self.file(pattern, 1), trial)

    def read(self, pattern=layout.EMBEDDINGS, trial=0):
        """Return arrays and provenance of a trial."""
        return read_npz(self.made(pattern, trial))

    def outcome(self, method, **changes):
        """Embed by a method and return status and message."""
        reply = self.embed(method, **changes)
        assert reply.error == ""
        (row,) = self.rows()
        return row["status"], row["message"]

    def log(self, stage="embed"):
        """Return the log of the last job of a stage."""
        return (self.folder / f"{stage}.log").read_text()

    def leftovers(self):
        """Return temporary files."""
        return list(self.folder.rglob(".tmp-*"))
