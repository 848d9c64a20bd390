"""Decisions about all claims of a paper, and the verdict on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isnan

from nldr.claims._entries import decide
from nldr.claims.evidence import Decision, Finding
from nldr.statistics.ranking import correct


class Verdict(StrEnum):
    """Verdict on a claim, from its evaluations as published and under equal tuning."""

    HOLDS = "holds"
    ONLY_AS_PUBLISHED = "holds only as published"
    FAILS = "fails"
    UNDECIDED = "undecided"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Judgment:
    """Decision about one evaluation among those of all claims of a paper.

    Attributes
    ----------
    decision : Decision
        The decision by the corrected p-value.
    p_value : float
        P-value corrected for the number of claims; NaN where no test could be made.
    """

    decision: Decision
    p_value: float


def combine(findings: Sequence[Finding]) -> Finding:
    """Return the finding of an evaluation with several tests, all of which must hold.

    The evaluation holds with the largest p-value of its tests (intersection–union), and fails with
    the smallest p-value of those that the data speak against, times the number of tests.

    Parameters
    ----------
    findings : sequence of Finding
        The findings of the tests.

    Returns
    -------
    Finding
        Effect, interval and threshold are those of the test that decides; sentences and comparisons
        those of all.

    Raises
    ------
    ValueError
        If there is no finding.
    """
    if not findings:
        raise ValueError("an evaluation needs at least one test")
    if len(findings) == 1:
        return findings[0]
    false = [finding for finding in findings if not finding.supports]
    # The first test that fails, corrected for their number, or the weakest of those that hold
    if false:
        key = min(false, key=lambda finding: 1.0 if isnan(finding.p_value) else finding.p_value)
        p_value = key.p_value if isnan(key.p_value) else min(1.0, key.p_value * len(findings))
    else:
        key = max(findings, key=lambda finding: 2.0 if isnan(finding.p_value) else finding.p_value)
        p_value = key.p_value
    return replace(
        key,
        decision=decide(not false, p_value),
        p_value=p_value,
        test="; ".join(dict.fromkeys(finding.test for finding in findings)),
        sentence=" ".join(finding.sentence for finding in findings),
        comparisons=tuple(c for finding in findings for c in finding.comparisons),
    )


def judge(evaluations: Mapping[str, Finding | None], level: float = 0.05) -> dict[str, Judgment]:
    """Return the decisions about the claims of a paper, corrected for their number.

    P-values are corrected by Holm's procedure. A claim whose corrected p-value exceeds ``level`` is
    undecided; evaluations that were not run, or not tested, are no part of the family.

    Parameters
    ----------
    evaluations : mapping of str to (Finding or None)
        Name of each claim and its finding, None where it was not run.
    level : float, default=0.05
        Probability of any wrong decision.

    Returns
    -------
    dict of str to Judgment
        Decision and corrected p-value of each claim, in the same order.
    """
    run = {name: f for name, f in evaluations.items() if f and f.decision is not Decision.NOT_RUN}
    p_values = {name: f.p_value for name, f in run.items() if not isnan(f.p_value)}
    corrected = dict(zip(p_values, correct([*p_values.values()]), strict=True))
    judgments = {}
    for name, finding in evaluations.items():
        if finding is None or finding.decision is Decision.NOT_RUN:
            judgments[name] = Judgment(Decision.NOT_RUN, float("nan"))
        elif name not in corrected or corrected[name] > level:
            p_value = float(corrected.get(name, float("nan")))
            judgments[name] = Judgment(Decision.UNDECIDED, p_value)
        else:
            decision = Decision.HOLDS if finding.supports else Decision.FAILS
            judgments[name] = Judgment(decision, float(corrected[name]))
    return judgments


def final_verdict(as_published: Decision, equal_tuning: Decision | None) -> Verdict:
    """Return the verdict on a claim from both of its evaluations.

    A claim that fails as published fails. One that holds as published holds if it holds under equal
    tuning as well or if equal tuning does not apply to it, holds only as published if it fails
    under equal tuning, and is undecided while the evaluation under equal tuning is undecided or has
    not been run. Otherwise the verdict is that as published: undecided, or not run.

    Parameters
    ----------
    as_published : Decision
        The decision as published.
    equal_tuning : Decision or None
        The decision under equal tuning; None where it does not apply.

    Returns
    -------
    Verdict
        The verdict.

    Examples
    --------
    >>> str(final_verdict(Decision.HOLDS, Decision.FAILS))
    'holds only as published'
    """
    if as_published is not Decision.HOLDS:
        return Verdict(as_published.value)
    if equal_tuning in (None, Decision.HOLDS):
        return Verdict.HOLDS
    return Verdict.ONLY_AS_PUBLISHED if equal_tuning is Decision.FAILS else Verdict.UNDECIDED
