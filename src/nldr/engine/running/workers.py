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
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from nldr.engine.code.imports import group_of
from nldr.engine.files.processes import ENVIRONMENT, THREAD_VARIABLES
from nldr.engine.jobs.requests import Reply, Request
from nldr.engine.running import cells
from nldr.engine.running.attempts import ATTEMPTS
from nldr.engine.running.children import Start
from nldr.engine.running.warm import SECRET, ask

PROGRAM = "nldr.engine.running.warm"
STARTUP_SECONDS = 120
# Errors of a connection whose other end was ended.
GONE = (EOFError, OSError)


class Workers:
    """Runs jobs, each forked from a warm parent or in new interpreters (cold); any thread may ask.

    Where the warm parent does not start (no Unix sockets, no fork), jobs are run cold. ``log`` is a
    file for what it prints itself.
    """

    def __init__(self, start: Start, log: Path) -> None:
        self.start: Start = start
        self._log = log
        self._parent: subprocess.Popen | None = None
        self._folder: tempfile.TemporaryDirectory | None = None
        self._address = ""
        self._secret = secrets.token_bytes(32)
        self._branches: dict[str, str] = {}
        self._generations: Counter[str] = Counter()
        self._apart: set[subprocess.Popen] = set()
        self._ready = threading.Lock()
        self.stopped = False

    def launch(self) -> None:
        """Start the warm parent; it imports its packages while the first job is being planned."""
        if self.start == "cold" or self._parent is not None:
            return
        # Names of sockets are at most 100 bytes long, which paths of projects exceed.
        self._folder = tempfile.TemporaryDirectory(prefix="nldr-")
        self._address = str(Path(self._folder.name) / "warm")
        self._start_parent()

    def _start_parent(self, pass_fds: tuple[int, ...] = ()) -> None:
        environment = os.environ | dict.fromkeys(THREAD_VARIABLES, "1") | ENVIRONMENT
        environment[SECRET] = self._secret.hex()
        environment["NUMBA_NUM_THREADS"] = str(os.cpu_count())  # the most that children can set
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._parent = subprocess.Popen(
                [sys.executable, "-m", PROGRAM, self._address],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
                pass_fds=pass_fds,
            )

    def run(self, request: Request) -> Reply:
        """Run a job and wait for its end."""
        losses = 0
        for attempt in range(1, ATTEMPTS + 1):
            try:
                # The last attempt is made apart, and with one trial at a time.
                if self.start == "cold" or attempt == ATTEMPTS:
                    few = replace(request, threads=1) if attempt == ATTEMPTS else request
                    return self._run_apart(few)
                return ask(self._address_for(request), self._secret, request)
            except GONE:
                # The job process was ended, or its parent; what it had finished is kept.
                if self.stopped:
                    return Reply(error="the run was ended")
                if self.start == "cold" or self._has_parent():
                    losses += 1
                    self._replace_branch(request)
                else:
                    self._replace_parent()
        # If nothing else was lost, it is the job that ends its process.
        while losses == ATTEMPTS and not self.stopped:
            with suppress(*GONE):
                return self._run_apart(replace(request, threads=1, blamed=True))
        return Reply(error="the process of the job was ended from outside", killed=True)

    def _run_apart(self, request: Request) -> Reply:
        """Run a job in a new interpreter, which starts another one for each trial."""
        self._log.parent.mkdir(parents=True, exist_ok=True)
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
        if self._parent is not None:
            self._parent.kill()  # the system ends what it has forked
            self._parent.wait()
        if self._folder is not None:
            self._folder.cleanup()

    def _has_parent(self) -> bool:
        return self._parent is not None and self._parent.poll() is None

    def _replace_parent(self) -> None:
        """Go on without a warm parent, which did not start or has ended."""
        self.start = "cold"

    def _replace_branch(self, request: Request) -> None:
        """Have the next job of this kind fork a new branch: the present one may be gone."""
        with self._ready:
            name = group_of(request.imports)
            if name is not None and self._branches.pop(name, None) is not None:
                self._generations[name] += 1

    def _address_for(self, request: Request) -> str:
        """Return the socket of the branch that has, or gets, what a job needs."""
        with self._ready:
            if not self._address:
                raise OSError("the warm parent was not started")
            self._wait_for(self._address)
            name = group_of(request.imports)
            if name is None:
                return self._address
            if name not in self._branches:
                numbered = f"{name} {self._generations[name]}"
                self._branches[name] = ask(self._address, self._secret, numbered)
            address = self._branches[name]
        self._wait_for(address)
        return address

    def _wait_for(self, address: str) -> None:
        """Wait until the warm parent, or a branch of it, listens."""
        deadline = time.monotonic() + STARTUP_SECONDS
        while not os.path.exists(address):
            if not self._has_parent() or time.monotonic() > deadline:
                if self._parent is not None and address == self._address:
                    self._parent.kill()
                raise OSError("the warm parent, or a branch of it, did not start")
            time.sleep(0.01)


class NodeWorkers(Workers):
    """Workers in several processes of a node that share one warm parent.

    ``folder`` is a private one on the node and ``secret`` what they prove to the warm parent that
    they know, both the same for all processes.
    """

    def __init__(self, folder: Path, secret: bytes, log: Path) -> None:
        super().__init__("warm", log)
        self._shared, self._secret = folder, secret
        self._address = str(folder / "warm")

    def launch(self) -> None:
        """Start the warm parent of the node unless it runs: it has the lock while it lives."""
        with (self._shared / "lock").open("w") as lock, suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for remains in self._shared.glob("warm*"):
                remains.unlink()
            self._start_parent(pass_fds=(lock.fileno(),))

    def _has_parent(self) -> bool:
        with (self._shared / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def _replace_parent(self) -> None:
        self._branches.clear()
        self.launch()
