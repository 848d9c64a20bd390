"""Claims of the papers: how each is decided, read from ``workflow/claims/<paper>.yaml``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from nldr.claims.conventions import metrics_of, with_bounds
from nldr.costs import COSTS
from nldr.engine.planning.catalog import Catalog
from nldr.engine.planning.expand import Pair
from nldr.engine.planning.studies import StudyPlan
from nldr.engine.reading.checks import check_suffix
from nldr.engine.reading.claims import (
    Claim,
    ClaimFile,
    ClaimSpec,
    Evaluation,
    Registered,
    Registration,
    Test,
)
from nldr.engine.reading.layers import Layers
from nldr.engine.reading.parsing import PlanError, nearest, read_model, require
from nldr.tables import read_csv

FOLDER = "workflow/claims"
REGISTERED, AMENDMENTS = f"{FOLDER}/registered.json", f"{FOLDER}/amendments.csv"
TRIALS = f"{FOLDER}/trials.csv"  # that a stopping rule has reached
TrialsKey = tuple[str, str, str]  # claim, basis and scale
Key = tuple[str, str]  # dataset and method cell, or claim and basis


def read_claims(
    planned: Mapping[str, StudyPlan | None], catalog: Catalog, studies: str | list[str] = "all"
) -> dict[str, Claim]:
    """Return all claims by name, paper by paper.

    ``planned`` has all studies, None for one that has a mistake itself. Claims that come with nldr
    are read if all ``studies`` are asked for.

    Raises
    ------
    PlanError
        On the first mistake, naming file, key, value and remedy: a claim that does not fit the
        model, or that names a study, cell, test, parameter or metric that does not exist.
    """
    claims: dict[str, Claim] = {}
    files: dict[str, str] = {}
    layers = catalog.layers
    for where in layers.files(FOLDER):
        if studies != "all" and not layers.owns(where):
            continue
        check_suffix(where)
        file = read_model(ClaimFile, layers.root, where)
        for name, spec in file.claims.items():
            if name in claims:
                raise PlanError(
                    f"{where}: claims.{name}: {files[name]} has a claim of that name "
                    "too: rename one of them"
                )
            files[name] = where
            claims[name] = Claim(paper=file.title, **dict(spec))
            _check_claim(spec, f"{where}: {name}", planned, catalog)
    return claims


def _check_claim(
    claim: ClaimSpec, where: str, planned: Mapping[str, StudyPlan | None], catalog: Catalog
) -> None:
    """Raise if a claim names a study, cell, test, parameter or metric that does not exist."""
    for basis, evaluation in claim.evaluations().items():
        if isinstance(evaluation, str):
            continue
        key = f"{where}.{basis}"
        if evaluation.study not in planned:
            raise PlanError(
                f"{key}.study: unknown study '{evaluation.study}': "
                f"{nearest(evaluation.study, list(planned))}"
            )
        study = planned[evaluation.study]
        if study is not None:
            catalog.check_selection(evaluation.select, study.whole, f"{key}.select")
        for test in evaluation.tests:
            _check_test(test, key, None if study is None else list(study.metrics), catalog)


def _check_test(test: Test, where: str, metrics: list[str] | None, catalog: Catalog) -> None:
    signature = catalog.signatures[test.path]
    if signature.error is not None:
        raise PlanError(f"{where}.tests: '{test.path}' cannot be imported ({signature.error})")
    catalog.check_params(f"{where}.tests", test.path, test.params)
    try:
        with_bounds(test.params)
    except ValueError as error:
        raise PlanError(f"{where}.tests: {error}") from None
    # A metric of the study, a cost, or a number that the fit recorded
    columns = [*(metrics or []), *COSTS]
    for metric in metrics_of(test.params) if metrics else ():
        if not metric.startswith("fit."):
            require(metric, columns, f"{where}.tests: the study has no metric '{metric}'")


def read_registered(layers: Layers) -> dict[str, dict[str, Registration]]:
    """Return what is registered of each claim and basis; nothing if the project has no file."""
    file = layers.find(REGISTERED)
    if not file.is_file():
        return {}
    try:
        return Registered.validate_json(file.read_bytes())
    except ValueError as error:
        raise PlanError(f"{REGISTERED}: {error}: restore it, or: nldr register") from None


def read_amendments(layers: Layers) -> list[dict[str, str]]:
    """Return the changes of tests since they were registered, in order."""
    file = layers.find(AMENDMENTS)
    return read_csv(file) if file.is_file() else []


def read_trials(layers: Layers) -> dict[TrialsKey, int]:
    """Return the numbers of trials that the stopping rule has reached."""
    file = layers.find(TRIALS)
    rows = read_csv(file) if file.is_file() else []
    try:
        return {(row["claim"], row["basis"], row["scale"]): int(row["trials"]) for row in rows}
    except (KeyError, ValueError):
        columns = "needs the columns claim, basis, scale and trials"
        raise PlanError(f"{TRIALS}: {columns}: restore or delete it") from None


# --- cells of claims ------------------------------------------------------------------------------


def selected_cells(study: StudyPlan, evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return the cells of a study from which a claim is decided."""
    return [pair.cell for pair in study.chosen(evaluation.select)]


def competing_cells(study: StudyPlan, cells: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the other cells of a study that compete with some to be the best of a tuned method."""
    # Settings compete on each dataset, or on all of them together.
    rivals = set()
    for data, method in cells:
        group = study.group_of(study.methods[method].name)
        if group is not None:
            rivals.add((None if study.groups[group].one_setting else data, group))
    chosen, competing = {*cells}, []
    for pair in study.pairs:
        group = study.group_of(study.methods[pair.method].name)
        if {(None, group), (pair.data, group)} & rivals and pair.cell not in chosen:
            competing.append(pair.cell)
    return competing


def deciding_cells(study: StudyPlan, evaluation: Evaluation) -> set[Key]:
    """Return the cells that a claim needs: those selected, and all that compete with them."""
    cells = selected_cells(study, evaluation)
    # The best setting is known only beside all that compete with it.
    return {*cells, *(competing_cells(study, cells) if evaluation.tuned else ())}


def grow_studies(
    studies: dict[str, StudyPlan], claims: Mapping[str, Claim], trials: Mapping[Key, int]
) -> None:
    """Give cells of studies the trials that a stopping rule has reached, by claim and basis.

    Tables and verdicts on published numbers have these trials, too.
    """
    for (name, basis), number in trials.items():
        evaluation = claims[name].evaluations().get(basis) if name in claims else None
        if isinstance(evaluation, Evaluation) and evaluation.study in studies:
            study = studies[evaluation.study]
            cells = deciding_cells(study, evaluation)
            pairs = [_grown(study, p, number) if p.cell in cells else p for p in study.pairs]
            studies[study.name] = replace(study, pairs=pairs)


def _grown(study: StudyPlan, pair: Pair, trials: int) -> Pair:
    """Return a pair with the trials of a stopping rule, if they are more and anything is random."""
    seeded = study.data[pair.data].seeded or study.methods[pair.method].seeded
    if trials <= pair.scored or not seeded:
        return pair
    return replace(pair, trials=trials + pair.trials - pair.scored, scored=trials)
