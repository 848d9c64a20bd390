"""The plan of a run: config, catalogs and studies become cells, and cells become jobs and files.

Everything is checked here, before the first job starts.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nldr.engine.catalog import PUBLISHED, Catalog
from nldr.engine.expand import DataCell, MethodCell
from nldr.engine.jobs.specs import (
    Cell,
    DataJob,
    EmbedJob,
    FigureJob,
    Look,
    PublishedJoin,
    ScoreJob,
    TableJob,
)
from nldr.engine.layout import DATA, EMBEDDING, FIGURE, RESULTS, SCORES, seed
from nldr.engine.reading import PlanError, nearest, parse
from nldr.engine.specs import SIZES, Config, MethodEntry
from nldr.engine.studies import Scoring, StudyPlan, plan_studies

LARGE = 10_000  # number of points from which a scorer uses several threads


class Plan:
    """Everything that Snakemake is to build, by cell.

    Parameters
    ----------
    config : mapping
        The content of ``config.yaml``, command-line overrides included.
    root : Path
        The project's folder, which holds ``workflow/``.
    cache : Path
        File that keeps the signatures of estimators between runs.

    Attributes
    ----------
    studies : dict of str to StudyPlan
        All studies at the chosen scale.
    data, methods : dict of str to DataCell or MethodCell
        All their cells.
    scorings : dict of str to Scoring
        All scorers with the rows that they see.
    owners : dict of str to str
        The study of each figure.
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
        self.studies: dict[str, StudyPlan] = {}
        self.data: dict[str, DataCell] = {}
        self.methods: dict[str, MethodCell] = {}
        self.scorings: dict[str, Scoring] = {}
        self.owners: dict[str, str] = {}
        self._limits: dict[tuple[str, str], tuple[float, int]] = {}
        self._exclusive: set[tuple[str, str]] = set()
        # Studies are planned one by one; equal cells of several studies become one.
        for study in plan_studies(root, self.catalog, self.config.scale):
            self._add(study)
        self.catalog.signatures.save()
        self.selected = self._select()

    def _add(self, plan: StudyPlan) -> None:
        """Merge a study's cells with those of the others."""
        self.studies[plan.name] = plan
        self.data |= plan.data
        self.methods |= plan.methods
        self.scorings |= {scoring.name: scoring for scoring, _ in plan.metrics.values()}
        self.owners |= dict.fromkeys(plan.figures, plan.name)
        for pair in plan.pairs:
            # Of several limits the largest holds: the embedding is shared by all studies.
            method = self.methods[pair.method]
            own = plan.study.limits.get(method.name)
            seconds = (own and own.seconds) or method.entry.seconds
            memory_mb = (own and own.memory_mb) or method.entry.memory_mb
            known = self._limits.get((pair.data, pair.method), (0.0, 0))
            largest = (max(known[0], seconds), max(known[1], memory_mb))
            self._limits[pair.data, pair.method] = largest
            if plan.study.timing == "exclusive":
                self._exclusive.add((pair.data, pair.method))

    def _select(self) -> list[str]:
        if self.config.studies == "all":
            return list(self.studies)
        for name in self.config.studies:
            if name not in self.studies:
                remedy = nearest(name, list(self.studies))
                raise PlanError(f"config.yaml: studies: unknown study '{name}': {remedy}")
        return list(self.config.studies)

    # --- datasets and embeddings --------------------------------------------------------------

    def data_file(self, data: str, trial: int) -> str:
        """Return the dataset file that an embedding of ``trial`` is computed from."""
        return DATA.format(data=data, trial=trial if self.data[data].seeded else 0)

    def data_files(self, data: str, trials: Iterable[int]) -> list[str]:
        """Return the distinct files of a dataset for ``trials``."""
        return list(dict.fromkeys(self.data_file(data, trial) for trial in trials))

    def data_job(self, data: str, trial: int) -> DataJob:
        """Return the job that makes one trial of a dataset."""
        cell = self.data[data]
        takes_rng = "rng" in self.catalog.signatures[cell.entry.function].parameters
        return DataJob(
            name=cell.name,
            function=cell.entry.function,
            params={k: v for k, v in cell.params.items() if k not in cell.transforms},
            seed=seed("data", cell.name, trial) if takes_rng else None,
            transforms=cell.transforms,
            transform_seed=seed("transform", cell.name, trial),
            expected={**{k: cell.size(k) for k in SIZES}, "labels": cell.entry.labels},
            code=self.catalog.fingerprint("data.py", cell.entry.function),
        )

    def embed_job(self, data: str, method: str, trial: int) -> EmbedJob:
        """Return the job that computes one embedding."""
        cell = self.methods[method]
        # A random state in the catalog or study goes before the seed of the trial.
        params = dict(cell.params)
        if cell.seeded:
            params.setdefault("random_state", seed("method", cell.name, trial) % 2**32)
        seconds, memory_mb = self._limits[data, method]
        return EmbedJob(
            name=cell.name,
            estimator=cell.entry.class_,
            params=params,
            needs=cell.entry.needs,
            split=self.data[data].split,
            warm_up=cell.entry.warm_up,
            attributes=cell.entry.attributes,
            histories=cell.entry.histories,
            threads=cell.entry.threads,
            seconds=seconds,
            memory_mb=memory_mb,
            exclusive=self.is_exclusive(data, method),
            code=self.catalog.fingerprint("embed.py", cell.entry.class_),
        )

    def limits(self, data: str, method: str) -> tuple[float, int]:
        """Return the limits of an embedding in seconds and megabytes."""
        return self._limits[data, method]

    def is_exclusive(self, data: str, method: str) -> bool:
        """Return whether an embedding runs without other jobs, because a study times it."""
        return (data, method) in self._exclusive

    def threads(self, data: str, method: str, cores: int | None) -> int:
        """Return the cores an embedding occupies: all of them where timing is exclusive."""
        own = self.methods[method].entry.threads
        return max(own, cores or 1) if self.is_exclusive(data, method) else own

    def embedding_files(self, data: str, method: str, trials: int) -> list[str]:
        """Return the files of the first ``trials`` embeddings of a cell."""
        return [EMBEDDING.format(data=data, method=method, trial=t) for t in range(trials)]

    # --- scores and tables --------------------------------------------------------------------

    def score_files(self, study: str) -> list[str]:
        """Return all files of scores that a study's table is made from, cell by cell."""
        # The order is that of `TableJob.cells` and `TableJob.scorings`.
        plan = self.studies[study]
        scorings = sorted({scoring.name for scoring, _ in plan.metrics.values()})
        return [
            SCORES.format(data=pair.data, method=pair.method, scorer=name, trials=pair.trials)
            for pair in plan.pairs
            for name in scorings
        ]

    def score_job(self, scoring: str) -> ScoreJob:
        """Return the job that scores all trials of a cell."""
        known = self.scorings[scoring]
        code = self.catalog.fingerprint("score.py", known.entry.function)
        return ScoreJob(known.entry.function, known.entry.params, known.rows, code)

    def score_threads(self, data: str, scoring: str) -> int:
        """Return the cores that scoring a dataset may use."""
        large = (self.data[data].size("n_samples") or 0) >= LARGE
        return self.scorings[scoring].entry.threads if large else 1

    def study_embeddings(self, study: str) -> list[str]:
        """Return the files of all embeddings of a study, cell by cell."""
        pairs = self.studies[study].pairs
        return [f for p in pairs for f in self.embedding_files(p.data, p.method, p.trials)]

    def published_files(self, study: str) -> list[str]:
        """Return the file of published numbers that a study compares with, if any."""
        published = self.studies[study].study.published
        if published is None:
            return []
        return [os.path.relpath(self.root / PUBLISHED / published.file)]

    def table_job(self, study: str) -> TableJob:
        """Return the job that makes a study's tables."""
        plan = self.studies[study]
        cells = [
            Cell(
                dataset=self.data[p.data].name,
                data_cell=p.data,
                method=self.methods[p.method].name,
                method_cell=p.method,
                data_params=self.data[p.data].params,
                method_params=self.methods[p.method].params,
                trials=p.trials,
            )
            for p in plan.pairs
        ]
        return TableJob(
            cells=cells,
            metrics={name: scoring.name for name, (scoring, _) in plan.metrics.items()},
            groups=plan.groups,
            published=self._published_join(plan),
            code=self.catalog.fingerprint("table.py"),
        )

    def _published_join(self, plan: StudyPlan) -> PublishedJoin | None:
        """Return the numbers to compare with; both sides may use names or titles."""
        spec = plan.study.published
        if spec is None:
            return None
        datasets = {cell.name: cell.entry.title for cell in plan.data.values()}
        methods = {cell.name: cell.entry.title for cell in plan.methods.values()}
        best = {name: best.title for name, best in plan.study.best_of.items()}
        titles = {"dataset": datasets, "method": best | methods}
        return PublishedJoin(spec.keys, spec.names, spec.where, spec.values, titles)

    # --- figures ------------------------------------------------------------------------------

    def figure_files(self, study: str) -> list[str]:
        """Return the files of all figures of a study."""
        return [FIGURE.format(figure=figure) for figure in self.studies[study].figures]

    def targets(self) -> dict[str, list[str]]:
        """Return what can be asked for by name: all figures of a study, or one figure."""
        studies = {name: self.figure_files(name) for name in self.studies}
        return {figure: [FIGURE.format(figure=figure)] for figure in self.owners} | studies

    def panel_data(self, figure: str) -> list[str]:
        """Return the dataset cells whose points a figure shows."""
        plan = self.studies[self.owners[figure]]
        if not plan.figures[figure].panels:
            return []
        return list(dict.fromkeys(pair.data for pair in plan.figure_pairs(figure)))

    def panel_data_files(self, figure: str) -> list[str]:
        """Return the files of these datasets, first trials only."""
        return [DATA.format(data=data, trial=0) for data in self.panel_data(figure)]

    def panel_embeddings(self, figure: str) -> list[str]:
        """Return the files of the embeddings that a figure shows, first trials only."""
        plan = self.studies[self.owners[figure]]
        if not plan.figures[figure].panels:
            return []
        pairs = plan.figure_pairs(figure)
        return [EMBEDDING.format(data=p.data, method=p.method, trial=0) for p in pairs]

    def _look(self, method: MethodEntry) -> Look:
        """Return the look of a method, which its family decides."""
        family = self.catalog.families[method.family]
        return Look(family.color, family.marker, method.variant, method.role == "control")

    def figure_job(self, figure: str) -> FigureJob:
        """Return the job that draws a figure."""
        plan = self.studies[self.owners[figure]]
        spec, pairs = plan.figures[figure], plan.figure_pairs(figure)
        shown = plan.shown_methods(figure)
        drawn_as = {name: self.catalog.methods[like] for name, (_, like) in shown.items()}
        return FigureJob(
            title=spec.title or plan.study.title,
            function=spec.function,
            params=spec.params,
            cells=[(pair.data, pair.method) for pair in pairs],
            panels=self.panel_data(figure),
            groups=list(plan.groups),
            tuned=spec.tuned,
            methods={name: title for name, (title, _) in shown.items()},
            datasets={self.data[p.data].name: self.data[p.data].entry.title for p in pairs},
            roles={name: entry.role for name, entry in drawn_as.items()},
            looks={name: self._look(entry) for name, entry in drawn_as.items()},
            metrics={name: metric.model_dump() for name, (_, metric) in plan.metrics.items()},
            published=self._published_join(plan),
            code=self.catalog.fingerprint("figure.py", spec.function),
        )


def make_plan(config: Mapping[str, Any], root: Path) -> Plan:
    """Plan a run in the current folder and set the environment variables that its jobs read.

    Jobs need PYTHONPATH, the PID of the run (they end when it ends), and the folder of data.
    """
    cache = Path(".snakemake/nldr/signatures.json")
    if Path(RESULTS).exists() and not cache.exists():
        raise PlanError(
            f"{RESULTS}/ exists but .snakemake/ is missing, so the code and parameters that made "
            f"it are unknown: restore .snakemake/ or remove {RESULTS}/"
        )
    plan = Plan(config, root, cache)
    # Jobs inherit the environment of this process.
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(root / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    os.environ["NLDR_RUN_PID"] = str(os.getpid())
    if plan.config.data_dir is not None:
        os.environ["NLDR_DATA_DIR"] = str(Path(plan.config.data_dir).expanduser().resolve())
    return plan
