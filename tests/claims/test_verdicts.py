"""Several tests make one evaluation, and the claims of a paper are corrected together."""

import numpy as np
import pytest

from nldr.claims import Decision, Verdict, combine, final_verdict, judge


def test_all_tests_must_hold(finding):
    result = combine([finding(0.01), finding(0.03), finding(0.0)])
    assert (result.decision, result.p_value, result.supports) == ("holds", 0.03, True)
    assert result.sentence == "p = 0.01. p = 0.03. p = 0.0."
    assert combine([finding(0.01), finding(0.06)]).decision == "undecided"
    assert combine([finding(0.01), finding(np.nan)]).decision == "undecided"


def test_one_test_that_fails_is_enough(finding):
    result = combine(
        [finding(0.01), finding(0.02, supports=False), finding(np.nan, supports=False)]
    )
    assert result.p_value == pytest.approx(3 * 0.02)
    assert (result.decision, result.supports) == ("undecided", False)
    assert np.isnan(combine([finding(0.01), finding(np.nan, supports=False)]).p_value)
    result = combine([finding(0.9), finding(0.02, supports=False)])
    assert (result.decision, result.p_value) == ("fails", pytest.approx(0.04))


def test_single_test_is_the_evaluation(finding):
    only = finding(0.01)
    assert combine([only]) is only
    with pytest.raises(ValueError, match="at least one test"):
        combine([])


def test_p_values_of_a_paper_are_corrected_together(finding):
    judgments = judge(
        {
            "one": finding(0.01),
            "two": finding(0.04),
            "three": finding(0.0, supports=False),
            "four": finding(np.nan),
            "five": None,
            "six": finding(0.012, supports=False),
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
    assert judge({"a": finding(0.03), "b": finding(0.04)})["a"].decision == "undecided"


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
