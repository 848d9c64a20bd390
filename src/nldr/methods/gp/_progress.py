"""What a long fit says on its way."""

from __future__ import annotations

import time

INTERVAL = 10.0  # seconds between two lines


class Progress:
    """Print a line now and then: nothing in the first ten seconds, nor with an empty label.

    Parameters
    ----------
    label : str
        What is fitted.
    quantity : str
        What is maximized.

    Examples
    --------
    >>> Progress("", "bound").tell(1, -3.0)
    """

    def __init__(self, label: str, quantity: str) -> None:
        self.label, self.quantity = label, quantity
        self.told = time.monotonic()

    def tell(self, iteration: int, value: float) -> None:
        """Print iteration and value, if the last line was long ago."""
        if self.label and time.monotonic() - self.told > INTERVAL:
            self.told = time.monotonic()
            print(f"{self.label}: iteration {iteration}, {self.quantity} {value:.6g}", flush=True)
