"""Models of the files that say who decides published numbers, and why some of them differ."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, RootModel, model_validator

from nldr.engine.reading.parsing import Strict
from nldr.engine.reading.specs import Selection

PUBLISHED = "workflow/published"
DECIDERS = f"{PUBLISHED}/deciders.yaml"
CAUSES = f"{PUBLISHED}/causes.yaml"


class StudyCells(Strict):
    """Some cells of a study that compares with published numbers."""

    study: str
    select: Selection = Selection()


class Deciders(RootModel[dict[str, Annotated[list[StudyCells], Field(min_length=1)]]]):
    """File of published numbers → what decides them: the first that has run a number."""


class Cause(Strict):
    """A cluster of published numbers that differ, and a hypothesis why they do."""

    file: str = Field(description="the file of published numbers")
    where: dict[str, Any] = Field(
        default={},
        description="columns of the file, or metric → value, or list of values, of the cluster",
    )
    each: str | None = Field(
        default=None, description="column of the file whose every value is a cluster of its own"
    )
    hypothesis: str
    variant: StudyCells | None = Field(
        default=None, description="cells that have the cause: do they reproduce the numbers?"
    )
    impossible: str | None = Field(
        default=None, description="why no run of the method can have these numbers"
    )

    @model_validator(mode="after")
    def _has_one_ground(self) -> Cause:
        if (self.variant is None) == (self.impossible is None):
            raise ValueError("a cause needs either `variant` or `impossible`")
        return self


class Causes(RootModel[dict[str, Cause]]):
    """Causes by name."""
