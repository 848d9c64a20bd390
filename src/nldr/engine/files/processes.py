"""Properties of processes: threads, end, descendants and memory."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress

import psutil

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NPROC",  # of XLA
)
# How all processes of a run are started, warm or cold.
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "NUMBA_THREADING_LAYER": "workqueue",  # the only one whose threads can be started after a fork
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    # The default on a GPU is tens of times less exact than the CPU.
    "JAX_DEFAULT_MATMUL_PRECISION": "highest",
}
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def set_threads(threads: int) -> None:
    """Let numerical libraries use this number of threads, whether loaded or not."""
    loaded = {"NUMBA_NUM_THREADS"} if "numba" in sys.modules else set()
    os.environ.update(dict.fromkeys(set(THREAD_VARIABLES) - loaded, str(threads)))
    if threads > 1 and "numpy" in sys.modules:
        from threadpoolctl import threadpool_limits

        threadpool_limits(threads)
    if "numba" in sys.modules:
        import numba

        numba.set_num_threads(threads)


def die_with_parent() -> None:
    """Have the system end this process when its parent ends (Linux only)."""
    parent = os.getppid()
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended just before
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, daemons included (Linux only)."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def end_descendants() -> None:
    """End all descendants of this process, those in sessions of their own included."""
    with suppress(ChildProcessError):  # there is none, as nearly always
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        for process in descendants(os.getpid()):
            with suppress(psutil.NoSuchProcess):
                process.kill()


def descendants(pid: int) -> list[psutil.Process]:
    """Return all descendants of a process."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def resident_bytes(processes: Iterable[psutil.Process], enough: float) -> float:
    """Return the memory of processes in bytes; one that ends while it is counted does not matter.

    Pages that processes share are counted once only if the plain sum exceeds ``enough``, because
    looking them up takes time.
    """
    processes = list(processes)
    total = sum(_bytes_of(process, shared=True) for process in processes)
    if total <= enough:
        return total
    return sum(_bytes_of(process, shared=False) for process in processes)


def _bytes_of(process: psutil.Process, shared: bool) -> float:
    try:
        if shared:
            return process.memory_info().rss
        memory = process.memory_full_info()
        return getattr(memory, "pss", memory.rss)  # Linux divides shared pages among processes
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0
