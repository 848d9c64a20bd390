"""Comparisons of planted methods are decided as they were planted."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel, wilcoxon

from nldr.claims import compare
from nldr.claims.words import number


def test_few_pairs_are_decided_by_the_paired_t_test(plant, rng):
    x, y = rng.normal(0.7, 0.05, 5), rng.normal(0.6, 0.05, 5)
    finding = compare(plant({"a": x, "b": y}), "a", "b", metric="r2")
    test = ttest_rel(x, y)
    interval = test.confidence_interval()
    assert finding.p_value == pytest.approx(test.pvalue, rel=1e-9)
    assert (finding.effect, finding.low, finding.high) == pytest.approx(
        ((x - y).mean(), interval.low, interval.high), rel=1e-9
    )
    assert finding.test == "paired t-test (5 pairs)"


def test_many_pairs_are_decided_by_the_signed_rank_test(plant, rng):
    x, y = rng.normal(0.7, 0.05, 14), rng.normal(0.66, 0.05, 14)
    finding = compare(plant({"a": x, "b": y}), "a", "b", metric="r2", by=0.01)
    assert finding.p_value == pytest.approx(wilcoxon(x - y - 0.01).pvalue, rel=1e-9)
    assert finding.low < finding.effect < finding.high
    assert finding.test.startswith("Wilcoxon signed rank test (14 pairs); second opinion, Bayesian")


def test_lower_values_are_better_where_the_metric_says_so(plant, rng):
    x, y = rng.uniform(1, 2, 5), rng.uniform(3, 4, 5)
    finding = compare(plant({"a": x, "b": y}, "kl"), "a", "b", metric="kl")
    assert (finding.decision, finding.effect > 1) == ("holds", True)
    assert finding.sentence.startswith("GP: A has a lower KL than B: ")
    turned = compare(plant({"a": x, "b": y}, "kl"), "a", "b", metric="kl", better="higher")
    assert (turned.decision, turned.effect) == ("fails", -finding.effect)


def test_every_comparison_must_hold(plant, rng):
    base = rng.normal(0.5, 0.02, (4, 6))
    noise = rng.normal(0, 0.005, (4, 6))
    evidence = plant({"a": base + 0.1 + noise, "b": base, "c": base + 0.01})
    finding = compare(evidence, "a", metric="r2")
    assert (finding.decision, len(finding.comparisons)) == ("holds", 8)
    # The largest p-value decides.
    a, b, c = (
        evidence.table.query(f"method == '{m}'")["r2"].to_numpy().reshape(4, 6) for m in "abc"
    )
    p_values = [ttest_rel(x, y).pvalue for other in (b, c) for x, y in zip(a, other, strict=True)]
    assert finding.p_value == pytest.approx(max(p_values), rel=1e-9)
    assert "A has a higher R² than each of 2 rivals in all 4 settings" in finding.sentence
    assert finding.effect == min(comparison.effect for comparison in finding.comparisons)
    # One comparison that clearly fails is enough, corrected for their number.
    values = a.copy()
    values[2] = b[2] - 0.1 + noise[2]
    failed = compare(plant({"a": values, "b": b, "c": c}), "a", metric="r2")
    p, q = sorted(ttest_rel(values[2], other[2]).pvalue for other in (b, c))
    assert failed.decision == "fails"
    assert failed.p_value == pytest.approx(min(8 * p, 4 * q), rel=1e-9)
    assert "in 3 of 4 settings; the clearest exception is " in failed.sentence
    assert "with 30 features: 0.1" in failed.sentence
    assert "lower (95 % interval" in failed.sentence


def test_most_comparisons(plant, rng):
    base = rng.normal(0.5, 0.02, (5, 6))
    shift = np.array([0.1, 0.1, 0.1, 0.1, -0.1])[:, np.newaxis]
    noise = rng.normal(0, 0.001, (5, 6))
    evidence = plant({"a": base + shift + noise, "b": base})
    finding = compare(evidence, "a", "b", metric="r2", quantifier="most")
    assert (finding.decision, finding.effect, finding.threshold) == ("holds", 0.8, 0.5)
    assert (finding.low, finding.high) == (0.8, 0.8)
    turned = compare(evidence, "b", "a", metric="r2", quantifier="most")
    assert (turned.decision, turned.effect) == ("fails", 0.2)
    # Exactly half is not most.
    half = base[:4] + noise[:4] + np.array([[0.1], [0.1], [-0.1], [-0.1]])
    finding = compare(plant({"a": half, "b": base[:4]}), "a", "b", metric="r2", quantifier="most")
    assert (finding.effect, finding.decision) == (0.5, "fails")


def test_mean_over_settings_is_taken_trial_by_trial(plant, rng):
    x, y = rng.normal(0.6, 0.05, (3, 7)), rng.normal(0.5, 0.05, (3, 7))
    finding = compare(plant({"a": x, "b": y}), "a", "b", metric="r2", quantifier="mean")
    assert finding.p_value == pytest.approx(ttest_rel(x.mean(0), y.mean(0)).pvalue, rel=1e-9)
    assert len(finding.comparisons) == 1
    assert finding.comparisons[0].solved == "21 of 21; 21 of 21"
    assert "in the mean over 3 settings" in finding.sentence


def test_at_least_as_good(plant, rng):
    x = rng.uniform(0.4, 0.6, 8)
    evidence = plant({"a": x - 0.005 + rng.normal(0, 1e-4, 8), "b": x})
    assert compare(evidence, "a", "b", metric="r2").decision == "fails"
    finding = compare(evidence, "a", "b", metric="r2", by=-0.01)
    assert finding.decision == "holds"
    assert "the R² of A is at most 0.01 lower than that of B" in finding.sentence


def test_second_opinion_warns_of_a_practically_equal_difference(plant, rng):
    x = rng.uniform(0.4, 0.6, 8)
    evidence = plant({"a": x + 0.003 + rng.normal(0, 1e-4, 8), "b": x})
    finding = compare(evidence, "a", "b", metric="r2")
    assert finding.decision == "holds"
    assert "practically equal 1.00" in finding.test
    assert "does not confirm the test" in finding.test


def test_ratio_of_times(plant, rng):
    time = rng.lognormal(0, 0.1, 5)
    evidence = plant({"a": time, "b": 10 * time * rng.lognormal(0, 0.1, 5)}, "seconds")
    finding = compare(evidence, "a", "b", metric="seconds", scale="ratio", by=3)
    ratios = np.log(evidence.table["seconds"][5:].to_numpy() / time)
    assert finding.effect == pytest.approx(np.exp(ratios.mean()), rel=1e-9)
    assert (finding.decision, finding.unit, finding.threshold) == ("holds", "×", 3)
    assert finding.sentence.startswith("GP: A is more than 3 × as fast as B: ")
    assert compare(evidence, "a", "b", metric="seconds").unit == "s"


def test_single_times_are_decided_by_the_spread_of_times(plant):
    evidence = plant({"a": [1.0], "b": [20.0]}, "seconds", random=False)
    finding = compare(evidence, "a", "b", metric="seconds", scale="ratio")
    assert (finding.decision, finding.test) == ("holds", "z-test of single timings (1 pair)")
    assert finding.high / finding.effect == pytest.approx(
        np.exp(1.959964 * 0.4 * np.sqrt(2)), rel=1e-6
    )
    more = compare(evidence, "a", "b", metric="seconds", scale="ratio", by=10)
    assert more.decision == "undecided"
    # A difference has no known spread.
    assert compare(evidence, "a", "b", metric="seconds").decision == "undecided"


def test_results_without_randomness_are_exact(plant):
    finding = compare(plant({"a": [0.9], "b": [0.8]}, random=False), "a", "b", metric="r2")
    assert (finding.decision, finding.p_value, finding.test) == ("holds", 0.0, "exact values")
    assert finding.sentence == "GP: A has a higher R² than B: 0.1 (no randomness)."
    equal = compare(plant({"a": [0.8], "b": [0.8]}, random=False), "a", "b", metric="r2")
    assert (equal.decision, equal.p_value) == ("fails", 0.0)


def test_single_random_trial_is_undecided(plant):
    finding = compare(plant({"a": [0.9], "b": [0.1]}), "a", "b", metric="r2")
    assert (finding.decision, finding.test) == ("undecided", "too few trials (1 pair)")
    assert np.isnan(finding.p_value)
    assert finding.supports


def test_method_without_randomness_meets_every_trial_of_the_other(plant, join, rng):
    x = rng.normal(0.5, 0.02, 5)
    evidence = join(plant({"a": [0.7]}, random=False), plant({"b": x}))
    finding = compare(evidence, "a", "b", metric="r2")
    assert finding.n == 5
    assert finding.effect == pytest.approx(0.7 - x.mean())


def test_trials_are_paired_by_number(plant, rng):
    x = rng.uniform(size=6)
    evidence = plant({"a": x + 0.01, "b": x})
    shuffled = evidence.table.sample(frac=1, random_state=0)
    finding = compare(replace(evidence, table=shuffled), "a", "b", metric="r2")
    assert (finding.effect, finding.p_value) == (pytest.approx(0.01), 0.0)


def test_failed_runs_are_penalized_or_left_out(plant, rng):
    x, y = rng.normal(0.9, 0.01, 8), rng.normal(0.8, 0.01, 8)
    x[:3] = np.nan
    evidence = plant({"a": x, "b": y})
    finding = compare(evidence, "a", "b", metric="r2", missing="penalize")
    assert finding.effect == pytest.approx((np.where(np.isnan(x), 0, x) - y).mean())
    assert finding.comparisons[0].solved == "5 of 8; 8 of 8"
    kept = compare(evidence, "a", "b", metric="r2", missing="intersect")
    assert (kept.n, kept.decision) == (5, "holds")
    assert kept.effect == pytest.approx((x - y)[3:].mean())


def test_penalty_without_worst_value_is_the_worst_in_the_setting(plant):
    values = {"a": [1.0, np.nan, 2.0], "b": [4.0, 5.0, 6.0], "c": [9.0, 1.0, 1.0]}
    finding = compare(plant(values, "kl"), "a", "b", metric="kl")
    assert finding.effect == pytest.approx(np.mean([3.0, 5.0 - 9.0, 4.0]))


def test_rival_that_solved_nothing_is_beaten_only_with_a_penalty(plant, rng):
    evidence = plant({"a": rng.normal(0.9, 0.01, 5), "b": [np.nan] * 5})
    assert compare(evidence, "a", "b", metric="r2").decision == "holds"
    finding = compare(evidence, "a", "b", metric="r2", missing="intersect")
    assert (finding.decision, finding.n) == ("undecided", 0)
    assert "no run was solved" in finding.sentence


def test_claims_that_nowhere_hold_are_negated(plant, rng):
    x = rng.normal(0.5, 0.05, (2, 5))
    evidence = plant({"a": x, "b": x + 0.1 + rng.normal(0, 1e-3, (2, 5))})
    worse = compare(evidence, "a", "b", metric="r2").sentence
    assert worse.startswith(
        "GP: A does not have a higher R² than B in any of 2 settings; the clearest case is that"
    )
    much = compare(evidence, "a", "b", metric="r2", by=-0.05).sentence
    assert "the R² of A is more than 0.05 lower than that of B in both settings; the cl" in much


def test_setting_that_nobody_solved_leaves_it_open(plant, rng):
    x = rng.normal(0.9, 0.01, (2, 5)) * [[1], [np.nan]]
    finding = compare(plant({"a": x, "b": x - 0.1}), "a", "b", metric="r2")
    assert [c.decision for c in finding.comparisons] == ["holds", "undecided"]
    assert finding.decision == "undecided"


def test_setting_without_the_metric_is_left_out(plant, join, rng):
    x = rng.normal(0.9, 0.01, 5)
    other = plant({"a": x, "b": x}, dataset="images")
    other = replace(other, table=other.table.assign(r2=np.nan))
    finding = compare(join(plant({"a": x, "b": x - 0.1}), other), "a", "b", metric="r2")
    assert (finding.decision, len(finding.comparisons)) == ("holds", 1)


def test_conditions_tell_contestants_apart(plant, join, rng):
    clean = plant({"a": rng.normal(0.9, 0.01, 5)}, **{"data.noise": 0.0})
    noisy = plant({"a": rng.normal(0.7, 0.01, 5)}, **{"data.noise": 0.5})
    evidence = join(clean, noisy)
    finding = compare(
        evidence,
        {"methods": ["a"], "where": {"data.noise": 0}},
        {"methods": ["a"], "where": {"data.noise": "0.5"}},
        metric="r2",
        by=0.1,
    )
    assert finding.decision == "holds"
    assert "A with noise = 0 is more than 0.1 higher than that of A with noise = 0.5" in (
        finding.sentence
    )


def test_conditions_of_one_side_are_named(plant, join, rng):
    parts = [
        plant({"a": rng.normal(0.9 - noise, 0.01, 5)}, **{"data.noise": noise}, dataset=dataset)
        for dataset, noise in (("x", 0.0), ("x", 0.25), ("y", 0.0), ("y", 0.35))
    ]
    finding = compare(
        join(*parts),
        {"methods": ["a"], "where": {"data.noise": 0.0}},
        {"methods": ["a"], "where": {"data.noise": [0.25, 0.35]}},
        metric="r2",
    )
    assert (finding.decision, len(finding.comparisons)) == ("holds", 2)
    assert "A with noise = 0 has a higher R² than A with noise = 0.25 or 0.35 in both settings" in (
        finding.sentence
    )


def test_factor_of_a_time_is_that_of_the_sentence(plant, rng):
    time = rng.lognormal(0, 0.1, 5)
    evidence = plant({"a": 8 * time * rng.lognormal(0, 0.05, 5), "b": time}, "seconds")
    finding = compare(evidence, "a", "b", metric="seconds", scale="ratio", by=0.1)
    assert finding.decision == "holds"
    assert "the fit time of A is less than 10 × that of B: " in finding.sentence
    low, high = 1 / finding.high, 1 / finding.low
    assert low < 8 < high
    shown = [number(value) for value in (1 / finding.effect, low, high)]
    assert f"{shown[0]} × (95 % interval {shown[1]} to {shown[2]}" in finding.sentence


def test_titles_with_a_comma_stand_in_brackets(plant, rng):
    x = rng.uniform(0.5, 0.6, 5)
    evidence = replace(plant({"a": x, "b": x - 0.1}), methods={"a": "IKD, blockwise", "b": "PCA"})
    sentence = compare(evidence, "a", "b", metric="r2").sentence
    assert sentence.startswith("GP: IKD (blockwise) has a higher R² than PCA: 0.1")


def test_equal_numbers_are_not_better_by_rounding(plant):
    evidence = plant({"a": [0.1 + 0.2], "b": [0.3]}, random=False)
    for first, second in (("a", "b"), ("b", "a")):
        finding = compare(evidence, first, second, metric="r2")
        assert (finding.decision, finding.p_value) == ("fails", 0.0)


def test_rivals_share_the_conditions_on_the_data(plant, rng):
    values = rng.normal(0.5, 0.01, (3, 5))
    evidence = plant({"a": values + 0.1, "b": values})
    chosen = {"methods": ["a"], "where": {"data.n_features": [10, 30]}}
    labels = [c.label for c in compare(evidence, chosen, metric="r2").comparisons]
    assert labels == ["A − B, GP, 10 features", "A − B, GP, 30 features"]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"metric": "stress"}, "metric 'stress' is not in the study's table: it has"),
        ({"first": "z", "metric": "r2"}, "has none of the methods z; it has "),
        ({"metric": "r2", "scale": "log"}, "scale 'log': must be difference or ratio"),
        ({"metric": "r2", "quantifier": "some"}, "quantifier 'some': must be every, most or mean"),
        ({"metric": "r2", "first": {"method": "a"}}, "give methods, and perhaps datasets"),
        ({"metric": "r2", "first": {"methods": ["a"], "where": {"data.m": 1}}}, "data.m is not a"),
        (
            {"metric": "r2", "second": {"methods": ["b"], "where": {"data.n_features": 7}}},
            "share no setting in which r2 is known",
        ),
        ({"metric": "fit.loss"}, "has no better direction: give better"),
    ],
)
def test_parameters_that_do_not_fit_raise(plant, params, message):
    evidence = plant({"a": [0.9, 0.8, 0.7], "b": [0.5, 0.6, 0.7]}, **{"fit.loss": 1.0})
    with pytest.raises(ValueError, match=message):
        compare(evidence, **{"first": "a", "second": "b", **params})


def test_several_settings_of_a_method_raise(plant, rng):
    x = rng.uniform(size=5)
    evidence = plant({"a": x, "b": x})
    other = evidence.table.assign(method_cell="a@k=5")[evidence.table["method"] == "a"]
    table = pd.concat([evidence.table, other], ignore_index=True)
    with pytest.raises(ValueError, match="A has several cells in the setting 'GP': choose one"):
        compare(replace(evidence, table=table), "a", "b", metric="r2")
