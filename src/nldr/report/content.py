"""Content of the report: plain data that the engine gathers and the pages are made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nldr.report.aims import Guide
    from nldr.report.clouds import Cloud
    from nldr.report.thumbnails import Thumbnail


@dataclass(frozen=True)
class Bar:
    """One effect with its interval: a row of a forest plot."""

    label: str  # the compared methods and the setting
    # Effect and ends of its 95 % interval, in units of ``unit``; None where unknown
    effect: float | None
    low: float | None
    high: float | None
    decision: str  # verdict whose color it has: ``holds``, ``tie``, ``fails`` or ``open``
    n: int  # number of pairs or trials
    solved: str = ""  # trials with a score on each side, as in "10 of 10"
    unit: str = ""  # of the effect
    threshold: float | None = None  # smallest effect that supports the claim
    above: bool = True  # whether effects above the threshold support the claim, or those below


@dataclass(frozen=True)
class EvaluationContent:
    """One way to decide a claim: as published, or under equal tuning."""

    basis: str  # ``as_published`` or ``equal_tuning``
    decision: str  # a verdict, or ``not applicable``
    sentence: str  # the finding, or the reason why there is none
    study: str | None  # study that has the cells
    size: str | None  # how these compare with the published sizes
    # Effect, its 95 % interval, and the bound that it is compared with
    effect: float | None
    low: float | None
    high: float | None
    threshold: float | None
    unit: str  # of the effect
    test: str  # name of the test
    p_value: float | None  # of the deciding comparison
    level: float | None  # of the tests
    strip: str  # a mark for each setting
    print_passes: str  # whether the printed numbers pass, in words
    bounds: str | None  # the verdict with other bounds
    n: int | None  # number of trials of the deciding comparison
    cells: list[str]  # ``dataset_cell/method_cell``
    comparisons: list[Bar]  # the comparisons that make up the effect
    datasets: list[str] = field(default_factory=list)  # titles of the datasets of the cells
    metrics: list[str] = field(default_factory=list)  # what the tests compare
    here: str = ""  # what this machine says
    above: bool = True  # whether effects above the threshold support the claim, or those below


@dataclass(frozen=True)
class ClaimContent:
    """One claim of a paper with its verdict."""

    name: str  # such as ``ikd-04``
    statement: str
    place: str  # where the paper makes it
    verdict: str  # one of :class:`nldr.claims.Verdict`
    source: str  # file and line of its definition, relative to the project's folder
    evaluations: list[EvaluationContent]  # as published and under equal tuning
    figure: str | None  # name of a figure that shows the evidence
    quote: str = ""  # the paper's own sentence
    amendments: list[str] = field(default_factory=list)  # changes of the test
    headline: bool = False  # whether it is a main claim of its paper


@dataclass(frozen=True)
class Paper:
    """A paper, its claims and the studies of its figures."""

    key: str  # short name, such as ``ikd``
    title: str
    claims: list[ClaimContent]
    studies: list[str]  # names of the studies that belong to it
    numbers: dict[str, int] = field(default_factory=dict)  # its published numbers by outcome


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    key: str  # in the rows
    title: str  # heading
    kind: str  # ``text``, ``number``, ``method``, ``dataset``, ``verdict`` or ``status``
    help: str = ""  # explanation for a tooltip: unit, direction, source
    metric: str = ""  # the metric that it is about, if any


@dataclass(frozen=True)
class TableContent:
    """A table that readers can sort and filter."""

    title: str
    columns: list[Column]
    rows: list[dict[str, Any]]  # values by key of the column; None where there is none
    file: str = ""  # where the whole table lies


@dataclass(frozen=True)
class Drawing:
    """A figure of a study."""

    name: str  # of its files
    title: str
    svg: str  # the drawing; empty if it failed
    alt: str  # description for readers who do not see it
    file: str  # where it lies


@dataclass(frozen=True)
class Failure:
    """One or several trials of a cell that failed alike."""

    stage: str
    cell: str  # ``dataset_cell/method_cell``
    status: str
    message: str
    trials: list[int]
    log: str = ""  # its last lines; empty if there is none


@dataclass(frozen=True)
class StudyContent:
    """A study with its figures and tables: the plan first, and then what results add."""

    name: str
    title: str
    source: str  # the paper or question that it belongs to
    file: str  # the file that defines it
    broken: str = ""  # why the study could not be planned; empty if it was
    figures: dict[str, str] = field(default_factory=dict)  # names of its figures to their titles
    cells: list[tuple[str, str]] = field(default_factory=list)  # its dataset and method cells
    # Cells without random numbers, of which one trial is all there is
    exact: list[tuple[str, str]] = field(default_factory=list)
    n_samples: list[int] = field(default_factory=list)  # numbers of points of its datasets
    trials: list[int] = field(default_factory=list)  # numbers of trials of its cells
    # Names to titles
    methods: dict[str, str] = field(default_factory=dict)
    datasets: dict[str, str] = field(default_factory=dict)
    # Metrics with label, title, range and direction; the first compares methods
    metrics: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Names of its scorings to their metrics: what fails when a scoring fails
    scorings: dict[str, list[str]] = field(default_factory=dict)
    published: str = ""  # name of the file of published numbers; empty if it declares none
    # Facts for readers: number of cells, trials, points, seconds, machine
    facts: dict[str, str] = field(default_factory=dict)
    drawings: list[Drawing] = field(default_factory=list)
    # Results (one row per cell), published numbers with verdicts, and costs
    tables: list[TableContent] = field(default_factory=list)
    # Number of published numbers by verdict; empty where nothing is published
    verdicts: dict[str, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)  # names of the claims that it decides
    # Whether these are results of the record, at full size, or those of this machine
    of_record: bool = False
    here: StudyContent | None = None  # what this machine has computed, beside the record
    agreement: str = ""  # how many cells of both agree; empty where none is in both


@dataclass(frozen=True)
class Look:
    """Look of a method: color, Matplotlib marker, whether it is filled, and SVG dash array."""

    color: str
    marker: str
    filled: bool
    dashes: str = ""


@dataclass(frozen=True)
class Card:
    """An entry of the catalog, which has all up to ``competes``, and what results and code add."""

    kind: str  # ``method``, ``dataset`` or ``metric``
    name: str  # in the catalog
    title: str
    family: str  # heading of lists
    path: str  # import path of its class or function
    source: str  # where it was published
    doi: str  # empty if it has none
    params: dict[str, Any] = field(default_factory=dict)  # parameters that the catalog sets
    # Complexity, limits, range, direction, sizes
    facts: dict[str, str] = field(default_factory=dict)
    competes: bool = False  # whether it is a method that sees nothing but the data, and no control
    summary: str = ""  # first paragraph of its docstring
    place: str = ""  # file and line if it is ours
    # Other parameters with the defaults of the class or function
    defaults: dict[str, Any] = field(default_factory=dict)
    look: Look | None = None  # of a method
    thumbnail: Thumbnail | None = None  # a small map
    studies: list[str] = field(default_factory=list)  # studies that use it
    # Sentences on where it is the best and where the worst of those compared
    wins: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """Everything on the page."""

    version: str  # of nldr
    scale: str
    made: str  # time of making
    # What this machine has run, for readers: studies, embeddings, CPU time, machines
    facts: dict[str, str]
    papers: list[Paper]  # papers with claims
    studies: list[StudyContent]  # all studies, in the order of reading
    cards: list[Card]  # all methods, datasets and metrics that were used
    clouds: list[Cloud] = field(default_factory=list)  # embeddings for the explorer
    looks: dict[str, Look] = field(default_factory=dict)  # looks of the methods by name
    max_bytes: int = 6_000_000  # largest size of the page
    record: dict[str, str] = field(default_factory=dict)  # facts about the record, if there is one
    guide: Guide | None = None  # which method keeps what; None if nothing tells
