"""One check after the other, in a process that may hang or die without harm."""

from __future__ import annotations

import os
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import psutil

OK, FAILED, NOTE, NOT_CHECKED = "✓", "✗", "!", "–"
CHECK_SECONDS = 8.0  # limit of one check, in CPU seconds
WALL = 4.0  # wall seconds that may pass for each of them, on a busy machine or asleep
WAKE_SECONDS = 0.05  # between looks at the clocks


@dataclass(frozen=True)
class CheckOutcome:
    """Outcome of a check."""

    mark: str  # ✓ (holds), ✗ (does not hold), ! (worth a look) or – (not checked)
    text: str  # what was checked and found, in one line
    advice: str = ""  # how to mend it

    def lines(self) -> str:
        """Return the finding as the command prints it.

        Examples
        --------
        >>> print(CheckOutcome(FAILED, "numbers are finite: 3 are not", "divide by less").lines())
          ✗ numbers are finite: 3 are not
              divide by less
        """
        return f"  {self.mark} {self.text}" + (f"\n      {self.advice}" if self.advice else "")


class Check(NamedTuple):
    """A statement, and the function that finds out whether it holds."""

    title: str
    run: Callable[[], CheckOutcome]


class Broken(Exception):
    """A check cannot go on; the message says what is wrong, the second argument how to mend it."""


def ok(text: str) -> CheckOutcome:
    """Return that a check holds."""
    return CheckOutcome(OK, text)


def failed(text: str, advice: str) -> CheckOutcome:
    """Return that a check does not hold, with advice."""
    return CheckOutcome(FAILED, text, advice)


def note(text: str, advice: str) -> CheckOutcome:
    """Return what is worth a look, with advice."""
    return CheckOutcome(NOTE, text, advice)


def judge(holds: bool, text: str, wrong: str, advice: str, mark: str = FAILED) -> CheckOutcome:
    """Return that a check holds, or else what was found, with advice.

    Examples
    --------
    >>> judge(1 > 2, "numbers are ordered", "1 < 2", "swap them").text
    'numbers are ordered: 1 < 2'
    """
    return ok(text) if holds else CheckOutcome(mark, f"{text}: {wrong}", advice)


def run_checks(checks: Sequence[Check], seconds: float) -> Iterator[CheckOutcome]:
    """Run checks in a process of their own and yield what they find, for some CPU seconds.

    A check that does not end in time or whose process dies is reported, and the next one goes on in
    another process. Imports and compilation do not count: the first check runs once beforehand.
    """
    context = get_context("fork")  # checks share what the first ones computed
    position = 0
    while position < len(checks):
        receiver, sender = context.Pipe(duplex=False)
        arguments = (checks[position:], position == 0, sender)
        child = context.Process(target=_work, args=arguments, daemon=True)
        child.start()
        sender.close()
        clock = psutil.Process(child.pid)
        try:
            if position == 0:
                if _wait(receiver, clock, 2 * CHECK_SECONDS) is None:
                    yield _out_of_time(checks[0], CHECK_SECONDS)
                    position = 1
                    continue
                _receive(receiver)  # a process that died is reported with the check itself
            while position < len(checks):
                limit = min(CHECK_SECONDS, seconds)
                spent = _wait(receiver, clock, limit) if limit > 0 else None
                finding = None if spent is None else _receive(receiver)
                if spent is None:
                    yield _out_of_time(checks[position], limit)
                elif finding is None:
                    child.join()
                    yield _died(checks[position], child.exitcode or 0)
                else:
                    yield finding
                position += 1
                seconds -= limit if spent is None else spent
                if finding is None:
                    break
        finally:
            child.kill()
            child.join()


def _wait(receiver: Connection, process: psutil.Process, limit: float) -> float | None:
    """Return the CPU seconds until a process sends something, or None if it takes too many."""
    begin, spent = time.monotonic(), 0.0
    with suppress(psutil.NoSuchProcess):
        before = sum(process.cpu_times()[:2])
        while not receiver.poll(WAKE_SECONDS):
            spent = sum(process.cpu_times()[:2]) - before
            if max(spent, (time.monotonic() - begin) / WALL) > limit:
                return None
        spent = sum(process.cpu_times()[:2]) - before
    return spent


def _receive(receiver: Connection) -> CheckOutcome | None:
    """Return what a process sends; None if it has died."""
    try:
        return receiver.recv()
    except EOFError:
        return None


def _work(checks: Sequence[Check], warm_up: bool, sender: Connection) -> None:
    """Run checks and send what they find; what they print is nobody's business."""
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    for check in [*checks[:1], *checks] if warm_up else checks:
        try:
            sender.send(check.run())
        except Broken as broken:
            what, advice = (*broken.args, "")[:2]
            sender.send(CheckOutcome(FAILED, f"{check.title}: {what}", advice))
        except BaseException as error:
            sender.send(_raised(check, error))


def _raised(check: Check, error: BaseException) -> CheckOutcome:
    """Return the finding of a check whose code raised, with the line that did."""
    # The last line that is not a package's is most likely the user's.
    frames = traceback.extract_tb(error.__traceback__)
    in_project = [f for f in frames if "site-packages" not in f.filename and f.filename != __file__]
    last = (in_project or frames)[-1]
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"
    place = f"{_short(last.filename)}, line {last.lineno}: {last.line}"
    return CheckOutcome(FAILED, f"{check.title}: {what[:300]}", f"see {place}")


def _short(file: str) -> str:
    with suppress(ValueError):
        return str(Path(file).relative_to(Path.cwd()))
    return file


def _out_of_time(check: Check, seconds: float) -> CheckOutcome:
    if seconds < CHECK_SECONDS:
        return CheckOutcome(
            NOT_CHECKED, f"{check.title}: no time left", "give more time with --seconds"
        )
    advice = "make it faster, or correct a loop that does not end; a small set must take seconds"
    return CheckOutcome(FAILED, f"{check.title}: did not end in {CHECK_SECONDS:g} CPU s", advice)


def _died(check: Check, exit_code: int) -> CheckOutcome:
    name = signal.Signals(-exit_code).name if exit_code < 0 else f"code {exit_code}"
    advice = "the code must not end the process, use unlimited memory, or crash in compiled parts"
    return CheckOutcome(FAILED, f"{check.title}: the process died ({name})", advice)
