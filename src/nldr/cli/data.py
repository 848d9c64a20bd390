"""``nldr compare``, ``check``, ``diff``, ``doctor`` and ``reference``, which need no project."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import wraps
from pathlib import Path
from typing import Any

from nldr.engine.files.text import escape

# A word of a list that is separated by commas; one that has a comma itself is quoted
WORD = re.compile(r'"(?P<quoted>[^"]+)"(?=,|$)|(?P<word>[^,]+)')


class _Escaped:
    """A stream to a terminal which names from a file cannot control."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, its hidden characters as their code points."""
        return self._stream.write(escape(text))


def _with_messages(command: Callable[[argparse.Namespace], int]) -> Callable:
    """Return a command that prints a mistake in data or arguments as one message."""

    @wraps(command)
    def run(options: argparse.Namespace) -> int:
        from nldr.inputs import InputError

        with redirect_stdout(_Escaped(sys.stdout)), redirect_stderr(_Escaped(sys.stderr)):
            try:
                return command(options)
            except BrokenPipeError:  # no mistake: the reader of the output has enough
                raise
            except (InputError, OSError) as error:
                print(f"nldr: {error}", file=sys.stderr)
                return 2

    return run


@_with_messages
def compare(options: argparse.Namespace) -> int:
    """Compare methods on a table, print the result and write the page."""
    from nldr.comparison import compare

    page = options.out or Path(f"{options.file.resolve().stem}.html")
    _check_target(page, "--out", (".html",), options.file)
    if options.save:
        _check_target(options.save, "--save", (".npz", ".csv"), options.file)
    result = compare(
        options.file,
        **_columns(options),
        methods=_words(options.methods) if options.methods else None,
        minutes=options.minutes,
        prepare=not options.as_is,
        verbose=True,
    )
    print(result)
    print(f"\n{result.report(page)}: maps, trust of each point, code to paste")
    if options.save and options.save.suffix == ".csv":
        result.points.to_csv(options.save)
        print(f"{options.save}: the recommended map, and which points to trust")
    elif options.save:
        result.best.save(options.save)
        print(f"{options.save}: the recommended map, for nldr.load")
    return 0


def _check_target(file: Path, option: str, suffixes: tuple[str, ...], *sources: Path) -> None:
    """Refuse a file that cannot be written, before anything is computed."""
    from nldr.inputs import InputError

    if file.is_dir() or file.suffix not in suffixes:
        ends = " or ".join(suffixes)
        what = "is a folder" if file.is_dir() else f"does not end in {ends}"
        raise InputError(f"{file} of {option} {what}: give the name of an {ends} file")
    if not file.parent.is_dir():
        raise InputError(f"the folder {file.parent} of {option} does not exist: create it first")
    if file.exists() and any(other.exists() and file.samefile(other) for other in sources):
        raise InputError(f"{file} of {option} would replace the data: give another name")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise InputError(f"{file} of {option} cannot be written: choose another folder")


@_with_messages
def check(options: argparse.Namespace) -> int:
    """Judge a map, and write what was seen of each point."""
    from nldr.comparison import check

    if options.out:
        _check_target(options.out, "--out", (".csv",), options.file, options.map)
    judgment = check(options.file, options.map, prepare=not options.as_is, **_columns(options))
    print(judgment)
    if options.out:
        judgment.trust.to_csv(options.out)
        print(f"{options.out}: errors of each point, and whether to trust it")
    return 0


@_with_messages
def diff(options: argparse.Namespace) -> int:
    """Compare two maps."""
    from nldr.comparison import diff

    print(diff(options.first, options.second))
    return 0


@_with_messages
def doctor(options: argparse.Namespace) -> int:
    """Look at a table."""
    from nldr.comparison import doctor

    print(doctor(options.file, **_columns(options)))
    print("✓ nldr compare takes care of this, ! check this, · no problem")
    return 0


@_with_messages
def reference(options: argparse.Namespace) -> int:
    """List the scores of the record on a dataset, the best first if one metric is asked for."""
    from nldr.inputs import InputError
    from nldr.metrics.reference import reference

    try:
        table = reference(options.dataset, metric=options.metric)
    except ValueError as error:
        raise InputError(str(error)) from None
    print(table.to_string(index=False, float_format="{:.4g}".format))
    return 0


def _columns(options: argparse.Namespace) -> dict[str, Any]:
    """Return what the arguments say about the columns of the data."""
    return {
        "label": options.label,
        "drop": _words(options.drop),
        "categories": _words(options.categories),
        "metric": "precomputed" if options.distances else "euclidean",
    }


def _words(options: list[str]) -> list[str]:
    """Return the words of options that may be repeated, or separated by commas.

    Examples
    --------
    >>> _words(['id,"size, mm"', "date"])
    ['id', 'size, mm', 'date']
    """
    return [m["quoted"] or m["word"] for option in options for m in WORD.finditer(option)]
