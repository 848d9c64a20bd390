"""Jobs that report on studies: tables, verdicts, figures and claims."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from nldr.engine.jobs.specs import Cell, Direction, Group


@dataclass(frozen=True)
class PublishedJoin:
    """Published numbers of a study, see :class:`nldr.engine.reading.specs.PublishedSpec`.

    Attributes
    ----------
    keys, names, where, values, margins : dict
        As in the study.
    n_trials : int or str
        Trials behind each published mean: their number, or the column of the file that has it.
    titles : dict of str to dict
        Names to titles, of ``dataset`` and ``method``: a file may use either.
    """

    keys: dict[str, str]
    names: dict[str, str | list[str]]
    where: dict[str, Any]
    values: dict[str, list[str]]
    titles: dict[str, dict[str, str]]
    margins: dict[str, float] = field(default_factory=dict)
    n_trials: int | str = 1


@dataclass(frozen=True)
class TableJob:
    """Assemble one study's tables.

    Attributes
    ----------
    cells : list of Cell
        All cells, in the study's order.
    metrics : list of str
        Metrics in the study's order.
    groups : dict of str to Group
        Names for the best of several cells.
    published : PublishedJoin or None
        Numbers to compare with.
    code : str
        Fingerprint of the code.
    """

    cells: list[Cell]
    metrics: list[str]
    groups: dict[str, Group]
    published: PublishedJoin | None
    code: str


@dataclass(frozen=True)
class VerdictJob:
    """Decide the published numbers of a study.

    Attributes
    ----------
    scale : str
        Scale of the study.
    metrics : dict of str to str
        Metrics with their better direction.
    full : list of (str, str)
        Dataset and method cells that the study has at scale ``paper`` too: the others are of
        another size, or have other parameters, than what was published.
    exact : list of (str, str)
        Cells without random numbers, of which one trial is all there is.
    methods : list of str
        Methods of the study at scale ``paper``: numbers of others are not the study's.
    published : PublishedJoin
        The numbers.
    code : str
        Fingerprint of the code.
    """

    scale: str
    metrics: dict[str, Direction]
    full: list[tuple[str, str]]
    exact: list[tuple[str, str]]
    methods: list[str]
    published: PublishedJoin
    code: str


@dataclass(frozen=True)
class NumberCells:
    """Cells of a study, as ``data/method``, which decide published numbers or have a cause."""

    study: str
    cells: list[str]


@dataclass(frozen=True)
class NumberCause:
    """Why some published numbers may differ, see :class:`nldr.engine.reading.numbers.Cause`.

    Attributes
    ----------
    name, hypothesis : str
        As in the file of causes.
    where : dict
        Columns of the published file, or ``metric``, and the values of the cluster.
    variant : NumberCells or None
        Cells that have the cause.
    impossible : str or None
        Why no run can have these numbers.
    """

    name: str
    hypothesis: str
    where: dict[str, Any]
    variant: NumberCells | None
    impossible: str | None


@dataclass(frozen=True)
class PrintedNumbers:
    """The numbers of one published file, and what decides them.

    Attributes
    ----------
    name, path : str
        Name and path of the file.
    columns : dict of str to str
        Columns that hold numbers, with our metrics.
    deciders : list of NumberCells
        A number is decided by the first of these that was run for it at full size.
    causes : list of NumberCause
        Why some of the numbers may differ.
    """

    name: str
    path: str
    columns: dict[str, str]
    deciders: list[NumberCells]
    causes: list[NumberCause]


# All cells of scale paper; some of them; cells with other parameters; other datasets.
SIZES = (FULL, PART, REDUCED, OTHER) = (
    "at full size",
    "in part, at full size",
    "at reduced size",
    "at reduced size, on other data",
)


@dataclass(frozen=True)
class EvaluationJob:
    """Decide a claim in one way: as published, or under equal tuning.

    Attributes
    ----------
    study : str
        The study whose cells are the evidence.
    cells : list of (str, str)
        Its dataset and method cells that are used.
    competing : list of (str, str)
        Further cells, which compete with these to be the best setting of a tuned method.
    tuned : bool
        Whether to use the best cell of a tuned method, in place of every candidate.
    size : str
        Words that say whether the study has the same cells at scale ``paper``: one of
        :data:`SIZES`.
    tests : list of (str, dict)
        Import paths of the tests and their parameters. All must hold.
    """

    study: str
    cells: list[tuple[str, str]]
    competing: list[tuple[str, str]]
    tuned: bool
    size: str
    tests: list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class ClaimJob:
    """Decide one claim, see :class:`nldr.engine.planning.claims.Claim`.

    Attributes
    ----------
    name, paper, statement, place : str
        As in the file of claims.
    quote : str or None
        The paper's own sentence.
    evaluations : dict of str to (EvaluationJob or str)
        ``as_published`` and ``equal_tuning``, or why there is none.
    settings : dict of str to int
        Number of settings at full size that are registered for each evaluation.
    print_passes : dict of str to str
        Whether the printed numbers pass the tests of each evaluation.
    amendments : list of dict
        Changes of its tests since they were registered, with the verdict of the first one.
    stopped_at : int or None
        Number of trials that a stopping rule has reached; None if there is no such rule.
    """

    name: str
    paper: str
    statement: str
    place: str
    quote: str | None
    evaluations: dict[str, EvaluationJob | str]
    settings: dict[str, int] = field(default_factory=dict)
    print_passes: dict[str, str] = field(default_factory=dict)
    amendments: list[dict[str, str]] = field(default_factory=list)
    stopped_at: int | None = None


@dataclass(frozen=True)
class StudyEvidence:
    """Cells and facts of a study from which claims are decided.

    Attributes
    ----------
    cells : list of Cell
        The cells from which its claims are decided, in the study's order.
    groups : dict of str to Group
        Names for the best of several cells.
    scorers : str
        Name of its set of scorers.
    methods, datasets : dict of str to str
        Names to titles.
    metrics : dict of str to dict
        Metrics with label, title, range and direction.
    exact : list of (str, str)
        Cells without random numbers, of which one trial is all there is.
    verdicts : VerdictJob or None
        Its published numbers.
    published : str or None
        Name of their file.
    """

    cells: list[Cell]
    groups: dict[str, Group]
    scorers: str
    methods: dict[str, str]
    datasets: dict[str, str]
    metrics: dict[str, dict[str, Any]]
    exact: list[tuple[str, str]]
    verdicts: VerdictJob | None
    published: str | None


@dataclass(frozen=True)
class ClaimsJob:
    """Decide all claims.

    Attributes
    ----------
    claims : list of ClaimJob
        The claims, paper by paper.
    studies : dict of str to StudyEvidence
        The studies that they use.
    scale : str
        Scale of the studies.
    code : str
        Fingerprint of the code, that of the tests included.
    """

    claims: list[ClaimJob]
    studies: dict[str, StudyEvidence]
    scale: str
    code: str


@dataclass(frozen=True)
class Look:
    """Look of a method, see :func:`nldr.figures.style.look`."""

    color: str
    marker: str
    variant: int
    control: bool


@dataclass(frozen=True)
class FigureJob:
    """Draw one figure of a study.

    Attributes
    ----------
    title : str
        Title of the figure.
    function : str
        Import path of the function that draws.
    params : dict
        Its parameters.
    cells : list of (str, str)
        Dataset and method cells that are shown.
    panels : list of str
        Dataset cells whose files are handed over, in that order; empty without panels.
    groups : list of str
        Names for the best of several cells.
    tuned : bool
        Whether to draw the best cell under such a name, in place of every candidate.
    methods, datasets, roles : dict of str to str
        Names to titles, and to roles.
    looks : dict of str to Look
        Looks of the methods.
    metrics : dict of str to dict
        Metrics with label, title, range and direction.
    published : PublishedJoin or None
        Numbers to draw beside ours.
    scale : str
        Scale of the study.
    code : str
        Fingerprint of the code.
    """

    title: str
    function: str
    params: dict[str, Any]
    cells: list[tuple[str, str]]
    panels: list[str]
    groups: list[str]
    tuned: bool
    methods: dict[str, str]
    datasets: dict[str, str]
    roles: dict[str, str]
    looks: dict[str, Look]
    metrics: dict[str, dict[str, Any]]
    published: PublishedJoin | None
    scale: str
    code: str
