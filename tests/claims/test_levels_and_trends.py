"""Levels and trends of planted methods have the outcome with which they were planted."""

import re

import numpy as np
import pytest
from scipy.stats import linregress, ttest_1samp

from nldr.claims import level, trend

SIZES = 10 * np.arange(1, 5)  # numbers of features of planted settings


def test_level_is_decided_by_the_t_test(plant, rng, only, outcomes, say):
    x = rng.normal(0.93, 0.01, 6)
    finding = level(plant({"a": x}), ["a"], metric="r2", at_least=0.9)
    comparison = only(finding)
    assert comparison.p_value == pytest.approx(ttest_1samp(x, 0.9).pvalue, rel=1e-9)
    assert (comparison.ends[0], comparison.bound) == (pytest.approx(x.mean()), 0.9)
    assert outcomes(finding) == ["better"]
    assert say(finding).startswith("The R² of A is at least 0.9 on GP: 0.")
    turned = level(plant({"a": x}), ["a"], metric="r2", at_most=0.9)
    assert (outcomes(turned), only(turned).p_value) == (["worse"], comparison.p_value)
    assert say(turned).startswith("The R² of A is above 0.9 on GP: 0.")


@pytest.mark.parametrize("bound", [{"at_least": 1.0}, {"at_most": 1.0}])
def test_exact_value_at_the_bound_is_at_least_and_at_most_it(plant, outcomes, say, bound):
    finding = level(plant({"a": [1.0] * 3}), ["a"], metric="r2", **bound)
    assert outcomes(finding) == ["better"]
    assert say(finding).endswith(" 1 on GP: 1 (the same in all 3 trials).")


def test_value_just_above_its_bound_is_not_called_below_it(plant, rng, outcomes, say):
    values = 0.9001 + rng.normal(0, 0.001, (2, 6))
    one = level(plant({"a": values[0]}), ["a"], metric="r2", at_least=0.9)
    assert outcomes(one) == ["tie"]
    assert say(one).startswith("The R² of A is at least 0.9, or practically so, on GP: 0.9")
    two = level(plant({"a": values}), ["a"], metric="r2", at_least=0.9)
    text = "The R² of A is at least 0.9 in 0 of 2 settings (practically at the bound in both). "
    assert say(two).startswith(text)
    flat = trend(plant({"a": values}), ["a"], metric="r2", x="data.n_features")
    text = "The R² of A does not rise with the number of features, but is practically constant on"
    assert say(flat).startswith(text)


def test_level_of_every_method_and_setting(plant, rng, outcomes, say):
    values = rng.normal(0.95, 0.002, (3, 5))
    low = values - [[0], [0.2], [0]]
    finding = level(plant({"a": values, "b": low}), ["a", "b"], metric="r2", at_least=0.9)
    assert outcomes(finding) == ["better"] * 4 + ["worse", "better"]
    assert "in 5 of 6 settings (short of the bound in 1). Least certain case (" in say(finding)
    bad = level(plant({"b": low - 0.2}), ["b"], metric="r2", at_least=0.9)
    text = "The R² of B is below 0.9 in all 3 settings. Clearest case (B on GP, "
    assert say(bad).startswith(text)


def test_level_of_each_value_of_a_parameter_of_the_method(plant, join, rng, outcomes):
    scores = {5: rng.normal(0.95, 0.002, 5), 12: rng.normal(0.6, 0.002, 5)}
    evidence = join(*(plant({"a": x}, **{"method.n_neighbors": k}) for k, x in scores.items()))
    finding = level(evidence, metric="r2", at_least=0.9, per=["method.n_neighbors"])
    assert outcomes(finding) == ["better", "worse"]
    assert [s.title for s in finding.settings] == ["GP, 5 neighbors", "GP, 12 neighbors"]
    with pytest.raises(ValueError, match="several cells in the setting 'GP'"):
        level(evidence, metric="r2", at_least=0.9)
    with pytest.raises(ValueError, match=r"method\.k is not a column"):
        level(evidence, metric="r2", at_least=0.9, per=["method.k"])


def test_recorded_numbers_and_times_of_new_points(plant, rng, outcomes, say):
    x = rng.uniform(0.5, 0.6, 5)
    evidence = plant({"a": x}, "transform_seconds", **{"fit.loss": [0.1, 0.11, 0.1, 0.12, 0.11]})
    assert outcomes(level(evidence, metric="fit.loss", at_most=0.2)) == ["better"]
    finding = level(evidence, metric="transform_seconds", at_most=1)
    assert say(finding).startswith("The time of new points of A is at most 1 s on GP: 0.")
    assert finding.unit == "s"


def test_failed_runs_have_no_level(plant, only):
    comparison = only(level(plant({"a": [0.95, 0.96, 0.95, np.nan]}), metric="r2", at_least=0.9))
    assert comparison.ends[0] == pytest.approx(0.95333333)
    assert comparison.solved == "3 of 4"


def test_slopes_are_those_of_each_trial(plant, rng, only, outcomes):
    y = 0.2 + 0.3 * np.log10(SIZES)[:, np.newaxis] + rng.normal(0, 0.01, (4, 6))
    finding = trend(plant({"a": y}), ["a"], metric="r2", x="data.n_features", by=0.2)
    slopes = [linregress(np.log10(SIZES), trial).slope for trial in y.T]
    comparison = only(finding)
    assert comparison.ends[0] == pytest.approx(np.mean(slopes), rel=1e-9)
    assert comparison.p_value == pytest.approx(ttest_1samp(slopes, 0.2).pvalue, rel=1e-9)
    assert (outcomes(finding), finding.unit) == (["better"], "R² per tenfold number of features")
    # Negligible: .01 over the whole range of the parameter
    assert comparison.delta == pytest.approx(0.01 / np.log10(4))
    plain = trend(plant({"a": y}), ["a"], metric="r2", x="data.n_features", log_x=False)
    slopes = [linregress(SIZES, trial).slope for trial in y.T]
    assert only(plain).ends[0] == pytest.approx(np.mean(slopes), rel=1e-9)


def test_falling_trend(plant, rng, only, outcomes, say):
    y = 0.9 - 0.3 * np.log10(SIZES)[:, np.newaxis] + rng.normal(0, 0.01, (4, 6))
    evidence = plant({"a": y})
    falling = {"metric": "r2", "x": "data.n_features", "direction": "falling"}
    finding = trend(evidence, ["a"], **falling, by=0.2)
    comparison = only(finding)
    assert (outcomes(finding), comparison.bound, comparison.above) == (["better"], -0.2, False)
    assert comparison.ends[0] == pytest.approx(-0.3, abs=0.05)
    assert outcomes(trend(evidence, ["a"], **falling, by=0.4)) == ["worse"]
    rising = trend(evidence, ["a"], metric="r2", x="data.n_features")
    assert outcomes(rising) == ["worse"]
    assert say(rising).startswith("The R² of A does not rise with the number of features on GP: −0")


def test_exponent_of_time(plant, rng, only, outcomes):
    seconds = 1e-4 * SIZES[:, np.newaxis] ** 2.5 * rng.lognormal(0, 0.05, (4, 5))
    evidence = plant({"a": seconds}, "seconds")
    finding = trend(evidence, metric="seconds", x="data.n_features", log_y=True, by=2)
    assert (outcomes(finding), finding.unit) == (["better"], "exponent")
    assert only(finding).ends[0] == pytest.approx(2.5, abs=0.1)


def test_single_times_have_the_spread_of_times(plant, only, outcomes):
    evidence = plant({"a": 1e-4 * SIZES[:, np.newaxis] ** 2.5}, "seconds", random=False)
    finding = trend(evidence, ["a"], metric="seconds", x="data.n_features", log_y=True, by=1)
    x = np.log(SIZES) - np.log(SIZES).mean()
    center, _, high = only(finding).ends
    assert center == pytest.approx(2.5)
    assert high - center == pytest.approx(1.959964 * 0.4 / np.sqrt(x @ x), rel=1e-6)
    assert outcomes(finding) == ["better"]


def test_unsolved_sizes_and_trials_are_left_out(plant, rng, only):
    y = 0.2 + 0.3 * np.log10(SIZES)[:, np.newaxis] + rng.normal(0, 0.01, (4, 6))
    y[3], y[0, 2] = np.nan, np.nan
    comparison = only(trend(plant({"a": y}), ["a"], metric="r2", x="data.n_features"))
    assert (comparison.estimate.n, comparison.solved) == (5, "17 of 24")


def test_trend_in_a_parameter_of_the_method(plant, join, rng, only):
    parts = [
        plant(
            {"a": 0.5 + 0.01 * k + rng.normal(0, 1e-3, 5)},
            **{"method.k": k},
            method_cell=f"a@k={k}",
        )
        for k in (5, 10, 20)
    ]
    finding = trend(join(*parts), ["a"], metric="r2", x="method.k", log_x=False)
    assert only(finding).ends[0] == pytest.approx(0.01, abs=1e-3)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"x": "data.n"}, "x = 'data.n' is not a column"),
        ({"direction": "up"}, "direction 'up': must be rising or falling"),
        ({"x": "method.n_components"}, "no setting was solved at two values of method.n_comp"),
    ],
)
def test_trends_that_cannot_be_made_raise(plant, rng, params, message):
    evidence = plant({"a": rng.uniform(size=(1, 5))})
    with pytest.raises(ValueError, match=message):
        trend(evidence, ["a"], **{"metric": "r2", "x": "data.n_features", **params})


def test_level_needs_one_bound(plant):
    for bounds in ({}, {"at_least": 0.5, "at_most": 0.7}):
        with pytest.raises(ValueError, match="give either at_least or at_most"):
            level(plant({"a": [0.5] * 3}), ["a"], metric="r2", **bounds)


def test_slope_has_its_unit(plant, rng, say):
    """The slope of a score is per tenfold parameter, that of a logarithm is an exponent."""
    values = 0.2 + 0.1 * np.log10(SIZES)[:, None] + rng.normal(0, 1e-3, (4, 5))
    text = say(trend(plant({"a": values}), ["a"], metric="r2", x="data.n_features"))
    assert re.search(r"on GP: 0\.\d+ per tenfold number of features \(95", text)
    times = plant({"a": 10**values}, "seconds")
    text = say(trend(times, ["a"], metric="seconds", x="data.n_features", log_y=True))
    start = "The fit time of A rises with the number of features with an exponent above 0 on GP: 0."
    assert text.startswith(start)
