"""The page of failures: cells, reasons, and ends of the logs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

    from nldr.report.content import Failure, Report, StudyContent


def pages(report: Report, environment: Environment) -> Iterator[tuple[str, str]]:
    """Yield the page of failures."""
    failures = distinct_failures(report.studies)
    groups = group_failures([failure for failure, _ in failures], [s for _, s in failures])
    html = environment.get_template("failures.html").render(
        report=report,
        groups=groups,
        counts=count_trials(failures),
        broken=[study for study in report.studies if study.broken],
    )
    yield "failures", html


def count_trials(failures: Iterable[tuple[Failure, Any]]) -> Counter[str]:
    """Return the number of trials by status."""
    return Counter(failure.status for failure, _ in failures for _ in failure.trials)


@dataclass
class FailureGroup:
    """Failures with the same stage, status and message, up to numbers."""

    stage: str
    status: str
    message: str  # of the first
    log: str = ""  # of the first
    n_trials: int = 0
    cells: list[str] = field(default_factory=list)  # ``dataset_cell/method_cell``
    # Studies that they belong to, if requested
    studies: list[StudyContent] = field(default_factory=list)


def distinct_failures(studies: Iterable[StudyContent]) -> list[tuple[Failure, list[StudyContent]]]:
    """Return each failure once, with the studies that it belongs to: studies share cells."""
    failures: dict[tuple[str, ...], tuple[Failure, list[StudyContent]]] = {}
    for study in studies:
        for failure in study.failures:
            key = (failure.stage, failure.cell, failure.status, failure.message)
            failures.setdefault(key, (failure, []))[1].append(study)
    return list(failures.values())


def group_failures(
    failures: Sequence[Failure], studies: Sequence[Sequence[StudyContent]] = ()
) -> list[FailureGroup]:
    """Return the failures by stage, status and message, the most frequent first.

    Messages that differ in numbers only, such as the size of a component, count as one. ``studies``
    has the studies of each failure.

    Examples
    --------
    >>> from nldr.report.content import Failure
    >>> groups = group_failures([Failure("embed", "roll/lle", "error", "2 parts", [0, 1]),
    ...                          Failure("embed", "roll/lle", "error", "3 parts", [2])])
    >>> [(group.message, group.n_trials, group.cells) for group in groups]
    [('2 parts', 3, ['roll/lle'])]
    """
    groups: dict[tuple[str, str, str], FailureGroup] = {}
    for failure, members in zip(failures, studies or [()] * len(failures), strict=True):
        # Lists of numbers differ in their length too.
        pattern = re.sub(r"\d[\d.]*(, (\d[\d.]*|…))*", "#", failure.message)
        key = (failure.stage, failure.status, pattern)
        group = groups.setdefault(key, FailureGroup(*key[:2], failure.message))
        group.log = group.log or failure.log
        group.n_trials += len(failure.trials)
        group.cells += [failure.cell] * (failure.cell not in group.cells)
        group.studies += [study for study in members if study not in group.studies]
    return sorted(groups.values(), key=lambda group: -group.n_trials)
