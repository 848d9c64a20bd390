"""The command line, ``nldr`` or ``python -m nldr``: its arguments, and its commands by topic."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from pkgutil import resolve_name

from nldr.cli.parser import ENGINE, make_parser
from nldr.inputs.errors import nearest


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = make_parser()
    options, unexpected = parser.parse_known_args(arguments)
    if unexpected:
        used = getattr(options, "parser", parser)  # of the command, if there is one
        hint = ""
        if unexpected[0].startswith("--"):
            flags = re.findall(r"--([\w-]+)", used.format_usage())
            close = nearest(unexpected[0].removeprefix("--").partition("=")[0], flags, n=1)
            hint = f": did you mean --{close[0]}?" if close else ""
        elif getattr(options, "drop", None) or getattr(options, "categories", None):
            hint = " (several columns are separated by commas: --drop id,date)"
        used.error(f"unexpected arguments: {' '.join(unexpected)}{hint}")
    if "command" not in options:
        parser.print_help()
        return 2
    # Only the module of this command is imported; those in `data` work without the engine.
    if options.command.startswith("data:"):
        return _run(resolve_name(f"nldr.cli.{options.command}"), options)
    try:
        from nldr.engine.reading.parsing import PlanError

        command = resolve_name(f"nldr.cli.{options.command}")
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] == "nldr":
            raise
        sys.exit(f"nldr: {error}: this command needs the engine: pip install '{ENGINE}'")
    try:
        return _run(command, options)
    except PlanError as error:
        print(f"nldr: {error}", file=sys.stderr)
        return 2


def _run(command: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Run a command and return its exit code."""
    try:
        code = command(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of the output, such as head, has enough: the rest goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
