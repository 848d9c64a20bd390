"""Models of config and studies: the keys that their YAML files may have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from nldr.engine.jobs.specs import Rows, SelectedOn
from nldr.engine.reading.clusters import Cluster
from nldr.engine.reading.parsing import Strict
from nldr.engine.reading.values import Budget, Choices, ComponentGrid, Folder, Studies

Scale = Literal["smoke", "quick", "paper"]
S = TypeVar("S", bound=BaseModel)


class Config(Strict):
    """``config.yaml``: studies to build, their scale, the folder of real data, how jobs start."""

    studies: Studies = Field(
        default="all",
        description="names of studies; or all, headline (the main ones), own (of this folder)",
    )
    builtin: bool = Field(
        default=False, description="use the catalogs, studies and published numbers of nldr as well"
    )
    scale: Scale = "quick"
    data_dir: Folder | None = Field(
        default=None, description="folder of downloaded originals, tried before any download"
    )
    cluster: Cluster | None = Field(default=None, description="where jobs run, see docs/cluster.md")
    budget: Budget | None = Field(
        default=None,
        description="time on the clock, as in 90m, 4h or 2d: build the studies that fit, "
        "the most valuable ones first",
    )
    environments: bool = Field(
        default=False,
        strict=False,  # a command line gives it as a word
        description="install the separate environments of methods that need them, and build the "
        "studies with such methods, too",
    )
    start: Literal["warm", "cold"] = Field(
        default="warm",
        description="fork jobs from a process that has imported the packages, or "
        "start a new interpreter for each trial",
    )


PerDataset = dict[str, dict[str, dict[str, Any] | Literal[False]]]


class MethodLimits(Strict):
    """Limits of one method in a study, in place of the catalog's."""

    seconds: float | None = Field(default=None, gt=0)
    memory_mb: int | None = Field(default=None, gt=0)


class BestOf(Strict):
    """A name for the best of several methods: on each dataset the one with the best metric.

    Its rows are those of the winner, its seconds the sum over all. With ``one_setting`` the winner
    is the same on all datasets, the one with the best mean over them, and the seconds are its own.
    """

    title: str
    methods: list[str] = Field(min_length=1)
    metric: str | None = Field(default=None, description="selecting metric; by default the first")
    one_setting: bool = Field(
        default=False,
        description="one winner for all datasets, among those that have a score on each of them",
    )


class Tune(Strict):
    """Each method that has several settings is represented by its best one, as in ``best_of``.

    Without further keys the best setting is selected by the scores that are reported. Tuning is
    equal where every method has the same number of ``settings``, selected on trials or rows that
    are not scored; the seconds are then those of the whole search and of the scored fit.
    """

    metric: str | None = Field(default=None, description="selecting metric; by default the first")
    one_setting: bool = Field(default=False, description="one setting for all datasets")
    settings: int | None = Field(
        default=None, ge=2, description="number of settings that every method must have"
    )
    untuned: list[str] = Field(
        default=[], description="methods with nothing to tune, which have a single setting"
    )
    selection_trials: int = Field(
        default=0, ge=0, description="number of further trials that select and are not scored"
    )
    select_on: Literal["trials", "rows"] = Field(
        default="trials",
        description="rows: a random half of the rows selects and the other half is scored",
    )

    @property
    def selection(self) -> SelectedOn:
        """The basis of a selection: the scores themselves, further trials or a half of the rows."""
        if self.select_on == "rows":
            return "rows"
        return "trials" if self.selection_trials else "scores"

    @model_validator(mode="after")
    def _selects_on_one_thing(self) -> Tune:
        if self.select_on == "rows" and self.selection_trials:
            raise ValueError("select_on = rows has no selection_trials: remove one of the two")
        if self.settings and self.selection == "scores":
            problem = "settings: equal tuning selects on what is not scored"
            raise ValueError(f"{problem}: add selection_trials, or select_on: rows")
        if self.one_setting and self.selection != "scores":
            remedy = "remove selection_trials and select_on"
            raise ValueError(f"one_setting is selected by the scores: {remedy}")
        return self


class Selection(Strict):
    """Some of a study's cells."""

    datasets: list[str] | None = None
    methods: list[str] | None = Field(default=None, description="names of methods, or of best_of")
    where: dict[str, Any] = Field(
        default={},
        description="data.<parameter> or method.<parameter> → value, or list of values; "
        "cells without the parameter are kept",
    )


class PublishedSpec(Strict):
    """Published numbers to compare with.

    ``keys`` maps columns of the file to columns of our table, ``values`` maps our metrics, or
    ``seconds``, to the file's columns of the mean and, where there is one, the standard deviation;
    ``where`` restricts our rows to those that the published numbers are about; ``names`` maps names
    in the file to ours where they differ in more than spelling, or to a list of ours where one name
    stands for several, an empty one where its numbers are left out. ``n_trials`` is the number of
    trials behind each mean, or the column that holds it.
    """

    file: str
    keys: dict[str, str]
    names: dict[str, str | list[str]] = {}
    where: dict[str, Any] = {}
    values: dict[str, Annotated[list[str], Field(min_length=1, max_length=2)]]
    n_trials: Annotated[int, Field(ge=1)] | str = 1
    margins: dict[str, Annotated[float, Field(gt=0)]] = Field(
        default={},
        description="metric → largest difference from a published value that counts as equal, "
        "0.01 by default; the spread of trials may widen it",
    )


class FigureOverride(Strict):
    """Keys of a figure that a scale may replace."""

    function: str | None = None
    params: dict[str, Any] | None = None
    select: Selection | None = None


class FigureSpec(Strict):
    """A function that draws the study, or some of its cells, and its parameters."""

    title: str | None = Field(default=None, description="the study's by default")
    source: str | None = Field(default=None, description="the study's by default")
    function: str
    params: dict[str, Any] = {}
    panels: bool = Field(default=False, description="it shows points or histories of first trials")
    select: Selection = Selection()
    tuned: bool = Field(default=True, description="draw the best of tuned settings, not each")
    scales: dict[Scale, FigureOverride] = {}

    def at(self, scale: Scale) -> FigureSpec:
        """Return the figure with the overrides of ``scale`` applied."""
        return _override(self, self.scales.get(scale))


def _as_tune(value: Any) -> Any:
    """Return what ``tune: true`` and ``tune: false`` stand for."""
    return {True: {}, False: None}[value] if isinstance(value, bool) else value


Tuning = Annotated[
    Tune | None, BeforeValidator(_as_tune, json_schema_input_type=bool | Tune | None)
]


class Override(Strict):
    """Keys of a study that a scale may replace."""

    datasets: Choices | None = None
    methods: Choices | None = None
    n_components: ComponentGrid | None = None
    metrics: list[str] | None = None
    per_dataset: PerDataset | None = None
    best_of: dict[str, BestOf] | None = None
    tune: Tuning = None
    trials: int | None = Field(default=None, ge=1)
    first_trial: int | None = Field(default=None, ge=0)
    fewer_trials: dict[str, Annotated[int, Field(ge=1)]] | None = None
    limits: dict[str, MethodLimits] | None = None
    timing: Literal["shared", "exclusive"] | None = None
    select: Selection | None = None


class Study(Strict):
    """One file of ``studies/``: datasets × methods × metrics × trials, and their figures."""

    title: str
    source: str
    headline: bool = Field(
        default=False, description="a main study, which is built before the others"
    )
    extends: str | None = Field(
        default=None,
        description="name of a study from which this one takes cells and keys; keys given here "
        "replace them, below published one by one",
    )
    datasets: Choices
    methods: Choices
    per_dataset: PerDataset = Field(
        default={},
        description="dataset → method → parameters of the method on that dataset only, or false "
        "to leave the method out there",
    )
    n_components: ComponentGrid = 2
    metrics: list[str]
    trials: int = Field(ge=1)
    first_trial: int = Field(
        default=0, ge=0, description="first trial; earlier ones selected the settings"
    )
    fewer_trials: dict[str, Annotated[int, Field(ge=1)]] = Field(
        default={}, description="method → number of trials, for methods that are slow"
    )
    best_of: dict[str, BestOf] = {}
    tune: Tuning = None
    select: Selection = Field(default=Selection(), description="keep only these cells")
    score_on: Rows = Field(
        default="all",
        description="rows that are scored; train and test need n_train on all datasets. With "
        "observed, metrics compare with the noisy observations, as on your own data",
    )
    timing: Literal["shared", "exclusive"] = "shared"
    limits: dict[str, MethodLimits] = {}
    published: PublishedSpec | None = None
    figure: FigureSpec | None = Field(default=None, description="the figure with the study's name")
    figures: dict[str, FigureSpec] = Field(default={}, description="further ones of the same cells")
    scales: dict[Scale, Override] = {}

    @model_validator(mode="after")
    def _has_a_figure(self) -> Study:
        if self.figure is None and not self.figures:
            raise ValueError("a study needs a figure: add `figure` or `figures`")
        return self

    def at(self, scale: Scale) -> Study:
        """Return the study with the overrides of ``scale`` applied."""
        return _override(self, self.scales.get(scale))

    def names_of(self, key: str) -> list[str]:
        """Return the names of the ``methods`` or ``datasets`` that it has at any scale."""
        versions = (self, *self.scales.values())
        choices = [choice for version in versions for choice in getattr(version, key) or []]
        return list(dict.fromkeys(choice.name for choice in choices))


# Keys that a study takes from the one it extends: all that decides its cells.
INHERITED = (*Override.model_fields, "score_on")


def extend(study: Mapping[str, Any], base: Any) -> dict[str, Any]:
    """Return the content of a study file completed by that of the study it extends.

    Examples
    --------
    >>> extend({"title": "b", "trials": 1}, {"title": "a", "trials": 5, "datasets": ["gp"]})
    {'trials': 1, 'datasets': ['gp'], 'title': 'b', 'scales': {}}
    """
    if not isinstance(base, dict):
        return dict(study)
    whole = {key: value for key, value in base.items() if key in INHERITED} | dict(study)
    if "published" in study:
        whole["published"] = _merge(base.get("published") or {}, study["published"])
    # Scales are merged key by key; the model reports what is not a mapping.
    theirs = base.get("scales") or {}
    whole["scales"] = scales = _merge(theirs, study.get("scales") or {})
    for scale in scales if isinstance(scales, dict) else ():
        scales[scale] = _merge(theirs.get(scale) or {}, scales[scale] or {})
    return whole


def _merge(theirs: Any, ours: Any) -> Any:
    """Return two mappings as one, or the one of them that is none."""
    if not isinstance(ours, dict):
        return ours
    return {**theirs, **ours} if isinstance(theirs, dict) else theirs


def _override(spec: S, override: BaseModel | None) -> S:
    if override is None:
        return spec
    return spec.model_copy(update={k: getattr(override, k) for k in override.model_fields_set})
