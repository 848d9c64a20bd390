"""Find results that are not what the plan asks for.

A manifest says what its files were made from and what they contain. One that does not match, whose
files or inputs are missing or changed, or that records a failure which may have passed, is out
of date. The rules of Snakemake then have one input more, a file that is named after the reason and
newer than the result; so Snakemake makes it again, with all that depends on it. Trials that are
still valid are kept.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from nldr.engine.files.layout import STATE, scorers_name
from nldr.engine.files.store import Damaged, digest_of, problem_of, read_manifest
from nldr.engine.freshness.changes import differences, parts_of, summarize
from nldr.engine.planning.plan import Job, Plan
from nldr.engine.stages.restored import is_restored, lacks_points

CHANGED = "code_or_parameters_changed"
DAMAGED = "manifest_damaged"
FILES = "files_missing_or_changed"
INPUTS = "inputs_missing"
TRANSIENT = "failure_that_may_have_passed"
POINTS = "points_needed_that_the_archive_lacks"


class Made(NamedTuple):
    """A manifest that exists and is planned, its job, and the manifests that the job reads."""

    path: str
    job: Job
    inputs: list[str]


class Problem(NamedTuple):
    """Why results must be made again: one of the reasons above, and what was found.

    Where code or parameters have changed, ``detail`` names them, or is the manifest if they are not
    known.
    """

    reason: str
    detail: str


def key_of(job: Job) -> str:
    """Return the digest of a job, which the manifest of its results keeps."""
    return digest_of(asdict(job))


def manifests(plan: Plan) -> Iterator[Made]:
    """Yield each manifest that exists and is planned."""
    seen, outputs = set(), plan.outputs

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
        if is_new(tables := outputs.tables.format(study=name), outputs.table.format(study=name)):
            inputs = [*plan.score_files(name), *plan.study_embeddings(name)]
            yield Made(tables, plan.table_job(name), inputs)
        decided = outputs.decided.format(study=name)
        if plan.verdict_files(name) and is_new(decided, outputs.verdicts.format(study=name)):
            yield Made(decided, plan.verdict_job(name), [tables])
        for figure in study.figures:
            path = outputs.drawn.format(figure=figure)
            if is_new(path, outputs.figure.format(figure=figure)):
                inputs = [*plan.panel_data_files(figure), *plan.panel_embeddings(figure)]
                yield Made(path, plan.figure_job(figure), [tables, *inputs])
    if plan.claims and is_new(outputs.claimed, outputs.claims):
        inputs = [outputs.tables.format(study=name) for name in plan.claim_studies()]
        yield Made(outputs.claimed, plan.claims_job(), inputs)
    if is_new(outputs.reported, outputs.report):
        yield Made(outputs.reported, plan.report_job(), [])


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
    folder = Path(made.path).parent
    listed = [row for row in rows if "file" in row]
    if "restored" in manifest:
        # Points that the archive no longer keeps are not missed before they are needed.
        listed = [row for row in listed if (folder / row["file"]).is_file()]
    for row in listed:
        if found := problem_of(row, folder, thorough):
            return Problem(FILES, found)
    return None


def find_problems(
    plan: Plan, thorough: bool = False, targets: Collection[str] = ()
) -> dict[str, Problem]:
    """Return the manifests whose results must be made again, each with the reason.

    Parameters
    ----------
    plan : Plan
        The plan of the run.
    thorough : bool, default=False
        Whether to read all files and compare their content.
    targets : collection of str, default=()
        Files and rules that are asked for; none stands for everything.
    """
    found = {
        made.path: _explain(plan, made, problem_with(made, thorough)) for made in manifests(plan)
    }
    problems = {path: problem for path, problem in found.items() if problem is not None}
    needed = _points_needed(plan, problems, *_asked_for(plan, targets))
    return problems | {path: Problem(POINTS, path) for path in needed}


def _asked_for(plan: Plan, targets: Collection[str]) -> tuple[set[str], set[str]]:
    """Return the studies that targets are made from, and the figures that are drawn for them."""
    outputs, everything = plan.outputs, ({*plan.studies}, {*plan.owners})
    made_from: dict[str, tuple[Collection[str], Collection[str]]] = {
        "claims": (plan.claim_studies(), ())
    }
    for name, owner in plan.owners.items():
        made_from[name] = ((owner,), (name,))
        for pattern in (outputs.figure, outputs.picture, outputs.drawing):
            made_from[pattern.format(figure=name)] = made_from[name]
    for name, study in plan.studies.items():
        made_from[name] = ((name,), study.figures)
        for pattern in (outputs.table, outputs.summary, outputs.failures, outputs.verdicts):
            made_from[pattern.format(study=name)] = ((name,), ())
    if not targets or not all(target in made_from for target in targets):
        return everything
    chosen = [made_from[target] for target in targets]
    return ({s for studies, _ in chosen for s in studies},
            {f for _, figures in chosen for f in figures})  # fmt: skip


def _points_needed(
    plan: Plan,
    problems: Mapping[str, Problem],
    studies: Collection[str],
    figures: Collection[str],
) -> set[str]:
    """Return restored manifests whose points another job is going to read."""

    def can_be_read(path: str) -> bool:
        return path not in problems and Path(path).is_file()

    # A figure shows the first trial.
    needed = {path for figure in figures
              if not can_be_read(plan.outputs.drawn.format(figure=figure))
              for path in [*plan.panel_data_files(figure), *plan.panel_embeddings(figure)]
              if can_be_read(path) and lacks_points(path)}  # fmt: skip
    # New scores need the points of data and embedding, new embeddings those of the data.
    for name in studies:
        for pair in plan.studies[name].pairs:
            data = plan.data_file(pair.data, pair.trials)
            embeddings = plan.embedding_file(pair.data, pair.method, pair.trials)
            embedded, scored = can_be_read(embeddings), can_be_read(plan.score_file(pair, name))
            if embedded and not scored and is_restored(embeddings):
                needed.add(embeddings)
            if (not embedded or embeddings in needed) and can_be_read(data) and is_restored(data):
                needed.add(data)
    return needed


def _explain(plan: Plan, made: Made, problem: Problem | None) -> Problem | None:
    """Return the problem; one of changed code or parameters names what has changed."""
    if problem is None or problem.reason != CHANGED:
        return problem
    parts = read_manifest(made.path).get("parts")
    changes = differences(parts, parts_of(made.job, plan.catalog.code)) if parts else []
    return Problem(CHANGED, summarize(changes)) if changes else problem


def tell_changes(problems: Mapping[str, Problem]) -> list[str]:
    """Return one line for each reason why results are out of date, the most frequent first.

    Examples
    --------
    >>> tell_changes({"a": Problem(CHANGED, "nldr/kernels.py"), "b": Problem(CHANGED, "b")})
    ['1 result(s) out of date: nldr/kernels.py changed', '1 result(s) out of date: code or \
parameters changed']
    """
    words = Counter(_words(path, problem) for path, problem in problems.items())
    return [f"{n} result(s) out of date: {why}" for why, n in words.most_common()]


def _words(path: str, problem: Problem) -> str:
    known = problem.reason == CHANGED and problem.detail != path
    return f"{problem.detail} changed" if known else problem.reason.replace("_", " ")


def mark(problems: Mapping[str, Problem]) -> dict[str, str]:
    """Write a file for each reason, newer than all results; return it for each manifest."""
    # Snakemake takes an input for unchanged if it had the same content the last time.
    content = str(time.time_ns())
    markers = {}
    for path, problem in problems.items():
        marker = Path(STATE) / "reasons" / problem.reason
        # Snakemake shows the name of the file as its reason.
        if problem.reason == CHANGED and problem.detail != path:
            marker = marker.with_name("changed") / re.sub(r"[^\w.+/-]+", "_", problem.detail)
        marker.parent.mkdir(parents=True, exist_ok=True)
        marker.write_text(content, encoding="ascii")
        markers[path] = str(marker)
    return markers
