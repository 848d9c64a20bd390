"""The catalogs of datasets, methods and metrics, read and checked."""

from __future__ import annotations

import csv
import functools
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import RootModel

from nldr import shipped
from nldr.costs import COLUMNS, COSTS
from nldr.datasets.transforms import TRANSFORMS
from nldr.engine.code.fingerprint import Closure, closure
from nldr.engine.code.imports import Signature, SignatureCache
from nldr.engine.files.method_environments import COMMANDS, ENVIRONMENTS, version_of
from nldr.engine.reading import entries as models
from nldr.engine.reading.checks import check_name, check_reads_as_text, check_suffix
from nldr.engine.reading.claims import PUBLISHED
from nldr.engine.reading.entries import DatasetEntry, MethodEntry, MetricEntry, ScorerEntry
from nldr.engine.reading.layers import Layers
from nldr.engine.reading.parsing import PlanError, parse, read_entries, require
from nldr.engine.reading.specs import FigureSpec, PublishedSpec, Selection, Study
from nldr.tables import open_table

CATALOG = "workflow/catalog"
# Columns of a study's tables that no metric can have
TAKEN = (
    *("dataset", "data_cell", "method", "method_cell", "best_of"),
    *("trial", "status", "message", "selecting", "ok"),
    *COLUMNS,
)
E = TypeVar("E")
F = TypeVar("F")


class Catalog:
    """Datasets, methods and scorers by name, each checked to be importable.

    ``cache`` is a file that keeps signatures between runs. The modules of the project in the folder
    ``root`` may be in its folder ``src``. If ``builtin``, its entries are added to what comes with
    nldr.
    """

    def __init__(self, root: Path, cache: Path, builtin: bool = False) -> None:
        self.layers = Layers(root, shipped.root() if builtin else None)
        modules = root / "src"
        of_project = modules.is_dir() and not (modules / "nldr").is_dir()  # not of a checkout
        if of_project and str(modules) not in sys.path:
            sys.path.insert(0, str(modules))
        for file in self.layers.files(CATALOG):
            check_suffix(file)
        # By catalog and name: files of entries, and mistakes of those that are in no catalog
        self.files: dict[tuple[str, str], str] = {}
        self.broken: dict[tuple[str, str], PlanError] = {}
        self.code: dict[str, Closure] = {}  # behind each fingerprint that was asked for
        self.signatures = SignatureCache(cache, lambda path: self.fingerprint("", path))
        self.families = self._read(models.FamilyCatalog, "families")
        datasets = self._read(models.DatasetCatalog, "datasets")
        self.datasets = self._check_each("datasets", datasets, self._check_dataset)
        self._written = self._read(models.MethodCatalog, "methods")
        self._wrappers = self._read(models.WrapperCatalog, "wrappers")
        self.methods = self._check_each("methods", self._written, self._check_method)
        self.metrics: dict[str, tuple[str, MetricEntry]] = {}  # with the name of the scorer
        self.former_names: dict[str, str] = {}  # of metrics, to the present ones
        scorers = self._read(models.MetricCatalog, "metrics")
        self.scorers = self._check_each("metrics", scorers, self._check_scorer)

    def _read(self, model: type[RootModel[dict[str, E]]], kind: str) -> dict[str, E]:
        """Return the entries of one catalog, those that come with nldr first."""
        entries: dict[str, E] = {}
        for file in self.layers.versions(f"{CATALOG}/{kind}.yaml"):
            content, mistakes = read_entries(self.layers.root, file)
            # Entries are read one by one, so that a mistake costs its own entry.
            if not isinstance(content, dict):
                parse(model, content, file)
            for name, error in mistakes.items():
                self.files[kind, name], self.broken[kind, name] = file, error
                entries.pop(name, None)
            for name, value in content.items():
                former = self.files.setdefault((kind, name), file)
                try:
                    check_name(name, entries, file)
                    check_reads_as_text(name, file)
                    entries |= parse(model, {name: value}, file).root
                    if former != file:
                        problem = f"{former} has an entry of that name too: rename yours"
                        raise PlanError(f"{file}: {name}: {problem}")
                except PlanError as error:
                    self.broken[kind, name] = error
                    entries.pop(name, None)
        return entries

    def _check_each(
        self, kind: str, entries: Mapping[str, E], check: Callable[[str, str, E], F]
    ) -> dict[str, F]:
        """Return the entries that pass a check; the mistakes of the others are kept."""
        checked: dict[str, F] = {}
        for name, entry in entries.items():
            try:
                checked[name] = check(f"{self.files[kind, name]}: {name}", name, entry)
            except PlanError as error:
                self.broken[kind, name] = error
        return checked

    def check_broken(self, kind: str, name: str) -> None:
        """Raise the mistake of an entry that has one."""
        if error := self.broken.get((kind, name)):
            raise error

    def fingerprint(self, engine: str, path: str = "") -> str:
        """Return the fingerprint of the code behind an import path and a function of the engine."""
        code = self.closure(engine, path)
        self.code[code.fingerprint] = code
        return code.fingerprint

    @functools.cache  # noqa: B019 - a plan lives as long as its process
    def closure(self, engine: str, path: str = "") -> Closure:
        """Return all code behind an import path and a function of the engine."""
        return closure({name.rpartition(".")[0] for name in (engine, path) if name})

    def _check_dataset(self, where: str, _: str, dataset: DatasetEntry) -> DatasetEntry:
        """Raise unless the function can be imported and sizes name parameters with a size."""
        self._check_function(where, dataset.function, dataset.params)
        for size, parameter in ((s, p) for s in models.SIZES for p in dataset.named(s)):
            problem = f"{where}.{size} = '{parameter}': no parameter of that name"
            require(parameter, dataset.params, problem)
            default = dataset.params[parameter]
            if not (type(default) is int and default > 0):
                problem = f"{where}.params.{parameter} = {default!r}"
                raise PlanError(f"{problem}: must be a positive whole number")
        return dataset

    def _check_method(
        self, where: str, _: str, method: MethodEntry | models.WrappedEntry
    ) -> MethodEntry:
        """Raise unless the class is an estimator that has all parameters."""
        # A method that wraps another one has the mistakes of both.
        if isinstance(method, models.WrappedEntry):
            self.check_broken("wrappers", method.wrap)
            self.check_broken("methods", method.method)
            method = method.unwrapped(self._written, self._wrappers, where)
        signature = self._imported(f"{where}.class", method.class_)
        if not signature.estimator:
            problem = "is not an estimator: it needs get_params and fit_transform"
            raise PlanError(f"{where}.class = '{method.class_}': {problem}")
        self.check_params(f"{where}.params", method.class_, method.params)
        if method.environment is not None:
            version = version_of(self.environment_folder(where, method.environment))
            params = {"environment": version, **method.params}
            method = method.model_copy(update={"params": params})
        self.check_broken("families", method.family)
        problem = f"{where}.family = '{method.family}': not in {CATALOG}/families.yaml"
        require(method.family, self.families, problem)
        return method

    def environment_folder(self, where: str, name: str) -> Path:
        """Return the folder of an environment, or raise if it has no command."""
        for command in COMMANDS:
            file = self.layers.find(f"{ENVIRONMENTS}/{name}/{command}")
            if file.is_file() and (command == "run.py" or os.access(file, os.X_OK)):
                return file.parent
        problem = f"{ENVIRONMENTS}/{name} needs a command: run.py, or an executable file run"
        raise PlanError(f"{where}.environment = '{name}': {problem}")

    def _check_scorer(self, where: str, name: str, scorer: ScorerEntry) -> ScorerEntry:
        """Raise unless the function can be imported and the names of metrics are new."""
        self._check_function(where, scorer.function, scorer.params)
        metrics, former_names = _expand_metrics(scorer, where)
        for metric in metrics:
            if metric in TAKEN:
                problem = "tables have another column of that name: rename the metric"
                raise PlanError(f"{where}.metrics.{metric}: {problem}")
            if metric in self.metrics:
                other = self.metrics[metric][0]
                problem = f"'{other}' in {self.files['metrics', other]} has the metric '{metric}'"
                raise PlanError(f"{where}.metrics.{metric}: {problem} too: rename yours")
        self.metrics |= {metric: (name, entry) for metric, entry in metrics.items()}
        self.former_names |= former_names
        return scorer

    def look_of(self, method: MethodEntry) -> dict[str, object]:
        """Return the look of a method, which its family decides."""
        facts = self.families[method.family].model_dump(include={"color", "marker"})
        return {**facts, "variant": method.variant, "control": method.role == "control"}

    def _check_function(self, where: str, path: str, params: Mapping[str, object]) -> None:
        self._imported(f"{where}.function", path)
        self.check_params(f"{where}.params", path, params)

    def _imported(self, where: str, path: str) -> Signature:
        """Return the signature of the object at an import path, or raise if there is none."""
        try:
            signature = self.signatures[path]
        except PlanError as error:  # a module of the user that is not Python
            raise PlanError(f"{where} = '{path}': {error}") from None
        if signature.error is not None:
            problem = f"cannot be imported ({signature.error}): install it or correct the path"
            raise PlanError(f"{where} = '{path}': {problem}")
        return signature

    def check_params(
        self, where: str, path: str, params: Mapping[str, object], also: Iterable[str] = ()
    ) -> None:
        """Raise if the object at an import path takes no parameter of one of these names."""
        signature = self.signatures[path]
        parameters = [*signature.parameters, *also]
        for key, value in params.items():
            if not signature.open:
                require(key, parameters, f"{where}.{key}: {path} has no parameter '{key}'")
            for one in value if isinstance(value, list) else [value]:
                if key in signature.numbers and (one is None or isinstance(one, dict)):
                    raise PlanError(f"{where}.{key} = {one!r}: must be a number")

    def check_selection(self, select: Selection, study: Study, where: str) -> None:
        """Raise if cells are selected by a name or parameter that a study does not have."""
        for name in select.datasets or []:
            problem = f"{where}.datasets: the study has no dataset '{name}'"
            require(name, study.names_of("datasets"), problem)
        for name in select.methods or []:
            competing = [*study.names_of("methods"), *study.best_of]
            require(name, competing, f"{where}.methods: the study has no method '{name}'")
        for parameter in select.where:
            self._check_parameter(parameter, study, f"{where}.where.{parameter}")

    def _check_parameter(self, parameter: str, study: Study, key: str) -> None:
        """Raise unless a column of a study's tables, such as ``data.noise``, is a parameter."""
        datasets, methods = study.names_of("datasets"), study.names_of("methods")
        functions = [self.datasets[name].function for name in datasets if name in self.datasets]
        classes = [self.methods[name].class_ for name in methods if name in self.methods]
        takes = {
            "data": ("dataset", functions, TRANSFORMS),
            "method": ("method", classes, ("n_components",)),
        }
        kind, dot, name = parameter.partition(".")
        if kind not in takes or not dot:
            raise PlanError(f"{key}: write data.{parameter} or method.{parameter}")
        owner, paths, also = takes[kind]
        signatures = [self.signatures[path] for path in paths]
        if not any(signature.open for signature in signatures):
            names = {*also, *itertools.chain(*(s.parameters for s in signatures))}
            problem = f"{key}: no {owner} of the study has such a parameter"
            require(name, sorted(names), problem)

    def check_figure(self, figure: FigureSpec, where: str) -> None:
        """Raise if the function of a figure cannot be imported or lacks a parameter."""
        signature = self._imported(f"{where}.function", figure.function)
        code, key = self.closure("", figure.function), f"{where}.function = '{figure.function}'"
        if not code.sources and "matplotlib" not in code.distributions:
            why = "is in no module of nldr or this project, nor of a package that uses Matplotlib"
            raise PlanError(f"{key}: {why}: name one of nldr.figures, or one in src")
        if signature.parameters[:1] != ["results"]:
            why = "does not draw a study: the first parameter of such a function is called results"
            raise PlanError(f"{key}: {why}")
        self.check_params(f"{where}.params", figure.function, figure.params)

    def check_published(
        self, published: PublishedSpec, metrics: list[str], study: Study, where: str
    ) -> None:
        """Raise if a file of published numbers, or a column that a study names, is missing."""
        name, key = f"{PUBLISHED}/{published.file}", f"{where}.file = '{published.file}'"
        file = self.layers.find(name)
        if not file.is_file():
            folders = filter(None, (self.layers.root, self.layers.builtin))
            files = {path.name for folder in folders for path in (folder / PUBLISHED).glob("*.csv")}
            require(published.file, sorted(files), f"{key}: no such file in {PUBLISHED}")
        theirs = self.layers.builtin and self.layers.builtin / name
        if theirs and theirs.is_file() and theirs != file:
            raise PlanError(f"{name}: {theirs} has that name too: rename yours")
        try:
            with open_table(file) as table:
                columns = csv.DictReader(table).fieldnames or []
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            problem = f"is not a CSV file in UTF-8 ({error}): correct or replace it"
            raise PlanError(f"{key}: {problem}") from None
        numbers = [published.n_trials] if isinstance(published.n_trials, str) else []
        numbers += itertools.chain(*published.values.values())
        for column in [*published.keys, *numbers]:
            require(column, columns, f"{where}: {published.file} has no column '{column}'")
        for metric in (name for name in published.values if name not in COSTS):
            require(metric, metrics, f"{where}.values.{metric}: the study has no such metric")
        for metric in published.margins:
            require(metric, published.values, f"{where}.margins.{metric}: not among the values")
        columns_of_ours = [(f"keys.{key} = '{ours}'", ours) for key, ours in published.keys.items()]
        columns_of_ours += [(f"where.{ours}", ours) for ours in published.where]
        for key, ours in columns_of_ours:
            if "." in ours:
                self._check_parameter(ours, study, f"{where}.{key}")
            else:
                problem = f"{where}.{key}: our tables have no such column"
                require(ours, ("dataset", "method"), problem)


def _expand_metrics(
    scorer: ScorerEntry, where: str
) -> tuple[dict[str, MetricEntry], dict[str, str]]:
    """Return all metrics of a scorer, one for each value of ``{k}``, and former names of them."""
    metrics: dict[str, MetricEntry] = {}
    former_names: dict[str, str] = {}
    lists = {k: v for k, v in scorer.params.items() if isinstance(v, list)}
    for pattern, metric in scorer.metrics.items():
        key = f"{where}.metrics.{pattern}"
        keys = [k for k in lists if f"{{{k}}}" in pattern]
        for values in itertools.product(*(lists[k] for k in keys)):
            chosen = dict(zip(keys, values, strict=True))
            name, title = _fill(pattern, chosen, key), _fill(metric.title, chosen, key)
            if name in metrics:
                raise PlanError(f"{key}: the metric '{name}' is named twice: name it once")
            metrics[name] = metric.model_copy(update={"title": title})
            if metric.former_name is not None:
                former_names[_fill(metric.former_name, chosen, key)] = name
    return metrics, former_names


def _fill(text: str, values: Mapping[str, object], where: str) -> str:
    """Return a text with each name in braces replaced by its value."""
    try:
        return text.format(**values)
    except (LookupError, ValueError, AttributeError):
        problem = "has braces without a list of values: add it to params, or remove them"
        raise PlanError(f"{where}: '{text}' {problem}") from None
