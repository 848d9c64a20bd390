"""The page of failures: what failed, where, why, and what the log said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

    from nldr.report.content import Failure, Report, Study


def pages(report: Report, environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield the page of failures.

    Parameters
    ----------
    report : Report
        What the page shows.
    environment : Environment
        Environment of the templates.

    Yields
    ------
    route, html : str
        Address and content of a page.
    """
    failures = distinct_failures(report)
    yield (
        "failures",
        environment.get_template("failures.html").render(
            report=report,
            groups=group_failures([found for found, _ in failures], [of for _, of in failures]),
            counts=Counter(found.status for found, _ in failures for _ in found.trials),
            broken=[study for study in report.studies if study.broken],
        ),
    )


@dataclass
class FailureGroup:
    """Failures with the same stage, status and message, up to numbers.

    Attributes
    ----------
    stage, status, message, log : str
        Stage, status, and message and log of the first.
    n_trials : int
        Number of trials.
    cells : list of str
        Cells, ``dataset_cell/method_cell``.
    studies : list of Study
        Studies that they belong to, where these are asked for.
    """

    stage: str
    status: str
    message: str
    log: str = ""
    n_trials: int = 0
    cells: list[str] = field(default_factory=list)
    studies: list[Study] = field(default_factory=list)


def distinct_failures(report: Report) -> list[tuple[Failure, list[Study]]]:
    """Return each failure once, with the studies that it belongs to: studies share cells."""
    found: dict[tuple[str, ...], tuple[Failure, list[Study]]] = {}
    for study in report.studies:
        for failure in study.failures:
            key = (failure.stage, failure.cell, failure.status, failure.message)
            found.setdefault(key, (failure, []))[1].append(study)
    return list(found.values())


def group_failures(
    failures: Sequence[Failure], studies: Sequence[Sequence[Study]] = ()
) -> list[FailureGroup]:
    """Return the failures by stage, status and message, the most frequent first.

    Messages that differ in numbers only, such as the size of a component, count as one.

    Parameters
    ----------
    failures : sequence of Failure
        The failures.
    studies : sequence of sequence of Study, optional
        The studies of each.

    Returns
    -------
    list of FailureGroup
        The groups.

    Examples
    --------
    >>> from nldr.report.content import Failure
    >>> found = group_failures([Failure("embed", "roll/lle", "error", "2 parts", [0, 1]),
    ...                         Failure("embed", "roll/lle", "error", "3 parts", [2])])
    >>> [(group.message, group.n_trials, group.cells) for group in found]
    [('2 parts', 3, ['roll/lle'])]
    """
    groups: dict[tuple[str, str, str], FailureGroup] = {}
    for failure, of in zip(failures, studies or [()] * len(failures), strict=True):
        # Lists of numbers differ in their length too.
        pattern = re.sub(r"\d[\d.]*(, (\d[\d.]*|…))*", "#", failure.message)
        key = (failure.stage, failure.status, pattern)
        group = groups.setdefault(key, FailureGroup(*key[:2], failure.message))
        group.log = group.log or failure.log
        group.n_trials += len(failure.trials)
        group.cells += [failure.cell] * (failure.cell not in group.cells)
        group.studies += [study for study in of if study not in group.studies]
    return sorted(groups.values(), key=lambda group: -group.n_trials)
