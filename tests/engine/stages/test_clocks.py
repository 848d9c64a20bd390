"""The clock of a fit leaves out compilation, and memory that was there before."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

from nldr.engine.stages import clocks
from nldr.engine.stages.clocks import FitClock


class Known(FitClock):
    """A clock that is told of compilations."""

    def add(self, first, last):
        """Note a compilation between two seconds after the start."""
        self._spans.append((self._wall + first, self._wall + last))


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], 0.0),
        ([(0.01, 0.03)], 0.02),
        ([(0.01, 0.02), (0.02, 0.04)], 0.03),
        ([(0.02, 0.04), (0.01, 0.03)], 0.03),  # that overlap count once
        ([(0.01, 0.04), (0.02, 0.03)], 0.03),  # one inside the other
        ([(-1.0, 0.01)], 0.01),  # one that began before the fit
    ],
)
def test_compilation_is_the_union_of_its_intervals(spans, expected):
    with Known() as clock:
        time.sleep(0.05)
        for span in spans:
            clock.add(*span)
    assert clock.compile_seconds == pytest.approx(expected, abs=1e-9)
    assert clock.seconds > 0.05 - expected - 1e-3


def test_wall_and_cpu_time_differ():
    with FitClock() as clock:
        time.sleep(0.05)
    assert clock.seconds > 0.05
    assert clock.cpu_seconds < 0.04


def test_peak_memory_excludes_what_was_there_before():
    ballast = np.ones(50 * 2**17)
    ballast = ballast[:1].copy()  # a peak before the fit does not count either
    with FitClock() as clock:
        assert ballast.sum() == 1
    assert clock.peak_mb < 20
    with FitClock() as clock:
        _ = np.ones(60 * 2**17)
    assert 50 < clock.peak_mb < 90


def test_peak_memory_of_macos_is_in_bytes(monkeypatch):
    peaks = iter([100 * 2**20, 160 * 2**20])
    usage = SimpleNamespace(
        RUSAGE_SELF=0, getrusage=lambda _: SimpleNamespace(ru_maxrss=next(peaks))
    )
    monkeypatch.setattr(clocks, "resource", usage)
    monkeypatch.setattr(clocks, "sys", SimpleNamespace(platform="darwin", modules={}))
    with FitClock() as clock:
        pass
    assert clock.peak_mb == 60


def test_compilation_by_numba_is_left_out(small):
    """With numba imported before the fit, as it is in a branch of the warm parent."""
    assert small.outcome("Compiles", imports=("numba",)) == ("ok", "")
    _, meta = small.read()
    assert meta["compile_seconds"] > 0.1
    assert meta["seconds"] < meta["compile_seconds"]
    assert meta["seconds"] >= 0


def test_compilation_by_jax_is_left_out(small):
    assert small.outcome("CompilesByJax", imports=("jax", "jax.numpy")) == ("ok", "")
    _, meta = small.read()
    assert meta["compile_seconds"] > 0.02
    assert meta["seconds"] < 5 * meta["compile_seconds"]
