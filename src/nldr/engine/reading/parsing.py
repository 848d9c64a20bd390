"""Read YAML strictly, validate it, and name file, key, value and remedy in every error."""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from nldr.engine.files.text import HIDDEN
from nldr.inputs.errors import suggestion


class PlanError(ValueError):
    """A mistake in config, catalog or study, found before any job starts."""


def require(name: object, names: Iterable[str], problem: str) -> None:
    """Raise PlanError, with a problem and its remedy, unless a name is one of ``names``."""
    names = list(names)
    if name not in names:
        raise PlanError(f"{problem}: {suggestion(name, names)}")


class Strict(BaseModel):
    """Base class of all models: no coercion, no unknown key."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _name_nearest_key(cls, value: Any) -> Any:
        if isinstance(value, dict):
            keys = [field.alias or name for name, field in cls.model_fields.items()]
            for key in value:
                if key not in keys:
                    raise ValueError(f"unknown key '{key}': {suggestion(key, keys)}")
        return value


TWICE = "is given twice: remove or rename one"
# Where an entry of a catalog begins, and what may stand before the first
ENTRY = re.compile(r"^(?P<quote>['\"]?)(?P<name>\w[^:#\n]*?)(?P=quote)[ \t]*:(?=\s)", re.M)
PRELUDE = re.compile(r"#.*|---|\s+")
MAX_DEPTH, MAX_NODES = 30, 100_000  # of a YAML file, repetitions by aliases included
PLAIN = ("null", "bool", "int", "float", "str", "seq", "map")  # what JSON has too


def _tag(name: str) -> str:
    return f"tag:yaml.org,2002:{name}"


class _Loader(yaml.CSafeLoader):
    """Loader of the fast libyaml that reads ``1e-3`` as a number and refuses the ambiguous."""

    # Dates are texts; sets, bytes and other objects are refused.
    yaml_constructors = {
        tag: yaml.SafeLoader.yaml_constructors[tag] for tag in (None, *map(_tag, PLAIN))
    }
    yaml_implicit_resolvers = {
        first: [pair for pair in pairs if pair[0] != _tag("timestamp")]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def get_single_node(self) -> Any:
        node = super().get_single_node()
        if node is not None and _count(node, 0) > MAX_NODES:
            raise _Refused(node, "too long with all that its aliases repeat")
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        # An escape such as \0 may stand for what no text of ours has.
        if isinstance(node, yaml.ScalarNode) and (hidden := HIDDEN.search(node.value)):
            raise _Refused(node, _forbid(ord(hidden[0])))
        try:
            return super().construct_object(node, deep)
        except (ValueError, KeyError):
            # A value that contradicts its tag, or a number of thousands of digits.
            kind = node.tag.rpartition(":")[2]
            problem = f"{_shorten(node.value)} is not a valid {kind}: correct it"
            raise _Refused(node, problem) from None


def _forbid(character: int) -> str:
    return f"the character U+{character:04X} is not allowed: remove it"


class _Refused(yaml.MarkedYAMLError):
    def __init__(self, place: yaml.Node | yaml.Event, problem: str) -> None:
        super().__init__(problem=problem, problem_mark=place.start_mark)


def _count(node: yaml.Node, depth: int) -> int:
    """Return the number of values below a node; those of an alias count again."""
    if depth > MAX_DEPTH:
        raise _Refused(node, "nested too deeply, or an alias that contains itself")
    if isinstance(node, yaml.ScalarNode):
        return 1
    pairs = isinstance(node, yaml.MappingNode)
    children = [n for pair in node.value for n in pair] if pairs else node.value
    total = 1
    for child in children:
        total += _count(child, depth + 1)
        if total > MAX_NODES:
            break
    return total


# YAML 1.1 takes 1e-3 for a text (it wants 1.0e-3), 1:40 for 100, 010 for 8 and no for false.
# ruamel.yaml reads YAML 1.2, where these mean one thing, but takes 1.6 times as long.
_Loader.add_implicit_resolver(
    _tag("float"), re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)
AMBIGUOUS = {
    r"[-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?$": "a text or a number to base 60: quote it, or write "
    "one number",
    r"[-+]?0[\d_]+$": "a text or a number to base 8 or 10: quote it, or leave out the first 0",
    r"(yes|no|on|off)$": "a text or a truth value: quote it, or write true or false",
}
_REFUSED = re.compile("|".join([*AMBIGUOUS, r"\.nan$"]), re.IGNORECASE)


def _refuse(loader: _Loader, node: yaml.ScalarNode) -> Any:
    for pattern, meanings in AMBIGUOUS.items():
        if re.match(pattern, node.value, re.IGNORECASE):
            raise _Refused(node, f"'{node.value}' may be {meanings}")
    raise _Refused(node, f"'{node.value}' is not a number: write one")


for _letter in "+-.0123456789ynoYNO":
    _Loader.yaml_implicit_resolvers.setdefault(_letter, []).insert(0, ("!refused", _REFUSED))
_Loader.add_constructor("!refused", _refuse)


def _construct_mapping(loader: _Loader, node: yaml.MappingNode) -> dict:
    seen = set()
    for key, _ in node.value:
        if isinstance(key, yaml.ScalarNode) and key.value in seen:
            raise _Refused(key, f"the key '{key.value}' {TWICE}")
        seen.add(str(key.value))
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(_tag("map"), _construct_mapping)

M = TypeVar("M", bound=BaseModel)


@functools.lru_cache(maxsize=256)
def _load(text: str) -> Any:
    """Return the content of a YAML file, which several plans of a process read."""
    # Deep nesting would exhaust the stack of libyaml.
    depth = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise _Refused(event, "nested too deeply")
    return yaml.load(text, _Loader)  # the loader derives from SafeLoader


def read_yaml(root: Path, file: str) -> Any:
    """Return the content of a YAML file below ``root``; an empty file is an empty mapping.

    A file that is missing, is not valid YAML, or has a value that may mean two things is a mistake.
    """
    value = _parse_text(_read_text(root, file), file)
    return {} if value is None else value


def read_entries(root: Path, file: str) -> tuple[Any, dict[str, PlanError]]:
    """Return the content of a catalog as :func:`read_yaml` does, and mistakes in its entries.

    An entry that is not valid YAML, or whose name is given twice, costs itself only.
    """
    try:
        return read_yaml(root, file), {}
    except PlanError:
        text = _read_text(root, file)
        entries = list(ENTRY.finditer(text))
        if not entries or PRELUDE.sub("", text[: entries[0].start()]):
            raise
    # Parse the entries one by one, each after as many lines, and anchors, as in the file.
    content: dict[str, Any] = {}
    mistakes: dict[str, PlanError] = {}
    before = "\n" * text[: entries[0].start()].count("\n")
    ends = [entry.start() for entry in entries[1:]]
    for entry, end in zip(entries, [*ends, len(text)], strict=True):
        name, part = entry["name"], text[entry.start() : end]
        has_anchor = "&" in part
        try:
            if name in content or name in mistakes:
                line = before.count("\n") + 1
                raise PlanError(f"{file}: line {line}: the key '{name}' {TWICE}")
            content[name] = _parse_text(before + part, file).popitem()[1]
        except PlanError as error:
            content.pop(name, None)
            mistakes[name], has_anchor = error, False
        before += part if has_anchor else "\n" * part.count("\n")
    return content, mistakes


def _read_text(root: Path, file: str) -> str:
    try:
        return (root / file).read_bytes().decode()
    except OSError as error:
        raise PlanError(f"{file}: cannot be read ({error.strerror}): restore the file") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise PlanError(f"{file}: line {line}: not UTF-8: save the file as UTF-8") from None


def _parse_text(text: str, file: str) -> Any:
    """Return the content of a text of YAML, or raise its mistake as one of ``file``."""
    try:
        return copy.deepcopy(_load(text))
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise PlanError(f"{file}: line {line}: {_forbid(error.character)}") from None
    except yaml.MarkedYAMLError as error:
        mark, n_lines = error.problem_mark, text.count("\n") + 1
        # Of a file that ends too early, libyaml names the line after the last.
        where = f"{file}: line {min(mark.line + 1, n_lines)}" if mark else file
        if isinstance(error, _Refused):
            raise PlanError(f"{where}: {error.problem}") from None
        remedy = "correct this line or one above it"
        raise PlanError(f"{where}: not valid YAML: {error.problem}: {remedy}") from None


def read_model(model: type[M], root: Path, file: str) -> M:
    """Read a YAML file below ``root`` as ``model``."""
    return parse(model, read_yaml(root, file), file)


def parse(model: type[M], value: Any, file: str) -> M:
    """Validate ``value`` as ``model``, or raise PlanError with file, key, value and remedy."""
    try:
        return model.model_validate(value)
    except ValidationError as failed:
        error = failed.errors()[0]  # the others often follow from it
    key = ".".join(str(part) for part in error["loc"] if _is_key(part))
    what = error["msg"].removeprefix("Value error, ")
    shown = "" if what.startswith("unknown key") else f" = {_shorten(error['input'])}"
    if error["type"] == "missing":
        shown, what = "", "this key is missing: add it"
    raise PlanError(f"{file}: {key}{shown}: {what}" if key else f"{file}: {what}")


MODELS = ("Choice", "Tune", "MethodEntry", "WrappedEntry")
BRANCHES = ("int", "constrained-int", "str", "float", "bool", *MODELS)


def _is_key(part: int | str) -> bool:
    """Tell keys and positions from the names that pydantic gives to branches of a union."""
    return part not in BRANCHES and re.fullmatch(r"[\w.{}+-]+", str(part)) is not None


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
