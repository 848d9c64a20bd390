"""What config, catalogs and studies may say, and how they are read from YAML."""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

Scale = Literal["smoke", "quick", "paper"]
SIZES = ("n_samples", "n_features", "n_latent")


class PlanError(ValueError):
    """A mistake in config, catalog or study, found before any job starts."""


def nearest(word: object, known: list[str]) -> str:
    """Return a remedy for an unknown word: the nearest known one, else all known ones."""
    close = get_close_matches(str(word), known, n=1, cutoff=0.5)
    return f"did you mean '{close[0]}'?" if close else f"known: {', '.join(known)}"


class Strict(BaseModel):
    """Base of all models: no coercion, no unknown key."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=False)

    @model_validator(mode="before")
    @classmethod
    def _name_nearest_key(cls, value: Any) -> Any:
        if isinstance(value, dict):
            known = [field.alias or name for name, field in cls.model_fields.items()]
            for key in value:
                if key not in known:
                    raise ValueError(f"unknown key '{key}': {nearest(key, known)}")
        return value


class Config(Strict):
    """``config.yaml``: what to build, at which scale, where real data lie."""

    studies: Literal["all"] | list[str] = "all"
    scale: Scale = "quick"
    data_dir: str | None = Field(
        None, description="folder of downloaded originals, tried before any download"
    )


class DatasetEntry(Strict):
    """One entry of ``catalog/datasets.yaml``."""

    title: str
    function: str = Field(description="import path of a function that returns a nldr Dataset")
    params: dict[str, Any] = {}
    n_samples: int | str = Field(
        description="a number, the name of a parameter, or a product of such: 3 * height * width"
    )
    n_features: int | str
    n_latent: int | str | None = None
    labels: bool = False
    source: str

    def named(self, size: str) -> list[str]:
        """Return the parameters that ``n_samples``, ``n_features`` or ``n_latent`` names."""
        value = getattr(self, size)
        return [f for f in _factors(value) if not f.isdigit()] if isinstance(value, str) else []

    def size(self, size: str, params: dict[str, Any]) -> int | None:
        """Return ``n_samples``, ``n_features`` or ``n_latent`` under these parameters."""
        value = getattr(self, size)
        if not isinstance(value, str):
            return value
        return math.prod(int(f) if f.isdigit() else params[f] for f in _factors(value))


def _factors(product: str) -> list[str]:
    return [factor.strip() for factor in product.split("*")]


class MethodEntry(Strict):
    """One entry of ``catalog/methods.yaml``."""

    title: str
    class_: str = Field(alias="class", description="import path of a scikit-learn estimator")
    params: dict[str, Any] = {}
    needs: Literal["latent", "labels"] | None = Field(
        None, description="passed to fit_transform as y; datasets that lack it are left out"
    )
    role: Literal["method", "control"] = "method"
    threads: int = Field(1, ge=1)
    seconds: float = Field(600, gt=0, description="wall-clock limit of one embedding")
    memory_mb: int = Field(4096, gt=0, description="memory limit of one embedding")
    attributes: list[str] = Field(
        [], description="numbers of the fitted estimator that tables show, as fit.<name>"
    )
    histories: list[str] = Field(
        [], description="arrays of the fitted estimator, a number an epoch, that figures draw"
    )
    warm_up: list[int] = Field(
        [], description="what compiles is fitted first on so many rows, each if there are more"
    )


class MetricEntry(Strict):
    """One metric of a scorer."""

    label: str
    title: str
    range: Annotated[list[float | None], Field(min_length=2, max_length=2)]
    direction: Literal["higher", "lower"]
    source: str


class ScorerEntry(Strict):
    """One entry of ``catalog/metrics.yaml``: a function that returns several metrics."""

    function: str
    params: dict[str, Any] = {}
    needs: Literal["latent", "labels"] | None = None
    threads: int = Field(
        1, ge=1, description="passed as n_jobs on datasets of 10000 points and more"
    )
    metrics: dict[str, MetricEntry] = Field(min_length=1)


class Choice(Strict):
    """A dataset or method chosen by a study, with a grid of parameters."""

    name: str
    params: dict[str, Any] = {}


def _choice(value: Any) -> Any:
    if isinstance(value, str):
        return {"name": value}
    if isinstance(value, dict) and len(value) == 1:
        (name, params), *_ = value.items()
        if isinstance(name, str) and isinstance(params, dict | None):
            return {"name": name, "params": params or {}}
    raise ValueError("write a name, or a name with its parameters: {name: {parameter: value}}")


Choices = Annotated[
    list[
        Annotated[
            Choice,
            BeforeValidator(_choice),
            WithJsonSchema(
                {
                    "anyOf": [
                        {"type": "string"},
                        {
                            "type": "object",
                            "additionalProperties": {"type": ["object", "null"]},
                            "minProperties": 1,
                            "maxProperties": 1,
                        },
                    ]
                }
            ),
        ]
    ],
    Field(min_length=1),
]
Components = Literal["latent"] | Annotated[int, Field(ge=1)]


class Limits(Strict):
    """Limits of one method, in place of the catalog's."""

    seconds: float | None = Field(None, gt=0)
    memory_mb: int | None = Field(None, gt=0)


class BestOf(Strict):
    """A method that stands for several: on each dataset the one with the best first metric.

    Its rows are those of the winner, its seconds those of all. With ``one_setting`` the winner is
    the same on all datasets, the one whose mean over them is best, and its seconds are its own.
    """

    title: str
    methods: list[str] = Field(min_length=1)
    one_setting: bool = Field(False, description="one winner for all datasets, of those that "
                              "have a score on each")  # fmt: skip


class PublishedSpec(Strict):
    """Which published numbers stand beside ours.

    ``keys`` maps columns of the file to columns of our table, ``values`` maps our metrics,
    or ``seconds``, to the file's columns of mean and, where there is one, standard deviation;
    ``where`` says which of our rows the published numbers speak of, ``names`` what the file calls
    otherwise than we do.
    """

    file: str
    keys: dict[str, str]
    names: dict[str, str] = {}
    where: dict[str, Any] = {}
    values: dict[str, Annotated[list[str], Field(min_length=1, max_length=2)]]


class FigureSpec(Strict):
    """The function that draws a study, and its parameters."""

    function: str
    params: dict[str, Any] = {}
    panels: bool = Field(
        False, description="the figure shows embeddings or histories of first trials"
    )


class Override(Strict):
    """What a scale may replace in a study."""

    datasets: Choices | None = None
    methods: Choices | None = None
    n_components: Components | Annotated[list[Components], Field(min_length=1)] | None = None
    metrics: list[str] | None = None
    per_dataset: dict[str, dict[str, dict[str, Any]]] | None = None
    best_of: dict[str, BestOf] | None = None
    trials: int | None = Field(None, ge=1)
    limits: dict[str, Limits] | None = None


class Study(Strict):
    """One file of ``studies/``: datasets x methods x metrics x trials, and their figure."""

    title: str
    source: str
    datasets: Choices
    methods: Choices
    per_dataset: dict[str, dict[str, dict[str, Any]]] = Field(
        {}, description="dataset → method → parameters that the method has there only"
    )
    n_components: Components | Annotated[list[Components], Field(min_length=1)] = 2
    metrics: list[str]
    trials: int = Field(ge=1)
    best_of: dict[str, BestOf] = {}
    score_on: Literal["all", "train", "test"] = Field(
        "all", description="the rows that metrics see; train and test need n_train on all datasets"
    )
    timing: Literal["shared", "exclusive"] = "shared"
    limits: dict[str, Limits] = {}
    published: PublishedSpec | None = None
    figure: FigureSpec
    scales: dict[Scale, Override] = {}

    def group_of(self, method: str) -> str | None:
        """Return the name under ``best_of`` that stands for a method, if any."""
        return next((name for name, g in self.best_of.items() if method in g.methods), None)

    def at(self, scale: Scale) -> Study:
        """Return the study with what ``scale`` overrides put in place."""
        override = self.scales.get(scale)
        if override is None:
            return self
        return self.model_copy(update={k: getattr(override, k) for k in override.model_fields_set})


class DatasetCatalog(RootModel[dict[str, DatasetEntry]]):
    """``catalog/datasets.yaml``."""


class MethodCatalog(RootModel[dict[str, MethodEntry]]):
    """``catalog/methods.yaml``."""


class MetricCatalog(RootModel[dict[str, ScorerEntry]]):
    """``catalog/metrics.yaml``."""


SCHEMAS: dict[str, type[BaseModel]] = {
    "config": Config,
    "study": Study,
    "datasets": DatasetCatalog,
    "methods": MethodCatalog,
    "metrics": MetricCatalog,
}


class _Loader(yaml.SafeLoader):
    """YAML with ``1e-3`` read as a number and repeated keys refused."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict:
    keys = [key.value for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key '{key}' stands twice", node.start_mark
            )
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:map", _mapping)

M = TypeVar("M", bound=BaseModel)


def parse(model: type[M], value: Any, file: str) -> M:
    """Validate ``value`` as ``model``.

    Raises
    ------
    PlanError
        Naming file, key, value and remedy.
    """
    try:
        return model.model_validate(value)
    except ValidationError as failed:
        errors = failed.errors()
    error = errors[0]
    key = ".".join(str(part) for part in error["loc"] if _is_key(part, value))
    what = error["msg"].removeprefix("Value error, ")
    shown = "" if what.startswith("unknown key") else f" = {_short(error['input'])}"
    if error["type"] == "missing":
        shown, what = "", "this key is missing: add it"
    raise PlanError(f"{file}: {key}{shown}: {what}" if key else f"{file}: {what}")


def _is_key(part: int | str, value: Any) -> bool:
    """Tell keys and positions from the names pydantic gives to branches of a union."""
    return isinstance(part, int) or (
        re.fullmatch(r"[\w.{}+-]+", part) is not None
        and part not in ("int", "str", "float", "Choice")
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def read_yaml(model: type[M], root: Path, file: str) -> M:
    """Read a YAML file of the project's folder ``root`` as ``model``.

    Raises
    ------
    PlanError
        If the file is missing, is no YAML or does not fit the model.
    """
    try:
        text = (root / file).read_text(encoding="utf-8")
    except OSError as error:
        raise PlanError(f"{file}: cannot be read ({error.strerror}): restore the file") from None
    try:
        value = yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise PlanError(f"{file}: line {line}: no valid YAML: {error.problem}") from None
    return parse(model, {} if value is None else value, file)
