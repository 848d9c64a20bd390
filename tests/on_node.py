"""What the workers of a cluster do in tests, in place of jobs."""

from __future__ import annotations

import os
import signal
import time

from nldr.engine.jobs.requests import Reply, Request


def sleep(request: Request, secret: bytes) -> Reply:
    """Wait for the seconds in place of the job."""
    time.sleep(request.job)
    return Reply()


def lose_worker(request: Request, secret: bytes) -> Reply:
    """Note the attempt in the file in place of the job, and kill the worker."""
    with request.job.open("a") as file:
        file.write("x")
    os.kill(os.getpid(), signal.SIGKILL)
    return Reply()


def fail(request: Request, secret: bytes) -> Reply:
    """Note the attempt in the file in place of the job, and raise an error."""
    with request.job.open("a") as file:
        file.write("x")
    raise ValueError("a mistake of ours")
