"""The command ``nldr test``: all checks of whatever has a name, one line for each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from nldr.engine.planning.catalog import Catalog
from nldr.engine.reading.parsing import PlanError, require
from nldr.testing.data import DatasetTrial
from nldr.testing.findings import FAILED, NOT_CHECKED, NOTE, WALL, CheckOutcome, run_checks
from nldr.testing.method import MethodTrial
from nldr.testing.metric import MetricTrial
from nldr.testing.study import SIGNATURES, run_study, small_study

STUDY_SECONDS = 60.0 * WALL  # for the study on the clock, since other work may delay it


def examine(
    root: Path,
    builtin: bool,
    name: str,
    seconds: float = 30.0,
    dataset: str = "swiss_roll",
    tell: Callable[[str], None] = print,
) -> bool:
    """Check the method, dataset and metric of a name in the catalog of a project.

    ``builtin`` tells whether the project adds to what comes with nldr, ``dataset`` is what methods
    and metrics are tried on, and ``tell`` receives a line for each check. All checks together take
    at most ``seconds`` of CPU time, without imports and compilation. Returns whether all was
    checked and nothing failed; raises PlanError if the catalog has no such name, or a mistake.
    """
    begin = time.monotonic()
    catalog = Catalog(root, root / SIGNATURES, builtin)
    catalog.signatures.save()
    for kind in ("methods", "datasets", "metrics"):
        catalog.check_broken(kind, name)
    catalog.check_broken("datasets", dataset)
    require(dataset, catalog.datasets, f"unknown dataset '{dataset}'")
    names = [*catalog.methods, *catalog.datasets, *catalog.scorers, *catalog.metrics]
    require(name, names, f"no method, dataset or metric is called '{name}'")
    # A metric stands for its scorer, which has all metrics that share work.
    scorer = catalog.metrics[name][0] if name in catalog.metrics else name
    trials: dict[str, DatasetTrial | MethodTrial | MetricTrial] = {}
    if name in catalog.datasets:
        trials[f"dataset {name}: {catalog.datasets[name].function}"] = DatasetTrial(catalog, name)
    if name in catalog.methods:
        if folder := catalog.methods[name].environment:
            raise PlanError(
                f"nldr test cannot check '{name}', which runs in workflow/environments/{folder}: "
                "build a small study with it, --config environments=true"
            )
        title = f"method {name}: {catalog.methods[name].class_}"
        trials[title] = MethodTrial(catalog, name, dataset)
    if scorer in catalog.scorers:
        title = f"metric {scorer}: {catalog.scorers[scorer].function}"
        trials[title] = MetricTrial(catalog, scorer, dataset)

    # Each kind has its share of the time.
    findings: list[CheckOutcome] = []
    usable = True
    for title, trial in trials.items():
        tell(title)
        for position, finding in enumerate(run_checks(trial.checks(), seconds / len(trials))):
            findings.append(finding)
            tell(finding.lines())
            if position == 0 and finding.mark == FAILED:
                usable = False
                break  # the others need what the first one makes
    if usable:
        tell("all together")
        study = small_study(
            catalog,
            name if name in catalog.methods else None,
            name if name in catalog.datasets else None,
            scorer if scorer in catalog.scorers else None,
            dataset,
        )
        findings.append(run_study(catalog, study, STUDY_SECONDS))
        tell(findings[-1].lines())
    tell(summary(findings, time.monotonic() - begin))
    return not any(finding.mark in (FAILED, NOT_CHECKED) for finding in findings)


def summary(findings: list[CheckOutcome], took: float) -> str:
    """Return the last line: how many checks hold.

    Examples
    --------
    >>> summary([CheckOutcome("✓", "a"), CheckOutcome("!", "b")], 3.2)
    '2 checks in 3 s: none failed, 1 worth a look'
    >>> summary([CheckOutcome("✓", "a"), CheckOutcome("–", "b")], 3.2)
    '2 checks in 3 s: none of 1 failed, 1 not checked'
    """
    counts = Counter(finding.mark for finding in findings)
    failed, noted, missed = counts[FAILED], counts[NOTE], counts[NOT_CHECKED]
    checked = f" of {len(findings) - missed}" if missed else ""
    checks = "1 check" if len(findings) == 1 else f"{len(findings)} checks"
    text = f"{checks} in {took:.0f} s: {failed or 'none'}{checked} failed"
    text += f", {missed} not checked" if missed else ""
    return text + (f", {noted} worth a look" if noted else "")
