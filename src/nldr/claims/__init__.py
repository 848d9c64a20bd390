"""Tests that decide claims and published numbers.

A test is a function ``test(evidence: Evidence, **params) -> Finding``: `evidence` has the cells
from which the claim is decided. A test raises ValueError if the evidence does not fit the
parameters. A claim names one of these tests, or a test of your own by its import path. What a
claim's tests find is judged together with all other claims of its paper, by :func:`judge`.
"""

from nldr.claims._units import COMPONENTS, Runs, pair_runs
from nldr.claims.comparisons import compare
from nldr.claims.conventions import CONVENTIONS, Convention, with_bounds
from nldr.claims.counts import count
from nldr.claims.equivalence import Agreement, Equivalence, Sample, compare_with_published
from nldr.claims.evidence import Evidence
from nldr.claims.findings import DELTA, Effect, Finding, Setting
from nldr.claims.levels import level
from nldr.claims.picking import mean_regret, picked, picks
from nldr.claims.readings import reading, scored_by
from nldr.claims.shares import fails, reproduced
from nldr.claims.spreads import spread
from nldr.claims.trends import trend
from nldr.claims.verdicts import ClaimJudgment, Verdict, decide, final_verdict, judge, verdict_of
from nldr.claims.words import setting_words

__all__ = [
    "COMPONENTS",
    "CONVENTIONS",
    "DELTA",
    "Agreement",
    "ClaimJudgment",
    "Convention",
    "Effect",
    "Equivalence",
    "Evidence",
    "Finding",
    "Runs",
    "Sample",
    "Setting",
    "Verdict",
    "compare",
    "compare_with_published",
    "count",
    "decide",
    "fails",
    "final_verdict",
    "judge",
    "level",
    "mean_regret",
    "pair_runs",
    "picked",
    "picks",
    "reading",
    "reproduced",
    "scored_by",
    "setting_words",
    "spread",
    "trend",
    "verdict_of",
    "with_bounds",
]
