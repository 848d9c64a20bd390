"""Measure a fit alone: without imports, without compilation, and without memory from before."""

from __future__ import annotations

import re
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

MB = 2**20


class FitClock:
    """Wall time, CPU time and memory of a fit, and wall time of the compilation in it.

    Compilation by jax and numba is found by the events that both report, and taken out of the wall
    and CPU time: it depends on what the process has compiled before. ``peak_mb`` is the peak of the
    resident memory beyond what the process held when the fit began.
    """

    def __enter__(self) -> FitClock:
        self._spans: list[tuple[float, float]] = []  # in which jax compiles
        self._numba: Any = None
        self._listen()
        self._before = _reset_peak()
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        wall = time.perf_counter() - self._wall
        cpu = time.process_time() - self._cpu
        self.compile_seconds = self._compiled()
        self.seconds = max(0.0, wall - self.compile_seconds)
        # Compilers use one thread, so that their CPU time is their wall time.
        self.cpu_seconds = max(0.0, cpu - self.compile_seconds)
        self.peak_mb = max(0.0, _peak() - self._before)

    def _listen(self) -> None:
        """Collect the intervals in which jax compiles, and the time for which numba does."""
        if "jax" in sys.modules:
            from jax import devices, monitoring

            devices()  # starts the backend, which takes time at its first use
            monitoring.register_event_duration_secs_listener(self._note_jax)
        if "numba" in sys.modules:
            from numba.core import event

            self._numba = event.TimingListener()
            event.register("numba:compile", self._numba)

    def _note_jax(self, event: str, duration_secs: float, **_: Any) -> None:
        if event.startswith("/jax/core/compile/"):
            now = time.perf_counter()
            self._spans.append((now - duration_secs, now))

    def _compiled(self) -> float:
        """Return the time of numba and the length of the union of the intervals of jax."""
        total = self._numba.duration if self._numba and self._numba.done else 0.0
        end = self._wall
        for first, last in sorted(self._spans):
            total += max(0.0, last - max(first, end))
            end = max(end, last)
        return total


def _reset_peak() -> float:
    """Return the resident memory in MB, from which the peak is counted."""
    if sys.platform != "linux":
        return _peak()
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _from_status("VmRSS")


def _peak() -> float:
    if sys.platform == "linux":
        return _from_status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MB


def _from_status(name: str) -> float:
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(rf"{name}:\s*(\d+)", text)[0]) / 2**10
