"""Studies, read, checked and expanded to cells."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from nldr.claims.jobs import PublishedJoin
from nldr.engine.files.layout import cell_name
from nldr.engine.jobs.specs import SELECTING, Cell, Half, MethodGroup, Rows
from nldr.engine.planning.catalog import Catalog
from nldr.engine.planning.expand import DataCell, MethodCell, Pair, data_cells, keeps, method_cells
from nldr.engine.planning.groups import count_settings, make_groups
from nldr.engine.reading.checks import check_name, check_names, check_suffix
from nldr.engine.reading.entries import MetricEntry, ScorerEntry
from nldr.engine.reading.layers import Layers
from nldr.engine.reading.parsing import PlanError, parse, read_yaml, require
from nldr.engine.reading.specs import FigureSpec, Scale, Selection, Study, extend

FOLDER = "workflow/studies"
MAX_TRIALS = 1_000_000  # of a study
STAGES = ("data", "embed", "score", "table", "verdict", "figure", "claims", "report")
# Names of rules and of groups of studies, which no study or figure can have
RESERVED = ("all", "headline", "own", "tables", "no_such_name", *STAGES)


class Scoring(NamedTuple):
    """A scorer and the rows that it sees: all, training or test rows, or a random half of them."""

    name: str
    scorer: str
    entry: ScorerEntry
    rows: Rows
    half: Half | None


@dataclass(frozen=True)
class StudyPlan:
    """A study at its scale, with its cells."""

    name: str
    study: Study
    whole: Study  # with what it has at other scales
    data: dict[str, DataCell]  # its cells by name
    methods: dict[str, MethodCell]
    metrics: dict[str, tuple[Scoring, MetricEntry]]  # each metric with the scoring that yields it
    selecting: dict[str, Scoring]  # metrics that select a setting on rows that are not scored
    pairs: list[Pair]  # method cells on dataset cells, in order
    groups: dict[str, MethodGroup]
    figures: dict[str, FigureSpec]  # its figures by file name

    @property
    def scorings(self) -> dict[str, Scoring]:
        """The scoring that yields each metric, those that only select a setting included."""
        return {name: scoring for name, (scoring, _) in self.metrics.items()} | self.selecting

    def cells(self) -> list[Cell]:
        """Return the cells as the study's table needs them."""
        return [
            Cell(d.name, d.cell, m.name, m.cell, d.params, m.params, p.trials, p.scored, p.first)
            for p, d, m in self.pairs_with_cells()
        ]

    def pairs_with_cells(self) -> Iterator[tuple[Pair, DataCell, MethodCell]]:
        """Yield each pair with its dataset and method."""
        return ((p, self.data[p.data], self.methods[p.method]) for p in self.pairs)

    def exact_cells(self) -> list[tuple[str, str]]:
        """Return the cells without random numbers."""
        return [p.cell for p, d, m in self.pairs_with_cells() if not (d.seeded or m.seeded)]

    def published_join(self) -> PublishedJoin | None:
        """Return the published numbers to compare with; both sides may use names or titles."""
        if self.study.published is None:
            return None
        # Names for the best of several go before the methods that compete, which may share a title.
        best = {name: best.title for name, best in self.study.best_of.items()}
        titles = {"dataset": self.dataset_titles(), "method": best | self.method_titles()}
        return PublishedJoin(titles=titles, **self.study.published.model_dump(exclude={"file"}))

    def method_titles(self) -> dict[str, str]:
        """Return the titles of methods, and of names for the best of several, by name."""
        best = {name: best.title for name, best in self.study.best_of.items()}
        return {cell.name: cell.entry.title for cell in self.methods.values()} | best

    def dataset_titles(self) -> dict[str, str]:
        """Return the titles of datasets by name."""
        return {cell.name: cell.entry.title for cell in self.data.values()}

    def metric_facts(self) -> dict[str, dict[str, object]]:
        """Return the metrics with label, title, range and direction."""
        return {name: entry.model_dump() for name, (_, entry) in self.metrics.items()}

    def group_of(self, method: str) -> str | None:
        """Return the name under which a method is a candidate for the best, if any."""
        return next((name for name, g in self.groups.items() if method in g.methods), None)

    def figure_pairs(self, figure: str) -> list[Pair]:
        """Return the cells that a figure shows."""
        return self.chosen(self.figures[figure].select)

    def chosen(self, select: Selection) -> list[Pair]:
        """Return the cells that a selection keeps."""
        cells = self.pairs_with_cells()
        return [pair for pair, d, m in cells if keeps(select, d, m, self.group_of(m.name))]

    def shown_methods(self, figure: str) -> dict[str, tuple[str, str]]:
        """Return the methods that a figure shows: name → title, and the method it is drawn as.

        The title of a tuned method, and of the best of several, tells how many settings it had, and
        whether the scores themselves selected it. A name for several is drawn as the first of them.
        """
        # All settings of the study competed, also those that the figure leaves out.
        settings = count_settings((d.cell, m) for _, d, m in self.pairs_with_cells())
        shown: dict[str, tuple[str, str]] = {}
        for method in (self.methods[pair.method] for pair in self.figure_pairs(figure)):
            name = self.group_of(method.name) if self.figures[figure].tuned else None
            if name is None:
                shown.setdefault(method.name, (method.entry.title, method.name))
                continue
            best = self.study.best_of.get(name)
            number = sum(settings.get(member, 0) for member in self.groups[name].methods)
            title = best.title if best else method.entry.title
            how = "best of" if self.groups[name].selected_on == "scores" else "tuned over"
            counted = f"{title}, {how} {number}" if number > 1 else title
            shown.setdefault(name, (counted, best.methods[0] if best else method.name))
        return shown


def plan_studies(catalog: Catalog, scale: Scale) -> Iterator[tuple[str, StudyPlan | PlanError]]:
    """Yield name and plan of all studies at a scale, or the mistake in a study that has one."""
    # Figures are files of one folder: their names are unique among all studies.
    owners: dict[str, str] = {}
    files: dict[str, list[str]] = {}
    for file in catalog.layers.files(FOLDER):
        files.setdefault(Path(file).stem, []).append(file)
    for name, (file, *others) in files.items():
        try:
            if others:
                raise PlanError(f"{others[0]}: {file} is a study of that name too: rename yours")
            plan = _plan_file(file, catalog, scale)
            _claim_names(plan, owners, files)
            yield name, plan
        except PlanError as error:
            yield name, error


def _plan_file(where: str, catalog: Catalog, scale: Scale) -> StudyPlan:
    name = Path(where).stem
    check_suffix(where)
    check_name(name, (Path(file).stem for file in catalog.layers.files(FOLDER)), where)
    if name in RESERVED:
        raise PlanError(f"{where}: a study cannot be called '{name}': rename the file")
    whole = read_study(catalog.layers, where)
    # Names are checked on the whole study: a scale may leave some of them out.
    for kind in ("datasets", "methods"):
        for chosen in whole.names_of(kind):
            catalog.check_broken(kind, chosen)
    check_names(whole, read_yaml(catalog.layers.root, where), list(catalog.methods), where)
    return _plan_study(name, whole, scale, catalog, where)


def _claim_names(plan: StudyPlan, owners: dict[str, str], files: Mapping[str, list[str]]) -> None:
    """Note which study owns each figure; raise if another one does already."""
    for figure in plan.figures:
        key = _figure_key(files[plan.name][0], plan.name, figure)
        check_name(figure, [*owners, *plan.figures], key)
        if figure in RESERVED:
            raise PlanError(f"{key}: a figure cannot be called '{figure}': rename it")
        if figure in owners:
            (other,) = files[owners[figure]]
            raise PlanError(f"{key}: {other} has a figure of that name too: rename one of them")
        if figure != plan.name and figure in files:
            raise PlanError(f"{key}: a study has that name too: rename the figure")
    owners |= dict.fromkeys(plan.figures, plan.name)


def read_study(layers: Layers, where: str) -> Study:
    """Return the study of a file, completed by the study that it extends."""
    # Merge before validation, so that errors name this file.
    content = read_yaml(layers.root, where)
    if not isinstance(content, dict) or "extends" not in content:
        return parse(Study, content, where)
    files = {Path(file).stem: file for file in layers.files(FOLDER) if file.endswith(".yaml")}
    name = content["extends"]
    require(name, files, f"{where}: extends: unknown study '{name}'")
    base = read_yaml(layers.root, files[name])
    if files[name] == where:
        raise PlanError(f"{where}: extends: '{name}' is the study itself: name another")
    if "extends" in base:
        other = base["extends"]
        raise PlanError(f"{where}: extends: '{name}' itself extends '{other}': extend that one")
    return parse(Study, extend(content, base), where)


def _plan_study(name: str, whole: Study, scale: Scale, catalog: Catalog, where: str) -> StudyPlan:
    """Expand a study at a scale to cells and check what it needs."""
    study = whole.at(scale)
    chosen = [cell for c in study.datasets for cell in data_cells(c, catalog, where)]
    metrics = _study_metrics(study, chosen, catalog, where)
    for select in (whole.select, *(version.select for version in whole.scales.values())):
        catalog.check_selection(select or Selection(), whole, f"{where}: select")
    if study.published:
        catalog.check_published(study.published, list(metrics), whole, f"{where}: published")

    # Cross datasets and methods; drop what the selection or a missing latent excludes.
    data: dict[str, DataCell] = {}
    methods: dict[str, MethodCell] = {}
    pairs: dict[tuple[str, str], Pair] = {}
    for data_cell, choice in itertools.product(chosen, study.methods):
        for method_cell in method_cells(choice, study, data_cell, catalog, where):
            if keeps(study.select, data_cell, method_cell, None) and data_cell.suits(method_cell):
                data[data_cell.cell], methods[method_cell.cell] = data_cell, method_cell
                pair = _pair(data_cell, method_cell, study, where)
                pairs[pair.data, pair.method] = pair
    if not pairs:
        raise PlanError(f"{where}: no cell is left: select less, or choose other methods")
    if (total := sum(pair.trials for pair in pairs.values())) > MAX_TRIALS:
        problem = f"{len(pairs)} cells are {total} trials, more than {MAX_TRIALS}: ask for fewer"
        raise PlanError(f"{where}: trials = {study.trials}: {problem}")
    # Names for the best of several cells.
    candidates = [(pair.data, methods[pair.method]) for pair in pairs.values()]
    entries = {metric: entry for metric, (_, entry) in metrics.items()}
    groups = make_groups(study, candidates, entries, where)
    selecting = {}
    if study.tune and study.tune.selection == "rows":
        judges = [group.metric for group in groups.values()]
        selecting = {SELECTING + name: _half(metrics[name][0], "selecting") for name in judges}
        metrics = {name: (_half(s, "scored"), entry) for name, (s, entry) in metrics.items()}

    # Figures, each with a selection that must leave some cell.
    named = ({} if study.figure is None else {name: study.figure}) | study.figures
    figures = {key: figure.at(scale) for key, figure in named.items()}
    plan = StudyPlan(
        name, study, whole, data, methods, metrics, selecting, [*pairs.values()], groups, figures
    )
    for figure, spec in figures.items():
        key = _figure_key(where, name, figure)
        catalog.check_figure(spec, key)
        catalog.check_selection(spec.select, whole, f"{key}.select")
        if not plan.figure_pairs(figure):
            raise PlanError(f"{key}.select: no cell is left: select less")
    return plan


def _pair(data: DataCell, method: MethodCell, study: Study, where: str) -> Pair:
    """Return a method cell on a dataset cell with its trials, further ones for selection."""
    tune = study.tune
    trials, first = study.trials, study.first_trial
    trials = min(trials, study.fewer_trials.get(method.name, trials))
    if trials <= first:
        raise PlanError(f"{where}: first_trial = {first}: of {trials} trials, none is left")
    scored, first = (trials, first) if data.seeded or method.seeded else (1, 0)
    if tune is None or not tune.selection_trials or method.name in tune.untuned:
        return Pair(data.cell, method.cell, scored, scored, first)
    # Trials that share their data are no test of a selection.
    if not data.seeded:
        key = f"{where}: tune.selection_trials = {tune.selection_trials}"
        problem = f"all trials of dataset '{data.name}' have the same data"
        remedy = "set tune.select_on: rows, or give it a random subset"
        raise PlanError(f"{key}: {problem}: {remedy}")
    return Pair(data.cell, method.cell, scored + tune.selection_trials, scored, first)


def _half(scoring: Scoring, half: Half) -> Scoring:
    """Return a scorer that sees a random half of the rows."""
    return scoring._replace(name=f"{scoring.name}@half={half}", half=half)


def _figure_key(where: str, study: str, figure: str) -> str:
    return f"{where}: figure" if figure == study else f"{where}: figures.{figure}"


def _study_metrics(
    study: Study, data: list[DataCell], catalog: Catalog, where: str
) -> dict[str, tuple[Scoring, MetricEntry]]:
    """Return a study's metrics with their scorings, checked against its datasets."""
    chosen = {}
    for named in study.metrics:
        name = catalog.former_names.get(named, named)
        # A metric may be unknown because its scorer has a mistake.
        for kind, entry_name in catalog.broken if name not in catalog.metrics else ():
            if kind == "metrics":
                catalog.check_broken(kind, entry_name)
        require(name, catalog.metrics, f"{where}: metrics: unknown metric '{name}'")
        # Each dataset must have what the metric needs.
        scorer, metric = catalog.metrics[name]
        entry = catalog.scorers[scorer]
        for cell in data:
            if not cell.has(entry.needs):
                problem = f"'{name}' needs {entry.needs}, which dataset '{cell.name}' lacks"
                raise PlanError(f"{where}: metrics: {problem}: drop one of the two")
        # Rows are part of the name of a scoring, as parameters are of a cell's.
        rows = {} if study.score_on == "all" else {"rows": study.score_on}
        scoring = Scoring(cell_name(scorer, rows, {}), scorer, entry, study.score_on, None)
        chosen[name] = (scoring, metric)
    # Each dataset must have the rows, too.
    for cell in data:
        key = f"{where}: score_on = {study.score_on}: dataset '{cell.name}'"
        if study.score_on in ("train", "test") and not cell.split:
            raise PlanError(f"{key} is not split: give it n_train")
        if study.score_on == "observed" and "missing" in cell.params:
            problem = "has missing values, with which no metric can compare"
            raise PlanError(f"{key} {problem}: remove one of the two")
    return chosen
