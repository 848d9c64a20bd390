"""Models of claims: the keys that the files in ``workflow/claims`` may have."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, TypeAdapter, WithJsonSchema

from nldr.engine.reading.parsing import Strict
from nldr.engine.reading.specs import Selection
from nldr.engine.reading.values import NAMED_PARAMS, parse_named_params

TESTS = "nldr.claims"  # the package of tests that are named without a path


class Test(Strict):
    """A test that decides a claim, and its parameters."""

    path: str
    params: dict[str, Any] = {}


def _parse_test(value: Any) -> Any:
    remedy = "write a test with its parameters: {compare: {first: ikd, metric: r2_affine}}"
    name, params = parse_named_params(value, remedy)
    return {"path": name if "." in name else f"{TESTS}.{name}", "params": params}


class Evaluation(Strict):
    """One way to decide a claim: some cells of a study, and tests of which all must hold."""

    study: str
    select: Selection = Selection()
    tuned: bool = Field(
        default=True, description="use the best setting of a tuned method, not each one"
    )
    tests: list[Annotated[Test, BeforeValidator(_parse_test), WithJsonSchema(NAMED_PARAMS)]] = (
        Field(min_length=1)
    )


class ClaimSpec(Strict):
    """A claim as it is written in a file: decided as published, and under equal tuning."""

    statement: str
    quote: str | None = Field(default=None, description="the paper's own sentence, word for word")
    place: str
    headline: bool = Field(default=False, description="one of the main claims of the paper")
    as_published: Evaluation | str = Field(
        description="how it is decided, or a sentence that says why it cannot be"
    )
    equal_tuning: Evaluation | str = Field(
        description="the same, with every method tuned over as many settings"
    )

    def evaluations(self) -> dict[str, Evaluation | str]:
        """Return both ways to decide the claim, or why there is none."""
        return {"as_published": self.as_published, "equal_tuning": self.equal_tuning}

    def studies(self) -> list[str]:
        """Return the studies from which it is decided."""
        return [spec.study for spec in self._decided()]

    def functions(self) -> list[str]:
        """Return the import paths of its tests."""
        return [test.path for spec in self._decided() for test in spec.tests]

    def _decided(self) -> list[Evaluation]:
        return [spec for spec in self.evaluations().values() if isinstance(spec, Evaluation)]


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
