"""The processes that run the jobs of a run: the warm parent, or new interpreters without it."""

from __future__ import annotations

import fcntl
import os
import pickle
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from nldr.engine.code.imports import group_of
from nldr.engine.files.processes import ENVIRONMENT, THREAD_VARIABLES
from nldr.engine.files.store import digest_of
from nldr.engine.jobs.requests import Reply, Request
from nldr.engine.running import cells
from nldr.engine.running.attempts import ATTEMPTS
from nldr.engine.running.children import Start
from nldr.engine.running.warm import SECRET, ask

PROGRAM = "nldr.engine.running.warm"
COMMON = digest_of(None)  # the warm parent of jobs that need no packages of few methods
STARTUP_SECONDS = 120
# Errors of a connection whose other end was ended.
GONE = (EOFError, OSError)


class Workers:
    """Runs jobs, each forked from a warm parent or in new interpreters (cold); any thread may ask.

    Each group of packages has a warm parent of its own, started when the first job needs it. Where
    one does not start (no Unix sockets, no fork), jobs are run cold. ``log`` is a file for what the
    parents print themselves.
    """

    def __init__(self, start: Start, log: Path) -> None:
        self.start: Start = start
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log = log
        self._parents: dict[str, subprocess.Popen] = {}
        self._temporary: tempfile.TemporaryDirectory | None = None
        self._secret = secrets.token_bytes(32)
        self._apart: set[subprocess.Popen] = set()
        self._ready = threading.Lock()
        self.stopped = False
        if start == "warm":
            self._temporary = tempfile.TemporaryDirectory(prefix="nldr-")
            self._folder = Path(self._temporary.name)  # of sockets
            # That of most jobs imports while the first job is being planned.
            self._start_parent(COMMON)

    def _start_parent(self, name: str, pass_fds: tuple[int, ...] = ()) -> None:
        (self._folder / name).unlink(missing_ok=True)
        environment = os.environ | dict.fromkeys(THREAD_VARIABLES, "1") | ENVIRONMENT
        environment[SECRET] = self._secret.hex()
        environment["NUMBA_NUM_THREADS"] = str(os.cpu_count())  # the most that children can set
        with self._log.open("ab") as log:
            self._parents[name] = subprocess.Popen(
                [sys.executable, "-m", PROGRAM, str(self._folder / name)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
                pass_fds=pass_fds,
            )

    def run(self, request: Request) -> Reply:
        """Run a job and wait for its end."""
        # Names of sockets are at most 100 bytes long.
        losses, parent = 0, digest_of(group_of(request.imports))
        for attempt in range(1, ATTEMPTS + 1):
            is_last = attempt == ATTEMPTS
            is_cold = self.start == "cold" or is_last
            try:
                # The last attempt is made apart, and with one trial at a time.
                if is_cold:
                    return self._run_apart(request._replace(threads=1) if is_last else request)
                return ask(self._address_of(parent), self._secret, request)
            except GONE:
                # The job process was ended, or its parent; what it had finished is kept.
                if self.stopped:
                    return Reply(error="the run was ended")
                losses += is_cold or self._lives(parent)
        # If nothing else was lost, it is the job that ends its process.
        while losses == ATTEMPTS and not self.stopped:
            with suppress(*GONE):
                return self._run_apart(request._replace(threads=1, blamed=True))
        return Reply(error="the process of the job was ended from outside", killed=True)

    def _run_apart(self, request: Request) -> Reply:
        """Run a job in a new interpreter, which starts another one for each trial."""
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", f"from {cells.__name__} import main; main()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | ENVIRONMENT,
                start_new_session=True,
            )
        self._apart.add(process)
        if self.stopped:
            process.kill()
        try:
            answer, _ = process.communicate(pickle.dumps(request))
        finally:
            self._apart.remove(process)
        if process.returncode:
            raise EOFError
        return pickle.loads(answer)

    def stop(self) -> None:
        """End the warm parent and all jobs; a signal that arrives meanwhile changes nothing."""
        if self.stopped:
            return
        self.stopped = True
        for process in list(self._apart):
            process.kill()  # its trial ends with it
        for parent in self._parents.values():
            parent.kill()  # the system ends what it has forked
            parent.wait()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _lives(self, name: str) -> bool:
        return name in self._parents and self._parents[name].poll() is None

    def _address_of(self, name: str) -> str:
        """Return the socket of a warm parent, which is started unless it runs."""
        with self._ready:
            if not self._lives(name):
                self._start_parent(name)
        address, deadline = self._folder / name, time.monotonic() + STARTUP_SECONDS
        while not address.exists():
            if not self._lives(name) or time.monotonic() > deadline:
                if name in self._parents:
                    self.start = "cold"
                raise OSError("the warm parent did not start")
            time.sleep(0.01)
        return str(address)


class NodeWorkers(Workers):
    """Workers in several processes of a node that share their warm parents.

    ``folder`` is a private one on the node and ``secret`` what they prove to the warm parents that
    they know, both the same for all processes.
    """

    def __init__(self, folder: Path, secret: bytes, log: Path) -> None:
        super().__init__("cold", log)  # the first request starts a warm parent
        self.start, self._folder, self._secret = "warm", folder, secret

    def _start_parent(self, name: str, pass_fds: tuple[int, ...] = ()) -> None:
        # A warm parent has the lock while it lives.
        with self._lock(name) as lock, suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            super()._start_parent(name, (lock.fileno(),))

    def _lives(self, name: str) -> bool:
        with self._lock(name) as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def _lock(self, name: str) -> IO[str]:
        return (self._folder / f"{name}.lock").open("w")
