"""Ranks, failures and reproduced numbers are counted, and decided by exact tests."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, binomtest, t

from nldr.claims import count, fails, reproduced


def test_ranks_are_counted_over_settings_and_metrics(plant, rng):
    base = rng.normal(0.5, 0.001, (3, 6))
    values = {"a": base + np.array([[0.2], [0.2], [-0.2]]), "b": base, "c": base - 0.1}
    evidence = plant(values)
    evidence = replace(evidence, table=evidence.table.assign(kl=1 - evidence.table["r2"]))
    finding = count(evidence, "a", metrics=["r2", "kl"], at_least=4)
    assert (finding.decision, finding.effect, finding.low, finding.high) == ("holds", 4, 4, 4)
    assert [c.effect for c in finding.comparisons] == [1, 1, 3, 1, 1, 3]
    assert finding.comparisons[0].label == "R² after alignment, GP, 10 features"
    assert finding.sentence == "A is best of 3 methods in 4 of 6 entries (95 % interval 4 to 4)."
    assert count(evidence, "a", metrics=["r2", "kl"], at_least=5).decision == "fails"
    second = count(evidence, "b", metrics=["r2", "kl"], rank=2, at_least=6)
    assert (second.decision, second.effect) == ("holds", 6)
    assert "B is best or second best of 3 methods in 6 of 6 entries" in second.sentence


def test_method_that_equals_another_is_not_better_than_it(plant):
    evidence = plant({"a": [0.8], "b": [0.8], "c": [0.1]}, random=False)
    assert count(evidence, "a", metrics=["r2"], at_least=1).effect == 0
    assert count(evidence, "a", metrics=["r2"], rank=2, at_least=1).effect == 1


def test_rank_is_undecided_where_methods_are_close(plant, rng):
    base = rng.normal(0.5, 0.1, (4, 5))
    noise = rng.normal(0, 0.01, (4, 5))
    finding = count(plant({"a": base + noise, "b": base}), "a", metrics=["r2"], at_least=2)
    assert finding.decision == "undecided"
    assert finding.low < finding.high
    # Trials drawn again give other ranks, too.
    low, high = (
        finding.test.partition("bootstrap over 5 trials: ")[2].split(" entries")[0].split(" to ")
    )
    assert 0 <= int(low) < int(high) <= 4


def test_count_refuses_more_entries_than_there_are(plant, rng):
    evidence = plant({"a": rng.uniform(size=(2, 5)), "b": rng.uniform(size=(2, 5))})
    with pytest.raises(ValueError, match="there are 2 entries, fewer than at_least = 8"):
        count(evidence, "a", metrics=["r2"])
    with pytest.raises(ValueError, match="give a rank from 1 on"):
        count(evidence, "a", metrics=["r2"], rank=0)


def planted_failures(plant, n_failed, n, **changes):
    values = np.where(np.arange(n) < n_failed, np.nan, 0.5)
    return plant({"a": values}, **changes)


@pytest.mark.parametrize(("n_failed", "expected"), [(20, "holds"), (10, "undecided"), (0, "fails")])
def test_share_of_failed_runs(plant, n_failed, expected):
    finding = fails(planted_failures(plant, n_failed, 20), ["a"], at_least=0.5)
    assert (finding.decision, finding.effect) == (expected, n_failed / 20)
    interval = binomtest(n_failed, 20).proportion_ci(0.95, "exact")
    assert (finding.low, finding.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    turned = fails(planted_failures(plant, n_failed, 20), ["a"], at_most=0.5)
    assert turned.decision == {"holds": "fails", "fails": "holds"}.get(expected, expected)


def test_interval_of_a_share_agrees_with_statsmodels(plant):
    from statsmodels.stats.proportion import proportion_confint

    for n_failed in (0, 3, 20):
        finding = fails(planted_failures(plant, n_failed, 20), ["a"], at_least=0.5)
        expected = proportion_confint(n_failed, 20, method="beta")
        assert (finding.low, finding.high) == pytest.approx(expected, abs=1e-6)


def test_runs_without_randomness_fail_exactly(plant):
    finding = fails(planted_failures(plant, 1, 1, random=False), ["a"], at_least=0.5)
    assert (finding.decision, finding.p_value) == ("holds", 0.0)
    assert finding.sentence == "1 of 1 run of A fail: 100 % (no randomness)."


def test_run_that_did_not_converge_has_a_result(plant):
    evidence = plant({"a": [0.5] * 8}, status="not_converged")
    assert fails(evidence, ["a"], at_most=0.5).effect == 0


def test_wrong_decisions_about_shares_are_as_rare_as_promised(plant):
    # The true share is the bound: the probability of either decision, exactly.
    for n in (6, 20, 50):
        decisions = [
            fails(planted_failures(plant, k, n), ["a"], at_least=0.5).decision for k in range(n + 1)
        ]
        wrong = [decision != "undecided" for decision in decisions]
        assert binom.pmf(np.arange(n + 1), n, 0.5) @ wrong <= 0.05
        assert any(wrong)


def make_verdicts(**counts):
    verdicts = [verdict for name, n in counts.items() for verdict in [name.replace("_", " ")] * n]
    return pd.DataFrame({"verdict": verdicts, "method": "a", "n_features": 100})


@pytest.mark.parametrize(
    ("counts", "bound", "expected"),
    [
        ({"reproduced": 6, "undecided": 3, "not_run": 2}, 0.5, "holds"),
        ({"reproduced": 6}, 0.9, "undecided"),
        ({"reproduced": 1, "better": 5, "worse": 5}, 0.5, "fails"),
        ({"undecided": 4}, 0.5, "undecided"),
    ],
)
def test_share_of_reproduced_numbers(plant, counts, bound, expected):
    evidence = replace(plant({"a": [0.5]}), published=make_verdicts(**counts))
    finding = reproduced(evidence, at_least=bound)
    decided = sum(n for name, n in counts.items() if name not in ("undecided", "not_run"))
    assert (finding.decision, finding.n) == (expected, decided)


def test_published_numbers_are_selected_by_their_columns(plant):
    verdicts = pd.concat([make_verdicts(reproduced=7), make_verdicts(worse=7).assign(method="b")])
    evidence = replace(plant({"a": [0.5]}), published=verdicts)
    assert reproduced(evidence, at_least=0.5, where={"method": "a"}).decision == "holds"
    assert reproduced(evidence, at_least=0.5, where={"method": ["b"]}).decision == "fails"
    assert reproduced(evidence, at_most=0.5, where={"n_features": "100.0"}).effect == 0.5
    with pytest.raises(ValueError, match="no published number is one of"):
        reproduced(evidence, where={"method": "c"})
    with pytest.raises(ValueError, match="published numbers have no column 'k'"):
        reproduced(evidence, where={"k": 3})
    with pytest.raises(ValueError, match="the study has no published numbers"):
        reproduced(plant({"a": [0.5]}))


def make_numbers(differences, half=0.01, n=10):
    rows = [
        {
            "setting": f"dataset={i}",
            "trials": n,
            "difference": d,
            "low": d - half,
            "high": d + half,
            "margin": 0.03,
            "verdict": "reproduced" if abs(d) + half <= 0.03 else "worse",
        }
        for i, d in enumerate(differences)
    ]
    return pd.DataFrame([*rows, {"setting": "dataset=no", "verdict": "not run"}])


@pytest.mark.parametrize(
    ("differences", "expected"),
    [([0.0, 0.01, -0.015], "holds"), ([0.0, 0.08], "fails"), ([0.0, 0.028], "undecided")],
)
def test_every_published_number_is_reproduced(plant, differences, expected):
    evidence = replace(plant({"a": [0.5]}), published=make_numbers(differences))
    assert reproduced(evidence, quantifier="every").decision == expected


def test_p_value_of_equivalence_agrees_with_statsmodels(plant):
    from statsmodels.stats.weightstats import DescrStatsW

    values = np.random.default_rng(0).normal(size=10)
    values = 0.015 + 0.01 * (values - values.mean()) / values.std(ddof=1)
    center, half = values.mean(), values.std(ddof=1) / np.sqrt(10) * t.ppf(0.975, 9)
    evidence = replace(plant({"a": [0.5]}), published=make_numbers([center], half))
    larger = max(test[1] for test in DescrStatsW(values).ttost_mean(-0.03, 0.03)[1:])
    assert reproduced(evidence, quantifier="every").p_value == pytest.approx(2 * larger, rel=1e-6)


def test_every_published_number_without_trials_or_with_a_share(plant):
    evidence = replace(plant({"a": [0.5]}), published=make_numbers([]))
    with pytest.raises(ValueError, match="no published number was run"):
        reproduced(evidence, quantifier="every")
    with pytest.raises(ValueError, match="leave at_least and at_most out"):
        reproduced(evidence, quantifier="every", at_least=0.5)
    exact = replace(evidence, published=make_numbers([0.01], half=0.0, n=1))
    assert reproduced(exact, quantifier="every").decision == "holds"
    unknown = replace(evidence, published=make_numbers([0.01], half=np.inf, n=1))
    assert reproduced(unknown, quantifier="every").decision == "undecided"
