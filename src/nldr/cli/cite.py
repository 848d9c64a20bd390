"""BibTeX of the works behind a study: its paper, data, methods and metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nldr.engine.planning.card_jobs import cited
from nldr.engine.planning.plan import Plan
from nldr.engine.reading.references import read_references


def sources_of(plan: Plan, study: str) -> Iterator[str]:
    """Yield the sources that a study, its datasets, methods and metrics name."""
    found, catalog = plan.studies[study], plan.catalog
    yield found.study.source
    yield from (cell.entry.source for cell in found.data.values())
    for cell in found.methods.values():
        yield cited(cell.entry, catalog.families[cell.entry.family])[0]
    for metric in found.metrics:
        yield catalog.metrics[metric][1].source


def bibliography(plan: Plan, studies: Iterable[str]) -> str:
    """Return the BibTeX of some studies, one entry per work, in alphabetical order.

    Parameters
    ----------
    plan : Plan
        A plan that has the studies.
    studies : iterable of str
        Their names.
    """
    references = read_references(plan.catalog.layers)
    keys = {key for study in studies for source in sources_of(plan, study)
            for key in references.of(source or "")}  # fmt: skip
    return "\n\n".join(references.root[key].bibtex(key) for key in sorted(keys))
