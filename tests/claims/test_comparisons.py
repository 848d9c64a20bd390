"""Comparisons of planted methods have the outcome with which they were planted."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from nldr.claims import compare, decide
from nldr.claims.words import number


@pytest.mark.parametrize("n", [5, 14])
def test_pairs_are_compared_by_the_paired_t_test(plant, rng, only, n):
    x, y = rng.normal(0.7, 0.05, n), rng.normal(0.6, 0.05, n)
    finding = compare(plant({"a": x, "b": y}), "a", "b", metric="r2")
    test, comparison = ttest_rel(x, y), only(finding)
    interval = test.confidence_interval()
    assert comparison.p_value == pytest.approx(test.pvalue, rel=1e-9)
    assert comparison.ends == pytest.approx(((x - y).mean(), interval.low, interval.high), rel=1e-9)
    assert finding.test() == f"paired t-test ({n} pairs)"


def test_the_four_sides_are_one_sided_t_tests(plant, rng, only):
    x, y = rng.normal(0.62, 0.02, 6), rng.normal(0.6, 0.02, 6)
    comparison = only(compare(plant({"a": x, "b": y}), "a", "b", metric="r2"))
    expected = [
        ttest_rel(x - shift, y, alternative=side).pvalue
        for shift, side in ((0, "greater"), (0, "less"), (-0.01, "greater"), (0.01, "less"))
    ]
    assert comparison.sides == pytest.approx(expected, rel=1e-9)


def test_parameters_are_equal_however_tables_write_them(plant, rng):
    """As texts of one table and numbers of another, or without a value in both."""
    evidence = plant({"a": rng.uniform(size=(2, 5)), "b": rng.uniform(size=(2, 5))})
    table = evidence.table.astype({"data.n_features": object}).assign(**{"data.noise": np.nan})
    is_a = table["method"] == "a"
    table.loc[is_a, "data.n_features"] = table["data.n_features"][is_a].astype(str)
    finding = compare(replace(evidence, table=table), "a", "b", metric="r2")
    assert len(finding.settings) == 2


def test_lower_values_are_better_where_the_metric_says_so(plant, rng, only, outcomes, say):
    x, y = rng.uniform(1, 2, 5), rng.uniform(3, 4, 5)
    evidence = plant({"a": x, "b": y}, "kl")
    finding = compare(evidence, "a", "b", metric="kl")
    assert outcomes(finding) == ["better"]
    assert only(finding).ends[0] > 1
    assert say(finding).startswith("A has a lower KL than B on GP: ")
    turned = compare(evidence, "a", "b", metric="kl", better="higher")
    assert outcomes(turned) == ["worse"]


def test_a_setting_is_better_than_all_rivals_or_worse_than_one(plant, rng, outcomes):
    base = rng.normal(0.5, 0.02, (4, 6))
    noise = rng.normal(0, 0.0005, (4, 6))
    shift = np.array([[-0.1], [0.1], [0.003], [-0.003]])
    values = {"a": base + noise, "b": base - 0.1, "c": base + shift}
    finding = compare(plant(values), "a", metric="r2")
    assert outcomes(finding) == ["better", "worse", "worse", "better"]
    assert [len(setting.comparisons) for setting in finding.settings] == [2] * 4
    # In two of them the difference is small.
    assert [s.tests.is_small(0.05) for s in finding.settings] == [False, False, True, True]
    # P-values: the largest of being better, and twice the smallest of being worse
    for setting in finding.settings:
        sides = [c.sides for c in setting.comparisons]
        assert setting.tests.p_better == max(s.better for s in sides)
        assert setting.tests.p_worse == min(1.0, 2 * min(s.worse for s in sides))


def test_practically_equal_methods_tie(plant, rng, outcomes, say):
    x = rng.uniform(0.4, 0.6, (3, 8))
    values = {"a": x + rng.normal(0, 0.004, (3, 8)), "b": x}
    finding = compare(plant(values), "a", "b", metric="r2")
    assert outcomes(finding) == ["tie"] * 3
    sentence = "A has a higher R² than B in 0 of 3 settings (practically equal in all 3). "
    assert say(finding).startswith(sentence)
    # Of several rivals, the sentence shows the equal one, not the one that is unclear.
    values["c"] = x - 0.01 + 0.02 * np.tile([-1, 1], 4)
    finding = compare(plant(values), "a", metric="r2")
    assert outcomes(finding) == ["tie"] * 3
    assert ". Practically equal case (vs. B on GP" in say(finding)


def test_difference_at_its_bound_does_not_make_methods_equal(plant, rng, say):
    x = rng.uniform(0.4, 0.6, (2, 8))
    better = x + 0.05 + rng.normal(0, 0.001, (2, 8))
    better[1] += 0.1
    finding = compare(plant({"a": better, "b": x}), "a", "b", metric="r2", by=0.05)
    assert "in 1 of 2 settings (practically at the bound in 1). " in say(finding)


def test_bound_of_a_cost_has_its_unit(plant, rng, say):
    evidence = plant({"a": rng.normal(10, 0.1, 5), "b": rng.normal(90, 0.1, 5)}, "seconds")
    finding = compare(evidence, "a", "b", metric="seconds", by=60)
    assert say(finding).startswith(
        "The fit time of A is more than 60 s lower than that of B on GP: "
    )


def test_at_least_as_good(plant, rng, outcomes, say):
    x = rng.uniform(0.4, 0.6, 8)
    evidence = plant({"a": x - 0.005 + rng.normal(0, 1e-4, 8), "b": x})
    assert outcomes(compare(evidence, "a", "b", metric="r2")) == ["worse"]
    finding = compare(evidence, "a", "b", metric="r2", by=-0.01)
    assert outcomes(finding) == ["better"]
    assert say(finding).startswith("The R² of A is at most 0.01 lower than that of B on GP: 0.0")


def test_ratio_of_times(plant, rng, only, outcomes, say):
    time = rng.lognormal(0, 0.1, 5)
    evidence = plant({"a": time, "b": 10 * time * rng.lognormal(0, 0.1, 5)}, "seconds")
    finding = compare(evidence, "a", "b", metric="seconds", scale="ratio", by=3)
    ratios = np.log(evidence.table["seconds"][5:].to_numpy() / time)
    assert only(finding).ends[0] == pytest.approx(np.exp(ratios.mean()), rel=1e-9)
    assert (outcomes(finding), finding.unit, only(finding).bound) == (["better"], "×", 3)
    assert say(finding).startswith("A is more than 3 × as fast as B on GP: ")
    assert compare(evidence, "a", "b", metric="seconds").unit == "s"
    # A tenth counts as none
    equal = plant({"a": time, "b": 1.02 * time}, "seconds")
    assert outcomes(compare(equal, "a", "b", metric="seconds", scale="ratio", by=1.05)) == ["worse"]
    noisy = plant({"a": time, "b": time * rng.lognormal(0, 0.03, 5)}, "seconds")
    assert outcomes(compare(noisy, "a", "b", metric="seconds", scale="ratio")) == ["tie"]


def test_times_of_different_builds_are_named(plant, rng, say):
    time = rng.lognormal(0, 0.1, 5)
    evidence = plant({"a": time, "b": 10 * time * rng.lognormal(0, 0.1, 5)}, "seconds")
    # Both have trials of both builds, but not the same ones.
    evidence.table["run"] = ["first"] * 2 + ["second"] * 5 + ["first"] * 3
    finding = compare(evidence, "a", "b", metric="seconds", scale="ratio")
    assert say(finding).endswith(", 5 paired trials, measured in different builds).")
    evidence.table["run"] = "first"
    assert say(compare(evidence, "a", "b", metric="seconds", scale="ratio")).endswith(" trials).")


def test_single_times_have_the_spread_of_times(plant, only, outcomes):
    evidence = plant({"a": [1.0], "b": [20.0]}, "seconds", random=False)
    finding = compare(evidence, "a", "b", metric="seconds", scale="ratio")
    assert (outcomes(finding), finding.test()) == (["better"], "z-test of single timings (1 pair)")
    effect, _, high = only(finding).ends
    assert high / effect == pytest.approx(np.exp(1.959964 * 0.4 * np.sqrt(2)), rel=1e-6)
    more = compare(evidence, "a", "b", metric="seconds", scale="ratio", by=10)
    assert outcomes(more) == ["unclear"]
    # A difference has no known spread.
    assert outcomes(compare(evidence, "a", "b", metric="seconds")) == ["unclear"]


@pytest.mark.parametrize(
    ("a", "b", "by", "outcome", "sentence"),
    [
        (0.9, 0.8, 0, "better", "A has a higher R² than B on GP: 0.1 (no randomness)."),
        (0.8, 0.8, 0, "tie", ""),
        # Equal but for rounding
        (0.1 + 0.2, 0.3, 0, "tie", ""),
        (0.3, 0.1 + 0.2, 0, "tie", ""),
        # A difference at the bound is at most it, but not more; none at all has no direction
        (0.25, 0.5, -0.25, "better", ""),
        (0.5, 0.25, 0.25, "tie", ""),
        (0.5, 0.5, -0.01, "better", "The R² of A is at most 0.01 lower than that of B on GP: 0 ("),
    ],
)
def test_results_without_randomness_are_exact(
    plant, only, outcomes, say, a, b, by, outcome, sentence
):
    finding = compare(plant({"a": [a], "b": [b]}, random=False), "a", "b", metric="r2", by=by)
    assert outcomes(finding) == [outcome]
    assert outcome == "tie" or only(finding).p_value == 0.0
    assert say(finding).startswith(sentence)


def test_single_random_trial_is_unclear(plant, only, outcomes, say):
    finding = compare(plant({"a": [0.9], "b": [0.1]}), "a", "b", metric="r2")
    assert (outcomes(finding), finding.test()) == (["unclear"], "too few trials (1 pair)")
    assert np.isnan(only(finding).p_value)
    assert say(finding).startswith("It is unclear whether A has a higher R² than B on GP: 0.8")


def test_sentence_tells_why_an_interval_beyond_the_bound_is_unclear(plant):
    finding = compare(plant({"a": [0.5, 0.6, 0.8], "b": [0.1] * 3}), "a", "b", metric="r2")
    reason = "its p-value of 0.026 is above the limit of 0.01 that keeps the error rate of all"
    assert reason in decide([finding], level=0.01).sentence
    assert "p-value" not in decide([finding], level=0.05).sentence


def test_method_without_randomness_meets_every_trial_of_the_other(plant, join, rng, only):
    x = rng.normal(0.5, 0.02, 5)
    evidence = join(plant({"a": [0.7]}, random=False), plant({"b": x}))
    comparison = only(compare(evidence, "a", "b", metric="r2"))
    assert comparison.estimate.n == 5
    assert comparison.ends[0] == pytest.approx(0.7 - x.mean())


def test_trials_are_paired_by_number(plant, rng, only):
    x = rng.uniform(size=6)
    evidence = plant({"a": x + 0.01, "b": x})
    shuffled = evidence.table.sample(frac=1, random_state=0)
    comparison = only(compare(replace(evidence, table=shuffled), "a", "b", metric="r2"))
    assert (comparison.ends[0], comparison.p_value) == (pytest.approx(0.01), 0.0)


def test_failed_runs_are_left_out_and_counted(plant, rng, only, outcomes):
    x, y = rng.normal(0.9, 0.01, 8), rng.normal(0.8, 0.01, 8)
    x[:3] = np.nan
    finding = compare(plant({"a": x, "b": y}), "a", "b", metric="r2")
    assert (only(finding).estimate.n, outcomes(finding)) == (5, ["better"])
    assert only(finding).ends[0] == pytest.approx((x - y)[3:].mean())
    assert only(finding).solved == "5 of 8; 8 of 8"


def test_a_rival_that_solved_nothing_is_no_rival_unless_it_is_the_only_one(plant, rng, outcomes):
    x = rng.normal(0.9, 0.01, 5)
    values = {"a": x, "b": [np.nan] * 5, "c": x - 0.1}
    assert outcomes(compare(plant(values), "a", metric="r2")) == ["better"]
    finding = compare(plant(values), "a", "b", metric="r2")
    assert (outcomes(finding), finding.test()) == (["unclear"], "no value")


def test_setting_without_the_metric_is_left_out(plant, join, rng, outcomes):
    x = rng.normal(0.9, 0.01, 5)
    other = plant({"a": x, "b": x}, dataset="images")
    other = replace(other, table=other.table.assign(r2=np.nan))
    finding = compare(join(plant({"a": x, "b": x - 0.1}), other), "a", "b", metric="r2")
    assert outcomes(finding) == ["better"]


def test_sentences_tell_in_how_many_settings(plant, rng, say):
    x = rng.normal(0.5, 0.05, (4, 5))
    noise = rng.normal(0, 1e-3, (4, 5))
    shift = np.array([[0.1], [0.1], [0.1], [-0.1]])
    text = say(compare(plant({"a": x + shift + noise, "b": x}), "a", "b", metric="r2"))
    assert text.startswith(
        "A has a higher R² than B in 3 of 4 settings (the opposite in 1). Least certain case (GP, "
    )
    # A larger difference can be less certain.
    uneven = np.array([[0.1], [0.1], [0.1], [0.3]]) + noise * [[1], [1], [1], [80]]
    text = say(compare(plant({"a": x + uneven, "b": x}), "a", "b", metric="r2"))
    assert re.search(r"Least certain case \(GP, .*\): 0\.[23]", text)
    # Exact values have equal p-values: the smallest difference is the closest.
    exact = {"a": np.full((3, 5), 0.5), "b": np.repeat([[0.2], [0.4], [0.3]], 5, axis=1)}
    text = say(compare(plant(exact), "a", "b", metric="r2"))
    assert "in all 3 settings. Closest case (GP, 20 features): 0.1 (the same in all" in text
    worse = say(compare(plant({"a": x - 0.1 + noise, "b": x}), "a", "b", metric="r2"))
    assert worse.startswith(
        "A has a higher R² than B in 0 of 4 settings (the opposite in all 4). Clearest case (GP, "
    )
    much = compare(plant({"a": x - 0.1 + noise, "b": x}), "a", "b", metric="r2", by=-0.05)
    text = "The R² of A is more than 0.05 lower than that of B in all 4 settings. Clearest case"
    assert say(much).startswith(text)
    noisy = plant({"a": x + 0.1 * np.array([-1, -1, 0, 1, 1]), "b": x})
    text = say(compare(noisy, "a", "b", metric="r2"))
    assert text.startswith("It is unclear in all 4 settings whether A has a higher R² than B. ")


def test_conditions_tell_contestants_apart(plant, join, rng, say):
    clean = plant({"a": rng.normal(0.9, 0.01, 5)}, **{"data.noise": 0.0})
    noisy = plant({"a": rng.normal(0.7, 0.01, 5)}, **{"data.noise": 0.5})
    finding = compare(
        join(clean, noisy),
        {"methods": ["a"], "where": {"data.noise": 0}},
        {"methods": ["a"], "where": {"data.noise": "0.5"}},
        metric="r2",
        by=0.1,
    )
    expected = "The R² of A with noise = 0 is more than 0.1 higher than that of A with noise = 0.5"
    assert say(finding).startswith(expected)


def test_conditions_of_one_side_are_named(plant, join, rng, say):
    parts = [
        plant({"a": rng.normal(0.9 - noise, 0.01, 5)}, **{"data.noise": noise}, dataset=dataset)
        for dataset, noise in (("x", 0.0), ("x", 0.25), ("y", 0.0), ("y", 0.35))
    ]
    finding = compare(
        join(*parts),
        {"methods": ["a"], "where": {"data.noise": 0.0}},
        {"methods": ["a"], "where": {"data.noise": [0.25, 0.3, 0.35]}},  # no cell has 0.3
        metric="r2",
    )
    expected = "A with noise = 0 has a higher R² than A with noise = 0.25 or 0.35 in both settings"
    assert say(finding).startswith(expected)


def test_factor_of_a_time_is_that_of_the_sentence(plant, rng, only, say):
    time = rng.lognormal(0, 0.1, 5)
    evidence = plant({"a": 8 * time * rng.lognormal(0, 0.05, 5), "b": time}, "seconds")
    finding = compare(evidence, "a", "b", metric="seconds", scale="ratio", by=0.1)
    assert say(finding).startswith("The fit time of A is less than 10 × that of B on GP: ")
    shown = [number(1 / end) for end in only(finding).ends]
    assert f"{shown[0]} × (95 % interval {shown[2]} to {shown[1]}" in say(finding)


def test_a_ratio_of_one_is_a_comparison_of_speeds(plant, rng, say):
    time = rng.lognormal(0, 0.1, 5)
    evidence = plant({"a": 8 * time * rng.lognormal(0, 0.05, 5), "b": time}, "seconds")
    finding = compare(evidence, "b", "a", metric="seconds", scale="ratio")
    assert say(finding).startswith("B is faster than A on GP: ")
    finding = compare(evidence, "b", "a", metric="seconds", scale="ratio", by=4)
    assert say(finding).startswith("B is more than 4 × as fast as A on GP: ")


def test_titles_with_a_comma_stand_in_brackets(plant, rng, say):
    x = rng.uniform(0.5, 0.6, 5)
    evidence = replace(plant({"a": x, "b": x - 0.1}), methods={"a": "IKD, blockwise", "b": "PCA"})
    sentence = say(compare(evidence, "a", "b", metric="r2"))
    assert sentence.startswith("IKD (blockwise) has a higher R² than PCA on GP: 0.1")


def test_rivals_share_the_conditions_on_the_data(plant, rng, say):
    values = rng.normal(0.5, 0.01, (3, 5))
    evidence = plant({"a": values + 0.1, "b": values})
    chosen = {"methods": ["a"], "where": {"data.n_features": [10, 30]}}
    finding = compare(evidence, chosen, metric="r2")
    titles = [setting.title for setting in finding.settings]
    assert titles == ["GP, 10 features", "GP, 30 features"]
    # The titles of the methods do not repeat what both share
    assert say(finding).startswith("A has a higher R² than B in both settings")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"metric": "stress"}, "metric 'stress' is not in the study's table: it has"),
        ({"first": "z", "metric": "r2"}, "has none of the methods z; it has "),
        ({"metric": "r2", "scale": "log"}, "scale 'log': must be difference or ratio"),
        ({"metric": "r2", "quantifier": "mean"}, "quantifier 'mean': must be every or most"),
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


def test_ratio_of_a_cost_is_that_of_the_sentence(plant, rng, say):
    """Twice the memory is 2 ×, and not lower; half the time is twice as fast."""
    memory = 100 * rng.lognormal(0, 0.01, 5)
    evidence = plant({"a": 2 * memory * rng.lognormal(0, 0.01, 5), "b": memory}, "peak_mb")
    text = say(compare(evidence, "a", "b", metric="peak_mb", scale="ratio"))
    assert text.startswith("The memory of the fit of A is not lower than that of B on GP: 2")
    for clock, how in (("cpu_seconds", "in CPU time"), ("transform_seconds", "in placing new")):
        evidence = plant({"a": memory, "b": 2 * memory * rng.lognormal(0, 0.01, 5)}, clock)
        text = say(compare(evidence, "a", "b", metric=clock, scale="ratio", by=1.5))
        assert text.startswith(f"A is more than 1.5 × as fast {how}"), text
        assert re.search(r"on GP: (2|1\.9)", text)


def test_interval_names_the_direction_of_both_ends(plant, say):
    values = 0.5 + np.array([-0.2, 0.1, 0.15, 0.05, 0.2])
    text = say(compare(plant({"a": values, "b": [0.6] * 5}), "a", "b", metric="r2", by=-0.05))
    assert "0.04 lower (95 % interval from 0.15 higher to 0.23 lower, 5 paired trials)" in text
