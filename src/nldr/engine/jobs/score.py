"""Score all trials of one method on one dataset with one scorer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nldr.dataset import Dataset
from nldr.engine.imports import import_object
from nldr.engine.jobs.specs import ScoreJob
from nldr.engine.store import read_npz, write_csv


def score(
    job: ScoreJob,
    data_files: Sequence[str],
    embedding_files: Sequence[str],
    output: Path,
    threads: int = 1,
) -> None:
    """Score the embeddings of all trials; failed embeddings get no score.

    Parameters
    ----------
    job : ScoreJob
        Scorer, its parameters, and the rows that it sees.
    data_files : sequence of str
        One file per trial, or a single one where all trials are the same.
    embedding_files : sequence of str
        One file per trial.
    output : Path
        CSV file to write, one row per trial.
    threads : int, default=1
        Passed to the scorer as ``n_jobs`` where there are several.
    """
    # Bind the parameters of the scorer once for all trials.
    scorer = partial(import_object(job.function), **job.params)
    if threads > 1:
        scorer = partial(scorer, n_jobs=threads)
    scores: list[dict[str, float]] = []
    data, read = None, None
    chosen: Any = slice(None)
    for trial, file in enumerate(embedding_files):
        arrays, _ = read_npz(file)
        if "embedding" not in arrays:
            scores.append({})
            continue
        # Read the dataset again only where the trial has its own.
        source = data_files[trial if len(data_files) > 1 else 0]
        if source != read:
            data, read = Dataset.from_arrays(read_npz(source)[0]), source
            if job.rows != "all" and data.train is not None:
                chosen = data.train == (job.rows == "train")
                data = data.rows(chosen)
        scores.append(scorer(data, arrays["embedding"][chosen]))
    # Columns are the union of the metrics; failed trials have empty cells.
    names = sorted({name for score in scores for name in score})
    lines = ([trial, *(score.get(name) for name in names)] for trial, score in enumerate(scores))
    write_csv(output, ["trial", *names], lines)
