"""``nldr status``, ``cost``, ``verify``, ``retry``, ``report``: results, and making them again."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from nldr.cli.project import enter, plan_of
from nldr.engine.cost.records import SHIPPED, read_records, write_records
from nldr.engine.files.layout import RECORDS, RESULTS, SCORE_CACHE
from nldr.engine.files.score_cache import forget, read_scores
from nldr.engine.files.status import Status
from nldr.engine.files.store import read_if_whole
from nldr.engine.freshness import health
from nldr.engine.planning.budget import Total, format_duration, further
from nldr.engine.planning.forecast import Job
from nldr.engine.planning.plan import Plan
from nldr.engine.reading.parsing import PlanError
from nldr.engine.running.build import Build, JobFailed
from nldr.engine.running.progress import tell_mistakes
from nldr.tables import columns


def status(options: argparse.Namespace) -> int:
    """List the state of all studies, then what the next run makes again."""
    plan = plan_of(options)
    tell_mistakes(plan, "is")
    for name in plan.everything:
        _show_study(plan, name, options)
    os.chdir(options.root)
    for line in health.tell_changes(health.find_problems(plan)):
        print(line)
    return 0


def _show_study(plan: Plan, name: str, options: argparse.Namespace) -> None:
    pairs = plan.studies[name].pairs
    counts: Counter[str] = Counter()
    failures: list[str] = []
    for pair in pairs:
        path = plan.embedding_file(*pair.cell, pair.trials)
        for row in read_if_whole(options.root / path).get("trials", []):
            counts[row["status"]] += 1
            if not Status(row["status"]).is_ok:
                where = f"{pair.data}/{pair.method}, trial {row['trial']}"
                failures.append(f"  {row['status']}: {where}: {row['message']}")
    shown = ", ".join(f"{number} {status}" for status, number in counts.most_common()) or "none"
    planned = sum(pair.trials for pair in pairs)
    built = f"{sum(counts.values())} of {planned} embeddings"
    print(f"{name} ({plan.config.scale}): {built}: {shown}")

    figures = plan.figure_files(name)
    outputs = [plan.outputs.table.format(study=name), *figures]
    missing = [file for file in outputs if not (options.root / file).is_file()]
    print("  missing: " + ", ".join(missing) if missing else "  figures: " + ", ".join(figures))
    for failure in failures:
        print(failure)


def cost(options: argparse.Namespace) -> int:
    """Show the forecast of the selected studies."""
    plan = enter(options)
    tell_mistakes(plan, "is")
    problems = health.find_problems(plan)
    print(_cost_table(plan, options.cores, problems))
    return 0


HEADER = ("study", "jobs", "embeddings", "CPU alone", "CPU added", "time added", "memory", "disk")


def _cost_table(plan: Plan, cores: int, stale: Collection[str]) -> str:
    """Return the cost of each selected study, in the order of building, and of all, as a text."""
    taken, rows = list[Job](), []
    for study in (name for name in plan.order if name in plan.selected):
        jobs = plan.forecast.jobs(study, stale)
        alone, added = Total.of(jobs, cores), Total.of(further(jobs, taken), cores)
        rows.append(_cost_row(study, added, format_duration(alone.cpu_seconds)))
        taken += jobs
    total = Total.of(taken, cores)
    rows += [HEADER, _cost_row("all", total, "")]
    return "\n".join([*columns([HEADER, *rows]), _describe_cost(total, cores)])


def _cost_row(name: str, total: Total, alone: str) -> tuple[str, ...]:
    return (
        name,
        str(total.jobs),
        str(total.embeddings),
        alone,
        format_duration(total.cpu_seconds),
        format_duration(total.seconds),
        _format_size(total.peak_mb * 2**20),
        _format_size(total.size),
    )


def _describe_cost(total: Total, cores: int) -> str:
    """Return what the forecast rests on."""
    if not total.jobs:
        return "nothing to do"
    time = max(total.cpu_seconds, 1e-9)
    return (
        f"Time on {cores} core(s) that nothing else uses. The forecast is uncertain for "
        f"{total.far / time:.0%} of the CPU time (jobs with more than 10 times the points or "
        f"iterations of any timed one) and {total.unknown / time:.0%} (methods never timed)."
    )


def _format_size(size: float) -> str:
    """Return a number of bytes with a unit that suits it.

    Examples
    --------
    >>> _format_size(2000), _format_size(3.2e6), _format_size(5e9)
    ('0 MB', '3 MB', '5.0 GB')
    """
    return f"{size / 1e6:.0f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"


def records(options: argparse.Namespace) -> int:
    """Add the records of this folder's runs to those that come with nldr."""
    local = read_records(options.root / RECORDS)
    shipped = read_records(options.root / SHIPPED)
    write_records(options.root / SHIPPED, (shipped | local).values())
    added, replaced = len(local.keys() - shipped.keys()), len(local.keys() & shipped.keys())
    print(f"{SHIPPED}: {added} new records, {replaced} replaced")
    return 0


def verify(options: argparse.Namespace) -> int:
    """Read all results, and remove those that are not what was made, in the folder itself only."""
    plan = enter(options)
    results = Path(RESULTS).resolve()
    problems = health.find_problems(plan, thorough=True)
    for path, problem in problems.items():
        print(f"{path}: {problem.detail or 'out of date'}")
        # Files that only a thorough look finds wrong would be trusted by the next run.
        is_damaged = problem.reason in (health.FILES, health.DAMAGED) and Path(path).is_file()
        if is_damaged and Path(path).parent.resolve().is_relative_to(results):
            Path(path).unlink()
    # Scores of a damaged line are made again when they are needed.
    scores = {Path(file) for study in plan.studies for file in plan.score_files(study)}
    caches = {
        cache: read_scores(cache)[1] for cache in {f.parents[1] / SCORE_CACHE for f in scores}
    }
    damaged_caches = sorted(cache for cache, damaged in caches.items() if damaged)
    for cache in damaged_caches:
        print(f"{cache}: {caches[cache]} damaged line(s), whose scores are recomputed when needed")
        if cache.resolve().is_relative_to(results):
            forget(cache)
    if problems:
        print(f"{len(problems)} result(s) will be recomputed by the next run")
    elif not damaged_caches:
        print("all results are intact and match the current code and parameters")
    return 1 if problems or damaged_caches else 0


def retry(options: argparse.Namespace) -> int:
    """Remove trials and scores that failed with a status."""
    plan = enter(options)
    removed = 0
    for name, study in plan.studies.items():
        for pair in study.pairs:
            manifest = Path(plan.embedding_file(*pair.cell, pair.trials))
            rows = read_if_whole(manifest).get("trials", [])
            failed = [row for row in rows if row["status"] == options.status]
            for row in failed:
                # Only files beside the manifest, whatever it names
                (manifest.parent / Path(row.get("file", "none")).name).unlink(missing_ok=True)
            if failed:
                manifest.unlink()
            if any(row.get("stage") == "data" for row in failed):
                Path(plan.data_file(pair.data, pair.trials)).unlink(missing_ok=True)
            removed += len(failed)
            removed += _forget_scores(Path(plan.score_file(pair, name)), options.status)
    print(f"{removed} result(s) with status {options.status} will be recomputed by the next run")
    return 0


def _forget_scores(manifest: Path, status: str) -> int:
    """Remove scores that failed with a status; return their number."""
    rows = read_if_whole(manifest).get("trials", [])
    failures = [failure for row in rows for failure in row["failures"]]
    number = sum(failure["status"] == status for failure in failures)
    if number:
        manifest.unlink()
        forget(manifest.parents[1] / SCORE_CACHE, status)
    return number


def report(options: argparse.Namespace) -> int:
    """Make the report from what is built."""
    build = Build(enter(options))
    try:
        build.report()
    except JobFailed as failed:
        raise PlanError(str(failed)) from None
    build.end(True)
    return 0
