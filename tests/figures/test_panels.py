"""Spacing of the names at the ends of lines."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from nldr.figures.panels import spread


@pytest.mark.parametrize("seed", range(5))
def test_spread_is_the_least_squares_solution(seed):
    wanted = np.sort(np.random.default_rng(seed).uniform(0, 1, 8))
    found = spread(wanted, 0.1, 0.0, 1.0)
    constraints = [{"type": "ineq", "fun": lambda p: np.diff(p) - 0.1}]
    best = minimize(
        lambda p: ((p - wanted) ** 2).sum(), np.linspace(0, 1, 8), jac=lambda p: 2 * (p - wanted),
        bounds=[(0, 1)] * 8, constraints=constraints, method="SLSQP", options={"ftol": 1e-14},
    )  # fmt: skip
    assert best.success
    assert found == pytest.approx(best.x, abs=1e-5)


def test_spread_keeps_positions_that_are_apart():
    assert spread([0.9, 0.1, 0.5], 0.2, 0, 1).tolist() == [0.9, 0.1, 0.5]


def test_spread_shrinks_the_gap_if_there_is_no_room():
    found = spread(np.full(11, 0.3), 0.5, 0.0, 1.0)
    assert np.diff(np.sort(found)) == pytest.approx(0.1)
    assert spread([2.0], 0.1, 0, 1).tolist() == [1.0]
