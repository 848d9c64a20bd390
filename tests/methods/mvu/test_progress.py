"""Messages of long fits: what they say, when, and how good the estimate of the time left is."""

import re
from itertools import count

import numpy as np
import pytest

from nldr.datasets.manifolds import swiss_roll
from nldr.methods.mvu import _progress
from nldr.methods.mvu._progress import GapProgress
from nldr.methods.mvu.mvu import MVU


@pytest.fixture
def clock(monkeypatch):
    """Replace the clock by one that tests set."""
    state = {"now": 0.0}
    monkeypatch.setattr(_progress.time, "monotonic", lambda: state["now"])
    return state


N = np.arange(1, 10)


@pytest.mark.parametrize(
    ("gaps", "violations", "tol", "max_iter", "expected"),
    [
        # The gap is halved: after iteration 4 it is 1/16, after 8 below the tolerance
        (0.5 ** N[:4], 0 * N, 1e-2, 1000, np.log2(100 / 16)),
        (0.5 ** N[:8], 0 * N, 1e-2, 1000, 0),
        # The slower of gap and violation, which is 1e-2 and shrinks to 1e-5
        (np.full(5, 1e-3), 1e3 * 10.0**-N, 1e-2, 1000, 3),
        # The last iteration limits the time
        (0.9 ** N[:5], 0 * N, 1e-6, 10, 5),
    ],
)
def test_iterations_left_are_those_of_a_geometric_series(
    gaps, violations, tol, max_iter, expected, clock
):
    progress = GapProgress("", tol, 1e-5, max_iter)
    for iteration, (gap, violation) in enumerate(zip(gaps, violations, strict=False), 1):
        clock["now"] = 3.0 * iteration
        progress(iteration, gap, violation)
    assert progress.seconds_left() == pytest.approx(3 * expected)


@pytest.mark.parametrize("gaps", [[1.0, 0.5], [0.1, 0.2, 0.4], [np.inf, np.inf, 1.0]])
def test_unknown_times_are_not_told(gaps, clock, capsys):
    progress = GapProgress("MVU", 1e-2, 1e-5, 100, interval=0.0)
    for iteration, gap in enumerate(gaps, 1):
        clock["now"] = float(iteration)
        progress(iteration, gap, 0.0)
    assert progress.seconds_left() is None
    assert "left" not in capsys.readouterr().out


def test_lines_are_ten_seconds_apart(clock, capsys):
    progress = GapProgress("MVU", 1e-2, 1e-5, 100)
    for second in range(1, 36):
        clock["now"] = float(second)
        progress(second, 1.0, 0.0)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == [f"MVU: iteration {i}" for i in (10, 20, 30)]


@pytest.mark.parametrize(
    ("constraint", "solver"),
    [("equal", "interior_point"), ("shrink", "interior_point"), ("shrink", "low_rank")],
)
def test_solvers_report_their_last_gap(constraint, solver, rng, monkeypatch, capsys):
    X = swiss_roll(n_samples=80, height=5.0, noise=0.0, rng=rng).X
    params = {"constraint": constraint, "solver": solver, "disconnected": "bridges"}
    # A clock by which each iteration takes long enough for a line
    times = count(step=20.0)
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(times))
    fitted = MVU(n_neighbors=6, verbose=True, **params).fit(X)
    numbers = r"MVU: iteration (\d+), gap (\S+) % .*, violation (\S+) "
    iterations, gaps, violations = np.array(re.findall(numbers, capsys.readouterr().out), float).T
    assert iterations[-1] == fitted.n_iter_
    assert np.all(np.diff(iterations) == 1)
    assert gaps[-1] <= 2 * 100 * fitted.tol
    assert violations[-1] <= 0.05
