"""Content of the page "Which method for what?": methods by what their maps keep of the data."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Aim:
    """Something that a map may keep of its data.

    Attributes
    ----------
    name, title, question : str
        Name, heading, and what it answers.
    metric : str
        Metric that measures it; more is better.
    """

    name: str
    title: str
    question: str
    metric: str


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
    """A mean over datasets.

    Attributes
    ----------
    mean : float
        The mean, each dataset with the same weight.
    low, high : float or None
        Ends of its 95 % interval; None if there is a single dataset.
    n : int
        Number of datasets.
    """

    mean: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Profile:
    """A method by what it keeps, and what it costs.

    Attributes
    ----------
    method, title : str
        Name in the catalog, and title.
    control : bool
        Whether it is a level of expectation, such as random points, and no competitor.
    scores, ranks : dict of str to Estimate
        Mean of the metric, and of the rank among the methods (1 is best), by the aim's name.
    new_points, missing : bool
        Whether it embeds new points, and takes data with missing values.
    cpu_seconds : float or None
        Median CPU time of a fit.
    failed, fits : int
        Number of fits that failed, and of all.
    times : dict of str to float
        Median CPU seconds by number of points.
    memory_mb : float or None
        Median memory at 10 000 points.
    """

    method: str
    title: str
    control: bool
    scores: dict[str, Estimate]
    ranks: dict[str, Estimate]
    new_points: bool
    missing: bool
    cpu_seconds: float | None
    failed: int
    fits: int
    times: dict[str, float] = field(default_factory=dict)
    memory_mb: float | None = None


@dataclass(frozen=True)
class Contest:
    """The methods that are best for one aim, on the datasets of a family.

    Attributes
    ----------
    best : str
        Name of the method with the highest mean.
    mean : float
        Its mean.
    short_list : list of str
        Methods that are not told to be worse, the best first.
    ties : list of str
        Those of them that are practically equal to the best.
    n_methods, n_datasets : int
        Numbers of methods that were compared, and of datasets.
    """

    best: str
    mean: float
    short_list: list[str]
    ties: list[str]
    n_methods: int
    n_datasets: int


@dataclass(frozen=True)
class Family:
    """Datasets of one kind, and the methods that suit them.

    Attributes
    ----------
    name : str
        Name, such as ``manifolds``.
    datasets, n_datasets : list of str and int
        Titles of its datasets, and their number with all sizes and parameters.
    contests : dict of str to Contest
        By the aim's name.
    sentence : str
        The best method for each aim, and those that are on most short lists.
    """

    name: str
    datasets: list[str]
    n_datasets: int
    contests: dict[str, Contest]
    sentence: str


@dataclass(frozen=True)
class Guide:
    """Methods by aims, and by families of data.

    Attributes
    ----------
    studies : list of str
        Names of the studies that it is made from.
    n_datasets : int
        Number of datasets.
    profiles : list of Profile
        Methods, the best for the first aim first, then controls.
    families : list of Family
        Families of datasets.
    points : tuple of int
        Smallest and largest number of points.
    """

    studies: list[str]
    n_datasets: int
    profiles: list[Profile]
    families: list[Family]
    points: tuple[int, int]
