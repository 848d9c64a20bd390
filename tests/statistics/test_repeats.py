"""Values that are computed again match those before up to rounding, or the spread of trials."""

import pytest

from nldr.statistics.repeats import MARGIN, SPREADS, TOLERANCE, Match, match_values


@pytest.mark.parametrize(
    ("error", "trials", "match"),
    [
        (0.0, [], Match.SAME),
        (0.9 * TOLERANCE, [], Match.SAME),
        (1.1 * TOLERANCE, [], Match.CLOSE),
        (1.1 * MARGIN, [], Match.DIFFERENT),
        (1.1 * MARGIN, [1.0], Match.DIFFERENT),
        (0.9 * SPREADS, [0.0, 1.0, 2.0], Match.SPREAD),
        (1.1 * SPREADS, [0.0, 1.0, 2.0], Match.DIFFERENT),
    ],
)
@pytest.mark.parametrize("before", [0.5, -0.5])
def test_values_match_up_to_their_error(before, error, trials, match):
    for after in (before + error, before - error):
        assert match_values(before, after, trials) == (match, pytest.approx(error))


def test_margins_of_large_values_are_relative():
    assert match_values(1e6, 1e6 + 0.9e6 * TOLERANCE, [])[0] == Match.SAME
    assert match_values(1e6, 1e6 + 1.1e6 * TOLERANCE, [])[0] == Match.CLOSE
    assert match_values(0.5, None, []) == (Match.DIFFERENT, float("inf"))


def test_infinite_and_undefined_values_are_compared():
    inf, nan = float("inf"), float("nan")
    for value in (inf, -inf, nan):
        assert match_values(value, value, [value, 0.5]) == (Match.SAME, 0.0)
    assert match_values(inf, 0.5, [0.5, inf])[0] == Match.DIFFERENT
    assert match_values(nan, 0.5, [0.5, nan])[0] == Match.DIFFERENT
    # The spread is that of the finite ones
    assert match_values(0.5, 0.53, [0.48, 0.5, 0.52, inf])[0] == Match.SPREAD
