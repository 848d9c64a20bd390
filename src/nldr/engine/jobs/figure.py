"""Draw one figure of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nldr.dataset import Dataset
from nldr.engine.imports import import_object
from nldr.engine.jobs.specs import FigureJob
from nldr.engine.published import PublishedNumbers
from nldr.engine.status import Status
from nldr.engine.store import atomic, read_npz
from nldr.figures.results import StudyResults
from nldr.figures.style import look, save

if TYPE_CHECKING:
    from pandas import DataFrame


def draw_figure(
    job: FigureJob,
    table: Path,
    timings: Path,
    published: Path | None,
    panel_data: Sequence[str],
    panel_embeddings: Sequence[str],
    outputs: list[Path],
) -> None:
    """Read a study's tables, call the figure's function and save the figure in each format.

    Parameters
    ----------
    job : FigureJob
        Function, cells, titles and looks.
    table, timings : Path
        The study's tables.
    published : Path or None
        File of published numbers; they are left out where no row is one they are about.
    panel_data : sequence of str
        Files of the datasets of ``job.panels``, first trials.
    panel_embeddings : sequence of str
        Files of the embeddings of ``job.cells``, first trials; empty without panels.
    outputs : list of Path
        Files to write; their suffixes decide the format.
    """
    import pandas as pd

    # Only metrics can be missing: the text "NA" of a parameter stays a text.
    missing = dict.fromkeys(job.metrics, "")
    rows = pd.read_csv(table, keep_default_na=False, na_values=missing)
    for column in rows.columns[rows.columns.str.startswith("fit.")]:
        rows[column] = pd.to_numeric(rows[column])  # an empty text is a missing number
    clocks = pd.read_csv(timings)
    rows, clocks = _select(rows, job), _select(clocks, job)

    # Files by cell; panels are read when the figure asks for them.
    data_files = dict(zip(job.panels, panel_data, strict=True))
    embedding_files = dict(zip(job.cells, panel_embeddings, strict=bool(job.panels)))

    def panel(data_cell: str, method_cell: str) -> tuple[Dataset, Any]:
        data, _ = read_npz(data_files[data_cell])
        arrays, _ = read_npz(embedding_files[data_cell, method_cell])
        return Dataset.from_arrays(data), arrays.get("embedding")

    def history(data_cell: str, method_cell: str, name: str) -> Any:
        return read_npz(embedding_files[data_cell, method_cell])[0].get(f"fit.{name}")

    results = StudyResults(
        title=job.title,
        methods=job.methods,
        roles=job.roles,
        looks={name: look(**asdict(found)) for name, found in job.looks.items()},
        datasets=job.datasets,
        metrics=job.metrics,
        table=rows,
        timings=clocks,
        published=_published_frame(job, rows, published),
        panel=panel,
        history=history,
    )
    # Draw, and write each format atomically.
    figure = import_object(job.function)(results, **job.params)
    for output in outputs:
        with atomic(output) as temporary:
            save(figure, temporary)


def _select(rows: DataFrame, job: FigureJob) -> DataFrame:
    """Return the rows of the figure's cells, the best or each candidate, with a column ``ok``."""
    import pandas as pd

    cells = set(job.cells)
    found = zip(rows["data_cell"], rows["method_cell"], strict=True)
    shown = pd.Series([cell in cells for cell in found], index=rows.index)
    if "best_of" in rows:
        candidate = rows["best_of"].fillna("") != ""
        best = ~candidate & rows["method"].isin(job.groups)
        shown &= ~candidate if job.tuned else ~best
    ok = rows["status"].map({status.value: status.is_ok for status in Status})
    return rows.assign(ok=ok)[shown].reset_index(drop=True)


def _published_frame(job: FigureJob, rows: DataFrame, file: Path | None) -> DataFrame | None:
    """Return the published numbers, one row each, or None if there are none for these rows."""
    import pandas as pd

    if job.published is None or file is None:
        return None
    records = PublishedNumbers(job.published, file).records(rows.to_dict("records"))
    if not records:
        return None
    # Parameters are numbers where they can be, as in our table.
    numbers = pd.DataFrame(records)
    for column in numbers.columns[numbers.columns.str.contains(".", regex=False)]:
        try:
            numbers[column] = pd.to_numeric(numbers[column])
        except ValueError:
            continue
    return numbers
