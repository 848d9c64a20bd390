"""From config, catalogues and studies to cells: what is to be computed, checked before it runs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nldr.catalog import PUBLISHED, Catalog
from nldr.cells import DATA, EMBEDDING, RESULTS, SCORES, cell_name, seed
from nldr.datasets.transforms import RANDOM, TRANSFORMS
from nldr.models import (
    SIZES,
    Choice,
    Config,
    Dataset,
    Method,
    Metric,
    PlanError,
    Scale,
    Study,
    load,
    nearest,
    parse,
)

RESERVED = ("all", "tables", "data", "embed", "score", "table", "figure")


@dataclass(frozen=True)
class DataCell:
    """A data set with its parameters, those of transforms among them.

    ``seeded`` is False where all trials are the same.
    """

    cell: str
    name: str
    params: dict[str, Any]
    transforms: dict[str, Any]
    entry: Dataset
    seeded: bool

    def size(self, what: str) -> int | None:
        """Return ``n_samples``, ``n_features`` or ``n_latent`` before the data exist."""
        if what == "n_samples" and "subset" in self.transforms:
            return self.transforms["subset"]
        return self.entry.size(what, self.params)

    def has(self, needs: str | None) -> bool:
        """Tell whether the data set has what a method or metric needs."""
        return {None: True, "latent": self.entry.n_latent is not None,
                "labels": self.entry.labels}[needs]  # fmt: skip

    def suits(self, method: MethodCell) -> bool:
        """Tell whether a method has what it needs: labels, or a latent of enough dimensions."""
        needs = method.entry.needs
        enough = (self.size("n_latent") or 0) >= method.params["n_components"]
        return self.has(needs) and (needs != "latent" or enough)


@dataclass(frozen=True)
class MethodCell:
    """An estimator with its parameters; ``seeded`` is True where it has a ``random_state``."""

    cell: str
    name: str
    params: dict[str, Any]
    entry: Method
    seeded: bool


@dataclass(frozen=True)
class Pair:
    """A data set cell under a method cell, with the number of trials that a study asks for."""

    data: str
    method: str
    trials: int


@dataclass(frozen=True)
class StudyPlan:
    """A study at its scale."""

    name: str
    study: Study
    pairs: list[Pair]
    metrics: dict[str, tuple[str, Metric]]

    def scorers(self) -> list[str]:
        """Return the scorers that the study's metrics come from."""
        return sorted({scorer for scorer, _ in self.metrics.values()})


class Plan:
    """Everything that Snakemake is to build, by cell.

    Parameters
    ----------
    config : mapping
        The content of ``config.yaml``, command-line overrides included.
    root : Path
        The project's folder, which holds ``workflow/``.
    cache : Path
        Where the signatures of estimators are kept between runs.

    Attributes
    ----------
    data, methods : dict of str to DataCell or MethodCell
        All cells of all studies at the chosen scale.
    studies : dict of str to StudyPlan
    selected : list of str
        The studies that the config asks for.

    Raises
    ------
    PlanError
        On the first mistake in config, catalogue or study, naming file, key, value and remedy.
    """

    def __init__(self, config: Mapping[str, Any], root: Path, cache: Path) -> None:
        self.root = root
        self.config = parse(Config, dict(config), "config.yaml")
        self.catalog = Catalog(root, cache)
        self.data: dict[str, DataCell] = {}
        self.methods: dict[str, MethodCell] = {}
        self._limits: dict[tuple[str, str], tuple[float, int]] = {}
        self._exclusive: set[tuple[str, str]] = set()
        self.studies = dict(self._plan_studies(self.config.scale))
        self.catalog.signatures.save()
        self.selected = self._select()

    def _plan_studies(self, scale: Scale) -> Iterator[tuple[str, StudyPlan]]:
        for path in sorted((self.root / "workflow/studies").glob("*.yaml")):
            where = f"workflow/studies/{path.name}"
            if path.stem in RESERVED:
                raise PlanError(f"{where}: a study cannot be called '{path.stem}': rename the file")
            study = load(Study, self.root, where).at(scale)
            yield path.stem, self._plan_study(path.stem, study, where)

    def _plan_study(self, name: str, study: Study, where: str) -> StudyPlan:
        data = [cell for c in study.datasets for cell in self._data_cells(c, where)]
        metrics = self._study_metrics(study, data, where)
        for choice in study.methods:
            if choice.name not in self.catalog.methods:
                remedy = nearest(choice.name, list(self.catalog.methods))
                raise PlanError(f"{where}: methods: unknown method '{choice.name}': {remedy}")
        for key in study.limits:
            if key not in {choice.name for choice in study.methods}:
                remedy = nearest(key, [choice.name for choice in study.methods])
                raise PlanError(f"{where}: limits.{key}: the study has no such method: {remedy}")
        self.catalog.check_figure(study, where)
        pairs: dict[tuple[str, str], Pair] = {}
        for data_cell, choice in itertools.product(data, study.methods):
            for method_cell in self._method_cells(choice, study, data_cell, where):
                if not data_cell.suits(method_cell):
                    continue
                seeded = data_cell.seeded or method_cell.seeded
                pair = Pair(data_cell.cell, method_cell.cell, study.trials if seeded else 1)
                pairs[pair.data, pair.method] = pair
                self._raise_limits(pair, study, method_cell)
                if study.timing == "exclusive":
                    self._exclusive.add((pair.data, pair.method))
        return StudyPlan(name, study, list(pairs.values()), metrics)

    def _data_cells(self, choice: Choice, where: str) -> Iterator[DataCell]:
        entry = self.catalog.datasets.get(choice.name)
        if entry is None:
            remedy = nearest(choice.name, list(self.catalog.datasets))
            raise PlanError(f"{where}: datasets: unknown data set '{choice.name}': {remedy}")
        key = f"{where}: datasets.{choice.name}"
        self.catalog.check_params(key, entry.function, choice.params, also=TRANSFORMS)
        own = self.catalog.signatures[entry.function].parameters
        for params in _grid({**entry.params, **choice.params}, choice.params, key):
            for name in (*itertools.chain(*map(entry.named, SIZES)), "subset"):
                if name in params and not (type(params[name]) is int and params[name] > 0):
                    raise PlanError(f"{key}.{name} = {params[name]!r}: must be a positive whole "
                                    "number")  # fmt: skip
            cell = cell_name(choice.name, params, entry.params)
            transforms = {k: v for k, v in params.items() if k in TRANSFORMS and k not in own}
            seeded = "rng" in own or not transforms.keys().isdisjoint(RANDOM)
            self.data[cell] = DataCell(cell, choice.name, params, transforms, entry, seeded)
            yield self.data[cell]

    def _method_cells(
        self, choice: Choice, study: Study, data: DataCell, where: str
    ) -> Iterator[MethodCell]:
        entry = self.catalog.methods[choice.name]
        signature = self.catalog.signatures[entry.class_]
        key = f"{where}: methods.{choice.name}"
        chosen = {"n_components": study.n_components, **choice.params}
        self.catalog.check_params(key, entry.class_, chosen)
        for params in _grid({**entry.params, **chosen}, chosen, key):
            if params["n_components"] == "latent":
                params["n_components"] = data.size("n_latent")
                if params["n_components"] is None:
                    raise PlanError(f"{where}: n_components = latent: data set '{data.name}' has "
                                    "no known latent: give a number")  # fmt: skip
            most = min(data.size("n_samples") or 1, data.size("n_features") or 1)
            if type(params["n_components"]) is not int or not 0 < params["n_components"] <= most:
                raise PlanError(f"{key}.n_components = {params['n_components']}: {data.cell} "
                                f"allows 1 to {most}: lower it or drop the data set")  # fmt: skip
            cell = cell_name(choice.name, params, entry.params)
            self.methods[cell] = MethodCell(
                cell, choice.name, params, entry, "random_state" in signature.parameters
            )
            yield self.methods[cell]

    def _raise_limits(self, pair: Pair, study: Study, method: MethodCell) -> None:
        """Keep the largest limits that any study sets: the embedding is shared by all."""
        own = study.limits.get(method.name)
        seconds = (own and own.seconds) or method.entry.seconds
        memory_mb = (own and own.memory_mb) or method.entry.memory_mb
        known = self._limits.get((pair.data, pair.method), (0.0, 0))
        self._limits[pair.data, pair.method] = (max(known[0], seconds), max(known[1], memory_mb))

    def _study_metrics(
        self, study: Study, data: list[DataCell], where: str
    ) -> dict[str, tuple[str, Metric]]:
        chosen = {}
        for name in study.metrics:
            if name not in self.catalog.metrics:
                remedy = nearest(name, list(self.catalog.metrics))
                raise PlanError(f"{where}: metrics: unknown metric '{name}': {remedy}")
            scorer_name, metric = self.catalog.metrics[name]
            needs = self.catalog.scorers[scorer_name].needs
            for cell in data:
                if not cell.has(needs):
                    raise PlanError(f"{where}: metrics: '{name}' needs {needs}, which data set "
                                    f"'{cell.name}' lacks: drop one of the two")  # fmt: skip
            chosen[name] = (scorer_name, metric)
        return chosen

    def _select(self) -> list[str]:
        if self.config.studies == "all":
            return list(self.studies)
        for name in self.config.studies:
            if name not in self.studies:
                remedy = nearest(name, list(self.studies))
                raise PlanError(f"config.yaml: studies: unknown study '{name}': {remedy}")
        return list(self.config.studies)

    def data_file(self, data: str, trial: int) -> str:
        """Return the file of a data set that an embedding of ``trial`` stands on."""
        return DATA.format(data=data, trial=trial if self.data[data].seeded else 0)

    def data_files(self, data: str, trials: Iterable[int]) -> list[str]:
        """Return the distinct files of a data set under ``trials``."""
        return list(dict.fromkeys(self.data_file(data, trial) for trial in trials))

    def data_job(self, data: str, trial: int) -> dict[str, Any]:
        """Return what the job that makes a data set must know."""
        cell = self.data[data]
        takes_rng = "rng" in self.catalog.signatures[cell.entry.function].parameters
        return {
            "name": cell.name,
            "function": cell.entry.function,
            "params": {k: v for k, v in cell.params.items() if k not in cell.transforms},
            "seed": seed("data", cell.name, trial) if takes_rng else None,
            "transforms": cell.transforms,
            "transform_seed": seed("transform", cell.name, trial),
            "expect": {
                **{k: cell.size(k) for k in SIZES},
                "labels": cell.entry.labels,
            },
        }

    def embedding_job(self, data: str, method: str, trial: int) -> dict[str, Any]:
        """Return what the job that makes an embedding must know."""
        cell = self.methods[method]
        params = dict(cell.params)
        if cell.seeded:
            params.setdefault("random_state", seed("method", cell.name, trial) % 2**32)
        seconds, memory_mb = self._limits[data, method]
        return {
            "name": cell.name,
            "class": cell.entry.class_,
            "params": params,
            "needs": cell.entry.needs,
            "warm_up": cell.entry.warm_up,
            "threads": cell.entry.threads,
            "seconds": seconds,
            "memory_mb": memory_mb,
            "exclusive": self.alone(data, method),
        }

    def limits(self, data: str, method: str) -> tuple[float, int]:
        """Return the limits of an embedding in seconds and megabytes."""
        return self._limits[data, method]

    def alone(self, data: str, method: str) -> bool:
        """Tell whether nothing else may run beside an embedding, because a study times it."""
        return (data, method) in self._exclusive

    def threads(self, data: str, method: str, cores: int | None) -> int:
        """Return the cores an embedding occupies: all of them where timing is exclusive."""
        own = self.methods[method].entry.threads
        return max(own, cores or 1) if self.alone(data, method) else own

    def embedding_files(self, data: str, method: str, trials: int) -> list[str]:
        """Return the files of the first ``trials`` embeddings of a pair."""
        return [EMBEDDING.format(data=data, method=method, trial=t) for t in range(trials)]

    def score_files(self, study: str) -> list[str]:
        """Return all files of scores that a study's table stands on."""
        plan = self.studies[study]
        return [
            SCORES.format(data=p.data, method=p.method, scorer=s, trials=p.trials)
            for p in plan.pairs for s in plan.scorers()
        ]  # fmt: skip

    def study_embeddings(self, study: str) -> list[str]:
        """Return all embeddings of a study."""
        pairs = self.studies[study].pairs
        return [f for p in pairs for f in self.embedding_files(p.data, p.method, p.trials)]

    def panel_files(self, study: str) -> list[str]:
        """Return the data sets and embeddings that a study's figure shows, first trials only."""
        plan = self.studies[study]
        if not plan.study.figure.panels:
            return []
        data = [DATA.format(data=p.data, trial=0) for p in plan.pairs]
        shown = [EMBEDDING.format(data=p.data, method=p.method, trial=0) for p in plan.pairs]
        return list(dict.fromkeys(data)) + shown

    def published_files(self, study: str) -> list[str]:
        """Return the file of published numbers that a study compares with, if any."""
        published = self.studies[study].study.published
        if published is None:
            return []
        return [os.path.relpath(self.root / PUBLISHED / published.file)]

    def table_job(self, study: str) -> dict[str, Any]:
        """Return what the job that makes a study's tables must know."""
        plan = self.studies[study]
        published = plan.study.published
        return {
            "metrics": {name: scorer for name, (scorer, _) in plan.metrics.items()},
            "published": published and published.model_dump(),
            "pairs": [
                {
                    "data_cell": p.data, "dataset": self.data[p.data].name,
                    "data_params": self.data[p.data].params,
                    "method_cell": p.method, "method": self.methods[p.method].name,
                    "method_params": self.methods[p.method].params, "trials": p.trials,
                }
                for p in plan.pairs
            ],
        }  # fmt: skip

    def figure_job(self, study: str) -> dict[str, Any]:
        """Return what the job that draws a study must know."""
        plan = self.studies[study]
        methods = {self.methods[p.method].name: self.methods[p.method].entry for p in plan.pairs}
        return {
            "title": plan.study.title,
            "function": plan.study.figure.function,
            "params": plan.study.figure.params,
            "where": plan.study.published.where if plan.study.published else {},
            "methods": {name: entry.title for name, entry in methods.items()},
            "roles": {name: entry.role for name, entry in methods.items()},
            "datasets": {self.data[p.data].name: self.data[p.data].entry.title for p in plan.pairs},
            "metrics": {name: metric.model_dump() for name, (_, metric) in plan.metrics.items()},
        }


def make_plan(config: Mapping[str, Any], root: Path) -> Plan:
    """Plan for the current folder, and tell the jobs by environment variables what they need.

    They need the way to our sources, the process whose end ends them, and the folder of data.
    """
    cache = Path(".snakemake/nldr/signatures.json")
    if Path(RESULTS).exists() and not cache.exists():
        raise PlanError(
            f"{RESULTS}/ stands without .snakemake/, so nothing tells which code and parameters "
            f"made it: restore .snakemake/ or remove {RESULTS}/"
        )
    plan = Plan(config, root, cache)
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    os.environ["NLDR_RUN_PID"] = str(os.getpid())
    if plan.config.data_dir is not None:
        os.environ["NLDR_DATA_DIR"] = str(Path(plan.config.data_dir).expanduser().resolve())
    return plan


def _grid(params: dict[str, Any], chosen: Mapping[str, Any], where: str) -> Iterator[dict]:
    """Yield one dict of parameters for each point of the grid that lists in ``chosen`` span."""
    axes = {key: value for key, value in chosen.items() if isinstance(value, list)}
    for key, values in axes.items():
        if not values:
            raise PlanError(f"{where}.{key} = []: an empty grid: give at least one value")
    for point in itertools.product(*axes.values()):
        yield {**params, **dict(zip(axes, point, strict=True))}
