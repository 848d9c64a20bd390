"""Tests of a center agree with other implementations, and with their own intervals."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from nldr.statistics.conjunction import count_true
from nldr.statistics.location import locate


def test_t_test_agrees_with_statsmodels(rng):
    from statsmodels.stats.weightstats import DescrStatsW

    x = rng.normal(0.3, 1, 9)
    result, other = locate(x, 0.1), DescrStatsW(x)
    assert result.p_value == pytest.approx(other.ttest_mean(0.1)[1], abs=1e-6)
    assert result.p_above == pytest.approx(other.ttest_mean(0.1, "larger")[1], abs=1e-6)
    assert result.p_below == pytest.approx(other.ttest_mean(0.1, "smaller")[1], abs=1e-6)
    assert (result.low, result.high) == pytest.approx(other.tconfint_mean(0.05), abs=1e-6)


def test_z_test_agrees_with_statsmodels():
    from statsmodels.stats.weightstats import DescrStatsW

    location = locate([0.9, 1.2], 0.3, sd=0.4)
    own = DescrStatsW(np.array([0.9, 1.2]))
    # statsmodels takes the spread from the values: bring it to 0.4.
    scale = 0.4 / own.std_mean / np.sqrt(2)
    low, high = own.zconfint_mean(0.05)
    assert (location.low, location.high) == pytest.approx(
        (1.05 + (low - 1.05) * scale, 1.05 + (high - 1.05) * scale), abs=1e-6
    )


def test_signed_rank_test_by_enumeration(rng):
    x = rng.normal(0.3, 1, 12)
    # All 4096 assignments of signs are equally likely.
    ranks = np.argsort(np.argsort(np.abs(x))) + 1
    signs = np.array(list(itertools.product([0, 1], repeat=12)))
    sums, own = signs @ ranks, ranks[x > 0].sum()
    location = locate(x)
    assert location.p_above == pytest.approx((sums >= own).mean(), abs=1e-12)
    assert location.p_below == pytest.approx((sums <= own).mean(), abs=1e-12)


@pytest.mark.parametrize("n", [4, 12, 25])
def test_interval_has_the_bounds_that_are_not_rejected(rng, n):
    x = rng.normal(0.3, 1, n)
    location = locate(x)
    step = 1e-6
    for end, inward in ((location.low, step), (location.high, -step)):
        assert locate(x, end + inward).p_value > 0.05
        assert locate(x, end - inward).p_value <= 0.05


@pytest.mark.parametrize("n", [12, 30])
def test_interval_covers_the_center_as_often_as_promised(n):
    rng = np.random.default_rng(0)
    inside = sum(
        result.low <= 0 <= result.high
        for result in (locate(x) for x in rng.standard_t(3, (1000, n)))
    )
    low, high = binom.ppf([1e-5, 1 - 1e-5], 1000, 0.955)
    assert low <= inside <= high


def test_values_without_randomness_are_certain():
    above = locate([0.5], 0.4, exact=True)
    assert (above.low, above.high, above.p_above, above.p_below) == (0.5, 0.5, 0, 1)
    border = locate([0.4, 0.4, 0.4], 0.4)
    assert (border.p_above, border.p_below, border.p_value) == (1, 0, 0)


def test_too_few_values_have_no_test():
    location = locate([0.5, 0.7])
    assert (location.low, location.high) == (-np.inf, np.inf)
    assert np.isnan([location.p_above, location.p_below, location.p_value]).all()
    for values in ([], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="give one finite number per trial"):
            locate(values)


def test_small_p_values_are_not_lost():
    location = locate(100 + np.array([0.1, -0.1, 0.2, -0.2, 0.05]))
    assert 0 < location.p_above < 1e-10


def test_all_of_several_is_the_largest_p_value(rng):
    p = rng.uniform(0, 0.02, 8)
    interval = count_true(p, 1 - p, 8)
    assert interval.p_holds == pytest.approx(2 * p.max())
    ranked = np.sort(p) * 8 / np.arange(1, 9)
    assert count_true(p, 1 - p, 1).p_holds == pytest.approx(min(1, 2 * ranked.min()))
    assert (interval.low, interval.high) == (8, 8)


def test_untested_statements_count_as_open():
    interval = count_true([0.0, np.nan], [1.0, np.nan], 1)
    assert (interval.low, interval.high, interval.p_holds) == (1, 2, 0)
    assert count_true([0.0, np.nan], [1.0, np.nan], 2).p_holds == 1
    assert np.isnan(count_true([np.nan], [np.nan], 1).p_holds)
    with pytest.raises(ValueError, match="need = 3 of 2 statements"):
        count_true([0.1, 0.2], [0.9, 0.8], 3)
