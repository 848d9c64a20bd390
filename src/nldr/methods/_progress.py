"""Progress messages of fits with a bounded number of steps."""

from __future__ import annotations

import time

INTERVAL = 10.0  # seconds between two messages


class StepProgress:
    """Print the state of a fit every ten seconds, with the time that is left at most.

    Parameters
    ----------
    label : str
        Name of the method at the start of each line; nothing is printed if it is empty.
    unit : str
        What is counted.
    quantity : str
        Name of the quantity that converges.
    n_steps : int
        Largest number of steps.

    Examples
    --------
    >>> StepProgress("", "epoch", "loss", 200).advance(1, 0.5)
    """

    def __init__(self, label: str, unit: str, quantity: str, n_steps: int) -> None:
        self.label, self.unit, self.quantity, self.n_steps = label, unit, quantity, n_steps
        self.step = self.first_step = 0
        self.start = self.last_report = time.monotonic()

    def advance(self, n_steps: int, value: float) -> None:
        """Count steps, and print a line if the last one is older than the interval."""
        self.step += n_steps
        now = time.monotonic()
        if not self.first_step:  # it includes what comes before, and compilation
            self.first_step, self.start = self.step, now
        if self.label and now - self.last_report >= INTERVAL:
            self.last_report = now
            line = f"{self.label}: {self.unit} {self.step} of {self.n_steps}, "
            line += f"{self.quantity} {value:.5g}"
            if self.step > self.first_step:
                pace = (now - self.start) / (self.step - self.first_step)
                line += f", at most {in_words(pace * (self.n_steps - self.step))} left"
            print(line, flush=True)


def in_words(seconds: float) -> str:
    """Return a duration in words.

    Examples
    --------
    >>> in_words(0.2), in_words(95), in_words(4000)
    ('1 s', '2 min', '67 min')
    """
    return f"{max(seconds, 1):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
