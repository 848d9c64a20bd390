"""Status of a trial."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Outcome of one trial of a method; tables hold its value."""

    OK = "ok"
    NOT_CONVERGED = "not_converged"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    INVALID_INPUT = "invalid_input"
    ERROR = "error"

    @property
    def is_ok(self) -> bool:
        """True where the trial enters means and figures."""
        return self is Status.OK

    @property
    def has_result(self) -> bool:
        """True where there are data or coordinates, which are then embedded or scored."""
        return self in (Status.OK, Status.NOT_CONVERGED)
