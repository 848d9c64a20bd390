"""An exception is a refusal of the input, a lack of memory, an error, or the machine's fault."""

import errno

import numpy as np
import pytest
from planted import throw

from nldr.engine.files.status import Status
from nldr.engine.stages.failures import clean, outcome_of, status_of


def refuse():
    raise ValueError("this dataset does not suit me")


def raised_by(function):
    try:
        function()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("function", "status"),
    [
        (refuse, Status.INVALID_INPUT),
        (lambda: np.ones(2) + np.ones(3), Status.ERROR),
        (lambda: np.ones(4).reshape(3, 3), Status.ERROR),
        (lambda: float("x"), Status.ERROR),
        (lambda: np.linalg.cholesky(-np.eye(2)), Status.ERROR),
        (lambda: np.ones(2**50), Status.OUT_OF_MEMORY),
        (lambda: throw(OSError(errno.ENOMEM, "no")), Status.OUT_OF_MEMORY),
        (lambda: throw(RuntimeError("RESOURCE_EXHAUSTED: 5 GB")), Status.OUT_OF_MEMORY),
        (lambda: {}["k"], Status.ERROR),
    ],
)
def test_status(function, status):
    assert status_of(raised_by(function)) is status


@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ELOOP]
)
def test_failure_of_the_machine_is_raised_again(number):
    with pytest.raises(OSError, match="machine"):
        outcome_of(OSError(number, "machine"))


@pytest.mark.parametrize("error", [OSError(errno.ENOENT, "file"), ValueError("x"), KeyError("x")])
def test_other_failures_are_outcomes_with_a_trace(error, capsys):
    outcome = outcome_of(error)
    assert outcome == {"status": Status.ERROR, "message": f"{type(error).__name__}: {error}"}
    assert type(error).__name__ in capsys.readouterr().err


def test_messages_are_one_line_without_addresses():
    assert clean("a\n  b <object at 0x7f00aa>") == "a b <object at 0x…>"
    assert clean("\x1b[31mred \u202eback") == "\\u001b[31mred \\u202eback"
    assert outcome_of(RuntimeError("x" * 1000))["message"] == "RuntimeError: " + "x" * 486
