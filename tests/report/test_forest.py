"""Forest plots put effects where they belong: right of the bound is what supports the claim."""

import re
from dataclasses import replace

import pytest
from reports import evaluation, not_run

from nldr.report.content import Bar, ClaimContent
from nldr.report.forest import Axis, axis_of, centered_axis, claim_strip, forests


def positions(svg, attribute="cx"):
    """Return the positions of all marks, in percent."""
    return [float(drawing) for drawing in re.findall(rf'{attribute}="([\d.]+)%"', svg)]


def strip(*evaluations):
    """Return the drawing of a claim."""
    return str(claim_strip(ClaimContent("a", "A", "§1", "holds", "a.yaml:1", [*evaluations], None)))


def test_bound_is_in_the_middle_and_the_farthest_end_at_the_margin():
    drawing = strip(evaluation(effect=0.2, low=0.1, high=0.4, threshold=0.0))
    assert positions(drawing) == [72.5]
    assert positions(drawing, "x1") == [61.2]
    assert positions(drawing, "x2") == [95.0]


def test_effects_that_support_the_claim_lie_on_the_right():
    for above, effect in ((True, 2.0), (False, 0.5)):
        shown = evaluation(effect=effect, low=None, high=None, threshold=1.0, above=above)
        assert positions(strip(shown))[0] > 50
        opposite = replace(shown, above=not above)
        assert positions(strip(opposite))[0] < 50


def test_ratios_are_drawn_by_their_logarithm():
    double = evaluation(effect=2.0, low=0.5, high=4.0, threshold=1.0, unit="×")
    drawing = strip(double)
    assert positions(drawing) == [72.5]
    assert positions(drawing, "x1") == [27.5]
    # A ratio that is not positive has no logarithm: then the axis is a plain one.
    assert positions(strip(replace(double, low=0.0)), "x1")[0] == pytest.approx(35, abs=0.1)


def test_evaluations_with_the_same_unit_share_an_axis():
    one, other = evaluation(), evaluation("equal_tuning", effect=0.02, low=0.01, high=0.03)
    together, alone = positions(strip(one, other)), positions(strip(other))
    assert together[1] < alone[0]
    assert positions(strip(one, replace(other, unit="k-NN accuracy")))[1] == alone[0]
    assert '<g class="holds hollow">' in strip(one, other)


def test_words_tell_what_the_drawing_shows():
    drawing = strip(evaluation(), evaluation("equal_tuning", decision="fails", effect=-0.1))
    assert 'aria-label="as published: holds, effect 0.2 R², bound 0; equal tuning: fails' in drawing
    assert "<svg" in strip(not_run("as_published"))


def test_comparisons_with_different_bounds_have_axes_of_their_own():
    plots = forests(evaluation().comparisons)
    expected = [("R²", 0.0, True), ("×", 2.0, False)]
    assert [(plot.unit, plot.threshold, plot.above) for plot in plots] == expected
    first, second = plots[0].rows
    assert positions(str(first.strip))[0] > positions(str(first.strip), "x1")[0] == 50.0
    assert positions(str(second.strip))[0] < 50.0
    # What was not run has a row without a drawing.
    assert plots[1].rows[0].strip is None
    assert plots[1].ticks == []
    # One effect without an interval is drawn
    (plot,) = forests([Bar("A", 3.0, None, None, "open", 1)])
    assert positions(str(plot.rows[0].strip)) == [50.0]


@pytest.mark.parametrize("log", [False, True])
def test_ticks_are_round_few_and_on_the_axis(rng, log):
    for _ in range(200):
        low = float(10.0 ** rng.uniform(-6, 4)) * (1 if log else rng.choice([-1, 1]))
        high = low + abs(low) * float(10.0 ** rng.uniform(-1, 3))
        axis = axis_of([low, high], log)
        ticks = axis.ticks()
        assert len(ticks) <= 12
        assert log or len(ticks) >= 2
        for tick in ticks:
            assert 5.0 <= axis.at(tick) <= 95.0
            digits = f"{abs(tick):e}".partition("e")[0].rstrip("0").rstrip(".")
            assert log or len(digits) <= 6


def test_axes_of_equal_values_have_a_width():
    for value in (0.0, 0.3, -2.0):
        assert axis_of([value, value]).at(value) == 50.0
    assert centered_axis([1.0], 1.0, log=False, mirrored=False).at(1.0) == 50.0
    assert Axis(0.0, 1.0, mirrored=True).at(9.0) == 5.0
