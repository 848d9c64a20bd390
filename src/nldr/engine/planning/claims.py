"""Claims of the papers: how each is decided, read from ``workflow/claims/<paper>.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from nldr.costs import COSTS
from nldr.engine.planning.catalog import Catalog
from nldr.engine.reading.checks import check_suffix
from nldr.engine.reading.parsing import PlanError, Strict, nearest, read_model
from nldr.engine.reading.specs import Selection

FOLDER = "workflow/claims"
TESTS = "nldr.claims"  # the package of tests that are named without a path


class Test(Strict):
    """A test that decides a claim, and its parameters."""

    path: str
    params: dict[str, Any] = {}


def _parse_test(value: Any) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        ((name, params),) = value.items()
        if isinstance(name, str) and isinstance(params, dict | None):
            return {"path": name if "." in name else f"{TESTS}.{name}", "params": params or {}}
    raise ValueError("write a test with its parameters: {compare: {first: ikd, metric: r2_affine}}")


TEST_SCHEMA = {"type": "object", "additionalProperties": {"type": ["object", "null"]},
               "minProperties": 1, "maxProperties": 1}  # fmt: skip


class Evaluation(Strict):
    """One way to decide a claim: some cells of a study, and tests of which all must hold."""

    study: str
    select: Selection = Selection()
    tuned: bool = Field(
        default=True, description="use the best setting of a tuned method, not each one"
    )
    tests: list[Annotated[Test, BeforeValidator(_parse_test), WithJsonSchema(TEST_SCHEMA)]] = Field(
        min_length=1
    )


class ClaimSpec(Strict):
    """A claim as it is written in a file: decided as published, and under equal tuning."""

    statement: str
    place: str
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
        return [found.study for found in self.evaluations().values()
                if isinstance(found, Evaluation)]  # fmt: skip

    def functions(self) -> list[str]:
        """Return the import paths of its tests."""
        return [test.path for found in self.evaluations().values()
                if isinstance(found, Evaluation) for test in found.tests]  # fmt: skip


class ClaimFile(Strict):
    """One file of ``workflow/claims/``: the claims of a paper."""

    title: str
    claims: dict[str, ClaimSpec]


class Claim(ClaimSpec):
    """A claim with the title of its paper."""

    paper: str


def read_claims(
    metrics: Mapping[str, list[str] | None], catalog: Catalog, studies: str | list[str] = "all"
) -> dict[str, Claim]:
    """Return all claims by name, paper by paper.

    Parameters
    ----------
    metrics : mapping of str to (list of str or None)
        The metrics of each study; None for a study that has a mistake itself.
    catalog : Catalog
        The catalog, which knows the folders of claims and the parameters of functions.
    studies : str or list of str, default="all"
        The studies that are asked for. Claims that come with nldr are read if these are all.

    Raises
    ------
    PlanError
        On the first mistake, naming file, key, value and remedy: a claim that does not fit the
        model, or that names a study, test, parameter or metric that does not exist.
    """
    claims: dict[str, Claim] = {}
    files: dict[str, str] = {}
    layers = catalog.layers
    for where in layers.files(FOLDER):
        if studies != "all" and not layers.owns(where):
            continue
        check_suffix(where)
        file = read_model(ClaimFile, layers.root, where)
        for name, spec in file.claims.items():
            if name in claims:
                raise PlanError(f"{where}: claims.{name}: {files[name]} has a claim of that name "
                                "too: rename one of them")  # fmt: skip
            files[name] = where
            claims[name] = Claim(paper=file.title, **dict(spec))
            _check_claim(spec, f"{where}: {name}", metrics, catalog)
    return claims


def _check_claim(
    claim: ClaimSpec, where: str, metrics: Mapping[str, list[str] | None], catalog: Catalog
) -> None:
    """Raise if a claim names a study, test, parameter or metric that does not exist."""
    for basis, evaluation in claim.evaluations().items():
        if isinstance(evaluation, str):
            continue
        key = f"{where}.{basis}"
        if evaluation.study not in metrics:
            raise PlanError(f"{key}.study: unknown study '{evaluation.study}': "
                            f"{nearest(evaluation.study, list(metrics))}")  # fmt: skip
        for test in evaluation.tests:
            _check_test(test, key, metrics[evaluation.study], catalog)


def _check_test(test: Test, where: str, metrics: list[str] | None, catalog: Catalog) -> None:
    signature = catalog.signatures[test.path]
    if signature.error is not None:
        raise PlanError(f"{where}.tests: '{test.path}' cannot be imported ({signature.error})")
    catalog.check_params(f"{where}.tests", test.path, test.params)
    # A metric of the study, a cost, or a number that the fit recorded
    named = test.params.get("metrics", test.params.get("metric", [])) if metrics else []
    for metric in [named] if isinstance(named, str) else named:
        known = [*(metrics or []), *COSTS]
        if metric not in known and not str(metric).startswith("fit."):
            raise PlanError(f"{where}.tests: the study has no metric '{metric}': "
                            f"{nearest(metric, known)}")  # fmt: skip
