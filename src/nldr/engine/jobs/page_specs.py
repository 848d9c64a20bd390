"""The job that makes the report."""

from __future__ import annotations

from dataclasses import dataclass, field

from nldr.engine.jobs.report_specs import Look, PrintedNumbers
from nldr.report.content import Card, Study


@dataclass(frozen=True)
class EmbeddingSource:
    """The embeddings of one method on one dataset.

    Attributes
    ----------
    method, cell, title : str
        Name in the catalog, cell, and title with the parameters that differ.
    manifest : str
        Manifest of its embeddings.
    scores : list of str
        Manifests of their scores.
    """

    method: str
    cell: str
    title: str
    manifest: str
    scores: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class CloudSource:
    """One dataset cell and its embeddings.

    Attributes
    ----------
    name, cell, title : str
        Name in the catalog, cell, and title with the parameters that differ.
    manifest : str
        Manifest of its data, with as many trials as the embeddings have, or one.
    embeddings : list of EmbeddingSource
        Embeddings, in the order in which they are shown.
    """

    name: str
    cell: str
    title: str
    manifest: str
    embeddings: list[EmbeddingSource]


@dataclass(frozen=True)
class ReportJob:
    """Make the report.

    Attributes
    ----------
    scale, version : str
        Scale of the studies, version of nldr.
    studies : dict of str to Study
        The studies to show before results, those with a mistake included.
    record : dict of str to Study
        Studies of the record, at full size, before results.
    papers : dict of str to str
        Short names of the papers to their titles.
    sources : dict of str to str
        File and line of each claim.
    headlines : list of str
        Names of the main claims.
    evidence : dict of str to str
        The figure that shows the evidence of each claim.
    looks : dict of str to Look
        Looks of the methods.
    cards : list of Card
        Cards of the entries of the catalog, in their order, before results.
    clouds : list of CloudSource
        Embeddings for the explorer.
    numbers : list of PrintedNumbers
        The published numbers, with the cells that decide them.
    code : str
        Fingerprint of the code, that of templates and scripts included.
    """

    scale: str
    version: str
    studies: dict[str, Study]
    record: dict[str, Study]
    papers: dict[str, str]
    sources: dict[str, str]
    headlines: list[str]
    evidence: dict[str, str]
    looks: dict[str, Look]
    cards: list[Card]
    clouds: list[CloudSource]
    numbers: list[PrintedNumbers]
    code: str
