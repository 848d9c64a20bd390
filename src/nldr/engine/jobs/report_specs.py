"""Jobs that report on studies: tables, verdicts, figures and claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nldr.claims.jobs import ClaimJob, PublishedJoin, StudyFacts, StudyNumbers
from nldr.engine.jobs.specs import Cell, MethodGroup


@dataclass(frozen=True)
class TableJob:
    """Assemble one study's tables."""

    runs: ClassVar = "nldr.engine.stages.table.make_tables"
    cells: list[Cell]  # all cells, in the study's order
    metrics: list[str]  # in the study's order
    groups: dict[str, MethodGroup]
    published: PublishedJoin | None  # numbers to compare with
    code: str


@dataclass(frozen=True)
class VerdictJob(StudyNumbers):
    """Decide the published numbers of a study."""

    runs: ClassVar = "nldr.engine.stages.verdicts.decide_published"
    code: str


@dataclass(frozen=True)
class StudyEvidence(StudyFacts):
    """Cells and facts of a study from which claims are decided."""

    cells: list[Cell]  # the cells from which its claims are decided, in the study's order
    groups: dict[str, MethodGroup]
    scorers: str  # name of its set of scorers
    exact: list[tuple[str, str]]  # cells without random numbers, of which one trial is all there is
    verdicts: VerdictJob | None  # its published numbers
    published: str | None  # name of their file


@dataclass(frozen=True)
class ClaimsJob:
    """Decide all claims."""

    runs: ClassVar = "nldr.engine.stages.claims.decide_claims"
    claims: list[ClaimJob]  # paper by paper
    studies: dict[str, StudyEvidence]  # the studies that they use
    scale: str
    code: str  # fingerprint of the code, that of the tests included


@dataclass(frozen=True)
class PageJob:
    """Make the report; what else the job knows is planned and read in nldr.report.data."""

    code: str  # fingerprint of the code, that of templates and scripts included


@dataclass(frozen=True)
class FigureJob:
    """Draw one figure of a study."""

    runs: ClassVar = "nldr.engine.stages.figure.draw_figure"
    title: str
    function: str  # import path of the function that draws
    params: dict[str, Any]  # its parameters
    cells: list[tuple[str, str]]  # dataset and method cells that are shown
    panels: list[str]  # dataset cells whose files are handed over, in order; none without panels
    groups: list[str]  # names for the best of several cells
    tuned: bool  # whether to draw the best cell under such a name, in place of every candidate
    methods: dict[str, str]  # names to titles
    datasets: dict[str, str]
    roles: dict[str, str]  # of methods
    looks: dict[str, dict[str, Any]]  # arguments of nldr.figures.style.look, by method
    metrics: dict[str, dict[str, Any]]  # metrics with label, title, range and direction
    published: PublishedJoin | None  # numbers to draw beside ours
    scale: str
    code: str
