"""Checks of the names of files and of what a study mentions: mistakes are errors with a remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nldr.engine.reading.parsing import PlanError, read_yaml, require
from nldr.engine.reading.specs import Override, Study

BY_METHOD = ("limits", "fewer_trials", "per_dataset")  # keys of a study that name its methods


def yaml_files(folder: Path) -> list[Path]:
    """Return the files of a folder that are meant to be YAML, whatever their suffix."""
    # Hidden files and copies that editors make are meant for nobody.
    return sorted(p for p in folder.glob("[!.]*") if p.suffix.lower() in (".yml", ".yaml"))


def check_suffix(file: str) -> None:
    """Raise if a file of a catalog or study would be ignored for its suffix."""
    path = Path(file)
    if path.suffix != ".yaml":
        raise PlanError(f"{file}: only .yaml files are read: rename it to {path.stem}.yaml")


def check_name(name: object, others: Iterable[str], where: str) -> None:
    """Raise if a name cannot be that of a file, or is that of another one but for its case."""
    if not re.fullmatch(r"\w[\w .-]*", str(name)):
        rule = "names have letters, digits, _, -, . and spaces"
        raise PlanError(f"{where}: '{name}': {rule}: rename")
    for other in others:
        if other != name and other.casefold() == str(name).casefold():
            problem = "in case only, which some file systems do not tell apart: rename one of them"
            raise PlanError(f"{where}: '{name}': differs from '{other}' {problem}")


def check_reads_as_text(name: object, where: str) -> None:
    """Raise if a name would be read from a table as a number, a truth value or a missing one."""
    try:
        float(str(name))
    except ValueError:
        if str(name).casefold() not in ("true", "false", "null", "none", "na"):
            return
    problem = "tables hold names, and this one reads as a value that is no text: rename"
    raise PlanError(f"{where}: '{name}': {problem}")


def check_config(root: Path) -> None:
    """Raise if ``config.yaml`` has a key twice, which Snakemake accepts, or would be ignored."""
    for path in yaml_files(root):
        if path.stem.lower() == "config":
            check_suffix(path.name)
            read_yaml(root, path.name)


def check_names(
    study: Study, content: Mapping[str, Any], catalog_methods: list[str], where: str
) -> None:
    """Raise if a study mentions methods or datasets that it has at none of its scales.

    What it inherits may be about methods that it lacks; ``content`` is that of its own file.
    """
    for key in ("methods", "datasets", "metrics"):
        for version in (study, *study.scales.values()):
            named = getattr(version, key) or []
            twice = [choice for i, choice in enumerate(named) if choice in named[:i]]
            if twice:
                name = getattr(twice[0], "name", twice[0])
                raise PlanError(f"{where}: {key}: '{name}' is named twice: name it once")
    # Methods against the catalog; datasets are checked when they are expanded.
    methods, datasets = study.names_of("methods"), study.names_of("datasets")
    for name in methods:
        require(name, catalog_methods, f"{where}: methods: unknown method '{name}'")
    # Every other name against the choices of the study, at each scale.
    scales = content.get("scales") or {}
    versions: list[tuple[Study | Override, Mapping[str, Any]]] = [(study, content)]
    versions += [(version, scales.get(scale) or {}) for scale, version in study.scales.items()]
    for version, written in versions:
        mentioned = {key: getattr(version, key) or {} for key in BY_METHOD if key in written}
        for key in ("limits", "fewer_trials"):
            for name in mentioned.get(key, ()):
                require(name, methods, f"{where}: {key}.{name}: the study has no such method")
        for dataset, chosen in mentioned.get("per_dataset", {}).items():
            key = f"{where}: per_dataset.{dataset}"
            require(dataset, datasets, f"{key}: the study has no such dataset")
            for name in chosen:
                require(name, methods, f"{key}.{name}: the study has no such method")
        best_of = version.best_of or {}
        members = [name for best in best_of.values() for name in best.methods]
        for group, best in best_of.items():
            key = f"{where}: best_of.{group}"
            if group in catalog_methods:
                raise PlanError(f"{key}: is the name of a method: choose another")
            for name in best.methods:
                require(name, methods, f"{key}: the study has no method '{name}'")
                if members.count(name) > 1:
                    raise PlanError(f"{key}: '{name}' is named twice: name it once")
        for name in version.tune.untuned if version.tune else []:
            require(name, methods, f"{where}: tune.untuned: the study has no method '{name}'")
