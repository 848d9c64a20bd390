"""Status of an embedding."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Outcome of one trial of a method; tables hold its value.

    Examples
    --------
    >>> Status("timeout").failed, Status.NOT_CONVERGED.has_embedding
    (True, True)
    """

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
    def has_embedding(self) -> bool:
        """True where the method returned coordinates, which are then scored."""
        return self in (Status.OK, Status.NOT_CONVERGED)

    @property
    def failed(self) -> bool:
        """True where there are no coordinates."""
        return not self.has_embedding
