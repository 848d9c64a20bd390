"""Find results that are not what the plan asks for.

A manifest says what its files were made from and what they contain. One that does not match, whose
files or inputs are missing or changed, or that records a failure which may have passed, is out
of date. The rules of Snakemake then have one input more, a file that is named after the reason and
newer than the result; so Snakemake makes it again, with all that depends on it. Trials that are
still valid are kept.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from nldr.engine.layout import (
    CLAIMED,
    CLAIMS,
    DECIDED,
    DRAWN,
    FIGURE,
    STATE,
    TABLE,
    TABLES,
    VERDICTS,
    scorers_name,
)
from nldr.engine.plan import Job, Plan
from nldr.engine.store import Damaged, digest_of, problem_of, read_manifest

CHANGED = "code_or_parameters_changed"
DAMAGED = "manifest_damaged"
FILES = "files_missing_or_changed"
INPUTS = "inputs_missing"
TRANSIENT = "failure_that_may_have_passed"


class Made(NamedTuple):
    """A manifest that exists and is planned, its job, and the manifests that the job reads."""

    path: str
    job: Job
    inputs: list[str]


class Problem(NamedTuple):
    """Why results must be made again: one of the reasons above, and what was found."""

    reason: str
    detail: str


def key_of(job: Job) -> str:
    """Return the digest of a job, which the manifest of its results keeps."""
    return digest_of(asdict(job))


def manifests(plan: Plan) -> Iterator[Made]:
    """Yield each manifest that exists and is planned."""
    seen = set()

    def is_new(path: str, result: str | None = None) -> bool:
        """Tell whether a manifest, or a result that should have one, is seen for the first time."""
        known = path in seen
        seen.add(path)
        return not known and any(Path(file).is_file() for file in (path, result) if file)

    for name, study in plan.studies.items():
        scorers = scorers_name(plan.scorings_of(name))
        for pair in study.pairs:
            data = plan.data_file(pair.data, pair.trials)
            if is_new(data):
                trials = pair.trials if plan.data[pair.data].seeded else 1
                yield Made(data, plan.data_job(pair.data, trials), [])
            where = (pair.data, pair.method, pair.trials)
            embeddings = plan.embedding_file(*where)
            if is_new(embeddings):
                yield Made(embeddings, plan.embed_job(*where), [data])
            scores = plan.score_file(pair, name)
            if is_new(scores):
                job = plan.scores_job(pair.data, scorers, pair.trials)
                yield Made(scores, job, [data, embeddings])
        if is_new(path := TABLES.format(study=name), TABLE.format(study=name)):
            inputs = [*plan.score_files(name), *plan.study_embeddings(name)]
            yield Made(path, plan.table_job(name), inputs)
        decided = DECIDED.format(study=name)
        if plan.verdict_files(name) and is_new(decided, VERDICTS.format(study=name)):
            yield Made(decided, plan.verdict_job(name), [TABLES.format(study=name)])
        for figure in study.figures:
            if is_new(path := DRAWN.format(figure=figure), FIGURE.format(figure=figure)):
                inputs = [*plan.panel_data_files(figure), *plan.panel_embeddings(figure)]
                yield Made(path, plan.figure_job(figure), [TABLES.format(study=name), *inputs])
    if plan.claims and is_new(CLAIMED, CLAIMS):
        inputs = [TABLES.format(study=name) for name in plan.claim_studies()]
        yield Made(CLAIMED, plan.claims_job(), inputs)


def problem_with(made: Made, thorough: bool = False) -> Problem | None:
    """Return why results must be made again, or None.

    Parameters
    ----------
    made : Made
        The manifest and its job.
    thorough : bool, default=False
        Read every file; by default only those whose time or size has changed.
    """
    try:
        manifest = read_manifest(made.path)
    except Damaged as damaged:
        return Problem(DAMAGED, str(damaged))
    if manifest["key"] != key_of(made.job):
        return Problem(CHANGED, made.path)
    rows = manifest.get("trials", manifest.get("files", []))
    if any(row.get("transient") for row in rows):
        return Problem(TRANSIENT, made.path)
    missing = next((path for path in made.inputs if not Path(path).is_file()), None)
    if missing is not None:
        return Problem(INPUTS, missing)
    for row in rows:
        if "file" in row and (found := problem_of(row, Path(made.path).parent, thorough)):
            return Problem(FILES, found)
    return None


def find_problems(plan: Plan, thorough: bool = False) -> dict[str, Problem]:
    """Return the manifests whose results must be made again, each with the reason."""
    found = {made.path: problem_with(made, thorough) for made in manifests(plan)}
    return {path: problem for path, problem in found.items() if problem is not None}


def mark(problems: Mapping[str, Problem]) -> dict[str, str]:
    """Write a file for each reason, newer than all results; return it for each manifest."""
    # Snakemake takes an input for unchanged if it had the same content the last time.
    content = str(time.time_ns())
    markers = {}
    for path, problem in problems.items():
        marker = Path(STATE) / "reasons" / problem.reason
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(content, encoding="ascii")
        markers[path] = str(marker)
    return markers
