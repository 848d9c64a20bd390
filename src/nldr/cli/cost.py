"""``nldr cost`` and ``records``: what a run will cost, and what runs have cost."""

from __future__ import annotations

import argparse

from nldr.cli.project import enter
from nldr.engine.cost.records import SHIPPED, read_records, write_records
from nldr.engine.files.layout import RECORDS
from nldr.engine.freshness.health import find_problems
from nldr.engine.planning import budget
from nldr.engine.planning.results import planned_results


def cost(options: argparse.Namespace) -> int:
    """Show the forecast of the selected studies."""
    plan = enter(options)
    problems = find_problems(planned_results(plan), plan.catalog.code)
    print(budget.table(plan, options.cores, problems))
    return 0


def records(options: argparse.Namespace) -> int:
    """Add the records of this folder's runs to those that come with nldr."""
    local = read_records(options.root / RECORDS)
    shipped = read_records(options.root / SHIPPED)
    write_records(options.root / SHIPPED, (shipped | local).values())
    added, replaced = len(local.keys() - shipped.keys()), len(local.keys() & shipped.keys())
    print(f"{SHIPPED}: {added} new records, {replaced} replaced")
    return 0
