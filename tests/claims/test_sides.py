"""Each comparison tells its unit, its bound and the side on which it supports the claim."""

import numpy as np
import pytest

from nldr.claims import combine, compare, count, fails, trend


@pytest.fixture
def values(rng):
    """Methods of which the first is .2 better, and rises by .1 per tenfold number of features."""
    rise = 0.1 * np.log10([[10], [20], [30]])
    return {"a": 0.5 + rise + rng.normal(0, 0.001, (3, 6)), "b": 0.3 + np.zeros((3, 6))}


@pytest.mark.parametrize(
    ("direction", "by", "above"), [("rising", 0.01, True), ("falling", -0.5, False)]
)
def test_a_trend_is_bounded_from_one_side(plant, values, direction, by, above):
    finding = trend(
        plant({"a": values["a"]}), metric="r2", x="data.n_features", by=by, direction=direction
    )
    assert finding.decision == "holds"
    assert finding.above is above
    assert (finding.effect > finding.threshold) is above
    (one,) = finding.comparisons
    assert (one.unit, one.threshold, one.above) == (finding.unit, finding.threshold, above)


def test_a_share_of_comparisons_has_another_unit_than_these(plant, values):
    finding = compare(plant(values), "a", ["b"], metric="r2", by=0.05, quantifier="most")
    assert (finding.unit, finding.threshold, finding.above) == ("of 3 comparisons", 0.5, True)
    assert {(c.unit, c.threshold) for c in finding.comparisons} == {("R²", 0.05)}


def test_tests_of_one_claim_keep_their_units(plant, values):
    evidence = plant(values)
    finding = combine(
        [
            compare(evidence, "a", ["b"], metric="r2"),
            trend(evidence, ["a"], metric="r2", x="data.n_features", by=-0.5, direction="falling"),
        ]
    )
    assert {c.unit for c in finding.comparisons} == {"R²", "R² per tenfold number of features"}
    assert [c.above for c in finding.comparisons] == [True] * 3 + [False]


def test_a_rank_supports_from_below(plant, values):
    finding = count(plant(values), "a", metrics=["r2"], at_least=3)
    assert finding.above
    for one in finding.comparisons:
        assert (one.unit, one.above) == ("rank", False)
        # The bound lies between the rank that is wanted and the next.
        assert one.effect < one.threshold < one.effect + 1


@pytest.mark.parametrize("limit", ["at_least", "at_most"])
def test_a_share_is_bounded_from_one_side(plant, limit):
    finding = fails(plant({"a": np.full((1, 8), np.nan)}), ["a"], **{limit: 0.5})
    assert finding.above is (limit == "at_least")
    assert {c.above for c in finding.comparisons} == {finding.above}
    assert {c.threshold for c in finding.comparisons} == {0.5}
