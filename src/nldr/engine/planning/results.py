"""The results that a plan asks for: their manifests, their jobs, and what these read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import NamedTuple

from nldr.engine.planning.claim_jobs import CLAIM, claim_pairs
from nldr.engine.planning.expand import Pair
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.steps import Step, cell_steps, manifest_of, steps_of


class Result(NamedTuple):
    """Manifest and files that one job makes."""

    step: Step
    path: str
    inputs: list[str]  # manifests that the job reads
    output: str = ""  # a file of the manifest; none for trials, which the manifest lists
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
        chosen = asked.get(name, set())
        cells = [r for pair in study.pairs for r in cell_results(plan, name, pair, pair in chosen)]
        for result in (*cells, *_reports(plan, name, figures)):
            # A cell that several studies share is asked for if one of them is.
            earlier = results.setdefault(result.path, result)
            if result.is_asked and not earlier.is_asked:
                results[result.path] = earlier._replace(is_asked=True)
    outputs = plan.outputs
    if plan.claims:
        results[outputs.claimed] = Result(Step("claims"), outputs.claimed, [], outputs.claims)
    results[outputs.reported] = Result(Step("report"), outputs.reported, [], outputs.report)
    return list(results.values())


def cell_results(plan: Plan, study: str, pair: Pair, is_asked: bool = True) -> list[Result]:
    """Return data, embeddings and scores of a cell of a study, in this order."""
    steps = cell_steps(plan, study, pair)
    data, embeddings, scores = (manifest_of(plan, step) for step in steps)
    return [
        Result(steps[0], data, [], is_asked=is_asked),
        Result(steps[1], embeddings, [data], points=[data], is_asked=is_asked),
        Result(steps[2], scores, [data, embeddings], points=[embeddings], is_asked=is_asked),
    ]


def _reports(plan: Plan, study: str, figures: Collection[str]) -> Iterator[Result]:
    outputs = plan.outputs
    files = {"table": outputs.table, "verdict": outputs.verdicts, "figure": outputs.figure}
    inputs = [*plan.score_files(study), *plan.study_embeddings(study)]
    for step in steps_of(plan, study):
        path, output = manifest_of(plan, step), files[step.stage].format(**step._asdict())
        panels: list[str] = []
        if step.figure:
            panels = [*plan.panel_data_files(step.figure), *plan.panel_embeddings(step.figure)]
        is_asked = not step.figure or step.figure in figures
        yield Result(step, path, [*inputs, *panels], output, panels=panels, is_asked=is_asked)
        # Verdicts and figures are made from the tables, which come first.
        inputs = [outputs.tables.format(study=study)]


def _asked_for(plan: Plan, targets: Collection[str]) -> tuple[dict[str, set[Pair]], set[str]]:
    """Return the cells that targets are made from, by study, and the figures drawn for them."""
    everything = {name: {*study.pairs} for name, study in plan.studies.items()}, {*plan.owners}
    if not targets:
        return everything
    pairs, figures = defaultdict[str, set[Pair]](set), set[str]()
    sources = _sources(plan)
    claims = {"claims": [*plan.claims]} | {CLAIM + name: [name] for name in plan.claims}
    for target in targets:
        # Claims need cells and no figures
        if target in claims:
            for name, chosen in claim_pairs(plan, claims[target]).items():
                pairs[name].update(chosen)
        elif target in sources:
            study, drawn = sources[target]
            pairs[study].update(plan.studies[study].pairs)
            figures |= drawn
        else:
            return everything
    return pairs, figures


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
