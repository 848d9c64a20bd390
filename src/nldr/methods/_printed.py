"""Progress of fits by libraries that print their steps and call nothing."""

from __future__ import annotations

import io
import re
import sys
from contextlib import AbstractContextManager, nullcontext, redirect_stdout

from nldr.methods._progress import StepProgress

STEP = re.compile(r"^Iteration.* (?:stress|Loss:) (\S+)")  # of scikit-learn, of pacmap


def printed_progress(
    label: str, quantity: str, n_steps: int, every: int = 1
) -> AbstractContextManager:
    """Return a context that shows progress in place of what a library prints.

    Nothing changes if the label is empty. The library prints a line after `every` steps, of at most
    `n_steps`.

    Examples
    --------
    >>> with printed_progress("Metric MDS", "stress", 1000):
    ...     print("Iteration 7, stress 0.5000")  # shown only if ten seconds have passed
    """
    if not label:
        return nullcontext()
    return redirect_stdout(_Steps(StepProgress(label, "iteration", quantity, n_steps), every))


class _Steps(io.StringIO):
    """Standard output that counts the steps printed to it."""

    def __init__(self, progress: StepProgress, every: int) -> None:
        super().__init__()
        self.progress, self.every, self.output = progress, every, sys.stdout

    def write(self, text: str) -> int:
        """Advance the progress if the text is a step; drop any other text."""
        if step := STEP.search(text):
            with redirect_stdout(self.output):
                self.progress.advance(self.every, float(step[1]))
        return len(text)
