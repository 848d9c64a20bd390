"""Figures of the record: copied from a build, or drawn again from the tables of the record."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nldr.archive.contents import ARCHIVE, compress
from nldr.archive.verdicts import copy_compressed
from nldr.dataset import Dataset
from nldr.engine.files.layout import Record
from nldr.engine.planning.plan import Plan
from nldr.tables import open_table, read_csv

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = ARCHIVE + "/figures"
RECORD = Record()


def copy_smaller(drawing: Path, picture: Path, root: Path) -> bool:
    """Copy a figure as compressed SVG or as PNG, whichever is smaller.

    Returns whether the record changes.
    """
    name = drawing.stem
    copies = {drawing: root / RECORD.drawing.format(figure=name)}
    copies[picture] = root / RECORD.picture.format(figure=name)
    is_small = len(compress(drawing.read_bytes())) <= picture.stat().st_size
    smaller, larger = (drawing, picture) if is_small else (picture, drawing)
    copies[larger].unlink(missing_ok=True)
    return copy_compressed(smaller, copies[smaller])


def draw_figures(plan: Plan, root: Path) -> list[str]:
    """Draw figures of the record from its tables; return the names of those that change.

    Figures that show embeddings, and those with cells that their table lacks, stay as they are.
    """
    from nldr.figures.style import save

    changed = []
    for study, planned in plan.studies.items():
        table = root / RECORD.table.format(study=study)
        rows = read_csv(table) if table.is_file() else []
        cells = {(row["data_cell"], row["method_cell"]) for row in rows}
        for name in planned.figures if cells else ():
            job = plan.figure_job(name)
            if job.panels or not cells.issuperset(job.cells):
                continue
            figure = draw_figure(plan, root, name, _absent, _absent)
            with tempfile.TemporaryDirectory() as folder:
                drawing, picture = (Path(folder) / f"{name}{end}" for end in (".svg", ".png"))
                for file in (drawing, picture):
                    save(figure, file, name=name, alt=str(figure.get_label()))
                if copy_smaller(drawing, picture, root):
                    changed.append(name)
    return changed


def _absent(*_: str) -> Any:
    raise ValueError("a figure that shows embeddings needs `panels: true`")


def draw_figure(
    plan: Plan,
    root: Path,
    name: str,
    panel: Callable[[str, str], tuple[Dataset, Any]],
    history: Callable[[str, str, str], Any],
) -> Figure:
    """Return a figure of the tables of the record.

    ``panel`` and ``history`` are those of :class:`nldr.figures.results.StudyResults`.
    """
    from nldr.engine.stages.figure import make_figure

    study = plan.owners[name]
    published = next(map(Path, plan.published_files(study)), None)
    with (
        open_table(root / RECORD.table.format(study=study)) as table,
        open_table(root / RECORD.timings.format(study=study)) as timings,
    ):
        return make_figure(plan.figure_job(name), table, timings, published, panel, history)
