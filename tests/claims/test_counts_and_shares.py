"""Ranks, failures and reproduced numbers are counted, and decided by exact tests."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, t

from nldr.claims import count, decide, fails, reproduced
from nldr.claims.shares import Share


def verdict(finding):
    """Return the verdict of a single test."""
    return str(decide([finding], level=0.05).verdict)


def test_ranks_are_counted_over_settings_and_metrics(plant, rng, outcomes, say):
    base = rng.normal(0.5, 0.001, (3, 6))
    values = {"a": base + np.array([[0.2], [0.2], [-0.2]]), "b": base, "c": base - 0.1}
    evidence = plant(values)
    evidence = replace(evidence, table=evidence.table.assign(kl=1 - evidence.table["r2"]))
    finding = count(evidence, "a", metrics=["r2", "kl"], at_least=4)
    assert outcomes(finding) == ["better", "better", "worse"] * 2
    expected = ("holds", "R² after alignment, GP, 10 features")
    assert (verdict(finding), finding.settings[0].title) == expected
    text = "A is the best of 3 methods in 4 of 6 settings (the opposite in 2). Closest case (vs. "
    assert say(finding).startswith(text)
    most = count(evidence, "a", metrics=["r2", "kl"], at_least="most")
    assert (verdict(most), most.need) == ("holds", 4)
    assert verdict(count(evidence, "a", metrics=["r2", "kl"], at_least=5)) == "fails"
    second = count(evidence, "b", metrics=["r2", "kl"], rank=2, at_least=6)
    assert verdict(second) == "holds"
    assert say(second).startswith("B is the best or second best of 3 methods in all 6 settings. ")
    # A method that is never the best is not, however many rivals it beats.
    assert verdict(count(evidence, "b", metrics=["r2", "kl"], at_least=3)) == "fails"


def test_method_that_equals_another_is_not_better_than_it(plant, outcomes):
    evidence = plant({"a": [0.8], "b": [0.8], "c": [0.1]}, random=False)
    assert outcomes(count(evidence, "a", metrics=["r2"], at_least=1)) == ["tie"]
    assert outcomes(count(evidence, "a", metrics=["r2"], rank=2, at_least=1)) == ["better"]


def test_rank_is_open_where_methods_are_close(plant, rng):
    base = rng.normal(0.5, 0.1, (4, 5))
    noise = rng.normal(0, 0.02, (4, 5))
    finding = count(plant({"a": base + noise, "b": base}), "a", metrics=["r2"], at_least=2)
    assert verdict(finding) == "open"


def test_count_refuses_more_settings_than_there_are(plant, rng):
    evidence = plant({"a": rng.uniform(size=(2, 5)), "b": rng.uniform(size=(2, 5))})
    with pytest.raises(ValueError, match="there are 2 settings, fewer than at_least = 8"):
        count(evidence, "a", metrics=["r2"])
    with pytest.raises(ValueError, match="give a rank from 1 on"):
        count(evidence, "a", metrics=["r2"], rank=0)


def planted_failures(plant, n_failed, n, **changes):
    values = np.where(np.arange(n) < n_failed, np.nan, 0.5)
    return plant({"a": values}, **changes)


@pytest.mark.parametrize(("n_failed", "expected"), [(20, "holds"), (10, "open"), (0, "fails")])
def test_share_of_failed_runs(plant, only, n_failed, expected):
    finding = fails(planted_failures(plant, n_failed, 20), ["a"], at_least=0.5)
    center, *ends = only(finding).ends
    assert (verdict(finding), center) == (expected, n_failed / 20)
    interval = binomtest(n_failed, 20).proportion_ci(0.95, "exact")
    assert ends == pytest.approx((interval.low, interval.high), rel=1e-9)
    one_sided = binomtest(n_failed, 20, 0.5, alternative="greater").pvalue
    assert only(finding).sides.better == pytest.approx(one_sided, rel=1e-9)
    turned = fails(planted_failures(plant, n_failed, 20), ["a"], at_most=0.5)
    assert verdict(turned) == {"holds": "fails", "fails": "holds"}.get(expected, expected)


def test_an_exact_share_at_a_bound_is_neither_above_nor_below():
    share = Share(3, 4, is_exact=True)
    assert (share.low, share.high) == (0.75, 0.75)
    assert [share.p_above(b) for b in (0.7, 0.75, 0.8)] == [0.0, 0.0, 1.0]
    assert [share.p_below(b) for b in (0.7, 0.75, 0.8)] == [1.0, 0.0, 0.0]


def test_runs_without_randomness_fail_exactly(plant, say):
    finding = fails(planted_failures(plant, 1, 1, random=False), ["a"], at_least=0.5)
    assert verdict(finding) == "holds"
    text = "A fails in at least 50 % of the runs: 1 of 1 run failed, 100 % (no randomness)."
    assert say(finding) == text


def test_run_that_did_not_converge_has_a_result(plant, only):
    evidence = plant({"a": [0.5] * 8}, status="not_converged")
    assert only(fails(evidence, ["a"], at_most=0.5)).ends[0] == 0


def make_verdicts(**counts):
    verdicts = [verdict for name, n in counts.items() for verdict in [name.replace("_", " ")] * n]
    return pd.DataFrame({"verdict": verdicts, "method": "a", "n_features": 100})


@pytest.mark.parametrize(
    ("counts", "bound", "expected"),
    [
        ({"reproduced": 6, "undecided": 3, "not_run": 2}, 0.5, "holds"),
        ({"reproduced": 6}, 0.9, "holds"),
        ({"reproduced": 6, "cannot_tell": 4, "worse": 2}, 0.7, "open"),
        ({"reproduced": 6, "cannot_tell": 4, "undecided": 1, "worse": 1}, 0.5, "holds"),
        ({"reproduced": 6, "cannot_tell": 1, "worse": 5}, 0.7, "fails"),
        ({"reproduced": 6, "no_result": 4}, 0.7, "fails"),
        ({"reproduced": 1, "better": 5, "worse": 5}, 0.5, "fails"),
        ({"undecided": 4}, 0.5, "open"),
    ],
)
def test_share_of_reproduced_numbers(plant, only, counts, bound, expected):
    evidence = replace(plant({"a": [0.5]}), published=make_verdicts(**counts))
    finding = reproduced(evidence, at_least=bound)
    n_run = sum(counts.values()) - counts.get("not_run", 0)
    assert (verdict(finding), only(finding).estimate.n) == (expected, n_run)


def test_sentence_tells_how_many_numbers_cannot_tell(plant, say):
    numbers = make_verdicts(reproduced=6, worse=2, cannot_tell=4)
    finding = reproduced(replace(plant({"a": [0.5]}), published=numbers), at_least=0.5)
    assert say(finding).endswith(": 6 of 12 (4 cannot tell), 50 to 83 %.")
    assert finding.test() == "count of 12 numbers"


def test_published_numbers_are_selected_by_their_columns(plant):
    verdicts = pd.concat([make_verdicts(reproduced=7), make_verdicts(worse=7).assign(method="b")])
    evidence = replace(plant({"a": [0.5]}), published=verdicts)
    assert verdict(reproduced(evidence, at_least=0.5, where={"method": "a"})) == "holds"
    assert verdict(reproduced(evidence, at_least=0.5, where={"method": ["b"]})) == "fails"
    half = reproduced(evidence, at_most=0.5, where={"n_features": "100.0"})
    assert half.settings[0].comparisons[0].ends[0] == 0.5
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
    [
        ([0.0, 0.01, -0.015], "holds"),
        ([0.0, 0.08, 0.01], "holds in most"),
        ([0.08, 0.09], "fails"),
        ([0.0, 0.028], "open"),
    ],
)
def test_every_published_number_is_reproduced(plant, differences, expected):
    evidence = replace(plant({"a": [0.5]}), published=make_numbers(differences))
    assert verdict(reproduced(evidence, quantifier="every")) == expected


def test_p_value_of_equivalence_agrees_with_statsmodels(plant, only):
    from statsmodels.stats.weightstats import DescrStatsW

    values = np.random.default_rng(0).normal(size=10)
    values = 0.015 + 0.01 * (values - values.mean()) / values.std(ddof=1)
    center, half = values.mean(), values.std(ddof=1) / np.sqrt(10) * t.ppf(0.975, 9)
    evidence = replace(plant({"a": [0.5]}), published=make_numbers([center], half))
    larger = max(test[1] for test in DescrStatsW(values).ttost_mean(-0.03, 0.03)[1:])
    comparison = only(reproduced(evidence, quantifier="every"))
    assert comparison.sides.better == pytest.approx(larger, rel=1e-6)


def test_every_published_number_without_trials_or_with_a_share(plant):
    evidence = replace(plant({"a": [0.5]}), published=make_numbers([]))
    with pytest.raises(ValueError, match="no published number was run"):
        reproduced(evidence, quantifier="every")
    one = replace(evidence, published=make_numbers([0.0]))
    with pytest.raises(ValueError, match="leave at_least and at_most out"):
        reproduced(one, quantifier="every", at_least=0.5)
    exact = replace(evidence, published=make_numbers([0.01], half=0.0, n=1))
    assert verdict(reproduced(exact, quantifier="every")) == "holds"
    unknown = replace(evidence, published=make_numbers([0.01], half=np.inf, n=1))
    assert verdict(reproduced(unknown, quantifier="every")) == "open"
