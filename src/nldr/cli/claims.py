"""``nldr claim`` and ``verdicts``: what was decided on claims and published numbers."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from math import inf

from nldr.claims.deciding import NOT_APPLICABLE
from nldr.claims.page import Row, by_claim, format_claim
from nldr.claims.published.tally import format_tallies
from nldr.claims.stopping import STEPS
from nldr.claims.verdicts import Verdict
from nldr.cli.project import plan_of, read_config
from nldr.engine.files.layout import Outputs, Record
from nldr.engine.files.store import write_csv
from nldr.engine.planning.budget import Total, format_duration
from nldr.engine.planning.claim_jobs import CLAIM, claim_pairs, count_published
from nldr.engine.planning.claims import REGISTERED, TRIALS, deciding_cells, read_trials
from nldr.engine.planning.expand import Pair
from nldr.engine.planning.forecast import Job
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.steps import cell_steps
from nldr.engine.planning.studies import StudyPlan
from nldr.engine.reading.claims import Evaluation
from nldr.engine.reading.parsing import PlanError
from nldr.engine.reading.values import check_budget, seconds_of
from nldr.engine.running.build import Build
from nldr.inputs.errors import suggestion
from nldr.tables import open_table

SHOWN = 21  # settings of which each has a mark in a list of claims
HEADING = (
    f"{'claim':<9} {'verdict':<23} {'as published':<{SHOWN}} {'better':>7}  {'equal tuning':<14} "
    "statement"
)


def claim(options: argparse.Namespace) -> int:
    """Show a claim, or a line for each; with ``--build``, build its cells and decide it first.

    The verdict is that of the record, if there is one; with ``--build`` or ``--scale``, what this
    machine has computed.
    """
    if options.trials and not options.build:
        raise PlanError("--trials needs --build: trials are added to cells that are built")
    if options.budget and not options.trials:
        raise PlanError("--budget needs --trials until_decided: it limits what is added")
    if options.build:
        build_claim(options)
    file = options.root / Record().claim_details
    if options.build or options.scale or not file.is_file():
        file = options.root / Outputs(read_config(options).scale).claim_details
    try:
        with open_table(file) as text:
            details = json.load(text)
    except FileNotFoundError:
        remedy = f"nldr claim {options.name} --build"
        raise PlanError(f"{file}: no claim is decided yet: {remedy}") from None
    claims = dict(by_claim(details["claims"]))
    if options.name == "all":
        print(HEADING)
        for name, rows in claims.items():
            print(_line(name, rows))
        steps = _next_steps(options, claims)
        if steps:
            print("\nWhat would settle the claims that are open or were not run:")
        for name, step in steps.items():
            print(f"{name:<9} {step}")
        return 0
    if options.name not in claims:
        raise _undecided(plan_of(options), options.name, options.scale)
    print(format_claim(claims[options.name], details["scale"]))
    for step in _next_steps(options, {options.name: claims[options.name]}).values():
        print(f"\nWhat would settle it: {step}")
    return 0


def _line(name: str, rows: Sequence[Row]) -> str:
    """Return a claim with its verdict and what decided it, for a list of claims."""
    first, tuned = rows
    strip = first["strip"] or ""
    shown = strip if len(strip) <= SHOWN else f"{strip[: SHOWN - 1]}…"
    count = f"{first['better']}/{len(strip)}" if strip else ""
    equal = "–" if tuned["decision"] == NOT_APPLICABLE else tuned["decision"]
    return (
        f"{name:<9} {first['verdict']:<23} {shown:<{SHOWN}} {count:>7}  {equal:<14} "
        f"{first['statement']}"
    )


def _undecided(plan: Plan, name: str, scale: str | None = None) -> PlanError:
    """Return what to do about a claim without verdict in the record, or at a scale.

    It may be new or misspelled.
    """
    if plan.claims_mistake is not None:
        return plan.claims_mistake
    if name in plan.claims:
        remedy = f"nldr claim {name} --build"
        if scale is None:
            remedy += f"; a verdict that is built here: nldr claim {name} --scale quick"
        return PlanError(f"claim '{name}' is not decided yet: {remedy}")
    return PlanError(f"unknown claim '{name}': {suggestion(name, plan.claims)}")


def build_claim(options: argparse.Namespace) -> None:
    """Build the cells of a claim, or of all, and decide claims from all cells that are there."""
    plan = plan_of(options)
    if plan.claims_mistake is not None:
        raise plan.claims_mistake
    if options.name != "all" and options.name not in plan.claims:
        raise _undecided(plan, options.name)
    pairs = claim_pairs(plan, [options.name]) if options.name != "all" else {}
    if pairs and not any(pairs.values()):
        raise PlanError(
            f"claim '{options.name}' has no cell to build at scale {plan.config.scale}, which has "
            "fewer or other cells: give another --scale, such as quick; or correct its select"
        )
    if options.trials:
        names = [*plan.claims] if options.name == "all" else [options.name]
        _build_until_decided(
            options, [(name, basis) for name in names for basis in plan.claims[name].evaluations()]
        )
    else:
        _build_and_decide(options)


def _build_and_decide(options: argparse.Namespace) -> None:
    """Build the cells of a claim, or of all, by Snakemake, and decide claims."""
    target = "claims" if options.name == "all" else CLAIM + options.name
    command = [sys.executable, "-m", "snakemake", "--cores", str(options.cores), target]
    command += ["--config", f"scale={options.scale}"] if options.scale else []
    if subprocess.run(command, cwd=options.root, check=False).returncode:
        raise PlanError(f"the cells of {options.name} were not built: see the messages above")
    build = Build(plan_of(options), lambda: [target])
    with chdir(options.root):
        build.claims()


def _build_until_decided(options: argparse.Namespace, growing: list[tuple[str, str]]) -> None:
    """Build claims with 5, 10, 20 and 50 trials, each basis until nothing is unclear."""
    limit = _limit(options.budget)
    scale = read_config(options).scale
    file = options.root / Outputs(scale).claim_details
    began, per_trial, former = time.monotonic(), 0.0, 0
    for number in STEPS:
        start = time.monotonic()
        # A step is expected to cost as much per trial as the one before.
        if start - began + per_trial * (number - former) > limit:
            print(f"{number} trials would exceed the budget: stopped at {former}")
            return
        layers = plan_of(options).catalog.layers
        trials = read_trials(layers) | {(*key, scale): number for key in growing}
        rows = [(*key, reached) for key, reached in sorted(trials.items())]
        write_csv(layers.root / TRIALS, ("claim", "basis", "scale", "trials"), rows)
        _build_and_decide(options)
        per_trial, former = (time.monotonic() - start) / (number - former), number
        # Claims that need no more trials keep those that they have.
        rows = json.loads(file.read_text(encoding="utf-8"))["claims"]
        unsettled = {(row["claim"], row["basis"]) for row in rows if row["needs_trials"]}
        growing = [key for key in growing if key in unsettled]
        if not growing:
            return


def _limit(budget: str | None) -> float:
    """Return the seconds of a budget, infinitely many without one."""
    try:
        return inf if budget is None else seconds_of(check_budget(budget))
    except ValueError as error:
        raise PlanError(f"--budget: {error}") from None


def verdicts(options: argparse.Namespace) -> int:
    """Count the verdicts on published numbers: of the record, or at a scale of this machine."""
    is_record = not options.scale and (options.root / Record().claim_details).is_file()
    options.scale = "paper" if is_record else options.scale
    plan = plan_of(options)
    tallies = count_published(plan, Record() if is_record else plan.outputs, options.root)
    print(format_tallies(tallies) if tallies else "no study compares with published numbers")
    return 0


def register_claims(options: argparse.Namespace) -> int:
    """Register the tests of all claims, with their settings at full size and the print."""
    from nldr.archive.registration import register

    options.scale = "paper"
    try:
        n_new = register(plan_of(options))
    except ValueError as error:
        raise PlanError(str(error)) from None
    print(f"registered {n_new} new or amended tests in {REGISTERED}")
    return 0


# --- what would settle a claim, and its cost ------------------------------------------------------


def _next_steps(options: argparse.Namespace, claims: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    """Return what would settle each claim that is open, or was not run, at full size."""
    unsettled = {Verdict.OPEN, Verdict.NOT_RUN}
    asked = {k: rows for k, rows in claims.items() if unsettled & {r["decision"] for r in rows}}
    if not asked:
        return {}
    options.scale = "paper"
    plan = plan_of(options)
    with chdir(options.root):
        steps = {name: next_step(plan, rows) for name, rows in asked.items()}
    return {name: step for name, step in steps.items() if step}


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
        return f"more trials do not help: its intervals are narrow, or have {STEPS[-1]} trials"
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
    for step in cell_steps(plan, study.name, pair._replace(trials=trials)):
        yield plan.forecast.job(step, ())
