"""The first screen: papers with their claims, published numbers, facts of the run, failures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nldr.report.failures import count_trials, distinct_failures
from nldr.report.forest import claim_strip

if TYPE_CHECKING:
    from jinja2 import Environment

    from nldr.report.content import Paper, Report

# Order in which verdicts are counted
CLAIM_VERDICTS = (
    "holds",
    "holds in most",
    "holds only as published",
    "tie",
    "holds in few",
    "fails",
    "open",
    "not run",
)
NUMBER_VERDICTS = (
    "reproduced",
    "better",
    "worse",
    "no result",
    "explained",
    "cannot tell",
    "undecided",
    "not run",
)


@dataclass(frozen=True)
class VerdictCounts:
    """Counts of verdicts, drawn as a stacked bar.

    Attributes
    ----------
    counts : dict of str to int
        Number by verdict, in the order of drawing; without those that do not occur.
    """

    counts: dict[str, int]

    @property
    def total(self) -> int:
        """The sum of the counts."""
        return sum(self.counts.values())


def tally(counts: dict[str, int], order: tuple[str, ...]) -> VerdictCounts:
    """Return counts in order; verdicts that are not in it come last.

    Examples
    --------
    >>> tally({"fails": 2, "holds": 1, "other": 0}, CLAIM_VERDICTS).counts
    {'holds': 1, 'fails': 2}
    """
    names = [*order, *sorted(set(counts) - set(order))]
    return VerdictCounts({name: counts[name] for name in names if counts.get(name)})


def claim_tally(paper: Paper) -> VerdictCounts:
    """Return the number of claims of a paper by verdict."""
    return tally(Counter(claim.verdict for claim in paper.claims), CLAIM_VERDICTS)


def number_tally(papers: list[Paper]) -> VerdictCounts:
    """Return the number of published numbers of papers by verdict."""
    total: Counter[str] = Counter()
    for paper in papers:
        total.update(paper.numbers)
    return tally(total, NUMBER_VERDICTS)


def render(report: Report, environment: Environment) -> str:
    """Return the overview as HTML."""
    claims = [claim for paper in report.papers for claim in paper.claims]
    studies = [study for study in report.studies if study.verdicts]
    # What this machine has run
    here = [s for study in report.studies if (s := study.here if study.of_record else study)]
    return environment.get_template("overview.html").render(
        report=report,
        claims=tally(Counter(claim.verdict for claim in claims), CLAIM_VERDICTS),
        papers=[(paper, claim_tally(paper), number_tally([paper])) for paper in report.papers],
        numbers=number_tally(report.papers),
        headlines=[claim for claim in claims if claim.headline],
        compared=[(study, tally(study.verdicts, NUMBER_VERDICTS)) for study in studies],
        strip=claim_strip,
        failures=count_trials(distinct_failures(here)),
        broken=[study for study in report.studies if study.broken],
    )
