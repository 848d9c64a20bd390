"""The order of building: for each study its cost and how much of it is archived."""

from __future__ import annotations

import csv
from pathlib import Path

from nldr.archive.contents import ARCHIVE, CellState
from nldr.archive.restore import Restored
from nldr.engine.files.store import atomic
from nldr.engine.planning.plan import Plan

AGENDA = ARCHIVE + "/plan.csv"


def lost_cells(root: Path, restored: Restored) -> dict[str, int]:
    """Return how many cells of the last agenda the archive has lost, by study.

    A cell that was embedded again for another study loses the scores of its earlier coordinates.
    Studies that have more or fewer cells than at that time are left out.
    """
    lost = {}
    if (root / AGENDA).is_file():
        with (root / AGENDA).open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                counts = restored.counts.get(row["study"], {})
                missing = int(row["cells"]) - int(row["archived"]) - int(row["stale"])
                if sum(counts.values()) == int(row["cells"]):
                    lost[row["study"]] = counts[CellState.MISSING] - missing
    return {study: number for study, number in lost.items() if number > 0}


def write_agenda(plan: Plan, root: Path, restored: Restored) -> None:
    """Write one row per study, in the order in which to build them.

    The columns are the study, the forecast CPU hours of all its cells (two digits; cells that it
    shares with other studies are counted for each), the number of its cells, and how many of them
    are archived, how many of these former code computed and a sample confirmed, and how many are
    from other code or parameters.

    Parameters
    ----------
    plan : Plan
        The plan at the scale of the archive.
    root : Path
        The project's folder.
    restored : Restored
        What the archive's cells cover.
    """
    sizes = plan.forecast.sizes
    with (
        atomic(root / AGENDA) as temporary,
        temporary.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["study", "cpu_hours", "cells", "archived", "confirmed", "stale"])
        for name in sorted(restored.counts, key=lambda study: sizes[study]):
            counts = restored.counts[name]
            hours = f"{sizes[name] / 3600:.2g}"
            confirmed = len(restored.confirmed.get(name, ()))
            row = [
                sum(counts.values()),
                counts[CellState.CURRENT],
                confirmed,
                counts[CellState.STALE],
            ]
            writer.writerow([name, hours, *row])
