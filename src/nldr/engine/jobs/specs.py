"""One frozen class per stage: everything that a job knows besides its files.

The planner makes these objects. A digest of the object is written into the manifest of the job's
results, which are made again when it has changed. ``runs`` is the import path of the function that
does the job, or a trial of it, and ``code`` the fingerprint of the code.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

Rows = Literal["all", "train", "test", "observed"]
SelectedOn = Literal["scores", "trials", "rows"]
Half = Literal["selecting", "scored"]
SELECTING = "selecting."  # prefix of metrics of the half of the rows that selects a setting
Direction = Literal["higher", "lower"]


@dataclass(frozen=True)
class Limits:
    """Limits of one child process."""

    seconds: float  # wall clock
    memory_mb: float


@dataclass(frozen=True)
class DataJob:
    """Make all trials of a dataset."""

    runs: ClassVar = "nldr.engine.stages.data.make_data"
    name: str  # name in the catalog, for messages
    function: str  # import path of the generator or loader
    params: dict[str, Any]  # its parameters
    seeds: list[int | None]  # seed of the generator for each trial; None where it takes no ``rng``
    transforms: dict[str, Any]  # transforms applied afterwards, such as ``subset``
    transform_seeds: list[int]  # their seed for each trial
    expected: dict[str, Any]  # sizes that the catalog promises
    limits: Limits
    code: str

    @property
    def trials(self) -> int:
        """Number of trials."""
        return len(self.seeds)

    def of_trial(self, trial: int) -> dict[str, Any]:
        """Return all that decides the result of one trial."""
        facts = _without(self, "seeds", "transform_seeds", "limits")
        return facts | {"seed": self.seeds[trial], "transform_seed": self.transform_seeds[trial]}


@dataclass(frozen=True)
class EmbedJob:
    """Compute the embeddings of all trials of a dataset by one method."""

    runs: ClassVar = "nldr.engine.stages.embed.embed"
    name: str  # name of the method in the catalog
    estimator: str  # import path of its class
    params: dict[str, Any]  # parameters of the estimator
    random_states: list[int | None]  # None where the estimator has none, or ``params`` set it
    needs: Literal["latent", "labels"] | None  # target that ``fit_transform`` is given
    split: bool  # whether to fit the training points only
    warm_up: list[int]  # row counts of untimed fits that trigger compilation
    attributes: list[str]  # numbers of the fitted estimator to keep
    histories: list[str]  # and arrays
    threads: int  # threads of the process
    exclusive: bool  # whether nothing else runs meanwhile, so that the clocks can be compared
    limits: Limits
    code: str

    @property
    def trials(self) -> int:
        """Number of trials."""
        return len(self.random_states)

    def params_of(self, trial: int) -> dict[str, Any]:
        """Return the parameters of the estimator for one trial."""
        state = self.random_states[trial]
        return self.params if state is None else {**self.params, "random_state": state}

    def of_trial(self, trial: int) -> dict[str, Any]:
        """Return all that decides the result of one trial, besides the data."""
        facts = _without(self, "random_states", "limits")
        return facts | {"params": self.params_of(trial)}


@dataclass(frozen=True)
class ScoreJob:
    """Score embeddings with one scorer."""

    runs: ClassVar = "nldr.engine.stages.score.score"
    name: str  # name of the scoring
    function: str  # import path of the scorer
    params: dict[str, Any]  # its parameters
    rows: Rows  # that the scorer sees; ``observed`` are all of them, without clean observations
    half: Half | None  # which random half of these it sees; None for both
    metrics: list[str]  # metrics that it must return
    uses: list[str]  # scorings of the same rows whose scores are passed on, if they are there
    threads: int  # passed on as ``n_jobs`` where there are several; results do not depend on it
    limits: Limits
    code: str

    def facts(self) -> dict[str, Any]:
        """Return all that decides the scores, besides data and embedding."""
        return _without(self, "name", "metrics", "uses", "threads", "limits")


@dataclass(frozen=True)
class ScoresJob:
    """Score all trials of a method on a dataset."""

    scorings: list[ScoreJob]
    trials: int


def _without(job: Any, *names: str) -> dict[str, Any]:
    return {k: v for k, v in asdict(job).items() if k not in names}


@dataclass(frozen=True)
class Cell:
    """A method on a dataset, with its trials."""

    dataset: str  # name in the catalog
    data_cell: str  # the same with the parameters that differ from the defaults
    method: str
    method_cell: str
    data_params: dict[str, Any]  # all parameters
    method_params: dict[str, Any]
    trials: int
    scored: int  # number of trials that are scored; those after them only select a setting
    first: int = 0  # of the study's table; trials before it selected a setting in another study


@dataclass(frozen=True)
class MethodGroup:
    """A name for the best of several cells, see :class:`nldr.engine.reading.specs.BestOf`."""

    methods: list[str]  # names of the candidates
    metric: str  # metric that selects
    direction: Direction  # better direction of the metric
    one_setting: bool  # whether one cell is selected for all datasets
    selected_on: SelectedOn = "scores"  # or trials that are not scored, or a half of the rows
