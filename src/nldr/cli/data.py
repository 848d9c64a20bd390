"""``nldr compare``, ``check``, ``diff`` and ``doctor``: own data, without a project."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path


def _with_messages(command: Callable[[argparse.Namespace], int]) -> Callable:
    """Return a command that prints a mistake in data or arguments as one message."""

    @wraps(command)
    def run(options: argparse.Namespace) -> int:
        from nldr.inputs import InputError

        try:
            return command(options)
        except InputError as error:
            print(f"nldr: {error}", file=sys.stderr)
            return 2

    return run


@_with_messages
def compare(options: argparse.Namespace) -> int:
    """Compare methods on a table, print the result and write the page."""
    from nldr.comparison import compare
    from nldr.inputs import InputError

    page = options.out or Path(f"{options.file.stem}.html")
    if not page.parent.is_dir():
        raise InputError(f"the folder {page.parent} of --out does not exist: create it first")
    result = compare(
        options.file,
        label=options.label,
        drop=_words(options.drop),
        methods=_words(options.methods) or None,
        minutes=options.minutes,
        metric="precomputed" if options.distances else "euclidean",
        prepare=not options.as_is,
        verbose=True,
    )
    print(result)
    print(f"\n{result.report(page)}: maps, trust of each point, code to paste")
    if options.save:
        result.best.save(options.save)
        print(f"{options.save}: the recommended map, for nldr.load")
    return 0


@_with_messages
def check(options: argparse.Namespace) -> int:
    """Judge a map."""
    from nldr.comparison import check
    from nldr.inputs import read

    matrix, labels = read(options.file, options.label, _words(options.drop))
    values = None if labels is None else labels.values
    print(check(matrix, options.map, values, prepare=not options.as_is))
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
    from nldr.inputs import read

    matrix, labels = read(options.file, options.label, _words(options.drop))
    print(doctor(matrix, None if labels is None else labels.values))
    print("✓ nldr compare does this by itself, ! look at it, · all is well")
    return 0


def _words(options: list[str]) -> list[str]:
    """Return the words of options that may be repeated, or separated by commas."""
    return [word for option in options for word in option.split(",") if word]
