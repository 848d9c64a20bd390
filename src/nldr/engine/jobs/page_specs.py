"""The job that makes the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nldr.engine.jobs.card_specs import CardJob
from nldr.engine.jobs.report_specs import Look


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
class StudyPage:
    """Facts about a study that the report shows besides its results.

    Attributes
    ----------
    title, source, file : str
        Title, where it comes from, and its definition, relative to the project's folder.
    figures : dict of str to str
        Names of its figures to their titles.
    cells : list of (str, str)
        Its dataset and method cells.
    n_samples : list of int
        Numbers of points of its datasets.
    trials : list of int
        Numbers of trials of its cells.
    methods, datasets : dict of str to str
        Names to titles.
    metrics : dict of str to dict
        Metrics with label, title, range and direction.
    published : str
        Name of the file of published numbers; empty if it declares none.
    broken : str
        What is wrong with it; empty if it could be planned.
    """

    title: str
    source: str
    file: str
    figures: dict[str, str] = field(default_factory=dict)
    cells: list[tuple[str, str]] = field(default_factory=list)
    n_samples: list[int] = field(default_factory=list)
    trials: list[int] = field(default_factory=list)
    methods: dict[str, str] = field(default_factory=dict)
    datasets: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, dict[str, Any]] = field(default_factory=dict)
    published: str = ""
    broken: str = ""


@dataclass(frozen=True)
class ReportJob:
    """Make the report.

    Attributes
    ----------
    scale, version : str
        Scale of the studies, version of nldr.
    studies : dict of str to StudyPage
        The studies to show, those with a mistake included.
    papers : dict of str to str
        Short names of the papers to their titles.
    sources : dict of str to str
        File and line of each claim.
    evidence : dict of str to str
        The figure that shows the evidence of each claim.
    looks : dict of str to Look
        Looks of the methods.
    cards : CardJob
        Facts about the entries of the catalog.
    clouds : list of CloudSource
        Embeddings for the explorer.
    code : str
        Fingerprint of the code, that of templates and scripts included.
    """

    scale: str
    version: str
    studies: dict[str, StudyPage]
    papers: dict[str, str]
    sources: dict[str, str]
    evidence: dict[str, str]
    looks: dict[str, Look]
    cards: CardJob
    clouds: list[CloudSource]
    code: str
