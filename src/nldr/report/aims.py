"""Content of the page "Which method for what?": methods by what their maps keep of the data."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Aim:
    """Something that a map may keep of its data."""

    name: str
    title: str  # heading
    question: str  # what it answers
    metric: str  # metric that measures it; more is better


AIMS = (
    Aim(
        "local",
        "Local neighborhoods",
        "Are points that are near each other on the map near each other in the data?",
        "trustworthiness_k12",
    ),
    Aim(
        "global",
        "Global distances",
        "Are groups that are far from each other on the map far from each other in the data?",
        "distance_spearman",
    ),
    Aim(
        "labels",
        "Labels",
        "Do points of a known group have neighbors of the same group?",
        "neighborhood_hit_k7",
    ),
    Aim(
        "density",
        "Density",
        "Are dense regions of the map dense in the data?",
        "radius_spearman_k15",
    ),
    Aim(
        "truth",
        "True neighbors",
        "Are neighbors of the true latent, which no method sees, neighbors on the map?",
        "latent_neighbors_k12",
    ),
)


@dataclass(frozen=True)
class Estimate:
    """A mean over datasets."""

    mean: float  # each dataset has the same weight
    # Ends of its 95 % interval; None if there is a single dataset
    low: float | None
    high: float | None
    n: int  # number of datasets


@dataclass(frozen=True)
class Profile:
    """A method by what it keeps, and what it costs."""

    method: str  # name in the catalog
    title: str
    control: bool  # whether it is a level of expectation, such as random points, and no competitor
    scores: dict[str, Estimate]  # mean of the metric, by the aim's name
    ranks: dict[str, Estimate]  # mean of the rank among the methods (1 is best), likewise
    new_points: bool  # whether it embeds new points
    missing: bool  # whether it takes data with missing values
    cpu_seconds: float | None  # median CPU time of a fit
    failed: int  # number of fits that failed
    fits: int  # number of all fits
    times: dict[str, float] = field(default_factory=dict)  # median CPU seconds by number of points
    memory_mb: float | None = None  # median memory at 10 000 points


@dataclass(frozen=True)
class Contest:
    """The methods that are best for one aim, on the datasets of a family."""

    best: str  # name of the method with the highest mean
    mean: float  # its mean
    short_list: list[str]  # methods that are not told to be worse, the best first
    ties: list[str]  # those of them that are practically equal to the best
    n_datasets: int


@dataclass(frozen=True)
class Family:
    """Datasets of one kind, and the methods that suit them."""

    name: str  # such as ``manifolds``
    datasets: list[str]  # titles of its datasets
    n_datasets: int  # their number with all sizes and parameters
    contests: dict[str, Contest]  # by the aim's name
    sentence: str  # the best method for each aim, and those that are on most short lists


@dataclass(frozen=True)
class Guide:
    """Methods by aims, and by families of data."""

    studies: list[str]  # names of the studies that it is made from
    n_datasets: int
    profiles: list[Profile]  # methods, the best for the first aim first, then controls
    families: list[Family]
    points: tuple[int, int]  # smallest and largest number of points
