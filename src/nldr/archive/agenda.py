"""The order of building: for each study its cost and how much of it is archived."""

from __future__ import annotations

from pathlib import Path

from nldr.archive.contents import ARCHIVE, CellState
from nldr.archive.restore import Restored
from nldr.engine.files.store import write_csv
from nldr.engine.files.tables import read_csv
from nldr.engine.planning.plan import Plan

AGENDA = ARCHIVE + "/plan.csv"
COLUMNS = ("study", "cpu_hours", "cells", "archived", "confirmed", "stale")


def lost_cells(root: Path, restored: Restored) -> dict[str, int]:
    """Return how many cells of the last agenda the archive has lost, by study.

    A cell that was embedded again for another study loses the scores of its earlier coordinates.
    Studies that have more or fewer cells than at that time are left out.
    """
    lost = {}
    for row in read_csv(root / AGENDA) if (root / AGENDA).is_file() else ():
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
    from other code or parameters. ``restored`` is what the archive's cells cover.
    """
    sizes, rows = plan.forecast.sizes, []
    for name in sorted(restored.counts, key=lambda study: sizes[study]):
        counts = restored.counts[name]
        rows.append(
            (
                name,
                f"{sizes[name] / 3600:.2g}",
                sum(counts.values()),
                counts[CellState.CURRENT],
                len(restored.confirmed.get(name, ())),
                counts[CellState.STALE],
            )
        )
    write_csv(root / AGENDA, COLUMNS, rows)
