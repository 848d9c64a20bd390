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


def labels_of(plan: Cells, kind: str, name: str) -> dict[str, str]:
    """Return the labels of a figure, or of what another file of a study holds."""
    study = plan.studies[plan.owners[name] if kind == "figure" else name]
    title = study.figures[name].title if kind == "figure" else None
    return {"kind": kind, "name": name, "title": title or study.study.title}
