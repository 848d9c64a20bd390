"""From config, catalogs and studies to cells: what is to be computed, checked before it runs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nldr.engine.catalog import PUBLISHED, Catalog
from nldr.engine.expand import DataCell, MethodCell, Pair, data_cells, method_cells
from nldr.engine.layout import DATA, EMBEDDING, RESULTS, SCORES, cell_name, seed
from nldr.engine.specs import (
    SIZES,
    Config,
    MetricEntry,
    PlanError,
    Scale,
    Study,
    nearest,
    parse,
    read_yaml,
)

LARGE = 10_000  # points from which on a scorer uses several threads
RESERVED = ("all", "tables", "data", "embed", "score", "table", "figure")


@dataclass(frozen=True)
class StudyPlan:
    """A study at its scale."""

    name: str
    study: Study
    pairs: list[Pair]
    metrics: dict[str, tuple[str, MetricEntry]]

    def scorers(self) -> dict[str, str]:
        """Return each metric's scorer, with the rows that it sees where these are not all."""
        chosen = {} if self.study.score_on == "all" else {"rows": self.study.score_on}
        return {name: cell_name(s, chosen, {}) for name, (s, _) in self.metrics.items()}


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
        On the first mistake in config, catalog or study, naming file, key, value and remedy.
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
            study = read_yaml(Study, self.root, where).at(scale)
            yield path.stem, self._plan_study(path.stem, study, where)

    def _plan_study(self, name: str, study: Study, where: str) -> StudyPlan:
        data = [cell for c in study.datasets for cell in data_cells(c, self.catalog, where)]
        self.data |= {cell.cell: cell for cell in data}
        metrics = self._study_metrics(study, data, where)
        _check_names(study, list(self.catalog.methods), where)
        self.catalog.check_figure(study, where)
        pairs: dict[tuple[str, str], Pair] = {}
        for data_cell, choice in itertools.product(data, study.methods):
            for method_cell in method_cells(choice, study, data_cell, self.catalog, where):
                self.methods[method_cell.cell] = method_cell
                if not data_cell.suits(method_cell):
                    continue
                seeded = data_cell.seeded or method_cell.seeded
                pair = Pair(data_cell.cell, method_cell.cell, study.trials if seeded else 1)
                pairs[pair.data, pair.method] = pair
                self._raise_limits(pair, study, method_cell)
                if study.timing == "exclusive":
                    self._exclusive.add((pair.data, pair.method))
        return StudyPlan(name, study, list(pairs.values()), metrics)

    def _raise_limits(self, pair: Pair, study: Study, method: MethodCell) -> None:
        """Keep the largest limits that any study sets: the embedding is shared by all."""
        own = study.limits.get(method.name)
        seconds = (own and own.seconds) or method.entry.seconds
        memory_mb = (own and own.memory_mb) or method.entry.memory_mb
        known = self._limits.get((pair.data, pair.method), (0.0, 0))
        self._limits[pair.data, pair.method] = (max(known[0], seconds), max(known[1], memory_mb))

    def _study_metrics(
        self, study: Study, data: list[DataCell], where: str
    ) -> dict[str, tuple[str, MetricEntry]]:
        chosen = {}
        for name in study.metrics:
            if name not in self.catalog.metrics:
                remedy = nearest(name, list(self.catalog.metrics))
                raise PlanError(f"{where}: metrics: unknown metric '{name}': {remedy}")
            scorer_name, metric = self.catalog.metrics[name]
            needs = self.catalog.scorers[scorer_name].needs
            for cell in data:
                if not cell.has(needs):
                    raise PlanError(f"{where}: metrics: '{name}' needs {needs}, which dataset "
                                    f"'{cell.name}' lacks: drop one of the two")  # fmt: skip
                if study.score_on != "all" and not cell.split:
                    raise PlanError(f"{where}: score_on = {study.score_on}: dataset "
                                    f"'{cell.name}' is not split: give it n_train")  # fmt: skip
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
        """Return the file of a dataset that an embedding of ``trial`` stands on."""
        return DATA.format(data=data, trial=trial if self.data[data].seeded else 0)

    def data_files(self, data: str, trials: Iterable[int]) -> list[str]:
        """Return the distinct files of a dataset under ``trials``."""
        return list(dict.fromkeys(self.data_file(data, trial) for trial in trials))

    def data_job(self, data: str, trial: int) -> dict[str, Any]:
        """Return what the job that makes a dataset must know."""
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
            "split": self.data[data].split,
            "warm_up": cell.entry.warm_up,
            "attributes": cell.entry.attributes,
            "histories": cell.entry.histories,
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
            for p in plan.pairs for s in sorted(set(plan.scorers().values()))
        ]  # fmt: skip

    def score_job(self, scorer: str) -> dict[str, Any]:
        """Return what a job that scores must know; ``scorer`` may say the rows to be scored."""
        name, _, rows = scorer.partition("@rows=")
        entry = self.catalog.scorers[name]
        return {"function": entry.function, "params": entry.params, "rows": rows or "all"}

    def score_threads(self, data: str, scorer: str) -> int:
        """Return the cores that scoring a dataset may use."""
        large = (self.data[data].size("n_samples") or 0) >= LARGE
        return self.catalog.scorers[scorer.partition("@")[0]].threads if large else 1

    def study_embeddings(self, study: str) -> list[str]:
        """Return all embeddings of a study."""
        pairs = self.studies[study].pairs
        return [f for p in pairs for f in self.embedding_files(p.data, p.method, p.trials)]

    def panel_files(self, study: str) -> list[str]:
        """Return the datasets and embeddings that a study's figure shows, first trials only."""
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
            "metrics": plan.scorers(),
            "best_of": {
                name: {
                    "methods": group.methods,
                    "one_setting": group.one_setting,
                    "metric": plan.study.metrics[0],
                    "direction": plan.metrics[plan.study.metrics[0]][1].direction,
                }
                for name, group in plan.study.best_of.items()
            },
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
        shown: dict[str, tuple[str, str]] = {}
        for name, entry in methods.items():
            group = plan.study.group_of(name)
            if group is None:
                shown[name] = (entry.title, entry.role)
            else:
                shown[group] = (plan.study.best_of[group].title, "method")
        return {
            "title": plan.study.title,
            "function": plan.study.figure.function,
            "params": plan.study.figure.params,
            "published": plan.study.published and plan.study.published.model_dump(),
            "methods": {name: title for name, (title, _) in shown.items()},
            "roles": {name: role for name, (_, role) in shown.items()},
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


def _check_names(study: Study, known: list[str], where: str) -> None:
    """Raise if a study speaks of methods that there are not, or that it has not."""
    chosen = [choice.name for choice in study.methods]
    for name in chosen:
        if name not in known:
            raise PlanError(f"{where}: methods: unknown method '{name}': {nearest(name, known)}")
    for name in study.limits:
        if name not in chosen:
            raise PlanError(f"{where}: limits.{name}: the study has no such method: "
                            f"{nearest(name, chosen)}")  # fmt: skip
    for dataset, methods in study.per_dataset.items():
        if dataset not in (names := [choice.name for choice in study.datasets]):
            raise PlanError(f"{where}: per_dataset.{dataset}: the study has no such dataset: "
                            f"{nearest(dataset, names)}")  # fmt: skip
        for name in methods:
            if name not in chosen:
                raise PlanError(f"{where}: per_dataset.{dataset}.{name}: the study has no such "
                                f"method: {nearest(name, chosen)}")  # fmt: skip
    members = [name for group in study.best_of.values() for name in group.methods]
    for group, best in study.best_of.items():
        if group in known:
            raise PlanError(f"{where}: best_of.{group}: is the name of a method: choose another")
        for name in best.methods:
            if name not in chosen:
                raise PlanError(f"{where}: best_of.{group}: the study has no method '{name}': "
                                f"{nearest(name, chosen)}")  # fmt: skip
            if members.count(name) > 1:
                raise PlanError(f"{where}: best_of.{group}: '{name}' is named twice: once only")
