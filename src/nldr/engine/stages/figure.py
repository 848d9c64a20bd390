"""Draw one figure of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from nldr.claims.published.join import PublishedNumbers
from nldr.dataset import Dataset
from nldr.engine.code.imports import import_object
from nldr.engine.files.store import atomic, read_manifest, read_npz
from nldr.engine.jobs.report_specs import FigureJob
from nldr.engine.stages.trials import read_table, select_rows
from nldr.figures.alt import describe
from nldr.figures.results import StudyResults
from nldr.figures.style import add_note, look, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from pandas import DataFrame


def draw_figure(
    job: FigureJob,
    inputs: Mapping[str, Sequence[str]],
    outputs: Mapping[str, str],
    begin: Callable[[], None],
) -> None:
    """Draw a figure from the files of a build, and save it in the formats of ``outputs``."""
    import_object(job.function)
    begin()
    figure = figure_of_build(job, inputs)
    # Each format, atomically
    for output in outputs.values():
        with atomic(output) as temporary:
            save(figure, temporary, name=Path(output).stem, alt=str(figure.get_label()))


def figure_of_build(job: FigureJob, inputs: Mapping[str, Sequence[str]]) -> Figure:
    """Return a figure of a study's tables, and of first trials if it has panels.

    ``panel_data`` of ``inputs`` are the manifests of the datasets of ``job.panels``,
    ``panel_embeddings`` those of the embeddings of ``job.cells``; both are empty without panels.
    """
    import numpy as np

    (table,), (timings,), published = inputs["table"], inputs["timings"], inputs["published"]
    # Files by cell; panels are read when the figure asks for them.
    data_files = dict(zip(job.panels, inputs["panel_data"], strict=True))
    embedding_files = dict(zip(job.cells, inputs["panel_embeddings"], strict=bool(job.panels)))

    def panel(data_cell: str, method_cell: str) -> tuple[Dataset, Any]:
        # A dataset that failed has no points, and no embedding.
        data = _first_trial(data_files[data_cell]) or {"X": np.zeros((0, 1))}
        arrays = _first_trial(embedding_files[data_cell, method_cell])
        return Dataset.from_arrays(data), arrays.get("embedding")

    def history(data_cell: str, method_cell: str, name: str) -> Any:
        return _first_trial(embedding_files[data_cell, method_cell]).get(f"fit.{name}")

    return make_figure(job, table, timings, next(map(Path, published), None), panel, history)


def make_figure(
    job: FigureJob,
    table: str | TextIO,
    timings: str | TextIO,
    published: Path | None,
    panel: Callable[[str, str], tuple[Dataset, Any]],
    history: Callable[[str, str, str], Any],
) -> Figure:
    """Return a figure of a study's tables, with its description as its label.

    ``panel`` and ``history`` are those of :class:`nldr.figures.results.StudyResults`.
    """
    import pandas as pd

    function = import_object(job.function)
    rows, clocks = (
        select_rows(frame, job.cells, job.tuned)
        for frame in (read_table(table, job.metrics), pd.read_csv(timings, low_memory=False))
    )
    numbers = _published_frame(job, rows, published)
    results = StudyResults(
        title=job.title,
        methods=job.methods,
        roles=job.roles,
        looks={name: look(**facts) for name, facts in job.looks.items()},
        datasets=job.datasets,
        metrics=job.metrics,
        table=rows,
        timings=clocks,
        published=numbers,
        panel=panel,
        history=history,
        selected=[*job.groups] if job.tuned else [],
        scale=job.scale,
        unpublished=job.published is not None and numbers is None,
    )
    # Draw, and say what was run
    figure: Figure = function(results, **job.params)
    add_note(figure, results.facts())
    figure.set_label(describe(results, figure, function.__doc__ or "", job.params))
    return figure


def _first_trial(manifest: str) -> dict[str, NDArray]:
    """Return the arrays of the first trial of a cell; none if it failed."""
    row = read_manifest(manifest)["trials"][0]
    if "file" not in row:
        return {}
    return read_npz(Path(manifest).parent / row["file"], row["sha256"])[0]


def _published_frame(job: FigureJob, rows: DataFrame, file: Path | None) -> DataFrame | None:
    """Return the published numbers, one row each, or None if there are none for these rows."""
    import pandas as pd

    if job.published is None or file is None:
        return None
    records = PublishedNumbers(job.published, file).records(rows.to_dict("records"))
    if not records:
        return None
    numbers = pd.DataFrame(records)
    # Parameters are numbers where they can be, as in our table.
    for column in numbers.columns[numbers.columns.str.contains(".", regex=False)]:
        with suppress(ValueError):
            numbers[column] = pd.to_numeric(numbers[column])
    return numbers
