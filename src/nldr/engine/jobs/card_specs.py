"""Facts about the entries of the catalog, from which the report makes a card for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nldr.engine.jobs.specs import Direction


@dataclass(frozen=True)
class EntryFacts:
    """A method, dataset or metric as its catalog describes it.

    Attributes
    ----------
    kind : str
        ``method``, ``dataset`` or ``metric``.
    name, title, family : str
        Name in the catalog, title, and heading under which lists have it.
    path : str
        Import path of its class or function.
    params : dict
        Parameters that the catalog sets.
    source, doi : str
        Where it was published, and the DOI; empty where there is none.
    facts : dict of str to str
        Whatever readers ask first.
    competes : bool
        Whether it is a method that sees nothing but the data, and no control.
    """

    kind: str
    name: str
    title: str
    family: str
    path: str
    params: dict[str, Any]
    source: str
    doi: str
    facts: dict[str, str]
    competes: bool = False


@dataclass(frozen=True)
class StudyUse:
    """Entries that a study uses, and the metric by which it compares methods.

    Attributes
    ----------
    metric, label : str
        Name of its first metric, and the title of that metric.
    direction : {"higher", "lower"}
        Better direction of the metric.
    methods, datasets, metrics : list of str
        Names of the entries that it uses.
    scorings : dict of str to list of str
        Names of its scorings to their metrics: what fails when a scoring fails.
    exact : list of (str, str)
        Cells without random numbers, of which one trial is all there is.
    """

    metric: str
    label: str
    direction: Direction
    methods: list[str]
    datasets: list[str]
    metrics: list[str]
    scorings: dict[str, list[str]]
    exact: list[tuple[str, str]]


@dataclass(frozen=True)
class CardJob:
    """Make the cards of all entries.

    Attributes
    ----------
    entries : list of EntryFacts
        The entries, in the order of the catalogs.
    studies : dict of str to StudyUse
        The studies.
    """

    entries: list[EntryFacts] = field(default_factory=list)
    studies: dict[str, StudyUse] = field(default_factory=dict)
