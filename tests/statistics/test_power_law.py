"""Exponents and their intervals are those of a regression of logarithms."""

import numpy as np
import pytest

from nldr.statistics.power_law import fit_power_law


def test_exponent_is_the_slope_of_a_regression_of_logarithms(rng):
    x, y = rng.uniform(10, 1e4, 12), rng.uniform(1, 100, 12)
    (slope, intercept), covariance = np.polyfit(np.log(x), np.log(y), 1, cov=True)
    law = fit_power_law(x, y)
    assert law.exponent == pytest.approx(slope)
    assert law.factor == pytest.approx(np.exp(intercept))
    # 97.5 % quantile of Student's t with 10 degrees of freedom
    half = 2.2281 * np.sqrt(covariance[0, 0])
    assert (law.low, law.high) == pytest.approx((slope - half, slope + half), rel=1e-4)


def test_small_sizes_and_missing_values_are_left_out():
    law = fit_power_law([1, 10, 20, 40, 80, 160], [50.0, 1.0, 2.0, np.nan, 8.0, 0.0], start=10)
    assert (law.start, law.end) == (10, 80)
    assert law.exponent == pytest.approx(1)


def test_exponents_from_fewer_than_five_sizes_have_no_interval():
    x = [10, 10, 20, 40, 80, 160]
    law = fit_power_law(x, x)
    assert (law.low, law.high) == pytest.approx((1, 1))
    law = fit_power_law(x[:-1], x[:-1])
    assert law.exponent == pytest.approx(1)
    assert np.isnan([law.low, law.high]).all()


def test_two_sizes_have_no_exponent():
    assert fit_power_law([10, 20, 10], [1.0, 2.0, 1.1]) is None
