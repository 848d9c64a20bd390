"""Models of the catalogs: the keys that the entries of their YAML files may have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, RootModel, Tag, model_validator

from nldr.engine.reading.parsing import Strict, require
from nldr.engine.reading.values import Size

SIZES = ("n_samples", "n_features", "n_latent")
EXTERNAL = "nldr.methods.external.External"  # class of methods with environments
DOI = r"^10\.\d{4,9}/\S+$"


class Cited(Strict):
    """Entry with keys that only the report shows: results do not depend on them."""

    doi: str | None = Field(default=None, pattern=DOI, exclude=True, description="without https")


class DatasetEntry(Cited):
    """One entry of ``catalog/datasets.yaml``."""

    title: str
    function: str = Field(description="import path of a function that returns a nldr Dataset")
    params: dict[str, Any] = {}
    n_samples: Size = Field(description="number, parameter or product: 3 * height * width")
    n_features: Size
    n_latent: Size | None = None
    max_samples: int | None = Field(
        default=None,
        ge=1,
        description="number of points of a dataset from which n_samples are chosen at random; "
        "all of them are the same in each trial",
    )
    labels: bool = False
    source: str = Field(description="authors, title and year, or ours")
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


class Described(Cited):
    """Entry of a method, or of a family for those of its methods that do not say it themselves."""

    source: str | None = Field(
        default=None, min_length=1, description="authors, title and year, or ours"
    )
    complexity: str | None = Field(
        default=None,
        min_length=1,
        description="time and memory as implemented: n points, d features, m dimensions of the "
        "embedding, k neighbors; other letters are explained in place",
    )


class FamilyEntry(Described):
    """One entry of ``catalog/families.yaml``: what the methods of a family share, as their look."""

    title: str
    color: str = Field(pattern="^#[0-9a-fA-F]{6}$")
    marker: Literal["o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "d", "H", "8", "*"] = (
        Field(description="a filled Matplotlib marker")
    )


class Run(Described):
    """What an entry says about the processes that run its method."""

    threads: int = Field(default=1, ge=1)
    seconds: float = Field(default=600, gt=0, description="wall-clock limit of one embedding")
    memory_mb: int = Field(default=4096, gt=0, description="memory limit of one embedding")
    warm_up: list[int] = Field(default=[], description="rows of untimed fits, to compile")


class MethodEntry(Run):
    """One entry of ``catalog/methods.yaml``."""

    title: str
    family: str = Field(description="entry of families.yaml, which decides color and marker")
    variant: int = Field(
        default=0,
        ge=0,
        description="number within the family, which decides line style and marker fill",
    )
    class_: str = Field(default=EXTERNAL, alias="class", description="import path of an estimator")
    environment: str | None = Field(
        default=None,
        pattern=r"^\w[\w-]*$",
        description="in place of class: folder of workflow/environments with the command",
    )
    params: dict[str, Any] = {}
    needs: Literal["latent", "labels"] | None = Field(
        default=None, description="passed to fit_transform as y; datasets that lack it are left out"
    )
    wide: bool = Field(default=False, description="may have more dimensions than the data")
    role: Literal["method", "control"] = "method"
    attributes: list[str] = Field(
        default=[],
        description="numeric attributes of the fitted estimator, shown in tables as fit.<name>",
    )
    histories: list[str] = Field(
        default=[], description="per-epoch arrays of the fitted estimator, drawn as training curves"
    )

    @model_validator(mode="after")
    def _is_one_thing(self) -> MethodEntry:
        if (self.class_ == EXTERNAL) != (self.environment is not None):
            raise ValueError("a method has either `class` or `environment`")
        return self


class WrapperEntry(Described):
    """One entry of ``catalog/wrappers.yaml``: an estimator that runs another method."""

    title: str = Field(description="title; {method} stands for the title of the wrapped method")
    class_: str = Field(
        alias="class",
        description="import path of an estimator with a parameter method, which it wraps",
    )
    params: dict[str, Any] = {}
    attributes: list[str] = []
    histories: list[str] = []


class WrappedEntry(Run):
    """An entry of ``catalog/methods.yaml`` that runs another of its methods by a wrapper."""

    wrap: str = Field(description="entry of wrappers.yaml")
    method: str = Field(description="entry of this file, whose family and title it takes")
    title: str | None = Field(default=None, description="title, in place of the wrapper's")
    variant: int = Field(ge=0, description="number within the family, as for other methods")
    params: dict[str, Any] = Field(
        default={}, description="parameters of the wrapper; its params are those of the method"
    )

    def unwrapped(
        self,
        methods: Mapping[str, MethodEntry | WrappedEntry],
        wrappers: Mapping[str, WrapperEntry],
        where: str,
    ) -> MethodEntry:
        """Return the entry that names the wrapper's estimator and all of its parameters.

        Raises PlanError, with ``where`` as the name of the entry, if there is no such wrapper, or
        no such method that is not wrapped itself.
        """
        plain = {name: m for name, m in methods.items() if isinstance(m, MethodEntry)}
        require(self.wrap, wrappers, f"{where}.wrap = '{self.wrap}'")
        require(self.method, plain, f"{where}.method = '{self.method}'")
        wrapper, method = wrappers[self.wrap], plain[self.method]
        common = {"variant", "threads", "seconds", "memory_mb", "warm_up"}
        cited = self if self.source else wrapper
        return MethodEntry.model_validate(
            {
                "class": wrapper.class_,
                "title": self.title or wrapper.title.format(method=method.title),
                "family": method.family,
                "params": {"method": self.method, **wrapper.params, **self.params},
                **wrapper.model_dump(include={"attributes", "histories"}),
                "source": cited.source,
                "doi": cited.doi,
                "complexity": self.complexity or wrapper.complexity,
                **self.model_dump(include=common, exclude_unset=True),
            }
        )


def _kind_of_method(entry: Any) -> str:
    return "WrappedEntry" if isinstance(entry, dict) and "wrap" in entry else "MethodEntry"


class MetricEntry(Cited):
    """One metric of a scorer."""

    label: str
    title: str
    range: Annotated[list[float | None], Field(min_length=2, max_length=2)]
    direction: Literal["higher", "lower"]
    source: str = Field(description="authors, title and year, or ours")
    formula: str | None = Field(default=None, exclude=True, min_length=1, description="in one line")
    former_name: str | None = Field(default=None, description="earlier name, still understood")


class ScorerEntry(Strict):
    """One entry of ``catalog/metrics.yaml``: a function that returns several metrics."""

    function: str
    params: dict[str, Any] = {}
    needs: Literal["latent", "labels"] | None = None
    uses: list[str] = Field(default=[], description="scorers whose scores, if there, are passed on")
    threads: int = Field(default=1, ge=1, description="n_jobs on datasets of 10000 points or more")
    seconds: float = Field(default=3600, gt=0, description="wall-clock limit of one embedding")
    memory_mb: int = Field(default=8192, gt=0, description="memory limit of one embedding")
    default: bool = Field(
        default=True, exclude=True, description="whether nldr.evaluate returns it by default"
    )
    metrics: dict[str, MetricEntry] = Field(min_length=1)


AnyMethod = Annotated[
    Annotated[MethodEntry, Tag("MethodEntry")] | Annotated[WrappedEntry, Tag("WrappedEntry")],
    Discriminator(_kind_of_method),
]

# The files of catalog/: entries by name
DatasetCatalog = RootModel[dict[str, DatasetEntry]]
MethodCatalog = RootModel[dict[str, AnyMethod]]
WrapperCatalog = RootModel[dict[str, WrapperEntry]]
FamilyCatalog = RootModel[dict[str, FamilyEntry]]
MetricCatalog = RootModel[dict[str, ScorerEntry]]
