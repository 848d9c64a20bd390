"""Models of config, catalogs and studies: the keys that their YAML files may have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, RootModel, model_validator

from nldr.engine.pilots import PilotSettings
from nldr.engine.reading import Strict
from nldr.engine.values import Budget, Choices, ComponentGrid, Folder, Size, Studies

Scale = Literal["smoke", "quick", "paper"]
SIZES = ("n_samples", "n_features", "n_latent")
S = TypeVar("S", bound=BaseModel)


class Config(Strict):
    """``config.yaml``: studies to build, their scale, the folder of real data, how jobs start."""

    studies: Studies = "all"
    scale: Scale = "quick"
    data_dir: Folder | None = Field(
        default=None, description="folder of downloaded originals, tried before any download"
    )
    slurm: PilotSettings | None = Field(
        default=None, description="run jobs in pilot jobs of a Slurm cluster, see docs/cluster.md"
    )
    budget: Budget | None = Field(
        default=None,
        description="time on the clock, as in 90m, 4h or 2d: build the studies that fit, "
        "the most valuable ones first",
    )
    start: Literal["warm", "cold"] = Field(
        default="warm",
        description="fork jobs from a process that has imported the packages, or "
        "start a new interpreter for each trial",
    )


# --- catalogs ---------------------------------------------------------------------------------


class DatasetEntry(Strict):
    """One entry of ``catalog/datasets.yaml``."""

    title: str
    function: str = Field(description="import path of a function that returns a nldr Dataset")
    params: dict[str, Any] = {}
    n_samples: Size = Field(
        description="a number, the name of a parameter, or a product of them: 3 * height * width"
    )
    n_features: Size
    n_latent: Size | None = None
    max_samples: int | None = Field(
        default=None, ge=1, description="number of points that there are, where it is known"
    )
    labels: bool = False
    source: str
    seconds: float = Field(default=1800, gt=0, description="wall-clock limit of one trial")
    memory_mb: int = Field(default=8192, gt=0, description="memory limit of one trial")

    def named(self, size: str) -> list[str]:
        """Return the parameters that ``n_samples``, ``n_features`` or ``n_latent`` names."""
        value = getattr(self, size)
        return [f for f in _factors(value) if not f.isdecimal()] if isinstance(value, str) else []

    def size(self, size: str, params: dict[str, Any]) -> int | None:
        """Return ``n_samples``, ``n_features`` or ``n_latent`` for these parameters."""
        value = getattr(self, size)
        if not isinstance(value, str):
            return value
        return math.prod(int(f) if f.isdecimal() else params[f] for f in _factors(value))


def _factors(product: str) -> list[str]:
    return [factor.strip() for factor in product.split("*")]


class FamilyEntry(Strict):
    """One entry of ``catalog/families.yaml``: the look that the methods of a family share."""

    title: str
    color: str = Field(pattern="^#[0-9a-fA-F]{6}$")
    marker: Literal["o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "d", "H", "8", "*"] = (
        Field(description="a filled Matplotlib marker")
    )


class MethodEntry(Strict):
    """One entry of ``catalog/methods.yaml``."""

    title: str
    family: str = Field(description="entry of families.yaml, which decides color and marker")
    variant: int = Field(
        default=0,
        ge=0,
        description="number within the family, which decides line style and marker fill",
    )
    class_: str = Field(alias="class", description="import path of a scikit-learn estimator")
    params: dict[str, Any] = {}
    needs: Literal["latent", "labels"] | None = Field(
        default=None, description="passed to fit_transform as y; datasets that lack it are left out"
    )
    role: Literal["method", "control"] = "method"
    threads: int = Field(default=1, ge=1)
    seconds: float = Field(default=600, gt=0, description="wall-clock limit of one embedding")
    memory_mb: int = Field(default=4096, gt=0, description="memory limit of one embedding")
    attributes: list[str] = Field(
        default=[],
        description="numeric attributes of the fitted estimator, shown in tables as fit.<name>",
    )
    histories: list[str] = Field(
        default=[], description="per-epoch arrays of the fitted estimator, drawn as training curves"
    )
    warm_up: list[int] = Field(
        default=[], description="row counts of untimed warm-up fits that trigger compilation"
    )


class MetricEntry(Strict):
    """One metric of a scorer."""

    label: str
    title: str
    range: Annotated[list[float | None], Field(min_length=2, max_length=2)]
    direction: Literal["higher", "lower"]
    source: str
    former_name: str | None = Field(
        default=None, description="earlier name, which studies may still use"
    )


class ScorerEntry(Strict):
    """One entry of ``catalog/metrics.yaml``: a function that returns several metrics."""

    function: str
    params: dict[str, Any] = {}
    needs: Literal["latent", "labels"] | None = None
    threads: int = Field(
        default=1, ge=1, description="passed as n_jobs on datasets of 10000 points or more"
    )
    seconds: float = Field(default=3600, gt=0, description="wall-clock limit of one embedding")
    memory_mb: int = Field(default=8192, gt=0, description="memory limit of one embedding")
    metrics: dict[str, MetricEntry] = Field(min_length=1)


class DatasetCatalog(RootModel[dict[str, DatasetEntry]]):
    """``catalog/datasets.yaml``."""


class MethodCatalog(RootModel[dict[str, MethodEntry]]):
    """``catalog/methods.yaml``."""


class FamilyCatalog(RootModel[dict[str, FamilyEntry]]):
    """``catalog/families.yaml``."""


class MetricCatalog(RootModel[dict[str, ScorerEntry]]):
    """``catalog/metrics.yaml``."""


# --- studies ----------------------------------------------------------------------------------


PerDataset = dict[str, dict[str, dict[str, Any]]]


class Limits(Strict):
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
    metric: str | None = Field(
        default=None, description="selecting metric; the study's first by default"
    )
    one_setting: bool = Field(
        default=False,
        description="one winner for all datasets, among those that have a score on each of them",
    )


class Tune(Strict):
    """Each method that has several settings is represented by its best one, as in ``best_of``."""

    metric: str | None = Field(
        default=None, description="selecting metric; the study's first by default"
    )
    one_setting: bool = Field(default=False, description="one setting for all datasets")


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

    ``keys`` maps columns of the file to columns of our table, ``values`` maps our metrics,
    or ``seconds``, to the file's columns of the mean and, where there is one, the standard
    deviation; ``where`` restricts our rows to those that the published numbers are about;
    ``names`` maps names in the file to ours where they differ in more than spelling.
    """

    file: str
    keys: dict[str, str]
    names: dict[str, str] = {}
    where: dict[str, Any] = {}
    values: dict[str, Annotated[list[str], Field(min_length=1, max_length=2)]]


class FigureOverride(Strict):
    """Keys of a figure that a scale may replace."""

    params: dict[str, Any] | None = None
    select: Selection | None = None


class FigureSpec(Strict):
    """A function that draws the study, or some of its cells, and its parameters."""

    title: str | None = Field(default=None, description="the study's by default")
    source: str | None = Field(default=None, description="the study's by default")
    function: str
    params: dict[str, Any] = {}
    panels: bool = Field(
        default=False, description="the figure shows embeddings or histories of first trials"
    )
    select: Selection = Selection()
    tuned: bool = Field(
        default=True, description="draw the best setting of a tuned method, not each one"
    )
    scales: dict[Scale, FigureOverride] = {}

    def at(self, scale: Scale) -> FigureSpec:
        """Return the figure with the overrides of ``scale`` applied."""
        return _override(self, self.scales.get(scale))


class Override(Strict):
    """Keys of a study that a scale may replace."""

    datasets: Choices | None = None
    methods: Choices | None = None
    n_components: ComponentGrid | None = None
    metrics: list[str] | None = None
    per_dataset: PerDataset | None = None
    best_of: dict[str, BestOf] | None = None
    tune: bool | Tune | None = None
    trials: int | None = Field(default=None, ge=1)
    limits: dict[str, Limits] | None = None
    timing: Literal["shared", "exclusive"] | None = None
    select: Selection | None = None


class Study(Strict):
    """One file of ``studies/``: datasets × methods × metrics × trials, and their figures."""

    title: str
    source: str
    headline: bool = Field(
        default=False, description="build this study before those that are not headlines"
    )
    extends: str | None = Field(
        default=None,
        description="name of a study whose cells this one takes; own keys replace its keys",
    )
    datasets: Choices
    methods: Choices
    per_dataset: PerDataset = Field(
        default={}, description="dataset → method → parameters of the method on that dataset only"
    )
    n_components: ComponentGrid = 2
    metrics: list[str]
    trials: int = Field(ge=1)
    best_of: dict[str, BestOf] = {}
    tune: bool | Tune = False
    select: Selection = Field(default=Selection(), description="keep only these cells")
    score_on: Literal["all", "train", "test"] = Field(
        default="all",
        description="rows that metrics see; train and test need n_train on all datasets",
    )
    timing: Literal["shared", "exclusive"] = "shared"
    limits: dict[str, Limits] = {}
    published: PublishedSpec | None = None
    figure: FigureSpec | None = Field(
        default=None, description="the figure that bears the study's name"
    )
    figures: dict[str, FigureSpec] = Field(
        default={}, description="further figures of the same cells"
    )
    scales: dict[Scale, Override] = {}

    @model_validator(mode="after")
    def _has_a_figure(self) -> Study:
        if self.figure is None and not self.figures:
            raise ValueError("a study needs a figure: add `figure` or `figures`")
        return self

    def at(self, scale: Scale) -> Study:
        """Return the study with the overrides of ``scale`` applied."""
        return _override(self, self.scales.get(scale))

    def named_figures(self, name: str) -> dict[str, FigureSpec]:
        """Return all figures by file name, for a study of this name."""
        return ({} if self.figure is None else {name: self.figure}) | self.figures


# Keys that a study takes from the one it extends: all that decides its cells.
INHERITED = (*Override.model_fields, "score_on")


def extend(own: Mapping[str, Any], base: Any) -> dict[str, Any]:
    """Return the content of a study file completed by that of the study it extends.

    Examples
    --------
    >>> extend({"title": "b", "trials": 1}, {"title": "a", "trials": 5, "datasets": ["gp"]})
    {'trials': 1, 'datasets': ['gp'], 'title': 'b', 'scales': {}}
    """
    if not isinstance(base, dict):
        return dict(own)
    # Keys that decide the cells, then those of the study itself.
    inherited = {key: value for key, value in base.items() if key in INHERITED}
    # Scales are merged key by key; the model reports what is not a mapping.
    theirs, ours = base.get("scales") or {}, own.get("scales") or {}
    merged = _merge(theirs, ours)
    if isinstance(merged, dict):
        merged = {scale: _merge(theirs.get(scale) or {}, merged[scale] or {}) for scale in merged}
    return {**inherited, **own, "scales": merged}


def _merge(theirs: Any, ours: Any) -> Any:
    """Return two mappings as one, or the one of them that is none."""
    if not isinstance(ours, dict):
        return ours
    return {**theirs, **ours} if isinstance(theirs, dict) else theirs


def _override(spec: S, override: BaseModel | None) -> S:
    """Return a model with the keys replaced that an override sets."""
    if override is None:
        return spec
    return spec.model_copy(update={k: getattr(override, k) for k in override.model_fields_set})


SCHEMAS: dict[str, type[BaseModel]] = {
    "config": Config,
    "study": Study,
    "datasets": DatasetCatalog,
    "methods": MethodCatalog,
    "families": FamilyCatalog,
    "metrics": MetricCatalog,
}
