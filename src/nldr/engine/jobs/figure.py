"""The job that draws one study's figure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nldr.dataset import Dataset
from nldr.engine.imports import import_object
from nldr.engine.layout import DATA, EMBEDDING
from nldr.engine.store import atomic, read_npz
from nldr.figures.results import Published, StudyResults
from nldr.figures.style import save

if TYPE_CHECKING:
    from numpy.typing import NDArray


def draw_figure(
    job: Mapping[str, Any], table: Path, timings: Path, published: Path | None, outputs: list[Path]
) -> None:
    """Read a study's tables, call its figure function and save the figure in each format.

    Methods that another name stands for (``best_of``) are not drawn. The published numbers are left
    out where no row of the table is what they speak of.
    """
    import pandas as pd

    missing = dict.fromkeys(job["metrics"], "")
    rows = pd.read_csv(table, keep_default_na=False, na_values=missing)
    for column in rows.columns[rows.columns.str.startswith("fit.")]:
        rows[column] = pd.to_numeric(rows[column])  # where there is no number, there is no text
    clocks = pd.read_csv(timings)
    if "best_of" in rows:
        rows = rows[rows["best_of"] == ""].reset_index(drop=True)
        clocks = clocks[clocks["best_of"].isna()].reset_index(drop=True)
    where = job["published"]["where"] if job["published"] else {}
    comparable = all((rows[key] == value).any() for key, value in where.items())

    theirs = None
    if published and comparable:
        names, keys, values = (job["published"][k] for k in ("names", "keys", "values"))
        theirs = Published(pd.read_csv(published).replace(names), keys, values)
    results = StudyResults(
        title=job["title"],
        methods=job["methods"],
        roles=job["roles"],
        datasets=job["datasets"],
        metrics=job["metrics"],
        table=rows,
        timings=clocks,
        published=theirs,
        panel=_panel,
        history=_history,
    )
    figure = import_object(job["function"])(results, **job["params"])
    for output in outputs:
        with atomic(output) as temporary:
            save(figure, temporary)


def _panel(data_cell: str, method_cell: str) -> tuple[Dataset, Any]:
    data, _ = read_npz(DATA.format(data=data_cell, trial=0))
    arrays, _ = read_npz(EMBEDDING.format(data=data_cell, method=method_cell, trial=0))
    return Dataset.from_arrays(data), arrays.get("embedding")


def _history(data_cell: str, method_cell: str, name: str) -> NDArray | None:
    arrays, _ = read_npz(EMBEDDING.format(data=data_cell, method=method_cell, trial=0))
    return arrays.get(f"fit.{name}")
