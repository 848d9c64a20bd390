"""The list of studies, and a page for each with its figures, tables and failures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nldr.report.failures import group_failures
from nldr.report.overview import tally
from nldr.report.tables import Links, TableView, links_of, table_view
from nldr.report.templating import route, slug

if TYPE_CHECKING:
    from jinja2 import Environment

    from nldr.report.content import Report, StudyContent

OTHER = "Other questions"  # heading of studies that belong to no paper


def pages(report: Report, environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield the list of studies and the page of each study."""
    verdicts = {study.name: tally(study.verdicts) for study in report.studies}
    list_page = environment.get_template("studies.html")
    yield "studies", list_page.render(report=report, verdicts=verdicts, groups=_by_paper(report))
    study_page, links = environment.get_template("study.html"), links_of(report)
    claims = {claim.name: claim for paper in report.papers for claim in paper.claims}
    clouds = {cloud.cell: cloud.title for cloud in report.clouds}
    for study in report.studies:
        cells = {str(row.get("data_cell")) for table in study.tables for row in table.rows}
        here = study.here
        html = study_page.render(
            report=report,
            study=study,
            tables_here=_views(here, links) if here else [],
            failures_here=group_failures(here.failures) if here else [],
            papers=[paper for paper in report.papers if study.name in paper.studies],
            verdicts=verdicts[study.name],
            claims=[claims[name] for name in study.claims if name in claims],
            tables=_views(study, links),
            clouds={cell: clouds[cell] for cell in sorted(cells & set(clouds))},
            failures=group_failures(study.failures),
        )
        yield route("study", study.name), html


def _views(study: StudyContent, links: Links) -> list[TableView]:
    """Return the tables of a study as they are shown."""
    return [table_view(t, links, f"{study.name}_{slug(t.title)}") for t in study.tables]


def _by_paper(report: Report) -> dict[str, list[StudyContent]]:
    """Return the studies by the first paper that they belong to; the others come last."""
    groups: dict[str, list[StudyContent]] = {paper.title: [] for paper in report.papers}
    for study in report.studies:
        owner = next((p.title for p in report.papers if study.name in p.studies), OTHER)
        groups.setdefault(owner, []).append(study)
    return {title: studies for title, studies in groups.items() if studies}


def blocks(report: Report) -> Iterator[tuple[str, bytes]]:
    """Yield the drawing of each figure."""
    for study in report.studies:
        for drawing in [*study.drawings, *(study.here.drawings if study.here else [])]:
            if drawing.svg:
                yield f"figure/{drawing.name}", drawing.svg.encode()
