"""The jobs of a run by name: their stage, and the wildcards of its rule in Snakemake."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from nldr.engine.files import layout
from nldr.engine.planning.cells import Cells
from nldr.engine.planning.expand import Pair

# Patterns of manifests, or their attributes of layout.Outputs
MANIFESTS = {
    "data": layout.DATA,
    "embed": layout.EMBEDDINGS,
    "score": layout.SCORES,
    "table": "tables",
    "verdict": "decided",
    "figure": "drawn",
    "claims": "claimed",
    "report": "reported",
}


class Step(NamedTuple):
    """A job of the run: its stage, and the wildcards of its rule."""

    stage: str
    data: str = ""
    method: str = ""
    scorers: str = ""
    trials: int = 0
    study: str = ""
    figure: str = ""

    @property
    def cell(self) -> str:
        """Its name among the jobs of the stage."""
        return "/".join(str(value) for value in self[1:] if value) or self.stage


def step_of(stage: str, wildcards: Mapping[str, str]) -> Step:
    """Return the job of a rule for its wildcards."""
    trials = int(wildcards.get("trials", 0))
    return Step(stage, **{k: v for k, v in wildcards.items() if k != "trials"}, trials=trials)


def manifest_of(plan: Cells, step: Step) -> str:
    """Return the manifest that a job writes."""
    pattern = MANIFESTS[step.stage]
    return str(getattr(plan.outputs, pattern, pattern)).format(**step._asdict())


def cell_steps(plan: Cells, study: str, pair: Pair) -> list[Step]:
    """Return the jobs of a cell: its data, embeddings and scores."""
    return [
        Step("data", pair.data, trials=pair.trials if plan.data[pair.data].seeded else 1),
        Step("embed", *pair.cell, trials=pair.trials),
        Step("score", *pair.cell, plan.scorers(study), pair.trials),
    ]


def steps_of(plan: Cells, study: str) -> list[Step]:
    """Return the last jobs of a study: its tables, then its verdicts and figures."""
    verdicts = [Step("verdict", study=study)] if plan.verdict_files(study) else []
    figures = [Step("figure", figure=name) for name in plan.studies[study].figures]
    return [Step("table", study=study), *verdicts, *figures]
