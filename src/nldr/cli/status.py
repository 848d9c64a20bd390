"""``nldr status``: what is built, missing and failed."""

from __future__ import annotations

import argparse
import os
from collections import Counter

from nldr.cli.project import plan_of
from nldr.engine.files.manifests import read_if_whole
from nldr.engine.files.status import Status
from nldr.engine.freshness import health
from nldr.engine.planning.plan import Plan
from nldr.engine.planning.results import planned_results


def status(options: argparse.Namespace) -> int:
    """List the state of all studies, then what the next run makes again."""
    plan = plan_of(options)
    for name in plan.everything:
        _show_study(plan, name, options)
    os.chdir(options.root)
    for line in health.tell_changes(health.find_problems(planned_results(plan), plan.catalog.code)):
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
