"""Meanings of exceptions: a result of the method, or a failure of the machine."""

from __future__ import annotations

import errno
import linecache
import re
import traceback
from typing import Any

from nldr.engine.files.status import Status
from nldr.engine.files.text import escape

MACHINE = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE),
    *(errno.ELOOP, errno.ESTALE),  # broken links and lost network drives
}


def outcome_of(error: BaseException) -> dict[str, Any]:
    """Return status and message of what a method, dataset or metric raised, and print its trace.

    An error that none of them is to blame for, such as a full disk, is raised again.
    """
    if isinstance(error, OSError) and error.errno in MACHINE:
        raise error
    traceback.print_exception(error)
    return {"status": status_of(error), "message": clean(f"{type(error).__name__}: {error}")}


def status_of(error: BaseException) -> Status:
    """Return the status that an exception of a method, dataset or metric amounts to.

    A ``ValueError`` that a ``raise`` statement made is the refusal of an input. One that came out
    of the middle of a computation is an error like any other.
    """
    # OpenBLAS, openTSNE and jax each have their own way to say that there is no memory.
    no_memory = isinstance(error, OSError) and error.errno == errno.ENOMEM
    if no_memory or isinstance(error, MemoryError | KeyboardInterrupt):
        return Status.OUT_OF_MEMORY
    if "RESOURCE_EXHAUSTED" in str(error):
        return Status.OUT_OF_MEMORY
    if type(error) is ValueError and _was_raised_on_purpose(error):
        return Status.INVALID_INPUT
    return Status.ERROR


def _was_raised_on_purpose(error: BaseException) -> bool:
    trace = error.__traceback__
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
    return line.lstrip().startswith("raise")


def clean(text: str) -> str:
    """Return one line without hidden characters and addresses, which differ from run to run."""
    return escape(re.sub(r"0x[0-9a-f]{4,}", "0x…", " ".join(text.split()))[:500])
