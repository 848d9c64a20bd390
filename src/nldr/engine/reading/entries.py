"""Models of the catalogs: the keys that the entries of their YAML files may have."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from nldr.engine.reading.parsing import Strict
from nldr.engine.reading.values import Size

SIZES = ("n_samples", "n_features", "n_latent")
DOI = r"^10\.\d{4,9}/\S+$"


class Cited(Strict):
    """Entry with keys that only the report shows: results do not depend on them."""

    doi: str | None = Field(
        default=None, pattern=DOI, exclude=True, description="DOI of the source, without https"
    )


class DatasetEntry(Cited):
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


class MethodEntry(Described):
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
    wide: bool = Field(
        default=False, description="an embedding may have more dimensions than the data"
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


class MetricEntry(Cited):
    """One metric of a scorer."""

    label: str
    title: str
    range: Annotated[list[float | None], Field(min_length=2, max_length=2)]
    direction: Literal["higher", "lower"]
    source: str = Field(description="authors, title and year, or ours")
    formula: str | None = Field(
        default=None, exclude=True, min_length=1, description="its definition, in one line"
    )
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
