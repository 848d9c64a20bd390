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
    """One effect with its interval: a row of a forest plot.

    Attributes
    ----------
    label : str
        The compared methods and the setting.
    effect, low, high : float or None
        Effect and ends of its 95 % interval, in units of ``unit``; None where unknown.
    decision : str
        Verdict in the color of which it is drawn: ``holds``, ``tie``, ``fails`` or ``open``.
    n : int
        Number of pairs or trials.
    solved, unit : str
        Trials with a score on each side, as in "10 of 10", and unit of the effect.
    threshold : float or None
        Smallest effect that supports the claim.
    above : bool
        Whether effects above the threshold support the claim, or those below.
    """

    label: str
    effect: float | None
    low: float | None
    high: float | None
    decision: str
    n: int
    solved: str = ""
    unit: str = ""
    threshold: float | None = None
    above: bool = True


@dataclass(frozen=True)
class EvaluationContent:
    """One way to decide a claim: as published, or under equal tuning.

    Attributes
    ----------
    basis, decision, sentence : str
        ``as_published`` or ``equal_tuning``; a verdict, or ``not applicable``; and the finding, or
        the reason why there is none.
    study, size : str or None
        Study that has the cells, and how these compare with the published sizes.
    effect, low, high, threshold : float or None
        Effect, its 95 % interval and the bound that it is compared with.
    unit, test : str
        Unit of the effect and name of the test.
    p_value, level, n : float or None
        P-value and number of trials of the deciding comparison, level of the tests.
    strip, print_passes, bounds : str
        A mark for each setting, whether the print passes, the verdict with other bounds.
    cells, datasets, metrics : list of str
        Cells, ``dataset_cell/method_cell``, titles of their datasets, and what the tests compare.
    comparisons : list of Bar
        The comparisons that make up the effect.
    here : str
        What this machine has computed says.
    above : bool
        Whether effects above the threshold support the claim, or those below.
    """

    basis: str
    decision: str
    sentence: str
    study: str | None
    size: str | None
    effect: float | None
    low: float | None
    high: float | None
    threshold: float | None
    unit: str
    test: str
    p_value: float | None
    level: float | None
    strip: str
    print_passes: str | None
    bounds: str | None
    n: int | None
    cells: list[str]
    comparisons: list[Bar]
    datasets: list[str] = field(default_factory=list)
    metrics: list[str] = field(default_factory=list)
    here: str = ""
    above: bool = True


@dataclass(frozen=True)
class ClaimContent:
    """One claim of a paper with its verdict.

    Attributes
    ----------
    name, statement, place : str
        Name (``ikd-04``), the statement, and where the paper makes it.
    verdict : str
        A verdict of :class:`nldr.claims.Verdict`.
    source : str
        File and line of its definition, relative to the project's folder.
    evaluations : list of EvaluationContent
        As published and under equal tuning.
    figure : str or None
        Name of a figure that shows the evidence.
    quote, amendments, headline : str, list of str, bool
        The paper's own sentence, changes of the test, and whether it is a main claim of its paper.
    """

    name: str
    statement: str
    place: str
    verdict: str
    source: str
    evaluations: list[EvaluationContent]
    figure: str | None
    quote: str = ""
    amendments: list[str] = field(default_factory=list)
    headline: bool = False


@dataclass(frozen=True)
class Paper:
    """A paper, its claims and the studies of its figures.

    Attributes
    ----------
    key, title : str
        Short name (``ikd``) and title.
    claims : list of ClaimContent
        Its claims.
    studies, numbers : list of str and dict of str to int
        Names of the studies that belong to it, and number of its published numbers by outcome.
    """

    key: str
    title: str
    claims: list[ClaimContent]
    studies: list[str]
    numbers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    key, title, metric : str
        Key in the rows, heading, and the metric that it is about, if any.
    kind : str
        ``text``, ``number``, ``method``, ``dataset``, ``verdict`` or ``status``.
    help : str
        Explanation for a tooltip: unit, direction, source.
    """

    key: str
    title: str
    kind: str
    help: str = ""
    metric: str = ""


@dataclass(frozen=True)
class TableContent:
    """A table that readers can sort and filter.

    Attributes
    ----------
    title : str
        Title.
    columns, rows : list of Column and list of dict
        Its columns, and values by key of the column; None where there is none.
    file : str
        Where the whole table lies.
    """

    title: str
    columns: list[Column]
    rows: list[dict[str, Any]]
    file: str = ""


@dataclass(frozen=True)
class Drawing:
    """A figure of a study.

    Attributes
    ----------
    name, title, svg : str
        Name of its files, title, and the drawing, as SVG; empty if it failed.
    alt, file : str
        Description for readers who do not see it, and where it lies.
    """

    name: str
    title: str
    svg: str
    alt: str
    file: str


@dataclass(frozen=True)
class Failure:
    """One or several trials of a cell that failed alike.

    Attributes
    ----------
    stage, cell, status, message : str
        Stage, ``dataset_cell/method_cell``, status and message.
    trials, log : list of int and str
        The trials, and the last lines of the log; empty if there is none.
    """

    stage: str
    cell: str
    status: str
    message: str
    trials: list[int]
    log: str = ""


@dataclass(frozen=True)
class StudyContent:
    """A study with its figures and tables: the plan first, and then what results add.

    Attributes
    ----------
    name, title, source, file : str
        Name, title, the paper or question that it belongs to, and the file that defines it.
    broken : str
        Why the study could not be planned; empty if it was.
    figures : dict of str to str
        Names of its figures to their titles.
    cells : list of (str, str)
        Its dataset and method cells.
    exact : list of (str, str)
        Cells without random numbers, of which one trial is all there is.
    n_samples, trials : list of int
        Numbers of points of its datasets, and of trials of its cells.
    methods, datasets : dict of str to str
        Names to titles.
    metrics : dict of str to dict
        Metrics with label, title, range and direction; the first compares methods.
    scorings : dict of str to list of str
        Names of its scorings to their metrics: what fails when a scoring fails.
    published : str
        Name of the file of published numbers; empty if it declares none.
    facts : dict of str to str
        Facts for readers: number of cells, trials, points, seconds, machine.
    drawings : list of Drawing
        Its figures.
    tables : list of TableContent
        Results (one row per cell), published numbers with verdicts, and costs.
    verdicts : dict of str to int
        Number of published numbers by verdict; empty where nothing is published.
    failures : list of Failure
        What failed.
    claims : list of str
        Names of the claims that it decides.
    of_record : bool
        Whether these are results of the record, at full size, or those of this machine.
    here : StudyContent or None
        What this machine has computed, beside the record.
    agreement : str
        How many cells of both agree; empty where none is in both.
    """

    name: str
    title: str
    source: str
    file: str
    broken: str = ""
    figures: dict[str, str] = field(default_factory=dict)
    cells: list[tuple[str, str]] = field(default_factory=list)
    exact: list[tuple[str, str]] = field(default_factory=list)
    n_samples: list[int] = field(default_factory=list)
    trials: list[int] = field(default_factory=list)
    methods: dict[str, str] = field(default_factory=dict)
    datasets: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, dict[str, Any]] = field(default_factory=dict)
    scorings: dict[str, list[str]] = field(default_factory=dict)
    published: str = ""
    facts: dict[str, str] = field(default_factory=dict)
    drawings: list[Drawing] = field(default_factory=list)
    tables: list[TableContent] = field(default_factory=list)
    verdicts: dict[str, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    of_record: bool = False
    here: StudyContent | None = None
    agreement: str = ""


@dataclass(frozen=True)
class Look:
    """Look of a method: color, Matplotlib marker, whether it is filled, and SVG dash array."""

    color: str
    marker: str
    filled: bool
    dashes: str = ""


@dataclass(frozen=True)
class Card:
    """An entry of the catalog, which has all up to ``competes``, and what results and code add.

    Attributes
    ----------
    kind, name, title, family : str
        ``method``, ``dataset`` or ``metric``; name in the catalog; title; heading of lists.
    path : str
        Import path of its class or function.
    source, doi : str
        Where it was published, and the DOI; empty if it has none.
    params : dict of str to value
        Parameters that the catalog sets.
    facts : dict of str to str
        Complexity, limits, range, direction, sizes.
    competes : bool
        Whether it is a method that sees nothing but the data, and no control.
    summary, place : str
        First paragraph of its docstring; file and line if it is ours.
    defaults : dict of str to value
        Other parameters with the defaults of the class or function.
    look, thumbnail : Look or None, and Thumbnail or None
        The look of a method, and a small map.
    studies : list of str
        Studies that use it.
    wins, losses, failures : list of str and list of Failure
        Sentences: where it is the best and where the worst of those compared; where it failed.
    """

    kind: str
    name: str
    title: str
    family: str
    path: str
    source: str
    doi: str
    params: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    competes: bool = False
    summary: str = ""
    place: str = ""
    defaults: dict[str, Any] = field(default_factory=dict)
    look: Look | None = None
    thumbnail: Thumbnail | None = None
    studies: list[str] = field(default_factory=list)
    wins: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """Everything on the page.

    Attributes
    ----------
    version, scale, made : str
        Version of nldr, scale, and time of making.
    facts, record : dict of str to str
        Facts for readers about what this machine has run, and about the record: studies,
        embeddings, CPU time, machines. That of the record is empty if there is none.
    papers : list of Paper
        Papers with claims.
    studies, cards : list of StudyContent and list of Card
        All studies, in the order of reading; all methods, datasets and metrics that were used.
    clouds, looks, max_bytes : list of Cloud, dict of str to Look, and int
        Embeddings for the explorer, looks of the methods by name, and the largest size of the page.
    guide : Guide or None
        Which method keeps what; None if nothing tells.
    """

    version: str
    scale: str
    made: str
    facts: dict[str, str]
    papers: list[Paper]
    studies: list[StudyContent]
    cards: list[Card]
    clouds: list[Cloud] = field(default_factory=list)
    looks: dict[str, Look] = field(default_factory=dict)
    max_bytes: int = 6_000_000
    record: dict[str, str] = field(default_factory=dict)
    guide: Guide | None = None
