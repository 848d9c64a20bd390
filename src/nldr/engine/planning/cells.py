"""The cells of a run: config, catalogs and studies, checked and expanded, with files and jobs."""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from nldr.claims.jobs import PrintedNumbers
from nldr.engine.files.layout import DATA, EMBEDDINGS, SCORES, Outputs, scorers_name, seed
from nldr.engine.jobs.specs import DataJob, EmbedJob, Limits, ScoreJob, ScoresJob
from nldr.engine.planning.catalog import Catalog
from nldr.engine.planning.claims import grow_studies, printed_numbers, read_claims, read_trials
from nldr.engine.planning.expand import DataCell, MethodCell, Pair
from nldr.engine.planning.studies import FOLDER as STUDIES
from nldr.engine.planning.studies import RESERVED, Scoring, StudyPlan, plan_studies
from nldr.engine.reading.claims import PUBLISHED, Claim
from nldr.engine.reading.entries import SIZES
from nldr.engine.reading.parsing import PlanError, parse, require
from nldr.engine.reading.specs import Config

LARGE = 10_000  # number of points from which a scorer uses several threads


class Cells:
    """All cells of a run, their files and the jobs that make them.

    ``config`` is the content of ``config.yaml`` with overrides of the command line, ``root`` the
    project's folder, and ``cache`` a file that keeps the signatures of estimators between runs.

    Raises PlanError on the first mistake in the config, or in a study that it asks for by name.
    """

    def __init__(self, config: Mapping[str, object], root: Path, cache: Path) -> None:
        self.root = root
        self.config = parse(Config, dict(config), "config.yaml")
        self.outputs = Outputs(self.config.scale)  # files of the scale
        self.catalog = Catalog(root, cache, self.config.builtin)
        self.studies: dict[str, StudyPlan] = {}  # all at this scale, and their cells by name
        self.data: dict[str, DataCell] = {}
        self.methods: dict[str, MethodCell] = {}
        self.scorings: dict[str, Scoring] = {}  # scorers with the rows that they see
        self.owners: dict[str, str] = {}  # the study of each figure
        self.limits: dict[tuple[str, str], Limits] = {}  # of embeddings
        self.exclusive: set[tuple[str, str]] = set()  # run without other jobs, to be timed
        self._metrics: dict[str, set[str]] = {}
        self.scorer_sets: dict[str, list[str]] = {}  # the scorings of each set
        # Studies are planned one by one; equal cells of several studies become one. Those with a
        # mistake are kept apart, and so are claims if they have one: the others can be built.
        self.broken: dict[str, PlanError] = {}
        self.claims_mistake: PlanError | None = None
        for name, study in plan_studies(self.catalog, self.config.scale):
            if isinstance(study, PlanError):
                self.broken[name] = study
            else:
                self._add(study)
        # Mistakes in entries of catalogs that no study uses
        used = set(self.broken.values())
        self.unused_mistakes = [e for e in self.catalog.broken.values() if e not in used]
        planned: dict[str, StudyPlan | None] = dict.fromkeys(self.broken) | self.studies
        self.claims: dict[str, Claim] = {}
        try:
            self.claims = read_claims(planned, self.catalog, self.config.studies)
        except PlanError as error:  # told when claims are asked for
            self.claims_mistake = error
        # Trials that a stopping rule has reached
        self.claim_trials = self._trials_at(self.config.scale)
        grow_studies(self.studies, self.claims, self.claim_trials)
        self.catalog.signatures.save()
        # All studies, or the project's own with ``studies: own``; those that the config asks for
        layers = self.catalog.layers
        project = {Path(file).stem for file in layers.files(STUDIES) if layers.owns(file)}
        chosen = self.studies if self.config.studies == "all" else project
        self.everything = [name for name in self.studies if name in chosen]
        self.selected = self._select()

    def refused(self) -> dict[str, PlanError]:
        """Return what can be asked for and has a mistake, by name."""
        studies = {name: error for name, error in self.broken.items() if name not in RESERVED}
        return studies | ({"claims": self.claims_mistake} if self.claims_mistake else {})

    def _add(self, plan: StudyPlan) -> None:
        """Merge a study's cells with those of the others."""
        self.studies[plan.name] = plan
        self.data |= plan.data
        self.methods |= plan.methods
        for metric, scoring in plan.scorings.items():
            self.scorings[scoring.name] = scoring
            self._metrics.setdefault(scoring.name, set()).add(metric)
        scorings = self.scorings_of(plan.name)
        self.scorer_sets[scorers_name(scorings)] = scorings
        self.owners |= dict.fromkeys(plan.figures, plan.name)
        for pair in plan.pairs:
            # Of several limits the largest holds: the embedding is shared by all studies.
            method = self.methods[pair.method]
            limits = plan.study.limits.get(method.name)
            seconds = (limits and limits.seconds) or method.entry.seconds
            memory_mb = (limits and limits.memory_mb) or method.entry.memory_mb
            old = self.limits.get(pair.cell, Limits(0, 0))
            largest = Limits(max(old.seconds, seconds), max(old.memory_mb, memory_mb))
            self.limits[pair.cell] = largest
            if plan.study.timing == "exclusive":
                self.exclusive.add(pair.cell)

    def full_size(self, study: str) -> StudyPlan:
        """Return a study at scale ``paper``, which tells cells of full size from reduced ones."""
        studies = self.studies if self.config.scale == "paper" else self._full_size
        # Where scale paper has a mistake, no cell is of full size.
        return studies.get(study) or replace(self.studies[study], pairs=[])

    @functools.cached_property
    def _full_size(self) -> dict[str, StudyPlan]:
        planned = plan_studies(self.catalog, "paper")
        studies = {name: plan for name, plan in planned if not isinstance(plan, PlanError)}
        grow_studies(studies, self.claims, self._trials_at("paper"))
        return studies

    def _trials_at(self, scale: str) -> dict[tuple[str, str], int]:
        trials = read_trials(self.catalog.layers).items()
        return {(claim, basis): number for (claim, basis, at), number in trials if at == scale}

    def _select(self) -> list[str]:
        if self.config.studies in ("all", "own"):
            # Those with environments of their own only if these may be installed.
            apart = {n for n, cell in self.methods.items() if cell.entry.environment}
            apart = set() if self.config.environments else apart
            return [n for n in self.everything if not apart & {*self.studies[n].methods}]
        if self.config.studies == "headline":
            return [name for name in self.everything if self.studies[name].study.headline]
        for name in self.config.studies:
            if name in self.broken:
                raise self.broken[name]
            require(name, self.studies, f"config.yaml: studies: unknown study '{name}'")
        return list(self.config.studies)

    def reported(self) -> list[str]:
        """Return the studies of the report: those selected, and those that earlier runs built."""
        table = self.outputs.table
        built = {name for name in self.studies if Path(table.format(study=name)).is_file()}
        return [name for name in self.studies if name in built or name in self.selected]

    def data_file(self, data: str, trials: int) -> str:
        """Return the manifest of the dataset that embeddings of ``trials`` trials need."""
        return DATA.format(data=data, trials=trials if self.data[data].seeded else 1)

    def data_job(self, data: str, trials: int) -> DataJob:
        """Return the job that makes the trials of a dataset."""
        cell = self.data[data]
        entry = cell.entry
        takes_rng = "rng" in self.catalog.signatures[entry.function].parameters
        return DataJob(
            name=cell.name,
            function=entry.function,
            params={k: v for k, v in cell.params.items() if k not in cell.transforms},
            seeds=[seed("data", cell.name, t) if takes_rng else None for t in range(trials)],
            transforms=cell.transforms,
            transform_seeds=[seed("transform", cell.name, t) for t in range(trials)],
            expected={**{k: cell.size(k) for k in SIZES}, "labels": entry.labels},
            limits=Limits(entry.seconds, entry.memory_mb),
            code=self.catalog.fingerprint(DataJob.runs, entry.function),
        )

    def embed_job(self, data: str, method: str, trials: int) -> EmbedJob:
        """Return the job that computes the embeddings of a cell."""
        cell = self.methods[method]
        return EmbedJob(
            name=cell.name,
            estimator=cell.entry.class_,
            params=cell.params,
            random_states=[
                seed("method", cell.name, t) % 2**32 if cell.seeded else None for t in range(trials)
            ],
            needs=cell.entry.needs,
            split=self.data[data].split,
            warm_up=cell.entry.warm_up,
            attributes=cell.entry.attributes,
            histories=cell.entry.histories,
            threads=cell.entry.threads,
            exclusive=(data, method) in self.exclusive,
            limits=self.limits[data, method],
            code=self.catalog.fingerprint(EmbedJob.runs, cell.entry.class_),
        )

    def embedding_file(self, data: str, method: str, trials: int) -> str:
        """Return the manifest of a cell's embeddings."""
        return EMBEDDINGS.format(data=data, method=method, trials=trials)

    def score_file(self, pair: Pair, study: str) -> str:
        """Return the manifest of the scores of a pair that a study needs."""
        return SCORES.format(scorers=self.scorers(study), **pair._asdict())

    def scorers(self, study: str) -> str:
        """Return the name of the set of scorers of a study."""
        return scorers_name(self.scorings_of(study))

    def scorings_of(self, study: str) -> list[str]:
        """Return the names of the scorings that a study needs."""
        return sorted({scoring.name for scoring in self.studies[study].scorings.values()})

    def score_files(self, study: str) -> list[str]:
        """Return the manifests of scores that a study's table is made from, cell by cell."""
        return [self.score_file(pair, study) for pair in self.studies[study].pairs]

    def scores_job(self, data: str, scorers: str, trials: int) -> ScoresJob:
        """Return the job that scores all trials of a cell by a set of scorers."""
        size = self.data[data].size("n_samples") or 0
        jobs = [self.score_job(name, size >= LARGE) for name in self.scorer_sets[scorers]]
        return ScoresJob(jobs, trials)

    def score_job(self, name: str, large: bool = False) -> ScoreJob:
        """Return the job that scores one trial by one scorer."""
        scoring = self.scorings[name]
        entry = scoring.entry
        return ScoreJob(
            name=name,
            function=entry.function,
            params=entry.params,
            rows=scoring.rows,
            half=scoring.half,
            metrics=sorted(self._metrics[name]),
            uses=[used + name.removeprefix(scoring.scorer) for used in entry.uses],
            threads=entry.threads if large else 1,
            limits=Limits(entry.seconds, entry.memory_mb),
            code=self.catalog.fingerprint(ScoreJob.runs, entry.function),
        )

    def study_embeddings(self, study: str) -> list[str]:
        """Return the manifests of all embeddings of a study, cell by cell."""
        return [self.embedding_file(*p.cell, p.trials) for p in self.studies[study].pairs]

    def published_files(self, study: str) -> list[str]:
        """Return the file of published numbers that a study compares with, if any."""
        published = self.studies[study].study.published
        if published is None:
            return []
        return [os.path.relpath(self.catalog.layers.find(f"{PUBLISHED}/{published.file}"))]

    @functools.cached_property
    def printed_numbers(self) -> list[PrintedNumbers]:
        """The files of published numbers of the project's studies, with what decides them."""
        specs = [self.studies[name].study.published for name in self.everything]
        files = {spec.file for spec in specs if spec}
        numbers = printed_numbers(self.studies, self.broken, self.catalog)
        return [printed for printed in numbers if printed.name in files]

    def claim_studies(self) -> list[str]:
        """Return the studies from which claims are decided, in order; named ones if any are."""
        claims = self.claims.values()
        used = {way.study for claim in claims for way in claim.decided().values()}
        chosen = self.everything if self.config.studies == "headline" else self.selected
        return [study for study in self.studies if study in used and study in chosen]

    def decides_claims(self, studies: Collection[str]) -> bool:
        """Return whether studies have cells of a claim."""
        return bool({*self.claim_studies()} & {*studies})

    def figure_files(self, study: str) -> list[str]:
        """Return the files of all figures of a study."""
        return [self.outputs.figure.format(figure=name) for name in self.studies[study].figures]

    def verdict_files(self, study: str) -> list[str]:
        """Return the verdicts on a study's published numbers, if it declares any."""
        declared = self.studies[study].study.published is not None
        return [self.outputs.verdicts.format(study=study)] if declared else []

    def files(self, study: str) -> list[str]:
        """Return the files that a study ends in: its figures and verdicts."""
        return self.figure_files(study) + self.verdict_files(study)

    def panels(self, figure: str) -> list[Pair]:
        """Return the cells whose points a figure shows."""
        plan = self.studies[self.owners[figure]]
        return plan.figure_pairs(figure) if plan.figures[figure].panels else []

    def panel_data_files(self, figure: str) -> list[str]:
        """Return the manifests of the datasets that a figure shows.

        They have as many trials as the embeddings of the study need, so that no others are made.
        """
        trials = {pair.data: pair.trials for pair in self.panels(figure)}
        return [self.data_file(data, number) for data, number in trials.items()]

    def panel_embeddings(self, figure: str) -> list[str]:
        """Return the manifests of the embeddings that a figure shows."""
        return [self.embedding_file(*pair.cell, pair.trials) for pair in self.panels(figure)]
