"""A published number is decided as the intervals say."""

import numpy as np
import pytest

from nldr.claims.equivalence import Sample, compare_with_published, margin_of, rounding_of


def summarize(values):
    return Sample(float(values.mean()), float(values.std(ddof=1)), len(values))


def test_interval_and_equivalence_test_agree_with_statsmodels(rng):
    from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

    x, y = rng.normal(0.9, 0.02, 7), rng.normal(0.89, 0.05, 30)
    both = CompareMeans(DescrStatsW(x), DescrStatsW(y))
    outcome = compare_with_published(summarize(x), summarize(y), margin=0.05)
    expected = both.tconfint_diff(usevar="unequal")
    assert (outcome.low, outcome.high) == pytest.approx(expected, abs=1e-6)
    # The margin at which the number is just reproduced is where the p-value is 0.025.
    limit = max(-outcome.low, outcome.high)
    assert both.ttost_ind(-limit, limit, usevar="unequal")[0] == pytest.approx(0.025, abs=1e-6)


@pytest.mark.parametrize(
    ("mean", "n", "better", "expected"),
    [
        (0.90, 50, "higher", "reproduced"),
        (0.97, 50, "higher", "better"),
        (0.83, 50, "higher", "worse"),
        (0.97, 50, "lower", "worse"),
        (0.83, 50, "lower", "better"),
        (0.90, 2, "higher", "undecided"),
        (0.92, 50, "higher", "undecided"),
    ],
)
def test_agreement(mean, n, better, expected):
    outcome = compare_with_published(Sample(mean, 0.02, n), Sample(0.9, 0.02, 50), 0.02, better)
    assert outcome.agreement == expected


T15, T49 = 2.131449546, 2.009575237  # quantiles of t with 15 and 49 degrees of freedom
NO_SPREAD = Sample(0.9, None, 1)


@pytest.mark.parametrize(
    ("ours", "theirs", "margin", "high", "agreement"),
    [
        # A single published run is compared as printed: the interval is that of our mean
        (Sample(0.9, 0.04, 16), NO_SPREAD, 0.02, T15 * 0.04 / 4, "undecided"),
        # A published mean without spread has ours
        (Sample(0.9, 0.04, 16), Sample(0.9, None, 9), 0.04, T15 * 0.04 * 5 / 12, "reproduced"),
        # A result without randomness meets a published mean, or a run
        (Sample(0.9, 0.0, 1), Sample(0.9, 0.02, 50), 0.03, T49 * 0.02 / 50**0.5, "reproduced"),
        (Sample(0.9, 0.0, 5), Sample(0.905, None, 1), 0.01, -0.005, "reproduced"),
        (Sample(0.9, 0.0, 5), Sample(0.95, None, 1), 0.01, -0.05, "worse"),
        (NO_SPREAD, NO_SPREAD, 0.01, np.inf, "undecided"),
    ],
)
def test_interval_has_the_spread_that_is_known(ours, theirs, margin, high, agreement):
    outcome = compare_with_published(ours, theirs, margin)
    assert outcome.high == pytest.approx(high, rel=1e-8)
    assert outcome.low == pytest.approx(2 * (ours.mean - theirs.mean) - high, rel=1e-8)
    assert outcome.agreement == agreement


@pytest.mark.parametrize(("margin", "n"), [(-0.1, 5), (0.1, 0)])
def test_bad_input_raises(margin, n):
    with pytest.raises(ValueError, match=r"must be at least 0|give at least one"):
        compare_with_published(Sample(0.9, 0.1, n), Sample(0.9, 0.1, 5), margin)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (dict(published_sd=0.02, our_sd=0.5, floor=0.01), 0.02 * np.sqrt(2)),
        (dict(published_sd=0.001, our_sd=0.5, floor=0.01), 0.01),
        (dict(published_sd=None, our_sd=0.02, floor=0.01), 0.04),
        (dict(published_sd=None, our_sd=0.02, floor=0.01, n_published=3), 0.02 * np.sqrt(2)),
        (dict(published_sd=None, our_sd=None, floor=0.01), 0.01),
        (dict(published_sd=None, our_sd=0.0, floor=0.01, rounding=0.005), 0.015),
    ],
)
def test_margin_of_means_runs_and_results_without_randomness(given, expected):
    assert margin_of(**given) == pytest.approx(expected)


def test_rounding_of_the_print_is_allowed_for():
    # 0.90 may have been 0.895: a difference of 0.014 from ours is one of 0.009 to 0.019.
    ours = Sample(0.914, 0.0, 1)
    margin = margin_of(None, 0.0, 0.01, rounding=rounding_of("0.90"))
    assert compare_with_published(ours, Sample(0.90, None, 1), margin).agreement == "reproduced"
    assert compare_with_published(ours, Sample(0.90, None, 1), 0.01).agreement == "better"


@pytest.mark.parametrize("name", ["floor", "rounding"])
def test_negative_margins_raise(name):
    with pytest.raises(ValueError, match=f"{name} = -0.1"):
        margin_of(0.1, 0.1, **{"floor": 0.01, name: -0.1})
