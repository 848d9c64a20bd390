"""The first screen: papers with their claims, published numbers, facts of the run, failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from nldr.report.failures import count_trials, distinct_failures
from nldr.report.forest import claim_strip
from nldr.report.templating import SYMBOLS, plural

if TYPE_CHECKING:
    from jinja2 import Environment

    from nldr.report.content import ClaimContent, Paper, Report


UNTESTED = ("not run", "not applicable")  # decisions without a test


def tally(counts: Mapping[str, int]) -> Counter[str]:
    """Return counts of verdicts in the order of ``SYMBOLS``; verdicts without one come last.

    Examples
    --------
    >>> dict(tally({"fails": 2, "holds": 1, "other": 0}))
    {'holds': 1, 'fails': 2}
    """
    names = [*SYMBOLS, *sorted(set(counts) - set(SYMBOLS))]
    return Counter({name: counts[name] for name in names if counts.get(name)})


def claim_tally(claims: Iterable[ClaimContent]) -> Counter[str]:
    """Return the number of claims by verdict."""
    return tally(Counter(claim.verdict for claim in claims))


def _sources(papers: Sequence[Paper]) -> str:
    """Return how many claims are of papers, and how many on further questions.

    The title of a question ends with its mark.
    """
    asked = [paper for paper in papers if paper.title.endswith("?")]
    published = [paper for paper in papers if paper not in asked]
    texts = [
        f"{plural(sum(len(p.claims) for p in members), 'claim')} {words} "
        f"{plural(len(members), noun)}"
        for members, words, noun in (
            (published, "of", "paper"),
            (asked, "on", "further question"),
        )
        if members
    ]
    return " and ".join(texts)


def _was_tested(claim: ClaimContent, basis: str) -> bool:
    """Return whether a claim was tested on a basis: its cells were run, and the basis applies."""
    return any(
        evaluation.basis == basis and evaluation.decision not in UNTESTED
        for evaluation in claim.evaluations
    )


def render(report: Report, environment: Environment) -> str:
    """Return the overview as HTML."""
    claims = [claim for paper in report.papers for claim in paper.claims]
    studies = [study for study in report.studies if study.verdicts]
    # What this machine has run
    here = [s for study in report.studies if (s := study.here if study.of_record else study)]
    return environment.get_template("overview.html").render(
        report=report,
        claims=claim_tally(claims),
        sources=_sources(report.papers),
        n_published=sum(_was_tested(claim, "as_published") for claim in claims),
        n_tuned=sum(_was_tested(claim, "equal_tuning") for claim in claims),
        papers=[(p, claim_tally(p.claims), tally(p.numbers)) for p in report.papers],
        headlines=[claim for claim in claims if claim.headline],
        compared=[(study, tally(study.verdicts)) for study in studies],
        strip=claim_strip,
        failures=count_trials(distinct_failures(here)),
        broken=[study for study in report.studies if study.broken],
    )
