"""The stopping rule: trials are added in steps, until more of them cannot change a claim."""

from __future__ import annotations

from nldr.claims.verdicts import ClaimJudgment
from nldr.statistics.outcomes import Outcome

STEPS = (5, 10, 20, 50)  # numbers of trials


def needs_trials(judgment: ClaimJudgment) -> bool:
    """Return whether a claim needs more trials.

    It does as long as a setting is unclear and the interval of its deciding comparison is wider
    than ± δ.
    """
    for setting, outcome in zip(judgment.settings, judgment.outcomes, strict=True):
        key = setting.key(outcome)
        half = (key.estimate.high - key.estimate.low) / 2
        if outcome is Outcome.UNCLEAR and half > key.delta:
            return True
    return False
