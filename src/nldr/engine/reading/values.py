"""Values of config, catalogs and studies that are checked by more than their type."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from nldr.engine.reading.parsing import Strict

# A number of points or dimensions, or a product of numbers and names of parameters
Size = Annotated[int, Field(ge=1)] | str

Groups = Literal["all", "headline", "own"]


def _parse_studies(value: Any) -> Any:
    """Accept one name, as in ``--config studies=ikd_fig1``."""
    if isinstance(value, str):
        return value if value in get_args(Groups) else [value]
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return value
    raise ValueError("write all, headline, own, or a list of names of studies")


def _check_folder(value: str) -> str:
    if not Path(value).expanduser().is_dir():
        raise ValueError("there is no such folder: create it, or correct the path")
    return value


UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
BUDGET = r"^\d+(\.\d+)?[smhd]$"


def check_budget(value: Any) -> Any:
    """Return a budget, or raise ValueError if it is no number with a unit."""
    if not isinstance(value, str) or not re.match(BUDGET, value) or seconds_of(value) <= 0:
        raise ValueError("write a number with its unit, as in 90m, 4h or 2d (s, m, h, d)")
    return value


def seconds_of(budget: str) -> float:
    """Return a budget in seconds."""
    return float(budget[:-1]) * UNITS[budget[-1]]


BUDGET_SCHEMA = WithJsonSchema({"type": "string", "pattern": BUDGET})
Budget = Annotated[str, BeforeValidator(check_budget), BUDGET_SCHEMA]
Studies = Annotated[Groups | list[str], BeforeValidator(_parse_studies)]
Folder = Annotated[str, AfterValidator(_check_folder)]


class Choice(Strict):
    """A dataset or method chosen by a study, with a grid of parameters."""

    name: str
    params: dict[str, Any] = {}


NAMED_PARAMS = {
    "type": "object",
    "additionalProperties": {"type": ["object", "null"]},
    "minProperties": 1,
    "maxProperties": 1,
}


def parse_named_params(value: Any, remedy: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of ``{name: {parameter: value}}``."""
    if isinstance(value, dict) and len(value) == 1:
        ((name, params),) = value.items()
        if isinstance(name, str) and isinstance(params, dict | None):
            return name, params or {}
    raise ValueError(remedy)


def _parse_choice(value: Any) -> Any:
    remedy = "write a name, or a name with its parameters: {name: {parameter: value}}"
    name, params = (value, {}) if isinstance(value, str) else parse_named_params(value, remedy)
    return {"name": name, "params": params}


CHOICE = WithJsonSchema({"anyOf": [{"type": "string"}, NAMED_PARAMS]})
Choices = Annotated[
    list[Annotated[Choice, BeforeValidator(_parse_choice), CHOICE]], Field(min_length=1)
]
Components = Literal["latent"] | Annotated[int, Field(ge=1)]


def is_components(value: Any) -> bool:
    """Return whether a value is a number of components: a whole number ≥ 1, or latent."""
    return value == "latent" or (type(value) is int and value >= 1)


def _check_components(value: Any) -> Any:
    # One message for all branches of the union.
    values = value if isinstance(value, list) else [value]
    if not values or not all(map(is_components, values)):
        raise ValueError("write a whole number ≥ 1 or latent, or a list of them")
    return value


ComponentGrid = Annotated[
    Components | Annotated[list[Components], Field(min_length=1)],
    BeforeValidator(_check_components),
]
