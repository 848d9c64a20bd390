"""Spacing of the names at the ends of lines, and ticks of the vertical axis."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.optimize import minimize

from nldr.figures import style
from nldr.figures.panels import draw_panel, spread


@pytest.mark.parametrize("seed", range(5))
def test_spread_is_the_least_squares_solution(seed):
    expected = np.sort(np.random.default_rng(seed).uniform(0, 1, 8))
    positions = spread(expected, 0.1, 0.0, 1.0)
    constraints = [{"type": "ineq", "fun": lambda p: np.diff(p) - 0.1}]
    best = minimize(
        lambda p: ((p - expected) ** 2).sum(),
        np.linspace(0, 1, 8),
        jac=lambda p: 2 * (p - expected),
        bounds=[(0, 1)] * 8,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    assert best.success
    assert positions == pytest.approx(best.x, abs=1e-5)


def test_spread_shrinks_the_gap_if_there_is_no_room():
    positions = spread(np.full(11, 0.3), 0.5, 0.0, 1.0)
    assert np.diff(np.sort(positions)) == pytest.approx(0.1)
    assert spread([2.0], 0.1, 0, 1).tolist() == [1.0]


@pytest.mark.parametrize(("low", "bounds"), [(0.98, (0, 1)), (-1e-4, (None, None)), (0.4, (0, 1))])
def test_ticks_are_few_short_and_within_the_bounds(low, bounds):
    high = 1.0 if bounds[1] else 3e-4
    ends = [low, high]
    columns = {"line": "a", "method": "a", "x": [1, 2], "center": ends, "low": ends, "high": ends}
    points = pd.DataFrame(columns).assign(n_ok=1, n_trials=1)
    looks = {"a": style.look("#000000", "o")}
    figure = Figure()
    labels = {"labels": ("", ""), "log": False, "bounds": bounds}
    draw_panel(figure, (20, 20, 40, 30), points, {}, looks, **labels)
    figure.canvas.draw()
    (axes,) = figure.axes
    ticks = axes.get_yticks()
    assert 3 <= len(ticks) <= 7
    assert bounds[1] is None or ticks.max() <= bounds[1] + 1e-9
    assert max(len(label.get_text()) for label in axes.get_yticklabels()) <= 6
