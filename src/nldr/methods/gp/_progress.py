"""Progress messages of long fits."""

from __future__ import annotations

import time

INTERVAL = 10.0  # seconds between two messages


class Progress:
    """Print the state of an optimization every ten seconds, unless the label is empty.

    Lines start with `label`, the name of the method, and show `quantity`, which is maximized.

    Examples
    --------
    >>> Progress("", "bound").report(1, -3.0)
    """

    def __init__(self, label: str, quantity: str) -> None:
        self.label, self.quantity = label, quantity
        self.last_report = time.monotonic()

    def report(self, iteration: int, value: float) -> None:
        """Print iteration and value if the last line is older than the interval."""
        if self.label and time.monotonic() - self.last_report > INTERVAL:
            self.last_report = time.monotonic()
            print(f"{self.label}: iteration {iteration}, {self.quantity} {value:.6g}", flush=True)
