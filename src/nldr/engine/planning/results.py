"""The results that a plan asks for: their manifests, their jobs, and what these read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from nldr.engine.planning.claim_jobs import CLAIM, claim_pairs
from nldr.engine.planning.expand import Pair
from nldr.engine.planning.plan import Job, Plan


class Result(NamedTuple):
    """Manifest and files that one job makes."""

    path: str
    job: Callable[[], Job]  # returns the job
    inputs: list[str]  # manifests that the job reads
    # A file that has the manifest; empty for the trials of a cell, which the manifest lists
    output: str = ""
    points: list[str] = []  # those of the inputs whose arrays the job reads, of all trials
    panels: list[str] = []  # the same of the first trial only
    is_asked: bool = True  # whether the targets of the run need it


def planned_results(plan: Plan, targets: Collection[str] = ()) -> list[Result]:
    """Return all results of a plan, each after those that its job reads.

    ``targets`` are the files and rules that are asked for; none stands for everything.
    """
    asked, figures = _asked_for(plan, targets)
    results: dict[str, Result] = {}
    for name, study in plan.studies.items():
        cells = cell_results(plan, name, study.pairs, asked.get(name, ()))
        for result in (*cells, *_reports(plan, name, figures)):
            # A cell that several studies share is asked for if one of them is.
            earlier = results.setdefault(result.path, result)
            if result.is_asked and not earlier.is_asked:
                results[result.path] = earlier._replace(is_asked=True)
    outputs = plan.outputs
    if plan.claims:
        results[outputs.claimed] = Result(outputs.claimed, plan.claims_job, [], outputs.claims)
    results[outputs.reported] = Result(outputs.reported, plan.report_job, [], outputs.report)
    return list(results.values())


def cell_results(
    plan: Plan, study: str, pairs: Collection[Pair], asked: Collection[Pair] = ()
) -> Iterator[Result]:
    """Yield data, embeddings and scores of each cell of a study, in this order."""
    chosen = {*asked}
    scorers = plan.scorers(study)
    for pair in pairs:
        trials = pair.trials if plan.data[pair.data].seeded else 1
        data = plan.data_file(pair.data, pair.trials)
        embeddings = plan.embedding_file(*pair.cell, pair.trials)
        data_job = partial(plan.data_job, pair.data, trials)
        embed_job = partial(plan.embed_job, *pair.cell, pair.trials)
        scores_job = partial(plan.scores_job, pair.data, scorers, pair.trials)
        is_asked = pair in chosen
        yield Result(data, data_job, [], is_asked=is_asked)
        yield Result(embeddings, embed_job, [data], points=[data], is_asked=is_asked)
        scores, inputs = plan.score_file(pair, study), [data, embeddings]
        yield Result(scores, scores_job, inputs, points=[embeddings], is_asked=is_asked)


def _reports(plan: Plan, study: str, figures: Collection[str]) -> Iterator[Result]:
    outputs = plan.outputs
    tables = outputs.tables.format(study=study)
    inputs = [*plan.score_files(study), *plan.study_embeddings(study)]
    yield Result(tables, partial(plan.table_job, study), inputs, outputs.table.format(study=study))
    if plan.verdict_files(study):
        decided, verdicts = (p.format(study=study) for p in (outputs.decided, outputs.verdicts))
        yield Result(decided, partial(plan.verdict_job, study), [tables], verdicts)
    for name in plan.studies[study].figures:
        panels = [*plan.panel_data_files(name), *plan.panel_embeddings(name)]
        drawn, picture = (p.format(figure=name) for p in (outputs.drawn, outputs.figure))
        job, inputs = partial(plan.figure_job, name), [tables, *panels]
        yield Result(drawn, job, inputs, picture, panels=panels, is_asked=name in figures)


def _asked_for(
    plan: Plan, targets: Collection[str]
) -> tuple[Mapping[str, Collection[Pair]], set[str]]:
    """Return the cells that targets are made from, by study, and the figures drawn for them."""
    everything = {name: study.pairs for name, study in plan.studies.items()}
    pairs: dict[str, set[Pair]] = {}
    figures: set[str] = set()
    sources = _sources(plan)
    for target in targets:
        claim = target.removeprefix(CLAIM)
        chosen: Mapping[str, Collection[Pair]]
        # Claims need cells and no figures
        if target == "claims":
            chosen = claim_pairs(plan, plan.claims)
        elif target != claim and claim in plan.claims:
            chosen = claim_pairs(plan, [claim])
        elif target in sources:
            study, drawn = sources[target]
            chosen = {study: plan.studies[study].pairs}
            figures |= drawn
        else:
            return everything, {*plan.owners}
        for name, members in chosen.items():
            pairs.setdefault(name, set()).update(members)
    return (pairs, figures) if targets else (everything, {*plan.owners})


def _sources(plan: Plan) -> dict[str, tuple[str, set[str]]]:
    """Return the study, and the figures that are drawn, of all files and names of both."""
    outputs = plan.outputs
    drawings = ("{figure}", outputs.figure, outputs.picture, outputs.drawing)
    tables = (outputs.table, outputs.summary, outputs.failures, outputs.verdicts)
    sources: dict[str, tuple[str, set[str]]] = {}
    for name, study in plan.studies.items():
        sources |= {p.format(figure=f): (name, {f}) for f in study.figures for p in drawings}
        sources |= {pattern.format(study=name): (name, set()) for pattern in tables}
        sources[name] = (name, {*study.figures})
    return sources
