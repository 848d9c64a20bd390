"""Child processes that compute one thing each under limits of time and memory.

Whatever a method does to its process (loops, allocates, crashes, starts daemons) ends with its
trial. A child is forked from the warm parent, or a new interpreter where there is none.
"""

from __future__ import annotations

import os
import pickle
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import Any, Literal, NamedTuple

import psutil

from nldr.engine.code.imports import import_modules, import_object
from nldr.engine.files import processes
from nldr.engine.files.status import Status
from nldr.engine.files.store import Damaged
from nldr.engine.jobs.specs import Limits

Start = Literal["warm", "cold"]
STARTED, DONE, LOST = "started", "done", "lost"
CRASHES = {signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV}
START_SECONDS = 900  # limit for imports, reading and compilation, which no clock counts
LOG_BYTES = 1_000_000  # what a child prints beyond this is dropped
TAIL_BYTES = 4096  # what is kept of a child's output to tell why it died
REFUSED = re.compile(rb"memory allocation of (\d+) bytes failed")  # printed by programs in Rust


class Lost(RuntimeError):
    """The machine failed, not the method: nothing is recorded, and the job can be repeated."""


class Killed(Lost):
    """The process was ended from outside: by the system, by Slurm, or by a person."""


class Task(NamedTuple):
    """The work of a child.

    The function is called with ``arguments`` and ``begin``, a function that it calls when imports
    and reading are over and the work that is limited begins.
    """

    function: str  # its import path
    arguments: tuple[Any, ...]
    imports: tuple[str, ...]  # modules to import first
    limits: Limits  # wall clock, counted from ``begin()``, and memory with all descendants
    threads: int  # threads of numerical libraries
    log: str  # file to which all that the child prints is appended


class ChildOutcome(NamedTuple):
    """The end of a child: a value, or a status and a message."""

    value: Any  # what the function returned; None if it failed
    status: Status  # ``ok`` if the function returned
    message: str  # why it failed
    seconds: float  # age of the child when it ended


def run_tasks(tasks: Iterable[Task], start: Start, at_once: int = 1) -> Iterator[ChildOutcome]:
    """Run tasks in children, several at once, and yield their outcomes in order.

    Raises Lost if a child could not read or write its files, or was ended from outside. The other
    children are ended.
    """
    waiting = list(enumerate(tasks))[::-1]
    running: dict[int, Child] = {}
    ended: dict[int, ChildOutcome] = {}
    pause = 0.01  # seconds
    # A job process of the warm parent has no other children than these.
    if start == "warm":
        processes.adopt_orphans()
    try:
        for number in range(len(waiting)):
            # Keep `at_once` children running until the next one in order has ended.
            while number not in ended:
                while waiting and len(running) < at_once:
                    index, task = waiting.pop()
                    running[index] = Child(task, start)
                    pause = 0.01
                # Wait for news, long at last, so that long fits cost nothing.
                pause = min(0.1, pause * 1.3)
                wait([file for child in running.values() for file in child.files], pause)
                for index, child in list(running.items()):
                    if outcome := child.check():
                        ended[index] = outcome
                        del running[index]
                if start == "warm" and not running:
                    processes.end_descendants()
            yield ended.pop(number)
    finally:
        for child in running.values():
            child.end()
        if start == "warm" and running:
            processes.end_descendants()


class Child:
    """A running task: this process, forked while it has one thread, or a new interpreter."""

    def __init__(self, task: Task, start: Start) -> None:
        self._task = task
        self._news, sender = Pipe(duplex=False)
        self._output, output = os.pipe()
        os.set_blocking(self._output, False)
        Path(task.log).parent.mkdir(parents=True, exist_ok=True)
        self._log = open(task.log, "ab", buffering=0)  # noqa: SIM115 - closed by _close
        self._room, self._tail = LOG_BYTES, b""
        self._born = time.monotonic()
        self._deadline = self._born + START_SECONDS
        self._begun = False
        self._parent = os.getppid()
        self.pid = _fork(task, sender, output) if start == "warm" else _spawn(task, sender, output)
        sender.close()
        os.close(output)
        self._process = psutil.Process(self.pid)
        self._descendants: list[psutil.Process] = []
        self._search = self._born + 0.5
        self._ended = False

    def check(self) -> ChildOutcome | None:
        """Return the outcome if the child has ended; end it if it has reached a limit."""
        limits = self._task.limits
        self._copy_output()
        with suppress(EOFError, OSError):
            while self._news.poll():
                kind, value = self._news.recv()
                if kind == STARTED:
                    self._begun = True
                    self._deadline = time.monotonic() + limits.seconds
                elif kind == DONE:
                    return self._finish(value, Status.OK, "")
                else:
                    self.end()
                    raise Lost(value)
        pid, code = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            return self._died(os.waitstatus_to_exitcode(code))
        if time.monotonic() > self._deadline:
            if not self._begun:
                self.end()
                raise Lost(f"the process did not start its work within {START_SECONDS} s")
            reached = f"ended at its limit of {limits.seconds:g} s"
            return self._finish(None, Status.TIMEOUT, reached)
        if self._memory() > limits.memory_mb * 2**20:
            reached = f"ended at its limit of {limits.memory_mb:g} MB"
            return self._finish(None, Status.OUT_OF_MEMORY, reached)
        # Where the system does not end a child with its parent, its parent's parent is watched.
        if os.getppid() != self._parent:
            self.end()
            raise SystemExit("the run that asked for this job is gone")
        return None

    def end(self, returned: bool = False) -> None:
        """End the child, all processes of its session, and other descendants."""
        if self._ended:
            return
        self._ended = True
        # A child that has returned a value has ended its descendants itself.
        current = [] if returned else processes.descendants(self.pid)
        for process in {*self._descendants, *current, self._process}:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self._copy_output()
        self._news.close()
        os.close(self._output)
        self._log.close()

    @property
    def files(self) -> tuple[int, int]:
        """The descriptors on which news and output arrive."""
        return self._news.fileno(), self._output

    def _memory(self) -> float:
        # Descendants are looked for once a second, because all processes are searched for them.
        now = time.monotonic()
        if now > self._search:
            self._descendants, self._search = processes.descendants(self.pid), now + 1
        enough = self._task.limits.memory_mb * 2**20
        return processes.resident_bytes([self._process, *self._descendants], enough)

    def _finish(self, value: Any, status: Status, message: str) -> ChildOutcome:
        seconds = time.monotonic() - self._born
        self.end(returned=status is Status.OK)
        return ChildOutcome(value, status, message, seconds)

    def _died(self, code: int) -> ChildOutcome:
        """Tell a crash of the method from an end from outside."""
        name = signal.Signals(-code).name if code < 0 else ""
        if not name and self._begun:
            return self._finish(None, Status.ERROR, "the process ended without a result")
        self._copy_output()
        refused = REFUSED.findall(self._tail)
        if code == -signal.SIGABRT and refused and self._begun:
            asked = f"asked for {int(refused[-1]) // 2**20} MB at once, which the system refused"
            return self._finish(None, Status.OUT_OF_MEMORY, asked)
        if -code in CRASHES and self._begun:
            return self._finish(None, Status.ERROR, f"the process died of {name}")
        self.end()
        if code == -signal.SIGKILL:
            cause = "most likely because the machine ran out of memory"
            raise Killed(f"the process was killed from outside, {cause}")
        how = f"was ended by {name}" if name else f"ended with {code}"
        raise Killed(f"the process {how}, from outside or before its work began")

    def _copy_output(self) -> None:
        """Append what the child has printed to its log, up to a limit."""
        with suppress(BlockingIOError, OSError):
            while text := os.read(self._output, 65536):
                self._tail = (self._tail + text)[-TAIL_BYTES:]
                if self._room > 0:
                    self._log.write(text[: self._room])
                    self._room -= len(text)
                    if self._room <= 0:
                        self._log.write(b"\n[the rest of the output was dropped]\n")


# --- in the child -------------------------------------------------------------------------------


def _fork(task: Task, sender: Connection, output: int) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    if pid := os.fork():
        return pid
    try:
        perform(task, sender, output)
    finally:
        os._exit(1)


def _spawn(task: Task, sender: Connection, output: int) -> int:
    threads = dict.fromkeys(processes.THREAD_VARIABLES, str(task.threads))
    child = subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import main; main({sender.fileno()}, {output})"],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        env=os.environ | threads | processes.ENVIRONMENT,
        pass_fds=(sender.fileno(), output),
    )
    with suppress(BrokenPipeError), child.stdin or open(os.devnull, "wb") as pipe:
        pipe.write(pickle.dumps(task))
    child.returncode = 0  # it is waited for by its PID
    return child.pid


def main(sender: int, output: int) -> None:
    """Read a task from standard input and do it: the entry point of a new interpreter."""
    task = pickle.load(sys.stdin.buffer)
    perform(task, Connection(sender, readable=False), output)


def perform(task: Task, sender: Connection, output: int) -> None:
    """Do the task in this process and end it."""
    _isolate(task, output)
    try:
        import_modules(task.imports)
        processes.set_threads(task.threads)
        function = import_object(task.function)
        value = function(*task.arguments, begin=lambda: sender.send((STARTED, None)))
        processes.end_descendants()
        sender.send((DONE, value))
    except Damaged as damaged:
        sender.send((LOST, damaged.remove()))
    except BaseException as error:
        traceback.print_exc()
        sender.send((LOST, f"{type(error).__name__}: {error}"))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _isolate(task: Task, output: int) -> None:
    """Separate this process from its parent: session, input, output, signals and limits."""
    if os.getpgid(0) != os.getpid():
        os.setsid()
    processes.die_with_parent()
    processes.adopt_orphans()  # daemons count as its descendants, and end with it
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(name, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process
    # Growth that is faster than the watch over it fails at twice the limit.
    with suppress(ValueError, OSError):
        present = int(getattr(psutil.Process().memory_info(), "data", 0))  # macOS has none
        most = present + int(2 * task.limits.memory_mb * 2**20) + 2**30
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
