"""One thread for code that numba compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_numba_thread() -> Iterator[None]:
    """Let code of numba run on one thread: each has its own random numbers, and loops are short."""
    import numba

    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(before)
