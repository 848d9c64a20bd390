"""One frozen class per stage: everything that a job knows besides its files.

The planner makes these objects. A digest of the object is written into the manifest of the job's
results, which are made again when it has changed. ``code`` is the fingerprint of the code.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Rows = Literal["all", "train", "test", "observed"]
SelectedOn = Literal["scores", "trials", "rows"]
Half = Literal["selecting", "scored"]
SELECTING = "selecting."  # prefix of metrics of the half of the rows that selects a setting
Direction = Literal["higher", "lower"]


@dataclass(frozen=True)
class Limits:
    """Limits of one child process.

    Attributes
    ----------
    seconds : float
        Wall-clock limit.
    memory_mb : float
        Memory limit.
    """

    seconds: float
    memory_mb: float


@dataclass(frozen=True)
class DataJob:
    """Make all trials of a dataset.

    Attributes
    ----------
    name : str
        Name in the catalog, for messages.
    function : str
        Import path of the generator or loader.
    params : dict
        Its parameters.
    seeds : list of (int or None)
        Seed of the generator for each trial; None where it takes no ``rng``.
    transforms : dict
        Transforms applied afterwards, such as ``subset``.
    transform_seeds : list of int
        Their seed for each trial.
    expected : dict
        Sizes that the catalog promises.
    limits : Limits
        Limits of each trial.
    code : str
        Fingerprint of the code.
    """

    name: str
    function: str
    params: dict[str, Any]
    seeds: list[int | None]
    transforms: dict[str, Any]
    transform_seeds: list[int]
    expected: dict[str, Any]
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
    """Compute the embeddings of all trials of a dataset by one method.

    Attributes
    ----------
    name : str
        Name of the method in the catalog.
    estimator : str
        Import path of its class.
    params : dict
        Parameters of the estimator.
    random_states : list of (int or None)
        Random state of each trial; None where the estimator has none, or ``params`` set it.
    needs : {"latent", "labels"} or None
        Target that ``fit_transform`` is given.
    split : bool
        Whether to fit the training points only.
    warm_up : list of int
        Row counts of untimed fits that trigger compilation.
    attributes, histories : list of str
        Numbers and arrays of the fitted estimator to keep.
    threads : int
        Threads of the process.
    exclusive : bool
        Whether nothing else runs at the same time, so that the clocks can be compared.
    limits : Limits
        Limits of each trial.
    code : str
        Fingerprint of the code.
    """

    name: str
    estimator: str
    params: dict[str, Any]
    random_states: list[int | None]
    needs: Literal["latent", "labels"] | None
    split: bool
    warm_up: list[int]
    attributes: list[str]
    histories: list[str]
    threads: int
    exclusive: bool
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
    """Score embeddings with one scorer.

    Attributes
    ----------
    name : str
        Name of the scoring.
    function : str
        Import path of the scorer.
    params : dict
        Its parameters.
    rows : {"all", "train", "test", "observed"}
        Points that the scorer sees; ``observed`` are all of them, without clean observations.
    half : {"selecting", "scored"} or None
        Which random half of these it sees; None for both.
    metrics : list of str
        Metrics that it must return.
    uses : list of str
        Scorings of the same rows whose scores are passed to the scorer, if they are there.
    threads : int
        Passed to the scorer as ``n_jobs`` where there are several; results do not depend on it.
    limits : Limits
        Limits of each trial.
    code : str
        Fingerprint of the code.
    """

    name: str
    function: str
    params: dict[str, Any]
    rows: Rows
    half: Half | None
    metrics: list[str]
    uses: list[str]
    threads: int
    limits: Limits
    code: str

    def facts(self) -> dict[str, Any]:
        """Return all that decides the scores, besides data and embedding."""
        return _without(self, "name", "metrics", "uses", "threads", "limits")


@dataclass(frozen=True)
class ScoresJob:
    """Score all trials of a method on a dataset.

    Attributes
    ----------
    scorings : list of ScoreJob
        The scorers.
    trials : int
        Number of trials.
    """

    scorings: list[ScoreJob]
    trials: int


def _without(job: Any, *names: str) -> dict[str, Any]:
    return {k: v for k, v in asdict(job).items() if k not in names}


@dataclass(frozen=True)
class Cell:
    """A method on a dataset, with its trials.

    Attributes
    ----------
    dataset, method : str
        Names in the catalog.
    data_cell, method_cell : str
        The same with the parameters that differ from the defaults.
    data_params, method_params : dict
        All parameters.
    trials : int
        Number of trials.
    scored : int
        Number of trials that are scored; those after them only select a setting.
    first : int
        First trial of the study's table; those before it selected a setting in another study.
    """

    dataset: str
    data_cell: str
    method: str
    method_cell: str
    data_params: dict[str, Any]
    method_params: dict[str, Any]
    trials: int
    scored: int
    first: int = 0


@dataclass(frozen=True)
class Group:
    """A name for the best of several cells, see :class:`nldr.engine.reading.specs.BestOf`.

    Attributes
    ----------
    methods : list of str
        Names of the candidates.
    metric : str
        Metric that selects.
    direction : {"higher", "lower"}
        Better direction of the metric.
    one_setting : bool
        Whether one cell is selected for all datasets.
    selected_on : {"scores", "trials", "rows"}
        What selects: the scores themselves, trials that are not scored, or a half of the rows.
    """

    methods: list[str]
    metric: str
    direction: Direction
    one_setting: bool
    selected_on: SelectedOn = "scores"
