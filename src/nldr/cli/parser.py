"""The arguments of all commands.

Each command names its function in a module of this package. That module is imported if the command
is run, so that help and mistakes in arguments do not wait for imports.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

import nldr
from nldr.engine.files.status import Status

ENGINE = "nldr[bench]"  # what most commands need
EXAMPLES = f"""* needs {ENGINE}, as by: pip install '{ENGINE}'

examples:
  nldr compare cells.csv --label type
  nldr check cells.csv map.csv
  nldr list methods
  nldr show gp@n_features=20
  nldr show gp@n_features=20/pca@n_components=3
  nldr status
  nldr status --scale paper
  nldr claim ikd-04
  nldr cost --scale paper
  nldr retry --status timeout
  nldr verify
  nldr recompute --cells 20
  nldr cite ikd_fig1
  nldr new my-benchmark
  nldr test mine
"""

Add = Callable[[str, str, str], argparse.ArgumentParser]  # adds a command
FILE_HELP = "table (csv, tsv, csv.gz, parquet, npy, npz or h5ad) or folder of images"


class Parser(argparse.ArgumentParser):
    """Parser that names the most similar choice if an argument is none of its choices."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        # Python does so itself from 3.14 on, with suggest_on_error.
        close = get_close_matches(str(value), map(str, action.choices or ()), n=1)
        if close and value not in (action.choices or ()):
            raise argparse.ArgumentError(action, f"unknown '{value}': did you mean '{close[0]}'?")
        super()._check_value(action, value)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser; ``command`` is the function to run, ``parser`` that of its arguments."""
    parser = Parser(
        prog="nldr",
        description="Compare methods on your own data, or inspect the benchmark: its catalogs, "
        "what is built, what failed. To build it: snakemake --cores 2",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"nldr {nldr.__version__}")
    parser.add_argument(
        "--root", type=Path, default=Path(), help="the project's folder (default: here)"
    )
    add = partial(_add_command, parser.add_subparsers(title="commands", metavar="command"))
    _add_own_data(add)
    _add_views(add)
    _add_work(add)
    _add_archive(add)
    _add_project(add)
    return parser


def _add_command(commands: Any, function: str, text: str, example: str) -> argparse.ArgumentParser:
    """Add a command to ``commands`` and return the parser of its arguments.

    ``function`` is its function, ``module:function`` of this package, ``text`` says what it does,
    and ``example`` is a call of it, which begins with its name. Only those in ``data`` work without
    the engine.
    """
    command = commands.add_parser(
        example.split()[0],
        help=text if function.startswith("data:") else f"{text} *",
        description=text,
        epilog=f"example:\n  nldr {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(command=function, parser=command)
    return command


def _add_own_data(add: Add) -> None:
    """Add the commands on a user's own data, which need no project."""
    compare = add(
        "data:compare",
        "Compare methods on your data and recommend one.",
        "compare cells.csv --label type",
    )
    check = add("data:check", "Score a map that any program made.", "check cells.csv map.csv")
    doctor = add(
        "data:doctor", "Check your data for problems that would spoil a map.", "doctor cells.csv"
    )
    for command in (compare, check, doctor):
        command.add_argument("file", type=Path, help=FILE_HELP)
        if command is check:
            command.add_argument("map", type=Path, help="its map, one row per point")
        command.add_argument("--label", metavar="COLUMN", help="column of the labels")
        for option, what in (
            ("--drop", "column to leave out, such as an id"),
            ("--categories", "column of categories, such as a color"),
        ):
            text = f"{what}; several are separated by commas, those with a comma in double quotes"
            text += """: 'id,"size, mm"'"""
            command.add_argument(option, metavar="COLUMN", action="append", default=[], help=text)
        command.add_argument(
            "--distances",
            action="store_true",
            help="the table holds distances between all points, or, if sparse, to neighbors",
        )
    for command in (compare, check):
        command.add_argument(
            "--as-is", action="store_true", help="do not scale or transform the columns"
        )
    compare.add_argument(
        "--minutes", type=float, default=5.0, help="time limit; default: %(default)g"
    )
    compare.add_argument(
        "--methods",
        action="append",
        default=[],
        help="such as pca,umap,tsne; default: all that are installed",
    )
    compare.add_argument(
        "--out", type=Path, metavar="PAGE", help="page to write; default: <file>.html"
    )
    check.add_argument(
        "--out", type=Path, metavar="POINTS", help="write the errors of all points to a .csv file"
    )
    text = "save the map, too: as .npz for nldr.load, or as .csv with the points not to trust"
    compare.add_argument("--save", type=Path, metavar="MAP", help=text)
    command = add("data:diff", "Compare two maps of the same points.", "diff before.csv after.csv")
    command.add_argument("first", type=Path, help="a map, one row per point")
    command.add_argument("second", type=Path, help="another map of the same points")


def _add_views(add: Add) -> None:
    """Add the commands that show what there is."""
    command = add(
        "entries:list_entries", "List datasets, methods, metrics or studies.", "list methods"
    )
    command.add_argument("what", choices=["datasets", "methods", "metrics", "studies"])
    command = add(
        "entries:show_cell",
        "Show parameters, state and provenance of a cell.",
        "show gp@n_features=20/pca@n_components=3",
    )
    command.add_argument("cell", help="<dataset cell> or <dataset cell>/<method cell>")
    _add_scale(command)
    command = add(
        "data:reference",
        "List the archived scores of all methods on a dataset.",
        "reference coil20 --metric trustworthiness_k3",
    )
    command.add_argument("dataset", help="its name in the catalog, or a cell")
    command.add_argument("--metric", help="default: all")
    command = add("results:status", "List what is built, missing and failed.", "status")
    _add_scale(command)
    command = add("claims:claim", "Show a claim, its verdict and evidence.", "claim ikd-04")
    command.add_argument("name", help="name of a claim, or all for one line per claim")
    command.add_argument(
        "--build", action="store_true", help="build the cells of the claim first, and decide it"
    )
    command.add_argument(
        "--trials",
        choices=["until_decided"],
        help="with --build: add trials (5, 10, 20, 50) until no setting is unclear",
    )
    command.add_argument(
        "--budget",
        help="with --trials: time limit, such as 2h; no step starts that would exceed it",
    )
    _add_cores(command)
    _add_scale(command)
    add("claims:register_claims", "Register the tests of claims at full size.", "register")
    command = add("claims:verdicts", "Count verdicts on published numbers.", "verdicts")
    _add_scale(command)
    command = add("cite:cite", "Print BibTeX of the works that studies use.", "cite ikd_fig1")
    command.add_argument("studies", nargs="+", metavar="study", help="its name, or all")


def _add_work(add: Add) -> None:
    """Add the commands on the work of a run and its results."""
    command = add("results:cost", "Forecast jobs, time, memory and disk.", "cost --scale paper")
    _add_cores(command)
    _add_scale(command)
    add("results:records", "Add costs measured here to workflow/records.csv.", "records")
    command = add("results:verify", "Check all results for damage and changes.", "verify")
    _add_scale(command)
    command = add(
        "results:retry", "Let the next build repeat failed trials.", "retry --status timeout"
    )
    failing = [status.value for status in Status if not status.has_result]
    command.add_argument(
        "--status", choices=failing, required=True, help="status of the trials to repeat"
    )
    _add_scale(command)
    command = add("results:report", "Make the report from what is built.", "report")
    _add_scale(command)


def _add_archive(add: Add) -> None:
    """Add the commands on the results that are kept under version control."""
    archive = add(
        "archive:archive", "Add the results that are built to results/archive.", "archive"
    )
    archive.add_argument(
        "--confirm",
        action="store_true",
        help="compute a sample of stale cells with the former and with the current code",
    )
    archive.add_argument(
        "--minutes", type=float, default=60, help="time limit of --confirm; default: %(default)g"
    )
    archive.add_argument(
        "--verdicts",
        action="store_true",
        help="decide numbers and claims and draw figures again, from results/archive",
    )
    archive.add_argument(
        "--fingerprints",
        action="store_true",
        help="print the fingerprints of all cells, for --confirm",
    )
    restore = add("archive:restore", "Restore results from results/archive.", "restore")
    recompute = add(
        "archive:recompute",
        "Recompute a sample of results/archive and compare the scores.",
        "recompute --cells 20",
    )
    recompute.add_argument(
        "--trials",
        type=Path,
        help="compute the trials of this file and print scores, for --confirm",
    )
    recompute.add_argument(
        "--cells", type=int, default=20, help="number of trials; default: %(default)s"
    )
    recompute.add_argument(
        "--minutes", type=float, default=5, help="time limit; default: %(default)g"
    )
    recompute.add_argument("--full", action="store_true", help="compute everything, without limit")
    for command in (archive, recompute):
        command.add_argument("--seed", type=int, help="seed of the sample; default: a new one")
    for command in (archive, restore, recompute):
        command.add_argument("--scale", default="paper", help="default: %(default)s")


def _add_project(add: Add) -> None:
    """Add the commands for a project of one's own."""
    command = add("new:new", "Create a folder for your own benchmark.", "new my-benchmark")
    command.add_argument("folder", type=Path, help="folder to create")
    command = add("entries:check_entry", "Check your own method, dataset or metric.", "test mine")
    command.add_argument("name", help="its name in the catalog")
    command.add_argument(
        "--seconds", type=float, default=30.0, help="limit of CPU seconds; default: %(default)g"
    )
    command.add_argument(
        "--data", default="swiss_roll", help="dataset for the checks; default: %(default)s"
    )
    add("new:schemas", "Write workflow/schemas from the models.", "schemas")


def _add_cores(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--cores", type=_count, default=os.cpu_count(), help="default: %(default)s"
    )


def _add_scale(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--scale", choices=["smoke", "quick", "paper"], help="default: that of config.yaml"
    )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number ≥ 1")
    return int(text)
