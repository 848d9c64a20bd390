"""The list of claims, and a page for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from nldr.report.content import Column, Drawing, TableContent
from nldr.report.forest import claim_strip, forests
from nldr.report.overview import claim_tally
from nldr.report.tables import Links, TableView, links_of, table_view
from nldr.report.templating import route

if TYPE_CHECKING:
    from jinja2 import Environment

    from nldr.report.content import ClaimContent, EvaluationContent, Report, StudyContent

TITLES = {"as_published": "As published", "equal_tuning": "Under equal tuning"}
MOST_CELLS = 100  # of a claim that its page lists; more are those of its study
# Last column of the cells of a claim: where their coordinates lie
FOLDER = Column("cell", "Cell", "code", "its folder in results/embeddings")


def pages(report: Report, environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield the list of claims and the page of each claim."""
    claims = [(paper, claim) for paper in report.papers for claim in paper.claims]
    verdicts = claim_tally(claim for _, claim in claims)
    list_page = environment.get_template("claims.html")
    yield "claims", list_page.render(report=report, strip=claim_strip, verdicts=verdicts)
    claim_page = environment.get_template("claim.html")
    maker = _Maker(report)
    for at, (paper, claim) in enumerate(claims):
        html = claim_page.render(
            paper=paper,
            claim=claim,
            bases=[maker.basis(claim, evaluation) for evaluation in claim.evaluations],
            figure=maker.figures.get(claim.figure or ""),
            before=claims[at - 1][1] if at else None,
            after=claims[at + 1][1] if at + 1 < len(claims) else None,
        )
        yield route("claim", claim.name), html


class _Maker:
    """Looks up studies, figures and clouds that the pages of claims refer to."""

    def __init__(self, report: Report) -> None:
        self.studies = {study.name: study for study in report.studies}
        self.links: Links = links_of(report)
        self.clouds = {cloud.cell: cloud.title for cloud in report.clouds}
        self.figures: dict[str, tuple[StudyContent, Drawing]] = {
            drawing.name: (study, drawing) for study in report.studies for drawing in study.drawings
        }

    def basis(self, claim: ClaimContent, evaluation: EvaluationContent) -> dict[str, Any]:
        """Return an evaluation with its study, comparisons, cells, and clouds in the explorer."""
        study = self.studies.get(evaluation.study or "")
        data = dict.fromkeys(cell.partition("/")[0] for cell in evaluation.cells)
        title = TITLES.get(evaluation.basis, evaluation.basis)
        return {
            "title": title,
            "evaluation": evaluation,
            "study": study,
            "forests": forests(evaluation.comparisons),
            "cells": self._cells(f"{claim.name}_{evaluation.basis}", title, evaluation, study),
            "clouds": {cell: self.clouds[cell] for cell in data if cell in self.clouds},
        }

    def _cells(
        self, name: str, title: str, evaluation: EvaluationContent, study: StudyContent | None
    ) -> TableView | None:
        """Return the cells behind an evaluation: rows of the study's table, or their names."""
        if not evaluation.cells or (study and len(evaluation.cells) > MOST_CELLS):
            return None
        title = f"Cells, {title.lower()}"
        keys = ("dataset", "method", "data_cell", "method_cell")
        names = {}
        for cell in evaluation.cells:
            data, _, method = cell.partition("/")
            names[cell] = dict(zip(keys, (data, method) * 2, strict=True)) | {"cell": cell}
        for table in study.tables if study else []:
            results = {cell_of(row): row for row in table.rows if cell_of(row) in names}
            if results:
                rows = [
                    {**row, **results.get(cell, {}), "cell": cell} for cell, row in names.items()
                ]
                # Only the scores that the tests compare; the study's page has all of them
                shown = {"", *evaluation.metrics}
                columns = [*(c for c in table.columns if c.metric in shown), FOLDER]
                return table_view(TableContent(title, columns, rows, table.file), self.links, name)
        headings = {"data_cell": "Dataset cell", "method_cell": "Method cell"}
        columns = [Column(key, heading, "code") for key, heading in headings.items()]
        return table_view(TableContent(title, columns, [*names.values()]), self.links, name)


def cell_of(row: dict[str, object]) -> str:
    """Return the cell that a row of a table is about, ``dataset_cell/method_cell``.

    Examples
    --------
    >>> cell_of({"data_cell": "roll", "method_cell": "pca"}), cell_of({"cell": "roll/pca"})
    ('roll/pca', 'roll/pca')
    """
    return str(row.get("cell") or f"{row.get('data_cell')}/{row.get('method_cell')}")
