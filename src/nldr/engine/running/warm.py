"""The warm parent: a process that has imported the common packages and forks one child per job.

Starting Python and importing numpy, scipy, scikit-learn and pandas takes more time than most jobs.
So one process does it once, listens on a socket, and forks a *job process* for each request, which
forks one child per trial (:mod:`nldr.engine.running.children`). It has one thread and computes
nothing itself, because a lock that another thread holds stays locked in a forked child.

Methods that need other packages have warm parents of their own, one for each group of packages.
Compiled code that has no cache on disk (UMAP's, by numba) is made there and inherited by the
children.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener

from nldr.engine.code.imports import import_modules, import_object
from nldr.engine.files.processes import die_with_parent
from nldr.engine.files.store import digest_of, provenance
from nldr.engine.jobs.requests import Reply, Request
from nldr.engine.jobs.specs import EmbedJob
from nldr.engine.running.cells import run
from nldr.engine.stages.embed import warm_up

# What most jobs need: imported once, in less time than two jobs took before. These modules import
# numpy, pandas, scipy and matplotlib, the other stages, and what is common of scikit-learn.
COMMON = (
    "nldr.datasets.transforms",
    "nldr.engine.stages.data",
    "nldr.engine.stages.figure",
    "nldr.engine.stages.table",
    "sklearn.cluster",
)
SECRET = "NLDR_SECRET"


def main() -> None:
    """Import the common packages and serve at the address in the arguments until the run ends."""
    address, secret = sys.argv[1], bytes.fromhex(os.environ.pop(SECRET))
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run ends this process
    import_modules(COMMON)
    provenance()  # asks git and /proc once for all
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended job processes leave no zombies
    compiled: set[str] = set()
    with Listener(address, "AF_UNIX", backlog=128, authkey=secret) as listener:
        while True:
            try:
                connection = listener.accept()
                request = connection.recv()
            except (OSError, EOFError, AuthenticationError):  # the asker is gone, or a stranger
                continue
            import_modules(request.imports)
            _compile(request, compiled)
            _fork_job(request, connection, listener)


def _compile(request: Request, compiled: set[str]) -> None:
    """Fit random rows, so that code which is compiled on first use is ready in all children."""
    job = request.job
    if not isinstance(job, EmbedJob):
        return
    import numpy as np

    for n_rows in job.warm_up:
        key = digest_of([job.estimator, job.params, n_rows])
        if n_rows <= request.rows and key not in compiled:
            compiled.add(key)
            # No result depends on it: the children have data and random states of their own.
            X = np.random.default_rng(0).normal(size=(n_rows, 5))
            with suppress(Exception):  # the child meets the error again
                warm_up(import_object(job.estimator)(**job.params_of(0)), (X,), n_rows)


def _fork_job(request: Request, connection: Connection, listener: Listener) -> None:
    if os.fork():
        connection.close()
        return
    try:
        die_with_parent()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(listener._listener._socket.fileno())  # type: ignore[attr-defined]
        connection.send(run(request, "warm"))
    except BaseException as error:
        connection.send(Reply(error=f"{type(error).__name__}: {error}"))
    finally:
        os._exit(0)


def ask(address: str, secret: bytes, request: Request) -> Reply:
    """Send a request to the warm parent at an address, and wait for the reply.

    Raises EOFError or OSError if it, or the job process, ends or does not answer.
    """
    with Client(address, "AF_UNIX", authkey=secret) as connection:
        connection.send(request)
        return connection.recv()


if __name__ == "__main__":
    main()
