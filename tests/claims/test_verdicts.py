"""Several tests make one evaluation, and the claims of a paper are corrected together."""

from dataclasses import replace

import numpy as np
import pytest

from nldr.claims import Decision, Finding, Verdict, combine, final_verdict, judge

FINDING = Finding(
    decision=Decision.HOLDS,
    p_value=0.01,
    supports=True,
    effect=1.0,
    low=0.5,
    high=1.5,
    threshold=0.0,
    unit="R²",
    test="t-test",
    n=5,
    sentence="A is better.",
)


def make(p_value, supports=True):
    return replace(FINDING, p_value=p_value, supports=supports, sentence=f"p = {p_value}.")


def test_all_tests_must_hold():
    finding = combine([make(0.01), make(0.03), make(0.0)])
    assert (finding.decision, finding.p_value, finding.supports) == ("holds", 0.03, True)
    assert finding.sentence == "p = 0.01. p = 0.03. p = 0.0."
    assert combine([make(0.01), make(0.06)]).decision == "undecided"
    assert combine([make(0.01), make(np.nan)]).decision == "undecided"


def test_one_test_that_fails_is_enough():
    finding = combine([make(0.01), make(0.02, supports=False), make(np.nan, supports=False)])
    assert finding.p_value == pytest.approx(3 * 0.02)
    assert (finding.decision, finding.supports) == ("undecided", False)
    assert np.isnan(combine([make(0.01), make(np.nan, supports=False)]).p_value)
    finding = combine([make(0.9), make(0.02, supports=False)])
    assert (finding.decision, finding.p_value) == ("fails", pytest.approx(0.04))


def test_single_test_is_the_evaluation():
    assert combine([FINDING]) is FINDING
    with pytest.raises(ValueError, match="at least one test"):
        combine([])


def test_p_values_of_a_paper_are_corrected_together():
    judgments = judge(
        {
            "one": make(0.01),
            "two": make(0.04),
            "three": make(0.0, supports=False),
            "four": make(np.nan),
            "five": None,
            "six": make(0.012, supports=False),
        }
    )
    decisions = {name: str(judgment.decision) for name, judgment in judgments.items()}
    assert decisions == {
        "one": "holds",
        "two": "holds",
        "three": "fails",
        "four": "undecided",
        "five": "not run",
        "six": "fails",
    }
    # Holm: four tests, of which the exact one stays exact
    corrected = [judgments[name].p_value for name in ("three", "one", "six", "two")]
    assert corrected == pytest.approx([0.0, 0.03, 0.03, 0.04])
    assert judge({"a": make(0.03), "b": make(0.04)})["a"].decision == "undecided"


@pytest.mark.parametrize(
    ("published", "tuned", "verdict"),
    [
        ("holds", "holds", "holds"),
        ("holds", None, "holds"),
        ("holds", "fails", "holds only as published"),
        ("holds", "undecided", "undecided"),
        ("holds", "not run", "undecided"),
        ("fails", "holds", "fails"),
        ("fails", None, "fails"),
        ("undecided", "holds", "undecided"),
        ("not run", "holds", "not run"),
    ],
)
def test_verdict_from_both_evaluations(published, tuned, verdict):
    result = final_verdict(Decision(published), tuned if tuned is None else Decision(tuned))
    assert result is Verdict(verdict)
