"""Published numbers are ascribed to a method, or to a metric, only where the readings differ."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nldr.claims import decide, reading, scored_by


def numbers(verdicts, ours, dataset="gp"):
    """Return the verdicts of two methods on the same published numbers of .9, with margin .02."""
    rows = [
        {
            "number": f"{dataset} {i}",
            "cell": f"{dataset}@n=1/{method}@k={i}",
            "ours": value,
            "published": 0.9,
            "margin": None if verdict == "no result" else 0.02,
            "verdict": verdict,
            "file_method": "HLLE",
        }
        for method, values in ours.items()
        for i, (value, verdict) in enumerate(zip(values, verdicts[method], strict=True))
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def evidence(plant):
    """Return evidence of five numbers: one where both agree, and one that one method refuses."""
    ours = {"a": [0.9, 0.9, 0.9, 0.9, 0.91], "b": [0.5, 0.6, np.nan, 0.95, 0.905]}
    verdicts = {
        "a": ["reproduced", "reproduced", "reproduced", "undecided", "reproduced"],
        "b": ["worse", "worse", "no result", "better", "reproduced"],
    }
    return replace(plant({"a": [0.5], "b": [0.5]}), published=numbers(verdicts, ours))


def test_only_numbers_on_which_the_methods_differ_count(evidence, only, say):
    finding = reading(evidence, of="a", unlike="b", at_least=0.7)
    share = only(finding).estimate
    assert (share.count, share.n_open, share.n) == (3, 1, 4)
    assert str(decide([finding], 0.05).verdict) == "holds"
    text = "A reproduces at least 70 % of the numbers on which it differs from B on GP: 3 of 4 (1 "
    assert say(finding).startswith(text)


def test_a_method_that_refuses_a_number_does_not_reproduce_it(evidence, only):
    finding = reading(evidence, of="b", unlike="a", at_most=0.5)
    assert (only(finding).estimate.count, only(finding).estimate.n) == (0, 4)
    assert str(decide([finding], 0.05).verdict) == "holds"


def test_methods_that_agree_everywhere_cannot_be_told_apart(evidence):
    same = evidence.published[evidence.published["number"] == "gp 4"]
    with pytest.raises(ValueError, match="a and b differ on no published number"):
        reading(replace(evidence, published=same), of="a", unlike="b", at_least=0.5)


def test_another_metric_reproduces_the_numbers_or_not(plant, only, rng):
    values = rng.normal(0.9, 0.001, 5)
    evidence = plant({"a": values}, **{"hit": values - 0.2})
    published = pd.DataFrame(
        {"cell": ["gp@10/a"], "published": [0.9], "margin": [0.02], "verdict": ["reproduced"]}
    )
    evidence = replace(evidence, published=published)
    right = scored_by(evidence, metric="r2", at_least=0.9)
    wrong = scored_by(evidence, metric="hit", at_most=0.0)
    assert (only(right).estimate.count, only(wrong).estimate.count) == (1, 0)
    assert {str(decide([finding], 0.05).verdict) for finding in (right, wrong)} == {"holds"}
