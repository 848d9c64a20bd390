"""Tests of a mean agree with statsmodels, and with their own intervals."""

import numpy as np
import pytest

from nldr.statistics.location import locate
from nldr.statistics.outcomes import Sides, ThreeSided, discovery_level, three_sided


def test_t_test_agrees_with_statsmodels(rng):
    from statsmodels.stats.weightstats import DescrStatsW

    x = rng.normal(0.3, 1, 9)
    result, other = locate(x), DescrStatsW(x)
    assert result.p_value(0.1) == pytest.approx(other.ttest_mean(0.1)[1], abs=1e-6)
    assert result.p_above(0.1) == pytest.approx(other.ttest_mean(0.1, "larger")[1], abs=1e-6)
    assert result.p_below(0.1) == pytest.approx(other.ttest_mean(0.1, "smaller")[1], abs=1e-6)
    assert (result.low, result.high) == pytest.approx(other.tconfint_mean(0.05), abs=1e-6)


def test_z_test_agrees_with_statsmodels():
    from statsmodels.stats.weightstats import DescrStatsW

    location = locate([0.9, 1.2], sd=0.4)
    other = DescrStatsW(np.array([0.9, 1.2]))
    # statsmodels takes the spread from the values: bring it to 0.4.
    scale = 0.4 / other.std_mean / np.sqrt(2)
    low, high = other.zconfint_mean(0.05)
    assert (location.low, location.high) == pytest.approx(
        (1.05 + (low - 1.05) * scale, 1.05 + (high - 1.05) * scale), abs=1e-6
    )


def test_few_values_and_exact_ones():
    for few in (locate([0.9]), locate([0.9, 0.9])):
        assert (few.low, few.high) == (-np.inf, np.inf)
        assert np.isnan([few.p_above(0.0), few.p_below(0.0), few.p_value(0.0)]).all()
    two = locate([0.4, 0.6])
    assert two.p_above(0.5) == two.p_below(0.5) == 0.5
    exact = locate([0.3], exact=True)
    assert (exact.low, exact.high) == (0.3, 0.3)
    # A value is not above itself, whatever rounding did to it.
    assert (exact.p_above(0.1 + 0.2), exact.p_above(0.2), exact.p_below(0.2)) == (1.0, 0.0, 1.0)
    assert locate([]).n == 0
    with pytest.raises(ValueError, match="give one finite number per trial"):
        locate([1.0, np.nan])


def test_discovery_level_agrees_with_statsmodels(rng):
    from statsmodels.stats.multitest import multipletests

    for n in (1, 5, 40):
        p = rng.uniform(size=n) ** 3
        level = discovery_level(p, 0.1)
        assert (p <= level).tolist() == multipletests(p, 0.1, "fdr_bh")[0].tolist()
    assert discovery_level([]) == discovery_level([0.2, 0.9]) == 0.0


def test_a_p_value_at_the_level_is_significant():
    assert ThreeSided(0.025, 1.0, 1.0).outcome(0.05) == "better"
    assert ThreeSided(1.0, 0.025, 1.0).outcome(0.05) == "worse"
    tie = ThreeSided(1.0, 1.0, 0.05)
    assert (tie.outcome(0.05), tie.is_small(0.05)) == ("tie", True)


@pytest.mark.parametrize(
    ("need", "expected"), [(None, (0.3, 0.9, 0.09)), (2, (0.4, 0.7 * 2, 0.1)), (1, (0.3, 0.8, 0.2))]
)
def test_p_values_of_some_rivals_are_those_of_partial_conjunctions(need, expected):
    """Of three: the k-th smallest of k that must hold, times what is left to choose from."""
    columns = [0.1, 0.2, 0.3], [0.3, 0.7, 0.8], [0.01, 0.02, 0.04], [0.03, 0.05, 0.2]
    test = three_sided([Sides(*row) for row in zip(*columns, strict=True)], need)
    expected = [min(1.0, p) for p in expected]
    assert [test.p_better, test.p_worse, test.p_tie] == pytest.approx(expected)


@pytest.mark.parametrize("need", [3, 2])
def test_a_false_outcome_is_no_more_probable_than_the_level(need):
    # Three rivals whose trials are correlated; each true difference is 0, ± δ or far away.
    rng = np.random.default_rng(need)
    delta, level, n_studies = 0.01, 0.05, 2000
    for truth in ([0, 0, 0], [0, 1, 1], [-1, -1, 1], [1, 1, 1], [-1, 0.0, 9], [1, 9, 9]):
        shift = delta * np.array(truth)
        n_rivals_beaten = np.sort(shift)[::-1]
        # Difference that decides: the smallest of the `need` largest
        decisive = n_rivals_beaten[need - 1]
        wrong = 0
        for _ in range(n_studies):
            x = shift + 0.01 * (rng.normal(size=(5, 1)) + rng.normal(size=(5, 3)))
            means = [locate(column) for column in x.T]
            sides = [
                Sides(m.p_above(), m.p_below(), m.p_above(-delta), m.p_below(delta)) for m in means
            ]
            outcome = three_sided(sides, need).outcome(level)
            wrong += (
                (outcome == "better" and decisive <= 0)
                or (outcome == "worse" and decisive >= 0)
                or (outcome == "tie" and abs(decisive) >= delta)
            )
        assert wrong / n_studies <= level + 3 * np.sqrt(level * (1 - level) / n_studies)
