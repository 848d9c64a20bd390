"""Progress messages of an unfolding: gap, violation and time left."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

import numpy as np

Progress = Callable[..., None]  # of iteration, relative gap, violation and perhaps its goal

INTERVAL = 10.0  # seconds between two messages
RECENT = 6  # number of iterations from which the time left is estimated


class GapProgress:
    """Print the state of an unfolding every ten seconds, with an estimate of the remaining time.

    Nothing is printed if the label is empty. `tol` is the duality gap to reach, relative to the
    trace, and `feasible` the violation, in mean squared lengths.

    Examples
    --------
    >>> progress = GapProgress("MVU", 1e-2, 1e-5, 100, interval=0.0)
    >>> progress(1, 0.5, 1e-3)
    MVU: iteration 1, gap 50 % (goal 1 %), violation 0.001 (goal 1e-05)
    """

    def __init__(
        self, label: str, tol: float, feasible: float, max_iter: int, interval: float = INTERVAL
    ) -> None:
        self.label, self.tol, self.feasible = label, tol, feasible
        self.max_iter, self.interval = max_iter, interval
        self.history: deque[tuple[float, float]] = deque(maxlen=RECENT)
        self.iteration, self.last_report = 0, time.monotonic()

    def __call__(
        self, iteration: int, gap: float, violation: float, feasible: float | None = None
    ) -> None:
        """Record an iteration, and print it if the last line is older than the interval.

        A solver that restores lengths at its end gives the violation from which it does.
        """
        now = time.monotonic()
        self.feasible = self.feasible if feasible is None else feasible
        self.iteration = iteration
        decades = remaining_decades(gap, self.tol, violation, self.feasible)
        if np.isfinite(decades):  # not before the first bound
            self.history.append((now, decades))
        if self.label and now - self.last_report >= self.interval:
            self.last_report = now
            seconds = self.seconds_left()
            print(
                f"{self.label}: iteration {iteration}, gap {100 * gap:.2g} % "
                f"(goal {100 * self.tol:.2g} %), violation {violation:.2g} "
                f"(goal {self.feasible:.2g})"
                + ("" if seconds is None else f", {in_words(seconds)}"),
                flush=True,
            )

    def seconds_left(self) -> float | None:
        """Return the seconds until the goal, or until the last iteration if that is sooner.

        The decades by which gap and violation exceed their goals decrease about linearly with time:
        the slope is that of the line of least squares through the recent iterations. None before
        the third iteration with a bound, and while nothing decreases.
        """
        if len(self.history) < 3:
            return None
        times, decades = np.array(self.history).T
        pace = (times[-1] - times[0]) / (len(times) - 1)
        slope = np.polyfit(times - times[-1], decades, 1)[0] if pace > 0 else 0.0
        if slope >= 0:
            return None
        return float(min(decades[-1] / -slope, pace * (self.max_iter - self.iteration)))


def remaining_decades(gap: float, tol: float, violation: float, feasible: float) -> float:
    """Return by how many decades gap or violation exceed their goals, the larger of the two.

    Examples
    --------
    >>> remaining_decades(1e-1, 1e-2, 1e-6, 1e-5), remaining_decades(1e-3, 1e-2, 0, 1e-5)
    (1.0, 0.0)
    """
    ratio = max(abs(gap) / tol, violation / feasible, 1.0)
    return float(np.log10(ratio)) if np.isfinite(ratio) else np.inf


def in_words(seconds: float) -> str:
    """Return a time left in words.

    Examples
    --------
    >>> in_words(0.2), in_words(95), in_words(4000)
    ('about 1 s left', 'about 2 min left', 'about 67 min left')
    """
    if seconds < 90:
        return f"about {max(seconds, 1):.0f} s left"
    return f"about {seconds / 60:.0f} min left"
