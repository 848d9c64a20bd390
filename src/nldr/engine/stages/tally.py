"""Counts of decided published numbers, from the verdicts that are there."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from nldr.engine.stages.verdicts import VERDICTS

ENOUGH_TRIALS = 5


class Tally(NamedTuple):
    """Verdicts on the numbers of one published file.

    Attributes
    ----------
    file : str
        Name of the file.
    counts : dict of str to int
        Number of published numbers with each verdict. One that several cells or studies decide
        counts once, with the first of reproduced, better, worse, undecided and not run.
    firm : int
        Number of those decided from at least five trials, or from a cell without random numbers.
    """

    file: str
    counts: dict[str, int]
    firm: int

    @property
    def decided(self) -> int:
        """Number of those that are reproduced, better or worse."""
        return sum(self.counts[verdict] for verdict in VERDICTS[:3])


def count_published(plan: Any, root: Path = Path()) -> list[Tally]:
    """Return the verdicts on published numbers, file by file, of the studies that are built.

    Parameters
    ----------
    plan : nldr.engine.planning.plan.Plan
        The plan.
    root : Path
        The folder with ``results/``.
    """
    files = [
        (study.study.published.file, root / plan.outputs.verdicts.format(study=name))
        for name, study in plan.studies.items()
        if study.study.published is not None
    ]
    return count_numbers((name, path) for name, path in files if path.is_file())


def count_numbers(files: Iterable[tuple[str, Path]]) -> list[Tally]:
    """Return the verdicts on published numbers, file by file.

    Parameters
    ----------
    files : iterable of (str, Path)
        Names of published files with the verdicts of a study on them.
    """
    # Of several verdicts on one number, the best counts.
    best: dict[str, dict[tuple[str, str], dict[str, str]]] = {}
    for name, path in files:
        numbers = best.setdefault(name, {})
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                key = (row["setting"], row["metric"])
                if key not in numbers or _rank(row) < _rank(numbers[key]):
                    numbers[key] = row
    tallies = []
    for name, numbers in sorted(best.items()):
        counts = Counter(row["verdict"] for row in numbers.values())
        firm = sum(_is_firm(row) for row in numbers.values())
        tallies.append(Tally(name, {verdict: counts[verdict] for verdict in VERDICTS}, firm))
    return tallies


def _rank(row: dict[str, str]) -> tuple[int, int]:
    """Return the place of a verdict: the best verdict first, then the one from most trials."""
    return VERDICTS.index(row["verdict"]), -int(row["trials"] or 0)


def _is_firm(row: dict[str, str]) -> bool:
    """Tell whether a number is decided from enough trials, or from an exact value."""
    if row["verdict"] not in VERDICTS[:3]:
        return False
    return row["low"] == row["high"] or int(row["trials"]) >= ENOUGH_TRIALS


def format_tallies(tallies: list[Tally]) -> str:
    """Return counts as a table, one line per published file."""
    header = ("published file", "decided", f"≥ {ENOUGH_TRIALS} trials", *VERDICTS)
    numbers = [[t.decided, t.firm, *t.counts.values()] for t in tallies]
    rows = [(t.file, *counts) for t, counts in zip(tallies, numbers, strict=True)]
    lines = [header, *rows, ("all", *map(sum, zip(*numbers, strict=True)))]
    widths = [max(len(str(line[i])) for line in lines) for i in range(len(header))]
    return "\n".join(
        "  ".join(
            f"{cell!s:<{w}}" if i == 0 else f"{cell!s:>{w}}"
            for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
