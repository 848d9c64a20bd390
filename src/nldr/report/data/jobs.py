"""The job that makes the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from nldr.claims.jobs import PrintedNumbers
from nldr.engine.jobs.report_specs import PageJob
from nldr.report.content import Card, StudyContent


@dataclass(frozen=True)
class EmbeddingSource:
    """The embeddings of one method on one dataset."""

    # Name in the catalog, cell, and title with the parameters that differ
    method: str
    cell: str
    title: str
    manifest: str  # manifest of its embeddings
    scores: list[str] = field(default_factory=list)  # manifests of their scores


@dataclass(frozen=True)
class CloudSource:
    """One dataset cell and its embeddings."""

    # Name in the catalog, cell, and title with the parameters that differ
    name: str
    cell: str
    title: str
    manifest: str  # manifest of its data, with as many trials as the embeddings have, or one
    embeddings: list[EmbeddingSource]  # embeddings, in the order in which they are shown


@dataclass(frozen=True)
class CardSample:
    """A dataset that is made for its card alone, if no study has made it."""

    name: str
    function: str
    params: dict[str, Any]
    seeded: bool  # whether the function takes random numbers
    code: str  # fingerprint of the code


@dataclass(frozen=True)
class ReportJob(PageJob):
    """Make the report."""

    runs: ClassVar = "nldr.report.data.report.make_report"
    # Scale of the studies, version of nldr
    scale: str
    version: str
    studies: dict[
        str, StudyContent
    ]  # the studies to show before results, those with a mistake included
    record: dict[str, StudyContent]  # studies of the record, at full size, before results
    papers: dict[str, str]  # short names of the papers to their titles
    sources: dict[str, str]  # file and line of each claim
    headlines: list[str]  # names of the main claims
    evidence: dict[str, str]  # the figure that shows the evidence of each claim
    # Arguments of :func:`nldr.figures.style.look`, by method
    looks: dict[str, dict[str, Any]]
    families: dict[str, str]  # families of datasets, by the names of the datasets
    cards: list[Card]  # cards of the entries of the catalog, in their order, before results
    samples: list[CardSample]  # small datasets for cards
    clouds: list[CloudSource]  # embeddings for the explorer
    numbers: list[PrintedNumbers]  # the published numbers, with the cells that decide them
