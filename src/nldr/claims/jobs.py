"""What is to be decided: claims and published numbers, and the cells of ours that decide them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

# --- published numbers ----------------------------------------------------------------------------


@dataclass(frozen=True)
class PublishedJoin:
    """Published numbers of a study, and how they belong to its cells."""

    # As in the study
    keys: dict[str, str]
    names: dict[str, str | list[str]]
    where: dict[str, Any]
    values: dict[str, list[str]]
    # Names to titles, of ``dataset`` and ``method``: a file may use either
    titles: dict[str, dict[str, str]]
    margins: dict[str, float] = field(default_factory=dict)
    # Trials behind each published mean: their number, or the column of the file that has it
    n_trials: int | str = 1


@dataclass(frozen=True)
class StudyNumbers:
    """The published numbers of a study, with what decides them."""

    scale: str
    metrics: dict[str, Literal["higher", "lower"]]  # metrics with their better direction
    # Dataset and method cells that the study has at scale ``paper`` too: the others are of another
    # size, or have other parameters, than what was published
    full: list[tuple[str, str]]
    exact: list[tuple[str, str]]  # cells without random numbers, of which one trial is all there is
    # Methods of the study at scale ``paper``: numbers of others are not the study's
    methods: list[str]
    published: PublishedJoin  # the numbers


@dataclass(frozen=True)
class NumberCells:
    """Cells of a study, as ``data/method``, which decide published numbers or have a cause."""

    study: str
    cells: list[str]


@dataclass(frozen=True)
class NumberCause:
    """Why some published numbers may differ."""

    # As in the file of causes
    name: str
    hypothesis: str
    # Columns of the published file, or ``metric``, and the values of the cluster
    where: dict[str, Any]
    variant: NumberCells | None  # cells that have the cause
    impossible: str | None  # why no run can have these numbers
    each: str | None = None  # column whose every value is a cluster of its own


@dataclass(frozen=True)
class PrintedNumbers:
    """The numbers of one published file, and what decides them."""

    # Name and path of the file
    name: str
    path: str
    columns: dict[str, str]  # columns that hold numbers, with our metrics
    # A number is decided by the first of these that was run for it at full size
    deciders: list[NumberCells]
    causes: list[NumberCause]  # why some of the numbers may differ


# --- claims ---------------------------------------------------------------------------------------

# All cells of scale paper; some of them; cells with other parameters; other datasets.
SIZES = (FULL, PART, REDUCED, OTHER) = (
    "at full size",
    "in part, at full size",
    "at reduced size",
    "at reduced size, on other data",
)


@dataclass(frozen=True)
class StudyFacts:
    """Facts of a study that its claims are told with."""

    # Names to titles
    methods: dict[str, str]
    datasets: dict[str, str]
    metrics: dict[str, dict[str, Any]]  # metrics with label, title, range and direction


@dataclass(frozen=True)
class EvaluationJob:
    """Decide a claim in one way: as published, or under equal tuning."""

    study: str  # the study whose cells are the evidence
    cells: list[tuple[str, str]]  # its dataset and method cells that are used
    # Further cells, which compete with these to be the best setting of a tuned method
    competing: list[tuple[str, str]]
    tuned: bool  # whether to use the best cell of a tuned method, in place of every candidate
    # Words that say whether the study has the same cells at scale ``paper``: one of :data:`SIZES`
    size: str
    # Import paths of the tests and their parameters. All must hold
    tests: list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class ClaimJob:
    """Decide one claim."""

    # As in the file of claims
    name: str
    paper: str
    statement: str
    place: str
    quote: str | None  # the paper's own sentence
    # ``as_published`` and ``equal_tuning``, or why there is none
    evaluations: dict[str, EvaluationJob | str]
    # Number of settings at full size that are registered for each evaluation
    settings: dict[str, int] = field(default_factory=dict)
    # Whether the printed numbers pass the tests of each evaluation
    print_passes: dict[str, str] = field(default_factory=dict)
    # Changes of its tests since they were registered, with the verdict of the first one
    amendments: list[dict[str, str]] = field(default_factory=list)
    # Number of trials that a stopping rule has reached in an evaluation
    stopped_at: dict[str, int] = field(default_factory=dict)
