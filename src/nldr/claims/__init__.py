"""Tests that decide claims and published numbers.

A test is a function ``test(evidence: Evidence, **params) -> Finding``: `evidence` has the cells
from which the claim is decided. A test raises ValueError if the evidence does not fit the
parameters. A claim names its test by the import path.
"""

from nldr.claims.comparisons import compare
from nldr.claims.counts import count
from nldr.claims.equivalence import Agreement, Equivalence, Sample, compare_with_published
from nldr.claims.evidence import Comparison, Decision, Evidence, Finding
from nldr.claims.levels import level
from nldr.claims.shares import fails, reproduced
from nldr.claims.spreads import spread
from nldr.claims.trends import trend
from nldr.claims.verdicts import Judgment, Verdict, combine, final_verdict, judge

__all__ = [
    "Agreement",
    "Comparison",
    "Decision",
    "Equivalence",
    "Evidence",
    "Finding",
    "Judgment",
    "Sample",
    "Verdict",
    "combine",
    "compare",
    "compare_with_published",
    "count",
    "fails",
    "final_verdict",
    "judge",
    "level",
    "reproduced",
    "spread",
    "trend",
]
