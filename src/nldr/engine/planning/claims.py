"""Claims and printed numbers of the papers: what decides each of them."""

from __future__ import annotations

import os
from collections.abc import Collection, Container, Mapping
from dataclasses import replace

from nldr.claims.conventions import contestants_of, metrics_of, with_bounds
from nldr.claims.jobs import NumberCause, NumberCells, PrintedNumbers
from nldr.costs import COSTS
from nldr.engine.planning.catalog import Catalog
from nldr.engine.planning.expand import Pair
from nldr.engine.planning.studies import StudyPlan
from nldr.engine.reading import claims as models
from nldr.engine.reading.checks import check_suffix
from nldr.engine.reading.claims import CAUSES, DECIDERS, PUBLISHED, Claim, Evaluation
from nldr.engine.reading.layers import Layers
from nldr.engine.reading.parsing import PlanError, read_model, require
from nldr.engine.reading.values import Choice

FOLDER = "workflow/claims"
REGISTERED = f"{FOLDER}/registered.json"
AMENDMENTS = f"{FOLDER}/amendments.csv"  # changes of tests since they were registered, in order
TRIALS = f"{FOLDER}/trials.csv"  # that a stopping rule has reached
Key = tuple[str, str]  # dataset and method cell, or claim and basis


def read_claims(
    planned: Mapping[str, StudyPlan | None], catalog: Catalog, studies: str | list[str] = "all"
) -> dict[str, Claim]:
    """Return all claims by name, paper by paper.

    ``planned`` has all studies, None for one that has a mistake itself. Claims that come with nldr
    are read if all ``studies`` are asked for. Raises PlanError on the first mistake.
    """
    claims: dict[str, Claim] = {}
    files: dict[str, str] = {}
    layers = catalog.layers
    for where in layers.files(FOLDER):
        if studies != "all" and not layers.owns(where):
            continue
        check_suffix(where)
        file = read_model(models.ClaimFile, layers.root, where)
        for name, spec in file.claims.items():
            if name == "all":
                problem = "'nldr claim all' shows every claim: rename this one"
                raise PlanError(f"{where}: claims.all: {problem}")
            if name in claims:
                problem = f"{files[name]} has a claim of that name too: rename one of them"
                raise PlanError(f"{where}: claims.{name}: {problem}")
            files[name] = where
            claims[name] = Claim(paper=file.title, **dict(spec))
            _check_claim(spec, f"{where}: {name}", planned, catalog)
    return claims


def _check_claim(
    claim: models.ClaimSpec, where: str, planned: Mapping[str, StudyPlan | None], catalog: Catalog
) -> None:
    """Raise if a claim names a study, cell, test, parameter or metric that does not exist."""
    for basis, evaluation in claim.decided().items():
        key = f"{where}.{basis}"
        require(evaluation.study, planned, f"{key}.study: unknown study '{evaluation.study}'")
        study = planned[evaluation.study]
        if study is not None:
            catalog.check_selection(evaluation.select, study.whole, f"{key}.select")
        for test in evaluation.tests:
            _check_test(test, f"{key}.tests", catalog)
            if study is not None:
                _check_names(test, f"{key}.tests", study)


def _check_test(test: Choice, where: str, catalog: Catalog) -> None:
    signature = catalog.signatures[test.name]
    if signature.error is not None:
        raise PlanError(f"{where}: '{test.name}' cannot be imported ({signature.error})")
    catalog.check_params(where, test.name, test.params)
    try:
        with_bounds(test.params)
    except ValueError as error:
        raise PlanError(f"{where}: {error}") from None


def _check_names(test: Choice, where: str, study: StudyPlan) -> None:
    """Raise if a test names a metric, method or dataset that the study does not have."""
    # A metric of the study, a cost, or a number that the fit recorded
    for metric in metrics_of(test.params):
        if not metric.startswith("fit."):
            columns = [*study.metrics, *COSTS]
            require(metric, columns, f"{where}: the study has no metric '{metric}'")
    for method in contestants_of(test.params, "methods"):
        names = [*study.whole.names_of("methods"), *study.whole.best_of]
        require(method, names, f"{where}: the study has no method '{method}'")
    for dataset in contestants_of(test.params, "datasets"):
        names = study.whole.names_of("datasets")
        require(dataset, names, f"{where}: the study has no dataset '{dataset}'")


def read_registered(layers: Layers) -> dict[str, dict[str, models.Registration]]:
    """Return what is registered of each claim and basis; nothing if the project has no file."""
    file = layers.find(REGISTERED)
    if not file.is_file():
        return {}
    try:
        return models.Registered.validate_json(file.read_bytes())
    except ValueError as error:
        raise PlanError(f"{REGISTERED}: {error}: restore it, or: nldr register") from None


def read_trials(layers: Layers) -> dict[tuple[str, str, str], int]:
    """Return the trials that the stopping rule has reached, by claim, basis and scale."""
    rows = layers.rows(TRIALS)
    try:
        return {(row["claim"], row["basis"], row["scale"]): int(row["trials"]) for row in rows}
    except (KeyError, ValueError):
        columns = "needs the columns claim, basis, scale and trials"
        raise PlanError(f"{TRIALS}: {columns}: restore or delete it") from None


def selected_cells(study: StudyPlan, evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return the cells of a study from which a claim is decided."""
    return [pair.cell for pair in study.chosen(evaluation.select)]


def competing_cells(study: StudyPlan, cells: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the other cells of a study that are candidates in the same contests as ``cells``.

    In a contest, the settings of a tuned method, or several methods under one name, compete to be
    reported as the best. So a claim about the best one needs all of them.
    """

    def contest(data: str, method: str) -> tuple[str | None, str] | None:
        # Dataset and name of the group; None for a method that is in no group
        group = study.group_of(study.methods[method].name)
        if group is None:
            return None
        # With one setting for all datasets, there is one contest in place of one for each.
        return None if study.groups[group].one_setting else data, group

    chosen, contests = {*cells}, {contest(*cell) for cell in cells} - {None}
    others = [pair.cell for pair in study.pairs if pair.cell not in chosen]
    return [cell for cell in others if contest(*cell) in contests]


def deciding_cells(study: StudyPlan, evaluation: Evaluation) -> set[Key]:
    """Return the cells that a claim needs: those selected, and all that compete with them."""
    cells = selected_cells(study, evaluation)
    return {*cells, *(competing_cells(study, cells) if evaluation.tuned else ())}


def grow_studies(
    studies: dict[str, StudyPlan], claims: Mapping[str, Claim], trials: Mapping[Key, int]
) -> None:
    """Give cells of studies the trials that a stopping rule has reached, by claim and basis."""
    for (name, basis), number in trials.items():
        evaluation = claims[name].decided().get(basis) if name in claims else None
        if evaluation is not None and evaluation.study in studies:
            study = studies[evaluation.study]
            cells = deciding_cells(study, evaluation)
            pairs = [_grown(study, p, number) if p.cell in cells else p for p in study.pairs]
            studies[study.name] = replace(study, pairs=pairs)


def _grown(study: StudyPlan, pair: Pair, trials: int) -> Pair:
    """Return a pair with the trials of a stopping rule, if they are more and anything is random."""
    seeded = study.data[pair.data].seeded or study.methods[pair.method].seeded
    if trials <= pair.scored or not seeded:
        return pair
    return pair._replace(trials=trials + pair.trials - pair.scored, scored=trials)


def printed_numbers(
    studies: Mapping[str, StudyPlan], broken: Container[str], catalog: Catalog
) -> list[PrintedNumbers]:
    """Return all files of published numbers that studies compare with, by name.

    ``broken`` names studies with a mistake, which decide nothing. Raises PlanError if it is not
    clear which cells decide a number.
    """
    # A project that names a file says all about it.
    deciders = catalog.layers.read(models.Deciders, DECIDERS)
    causes = catalog.layers.read(models.Causes, CAUSES)
    # Studies by the file that they compare with
    comparing: dict[str, dict[str, StudyPlan]] = {}
    for name, study in studies.items():
        if study.study.published is not None:
            comparing.setdefault(study.study.published.file, {})[name] = study
    files = []
    for file, plans in sorted(comparing.items()):
        # A file of times has nothing to decide.
        deciding = [decider.study for decider in deciders.get(file, [])]
        if columns := _columns(plans, deciding, catalog):
            path = os.path.relpath(catalog.layers.find(f"{PUBLISHED}/{file}"))
            if file not in deciders and len(plans) > 1:
                problem = f"{' and '.join(plans)} compare with it"
                remedy = f"name in {DECIDERS} which of them decides"
                raise PlanError(f"{PUBLISHED}/{file}: {problem}: {remedy}")
            chosen = deciders.get(file, [models.StudyCells(study=name) for name in plans])
            where = f"{DECIDERS}: {file}"
            cells = [_cells(d, plans, where) for d in chosen if d.study not in broken]
            reasons = []
            for name, c in causes.items():
                if c.file == file and not (c.variant and c.variant.study in broken):
                    where = f"{CAUSES}: {name}.variant"
                    variant = _cells(c.variant, plans, where) if c.variant else None
                    cause = NumberCause(name, c.hypothesis, c.where, variant, c.impossible, c.each)
                    reasons.append(cause)
            files.append(PrintedNumbers(file, path, columns, cells, reasons))
    return files


def _columns(
    plans: Mapping[str, StudyPlan], deciding: Container[str], catalog: Catalog
) -> dict[str, str]:
    """Return the columns of a file that hold numbers, with our metrics; times are left out."""
    # Where studies compare a column with several metrics, the last one, which decides, counts.
    names = sorted(plans, key=lambda name: name in deciding)
    specs = [spec for name in names if (spec := plans[name].study.published)]
    values = [item for spec in specs for item in spec.values.items()]
    return {columns[0]: metric for metric, columns in values if metric in catalog.metrics}


def _cells(chosen: models.StudyCells, plans: Mapping[str, StudyPlan], where: str) -> NumberCells:
    problem = f"{where}: study '{chosen.study}' does not compare with this file"
    require(chosen.study, plans, problem)
    pairs = plans[chosen.study].chosen(chosen.select)
    return NumberCells(chosen.study, [f"{pair.data}/{pair.method}" for pair in pairs])
