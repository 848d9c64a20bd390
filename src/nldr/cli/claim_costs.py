"""What would settle a claim that is open or was not run, and the forecast of its cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from nldr.claims.page import Row
from nldr.claims.stopping import STEPS
from nldr.claims.verdicts import Verdict
from nldr.engine.planning.budget import Total, format_duration
from nldr.engine.planning.claims import deciding_cells
from nldr.engine.planning.expand import Pair
from nldr.engine.planning.forecast import Job
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.steps import cell_steps
from nldr.engine.planning.studies import StudyPlan
from nldr.engine.reading.claims import Evaluation


def next_step(plan: Plan, rows: Sequence[Row]) -> str:
    """Return the command that would settle a claim, with its cost; empty if it is decided.

    ``plan`` is that of full size, ``rows`` are both evaluations of the claim. What this folder has
    costs nothing.
    """
    name = rows[0]["claim"]
    unsettled = [row for row in rows if row["decision"] in (Verdict.OPEN, Verdict.NOT_RUN)]
    if not unsettled or name not in plan.claims:
        return ""
    growing = [r for r in unsettled if r["needs_trials"] and r["stopped_at"] != STEPS[-1]]
    chosen = [*growing, *(row for row in unsettled if row["decision"] == Verdict.NOT_RUN)]
    if not chosen:
        return f"no more trials: its intervals are narrow already, or have {STEPS[-1]} trials"
    # All jobs of the cells that decide, with as many trials as the stopping rule may add
    cells, jobs, environments = set(), list[Job](), set[str | None]()
    for row in chosen:
        evaluation = plan.claims[name].evaluations()[row["basis"]]
        if isinstance(evaluation, Evaluation) and evaluation.study in plan.studies:
            study = plan.studies[evaluation.study]
            needed = deciding_cells(study, evaluation)
            for pair in study.pairs:
                if pair.cell in needed:
                    cells.add(pair.cell)
                    jobs += _jobs(plan, study, pair, STEPS[-1] if row in growing else 0)
                    environments.add(study.methods[pair.method].entry.environment)
    command = f"nldr claim {name} --build --scale paper" + " --trials until_decided" * bool(growing)
    place = ", with `environments: true` in config.yaml" if any(environments) else ""
    trials = f" with up to {STEPS[-1]} trials" if growing else ""
    time = format_duration(Total.of(jobs, 1).cpu_seconds)
    return f"{command}{place}: {len(cells)} cells{trials}, about {time} of one core"


def _jobs(plan: Plan, study: StudyPlan, pair: Pair, trials: int) -> Iterator[Job]:
    """Yield the jobs of a cell with a number of trials, if anything in it is random."""
    is_random = study.data[pair.data].seeded or study.methods[pair.method].seeded
    trials = max(pair.trials, trials) if is_random else pair.trials
    for step in cell_steps(plan, study.name, replace(pair, trials=trials)):
        yield plan.forecast.job(step, ())
