"""Messages of long fits: what they say, when, and how good the estimate of the time left is."""

import numpy as np
import pytest

from nldr.datasets.manifolds import swiss_roll
from nldr.methods.mvu import _progress, mvu
from nldr.methods.mvu._progress import GapProgress
from nldr.methods.mvu.mvu import MVU


@pytest.fixture
def clock(monkeypatch):
    """Replace the clock by one that tests set."""
    state = {"now": 0.0}
    monkeypatch.setattr(_progress.time, "monotonic", lambda: state["now"])
    return state


def test_time_left_is_exact_if_the_gap_shrinks_geometrically(clock):
    progress = GapProgress("", 1e-2, 1e-5, 1000)
    for iteration in range(1, 9):
        clock["now"] = 3.0 * iteration
        progress(iteration, 2.0**-iteration, 0.0)
    # From 1/256 the gap is below the tolerance; at iteration 4 it was 1/16
    assert progress.seconds_left() == 0
    slow = GapProgress("", 1e-2, 1e-5, 1000)
    for iteration in range(1, 5):
        clock["now"] = 3.0 * iteration
        slow(iteration, 2.0**-iteration, 0.0)
    assert slow.seconds_left() == pytest.approx(3 * np.log2(100 / 16))


def test_the_slower_of_gap_and_violation_decides(clock):
    progress = GapProgress("", 1e-2, 1e-5, 1000)
    for iteration in range(1, 6):
        clock["now"] = float(iteration)
        progress(iteration, 1e-3, 10.0**-iteration * 1e3)
    assert progress.seconds_left() == pytest.approx(3)


def test_the_last_iteration_limits_the_time(clock):
    progress = GapProgress("", 1e-6, 1e-5, 10)
    for iteration in range(1, 6):
        clock["now"] = 2.0 * iteration
        progress(iteration, 0.9**iteration, 0.0)
    assert progress.seconds_left() == pytest.approx(2 * 5)


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
    recorded = []

    class Recorder(GapProgress):
        def __call__(self, iteration, gap, violation, *goal):
            recorded.append((iteration, gap, violation))
            super().__call__(iteration, gap, violation, *goal)

    monkeypatch.setattr(mvu, "GapProgress", Recorder)
    X = swiss_roll(n_samples=80, height=5.0, noise=0.0, rng=rng).X
    params = {"constraint": constraint, "solver": solver, "disconnected": "bridges"}
    fitted = MVU(n_neighbors=6, verbose=True, **params).fit(X)
    iterations, gaps, violations = np.array(recorded).T
    assert iterations[-1] == fitted.n_iter_
    assert np.all(np.diff(iterations) == 1)
    assert gaps[-1] <= 2 * fitted.tol
    assert violations[-1] <= 0.05
    # A fit of less than ten seconds prints nothing
    assert capsys.readouterr().out == ""
