"""``nldr cite``: BibTeX of the works behind a study: its paper, data, methods and metrics."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from nldr.cli.project import plan_of
from nldr.cli.references import REFERENCES, References
from nldr.engine.planning.plan import Plan
from nldr.engine.reading.parsing import PlanError, require
from nldr.report.data.catalog_cards import cited


def cite(options: argparse.Namespace) -> int:
    """Print BibTeX of the works behind some studies."""
    plan = plan_of(options)
    chosen = list(plan.studies) if options.studies == ["all"] else options.studies
    for name in chosen:
        if name in plan.broken:
            raise plan.broken[name]
        require(name, plan.studies, f"unknown study '{name}'")
    entries = bibliography(plan, chosen)
    if not entries:
        raise PlanError(f"{REFERENCES} has none of the works of {', '.join(chosen)}: add them")
    print(entries)
    return 0


def sources_of(plan: Plan, study: str) -> Iterator[str]:
    """Yield the sources that a study, its datasets, methods and metrics name."""
    planned, catalog = plan.studies[study], plan.catalog
    yield planned.study.source
    yield from (cell.entry.source for cell in planned.data.values())
    for cell in planned.methods.values():
        yield cited(cell.entry, catalog.families[cell.entry.family])[0]
    for metric in planned.metrics:
        yield catalog.metrics[metric][1].source


def bibliography(plan: Plan, studies: Iterable[str]) -> str:
    """Return the BibTeX of some studies, one entry per work, in alphabetical order."""
    references = References(plan.catalog.layers.read(References, REFERENCES))
    sources = {source or "" for study in studies for source in sources_of(plan, study)}
    keys = {key for source in sources for key in references.of(source)}
    return "\n\n".join(references.root[key].bibtex(key) for key in sorted(keys))
