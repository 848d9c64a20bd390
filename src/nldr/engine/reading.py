"""Read YAML strictly, validate it, and name file, key, value and remedy in every error."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator


class PlanError(ValueError):
    """A mistake in config, catalog or study, found before any job starts."""


def nearest(word: object, known: list[str]) -> str:
    """Return a remedy for an unknown word: the most similar known word, else all known words.

    Examples
    --------
    >>> nearest("isomp", ["pca", "isomap"])
    "did you mean 'isomap'?"
    """
    close = get_close_matches(str(word), known, n=1, cutoff=0.5)
    return f"did you mean '{close[0]}'?" if close else f"known: {', '.join(known)}"


class Strict(BaseModel):
    """Base class of all models: no coercion, no unknown key."""

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


class _Loader(yaml.SafeLoader):
    """YAML loader that reads ``1e-3`` as a number and refuses repeated keys."""


# YAML 1.1 takes 1e-3 for a text: it wants 1.0e-3.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


def _construct_mapping(loader: _Loader, node: yaml.MappingNode) -> dict:
    keys = [key.value for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key '{key}' is given twice", node.start_mark
            )
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor("tag:yaml.org,2002:map", _construct_mapping)

M = TypeVar("M", bound=BaseModel)


def read_yaml(root: Path, file: str) -> Any:
    """Return the content of a YAML file below ``root``; an empty file is an empty mapping.

    Raises
    ------
    PlanError
        If the file is missing or is not valid YAML.
    """
    try:
        text = (root / file).read_text(encoding="utf-8")
    except OSError as error:
        raise PlanError(f"{file}: cannot be read ({error.strerror}): restore the file") from None
    try:
        # The loader derives from SafeLoader.
        value = yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise PlanError(f"{file}: line {line}: not valid YAML: {error.problem}") from None
    return {} if value is None else value


def read_model(model: type[M], root: Path, file: str) -> M:
    """Read a YAML file below ``root`` as ``model``.

    Raises
    ------
    PlanError
        If the file is missing, is not valid YAML or does not fit the model.
    """
    return parse(model, read_yaml(root, file), file)


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
    # Report the first error only: the others often follow from it.
    error = errors[0]
    key = ".".join(str(part) for part in error["loc"] if _is_key(part))
    what = error["msg"].removeprefix("Value error, ")
    shown = "" if what.startswith("unknown key") else f" = {_shorten(error['input'])}"
    if error["type"] == "missing":
        shown, what = "", "this key is missing: add it"
    raise PlanError(f"{file}: {key}{shown}: {what}" if key else f"{file}: {what}")


def _is_key(part: int | str) -> bool:
    """Tell keys and positions from the names that pydantic gives to branches of a union."""
    return isinstance(part, int) or (
        re.fullmatch(r"[\w.{}+-]+", part) is not None
        and part not in ("int", "str", "float", "bool", "Choice", "Tune")
    )


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
