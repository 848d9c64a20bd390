"""Models of the files of claims, and of those about the published numbers of papers."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, RootModel, TypeAdapter, WithJsonSchema, model_validator

from nldr.engine.reading.parsing import Strict
from nldr.engine.reading.specs import Selection
from nldr.engine.reading.values import NAMED_PARAMS, Choice, parse_named_params

PUBLISHED = "workflow/published"
DECIDERS = f"{PUBLISHED}/deciders.yaml"
CAUSES = f"{PUBLISHED}/causes.yaml"
TESTS = "nldr.claims"  # the package of tests that are named without a path


def _parse_test(value: Any) -> Any:
    remedy = "write a test with its parameters: {compare: {first: ikd, metric: r2_affine}}"
    name, params = parse_named_params(value, remedy)
    return {"name": name if "." in name else f"{TESTS}.{name}", "params": params}


class StudyCells(Strict):
    """Some cells of a study."""

    study: str
    select: Selection = Selection()


class Evaluation(StudyCells):
    """One way to decide a claim: some cells of a study, and tests of which all must hold."""

    tuned: bool = Field(default=True, description="use only the best setting of a tuned method")
    tests: list[Annotated[Choice, BeforeValidator(_parse_test), WithJsonSchema(NAMED_PARAMS)]] = (
        Field(min_length=1)
    )


class ClaimSpec(Strict):
    """A claim as it is written in a file: decided as published, and under equal tuning."""

    statement: str
    quote: str | None = Field(
        default=None, description="the paper's own sentence; words in brackets are ours"
    )
    place: str
    headline: bool = Field(default=False, description="one of the main claims of the paper")
    as_published: Evaluation | str = Field(
        description="how it is decided, or a sentence that says why it cannot be decided"
    )
    equal_tuning: Evaluation | str = Field(
        description="the same, with every method tuned over the same number of settings"
    )

    def evaluations(self) -> dict[str, Evaluation | str]:
        """Return both ways to decide the claim, or why there is none."""
        return {"as_published": self.as_published, "equal_tuning": self.equal_tuning}

    def decided(self) -> dict[str, Evaluation]:
        """Return the ways to decide the claim that there are."""
        ways = self.evaluations().items()
        return {basis: spec for basis, spec in ways if isinstance(spec, Evaluation)}


class ClaimFile(Strict):
    """One file of ``workflow/claims/``: the claims of a paper."""

    title: str
    claims: dict[str, ClaimSpec]


class Claim(ClaimSpec):
    """A claim with the title of its paper."""

    paper: str


class Registration(Strict):
    """Registration of one evaluation of a claim, before its test may change."""

    digest: str  # of cells and tests
    date: str
    settings: int  # number of them at full size
    bounds: list[str]  # of the tests, with their sources
    amendments: int  # number of them up to this registration
    # Whether the printed numbers pass the tests: yes, no, or in how many settings
    print_passes: str | None = None


Registered = TypeAdapter(dict[str, dict[str, Registration]])


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
        default=None, description="column of the file; each of its values is a separate cluster"
    )
    hypothesis: str
    variant: StudyCells | None = Field(
        default=None, description="cells with the supposed cause, to reproduce the numbers"
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
