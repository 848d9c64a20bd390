"""All published numbers that we have a metric for, and which cells of which study decide them."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping

from nldr.claims.jobs import NumberCause, NumberCells, PrintedNumbers
from nldr.engine.planning.catalog import Catalog
from nldr.engine.planning.studies import StudyPlan
from nldr.engine.reading.numbers import (
    CAUSES,
    DECIDERS,
    PUBLISHED,
    Cause,
    Causes,
    Deciders,
    StudyCells,
)
from nldr.engine.reading.parsing import PlanError, require


def printed_numbers(
    studies: Mapping[str, StudyPlan], broken: Container[str], catalog: Catalog
) -> list[PrintedNumbers]:
    """Return all files of published numbers that studies compare with, by name.

    ``broken`` names studies with a mistake, which decide nothing. Raises PlanError if it is not
    clear which cells decide a number.
    """
    # A project that names a file says all about it.
    deciders = catalog.layers.read(Deciders, DECIDERS)
    causes = catalog.layers.read(Causes, CAUSES)
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
                raise PlanError(
                    f"{PUBLISHED}/{file}: {' and '.join(plans)} compare with it: name in "
                    f"{DECIDERS} which of them decides"
                )
            chosen = deciders.get(file, [StudyCells(study=name) for name in plans])
            where = f"{DECIDERS}: {file}"
            cells = [_cells(d, plans, where) for d in chosen if d.study not in broken]
            reasons = [
                _cause(name, cause, plans)
                for name, cause in causes.items()
                if cause.file == file and not (cause.variant and cause.variant.study in broken)
            ]
            files.append(PrintedNumbers(file, path, columns, cells, reasons))
    return files


def _columns(
    plans: Mapping[str, StudyPlan], deciding: Container[str], catalog: Catalog
) -> dict[str, str]:
    """Return the columns of a file that hold numbers, with our metrics; times are left out.

    Where studies compare a column with several metrics, that of a deciding study is returned.
    """
    names = sorted(plans, key=lambda name: name in deciding)  # the last one counts
    specs = [plans[name].study.published for name in names]
    return {
        columns[0]: metric
        for spec in specs
        if spec is not None
        for metric, columns in spec.values.items()
        if metric in catalog.metrics
    }


def _cause(name: str, cause: Cause, plans: Mapping[str, StudyPlan]) -> NumberCause:
    variant = cause.variant
    cells = _cells(variant, plans, f"{CAUSES}: {name}.variant") if variant else None
    return NumberCause(name, cause.hypothesis, cause.where, cells, cause.impossible, cause.each)


def _cells(chosen: StudyCells, plans: Mapping[str, StudyPlan], where: str) -> NumberCells:
    problem = f"{where}: study '{chosen.study}' does not compare with this file"
    require(chosen.study, plans, problem)
    pairs = plans[chosen.study].chosen(chosen.select)
    return NumberCells(chosen.study, [f"{pair.data}/{pair.method}" for pair in pairs])
