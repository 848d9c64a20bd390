"""Place and labels of results in Snakemake's own report."""

from __future__ import annotations

from nldr.engine.planning.cells import Cells

OURS = "Own studies"  # category of studies that belong to no paper


def paper_of(plan: Cells, study: str) -> str:
    """Return the title of the paper that a study's source names, the category of its results."""
    source = plan.studies[study].study.source
    papers = dict.fromkeys(claim.paper for claim in plan.claims.values())
    return next((paper for paper in papers if paper in source), OURS)


def heading_of(plan: Cells, study: str) -> str:
    """Return name and title of a study, the subcategory of its results."""
    return f"{study}: {plan.studies[study].study.title}"


def figure_labels(plan: Cells, figure: str) -> dict[str, str]:
    """Return the labels of a figure: what it is, its name and its title."""
    study = plan.studies[plan.owners[figure]]
    title = study.figures[figure].title or study.study.title
    return {"kind": "figure", "name": figure, "title": title}


def table_labels(plan: Cells, study: str, kind: str) -> dict[str, str]:
    """Return the labels of a table of a study; ``kind`` is what it holds."""
    return {"kind": kind, "name": study, "title": plan.studies[study].study.title}
